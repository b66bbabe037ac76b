import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, OneOf, Strict } from "../../core/schema.ts";

const AnyValue = Type.Unsafe<unknown>({});

export const ReplayRequest = Strict(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "Number of executions. Default 20" })),
  },
  { examples: [{ limit: 10 }] },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

const Difference = Type.Object({
  path: Type.String({
    description: "JSON pointer into the data, or into the list of records where they are mapped one by one",
  }),
  before: Type.Optional(AnyValue),
  after: Type.Optional(AnyValue),
});
export type Difference = Static<typeof Difference>;

const ReplayedExecution = Type.Object({
  executionId: Id,
  createdAt: DateTime,
  status: OneOf(["unchanged", "changed", "failed", "not_recorded"]),
  records: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Number of records replayed, where they are mapped one by one. At most 5 are kept, for 7 days",
    }),
  ),
  reason: Type.Optional(Type.String({ description: "Why the execution could not be replayed" })),
  differences: Type.Array(Difference, { description: "At most 20" }),
  errors: Type.Array(Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: true })),
});
export type ReplayedExecution = Static<typeof ReplayedExecution>;

export const Replay = Type.Object({
  transformationId: Id,
  version: Count,
  summary: Type.Object({
    executions: Count,
    unchanged: Count,
    changed: Count,
    failed: Count,
    notRecorded: Count,
  }),
  results: Type.Array(ReplayedExecution),
});
export type Replay = Static<typeof Replay>;
