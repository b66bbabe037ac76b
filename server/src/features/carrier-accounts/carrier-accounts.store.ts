import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment, toRecord, writing } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import type { LeasedRow } from "../../queue/leases.ts";
import { leasesOn } from "../../queue/leases.ts";
import type { CarrierAccount, CarrierAccountQuery } from "./carrier-accounts.schemas.ts";

/** The account with its encrypted credentials. `pickupRules` holds only the rules that differ from the carrier's. */
export type Account = CarrierAccount & { credentials: string | null };
/** The columns of `carrier_accounts`. */
export type AccountFields = Omit<Account, "rateCard" | "zoneChart" | "webhook">;

const own = defineColumns<AccountFields>("a", {
  name: "text",
  carrier: "text",
  description: "text",
  settings: "jsonb",
  credentials: "text",
  credentialFields: "text[]",
  pickupRules: "jsonb",
  serviceAliases: "jsonb",
  isActive: "boolean",
  comparisonOnly: "boolean",
  version: "integer",
  createdAt: moment,
  updatedAt: moment,
});

/**
 * With the rate card in effect on `day`: the active card with the latest effective_from, and among cards from the same day
 * the latest upload. Two lookups per account, by rate_cards_number_key (an account has few cards) and by primary key.
 */
const columns = (day: string): string => `${own.selected},
  (select json_build_object(
            'id', card.id,
            'version', card.number,
            'name', card.name,
            'effectiveFrom', card.effective_from,
            'effectiveTo', card.effective_to)
     from rate_cards card
    where card.account_id = a.id
      and card.is_active
      and card.effective_from <= ${day}::date
      and (card.effective_to is null or card.effective_to >= ${day}::date)
    order by card.effective_from desc, card.number desc
    limit 1) as "rateCard",
  (select json_build_object(
            'name', chart.name,
            'version', chart.number,
            'rowCount', chart.row_count,
            'uploadedAt', chart.uploaded_at)
     from zone_charts chart
    where chart.account_id = a.id) as "zoneChart",
  (select json_build_object(
            'url', webhook.url,
            'isSubscribed', webhook.subscribed_at is not null,
            'subscribedAt', webhook.subscribed_at,
            'problem', webhook.problem,
            'lastReceivedAt', webhook.last_received_at,
            'accepted', webhook.accepted_count,
            'unmatched', webhook.unmatched_count,
            'refused', webhook.refused_count,
            'lastRefusedAt', webhook.last_refused_at,
            'lastWebhookProblem', webhook.last_refusal)
     from carrier_webhooks webhook
    where webhook.account_id = a.id) as webhook`;

type AccountRow = Stored<AccountFields> & Pick<Account, "rateCard" | "zoneChart" | "webhook">;

function toAccount(row: AccountRow): Account {
  const account = own.fromRow(row);
  const { zoneChart, webhook } = account;
  if (zoneChart) zoneChart.uploadedAt = new Date(zoneChart.uploadedAt).toISOString();
  // Times inside of JSON are texts of PostgreSQL.
  for (const field of ["subscribedAt", "lastReceivedAt", "lastRefusedAt"] as const) {
    const at = webhook?.[field];
    if (webhook && at != null) webhook[field] = new Date(at).toISOString();
  }
  return account;
}

/** A digest of the service aliases of each account, to detect changes. */
export async function findAliasDigests(
  db: Queryable,
  orgId: string,
  ids: string[],
): Promise<{ id: string; digest: string }[]> {
  return await db.query<{ id: string; digest: string }>(
    "select id, md5(service_aliases::text) as digest from carrier_accounts where org_id = $1 and id = any($2::uuid[])",
    [orgId, ids],
  );
}

export async function findAccount(db: Queryable, orgId: string, id: string, day: string): Promise<Account | undefined> {
  const [row] = await db.query<AccountRow>(
    `select ${columns("$3")} from carrier_accounts a where a.org_id = $1 and a.id = $2`,
    [orgId, id, day],
  );
  return row && toAccount(row);
}

type NamedAccount = Pick<Account, "id" | "name" | "carrier" | "isActive" | "comparisonOnly" | "settings">;

export async function listNamed(db: Queryable, orgId: string): Promise<NamedAccount[]> {
  return await db.query<NamedAccount>(
    `select id, name, carrier, settings, is_active as "isActive", comparison_only as "comparisonOnly"
       from carrier_accounts
      where org_id = $1
      order by created_at, id`,
    [orgId],
  );
}

/** Serializes writers of one account. */
export async function lockAccount(tx: Tx, orgId: string, id: string): Promise<boolean> {
  const rows = await tx.query("select 1 from carrier_accounts where org_id = $1 and id = $2 for update", [orgId, id]);
  return rows.length > 0;
}

export async function listAccounts(
  db: Queryable,
  orgId: string,
  query: CarrierAccountQuery,
  day: string,
): Promise<Page<Account>> {
  const page = await listPage<AccountRow>(db, query, {
    select: columns("t.day"),
    from: "carrier_accounts a cross join (select $1::date as day) t",
    values: [day],
    where: [
      ["a.org_id = ?", orgId],
      ["a.carrier = ?", query.carrier],
      ["a.is_active = ?", query.isActive],
      ["a.name ilike ?", likePattern(query.search)],
    ],
    orderBy: "a.created_at desc, a.id desc",
  });
  return mapPage(page, toAccount);
}

const { names, values, shape, sets } = writing(own.all);

/** Creating or changing an account may fix it, so tracking is polled through it immediately (`due_at`). */
export async function insertAccount(tx: Tx, orgId: string, account: AccountFields): Promise<void> {
  await tx.query(
    `insert into carrier_accounts (id, org_id, due_at, ${names})
     select u.id, $1, u.updated_at, ${values} from jsonb_to_record($2::jsonb) as u (${shape})`,
    [orgId, JSON.stringify(toRecord(own.all, account, orgId))],
  );
}

export async function updateAccount(tx: Tx, orgId: string, account: AccountFields): Promise<void> {
  await tx.query(
    `update carrier_accounts a set due_at = u.updated_at, ${sets}
       from jsonb_to_record($2::jsonb) as u (${shape}) where a.org_id = $1 and a.id = u.id`,
    [orgId, JSON.stringify(toRecord(own.all, account, orgId))],
  );
}

export async function deleteAccount(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from carrier_accounts where org_id = $1 and id = $2", [orgId, id]);
}

export async function findAccountIdByName(db: Queryable, orgId: string, name: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    "select id from carrier_accounts where org_id = $1 and lower(name) = lower($2)",
    [orgId, name],
  );
  return row?.id;
}

export async function findAccountNames(db: Queryable, orgId: string): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>("select name from carrier_accounts where org_id = $1", [orgId]);
  return new Set(rows.map(({ name }) => name));
}

export async function findAccountIds(db: Queryable, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from carrier_accounts where org_id = $1 and id = any($2::uuid[])",
    [orgId, ids],
  );
  return rows.map((row) => row.id);
}

export type TrackingAccount = { orgId: string; accountId: string; carrier: string };

/** `orgId` null: all organizations. */
export async function listFirstActiveAcrossOrgs(
  db: Queryable,
  orgId: string | null,
  carriers: string[],
): Promise<TrackingAccount[]> {
  return await db.query<TrackingAccount>(
    `select distinct on (org_id, carrier) org_id as "orgId", id as "accountId", carrier from carrier_accounts
      where is_active and carrier = any($1::text[]) and ($2::uuid is null or org_id = $2)
      order by org_id, carrier, created_at, id`,
    [carriers, orgId],
  );
}

/** A carrier account leased for a tracking poll; one worker at a time polls through it. */
export type TrackingPoll = LeasedRow & { carrier: string; attempts: number };

export const trackingPolls = leasesOn<TrackingPoll>({
  table: "carrier_accounts",
  columns: "t.id, t.org_id, t.carrier, t.attempts",
  attempts: "attempts",
  clock: "hub",
  leaseMs: 60_000,
});

/** Releases the lease; the next poll is at `dueAt`. */
export async function finishTrackingPoll(
  db: Queryable,
  orgId: string,
  accountId: string,
  { dueAt, attempts }: { dueAt: string; attempts: number },
): Promise<void> {
  await db.query(
    `update carrier_accounts set due_at = $3, attempts = $4, lease_owner = null, lease_until = null
      where org_id = $1 and id = $2`,
    [orgId, accountId, dueAt, attempts],
  );
}

/** Makes the tracking polls of all accounts due now. */
export async function expediteTrackingAcrossOrgs(tx: Tx, now: Date): Promise<void> {
  await tx.query("update carrier_accounts set due_at = $1 where due_at > $1", [now]);
}
