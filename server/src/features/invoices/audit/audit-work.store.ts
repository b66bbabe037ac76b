import type { Actor } from "../../../core/actor.ts";
import { arrayLiteral } from "../../../db/array-literal.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import type { LeasedRow } from "../../../queue/leases.ts";
import { leasesOn } from "../../../queue/leases.ts";
import type { CarrierContract } from "../findings.schemas.ts";
import type { NotAuditedReason } from "./billed-parcel.ts";

export type AuditRow = {
  id: string;
  org_id: string;
  carrier_account_id: string | null;
  carrier_accounts: CarrierContract[] | null;
  status: "queued" | "processing" | "completed" | "failed";
  revision: number;
  after_parcel: string;
  parcel_count: number;
  processed: number;
  error: { code: string; message: string } | null;
  requested_by: Actor;
  requested_at: Date;
  finished_at: Date | null;
};
export type LeasedAudit = LeasedRow & AuditRow & { lease_owner: string };

const columns = `t.id, t.org_id, t.carrier_account_id, t.carrier_accounts, t.status, t.revision, t.after_parcel, t.parcel_count, t.processed, t.error,
  t.requested_by, t.requested_at, t.finished_at`;

export const auditLeases = leasesOn<LeasedAudit>({
  table: "invoice_audits",
  columns: `${columns}, t.lease_owner, t.lease_attempts`,
  attempts: "lease_attempts",
  onClaim: () => "status = 'processing'",
  clock: "database",
  leaseMs: 15_000,
});

export async function findAudit(db: Queryable, orgId: string, invoiceId: string): Promise<AuditRow | undefined> {
  const [row] = await db.query<AuditRow>(`select ${columns} from invoice_audits t where t.org_id = $1 and t.id = $2`, [
    orgId,
    invoiceId,
  ]);
  return row;
}

/** The account whose cards are the contract, and those of single carriers. Null: not given. */
export type Contracts = { carrierAccountId: string | null; carrierAccounts: CarrierContract[] | null };

/** Queues the audits of these invoices; one that is running begins anew. Contracts that are not given stay. */
export async function queueAudits(
  tx: Tx,
  orgId: string,
  invoiceIds: string[],
  { carrierAccountId, carrierAccounts, by, at }: Contracts & { by: Actor; at: Date },
): Promise<void> {
  await tx.query(
    `insert into invoice_audits as t (id, org_id, carrier_account_id, carrier_accounts, status, revision, after_parcel, parcel_count, processed,
       requested_by, requested_at, due_at)
     select given.id, $1, $3, $6::jsonb, 'queued', 1, '', 0, 0, $4, $5, now() from unnest($2::uuid[]) as given (id)
     on conflict (id) do update
       set carrier_account_id = coalesce(excluded.carrier_account_id, t.carrier_account_id),
           carrier_accounts = coalesce(excluded.carrier_accounts, t.carrier_accounts), status = 'queued', revision = t.revision + 1, after_parcel = '', parcel_count = 0, processed = 0, error = null, finished_at = null,
           requested_by = excluded.requested_by, requested_at = excluded.requested_at, due_at = now(), lease_owner = null,
           lease_until = null, lease_attempts = 0`,
    [orgId, arrayLiteral(invoiceIds), carrierAccountId, by, at, carrierAccounts && JSON.stringify(carrierAccounts)],
  );
}

/** The contracts of the latest audit of another invoice of the same carrier and billed account. */
export async function findUsualContracts(
  db: Queryable,
  orgId: string,
  invoiceId: string,
): Promise<Contracts | undefined> {
  const [row] = await db.query<Contracts>(
    `select audit.carrier_account_id as "carrierAccountId", audit.carrier_accounts as "carrierAccounts"
       from invoices own
       join invoices other
         on other.org_id = own.org_id and other.carrier = own.carrier and other.account is not distinct from own.account
       join invoice_audits audit on audit.id = other.id
      where own.org_id = $1 and own.id = $2 and other.id <> own.id
        and (audit.carrier_account_id is not null or audit.carrier_accounts <> '[]')
      order by audit.requested_at desc, audit.id desc
      limit 1`,
    [orgId, invoiceId],
  );
  return row;
}

export async function keepContracts(tx: Tx, row: LeasedAudit, contracts: Contracts): Promise<void> {
  const { carrierAccountId, carrierAccounts } = contracts;
  await tx.query(
    "update invoice_audits set carrier_account_id = $3, carrier_accounts = $4 where org_id = $1 and id = $2",
    [row.org_id, row.id, carrierAccountId, carrierAccounts && JSON.stringify(carrierAccounts)],
  );
}

/** What the audit has, or has not. An empty list of carriers was chosen, so nothing is looked up in its place. */
export function contractsOf(row: AuditRow | undefined): Contracts | undefined {
  const { carrier_account_id: carrierAccountId = null, carrier_accounts: carrierAccounts = null } = row ?? {};
  return carrierAccountId === null && carrierAccounts === null ? undefined : { carrierAccountId, carrierAccounts };
}

/** False if the invoice was deleted, its audit was requested again or claimed by another worker. */
export async function lockLeased(tx: Tx, row: LeasedAudit): Promise<boolean> {
  const rows = await tx.query(
    "select from invoice_audits where org_id = $1 and id = $2 and revision = $3 and lease_owner = $4 for update",
    [row.org_id, row.id, row.revision, row.lease_owner],
  );
  return rows.length > 0;
}

type Progress = { after: string; processed: number; all: number };

/** Saves progress and resets the attempts. */
export function saveProgress(tx: Tx, row: LeasedAudit, progress: Progress): void {
  tx.queue(
    `update invoice_audits set after_parcel = $3, processed = $4, parcel_count = $5, lease_attempts = 0
      where org_id = $1 and id = $2`,
    [row.org_id, row.id, progress.after, progress.processed, progress.all],
  );
}

export async function endAudit(
  tx: Tx,
  row: LeasedAudit,
  end: { status: "completed" | "failed"; error: { code: string; message: string } | null; at: Date },
): Promise<void> {
  await tx.query(
    `update invoice_audits set status = $3, error = $4, finished_at = $5, due_at = null, lease_owner = null, lease_until = null
      where org_id = $1 and id = $2`,
    [row.org_id, row.id, end.status, end.error, end.at],
  );
}

export type ParcelOutcome = {
  number: string;
  reason: NotAuditedReason | null;
  billed: number;
  expected: number | null;
  found: number;
  service: string | null;
  shipDate: string | null;
  currency: string;
};

/** One statement for a batch. Rows of an earlier audit are replaced where they differ. */
export function saveOutcomes(tx: Tx, orgId: string, invoiceId: string, outcomes: ParcelOutcome[]): void {
  const array = (read: (outcome: ParcelOutcome) => string | number | null): string => arrayLiteral(outcomes.map(read));
  tx.queue(
    `insert into invoice_parcels as t (invoice_id, parcel_number, org_id, status, reason, billed_micros, expected_micros,
       finding_micros, service, ship_date, currency)
     select $2, given.number, $1, case when given.reason is null then 'audited' else 'not_audited' end, given.reason, given.billed,
            given.expected, given.found, given.service, given.ship_date, given.currency
       from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::date[], $10::text[])
         as given (number, reason, billed, expected, found, service, ship_date, currency)
     on conflict (invoice_id, parcel_number) do update
       set status = excluded.status, reason = excluded.reason, billed_micros = excluded.billed_micros,
           expected_micros = excluded.expected_micros, finding_micros = excluded.finding_micros, service = excluded.service
     where (t.status, t.reason, t.billed_micros, t.expected_micros, t.finding_micros, t.service)
       is distinct from (excluded.status, excluded.reason, excluded.billed_micros, excluded.expected_micros,
                         excluded.finding_micros, excluded.service)`,
    [
      orgId,
      invoiceId,
      array(({ number }) => number),
      array(({ reason }) => reason),
      array(({ billed }) => billed),
      array(({ expected }) => expected),
      array(({ found }) => found),
      array(({ service }) => service),
      array(({ shipDate }) => shipDate),
      array(({ currency }) => currency),
    ],
  );
}

export type AuditCounts = { parcels: number; audited: number; reasons: { reason: string; parcels: number }[] };

export async function countOutcomes(db: Queryable, orgId: string, invoiceId: string): Promise<AuditCounts> {
  const rows = await db.query<{ reason: string | null; parcels: number }>(
    `select reason, count(*) as parcels from invoice_parcels where org_id = $1 and invoice_id = $2
      group by reason order by parcels desc, reason`,
    [orgId, invoiceId],
  );
  return {
    parcels: rows.reduce((sum, { parcels }) => sum + parcels, 0),
    audited: rows.find(({ reason }) => reason === null)?.parcels ?? 0,
    reasons: rows.flatMap(({ reason, parcels }) => (reason === null ? [] : [{ reason, parcels }])),
  };
}
