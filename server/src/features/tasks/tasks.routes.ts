import { PageOf } from "../../core/schema.ts";
import { defineRoute, liveType } from "../../route.ts";
import { watchText } from "../../watch.ts";
import * as shapes from "./tasks.schemas.ts";
import * as tasks from "./tasks.ts";

const ids = { id: "execution" } as const;

export const taskRoutes = [
  defineRoute("POST /tasks/execute", {
    name: "tasks.execute",
    scope: "tasks:execute",
    summary: "Queue a task of a bridge; it runs in the background, once",
    body: shapes.ExecuteRequest,
    // The lines of a file in its input are read by the task.
    heavyFromItems: Infinity,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [202, shapes.Execution],
    failures: [404, 409],
    handle: (ctx, { body }) => tasks.executeTask(ctx, body),
  }),
  defineRoute("POST /bridges/:id/inbound-webhooks", {
    name: "bridges.inboundWebhooks.receive",
    scope: "public",
    summary: "Receive a webhook from a shop",
    description:
      "The address to enter in Shopify, WooCommerce or the system that a `rest` bridge connects to. The signature is verified with " +
      "the webhook secret of the bridge, and a repeated webhook is accepted once. An execution of the import task reads the orders " +
      "shortly afterwards.",
    idempotency: "none",
    takesAnyBody: true,
    bodyLimitBytes: 1024 ** 2,
    ids: { id: "bridge" },
    answer: [200, shapes.InboundWebhookAnswer],
    failures: [401],
    handle: (ctx, { params, sent }) => tasks.receiveInboundWebhook(ctx, params.id, sent),
  }),
  defineRoute("POST /tasks/bulk", {
    name: "tasks.executeMany",
    scope: "tasks:execute",
    summary: "Queue up to 1,000 tasks; one that cannot be queued fails alone",
    body: shapes.BulkExecuteRequest,
    // Queued by one statement.
    heavyFromItems: Infinity,
    bodyLimitBytes: shapes.maxBulkBytes,
    answer: [202, shapes.BulkExecuteAnswer],
    handle: (ctx, { body }) => tasks.executeTasks(ctx, body.tasks),
  }),
  defineRoute("POST /tasks/execute-sync", {
    name: "tasks.executeSync",
    scope: "tasks:execute",
    summary: "Run a task and wait for it, up to 30 s; 200 also when the task failed, see `status` and `error`",
    body: shapes.SyncRequest,
    heavyFromItems: Infinity,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [200, shapes.Execution],
    mayBeUnfinished: true,
    failures: [404, 409],
    handle: (ctx, { body }) => tasks.executeTaskNow(ctx, body),
  }),
  defineRoute("GET /tasks/stats", {
    name: "tasks.count",
    scope: "tasks:read",
    summary: "Count executions by status and by task, of the last 24 hours unless the query says otherwise",
    query: shapes.StatsQuery,
    answer: [200, shapes.TaskStats],
    handle: (ctx, { query }) => tasks.readTaskStats(ctx, query),
  }),
  defineRoute("GET /tasks/executions", {
    name: "tasks.executions.list",
    scope: "tasks:read",
    summary: "List executions, newest first",
    query: shapes.ExecutionQuery,
    answer: [200, PageOf(shapes.ExecutionSummary)],
    handle: (ctx, { query }) => tasks.listExecutions(ctx, query),
  }),
  defineRoute("POST /tasks/executions/retry", {
    name: "tasks.failures.retry",
    scope: "tasks:execute",
    summary: `Retry the executions that failed and meet a filter, up to ${shapes.maxRetriesAtOnce} a time`,
    description:
      "Each once: one that was retried before is left to its retry. What may have happened all the same is left out until it is " +
      "asked for by its code.",
    body: shapes.RetryManyRequest,
    answer: [202, shapes.RetryManyAnswer],
    handle: (ctx, { body }) => tasks.retryExecutions(ctx, body),
  }),
  defineRoute("GET /tasks/executions/:id", {
    name: "tasks.executions.get",
    scope: "tasks:read",
    summary: "Read an execution with its attempts, result and last log lines",
    ids,
    answer: [200, shapes.Execution],
    handle: (ctx, { params }) => tasks.getExecution(ctx, params.id),
  }),
  defineRoute("GET /tasks/executions/:id/watch", {
    name: "tasks.executions.watch",
    scope: "tasks:read",
    summary: "Follow an execution, such as an import, as server-sent events: as it is now, and whenever it has gone on",
    description: watchText,
    ids,
    answerType: liveType,
    answer: [200, shapes.Execution],
    handle: (ctx, { params }) => tasks.watchExecution(ctx, params.id),
  }),
  defineRoute("GET /tasks/executions/:id/logs", {
    name: "tasks.executions.logs.list",
    scope: "tasks:read",
    summary: "Read the log of an execution, on from the lines one has",
    ids,
    query: shapes.LogQuery,
    answer: [200, shapes.ExecutionLogs],
    handle: (ctx, { params, query }) => tasks.listExecutionLogs(ctx, params.id, query),
  }),
  defineRoute("POST /tasks/executions/:id/cancel", {
    name: "tasks.executions.cancel",
    scope: "tasks:execute",
    summary: "Cancel an execution that is queued or running; nothing of it begins after the answer",
    ids,
    answer: [200, shapes.Execution],
    failures: [409],
    handle: (ctx, { params }) => tasks.cancelExecution(ctx, params.id),
  }),
  defineRoute("POST /tasks/executions/:id/retry", {
    name: "tasks.executions.retry",
    scope: "tasks:execute",
    summary: "Queue a new execution in place of one that did not succeed; what it sent is not sent again",
    ids,
    body: shapes.RetryRequest,
    bodyIsOptional: true,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [202, shapes.Execution],
    failures: [409],
    handle: (ctx, { params, body }) => tasks.retryExecution(ctx, params.id, body ?? {}),
  }),
];
