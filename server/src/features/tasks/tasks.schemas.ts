import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import {
  Before,
  Count,
  CountOfEach,
  DateTime,
  Id,
  Nullable,
  OneOf,
  pageQuery,
  Since,
  Strict,
} from "../../core/schema.ts";
import { executionStatuses, triggers } from "./tasks.states.ts";

export { executionStatuses } from "./tasks.states.ts";

const Anything = Type.Record(Type.String(), Type.Unknown());
export const maxInputBytes = 5 * 1024 * 1024;
export const maxBulkBytes = 32 * 1024 * 1024;

const request = {
  bridgeId: Id,
  taskName: Type.String({ minLength: 1, maxLength: 100, description: "One of GET /bridges/{id}/tasks" }),
  input: Type.Optional(Anything),
};

const timeoutSeconds = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 3_600, description: "For one attempt; default: what the task recommends" }),
);

export const ExecuteRequest = Strict(
  {
    ...request,
    timeoutSeconds,
    maxAttempts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description:
          "Default 3; only what may succeed later is tried again. Of more than 1, attempts that were lost with the hub count " +
          "apart: after five in a row without getting on it fails",
      }),
    ),
    retryDelaySeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_600, description: "Before the second attempt; grows sixfold. Default 10" }),
    ),
    delaySeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 * 24 * 3_600 })),
    ttlSeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 30 * 24 * 3_600, description: "Not started by then: expired" }),
    ),
  },
  {
    examples: [{ bridgeId: "0199f0a0-0000-7000-8000-000000000003", taskName: "noop", input: { hello: "world" } }],
  },
);
export type ExecuteRequest = Static<typeof ExecuteRequest>;

const maxBulkTasks = 1_000;

export const BulkExecuteRequest = Strict(
  { tasks: Type.Array(ExecuteRequest, { minItems: 1, maxItems: maxBulkTasks }) },
  {
    examples: [
      {
        tasks: [{ bridgeId: "0199f0a0-0000-7000-8000-000000000003", taskName: "noop", input: { hello: "world" } }],
      },
    ],
  },
);

export const StatsQuery = Strict({ bridgeId: Type.Optional(Id), from: Since, to: Before });
export type StatsQuery = Static<typeof StatsQuery>;

const counts = CountOfEach(executionStatuses);
export const TaskStats = Type.Object({
  from: DateTime,
  to: DateTime,
  total: Count,
  byStatus: Type.Object(counts),
  byTask: Type.Array(
    Type.Object({
      bridgeId: Id,
      taskName: Type.String(),
      total: Count,
      byStatus: Type.Object(counts),
      lastFailedAt: Nullable(DateTime),
    }),
    { description: "Those with the most failures first; 100 at most" },
  ),
});
export type TaskStats = Static<typeof TaskStats>;

export const SyncRequest = Strict(
  { ...request, timeoutSeconds },
  {
    examples: [{ bridgeId: "0199f0a0-0000-7000-8000-000000000003", taskName: "noop", input: { hello: "world" } }],
  },
);
export type SyncRequest = Static<typeof SyncRequest>;

export const RetryRequest = Strict(
  { input: Type.Optional(Type.Unsafe<Record<string, unknown>>({ ...Anything, description: "Instead of the first" })) },
  { examples: [{}] },
);
export type RetryRequest = Static<typeof RetryRequest>;

export const maxRetriesAtOnce = 500;

const filters = {
  bridgeId: Type.Optional(Id),
  taskName: Type.Optional(Type.String({ maxLength: 100 })),
  scheduleId: Type.Optional(Id),
  runId: Type.Optional({ ...Id, description: "Queued by this run of a pipeline" }),
  trigger: Type.Optional(OneOf(triggers)),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Of the error it ended with" })),
  from: Since,
  to: Before,
};

export const RetryManyRequest = Strict(
  {
    ...filters,
    status: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "One or more of failed, timed_out, expired, cancelled, completed_with_errors, with commas between. Default: the " +
          "first three. Of what failed in part only that part is done again",
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "Only say what would be retried" })),
  },
  { examples: [{ status: "failed", taskName: "orders.import", dryRun: true }] },
);
export type RetryManyRequest = Static<typeof RetryManyRequest>;

const Failure = Type.Object({
  code: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean(),
  errors: Type.Optional(Type.Array(Anything)),
});
export type Failure = Static<typeof Failure>;

export const BulkExecuteAnswer = Type.Object({
  summary: Type.Object({ total: Count, queued: Count, failed: Count }),
  results: Type.Array(
    Type.Object({
      index: Count,
      status: OneOf(["queued", "failed"]),
      id: Type.Optional(Id),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String(), errors: Type.Array(Anything) })),
    }),
    { description: "In the order of the request" },
  ),
});
export type BulkExecuteAnswer = Static<typeof BulkExecuteAnswer>;

export const RetryManyAnswer = Type.Object({
  dryRun: Type.Boolean(),
  summary: Type.Object({
    matched: { ...Count, description: "Met the filter and were not retried before" },
    queued: Count,
    failed: { ...Count, description: "Could not be queued; `results` says why" },
    outcomeUnknown: {
      ...Count,
      description: "May have happened all the same, and are left out unless `code` is outcome_unknown",
    },
    remaining: { ...Count, description: `Not looked at yet: at most ${maxRetriesAtOnce} a time. Ask again` },
  }),
  groups: Type.Array(
    Type.Object({
      bridgeId: Id,
      taskName: Type.String(),
      code: Type.String({ description: "Of the error; the status, where there is none" }),
      count: Count,
      isLeftOut: Type.Boolean(),
    }),
    { description: "Those that matched, most first; 100 at most" },
  ),
  results: Type.Array(
    Type.Object({
      retryOf: Id,
      status: OneOf(["queued", "failed"]),
      id: Type.Optional(Id),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    }),
    { description: "The oldest first; none of a dry run" },
  ),
});
export type RetryManyAnswer = Static<typeof RetryManyAnswer>;

const Attempt = Type.Object({
  number: Count,
  status: OneOf(["running", "succeeded", "failed", "cancelled", "timed_out", "lost", "interrupted"]),
  startedAt: DateTime,
  finishedAt: Nullable(DateTime),
  error: Nullable(Failure),
});
export type Attempt = Static<typeof Attempt>;

const logLine = {
  at: DateTime,
  attempt: Count,
  level: OneOf(["info", "warn", "error"]),
  message: Type.String(),
};

export const LogQuery = Strict({
  after: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: "How many lines one has already: `next` of the answer before",
  }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 200, description: "Lines" }),
});
export type LogQuery = Static<typeof LogQuery>;

export const ExecutionLogs = Type.Object({
  data: Type.Array(Type.Object({ line: Type.Integer({ minimum: 1, description: "Counted from 1" }), ...logLine })),
  next: Count,
  isComplete: Type.Boolean({ description: "It has ended, and these are its last lines" }),
});
export type ExecutionLogs = Static<typeof ExecutionLogs>;

const UsedTransformation = Type.Object({ id: Id, version: Type.Integer() });

export const ExecutionSummary = Type.Object({
  id: Id,
  bridgeId: Id,
  taskName: Type.String(),
  status: OneOf(executionStatuses, {
    description: "completed_with_errors: it was done to its end, and records or orders on the way failed",
  }),
  mode: OneOf(["async", "sync"]),
  trigger: OneOf(triggers),
  scheduleId: Nullable(Id),
  scheduledFor: Nullable(DateTime),
  retryOf: Nullable(Id),
  isPartial: Type.Boolean({ description: "Does only what failed in `retryOf`: those orders, or those records" }),
  runId: Nullable(Id),
  attempt: { ...Count, description: "The last one; those that were lost or interrupted are among them" },
  maxAttempts: { ...Count, description: "How many may fail or time out" },
  progress: Nullable(Type.Object({ done: Type.Number(), total: Nullable(Type.Number()) })),
  error: Nullable(Failure),
  nextAttemptAt: Nullable(DateTime),
  cancelRequestedAt: Nullable(DateTime),
  createdBy: ActorShape,
  createdAt: DateTime,
  startedAt: Nullable(DateTime),
  finishedAt: Nullable(DateTime),
  durationMs: Nullable(Type.Number()),
});

export const Execution = Type.Object({
  ...ExecutionSummary.properties,
  input: Anything,
  transformedInput: Nullable(Anything),
  result: Nullable(Type.Unsafe<unknown>({})),
  attempts: Type.Array(Attempt),
  retriedBy: Type.Array(Id),
  transformations: Type.Object({ outbound: Nullable(UsedTransformation), inbound: Nullable(UsedTransformation) }),
  logs: Type.Array(Type.Object(logLine), { description: "The last 100 lines" }),
});
export type Execution = Static<typeof Execution>;
export type ExecutionSummary = Static<typeof ExecutionSummary>;

export const ExecutionQuery = pageQuery({
  ...filters,
  status: Type.Optional(
    Type.String({ maxLength: 100, description: `One or more of ${executionStatuses.join(", ")}, with commas between` }),
  ),
  retryOf: Type.Optional(Id),
  isRetried: Type.Optional(Type.Boolean({ description: "Whether another execution was queued in place of it" })),
});
export type ExecutionQuery = Static<typeof ExecutionQuery>;

export const InboundWebhookAnswer = Type.Object({
  status: OneOf(["accepted", "duplicate", "ignored"], {
    description: "ignored: it says nothing about an order, or the bridge is not active",
  }),
});
export type InboundWebhookAnswer = Static<typeof InboundWebhookAnswer>;
