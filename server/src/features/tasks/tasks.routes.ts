import { PageOf } from "../../core/schema.ts";
import { defineRoute, liveType } from "../../route.ts";
import { watchText } from "../../watch.ts";
import { listTaskFields } from "./task-fields.ts";
import { FieldsQuery, TaskFields } from "./task-fields.schemas.ts";
import * as shapes from "./tasks.schemas.ts";
import * as tasks from "./tasks.ts";

const ids = { id: "execution" } as const;

export const taskRoutes = [
  defineRoute("POST /tasks/execute", {
    name: "tasks.execute",
    scope: "tasks:execute",
    summary: "Queue a task",
    description: "The task runs in the background. Each request queues one execution.",
    body: shapes.ExecuteRequest,
    // A file in the input is parsed by the task, not by the request.
    offloadFromItems: Infinity,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [202, shapes.Execution],
    failures: [404, 409],
    handle: (ctx, { body }) => tasks.executeTask(ctx, body),
  }),
  defineRoute("GET /bridges/:id/fields", {
    name: "bridges.fields.list",
    scope: "transformations:read",
    summary: "List the fields that a mapping can fill",
    description: "The targets of a transformation of a task, with type, example and whether they are required.",
    ids: { id: "bridge" },
    query: FieldsQuery,
    answer: [200, TaskFields],
    handle: (ctx, { params, query }) => listTaskFields(ctx, params.id, query),
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
    summary: "Queue tasks in bulk",
    description: "Up to 1,000 tasks. A task that cannot be queued fails on its own; `results` says why.",
    body: shapes.BulkExecuteRequest,
    // All tasks are queued by one statement.
    offloadFromItems: Infinity,
    bodyLimitBytes: shapes.maxBulkBytes,
    answer: [202, shapes.BulkExecuteAnswer],
    handle: (ctx, { body }) => tasks.executeTasks(ctx, body.tasks),
  }),
  defineRoute("POST /tasks/execute-sync", {
    name: "tasks.executeSync",
    scope: "tasks:execute",
    summary: "Run a task and wait for its result",
    description:
      "Waits up to 30 seconds, then answers 202 with the running execution. Also answers 200 when the task failed; see " +
      "`status` and `error`.",
    body: shapes.SyncRequest,
    offloadFromItems: Infinity,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [200, shapes.Execution],
    mayBeUnfinished: true,
    failures: [404, 409],
    handle: (ctx, { body }) => tasks.executeTaskNow(ctx, body),
  }),
  defineRoute("GET /tasks/executions/counts", {
    name: "tasks.executions.count",
    scope: "tasks:read",
    summary: "Count executions by status and task",
    description: "Covers the last 24 hours unless `from` or `to` is given.",
    query: shapes.CountsQuery,
    answer: [200, shapes.ExecutionCounts],
    handle: (ctx, { query }) => tasks.countExecutions(ctx, query),
  }),
  defineRoute("GET /tasks/executions", {
    name: "tasks.executions.list",
    scope: "tasks:read",
    summary: "List executions",
    description: "Newest first.",
    query: shapes.ExecutionQuery,
    answer: [200, PageOf(shapes.ExecutionSummary)],
    handle: (ctx, { query }) => tasks.listExecutions(ctx, query),
  }),
  defineRoute("POST /tasks/executions/retry", {
    name: "tasks.executions.retryMany",
    scope: "tasks:execute",
    summary: "Retry failed executions in bulk",
    description:
      "Retries up to 500 failed executions that match the filter, each at most once: an execution that already has a " +
      "retry is skipped. Executions whose outcome is unknown are excluded unless `code` is `outcome_unknown`.",
    body: shapes.RetryManyRequest,
    answer: [202, shapes.RetryManyAnswer],
    handle: (ctx, { body }) => tasks.retryExecutions(ctx, body),
  }),
  defineRoute("GET /tasks/executions/:id", {
    name: "tasks.executions.get",
    scope: "tasks:read",
    summary: "Get an execution",
    description: "Includes the attempts, the result and the last log lines.",
    ids,
    answer: [200, shapes.Execution],
    handle: (ctx, { params }) => tasks.getExecution(ctx, params.id),
  }),
  defineRoute("GET /tasks/executions/:id/watch", {
    name: "tasks.executions.watch",
    scope: "tasks:read",
    summary: "Stream the progress of an execution",
    description: watchText,
    ids,
    answerType: liveType,
    answer: [200, shapes.Execution],
    handle: (ctx, { params }) => tasks.watchExecution(ctx, params.id),
  }),
  defineRoute("GET /tasks/executions/:id/logs", {
    name: "tasks.executions.logs.list",
    scope: "tasks:read",
    summary: "List the log lines of an execution",
    description: "Pass `next` of the previous response as `after` to read only new lines.",
    ids,
    query: shapes.LogQuery,
    answer: [200, shapes.ExecutionLogs],
    handle: (ctx, { params, query }) => tasks.listExecutionLogs(ctx, params.id, query),
  }),
  defineRoute("POST /tasks/executions/:id/cancel", {
    name: "tasks.executions.cancel",
    scope: "tasks:execute",
    summary: "Cancel an execution",
    description:
      "Works on queued and running executions. The task makes no further outbound requests once this request is " +
      "answered.",
    ids,
    answer: [200, shapes.Execution],
    failures: [409],
    handle: (ctx, { params }) => tasks.cancelExecution(ctx, params.id),
  }),
  defineRoute("POST /tasks/executions/:id/retry", {
    name: "tasks.executions.retry",
    scope: "tasks:execute",
    summary: "Retry an execution",
    description: "Queues a new execution. Orders and shipments that were already sent are not sent again.",
    ids,
    body: shapes.RetryRequest,
    bodyIsOptional: true,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [202, shapes.Execution],
    failures: [409],
    handle: (ctx, { params, body }) => tasks.retryExecution(ctx, params.id, body ?? {}),
  }),
];
