import type { Static } from "typebox";
import { Count, DateTime, Id, Nullable, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

const Anything = Type.Record(Type.String(), Type.Unknown());
const AnyValue = Type.Unsafe<unknown>({});
const TaskName = Type.String({ minLength: 1, maxLength: 100, description: "One of GET /bridges/{id}/tasks" });

export const maxSampleRecords = 5;

export const SampleQuery = Strict({
  taskName: Type.Optional({ ...TaskName, description: "One of GET /bridges/{id}/tasks; default: all of them" }),
});
export type SampleQuery = Static<typeof SampleQuery>;

export const KeptSamples = Type.Object({
  data: Type.Array(
    Type.Object({
      executionId: Id,
      taskName: Type.String(),
      createdAt: DateTime,
      source: { ...AnyValue, description: "The record as received, or the order to be sent" },
      output: Type.Optional({ ...AnyValue, description: "The mapped record" }),
    }),
    { description: `Newest executions first, at most ${maxSampleRecords} records` },
  ),
});
export type KeptSamples = Static<typeof KeptSamples>;

export const PullSampleRequest = Strict(
  {
    taskName: TaskName,
    input: Type.Optional(Anything),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSampleRecords, description: "Records; default 3" })),
  },
  { examples: [{ taskName: "orders.import", limit: 1 }] },
);
export type PullSampleRequest = Static<typeof PullSampleRequest>;

export const PulledSample = Type.Object({
  ok: Type.Boolean(),
  durationMs: Type.Number(),
  total: Nullable({ ...Count, description: "Number of records, if the other side reports it" }),
  records: Type.Array(
    Type.Object({
      externalId: Type.String(),
      source: { ...Anything, description: "The record as received, which an inbound transformation maps" },
      output: { ...Anything, description: "The record as the connector converts it, without a transformation" },
    }),
  ),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() })),
});
export type PulledSample = Static<typeof PulledSample>;
