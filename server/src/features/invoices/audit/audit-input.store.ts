import type { Queryable } from "../../../db/database.ts";
import type { ChargeKind } from "../invoice-line.ts";

/** Numbers of the parcels on an invoice, in the order in which they are audited. */
export async function listParcelNumbers(
  db: Queryable,
  orgId: string,
  invoiceId: string,
  after: string,
): Promise<string[]> {
  const rows = await db.query<{ number: string }>(
    `select distinct parcel_number collate "C" as number
       from invoice_lines
      where org_id = $1 and invoice_id = $2 and parcel_number is not null and parcel_number collate "C" > $3
      order by 1`,
    [orgId, invoiceId, after],
  );
  return rows.map(({ number }) => number);
}

/** Parcels of the shipments on an invoice that have several, by lead tracking number. */
export async function countPieces(db: Queryable, orgId: string, invoiceId: string): Promise<Map<string, number>> {
  const rows = await db.query<{ lead: string; pieces: number }>(
    `select lead_tracking_number as lead, count(distinct parcel_number) as pieces
       from invoice_lines
      where org_id = $1 and invoice_id = $2 and lead_tracking_number is not null
      group by lead_tracking_number
     having count(distinct parcel_number) > 1`,
    [orgId, invoiceId],
  );
  return new Map(rows.map(({ lead, pieces }) => [lead, pieces]));
}

/** A line about a parcel, of the audited invoice or of another one of the same carrier. */
export type ParcelLine = {
  parcel: string;
  invoiceNumber: string;
  /** Where its invoice stands: the audited one, one that was imported before it, or after it. */
  place: "own" | "earlier" | "later";
  position: number;
  kind: ChargeKind;
  code: string | null;
  description: string;
  gross: number;
  discount: number;
  net: number;
  currency: string;
  service: string | null;
  zone: string | null;
  lead: string | null;
  shipDate: string | null;
  deliveryDate: string | null;
  entered: number | null;
  enteredUnit: string | null;
  billed: number | null;
  billedUnit: string | null;
  basis: string | null;
  length: number | null;
  width: number | null;
  height: number | null;
  sideUnit: string | null;
  senderZip: string | null;
  senderCountry: string | null;
  receiverZip: string | null;
  receiverCountry: string | null;
};

/**
 * All lines about these parcels on invoices of the same carrier: a second billing, a correction or a credit may be on any of them. By
 * invoice_lines_by_parcel for each parcel, with a lookup of each invoice. Lateral, since an audit follows the import: without
 * statistics of the new lines the planner would read the whole invoice for each batch.
 */
export async function listParcelLines(
  db: Queryable,
  orgId: string,
  invoiceId: string,
  parcels: string[],
): Promise<ParcelLine[]> {
  return await db.query<ParcelLine>(
    `select line.parcel_number as parcel,
            invoice.number as "invoiceNumber",
            case when invoice.id = own.id then 'own'
                 when (invoice.created_at, invoice.id) < (own.created_at, own.id) then 'earlier'
                 else 'later' end as place,
            line.position, line.kind, line.code, line.description,
            line.gross_micros as gross, line.discount_micros as discount, line.net_micros as net,
            line.currency, line.service, line.zone, line.lead_tracking_number as lead,
            line.ship_date as "shipDate", line.delivery_date as "deliveryDate",
            line.entered_weight as entered, line.entered_weight_unit as "enteredUnit",
            line.billed_weight as billed, line.billed_weight_unit as "billedUnit", line.weight_basis as basis,
            line.length, line.width, line.height, line.dimension_unit as "sideUnit",
            line.sender_zip as "senderZip", line.sender_country as "senderCountry",
            line.receiver_zip as "receiverZip", line.receiver_country as "receiverCountry"
       from unnest($3::text[]) as wanted (parcel_number)
      cross join lateral (
        select * from invoice_lines where org_id = $1 and parcel_number = wanted.parcel_number offset 0) line
       join invoices own on own.org_id = $1 and own.id = $2
       join invoices invoice on invoice.id = line.invoice_id and invoice.carrier = own.carrier
      order by line.parcel_number collate "C", invoice.created_at, invoice.id, line.position`,
    [orgId, invoiceId, parcels],
  );
}
