import type { Weight } from "../../core/weight.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import type { Stored } from "../../db/columns.ts";
import { toRecord, writing } from "../../db/columns.ts";
import { shipmentColumns } from "./shipment-columns.ts";
import type { Shipment } from "./shipment.ts";

const { selected, fromRow } = shipmentColumns;
const byId: Prepared = {
  name: "shipments_find_by_id",
  text: `select ${selected} from shipments s where s.org_id = $1 and s.id = $2`,
};

export async function findShipment(db: Queryable, orgId: string, id: string): Promise<Shipment | undefined> {
  const [row] = await db.query<Stored<Shipment>>(byId, [orgId, id]);
  return row && fromRow(row);
}

export async function findShipments(db: Queryable, orgId: string, ids: string[]): Promise<Shipment[]> {
  if (ids.length === 0) return [];
  const text = `select ${selected} from shipments s where s.org_id = $1 and s.id = any($2::uuid[])`;
  return (await db.query<Stored<Shipment>>(text, [orgId, ids])).map(fromRow);
}

/** Locks in the order of IDs, so that concurrent writers do not deadlock. */
export async function lockShipments(tx: Tx, orgId: string, ids: string[]): Promise<Shipment[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<Stored<Shipment>>(
    `select ${selected} from shipments s where s.org_id = $1 and s.id = any($2::uuid[]) order by s.id for update`,
    [orgId, ids],
  );
  return rows.map(fromRow);
}

const { names, values, shape, sets } = writing(shipmentColumns.all);
const insert = `insert into shipments (id, org_id, ${names})
  select u.id, $1, ${values} from jsonb_to_recordset($2::jsonb) as u (${shape}) on conflict do nothing returning id`;
const update = `update shipments s set ${sets}
  from jsonb_to_recordset($2::jsonb) as u (${shape}) where s.org_id = $1 and s.id = u.id`;

function toRecords(orgId: string, shipments: Shipment[]): string {
  return JSON.stringify(shipments.map((shipment) => toRecord(shipmentColumns.all, shipment, orgId)));
}

/** Returns the IDs of the inserted shipments; existing ones are left out. */
export async function insertShipments(tx: Tx, orgId: string, shipments: Shipment[]): Promise<Set<string>> {
  if (shipments.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(insert, [orgId, toRecords(orgId, shipments)]);
  return new Set(rows.map(({ id }) => id));
}

export async function updateShipments(tx: Tx, orgId: string, shipments: Shipment[]): Promise<void> {
  if (shipments.length > 0) await tx.query(update, [orgId, toRecords(orgId, shipments)]);
}

/** One per tracking number: the newest that has a weight and is not voided. */
export async function listWeighed(
  db: Queryable,
  orgId: string,
  trackingKeys: string[],
): Promise<{ tracking_key: string; weight: Weight; service: string | null }[]> {
  return await db.query<{ tracking_key: string; weight: Weight; service: string | null }>(
    `select distinct on (s.tracking_key) s.tracking_key, s.weight, s.service from shipments s
      where s.org_id = $1 and s.tracking_key = any($2::text[]) and s.weight is not null and s.voided_at is null
      order by s.tracking_key, s.created_at desc, s.id desc`,
    [orgId, trackingKeys],
  );
}

export type AuditedShipment = {
  id: string;
  trackingKey: string;
  isLabel: boolean;
  labelId: string | null;
  weight: Weight | null;
  isVoided: boolean;
  isScanned: boolean;
  promisedDay: string | null;
  promiseSource: string | null;
  deliveredDay: string | null;
};

/** One per tracking number: the newest that is not voided, else the newest. By shipments_by_tracking_number. */
export async function listAudited(db: Queryable, orgId: string, trackingKeys: string[]): Promise<AuditedShipment[]> {
  return await db.query<AuditedShipment>(
    `select distinct on (s.tracking_key)
            s.id,
            s.tracking_key as "trackingKey",
            s.source = 'label' as "isLabel",
            s.metadata ->> 'labelId' as "labelId",
            s.weight,
            s.voided_at is not null as "isVoided",
            coalesce(s.accepted_at, s.first_attempt_at, s.delivered_at) is not null as "isScanned",
            s.promised_date as "promisedDay",
            s.promise_source as "promiseSource",
            (coalesce(s.first_attempt_at, s.delivered_at) at time zone s.timezone)::date as "deliveredDay"
       from shipments s
      where s.org_id = $1 and s.tracking_key = any($2::text[])
      order by s.tracking_key, s.voided_at is not null, s.created_at desc, s.id desc`,
    [orgId, trackingKeys],
  );
}

type TrackingRef = { carrierKey: string | null; trackingKey: string };
export type TrackedShipment = TrackingRef &
  Pick<Shipment, "id" | "orderId" | "source" | "timezone"> & { shippedAt: Date };

/** All shipments with these numbers that are not voided, of any carrier. */
export async function findByTrackingKeys(db: Queryable, orgId: string, keys: string[]): Promise<TrackedShipment[]> {
  if (keys.length === 0) return [];
  return await db.query<TrackedShipment>(
    `select id, order_id as "orderId", source, timezone, shipped_at as "shippedAt", carrier_key as "carrierKey",
            tracking_key as "trackingKey"
       from shipments
      where org_id = $1 and tracking_key = any($2::text[]) and voided_at is null order by created_at, id`,
    [orgId, keys],
  );
}

/** All shipments with these numbers, voided ones as well. `labelId`: in the metadata, where users may change it. */
export async function listLabelIds(
  db: Queryable,
  orgId: string,
  keys: string[],
): Promise<{ shipmentId: string; labelId: string | null }[]> {
  if (keys.length === 0) return [];
  return await db.query<{ shipmentId: string; labelId: string | null }>(
    `select id as "shipmentId", metadata ->> 'labelId' as "labelId" from shipments
      where org_id = $1 and tracking_key = any($2::text[])`,
    [orgId, keys],
  );
}

/** The orders of the delivered ones of these shipments. */
export async function findOrdersOfDelivered(db: Queryable, orgId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<{ id: string }>(
    `select distinct order_id as id from shipments
      where org_id = $1 and id = any($2::uuid[]) and status = 'delivered' and order_id is not null`,
    [orgId, ids],
  );
  return rows.map(({ id }) => id);
}

/** Those of these orders whose shipments have all been delivered. */
export async function findDeliveredOrders(db: Queryable, orgId: string, orderIds: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select order_id as id from shipments where org_id = $1 and order_id = any($2::uuid[]) and status <> 'cancelled'
      group by order_id having bool_and(status = 'delivered')`,
    [orgId, orderIds],
  );
  return rows.map(({ id }) => id);
}
