import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { ShipmentLabel } from "./label.ts";
import type { LabelQuery } from "./labels.schemas.ts";
import type { LabelStatus } from "./labels.states.ts";

/** All but the content, which is only read to be printed. */
const columns: [name: string, type: string, field: keyof ShipmentLabel][] = [
  ["id", "uuid", "id"],
  ["carrier_account_id", "uuid", "carrierAccountId"],
  ["carrier", "text", "carrier"],
  ["order_id", "uuid", "orderId"],
  ["shipment_id", "uuid", "shipmentId"],
  ["status", "text", "status"],
  ["service", "text", "service"],
  ["from_address", "jsonb", "from"],
  ["to_address", "jsonb", "to"],
  ["weight", "jsonb", "weight"],
  ["dimensions", "jsonb", "dimensions"],
  ["reference", "text", "reference"],
  ["lines", "jsonb", "lines"],
  ["tracking_number", "text", "trackingNumber"],
  ["cost_cents", "bigint", "costCents"],
  ["content_type", "text", "contentType"],
  ["content_bytes", "integer", "contentBytes"],
  ["failure", "jsonb", "failure"],
  ["void_requested_at", "timestamptz", "voidRequestedAt"],
  ["attempts", "integer", "attempts"],
  ["due_at", "timestamptz", "dueAt"],
  ["bought_at", "timestamptz", "boughtAt"],
  ["voided_at", "timestamptz", "voidedAt"],
  ["created_at", "timestamptz", "createdAt"],
  ["updated_at", "timestamptz", "updatedAt"],
  ["version", "integer", "version"],
];

const names = columns.map(([name]) => name);
const shape = columns.map(([name, type]) => `${name} ${type}`).join(", ");
const selected = names.map((name) => `l.${name}`).join(", ");

type Row = Record<string, unknown>;

function toRecord(label: ShipmentLabel): Row {
  return Object.fromEntries(columns.map(([name, , field]) => [name, label[field]]));
}

function toLabel(row: Row): ShipmentLabel {
  const entries = columns.map(([name, , field]) => {
    const value = row[name];
    return [field, value instanceof Date ? value.toISOString() : value];
  });
  return Object.fromEntries(entries) as ShipmentLabel;
}

export async function findLabel(db: Queryable, orgId: string, id: string): Promise<ShipmentLabel | undefined> {
  const [row] = await db.query<Row>(`select ${selected} from shipment_labels l where l.org_id = $1 and l.id = $2`, [
    orgId,
    id,
  ]);
  return row && toLabel(row);
}

export async function lockLabel(tx: Tx, orgId: string, id: string): Promise<ShipmentLabel | undefined> {
  const [row] = await tx.query<Row>(
    `select ${selected} from shipment_labels l where l.org_id = $1 and l.id = $2 for update`,
    [orgId, id],
  );
  return row && toLabel(row);
}

export async function insertLabel(tx: Tx, orgId: string, label: ShipmentLabel): Promise<void> {
  await tx.query(
    `insert into shipment_labels (org_id, ${names.join(", ")})
     select $1, ${names.map((name) => `u.${name}`).join(", ")} from jsonb_to_record($2::jsonb) as u (${shape})`,
    [orgId, JSON.stringify(toRecord(label))],
  );
}

export async function updateLabel(tx: Tx, orgId: string, label: ShipmentLabel): Promise<void> {
  await tx.query(
    `update shipment_labels l set ${names.map((name) => `${name} = u.${name}`).join(", ")}
       from jsonb_to_record($2::jsonb) as u (${shape}) where l.org_id = $1 and l.id = u.id`,
    [orgId, JSON.stringify(toRecord(label))],
  );
}

/** What is printed; null: nothing any more. */
export async function keepContent(tx: Tx, orgId: string, id: string, content: Buffer | null): Promise<void> {
  await tx.query("update shipment_labels set content = $3 where org_id = $1 and id = $2", [orgId, id, content]);
}

export async function readContent(db: Queryable, orgId: string, id: string): Promise<Buffer | null> {
  const [row] = await db.query<{ content: Buffer | null }>(
    "select content from shipment_labels where org_id = $1 and id = $2",
    [orgId, id],
  );
  return row?.content ?? null;
}

export async function listLabels(
  db: Queryable,
  orgId: string,
  query: LabelQuery,
  statuses: LabelStatus[] | null,
): Promise<Page<ShipmentLabel>> {
  const page = await listPage<Row>(db, query, {
    select: selected,
    from: "shipment_labels l",
    where: [
      ["l.org_id = ?", orgId],
      ["l.status = any(?)", statuses],
      ["l.order_id = ?", query.orderId],
      ["l.shipment_id = ?", query.shipmentId],
    ],
    orderBy: "l.created_at desc, l.id desc",
  });
  return mapPage(page, toLabel);
}

/** Takes up the label that has waited longest for the carrier to be asked again; until `leaseUntil` nobody else does. */
export async function claimDueAcrossOrgs(
  db: Queryable,
  now: Date,
  leaseUntil: Date,
): Promise<{ orgId: string; label: ShipmentLabel } | undefined> {
  const [row] = await db.query<Row>(
    `update shipment_labels l set due_at = $2 where l.id in
       (select id from shipment_labels where due_at <= $1 order by due_at limit 1 for update skip locked)
     returning l.org_id, ${selected}`,
    [now, leaseUntil],
  );
  return row && { orgId: row.org_id as string, label: toLabel(row) };
}
