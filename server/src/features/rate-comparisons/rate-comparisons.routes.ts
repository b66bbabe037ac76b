import { Type } from "../../core/type.ts";
import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute, liveType, xlsxType } from "../../route.ts";
import { watchText } from "../../watch.ts";
import { exportCsv, exportXlsx } from "./export-comparison.ts";
import { importComparison } from "./import-comparison.ts";
import * as shapes from "./rate-comparisons.schemas.ts";
import * as comparisons from "./rate-comparisons.ts";
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
    summary: "Create a rate comparison from items",
    description: "Up to 250,000 items. It is a draft until it is processed.",
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
      "As JSON with `csv` in it, or as text/csv with name and carrierAccountId in the query. Columns are recognised by " +
      "their names in any spelling. A file with mistakes is refused with the row and column of each, unless skipInvalid. " +
      "A dryRun says what was understood, whatever it was.",
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
    summary: "Read a rate comparison, its progress included",
    ids,
    answer: [200, shapes.Comparison],
    handle: (ctx, { params }) => comparisons.getComparison(ctx, params.id),
  }),
  defineRoute("GET /rate-comparisons/:id/watch", {
    name: "rateComparisons.watch",
    scope: "rates:read",
    summary: "Follow a rate comparison as server-sent events: as it is now, and whenever it has gone on",
    description: watchText,
    ids,
    answerType: liveType,
    answer: [200, shapes.Comparison],
    handle: (ctx, { params }) => comparisons.watchComparison(ctx, params.id),
  }),
  defineRoute("DELETE /rate-comparisons/:id", {
    name: "rateComparisons.delete",
    scope: "rates:write",
    summary: "Delete a rate comparison, also while it is processed",
    ids,
    answer: [200, Deleted],
    handle: (ctx, { params }) => comparisons.deleteComparison(ctx, params.id),
  }),
  defineRoute("GET /rate-comparisons/:id/items", {
    name: "rateComparisons.items.list",
    scope: "rates:read",
    summary: "List the items with what each would have cost",
    ids,
    query: shapes.ItemQuery,
    answer: [200, PageOf(shapes.Item)],
    handle: (ctx, { params, query }) => comparisons.listItems(ctx, params.id, query),
  }),
  defineRoute("POST /rate-comparisons/:id/process", {
    name: "rateComparisons.process",
    scope: "rates:write",
    summary: "Process the items in the background; once more makes a new revision",
    description:
      "The rate cards are those of this moment. If a zone chart, a condition set or an alias of a service is changed " +
      "before a process that ended half way is replaced, the revision begins anew: no two items are rated differently.",
    ids,
    body: shapes.RatingOptions,
    bodyIsOptional: true,
    answer: [200, shapes.Comparison],
    failures: [409],
    handle: (ctx, { params, body }) => comparisons.startProcessing(ctx, params.id, body),
  }),
  defineRoute("GET /rate-comparisons/:id/summary", {
    name: "rateComparisons.summary.get",
    scope: "rates:read",
    summary: "Read what the comparison comes to, with cost and zone breakdown",
    description: "With fuelPercent, extraDiscountPercent or dimDivisor it says what it would come to then.",
    ids,
    query: shapes.SummaryQuery,
    answer: [200, Summary],
    failures: [409],
    handle: (ctx, { params, query }) => comparisons.getSummary(ctx, params.id, query),
  }),
  defineRoute("GET /rate-comparisons/:id/export.csv", {
    name: "rateComparisons.csv.export",
    scope: "rates:read",
    summary: "Export the items as CSV",
    ids,
    query: shapes.ExportQuery,
    answer: [200, Type.String()],
    answerType: "text/csv",
    handle: (ctx, { params, query }) => exportCsv(ctx, params.id, query),
  }),
  defineRoute("GET /rate-comparisons/:id/export.xlsx", {
    name: "rateComparisons.xlsx.export",
    scope: "rates:read",
    summary: "Export summary and items as a spreadsheet",
    ids,
    query: shapes.ExportQuery,
    answer: [200, Type.String({ format: "binary" })],
    answerType: xlsxType,
    handle: (ctx, { params, query }) => exportXlsx(ctx, params.id, query),
  }),
];
