import { parseMapping } from "../../core/csv/csv-columns.ts";
import { placedError } from "../../core/csv/csv-table.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { NewException } from "../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions } from "../exceptions/exceptions.ts";
import { findPresetSettings } from "../import-presets/import-presets.ts";
import { queueAudits, requireAccount } from "./audit/invoice-audit.ts";
import type { Gathered, PlacedLine } from "./gather-invoices.ts";
import { amountOf, digestOf, gatherInvoices } from "./gather-invoices.ts";
import { formatMicros, fromMicros } from "./invoice-amounts.ts";
import * as lineStore from "./invoice-lines.store.ts";
import type { InvoiceImportAnswer, InvoiceImportQuery, InvoiceImportRequest } from "./invoices.schemas.ts";
import * as store from "./invoices.store.ts";
import type { InvoiceContent, InvoiceFile } from "./open-invoice-file.ts";
import { openInvoiceFile } from "./open-invoice-file.ts";

/** Lines per statement: large enough for the database, small enough for the memory. */
const batchSize = 5_000;
const maxErrors = 200;
const maxDiffering = 20;

/** Imports all invoices of a file in one transaction, or none. */
export async function importInvoices(
  ctx: Ctx,
  query: InvoiceImportQuery,
  request: Omit<InvoiceImportRequest, "csv"> & { csv: InvoiceContent },
): Promise<InvoiceImportAnswer> {
  const { csv, preset, carrierAccountId, ...given } = { ...query, ...request };
  // Unknown accounts are refused before the file is read.
  await requireAccount(ctx, carrierAccountId);
  const saved = preset === undefined ? {} : await findPresetSettings(ctx, "invoices", preset);
  const mapping = { ...saved.mapping, ...(request.mapping ?? parseMapping(query.mapping)) };
  const options = { ...saved, ...given };
  return await change(ctx, async (tx) => {
    const file = await openInvoiceFile(csv, { ...options, mapping });
    return await importFile(tx, ctx, file, carrierAccountId);
  });
}

/** Also for the preview. `carrierAccountId`: the account whose rate cards are the contract. */
export async function importFile(
  tx: Tx,
  ctx: Ctx,
  file: InvoiceFile,
  carrierAccountId?: string,
): Promise<InvoiceImportAnswer> {
  const gathered = gatherInvoices(() => ctx.newId());
  const opened = new Set<Gathered>();
  let batch: PlacedLine[] = [];
  const flush = async (): Promise<void> => {
    await openNew(tx, ctx, file, batch, opened);
    const fresh = batch.filter(({ invoice }) => !invoice.isKnown);
    batch = [];
    if (fresh.length > 0) await lineStore.insertLines(tx, ctx.orgId, fresh);
  };
  for await (const row of file.rows()) {
    for (const line of gathered.add(row)) batch.push(line);
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  if (file.errors.length > 0) {
    const shown = file.errors.slice(0, maxErrors);
    throw validationFailed(shown.map(({ row, column, code, message }) => placedError(row, column, code, message)));
  }
  // An invoice without charges has lines nowhere: its totals row stood alone.
  const invoices = gathered.all().filter((invoice) => opened.has(invoice));
  if (invoices.length === 0) throw badField("/csv", "no_charges", "The file has no charges.");
  const created = invoices.filter(({ isKnown }) => !isKnown);
  await refuseOthers(tx, ctx, file.carrier, invoices);
  if (created.length > 0) await store.saveTotals(tx, ctx.orgId, created);
  recordEvents(
    tx,
    ctx,
    created.map((invoice) => ({
      type: "invoice.imported" as const,
      objectId: invoice.id,
      data: {
        carrier: file.carrier,
        number: invoice.number,
        amount: fromMicros(amountOf(invoice)),
        currency: invoice.currency,
        lineCount: invoice.lineCount,
        difference: fromMicros(differenceOf(invoice)),
      },
    })),
  );
  await queueAudits(
    tx,
    ctx,
    created.map(({ id }) => id),
    carrierAccountId === undefined ? {} : { carrierAccountId },
  );
  const unequal = created.filter((invoice) => differenceOf(invoice) !== 0);
  await openExceptions(tx, ctx, await Promise.all(unequal.map((invoice) => toException(tx, ctx, file, invoice))));
  return { invoices: invoices.map(present), carrier: file.carrier, format: file.format, warnings: file.warnings };
}

/** Reserves the numbers of invoices that the batch brings first. */
async function openNew(
  tx: Tx,
  ctx: Ctx,
  { carrier, format }: InvoiceFile,
  batch: PlacedLine[],
  opened: Set<Gathered>,
): Promise<void> {
  const first = [...new Set(batch.map(({ invoice }) => invoice))].filter((invoice) => !opened.has(invoice));
  if (first.length === 0) return;
  const about = { carrier, format, by: ctx.actor, at: ctx.clock.now() };
  const inserted = await store.insertInvoices(tx, ctx.orgId, about, first);
  for (const invoice of first) {
    invoice.isKnown = !inserted.has(invoice.id);
    opened.add(invoice);
  }
}

/** Invoices that exist must be the same: a carrier does not change an invoice, it sends another one. */
async function refuseOthers(tx: Tx, ctx: Ctx, carrier: string, invoices: Gathered[]): Promise<void> {
  const known = new Map(invoices.filter(({ isKnown }) => isKnown).map((invoice) => [invoice.number, invoice]));
  if (known.size === 0) return;
  const stored = await store.findByNumbers(tx, ctx.orgId, carrier, [...known.keys()]);
  const others = stored.filter(({ number, digest }) => digest !== digestOf(known.get(number)!));
  for (const { id, number } of stored) known.get(number)!.id = id;
  const [other] = others;
  if (!other) return;
  const sent = known.get(other.number)!;
  const parcels = await lineStore.sumByParcel(tx, ctx.orgId, other.id);
  throw new HubError(
    "invoice_differs",
    `Invoice ${other.number} was imported with an amount of ${formatMicros(other.amountMicros)} in ${other.lineCount} lines; the file has ` +
      `${formatMicros(amountOf(sent))} in ${sent.lineCount} lines. Send all parts of an invoice in one file, or delete the stored one first.`,
    {
      extra: {
        invoiceId: other.id,
        numbers: others.map(({ number }) => number).slice(0, maxDiffering),
        differs: parcelsThatDiffer(parcels, sent.byParcel),
      },
    },
  );
}

function parcelsThatDiffer(stored: ReadonlyMap<string, number>, sent: ReadonlyMap<string, number>) {
  const numbers = [...new Set([...stored.keys(), ...sent.keys()])].filter((at) => stored.get(at) !== sent.get(at));
  const shown = (micros: number | undefined): number | null => (micros === undefined ? null : fromMicros(micros));
  return numbers.slice(0, maxDiffering).map((number) => ({
    trackingNumber: number === "" ? null : number,
    stored: shown(stored.get(number)),
    sent: shown(sent.get(number)),
  }));
}

function differenceOf(invoice: Gathered): number {
  return amountOf(invoice) - invoice.charged;
}

async function toException(tx: Tx, ctx: Ctx, { carrier }: InvoiceFile, invoice: Gathered): Promise<NewException> {
  const difference = differenceOf(invoice);
  const rows = await lineStore.findRowsOf(tx, ctx.orgId, invoice.id, difference);
  const message = `The amount of the row is the difference: it may be missing in the total, or counted twice.`;
  const equal = rows.map((row) => ({ row, column: null, code: "equals_difference", message }));
  return {
    key: exceptionKeys.invoice(invoice.id),
    kind: "invoice",
    code: "invoice_total_differs",
    message:
      `Invoice ${invoice.number} of ${carrier} states ${formatMicros(amountOf(invoice))} ${invoice.currency}; its lines add up to ` +
      `${formatMicros(invoice.charged)}, a difference of ${formatMicros(difference)}.`,
    subject: { type: "invoice", id: invoice.id, name: invoice.number },
    details: { errors: [...invoice.doubtful, ...equal] },
  };
}

function present(invoice: Gathered): InvoiceImportAnswer["invoices"][number] {
  const { id, number, lineCount, isKnown } = invoice;
  return {
    id,
    number,
    amount: fromMicros(amountOf(invoice)),
    lineCount,
    difference: fromMicros(differenceOf(invoice)),
    status: isKnown ? "unchanged" : "created",
  };
}
