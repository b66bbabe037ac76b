import { sheetHeavyFromBytes } from "../../core/csv/import-shapes.ts";
import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import { findingRoutes } from "./audit/findings.routes.ts";
import { importInvoices } from "./import-invoices.ts";
import * as shapes from "./invoices.schemas.ts";
import * as invoices from "./invoices.ts";

const ids = { id: "invoice" } as const;
const uploadBytes = 128 * 1024 * 1024;

export const invoiceRoutes = [
  defineRoute("GET /invoices", {
    name: "invoices.list",
    scope: "invoices:read",
    summary: "List carrier invoices",
    query: shapes.InvoiceQuery,
    answer: [200, PageOf(shapes.Invoice)],
    handle: (ctx, { query }) => invoices.listInvoices(ctx, query),
  }),
  defineRoute("POST /invoices/import", {
    name: "invoices.import",
    scope: "invoices:write",
    summary: "Import carrier invoices from a CSV or XLSX file",
    description:
      "Send JSON with the file in `csv`, or the file itself as text/csv or XLSX, optionally compressed, with the options in the " +
      "query. Files of UPS (Billing Data), FedEx (Billing Online), DHL Express, EasyPost and ShipStation are detected; others are " +
      "read by `mapping`. A file may have several invoices, each with all of its lines. The file is imported in one transaction. " +
      "An invoice that exists with the same lines is left unchanged, one with other lines is refused with 409. An invoice whose " +
      "lines do not add up to its amount is imported and opens an exception. A file of an unknown shape is refused with its `columns` " +
      "(the field of each, or null), the `fields` that they can be mapped to, and a `sample` of its rows.",
    query: shapes.InvoiceImportQuery,
    body: shapes.InvoiceImportRequest,
    bodyLimitBytes: uploadBytes,
    takesCsv: true,
    offloadFromBytes: sheetHeavyFromBytes,
    // The sample of a refused file may have names and streets.
    idempotency: "sealed",
    answer: [200, shapes.InvoiceImportAnswer],
    failures: [409],
    handle: (ctx, { query, body }) => importInvoices(ctx, query, body),
  }),
  defineRoute("GET /invoices/charges", {
    name: "invoices.charges.get",
    scope: "invoices:read",
    summary: "Get the charges of a parcel on all invoices",
    description: "Corrections that name the parcel as `originalTrackingNumber` are among them.",
    query: shapes.ParcelQuery,
    answer: [200, shapes.ParcelCharges],
    handle: (ctx, { query }) => invoices.getParcelCharges(ctx, query.trackingNumber),
  }),
  defineRoute("GET /invoices/:id", {
    name: "invoices.get",
    scope: "invoices:read",
    summary: "Get a carrier invoice",
    ids,
    answer: [200, shapes.Invoice],
    handle: (ctx, { params }) => invoices.getInvoice(ctx, params.id),
  }),
  defineRoute("GET /invoices/:id/lines", {
    name: "invoices.lines.list",
    scope: "invoices:read",
    summary: "List the lines of an invoice",
    description: "In the order of the file.",
    ids,
    query: shapes.LineQuery,
    answer: [200, PageOf(shapes.Line)],
    handle: (ctx, { params, query }) => invoices.listInvoiceLines(ctx, params.id, query),
  }),
  defineRoute("GET /invoices/:id/totals", {
    name: "invoices.totals.get",
    scope: "invoices:read",
    summary: "Get the totals of an invoice by kind of charge",
    ids,
    answer: [200, shapes.InvoiceTotals],
    handle: (ctx, { params }) => invoices.getInvoiceTotals(ctx, params.id),
  }),
  defineRoute("DELETE /invoices/:id", {
    name: "invoices.delete",
    scope: "invoices:write",
    summary: "Delete a carrier invoice with its lines",
    description: "Its number can be imported again.",
    ids,
    answer: [200, Deleted],
    handle: (ctx, { params }) => invoices.deleteInvoice(ctx, params.id),
  }),
  ...findingRoutes,
];
