import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { splitNames } from "../../core/schema.ts";
import { arrayLiteral } from "../../db/array-literal.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { PlacedLine } from "./gather-invoices.ts";
import { parcelOf } from "./gather-invoices.ts";
import { fromMicros } from "./invoice-amounts.ts";
import type { InvoiceLine } from "./invoice-line.ts";
import type { Line, LineQuery, ParcelCharges } from "./invoices.schemas.ts";

type Written = [column: string, type: string, read: (line: InvoiceLine) => string | number | null | undefined];

/** Separates references; a cell cannot have this character. */
const separator = "\u001F";

const written: Written[] = [
  ["source_row", "integer", ({ row }) => row],
  ["account", "text", ({ account }) => account],
  ["tracking_number", "text", ({ trackingNumber }) => trackingNumber],
  ["lead_tracking_number", "text", ({ leadTrackingNumber }) => leadTrackingNumber],
  ["original_tracking_number", "text", ({ originalTrackingNumber }) => originalTrackingNumber],
  ["parcel_number", "text", parcelOf],
  ["transaction_date", "date", ({ transactionDate }) => transactionDate],
  ["ship_date", "date", ({ shipDate }) => shipDate],
  ["delivery_date", "date", ({ deliveryDate }) => deliveryDate],
  ["kind", "text", ({ kind }) => kind],
  ["code", "text", ({ code }) => code],
  ["description", "text", ({ description }) => description],
  ["gross_micros", "bigint", ({ gross }) => gross],
  ["discount_micros", "bigint", ({ discount }) => discount],
  ["net_micros", "bigint", ({ net }) => net],
  ["currency", "text", ({ currency }) => currency],
  ["service", "text", ({ service }) => service],
  ["zone", "text", ({ zone }) => zone],
  ["entered_weight", "double precision", ({ enteredWeight }) => enteredWeight?.value],
  ["entered_weight_unit", "text", ({ enteredWeight }) => enteredWeight?.unit],
  ["billed_weight", "double precision", ({ billedWeight }) => billedWeight?.value],
  ["billed_weight_unit", "text", ({ billedWeight }) => billedWeight?.unit],
  ["weight_basis", "text", ({ weightBasis }) => weightBasis],
  ["length", "double precision", ({ dimensions }) => dimensions?.length],
  ["width", "double precision", ({ dimensions }) => dimensions?.width],
  ["height", "double precision", ({ dimensions }) => dimensions?.height],
  ["dimension_unit", "text", ({ dimensions }) => dimensions?.unit],
  ["reference_numbers", "text", ({ references }) => references.join(separator)],
  ["sender_zip", "text", ({ senderZip }) => senderZip],
  ["sender_country", "text", ({ senderCountry }) => senderCountry],
  ["receiver_zip", "text", ({ receiverZip }) => receiverZip],
  ["receiver_country", "text", ({ receiverCountry }) => receiverCountry],
];

const insertStatement = `insert into invoice_lines (org_id, invoice_id, position, ${written.map(([name]) => name).join(", ")})
  select $1, given.invoice_id, given.position,
    ${written.map(([name]) => (name === "reference_numbers" ? `string_to_array(given.${name}, '${separator}')` : `given.${name}`)).join(", ")}
    from unnest($2::uuid[], $3::integer[], ${written.map(([, type], index) => `$${index + 4}::${type}[]`).join(", ")})
      as given (invoice_id, position, ${written.map(([name]) => name).join(", ")})`;

/** One statement for a batch; COPY is not possible under row-level security. */
export async function insertLines(tx: Tx, orgId: string, lines: PlacedLine[]): Promise<void> {
  await tx.query({ name: "invoice_lines_insert", text: insertStatement }, [
    orgId,
    arrayLiteral(lines.map(({ invoice }) => invoice.id)),
    arrayLiteral(lines.map(({ position }) => position)),
    ...written.map(([, , read]) => arrayLiteral(lines.map(({ line }) => read(line)))),
  ]);
}

type LineRow = Omit<Line, "gross" | "discount" | "net" | "enteredWeight" | "billedWeight" | "dimensions"> & {
  grossMicros: number;
  discountMicros: number;
  netMicros: number;
  enteredValue: number | null;
  enteredUnit: string | null;
  billedValue: number | null;
  billedUnit: string | null;
  length: number | null;
  width: number | null;
  height: number | null;
  sideUnit: string | null;
};

const selected = `line.position, line.source_row as "row", line.account, line.tracking_number as "trackingNumber",
  line.lead_tracking_number as "leadTrackingNumber", line.original_tracking_number as "originalTrackingNumber",
  line.transaction_date as "transactionDate", line.ship_date as "shipDate", line.delivery_date as "deliveryDate",
  line.kind, line.code, line.description, line.gross_micros as "grossMicros", line.discount_micros as "discountMicros",
  line.net_micros as "netMicros", line.currency, line.service, line.zone, line.entered_weight as "enteredValue",
  line.entered_weight_unit as "enteredUnit", line.billed_weight as "billedValue", line.billed_weight_unit as "billedUnit",
  line.weight_basis as "weightBasis", line.length, line.width, line.height, line.dimension_unit as "sideUnit",
  line.reference_numbers as "references", line.sender_zip as "senderZip", line.sender_country as "senderCountry",
  line.receiver_zip as "receiverZip", line.receiver_country as "receiverCountry"`;

function toLine(row: LineRow): Line {
  const { grossMicros, discountMicros, netMicros, enteredValue, enteredUnit, billedValue, billedUnit, ...rest } = row;
  const { length, width, height, sideUnit, ...line } = rest;
  return {
    ...line,
    gross: fromMicros(grossMicros),
    discount: fromMicros(discountMicros),
    net: fromMicros(netMicros),
    enteredWeight: weightOf(enteredValue, enteredUnit),
    billedWeight: weightOf(billedValue, billedUnit),
    dimensions:
      length === null || width === null || height === null
        ? null
        : { length, width, height, unit: sideUnit as "in" | "cm" },
  };
}

function weightOf(value: number | null, unit: string | null): Line["billedWeight"] {
  return value === null ? null : { value, unit: unit as NonNullable<Line["billedWeight"]>["unit"] };
}

/** By invoice_findings_key. */
const withFinding = `exists (
  select from invoice_findings finding
   where finding.invoice_id = line.invoice_id and finding.parcel_number = line.parcel_number and finding.kind = any(?::text[]))`;

/** `total`: the number of lines, if it is known. */
export async function listLines(
  db: Queryable,
  orgId: string,
  id: string,
  query: LineQuery,
  total: number | undefined,
): Promise<Page<Line>> {
  const page = await listPage<LineRow>(db, query, {
    select: selected,
    from: "invoice_lines line",
    where: [
      ["line.org_id = ?", orgId],
      ["line.invoice_id = ?", id],
      ["(line.parcel_number = ? or line.tracking_number = ?)", query.trackingNumber],
      ["line.kind = ?", query.kind],
      ["line.code = ?", query.code],
      [withFinding, query.finding === undefined ? null : splitNames(query.finding)],
    ],
    orderBy: "line.position",
    total,
  });
  return mapPage(page, toLine);
}

const maxOfParcel = 1_000;

type ParcelLineRow = LineRow & { invoice: ParcelCharges["lines"][number]["invoice"] };

/** The lines about a parcel, by invoice_lines_by_parcel. */
export async function listParcelLines(db: Queryable, orgId: string, parcel: string): Promise<ParcelCharges["lines"]> {
  const rows = await db.query<ParcelLineRow>(
    `select ${selected},
            jsonb_build_object('id', invoice.id, 'carrier', invoice.carrier, 'number', invoice.number, 'date', invoice.invoice_date)
              as invoice
       from invoice_lines line
       join invoices invoice on invoice.id = line.invoice_id and invoice.org_id = line.org_id
      where line.org_id = $1 and line.parcel_number = $2
      order by invoice.invoice_date, invoice.carrier, invoice.number, line.position
      limit ${maxOfParcel}`,
    [orgId, parcel],
  );
  return rows.map(({ invoice, ...row }) => ({ ...toLine(row), invoice }));
}

/** The net amount of each parcel; null: charges without one. */
export async function sumByParcel(db: Queryable, orgId: string, id: string): Promise<Map<string, number>> {
  const rows = await db.query<{ parcel: string; net: number }>(
    `select coalesce(parcel_number, '') as parcel, sum(net_micros)::bigint as net from invoice_lines
      where org_id = $1 and invoice_id = $2 group by 1`,
    [orgId, id],
  );
  return new Map(rows.map(({ parcel, net }) => [parcel, net]));
}

/** Rows whose amount is the difference: a charge that is missing in the total, or in it twice. */
export async function findRowsOf(db: Queryable, orgId: string, id: string, micros: number): Promise<number[]> {
  const rows = await db.query<{ row: number }>(
    `select source_row as row from invoice_lines where org_id = $1 and invoice_id = $2 and abs(net_micros) = abs($3::bigint)
      order by position limit 20`,
    [orgId, id, micros],
  );
  return rows.map(({ row }) => row);
}
