import { PageOf } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { defineRoute } from "../../../route.ts";
import { exportClaims } from "./claim-file.ts";
import * as shapes from "../findings.schemas.ts";
import * as findings from "./findings.ts";
import * as audits from "./invoice-audit.ts";

const ids = { id: "invoice" } as const;

export const findingRoutes = [
  defineRoute("GET /findings", {
    name: "findings.list",
    scope: "invoices:read",
    summary: "List findings of invoice audits",
    description: "Newest first, or the largest amount first.",
    query: shapes.FindingQuery,
    answer: [200, PageOf(shapes.Finding)],
    handle: (ctx, { query }) => findings.listFindings(ctx, query),
  }),
  defineRoute("GET /findings/counts", {
    name: "findings.count",
    scope: "invoices:read",
    summary: "Count findings by kind and state, with amounts",
    description: "With `groupBy` also by invoice, carrier or service.",
    query: shapes.FindingCountQuery,
    answer: [200, shapes.FindingCounts],
    handle: (ctx, { query }) => findings.countFindings(ctx, query),
  }),
  defineRoute("GET /findings/export", {
    name: "findings.export",
    scope: "invoices:read",
    summary: "Export findings as a claim file",
    description:
      "The findings that can be claimed: open, and not credited in full; with `state`, those in these states. With `carrier` UPS, FedEx or " +
      "DHL Express in the columns of their claims, else with all fields. In each row, billed less expected with the fuel on the " +
      "difference, less what was credited, is the disputed amount. Export before you mark the findings as claimed.",
    query: shapes.FindingFilter,
    answer: [200, Type.String()],
    answerType: "text/csv",
    handle: async (ctx, { query }) => exportClaims(ctx, query),
  }),
  defineRoute("POST /findings/update", {
    name: "findings.updateMany",
    scope: "invoices:write",
    summary: "Update findings in bulk",
    description: `Sets state and note of the findings in \`ids\` (up to ${shapes.maxFindingsNamed}), or of all that match \`filter\`.`,
    body: shapes.FindingsUpdate,
    answer: [200, shapes.FindingsUpdated],
    handle: (ctx, { body }) => findings.updateFindings(ctx, body),
  }),
  defineRoute("GET /findings/:id", {
    name: "findings.get",
    scope: "invoices:read",
    summary: "Get a finding",
    ids: { id: "finding" },
    answer: [200, shapes.Finding],
    handle: (ctx, { params }) => findings.getFinding(ctx, params.id),
  }),
  defineRoute("PATCH /findings/:id", {
    name: "findings.update",
    scope: "invoices:write",
    summary: "Update a finding",
    ids: { id: "finding" },
    body: shapes.FindingPatch,
    answer: [200, shapes.Finding],
    failures: [412],
    handle: (ctx, { params, body, ifMatch }) => findings.updateFinding(ctx, params.id, body, ifMatch),
  }),
  defineRoute("GET /invoices/:id/audit", {
    name: "invoices.audit.get",
    scope: "invoices:read",
    summary: "Get the audit of an invoice",
    ids,
    answer: [200, shapes.Audit],
    handle: (ctx, { params }) => audits.getAudit(ctx, params.id),
  }),
  defineRoute("POST /invoices/:id/audit", {
    name: "invoices.audit.run",
    scope: "invoices:write",
    summary: "Audit an invoice against the contract",
    description:
      "Each parcel is priced with the rate card in effect on its ship date and compared with what was billed. Large invoices are audited " +
      "in the background, as after the import, and answered with 202. Findings that a user decided on stay as they are.",
    ids,
    body: shapes.AuditRequest,
    bodyIsOptional: true,
    answer: [200, shapes.Audit],
    mayBeUnfinished: true,
    handle: (ctx, { params, body }) => audits.requestAudit(ctx, params.id, body),
  }),
  defineRoute("GET /invoices/:id/findings", {
    name: "invoices.findings.list",
    scope: "invoices:read",
    summary: "List the findings of an invoice",
    ids,
    query: shapes.InvoiceFindingQuery,
    answer: [200, PageOf(shapes.Finding)],
    handle: (ctx, { params, query }) => findings.listFindingsOfInvoice(ctx, params.id, query),
  }),
  defineRoute("GET /invoices/:id/parcels", {
    name: "invoices.parcels.list",
    scope: "invoices:read",
    summary: "List the audited parcels of an invoice",
    description: "In the order of their tracking numbers; with the reason where the contract has no price.",
    ids,
    query: shapes.ParcelQuery,
    answer: [200, PageOf(shapes.AuditedParcel)],
    handle: (ctx, { params, query }) => audits.listAuditedParcels(ctx, params.id, query),
  }),
  defineRoute("GET /invoices/:id/parcels/:trackingNumber", {
    name: "invoices.parcels.get",
    scope: "invoices:read",
    summary: "Compare billed and expected charges of a parcel",
    description: "Calculated with the contract as it is now.",
    ids,
    answer: [200, shapes.ParcelComparison],
    handle: (ctx, { params }) => audits.compareParcel(ctx, params.id, params.trackingNumber),
  }),
];
