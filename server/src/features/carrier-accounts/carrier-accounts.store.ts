import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment, toRecord, writing } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import type { LeasedRow } from "../../queue/leases.ts";
import { leasesOn } from "../../queue/leases.ts";
import type { CarrierAccount, CarrierAccountQuery } from "./carrier-accounts.schemas.ts";

/** As callers see it, with its sealed credentials; the rules for pickups only as far as they differ from its carrier's. */
export type Account = CarrierAccount & { credentials: string | null };
/** What lies in its own table. */
export type AccountFields = Omit<Account, "rateCard" | "zoneChart">;

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
  version: "integer",
  createdAt: moment,
  updatedAt: moment,
});

/**
 * With the card in effect on a day: of those that have begun and not ended (both days included) the one that began last,
 * and of several from one day the newest upload.
 */
const columns = (day: string): string => `${own.selected},
  (select json_build_object('id', c.id, 'version', c.number, 'name', c.name, 'effectiveFrom', c.effective_from,
     'effectiveTo', c.effective_to)
     from rate_cards c where c.account_id = a.id and c.is_active and c.effective_from <= ${day}::date
      and (c.effective_to is null or c.effective_to >= ${day}::date)
    order by c.effective_from desc, c.number desc limit 1) as "rateCard",
  (select json_build_object('name', z.name, 'version', z.number, 'rowCount', z.row_count, 'uploadedAt', z.uploaded_at)
     from zone_charts z where z.account_id = a.id) as "zoneChart"`;

type AccountRow = Stored<AccountFields> & Pick<Account, "rateCard" | "zoneChart">;

function toAccount(row: AccountRow): Account {
  const account = own.fromRow(row);
  const { zoneChart } = account;
  if (zoneChart) zoneChart.uploadedAt = new Date(zoneChart.uploadedAt).toISOString();
  return account;
}

/** The names that these accounts have for services, as short texts that differ when the names do. */
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

export async function listNamed(
  db: Queryable,
  orgId: string,
): Promise<Pick<Account, "id" | "name" | "carrier" | "isActive">[]> {
  return await db.query<Pick<Account, "id" | "name" | "carrier" | "isActive">>(
    `select id, name, carrier, is_active as "isActive" from carrier_accounts where org_id = $1 order by created_at, id`,
    [orgId],
  );
}

/** Writers of one account take turns. */
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

/** Who made or changed an account may have mended it: parcels are asked about through it at once. */
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

/** `orgId` null: those of all organizations. */
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

/** An account whose carrier is about to be asked about parcels. Nobody else asks through it meanwhile. */
export type TrackingTurn = LeasedRow & { carrier: string; attempts: number };

export const trackingTurns = leasesOn<TrackingTurn>({
  table: "carrier_accounts",
  columns: "t.id, t.org_id, t.carrier, t.attempts",
  attempts: "attempts",
  clock: "hub",
  leaseMs: 60_000,
});

/** `dueAt`: when the next one comes. */
export async function endTrackingTurn(
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

/** Every carrier may be asked about parcels from now on. */
export async function hastenTrackingAcrossOrgs(tx: Tx, now: Date): Promise<void> {
  await tx.query("update carrier_accounts set due_at = $1 where due_at > $1", [now]);
}
