import { randomUUID } from "node:crypto";
import { explainLines } from "../../../carriers/rate-card/explain.ts";
import { fromMg } from "../../../carriers/rate-card/measures.ts";
import { badField, HubError } from "../../../core/errors.ts";
import type { Page } from "../../../core/page.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { workOn } from "../../../queue/work.ts";
import { Unfinished } from "../../../route.ts";
import { getCarrierAccount } from "../../carrier-accounts/carrier-accounts.ts";
import { fromMicros } from "../invoice-amounts.ts";
import { getInvoice } from "../invoices.store.ts";
import type { ParcelAudit } from "./audit-parcel.ts";
import { compareCharges } from "./audit-parcel.ts";
import * as store from "./audit-work.store.ts";
import { centMicros } from "./billed-parcel.ts";
import { auditBatch, auditWork, openTerms } from "./execute-audit.ts";
import type { Audit, AuditedParcel, AuditRequest, ParcelComparison, ParcelQuery } from "../findings.schemas.ts";
import { listFindings } from "./findings.store.ts";
import type { GatheredParcel } from "./gather-billed.ts";
import { findParcel, listParcels } from "./parcel-list.store.ts";

/** Queues the audits of new invoices, in the transaction of their import. */
export async function queueAudits(
  tx: Tx,
  ctx: Ctx,
  invoiceIds: string[],
  { carrierAccountId, carrierAccounts }: AuditRequest,
): Promise<void> {
  if (invoiceIds.length === 0) return;
  const contracts = { carrierAccountId: carrierAccountId ?? null, carrierAccounts: carrierAccounts ?? null };
  const request = { ...contracts, by: ctx.actor, at: ctx.clock.now() };
  await store.queueAudits(tx, ctx.orgId, invoiceIds, request);
  await ctx.signals.publish(tx, "invoice_audit", invoiceIds[0]!);
}

/** The account that a request names for the contract must exist. */
export async function requireAccount(ctx: Ctx, id: string | undefined, at = "/carrierAccountId"): Promise<void> {
  if (id === undefined) return;
  await getCarrierAccount(ctx, id).catch((error: unknown) => {
    if (!(error instanceof HubError) || error.status !== 404) throw error;
    throw badField(at, "not_found", "No carrier account has this ID.");
  });
}

async function requireContracts(ctx: Ctx, { carrierAccountId, carrierAccounts = [] }: AuditRequest): Promise<void> {
  await requireAccount(ctx, carrierAccountId);
  for (const [index, { carrier, carrierAccountId: id }] of carrierAccounts.entries()) {
    const at = `/carrierAccounts/${index}`;
    const name = carrier.trim().toLowerCase();
    const before = carrierAccounts.findIndex((one) => one.carrier.trim().toLowerCase() === name);
    if (before < index) throw badField(`${at}/carrier`, "duplicate", `${carrier} is listed more than once.`);
    await requireAccount(ctx, id, `${at}/carrierAccountId`);
  }
}

/** Invoices of up to this many lines are audited while the request waits: a fraction of a second. */
const linesAtOnce = 500;

/** Audits an invoice again, for example after a rate card was uploaded. Decisions about findings stay. */
export async function requestAudit(ctx: Ctx, id: string, contracts: AuditRequest) {
  await requireContracts(ctx, contracts);
  const { lineCount } = await getInvoice(ctx.db, ctx.orgId, id);
  const queued = await change(ctx, async (tx) => {
    const { carrier, number } = await getInvoice(tx, ctx.orgId, id, "for update");
    await queueAudits(tx, ctx, [id], contracts);
    const data = { carrier, number, carrierAccountId: contracts.carrierAccountId ?? null };
    recordEvent(tx, ctx, { type: "invoice.audit_requested", objectId: id, data });
    return await readAudit(tx, ctx, id);
  });
  if (lineCount > linesAtOnce) return new Unfinished(queued);
  // A worker may have been faster; it then ends the audit in a moment.
  const owner = randomUUID();
  const row = await store.auditLeases.claimOneAcrossOrgs(ctx.db, id, owner);
  if (row) await workOn(ctx, auditWork, row, owner);
  const audit = await readAudit(ctx.db, ctx, id);
  return audit.status === "completed" ? audit : new Unfinished(audit);
}

export async function getAudit(ctx: Ctx, id: string): Promise<Audit> {
  await getInvoice(ctx.db, ctx.orgId, id);
  return await readAudit(ctx.db, ctx, id);
}

async function readAudit(db: Queryable, ctx: Ctx, id: string): Promise<Audit> {
  const row = await store.findAudit(db, ctx.orgId, id);
  const counts = await store.countOutcomes(db, ctx.orgId, id);
  return {
    invoiceId: id,
    status: row?.status ?? "not_requested",
    carrierAccountId: row?.carrier_account_id ?? null,
    carrierAccounts: row?.carrier_accounts ?? [],
    parcels: counts.parcels,
    audited: counts.audited,
    notAudited: counts.reasons,
    error: row?.error ?? null,
    requestedAt: row?.requested_at.toISOString() ?? null,
    finishedAt: row?.finished_at?.toISOString() ?? null,
  };
}

export async function listAuditedParcels(ctx: Ctx, id: string, query: ParcelQuery): Promise<Page<AuditedParcel>> {
  await getInvoice(ctx.db, ctx.orgId, id);
  return await listParcels(ctx.db, ctx.orgId, id, query);
}

/** Billed and expected side by side, calculated with the contract as it is now. */
export async function compareParcel(ctx: Ctx, id: string, number: string): Promise<ParcelComparison> {
  const invoice = await getInvoice(ctx.db, ctx.orgId, id);
  const row = await store.findAudit(ctx.db, ctx.orgId, id);
  const contracts = store.contractsOf(row) ?? (await store.findUsualContracts(ctx.db, ctx.orgId, id));
  // Findings are those of the audit, so what is known about the other parcels does not matter.
  const open = await openTerms(ctx, invoice, contracts, []);
  const [audited] = await auditBatch(ctx, open, id, [number]);
  if (!audited || audited.parcel.lines.length === 0) throw new HubError("parcel_not_found");
  const { parcel, audit } = audited;
  const findings = await listFindings(ctx.db, ctx.orgId, {
    invoiceId: id,
    trackingNumber: number,
    page: 1,
    limit: 1_000,
  });
  const { expected, bill, reason } = audit;
  const stored = await findParcel(ctx.db, ctx.orgId, id, number);
  return {
    trackingNumber: number,
    status: reason === null ? "audited" : "not_audited",
    reason,
    service: parcel.facts?.service ?? null,
    shipDate: parcel.facts?.shipDate ?? null,
    billed: fromMicros(bill.total),
    expected: expected ? fromMicros(expected.final.price.totalCents * centMicros) : null,
    findingAmount: stored?.findingAmount ?? 0,
    currency: parcel.currency,
    invoiceId: id,
    carrierAccountId: open.terms.contractOf(parcel.facts?.service ?? null)?.accountId ?? null,
    rateCard: expected ? { id: expected.card.id, version: expected.card.version, name: expected.card.name } : null,
    facts: factsOf(parcel, audit),
    charges: compareCharges(audit, (key) => labelOf(audit, key)).map(({ billed, expected: of, ...charge }) => ({
      ...charge,
      billed: fromMicros(billed),
      expected: of === null ? null : fromMicros(of),
      difference: of === null ? null : fromMicros(billed - of),
    })),
    explanation: expected ? explainLines(expected.final.situation, expected.final.price) : [],
    findings: findings.data,
  };
}

function labelOf({ expected }: ParcelAudit, key: string): string {
  return expected?.keys.surcharges.get(key)?.[0]?.label ?? key;
}

function factsOf({ facts }: GatheredParcel, { expected }: ParcelAudit): ParcelComparison["facts"] {
  const unit = expected?.service.breakUnit ?? "lb";
  const weigh = (mg: number): string => `${fromMg(mg, unit).value} ${unit}`;
  const home = (is: boolean | undefined): string | null => (is === undefined ? null : is ? "yes" : "no");
  return {
    zone: { billed: facts?.zone ?? null, expected: expected?.zone.expected ?? null },
    weight: {
      billed: facts?.billedMg == null ? null : weigh(facts.billedMg),
      expected: expected ? weigh(expected.final.price.billableMg) : null,
    },
    residential: {
      billed: home(expected?.residential.billed),
      expected: home(expected?.residential.expected),
    },
    service: { billed: facts?.service ?? null, expected: expected?.service.name ?? null },
  };
}
