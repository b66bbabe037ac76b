import type { Page } from "../../core/page.ts";
import type { Tx } from "../../db/database.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import { HubError } from "../../core/errors.ts";
import { notFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import { exceptionKeys, resolveExceptions } from "../exceptions/exceptions.ts";
import { withoutCreditsOf } from "./audit/settle-credits.ts";
import { importFile } from "./import-invoices.ts";
import * as lineStore from "./invoice-lines.store.ts";
import { findInvoiceIds } from "./invoice-parcels.store.ts";
import * as sumStore from "./invoice-sums.store.ts";
import type {
  Invoice,
  InvoiceDates,
  InvoiceQuery,
  InvoiceTotals,
  Line,
  LineQuery,
  ParcelCharges,
} from "./invoices.schemas.ts";
import * as store from "./invoices.store.ts";
import { openInvoiceFile } from "./open-invoice-file.ts";

export async function listInvoices(ctx: Ctx, query: InvoiceQuery): Promise<Page<Invoice>> {
  return await store.listInvoices(ctx.db, ctx.orgId, query);
}

export async function getInvoice(ctx: Ctx, id: string): Promise<Invoice> {
  return await store.getInvoice(ctx.db, ctx.orgId, id);
}

export async function listInvoiceLines(ctx: Ctx, id: string, query: LineQuery): Promise<Page<Line>> {
  const { lineCount } = await store.getInvoice(ctx.db, ctx.orgId, id);
  const isFiltered = (query.trackingNumber ?? query.kind ?? query.code ?? query.finding) !== undefined;
  return await lineStore.listLines(ctx.db, ctx.orgId, id, query, isFiltered ? undefined : lineCount);
}

export async function getInvoiceTotals(ctx: Ctx, id: string): Promise<InvoiceTotals> {
  await store.getInvoice(ctx.db, ctx.orgId, id);
  return await sumStore.sumByKind(ctx.db, ctx.orgId, id);
}

export async function getParcelCharges(ctx: Ctx, trackingNumber: string): Promise<ParcelCharges> {
  const [totals, lines] = await Promise.all([
    sumStore.sumOfParcel(ctx.db, ctx.orgId, trackingNumber),
    lineStore.listParcelLines(ctx.db, ctx.orgId, trackingNumber),
  ]);
  return { trackingNumber, totals, lines };
}

/** Its number can be imported again. */
export async function deleteInvoice(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const { carrier, number, amount, currency, lineCount } = await store.getInvoice(tx, ctx.orgId, id, "for update");
    await withoutCreditsOf(tx, ctx, { id, carrier }, () => store.deleteInvoice(tx, ctx.orgId, id));
    await resolveExceptions(tx, ctx, [exceptionKeys.invoice(id)]);
    const data = { carrier, number, amount, currency, lineCount };
    recordEvent(tx, ctx, { type: "invoice.deleted", objectId: id, data });
    return { id, deleted: true as const };
  });
}

/** For the preview: the invoice of today. */
export async function seedInvoice(tx: Tx, ctx: Ctx, carrier: string, write: (day: string) => string): Promise<void> {
  const day = ctx.clock.real().toISOString().slice(0, 10);
  await importFile(tx, ctx, await openInvoiceFile(write(day), { carrier }));
}

export { importInvoices } from "./import-invoices.ts";
export { auditWork } from "./audit/execute-audit.ts";
export { listParcelCharges } from "./invoice-parcels.store.ts";
export type { ParcelCharge } from "./invoice-parcels.store.ts";
export { fromMicros } from "./invoice-amounts.ts";

/** For a comparison, which shows what the invoices say: the caller must be allowed to read them. */
export async function chooseInvoices(
  ctx: Ctx,
  { ids, dates }: { ids?: string[] | undefined; dates?: InvoiceDates | undefined },
): Promise<string[]> {
  const { scopes } = ctx.principal;
  if (!hasScope(scopes, "invoices:read")) {
    const extra = { required: ["invoices:read"], granted: [...scopes] };
    throw new HubError("insufficient_scope", "A comparison of invoices requires the scope invoices:read.", { extra });
  }
  const found = await findInvoiceIds(ctx.db, ctx.orgId, { ids, dates });
  if (ids !== undefined && found.length < new Set(ids).size) throw notFound("invoice");
  return found;
}
