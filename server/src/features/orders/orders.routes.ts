import { Type } from "../../core/type.ts";
import { Deleted } from "../../core/schema.ts";
import { defineRoute, liveType } from "../../route.ts";
import { sheetHeavyFromBytes } from "../../core/csv/import-shapes.ts";
import { listImportedFields } from "./imported-fields.ts";
import * as answers from "./order-answers.schemas.ts";
import { OrderCustomer } from "./order-customer.schemas.ts";
import * as shapes from "./orders.schemas.ts";
import * as orders from "./orders.ts";

const named = { ids: { id: "order" }, takesNames: true } as const;
const byRef = "`id` is the order ID, or its number if only one order has that number; otherwise a 409 lists the IDs.";
const bulkBytes = 32 * 1024 * 1024;

export const orderRoutes = [
  defineRoute("GET /orders", {
    name: "orders.list",
    scope: "orders:read",
    summary: "List orders",
    description:
      "`total` is counted up to 10,000. A search may stop counting earlier: `totalIsCapped` is then true, and `pages` is one " +
      "more than the current page while there are further pages.",
    query: answers.OrderQuery,
    answer: [200, answers.OrderPage],
    handle: (ctx, { query }) => orders.listOrders(ctx, query),
  }),
  defineRoute("POST /orders", {
    name: "orders.create",
    scope: "orders:write",
    summary: "Create an order",
    description: "All fields are optional.",
    body: shapes.OrderRequest,
    answer: [201, answers.OrderAnswer],
    failures: [404, 409],
    handle: (ctx, { body }) => orders.createOrder(ctx, body),
  }),
  defineRoute("POST /orders/bulk", {
    name: "orders.createMany",
    scope: "orders:write",
    summary: "Create orders in bulk",
    description: "An order that cannot be created fails without affecting the others.",
    body: shapes.BulkRequest,
    bodyLimitBytes: bulkBytes,
    answer: [200, answers.BulkAnswer],
    handle: (ctx, { body }) => orders.createOrdersInBulk(ctx, body.orders),
  }),
  defineRoute("POST /orders/import", {
    name: "orders.import",
    scope: "orders:write",
    summary: "Import orders from a CSV or XLSX file",
    description:
      "Send JSON with the file in `csv`, or the file itself as text/csv or XLSX, optionally compressed, with the options in the " +
      "query. The encoding is the charset of the Content-Type, or detected. One row per line item, grouped by order number. Files " +
      "of known programs are detected; other columns are matched by name. `warnings` lists columns that were ignored and values " +
      "that were guessed or assumed. Dates: 2026-12-31, 12/31/2026 (month first unless `dateOrder` says otherwise), 31.12.2026 " +
      "or 31 Dec 2026, in the time zone of the organization unless they have an offset. The unit of a weight is that of its unit " +
      "column or of the column name, as in `Weight (kg)`; default: pounds. The file is imported in one transaction.",
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
    summary: "Stream the progress of an import",
    description:
      "Server-sent events with the number of rows read by the import with this `watchId`, which may start before or after. At " +
      "most four events a second; the last one is named `end`. Progress is not stored: the response of the import has its result. " +
      "The stream also ends after two minutes without progress.",
    query: shapes.ImportWatchQuery,
    answerType: liveType,
    answer: [200, answers.ImportProgress],
    handle: async (ctx, { query }) => orders.watchImport(ctx, query.watchId),
  }),
  defineRoute("GET /orders/fields", {
    name: "orders.fields.list",
    scope: "orders:read",
    summary: "List the fields of an imported order",
    description: "The targets that mappings can use, with their types.",
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
  defineRoute("GET /orders/facets", {
    name: "orders.facets.list",
    scope: "orders:read",
    summary: "Count the values of a field",
    description:
      "For lists of suggestions: the values of `field` in the orders that match the filters, with the number of orders. Filters on " +
      "the field itself are ignored, except `tagsAll`.",
    query: answers.FacetQuery,
    answer: [200, answers.OrderFacets],
    handle: (ctx, { query }) => orders.countOrderFacets(ctx, query),
  }),
  defineRoute("GET /orders/export.csv", {
    name: "orders.export",
    scope: "orders:read",
    summary: "Export orders as CSV",
    description:
      "One row per line item, newest order first. Texts that a spreadsheet would run as a formula are prefixed with a single quote, " +
      "which an import removes.",
    query: answers.ExportQuery,
    answer: [200, Type.String()],
    answerType: "text/csv",
    handle: (ctx, { query }) => orders.exportOrders(ctx, query),
  }),
  defineRoute("GET /orders/:id", {
    name: "orders.get",
    scope: "orders:read",
    summary: "Get an order",
    description: byRef,
    ...named,
    answer: [200, answers.OrderAnswer],
    failures: [409],
    handle: (ctx, { params }) => orders.getOrder(ctx, params.id),
  }),
  defineRoute("GET /orders/:id/customer", {
    name: "orders.customer.get",
    scope: "orders:read",
    summary: "Get the figures and latest orders of an order's customer",
    description: `Counts all orders of the organization, of any shop. Also requires \`pii:read\`. ${byRef}`,
    ...named,
    answer: [200, OrderCustomer],
    failures: [409],
    handle: (ctx, { params }) => orders.getOrderCustomer(ctx, params.id),
  }),
  defineRoute("PATCH /orders/:id", {
    name: "orders.update",
    scope: "orders:write",
    summary: "Update an order",
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
    summary: "Delete a draft order",
    description: byRef,
    ...named,
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => orders.deleteOrder(ctx, params.id, ifMatch),
  }),
];
