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
      source: { ...AnyValue, description: "As it came, or the order as it was to be sent" },
      output: Type.Optional({ ...AnyValue, description: "What was made of it then" }),
    }),
    { description: `Of the newest executions first, ${maxSampleRecords} at most` },
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
  total: Nullable({ ...Count, description: "How many there are, where the other side says so" }),
  records: Type.Array(
    Type.Object({
      externalId: Type.String(),
      source: { ...Anything, description: "As it came: what an inbound transformation maps" },
      output: { ...Anything, description: "What the connector makes of it where no transformation is active" },
    }),
  ),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() })),
});
export type PulledSample = Static<typeof PulledSample>;
