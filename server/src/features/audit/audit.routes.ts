import { Type } from "../../core/type.ts";
import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./audit.schemas.ts";
import * as audit from "./audit.ts";

export const auditRoutes = [
  defineRoute("GET /audit", {
    name: "audit.list",
    scope: "audit:read",
    summary: "List audit log entries",
    query: shapes.AuditQuery,
    answer: [200, PageOf(shapes.AuditEntry)],
    handle: (ctx, { query }) => audit.listAuditEntries(ctx, query),
  }),
  defineRoute("GET /audit/export.csv", {
    name: "audit.export",
    scope: "audit:read",
    summary: "Export the audit log as CSV",
    query: shapes.AuditExportQuery,
    answer: [200, Type.String()],
    answerType: "text/csv",
    handle: (ctx, { query }) => audit.exportAudit(ctx, query),
  }),
  defineRoute("GET /audit/verification", {
    name: "audit.verification.get",
    scope: "audit:read",
    summary: "Verify the audit log hash chain",
    answer: [200, shapes.AuditVerification],
    handle: (ctx) => audit.verifyAudit(ctx),
  }),
  defineRoute("GET /audit/head", {
    name: "audit.head.get",
    scope: "audit:read",
    summary: "Get the signed head of the audit log",
    description: "Store heads outside of the hub to prove later that no earlier entry was removed or changed.",
    answer: [200, shapes.AuditHead],
    failures: [409],
    handle: (ctx) => audit.getAuditHead(ctx),
  }),
];
