import { defineRoute } from "../../route.ts";
import * as shapes from "./replays.schemas.ts";
import { replayTransformation } from "./replays.ts";

export const replayRoutes = [
  defineRoute("POST /transformations/:id/replay", {
    name: "transformations.replay",
    heavyFromBytes: 0,
    scope: "transformations:read",
    summary:
      "Run a transformation on what passed through the last executions of its task, and report what would differ",
    description:
      "Nothing is changed and nobody is called. Also needs `tasks:read` and `pii:read`, since it tells what was in " +
      "executions. Of tasks that pull records or send orders, the first few records of an execution are kept for it, sealed " +
      "and for 7 days.",
    ids: { id: "transformation" },
    body: shapes.ReplayRequest,
    bodyIsOptional: true,
    onlyLooks: true,
    answer: [200, shapes.Replay],
    handle: (ctx, { params, body }) => replayTransformation(ctx, params.id, body ?? {}),
  }),
];
