import { defineRoute } from "../../route.ts";
import * as shapes from "./replays.schemas.ts";
import { replayTransformation } from "./replays.ts";
import * as samples from "./samples.schemas.ts";
import { listKeptSamples, pullSample } from "./samples.ts";

export const replayRoutes = [
  defineRoute("POST /transformations/:id/replay", {
    name: "transformations.replay",
    offloadFromBytes: 0,
    scope: "transformations:read",
    summary: "Replay a transformation on recent records",
    description:
      "Runs the transformation, active or not, on data of recent executions and reports the differences. Changes " +
      "nothing and makes no outbound requests. Also requires `tasks:read` and `pii:read`, because the response shows " +
      "data of executions. For tasks that pull records or send orders, up to five records per execution are kept, " +
      "encrypted, for 7 days.",
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
      "The first records of recent executions, as a starting point for mappings. Also requires `pii:read`. Samples are " +
      "kept encrypted for 7 days.",
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
      "Reads the first records of a pull task now, both as received and as converted by the connector. Does not move " +
      "the task's cursor. Also answers 200 when reading fails, with the reason. Also requires `pii:read`.",
    isReadOnly: true,
    ids: { id: "bridge" },
    body: samples.PullSampleRequest,
    answer: [200, samples.PulledSample],
    failures: [409],
    handle: (ctx, { params, body }) => pullSample(ctx, params.id, body),
  }),
];
