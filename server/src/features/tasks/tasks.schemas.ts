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
  Type.Integer({ minimum: 1, maximum: 3_600, description: "Per attempt. Default: the timeout of the task" }),
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
          "Default 3. Only retryable errors are retried. If more than 1, attempts lost with a hub process are not counted; " +
          "after five of them in a row without progress the execution fails",
      }),
    ),
    retryDelaySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3_600,
        description: "Before the second attempt; six times longer with each further one. Default 10",
      }),
    ),
    delaySeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 * 24 * 3_600 })),
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30 * 24 * 3_600,
        description: "The execution expires if it has not started within this time",
      }),
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

export const CountsQuery = Strict({ bridgeId: Type.Optional(Id), from: Since, to: Before });
export type CountsQuery = Static<typeof CountsQuery>;

const counts = CountOfEach(executionStatuses);
export const ExecutionCounts = Type.Object({
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
    { description: "Most failures first, at most 100" },
  ),
});
export type ExecutionCounts = Static<typeof ExecutionCounts>;

export const SyncRequest = Strict(
  { ...request, timeoutSeconds },
  {
    examples: [{ bridgeId: "0199f0a0-0000-7000-8000-000000000003", taskName: "noop", input: { hello: "world" } }],
  },
);
export type SyncRequest = Static<typeof SyncRequest>;

export const RetryRequest = Strict(
  {
    input: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ ...Anything, description: "Replaces the original input" }),
    ),
  },
  { examples: [{}] },
);
export type RetryRequest = Static<typeof RetryRequest>;

export const maxRetriesAtOnce = 500;

const filters = {
  bridgeId: Type.Optional(Id),
  taskName: Type.Optional(Type.String({ maxLength: 100 })),
  scheduleId: Type.Optional(Id),
  runId: Type.Optional({ ...Id, description: "Queued by this operation run" }),
  trigger: Type.Optional(OneOf(triggers)),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Error code of the execution" })),
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
          "One or more of failed, timed_out, expired, cancelled, completed_with_errors, separated by commas. Default: the " +
          "first three. Of a partly failed execution only the failed part is retried",
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "Report what would be retried without queueing it" })),
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
    matched: { ...Count, description: "Match the filter and have no retry yet" },
    queued: Count,
    failed: { ...Count, description: "Could not be queued; see `results`" },
    outcomeUnknown: {
      ...Count,
      description: "May have taken effect, and are excluded unless `code` is outcome_unknown",
    },
    remaining: { ...Count, description: `Beyond the ${maxRetriesAtOnce} of this request; repeat it to continue` },
  }),
  groups: Type.Array(
    Type.Object({
      bridgeId: Id,
      taskName: Type.String(),
      code: Type.String({ description: "Error code, or the status if there is no error" }),
      count: Count,
      isExcluded: Type.Boolean(),
    }),
    { description: "The matching executions by cause, largest group first, at most 100" },
  ),
  results: Type.Array(
    Type.Object({
      retryOf: Id,
      status: OneOf(["queued", "failed"]),
      id: Type.Optional(Id),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    }),
    { description: "Oldest first; empty for a dry run" },
  ),
});
export type RetryManyAnswer = Static<typeof RetryManyAnswer>;

const Attempt = Type.Object({
  number: Count,
  status: OneOf(["running", "succeeded", "failed", "cancelled", "timed_out", "worker_lost", "interrupted"]),
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
    description: "Number of lines to skip: `next` of the previous response",
  }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 200, description: "Lines" }),
});
export type LogQuery = Static<typeof LogQuery>;

export const ExecutionLogs = Type.Object({
  data: Type.Array(Type.Object({ line: Type.Integer({ minimum: 1, description: "Line number, from 1" }), ...logLine })),
  next: Count,
  isComplete: Type.Boolean({ description: "The execution has ended, and there are no further lines" }),
});
export type ExecutionLogs = Static<typeof ExecutionLogs>;

const UsedTransformation = Type.Object({ id: Id, version: Type.Integer() });

export const ExecutionSummary = Type.Object({
  id: Id,
  bridgeId: Id,
  taskName: Type.String(),
  status: OneOf(executionStatuses, {
    description: "completed_with_errors: the task ran to its end, and some of its records or orders failed",
  }),
  mode: OneOf(["async", "sync"]),
  trigger: OneOf(triggers),
  scheduleId: Nullable(Id),
  scheduledFor: Nullable(DateTime),
  retryOf: Nullable(Id),
  isPartial: Type.Boolean({ description: "Retries only the failed orders or records of `retryOf`" }),
  runId: Nullable(Id),
  attempt: { ...Count, description: "Number of the last attempt, counting lost and interrupted ones" },
  maxAttempts: { ...Count, description: "How many attempts may fail or time out" },
  progress: Nullable(Type.Object({ processed: Type.Number(), total: Nullable(Type.Number()) })),
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
    Type.String({ maxLength: 100, description: `One or more of ${executionStatuses.join(", ")}, separated by commas` }),
  ),
  retryOf: Type.Optional(Id),
  isRetried: Type.Optional(Type.Boolean({ description: "Whether the execution has a retry" })),
});
export type ExecutionQuery = Static<typeof ExecutionQuery>;

export const InboundWebhookAnswer = Type.Object({
  status: OneOf(["accepted", "duplicate", "ignored"], {
    description: "ignored: it says nothing about an order, or the bridge is not active",
  }),
});
export type InboundWebhookAnswer = Static<typeof InboundWebhookAnswer>;
