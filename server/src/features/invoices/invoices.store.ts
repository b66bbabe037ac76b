import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import { arrayLiteral } from "../../db/array-literal.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { fromMicros } from "./invoice-amounts.ts";
import type { Gathered } from "./gather-invoices.ts";
import { amountOf, digestOf } from "./gather-invoices.ts";
import type { Invoice, InvoiceQuery } from "./invoices.schemas.ts";

type InvoiceRow = Omit<Invoice, "amount" | "chargedAmount" | "difference" | "createdAt"> & {
  amountMicros: number;
  chargedMicros: number;
  createdAt: Date;
};

const columns = `id, carrier, number, account, invoice_date as date, currency, amount_micros as "amountMicros",
  charged_micros as "chargedMicros", line_count as "lineCount", format, created_by as "createdBy", created_at as "createdAt"`;

function toInvoice({ amountMicros, chargedMicros, createdAt, ...row }: InvoiceRow): Invoice {
  return {
    ...row,
    amount: fromMicros(amountMicros),
    chargedAmount: fromMicros(chargedMicros),
    difference: fromMicros(amountMicros - chargedMicros),
    createdAt: createdAt.toISOString(),
  };
}

export async function listInvoices(db: Queryable, orgId: string, query: InvoiceQuery): Promise<Page<Invoice>> {
  const { hasDifference } = query;
  const page = await listPage<InvoiceRow>(db, query, {
    select: columns,
    from: "invoices",
    where: [
      ["org_id = ?", orgId],
      ["lower(carrier) = lower(?)", query.carrier],
      ["account = ?", query.account],
      ["number = ?", query.number],
      ["invoice_date >= ?", query.from],
      ["invoice_date <= ?", query.to],
      ...(hasDifference === undefined ? [] : [`amount_micros ${hasDifference ? "<>" : "="} charged_micros`]),
    ],
    orderBy: "created_at desc, id desc",
  });
  return mapPage(page, toInvoice);
}

export async function getInvoice(
  db: Queryable,
  orgId: string,
  id: string,
  ending: "" | "for update" = "",
): Promise<Invoice> {
  const text = `select ${columns} from invoices where org_id = $1 and id = $2 ${ending}`;
  const [row] = await db.query<InvoiceRow>(text, [orgId, id]);
  return toInvoice(orNotFound("invoice", row));
}

type NewInvoices = { carrier: string; format: string; by: Actor; at: Date };

/**
 * Reserves the numbers of invoices; amounts follow when all of their lines were read. Returns those that did not exist. A
 * concurrent import of the same number waits here for the other one to end. In the order of the numbers, so that two imports of
 * the same invoices do not wait for each other.
 */
export async function insertInvoices(
  tx: Tx,
  orgId: string,
  { carrier, format, by, at }: NewInvoices,
  invoices: Gathered[],
): Promise<Set<string>> {
  const ordered = invoices.toSorted((a, b) => (a.number < b.number ? -1 : 1));
  const rows = await tx.query<{ id: string }>(
    `insert into invoices (id, org_id, carrier, number, currency, amount_micros, charged_micros, line_count, format, digest,
       created_by, created_at)
     select given.id, $1, $2, given.number, given.currency, 0, 0, 0, $3, '', $4, $5
       from unnest($6::uuid[], $7::text[], $8::text[]) with ordinality as given (id, number, currency, place)
      order by given.place
     on conflict (org_id, carrier, number) do nothing
     returning id`,
    [
      orgId,
      carrier,
      format,
      by,
      at,
      arrayLiteral(ordered.map(({ id }) => id)),
      arrayLiteral(ordered.map(({ number }) => number)),
      arrayLiteral(ordered.map(({ currency }) => currency)),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** What was read of the invoices whose lines have been stored. */
export async function saveTotals(tx: Tx, orgId: string, invoices: Gathered[]): Promise<void> {
  const array = (read: (invoice: Gathered) => string | number | null): string => arrayLiteral(invoices.map(read));
  await tx.query(
    `update invoices set account = given.account, invoice_date = given.date, amount_micros = given.amount,
       charged_micros = given.charged, line_count = given.lines, digest = given.digest
       from unnest($2::uuid[], $3::text[], $4::date[], $5::bigint[], $6::bigint[], $7::integer[], $8::text[])
         as given (id, account, date, amount, charged, lines, digest)
      where invoices.org_id = $1 and invoices.id = given.id`,
    [
      orgId,
      array(({ id }) => id),
      array(({ account }) => account),
      array(({ date }) => date),
      array(amountOf),
      array(({ charged }) => charged),
      array(({ lineCount }) => lineCount),
      array(digestOf),
    ],
  );
}

export type StoredInvoice = { id: string; number: string; digest: string; amountMicros: number; lineCount: number };

export async function findByNumbers(
  db: Queryable,
  orgId: string,
  carrier: string,
  numbers: string[],
): Promise<StoredInvoice[]> {
  return await db.query<StoredInvoice>(
    `select id, number, digest, amount_micros as "amountMicros", line_count as "lineCount" from invoices
      where org_id = $1 and carrier = $2 and number = any($3::text[])`,
    [orgId, carrier, numbers],
  );
}

/** With its lines. */
export async function deleteInvoice(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from invoices where org_id = $1 and id = $2", [orgId, id]);
}
