import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Pickup } from "./pickup.ts";
import type { PickupQuery } from "./pickups.schemas.ts";
import type { PickupStatus } from "./pickups.states.ts";

const columns: [name: string, type: string, field: keyof Pickup][] = [
  ["id", "uuid", "id"],
  ["carrier_account_id", "uuid", "carrierAccountId"],
  ["carrier", "text", "carrier"],
  ["location_id", "uuid", "locationId"],
  ["status", "text", "status"],
  ["address", "jsonb", "address"],
  ["address_key", "text", "addressKey"],
  ["timezone", "text", "timezone"],
  ["pickup_date", "date", "pickupDate"],
  ["ready_at", "timestamptz", "readyAt"],
  ["close_at", "timestamptz", "closeAt"],
  ["package_count", "integer", "packageCount"],
  ["total_weight", "jsonb", "totalWeight"],
  ["instructions", "text", "instructions"],
  ["is_duplicate_allowed", "boolean", "isDuplicateAllowed"],
  ["cancel_by", "timestamptz", "cancelBy"],
  ["confirmation_number", "text", "confirmationNumber"],
  ["charge_cents", "bigint", "chargeCents"],
  ["messages", "jsonb", "messages"],
  ["failure", "jsonb", "failure"],
  ["is_assumed", "boolean", "isAssumed"],
  ["revision", "integer", "revision"],
  ["previous", "jsonb", "previous"],
  ["cancel_requested_at", "timestamptz", "cancelRequestedAt"],
  ["cancel_reason", "text", "cancelReason"],
  ["cancelled_at", "timestamptz", "cancelledAt"],
  ["history", "jsonb", "history"],
  ["attempts", "integer", "attempts"],
  ["due_at", "timestamptz", "dueAt"],
  ["created_at", "timestamptz", "createdAt"],
  ["updated_at", "timestamptz", "updatedAt"],
  ["version", "integer", "version"],
];

const names = columns.map(([name]) => name);
const shape = columns.map(([name, type]) => `${name} ${type}`).join(", ");
const selected = names.map((name) => `p.${name}`).join(", ");

type Row = Record<string, unknown>;

function toRecord(pickup: Pickup): Row {
  return Object.fromEntries(columns.map(([name, , field]) => [name, pickup[field]]));
}

function toPickup(row: Row): Pickup {
  const entries = columns.map(([name, , field]) => {
    const value = row[name];
    return [field, value instanceof Date ? value.toISOString() : value];
  });
  return Object.fromEntries(entries) as Pickup;
}

export async function findPickup(db: Queryable, orgId: string, id: string): Promise<Pickup | undefined> {
  const [row] = await db.query<Row>(`select ${selected} from pickups p where p.org_id = $1 and p.id = $2`, [orgId, id]);
  return row && toPickup(row);
}

export async function lockPickup(tx: Tx, orgId: string, id: string): Promise<Pickup | undefined> {
  const [row] = await tx.query<Row>(`select ${selected} from pickups p where p.org_id = $1 and p.id = $2 for update`, [
    orgId,
    id,
  ]);
  return row && toPickup(row);
}

export async function insertPickups(tx: Tx, orgId: string, pickups: Pickup[]): Promise<void> {
  await tx.query(
    `insert into pickups (org_id, ${names.join(", ")})
     select $1, ${names.map((name) => `u.${name}`).join(", ")} from jsonb_to_recordset($2::jsonb) as u (${shape})`,
    [orgId, JSON.stringify(pickups.map(toRecord))],
  );
}

export async function updatePickup(tx: Tx, orgId: string, pickup: Pickup): Promise<void> {
  await tx.query(
    `update pickups p set ${names.map((name) => `${name} = u.${name}`).join(", ")}
       from jsonb_to_record($2::jsonb) as u (${shape}) where p.org_id = $1 and p.id = u.id`,
    [orgId, JSON.stringify(toRecord(pickup))],
  );
}

export async function listPickups(
  db: Queryable,
  orgId: string,
  query: PickupQuery,
  statuses: PickupStatus[] | null,
): Promise<Page<Pickup>> {
  const page = await listPage<Row>(db, query, {
    select: selected,
    from: "pickups p",
    where: [
      ["p.org_id = ?", orgId],
      ["p.status = any(?)", statuses],
      ["p.carrier_account_id = ?", query.carrierAccountId],
      ["p.pickup_date >= ?", query.from],
      ["p.pickup_date <= ?", query.to],
    ],
    orderBy: "p.ready_at desc, p.id desc",
  });
  return mapPage(page, toPickup);
}

/** Another pickup of this account at this address on this day to which a driver may still come. */
export async function findTwin(
  db: Queryable,
  orgId: string,
  pickup: Pick<Pickup, "id" | "carrierAccountId" | "addressKey" | "pickupDate">,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `select id from pickups where org_id = $1 and carrier_account_id = $2 and address_key = $3 and pickup_date = $4
        and status in ('requested', 'scheduled', 'dispatched') and id <> $5 order by created_at limit 1`,
    [orgId, pickup.carrierAccountId, pickup.addressKey, pickup.pickupDate, pickup.id],
  );
  return row?.id;
}

/** The days on which a driver may still come to this address, each with the pickup that was asked for first. */
export async function findTakenDays(
  db: Queryable,
  orgId: string,
  carrierAccountId: string,
  addressKey: string,
  exceptId: string | undefined,
): Promise<Map<string, string>> {
  const rows = await db.query<{ pickup_date: string; id: string }>(
    `select distinct on (pickup_date) pickup_date, id from pickups
      where org_id = $1 and carrier_account_id = $2 and address_key = $3
        and status in ('requested', 'scheduled', 'dispatched') and ($4::uuid is null or id <> $4)
      order by pickup_date, created_at`,
    [orgId, carrierAccountId, addressKey, exceptId ?? null],
  );
  return new Map(rows.map((row) => [row.pickup_date, row.id]));
}

/** Takes up pickups that something is due for; until `leaseUntil` nobody else does. */
export async function claimDueAcrossOrgs(
  db: Queryable,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<{ orgId: string; pickup: Pickup }[]> {
  const rows = await db.query<Row>(
    `update pickups p set due_at = $2 where p.id in
       (select id from pickups where due_at <= $1 order by due_at limit $3 for update skip locked)
     returning p.org_id, ${selected}`,
    [now, leaseUntil, limit],
  );
  return rows.map((row) => ({ orgId: row.org_id as string, pickup: toPickup(row) }));
}
