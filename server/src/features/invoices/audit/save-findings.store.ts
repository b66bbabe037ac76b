import { arrayLiteral } from "../../../db/array-literal.ts";
import type { Tx } from "../../../db/database.ts";
import type { ChargeKind } from "../invoice-line.ts";
import type { NewFinding } from "./billed-parcel.ts";

export type FoundOnParcel = NewFinding & {
  parcel: string;
  currency: string;
  service: string | null;
  shipDate: string | null;
};

/**
 * Replaces the findings of these parcels. Those that a user decided on, and those that are no longer open, stay as they are. By
 * invoice_findings_key.
 */
export async function saveFindings(
  tx: Tx,
  orgId: string,
  invoice: { id: string; carrier: string },
  parcels: string[],
  findings: FoundOnParcel[],
  { newId, at }: { newId(): string; at: Date },
): Promise<void> {
  const array = (read: (finding: FoundOnParcel) => string | number | null): string => arrayLiteral(findings.map(read));
  await tx.query(
    `delete from invoice_findings t
      where t.org_id = $1 and t.invoice_id = $2 and t.parcel_number = any($3::text[])
        and t.state = 'open' and t.decided_at is null
        and not exists (
          select from unnest($4::text[], $5::text[], $6::text[]) as given (parcel, kind, code)
           where given.parcel = t.parcel_number and given.kind = t.kind and given.code = t.code)`,
    [
      orgId,
      invoice.id,
      arrayLiteral(parcels),
      array(({ parcel }) => parcel),
      array(({ kind }) => kind),
      array(({ code }) => code),
    ],
  );
  if (findings.length === 0) return;
  await tx.query(
    `insert into invoice_findings as t (id, org_id, invoice_id, carrier, parcel_number, kind, code, amount_micros, credited_micros,
       currency, confidence, evidence, service, ship_date, state, created_at, updated_at, version)
     select given.id, $1, $2, $3, given.parcel, given.kind, given.code, given.amount, 0, given.currency, given.confidence,
            given.evidence, given.service, given.ship_date, 'open', $4, $4, 1
       from unnest($5::uuid[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[], $12::jsonb[], $13::text[],
                   $14::date[])
         as given (id, parcel, kind, code, amount, currency, confidence, evidence, service, ship_date)
     on conflict (invoice_id, parcel_number, kind, code) do update
       set amount_micros = excluded.amount_micros, confidence = excluded.confidence, evidence = excluded.evidence,
           updated_at = excluded.updated_at, version = t.version + 1
     where t.state = 'open' and t.decided_at is null
       and (t.amount_micros, t.confidence, t.evidence)
         is distinct from (excluded.amount_micros, excluded.confidence, excluded.evidence)`,
    [
      orgId,
      invoice.id,
      invoice.carrier,
      at,
      array(() => newId()),
      array(({ parcel }) => parcel),
      array(({ kind }) => kind),
      array(({ code }) => code),
      array(({ amount }) => amount),
      array(({ currency }) => currency),
      array(({ confidence }) => confidence),
      array(({ evidence }) => JSON.stringify(evidence)),
      array(({ service }) => service),
      array(({ shipDate }) => shipDate),
    ],
  );
}

/** Credits of a parcel, and the corrections that may be their other half (see net-reversals.ts), on all invoices of the carrier. */
export async function listCorrections(
  tx: Tx,
  orgId: string,
  carrier: string,
  parcels: string[],
): Promise<Correction[]> {
  return await tx.query<Correction>(
    `select line.parcel_number as parcel, invoice.number as "invoiceNumber", line.kind, line.code, line.description,
            line.gross_micros as gross, line.discount_micros as discount, line.net_micros as net
       from invoice_lines line
       join invoices invoice on invoice.id = line.invoice_id and invoice.carrier = $2
      where line.org_id = $1 and line.parcel_number = any($3::text[]) and line.kind in ('credit', 'adjustment')
      order by invoice.created_at, invoice.id, line.position`,
    [orgId, carrier, parcels],
  );
}

type Correction = {
  parcel: string;
  invoiceNumber: string;
  kind: ChargeKind;
  code: string | null;
  description: string;
  gross: number;
  discount: number;
  net: number;
};

/** The parcels that an invoice gives credits for. */
export async function listCreditedParcels(tx: Tx, orgId: string, invoiceId: string): Promise<string[]> {
  const rows = await tx.query<{ parcel: string }>(
    `select distinct parcel_number as parcel from invoice_lines
      where org_id = $1 and invoice_id = $2 and kind in ('credit', 'adjustment') and parcel_number is not null`,
    [orgId, invoiceId],
  );
  return rows.map(({ parcel }) => parcel);
}

/** A finding that credits may settle, of any invoice of the carrier. */
export type CreditableFinding = {
  id: string;
  parcel: string;
  amount: number;
  credited: number;
  state: "open" | "claimed" | "credited";
};

/** Of these parcels, those with credits now or until now. `credited`: parcels with credits now. */
export async function listCreditable(
  tx: Tx,
  orgId: string,
  carrier: string,
  { parcels, credited }: { parcels: string[]; credited: string[] },
): Promise<CreditableFinding[]> {
  if (parcels.length === 0) return [];
  return await tx.query<CreditableFinding>(
    `select id, parcel_number as parcel, amount_micros as amount, credited_micros as credited, state
       from invoice_findings
      where org_id = $1 and carrier = $2 and parcel_number = any($3::text[]) and state <> 'rejected'
        and (credited_micros > 0 or parcel_number = any($4::text[]))
      order by parcel_number, state = 'claimed' desc, created_at, kind, code
        for update`,
    [orgId, carrier, parcels, credited],
  );
}

export type CreditedFinding = { id: string; credited: number; isSettled: boolean; isReopened?: true };

export async function saveCredits(tx: Tx, orgId: string, credited: CreditedFinding[], at: Date): Promise<void> {
  if (credited.length === 0) return;
  await tx.query(
    `update invoice_findings t
        set credited_micros = given.credited,
            state = case when given.is_settled then 'credited'
                         when given.is_reopened then case when t.decided_at is null then 'open' else 'claimed' end
                         else t.state end,
            updated_at = $5,
            version = t.version + 1
       from unnest($2::uuid[], $3::bigint[], $4::boolean[], $6::boolean[])
         as given (id, credited, is_settled, is_reopened)
      where t.org_id = $1 and t.id = given.id`,
    [
      orgId,
      arrayLiteral(credited.map(({ id }) => id)),
      arrayLiteral(credited.map((one) => one.credited)),
      arrayLiteral(credited.map(({ isSettled }) => String(isSettled))),
      at,
      arrayLiteral(credited.map(({ isReopened }) => String(isReopened === true))),
    ],
  );
}
