import { Type } from "../../core/type.ts";
import { PageOf } from "../../core/schema.ts";
import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute, liveType } from "../../route.ts";
import { watchText } from "../../watch.ts";
import { RunRequest } from "./operations.schemas.ts";
import { PreflightProgress, PreflightReport, PreflightRequest } from "./preflight.schemas.ts";
import * as runShapes from "./run.schemas.ts";
import * as catalog from "./catalog.schemas.ts";
import { listConditionFields } from "./condition-fields.ts";
import { explainCondition } from "./explain-condition.ts";
import * as operations from "./operations.ts";
import { preflight } from "./preflight.ts";
import { streamPreflight } from "./stream-preflight.ts";
import * as selectionShapes from "./selections.schemas.ts";
import * as selections from "./selections.ts";
import * as saved from "./saved-pipelines.schemas.ts";
import * as pipelines from "./saved-pipelines.ts";

const runIds = { id: "operation_run" } as const;

export const operationRoutes = [
  defineRoute("GET /operations/actions", {
    name: "operations.actions.list",
    scope: "operations:read",
    summary: "List available actions",
    query: catalog.CatalogQuery,
    answer: [200, catalog.Catalog],
    failures: [404, 409],
    handle: (ctx, { query }) => operations.listActions(ctx, query),
  }),
  defineRoute("GET /operations/condition-fields", {
    name: "operations.conditionFields.list",
    scope: "operations:read",
    summary: "List the order fields conditions can use",
    answer: [200, catalog.ConditionFields],
    handle: (ctx) => Promise.resolve(listConditionFields(ctx)),
  }),
  defineRoute("POST /operations/explain", {
    name: "operations.explain",
    scope: "operations:read",
    summary: "Explain a condition on one order",
    description:
      "Evaluates the condition on the order as it is now, and says of each part in words whether it is met, and which values were found.",
    body: catalog.ExplainRequest,
    answer: [200, catalog.Explanation],
    failures: [404, 409],
    isReadOnly: true,
    idempotency: "none",
    handle: (ctx, { body }) => explainCondition(ctx, body),
  }),
  defineRoute("POST /operations/selections", {
    name: "operations.selections.create",
    scope: "operations:read",
    summary: "Create a selection of orders",
    description:
      "Stores the IDs of the matching orders, oldest first, for one hour. Preflight and run accept the selection ID; orders created later are not included, and a run rechecks the filter. No orders: 400 `empty_selection`; more than 100,000: 400 `too_many_orders` with `matched`. An organization keeps its 100 newest selections.",
    body: selectionShapes.SelectionRequest,
    answer: [201, selectionShapes.Selection],
    isReadOnly: true,
    handle: (ctx, { body }) => selections.createSelection(ctx, body),
  }),
  defineRoute("GET /operations/selections/:id", {
    name: "operations.selections.get",
    scope: "operations:read",
    summary: "Get a selection",
    ids: { id: "selection" },
    answer: [200, selectionShapes.Selection],
    handle: (ctx, { params }) => selections.getSelection(ctx, params.id),
  }),
  defineRoute("POST /operations/preflight", {
    name: "operations.preflight",
    // Done in batches; by a filter there may be more.
    offloadFromBytes: 40_000,
    offloadFromItems: 1_000,
    needsOffload: (body) => "filter" in body || "selection_id" in body,
    scope: "operations:read",
    summary: "Preview a pipeline without changing orders",
    description:
      "Evaluates each step for each order with the same code as a run. No order is changed. Steps that need prices ask the " +
      "carriers for them: parcels that are alike once, and each account with as many requests at a time as its carrier allows. The preflight " +
      "ends when the client disconnects, and after 100 seconds with 400 `too_many_orders`; `POST /operations/preflight/stream` has no such limit.",
    body: PreflightRequest,
    answer: [200, PreflightReport],
    idempotency: "none",
    isOpenToAgents: true,
    handle: (ctx, { body }) => preflight(ctx, body),
  }),
  defineRoute("POST /operations/preflight/stream", {
    name: "operations.preflight.stream",
    // It goes on after its request slot was released: only worker processes evaluate orders for that long.
    offloadFromBytes: 0,
    scope: "operations:read",
    summary: "Preview a pipeline and stream the progress",
    description:
      "As `POST /operations/preflight`, for many orders whose prices come from carriers. Each message has the progress as `data`, at " +
      "most four times a second; the last one has the event name `end` and the report. Close the connection to cancel: requests " +
      "to carriers are aborted and no further ones are sent. A stream that ends without `end` has failed; send the request again.",
    body: PreflightRequest,
    answerType: liveType,
    answer: [200, PreflightProgress],
    idempotency: "none",
    isReadOnly: true,
    handle: (ctx, { body }) => streamPreflight(ctx, body),
  }),
  defineRoute("POST /operations/run", {
    name: "operations.run",
    scope: "operations:run",
    summary: "Run a pipeline on orders",
    description:
      "With an agent key, `preflight_token` is required. Up to 1,000 orders, the response is the finished run; above that, or with `Prefer: respond-async`, the run is queued. If another change holds its orders for 10 seconds, the response is the run so far, and it goes on: see `status`. Orders are given as order_ids (up to 10,000), a filter or a selection (up to 100,000).",
    body: RunRequest,
    // Done in batches.
    offloadFromItems: 1_000,
    headers: ["Prefer"],
    answer: [201, runShapes.RunDetail],
    failures: [409],
    isOpenToAgents: true,
    handle: (ctx, { body, prefersAsync }) => operations.startRun(ctx, body, prefersAsync),
  }),
  defineRoute("GET /operations/runs", {
    name: "operations.runs.list",
    scope: "operations:read",
    summary: "List runs",
    query: runShapes.RunQuery,
    answer: [200, PageOf(runShapes.RunRow)],
    failures: [404, 409],
    handle: (ctx, { query }) => operations.listRuns(ctx, query),
  }),
  defineRoute("GET /operations/runs/:id", {
    name: "operations.runs.get",
    scope: "operations:read",
    summary: "Get a run with its first results",
    ids: runIds,
    query: runShapes.RunDetailQuery,
    answer: [200, runShapes.RunDetail],
    handle: (ctx, { params, query }) => operations.getRun(ctx, params.id, query.results_limit),
  }),
  defineRoute("GET /operations/runs/:id/result-groups", {
    name: "operations.runs.resultGroups.list",
    scope: "operations:read",
    summary: "List unsuccessful results grouped by step and code",
    description: "Includes the steps that an undo could not undo. Each group has a count and sample orders.",
    ids: runIds,
    answer: [200, runShapes.RunGroups],
    handle: (ctx, { params }) => operations.listRunGroups(ctx, params.id),
  }),
  defineRoute("GET /operations/runs/:id/watch", {
    name: "operations.runs.watch",
    scope: "operations:read",
    summary: "Stream the progress of a run",
    description: watchText,
    ids: runIds,
    answerType: liveType,
    answer: [200, runShapes.RunRow],
    handle: (ctx, { params }) => operations.watchRun(ctx, params.id),
  }),
  defineRoute("GET /operations/runs/:id/results", {
    name: "operations.runs.results.list",
    scope: "operations:read",
    summary: "List the results of a run",
    ids: runIds,
    query: runShapes.ResultQuery,
    answer: [200, PageOf(runShapes.RunResult)],
    handle: (ctx, { params, query }) => operations.listResults(ctx, params.id, query),
  }),
  defineRoute("GET /operations/runs/:id/results.csv", {
    name: "operations.runs.results.export",
    scope: "operations:read",
    summary: "Export the results of a run as CSV",
    ids: runIds,
    answer: [200, Type.String()],
    answerType: "text/csv",
    handle: (ctx, { params }) => operations.exportRunResults(ctx, params.id),
  }),
  defineRoute("POST /operations/runs/:id/retry", {
    name: "operations.runs.retry",
    scope: "operations:run",
    summary: "Retry the failed orders of a run",
    description:
      "Creates a run of the orders that still fail, each from its first step that was not applied; optionally only those that failed with certain codes, or at a certain step.",
    ids: runIds,
    body: runShapes.RetryRequest,
    bodyIsOptional: true,
    headers: ["Prefer"],
    answer: [201, runShapes.RunDetail],
    handle: (ctx, { params, body, prefersAsync }) => operations.retryRun(ctx, params.id, body, prefersAsync),
  }),
  defineRoute("POST /operations/runs/:id/undo/preflight", {
    name: "operations.runs.undo.preflight",
    scope: "operations:read",
    summary: "Preview the undo of a run",
    description: "Lists which steps can be undone now, and why others cannot. Nothing is written.",
    ids: runIds,
    answer: [200, runShapes.UndoReport],
    failures: [409],
    isReadOnly: true,
    idempotency: "none",
    handle: (ctx, { params }) => operations.preflightUndo(ctx, params.id),
  }),
  defineRoute("POST /operations/runs/:id/undo", {
    name: "operations.runs.undo",
    scope: "operations:run",
    summary: "Undo a run",
    description: "Creates a run of the inverse steps, newest first.",
    ids: runIds,
    headers: ["Prefer"],
    answer: [201, runShapes.RunDetail],
    handle: (ctx, { params, prefersAsync }) => operations.undoRun(ctx, params.id, prefersAsync),
  }),
  defineRoute("POST /operations/runs/:id/cancel", {
    name: "operations.runs.cancel",
    scope: "operations:run",
    summary: "Cancel a run",
    description: "The batch in progress is completed; orders not yet processed are cancelled.",
    ids: runIds,
    answer: [200, runShapes.RunDetail],
    handle: (ctx, { params }) => operations.cancelRun(ctx, params.id),
  }),
  ...crudRoutes("/operations/pipelines", {
    name: "operations.pipelines",
    kind: "pipeline",
    nouns: ["a saved pipeline", "saved pipelines"],
    read: "operations:read",
    write: "operations:write",
    record: saved.SavedPipeline,
    list: { query: saved.SavedPipelineQuery, handle: pipelines.listPipelines },
    create: { summary: "Save a pipeline", body: saved.PipelineRequest, handle: pipelines.createPipeline },
    get: { handle: pipelines.getPipeline },
    update: { body: saved.PipelinePatch, handle: pipelines.updatePipeline },
    delete: { failures: [409, 412], handle: pipelines.deletePipeline },
  }),
];
