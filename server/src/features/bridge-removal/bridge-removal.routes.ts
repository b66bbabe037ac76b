import { Type } from "../../core/type.ts";
import { Deleted, Strict } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import { deleteBridge } from "./bridge-removal.ts";

const RemovalQuery = Strict({
  force: Type.Optional(Type.Boolean({ description: "Delete it also if something uses it" })),
});

export const bridgeRemovalRoutes = [
  defineRoute("DELETE /bridges/:id", {
    name: "bridges.delete",
    scope: "bridges:write",
    summary: "Delete a bridge; its credentials are gone at once, its orders, locations and executions stay",
    description:
      "While schedules, transformations, saved pipelines, active locations or open executions use it, it is refused " +
      "with 409 and `usedBy`. With `force=true` its schedules are paused and its transformations deactivated (both can " +
      "be given another bridge), what runs on it is cancelled, and what waits for it fails with `bridge_not_found`.",
    ids: { id: "bridge" },
    query: RemovalQuery,
    stepUp: "if required",
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, query, ifMatch }) =>
      deleteBridge(ctx, params.id, { ifMatch, isForced: query.force ?? false }),
  }),
];
