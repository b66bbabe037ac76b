import { badField } from "../../../core/errors.ts";
import type { Page } from "../../../core/page.ts";
import type { IfMatch } from "../../../core/versions.ts";
import { checkVersion, requirePatch } from "../../../core/versions.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvents } from "../../../events/record-event.ts";
import { fromMicros } from "../invoice-amounts.ts";
import { getInvoice } from "../invoices.store.ts";
import type {
  Finding,
  FindingCountQuery,
  FindingCounts,
  FindingPatch,
  FindingQuery,
  FindingsUpdate,
  FindingsUpdated,
  InvoiceFindingQuery,
} from "../findings.schemas.ts";
import type { Decided, Decision } from "./findings.store.ts";
import * as store from "./findings.store.ts";

export async function listFindings(ctx: Ctx, query: FindingQuery): Promise<Page<Finding>> {
  return await store.listFindings(ctx.db, ctx.orgId, query);
}

export async function listFindingsOfInvoice(ctx: Ctx, id: string, query: InvoiceFindingQuery): Promise<Page<Finding>> {
  await getInvoice(ctx.db, ctx.orgId, id);
  return await store.listFindings(ctx.db, ctx.orgId, { ...query, invoiceId: id });
}

export async function getFinding(ctx: Ctx, id: string): Promise<Finding> {
  return await store.getFinding(ctx.db, ctx.orgId, id);
}

export async function countFindings(ctx: Ctx, { groupBy, ...filter }: FindingCountQuery): Promise<FindingCounts> {
  const breakdown = groupBy === undefined ? [] : await store.breakDownFindings(ctx.db, ctx.orgId, filter, groupBy);
  const sums = await store.sumFindings(ctx.db, ctx.orgId, filter);
  const groups = sums.map(({ amount, credited, ...sum }) => ({
    ...sum,
    amount: fromMicros(amount),
    creditedAmount: fromMicros(credited),
  }));
  const byCurrency = Map.groupBy(sums, ({ currency }) => currency);
  const totals = [...byCurrency].map(([currency, of]) => ({
    currency,
    findings: of.reduce((sum, { findings }) => sum + findings, 0),
    amount: fromMicros(of.reduce((sum, { amount }) => sum + amount, 0)),
    creditedAmount: fromMicros(of.reduce((sum, { credited }) => sum + credited, 0)),
  }));
  return { totals, groups, breakdown };
}

export async function updateFinding(ctx: Ctx, id: string, patch: FindingPatch, ifMatch: IfMatch): Promise<Finding> {
  requirePatch(patch);
  return await change(ctx, async (tx) => {
    checkVersion(await store.getFinding(tx, ctx.orgId, id, "for update of t"), ifMatch);
    await decide(tx, ctx, { ids: [id] }, patch);
    return await store.getFinding(tx, ctx.orgId, id);
  });
}

/** All findings that are named or match, in one transaction. */
export async function updateFindings(ctx: Ctx, request: FindingsUpdate): Promise<FindingsUpdated> {
  const { ids, filter, ...decision } = request;
  if ((ids === undefined) === (filter === undefined)) {
    throw badField(ids === undefined ? "/ids" : "/filter", "one_of", "Send either ids or filter.");
  }
  if (filter !== undefined && Object.keys(filter).length === 0) {
    throw badField("/filter", "empty", "Name at least one field: an empty filter would change all findings.");
  }
  requirePatch(decision);
  return await change(ctx, async (tx) => {
    const wanted = ids === undefined ? filter! : { ids };
    const matched = await store.countFindings(tx, ctx.orgId, wanted);
    const changed = await decide(tx, ctx, wanted, decision);
    return { matched, updated: changed.length };
  });
}

async function decide(
  tx: Tx,
  ctx: Ctx,
  wanted: Parameters<typeof store.decideFindings>[2],
  decision: Decision,
): Promise<Decided[]> {
  const at = ctx.clock.now();
  const changed = await store.decideFindings(tx, ctx.orgId, wanted, decision, { by: ctx.actor, at });
  recordEvents(
    tx,
    ctx,
    [...Map.groupBy(changed, ({ invoiceId }) => invoiceId)].map(([invoiceId, of]) => ({
      type: "invoice.findings_updated" as const,
      objectId: invoiceId,
      data: {
        state: decision.state ?? null,
        findings: of.length,
        amount: fromMicros(of.reduce((sum, { amount }) => sum + amount, 0)),
      },
    })),
  );
  return changed;
}
