import { Type } from "../../core/type.ts";
import { Deleted, Strict } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import { deleteBridge } from "./bridge-removal.ts";

const RemovalQuery = Strict({
  force: Type.Optional(Type.Boolean({ description: "Delete the bridge even if it is in use" })),
});

export const bridgeRemovalRoutes = [
  defineRoute("DELETE /bridges/:id", {
    name: "bridges.delete",
    scope: "bridges:write",
    summary: "Delete a bridge",
    description:
      "Its credentials are deleted; its orders, locations and executions stay. Answers 409 with `usedBy` while schedules, " +
      "transformations, saved pipelines, active locations or open executions use it. With `force=true` its schedules are paused " +
      "and its transformations deactivated (both can be assigned another bridge), running executions are cancelled, and queued " +
      "ones fail with `bridge_not_found`.",
    ids: { id: "bridge" },
    query: RemovalQuery,
    stepUp: "if required",
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, query, ifMatch }) =>
      deleteBridge(ctx, params.id, { ifMatch, isForced: query.force ?? false }),
  }),
];
