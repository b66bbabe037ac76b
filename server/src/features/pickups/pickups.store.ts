import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { splitNames } from "../../core/schema.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { deleteSomeAcrossOrgs } from "../../db/old-rows.ts";
import { leasedRecords } from "../../queue/leased-records.ts";
import type { Pickup } from "./pickup.ts";
import type { PickupQuery } from "./pickups.schemas.ts";

const columns = defineColumns<Pickup>("t", {
  carrierAccountId: "uuid",
  carrier: "text",
  locationId: "uuid",
  status: "text",
  address: "jsonb",
  addressKey: "text",
  timezone: "text",
  pickupDate: "date",
  readyAt: moment,
  closeAt: moment,
  packageCount: "integer",
  totalWeight: "jsonb",
  labelCount: "integer",
  handoverGroup: "text",
  instructions: "text",
  isDuplicateAllowed: "boolean",
  cancelBy: moment,
  confirmationNumber: "text",
  chargeCents: "bigint",
  chargeCurrency: "text",
  messages: "jsonb",
  carrierData: "jsonb",
  failure: "jsonb",
  isCompletionAssumed: "boolean",
  revision: "integer",
  previous: "jsonb",
  cancelRequestedAt: moment,
  cancelReason: "text",
  cancelledAt: moment,
  history: "jsonb",
  attempts: "integer",
  dueAt: moment,
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});
export const {
  find: findPickup,
  lock: lockPickup,
  insert: insertPickups,
  update: updatePickup,
  effects: pickupEffects,
  leases: pickupLeases,
  fromRow: toPickup,
} = leasedRecords("pickups", columns);

export async function listPickups(db: Queryable, orgId: string, query: PickupQuery): Promise<Page<Pickup>> {
  const page = await listPage<Stored<Pickup>>(db, query, {
    select: columns.selected,
    from: "pickups t",
    where: [
      ["t.org_id = ?", orgId],
      ["t.status = any(?)", query.status === undefined ? null : splitNames(query.status)],
      ["t.carrier_account_id = ?", query.carrierAccountId],
      ["t.pickup_date >= ?", query.from],
      ["t.pickup_date <= ?", query.to],
    ],
    orderBy: "t.ready_at desc, t.id desc",
  });
  return mapPage(page, toPickup);
}

/** Which of these pickups have failed: another pickup may collect their labels. */
export async function findFailedIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    "select id from pickups where org_id = $1 and id = any($2::uuid[]) and status = 'failed'",
    [orgId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Another active pickup of this account at this address on this day. */
export async function findTwin(
  db: Queryable,
  orgId: string,
  pickup: Pick<Pickup, "id" | "carrierAccountId" | "addressKey" | "pickupDate" | "handoverGroup">,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `select id from pickups where org_id = $1 and carrier_account_id = $2 and address_key = $3 and pickup_date = $4
        and status in ('requested', 'scheduled', 'dispatched') and id <> $5 and ${isSameDriver("$6")}
      order by created_at limit 1`,
    [orgId, pickup.carrierAccountId, pickup.addressKey, pickup.pickupDate, pickup.id, pickup.handoverGroup],
  );
  return row?.id;
}

/** A pickup without a group is for all parcels. */
const isSameDriver = (group: string): string => `(${group} = '' or handover_group in ('', ${group}))`;

/** The days with an active pickup at this address, each with its oldest pickup. */
export async function findTakenDays(
  db: Queryable,
  orgId: string,
  carrierAccountId: string,
  addressKey: string,
  exceptId: string | undefined,
  group = "",
): Promise<Map<string, string>> {
  const rows = await db.query<{ pickup_date: string; id: string }>(
    `select distinct on (pickup_date) pickup_date, id from pickups
      where org_id = $1 and carrier_account_id = $2 and address_key = $3
        and status in ('requested', 'scheduled', 'dispatched') and ($4::uuid is null or id <> $4)
        and ${isSameDriver("$5")}
      order by pickup_date, created_at`,
    [orgId, carrierAccountId, addressKey, exceptId ?? null, group],
  );
  return new Map(rows.map((row) => [row.pickup_date, row.id]));
}

/** Pickups that have ended and have no pending request. */
const oldPickups = {
  table: "pickups",
  which: `status in ('completed', 'missed', 'cancelled', 'failed') and due_at is null and updated_at < $1
    order by updated_at`,
  atOnce: 500,
};

export async function deleteOldPickupsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  return await deleteSomeAcrossOrgs(tx, oldPickups, before);
}
