import { Type } from "../../core/type.ts";
import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute, liveType, xlsxType } from "../../route.ts";
import { watchText } from "../../watch.ts";
import { exportCsv, exportXlsx } from "./export-comparison.ts";
import { importComparison } from "./import-comparison.ts";
import * as itemShapes from "./rate-items.schemas.ts";
import * as shapes from "./rate-comparisons.schemas.ts";
import * as comparisons from "./rate-comparisons.ts";
import { rateMixRoutes } from "./rate-mix.routes.ts";
import { startProcessing } from "./start-processing.ts";
import { Summary } from "./summary.schemas.ts";

const ids = { id: "rate_comparison" } as const;
const uploadBytes = 128 * 1024 * 1024;

export const rateComparisonRoutes = [
  defineRoute("GET /rate-comparisons", {
    name: "rateComparisons.list",
    scope: "rates:read",
    summary: "List rate comparisons",
    query: shapes.ComparisonQuery,
    answer: [200, PageOf(shapes.Comparison)],
    handle: (ctx, { query }) => comparisons.listComparisons(ctx, query),
  }),
  defineRoute("POST /rate-comparisons", {
    name: "rateComparisons.create",
    scope: "rates:write",
    summary: "Create a rate comparison",
    description:
      "Up to 250,000 items, or the parcels of carrier invoices, against one contract or up to ten `targets`. The comparison is a " +
      "draft until it is processed.",
    body: shapes.ComparisonRequest,
    bodyLimitBytes: uploadBytes,
    answer: [201, shapes.Comparison],
    failures: [404],
    handle: (ctx, { body }) => comparisons.createComparison(ctx, body),
  }),
  defineRoute("POST /rate-comparisons/import", {
    name: "rateComparisons.import",
    scope: "rates:write",
    summary: "Create a rate comparison from a CSV file",
    description:
      "As JSON with the file in `csv`, or as text/csv with `name` and `carrierAccountId` in the query. Columns are detected by " +
      "their names in any spelling. A file with errors is rejected with the row and column of each, unless `skipInvalid` is set. " +
      "`dryRun` reports how the file was read and creates nothing.",
    query: shapes.ImportQuery,
    body: shapes.ImportRequest,
    bodyLimitBytes: uploadBytes,
    takesCsv: true,
    answer: [201, shapes.ImportAnswer],
    failures: [404],
    handle: (ctx, { query, body }) => importComparison(ctx, query, body),
  }),
  defineRoute("GET /rate-comparisons/:id", {
    name: "rateComparisons.get",
    scope: "rates:read",
    summary: "Get a rate comparison with its progress",
    ids,
    answer: [200, shapes.Comparison],
    handle: (ctx, { params }) => comparisons.getComparison(ctx, params.id),
  }),
  defineRoute("GET /rate-comparisons/:id/watch", {
    name: "rateComparisons.watch",
    scope: "rates:read",
    summary: "Stream the progress of a rate comparison",
    description: watchText,
    ids,
    answerType: liveType,
    answer: [200, shapes.Comparison],
    handle: (ctx, { params }) => comparisons.watchComparison(ctx, params.id),
  }),
  defineRoute("DELETE /rate-comparisons/:id", {
    name: "rateComparisons.delete",
    scope: "rates:write",
    summary: "Delete a rate comparison",
    description: "Also while it is being processed.",
    ids,
    answer: [200, Deleted],
    handle: (ctx, { params }) => comparisons.deleteComparison(ctx, params.id),
  }),
  defineRoute("GET /rate-comparisons/:id/items", {
    name: "rateComparisons.items.list",
    scope: "rates:read",
    summary: "List items with their compared costs",
    ids,
    query: itemShapes.ItemQuery,
    answer: [200, PageOf(itemShapes.Item)],
    handle: (ctx, { params, query }) => comparisons.listItems(ctx, params.id, query),
  }),
  defineRoute("POST /rate-comparisons/:id/process", {
    name: "rateComparisons.process",
    scope: "rates:write",
    summary: "Process a rate comparison",
    description:
      "Runs in the background; processing again creates a new revision. Uses the rate cards in effect now. If a zone chart, " +
      "condition set or service alias changes while an interrupted revision waits to be resumed, the revision restarts, so " +
      "that all items are rated with the same inputs.",
    ids,
    body: shapes.RatingOptions,
    bodyIsOptional: true,
    answer: [200, shapes.Comparison],
    failures: [409],
    handle: (ctx, { params, body }) => startProcessing(ctx, params.id, body),
  }),
  defineRoute("GET /rate-comparisons/:id/summary", {
    name: "rateComparisons.summary.get",
    scope: "rates:read",
    summary: "Get the summary with cost and zone breakdowns",
    description: "`fuelPercent`, `extraDiscountPercent` and `dimDivisor` recompute the summary for a what-if scenario.",
    ids,
    query: shapes.SummaryQuery,
    answer: [200, Summary],
    failures: [409],
    handle: (ctx, { params, query }) => comparisons.getSummary(ctx, params.id, query),
  }),
  defineRoute("GET /rate-comparisons/:id/export.csv", {
    name: "rateComparisons.csv.export",
    scope: "rates:read",
    summary: "Export items as CSV",
    ids,
    query: itemShapes.ExportQuery,
    answer: [200, Type.String()],
    answerType: "text/csv",
    handle: (ctx, { params, query }) => exportCsv(ctx, params.id, query),
  }),
  defineRoute("GET /rate-comparisons/:id/export.xlsx", {
    name: "rateComparisons.xlsx.export",
    scope: "rates:read",
    summary: "Export summary and items as XLSX",
    ids,
    query: itemShapes.ExportQuery,
    answer: [200, Type.String({ format: "binary" })],
    answerType: xlsxType,
    handle: (ctx, { params, query }) => exportXlsx(ctx, params.id, query),
  }),
  ...rateMixRoutes,
];
