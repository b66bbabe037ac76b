import { defineRoute } from "../../route.ts";
import * as shapes from "./replays.schemas.ts";
import { replayTransformation } from "./replays.ts";
import * as samples from "./samples.schemas.ts";
import { listKeptSamples, pullSample } from "./samples.ts";

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
    isReadOnly: true,
    answer: [200, shapes.Replay],
    handle: (ctx, { params, body }) => replayTransformation(ctx, params.id, body ?? {}),
  }),
  defineRoute("GET /bridges/:id/samples", {
    name: "bridges.samples.list",
    scope: "tasks:read",
    summary: "List recent sample records of a task",
    description:
      "The first records of the latest executions, as a basis for mappings. Stored encrypted for 7 days. Also requires `pii:read`.",
    ids: { id: "bridge" },
    query: samples.SampleQuery,
    answer: [200, samples.KeptSamples],
    handle: (ctx, { params, query }) => listKeptSamples(ctx, params.id, query),
  }),
  defineRoute("POST /bridges/:id/samples", {
    name: "bridges.samples.fetch",
    scope: "tasks:execute",
    summary: "Fetch sample records without storing them",
    description:
      "For pull tasks: the first records as received and as the connector converts them. No cursor moves. Answers 200 also when " +
      "the request fails, with the reason. Also requires `pii:read`.",
    isReadOnly: true,
    ids: { id: "bridge" },
    body: samples.PullSampleRequest,
    answer: [200, samples.PulledSample],
    failures: [409],
    handle: (ctx, { params, body }) => pullSample(ctx, params.id, body),
  }),
];
