import type { Queryable } from "../../db/database.ts";
import type { InvoiceDates } from "./invoices.schemas.ts";

/** The invoices with these IDs, or of these days; in the order of their numbers. */
export async function findInvoiceIds(
  db: Queryable,
  orgId: string,
  { ids, dates }: { ids?: string[] | undefined; dates?: InvoiceDates | undefined },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from invoices
      where org_id = $1 and ($2::uuid[] is null or id = any($2))
        and ($3::date is null or invoice_date >= $3) and ($4::date is null or invoice_date <= $4)
      order by carrier, number`,
    [orgId, ids ?? null, dates?.from ?? null, dates?.to ?? null],
  );
  return rows.map(({ id }) => id);
}

/** A charge of a parcel: `charge` is empty for its transport, which has the facts about the parcel. */
export type ParcelCharge = {
  parcel: string;
  charge: string;
  netMicros: number;
  currency: string;
  service: string | null;
  /** Of the shipment: parcels that have the same one can have a price together. */
  lead: string | null;
  senderZip: string | null;
  senderCountry: string | null;
  receiverZip: string | null;
  receiverCountry: string | null;
  shipDate: string | null;
  weight: number | null;
  weightUnit: string | null;
  length: number | null;
  width: number | null;
  height: number | null;
  sideUnit: string | null;
};

const first = (column: string): string =>
  `(array_agg(line.${column} order by line.kind <> 'base', line.position) filter (where line.${column} is not null))[1]`;

const ofParcels = "org_id = $1 and invoice_id = any($2::uuid[]) and kind not in ('tax', 'duty') and parcel_number > $3";

/**
 * The charges of the next parcels of these invoices, in the order of their numbers: about as many lines as `limit`, and all of a
 * parcel. Lines of the same charge are added up, so that a charge that was billed twice is not taken for a duplicate of the file.
 * Transport and its discount are one charge. Taxes and duties are no part of a contract's prices. Where the weight was billed
 * by size, and the size is known, the weight is the entered one: another contract has another divisor.
 */
export async function listParcelCharges(
  db: Queryable,
  orgId: string,
  invoiceIds: string[],
  after: string,
  limit: number,
): Promise<ParcelCharge[]> {
  return await db.query<ParcelCharge>(
    `with line as (
       select *,
              case when kind in ('base', 'discount') then '' else description end as charge,
              case when weight_basis = 'dimensional' and length is not null and entered_weight is not null then entered_weight
                   else coalesce(billed_weight, entered_weight) end as weight,
              case when weight_basis = 'dimensional' and length is not null and entered_weight is not null then entered_weight_unit
                   else coalesce(billed_weight_unit, entered_weight_unit) end as weight_unit
         from invoice_lines
        where ${ofParcels} and parcel_number <= (
          select max(parcel_number) from (
            select parcel_number from invoice_lines where ${ofParcels} order by parcel_number limit $4) as next)
     )
     select line.parcel_number as parcel, line.charge, sum(line.net_micros)::bigint as "netMicros",
            max(line.currency) as currency, ${first("service")} as service, ${first("lead_tracking_number")} as lead,
            ${first("sender_zip")} as "senderZip", ${first("sender_country")} as "senderCountry",
            ${first("receiver_zip")} as "receiverZip", ${first("receiver_country")} as "receiverCountry",
            ${first("ship_date")} as "shipDate", ${first("weight")} as weight, ${first("weight_unit")} as "weightUnit",
            ${first("length")} as length, ${first("width")} as width, ${first("height")} as height,
            ${first("dimension_unit")} as "sideUnit"
       from line group by 1, 2 order by 1, 2`,
    [orgId, invoiceIds, after, limit],
  );
}
