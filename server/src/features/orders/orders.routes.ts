import { Type } from "../../core/type.ts";
import { Deleted } from "../../core/schema.ts";
import { defineRoute, liveType } from "../../route.ts";
import { sheetHeavyFromBytes } from "../../core/csv/import-shapes.ts";
import { listImportedFields } from "./imported-fields.ts";
import * as answers from "./order-answers.schemas.ts";
import * as shapes from "./orders.schemas.ts";
import * as orders from "./orders.ts";

const named = { ids: { id: "order" }, takesNames: true } as const;
const byRef = "`id` is the id of the order, or its number if only one order has it; otherwise 409 says their ids.";
const bulkBytes = 32 * 1024 * 1024;

export const orderRoutes = [
  defineRoute("GET /orders", {
    name: "orders.list",
    scope: "orders:read",
    summary: "List orders",
    description:
      "`total` is counted up to 10,000. A search may stop counting earlier; `totalIsCapped` says so, and `pages` then " +
      "says that there is one more page as long as there is.",
    query: answers.OrderQuery,
    answer: [200, answers.OrderPage],
    handle: (ctx, { query }) => orders.listOrders(ctx, query),
  }),
  defineRoute("POST /orders", {
    name: "orders.create",
    scope: "orders:write",
    summary: "Create an order; no field is needed",
    body: shapes.OrderRequest,
    answer: [201, answers.OrderAnswer],
    failures: [404, 409],
    handle: (ctx, { body }) => orders.createOrder(ctx, body),
  }),
  defineRoute("POST /orders/bulk", {
    name: "orders.createMany",
    scope: "orders:write",
    summary: "Create many orders; one that cannot be created fails alone",
    body: shapes.BulkRequest,
    bodyLimitBytes: bulkBytes,
    answer: [200, answers.BulkAnswer],
    handle: (ctx, { body }) => orders.createOrdersInBulk(ctx, body.orders),
  }),
  defineRoute("POST /orders/import", {
    name: "orders.import",
    scope: "orders:write",
    summary: "Create or update orders from a CSV or XLSX file",
    description:
      "As JSON with `csv` in it, or the file itself as text/csv or XLSX, compressed or not, with the options in the query; " +
      "its encoding is the charset of the Content-Type, or found out. One row per line item, grouped by order number. Files " +
      "of known programs are recognised, other columns by their names in any spelling; `warnings` says what was left out, " +
      "guessed or assumed. Dates: 2026-12-31, 12/31/2026 (the month first unless `dateOrder` says otherwise), 31.12.2026 " +
      "or 31 Dec 2026, in the time zone of the organization unless they say otherwise. A weight has the unit of its own column, or of its name as in " +
      "`Weight (kg)`, else it is in pounds. All of the file is taken in one transaction.",
    query: shapes.ImportQuery,
    body: shapes.ImportRequest,
    bodyLimitBytes: bulkBytes,
    takesCsv: true,
    offloadFromBytes: sheetHeavyFromBytes,
    answer: [200, answers.ImportAnswer],
    handle: (ctx, { query, body }) => orders.importOrders(ctx, query, body),
  }),
  defineRoute("GET /orders/import/watch", {
    name: "orders.import.watch",
    scope: "orders:read",
    summary: "Follow an import as server-sent events: how many rows it has gone through",
    description:
      "Of an import that is begun with the same `watchId`, before or after. At most four messages a second; the last one is " +
      "called `end`. Nothing is kept of it, and what came of the import is its own answer. It ends as well when nothing was " +
      "heard for two minutes.",
    query: shapes.ImportWatchQuery,
    answerType: liveType,
    answer: [200, answers.ImportProgress],
    handle: async (ctx, { query }) => orders.watchImport(ctx, query.id),
  }),
  defineRoute("GET /orders/fields", {
    name: "orders.fields.list",
    scope: "orders:read",
    summary: "List what an imported order may say: the targets of mappings, with their types",
    answer: [200, answers.ImportedFields],
    handle: async () => listImportedFields(),
  }),
  defineRoute("GET /orders/counts", {
    name: "orders.count",
    scope: "orders:read",
    summary: "Count orders by status",
    query: answers.CountsQuery,
    answer: [200, answers.OrderCounts],
    handle: (ctx, { query }) => orders.countOrders(ctx, query),
  }),
  defineRoute("GET /orders/export.csv", {
    name: "orders.export",
    scope: "orders:read",
    summary: "Export orders as CSV, one row per line item, newest order first",
    description:
      "Texts that a spreadsheet would run as a formula begin with a single quote; an import takes it away again.",
    query: answers.ExportQuery,
    answer: [200, Type.String()],
    answerType: "text/csv",
    handle: (ctx, { query }) => orders.exportOrders(ctx, query),
  }),
  defineRoute("GET /orders/:id", {
    name: "orders.get",
    scope: "orders:read",
    summary: "Read an order",
    description: byRef,
    ...named,
    answer: [200, answers.OrderAnswer],
    failures: [409],
    handle: (ctx, { params }) => orders.getOrder(ctx, params.id),
  }),
  defineRoute("PATCH /orders/:id", {
    name: "orders.update",
    scope: "orders:write",
    summary: "Change an order",
    description: `A merge patch: objects are merged, lists are replaced, null removes. ${byRef}`,
    ...named,
    body: shapes.OrderPatchRequest,
    answer: [200, answers.OrderAnswer],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => orders.updateOrder(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /orders/:id", {
    name: "orders.delete",
    scope: "orders:write",
    summary: "Delete a draft",
    description: byRef,
    ...named,
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => orders.deleteOrder(ctx, params.id, ifMatch),
  }),
];
