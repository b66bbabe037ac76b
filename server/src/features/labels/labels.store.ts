import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { splitNames } from "../../core/schema.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { leasedRecords } from "../../queue/leased-records.ts";
import { readAdjustments, selectedAdjustments } from "./label-adjustments.store.ts";
import type { ShipmentLabel } from "./label.ts";
import type { LabelQuery } from "./labels.schemas.ts";

/** Without the file, which is only read for downloads. */
const columns = defineColumns<ShipmentLabel>("t", {
  carrierAccountId: "uuid",
  carrier: "text",
  orderId: "uuid",
  shipmentId: "uuid",
  status: "text",
  service: "text",
  from: { type: "jsonb", name: "from_address" },
  to: { type: "jsonb", name: "to_address" },
  weight: "jsonb",
  dimensions: "jsonb",
  parcels: "jsonb",
  options: "jsonb",
  shipDate: "date",
  reference: "text",
  lines: "jsonb",
  trackingNumber: "text",
  costCents: "bigint",
  currency: "text",
  chargeLines: "jsonb",
  quote: "jsonb",
  adjustments: { type: "jsonb", selected: selectedAdjustments, read: readAdjustments },
  transitDays: "integer",
  deliverBy: "text",
  documents: "jsonb",
  contentType: "text",
  contentBytes: "integer",
  carrierData: "jsonb",
  failure: "jsonb",
  refund: "jsonb",
  voidRequestedAt: moment,
  pickupId: "uuid",
  manifestId: "uuid",
  runId: "uuid",
  runStep: "integer",
  purchaseRunId: "uuid",
  voidRunId: "uuid",
  cause: "jsonb",
  attempts: "integer",
  dueAt: moment,
  purchasedAt: moment,
  voidedAt: moment,
  printedAt: moment,
  printCount: "integer",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});
export const {
  find: findLabel,
  lock: lockLabel,
  insert: insertLabels,
  update: updateLabel,
  updateAll: updateLabels,
  effects: labelEffects,
  leases: labelLeases,
  fromRow: toLabel,
} = leasedRecords("shipment_labels", columns);

/** For further statements about labels. */
export const labelColumns = columns.selected;

/** A file of a label. `position`: index of the parcel or document. */
export type FilePlace = { kind: "parcel" | "document"; position: number };
export type LabelContent = FilePlace & { content: Buffer };

const isLead = ({ kind, position }: FilePlace): boolean => kind === "parcel" && position === 0;

/** Stores the files of a purchased label. */
export async function keepFiles(tx: Tx, orgId: string, id: string, files: LabelContent[]): Promise<void> {
  for (const file of files) {
    if (isLead(file)) {
      await tx.query("update shipment_labels set content = $3 where org_id = $1 and id = $2", [
        orgId,
        id,
        file.content,
      ]);
    } else {
      await tx.query(
        `insert into shipment_label_files (label_id, org_id, kind, position, content) values ($2, $1, $3, $4, $5)`,
        [orgId, id, file.kind, file.position, file.content],
      );
    }
  }
}

export async function removeFiles(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("update shipment_labels set content = null where org_id = $1 and id = $2", [orgId, id]);
  await tx.query("delete from shipment_label_files where org_id = $1 and label_id = $2", [orgId, id]);
}

export async function readContent(
  db: Queryable,
  orgId: string,
  id: string,
  place: FilePlace,
): Promise<Buffer | undefined> {
  const [row] = isLead(place)
    ? await db.query<{ content: Buffer | null }>("select content from shipment_labels where org_id = $1 and id = $2", [
        orgId,
        id,
      ])
    : await db.query<{ content: Buffer | null }>(
        `select content from shipment_label_files
          where org_id = $1 and label_id = $2 and kind = $3 and position = $4`,
        [orgId, id, place.kind, place.position],
      );
  return row?.content ?? undefined;
}

export async function listLabels(db: Queryable, orgId: string, query: LabelQuery): Promise<Page<ShipmentLabel>> {
  const page = await listPage<Stored<ShipmentLabel>>(db, query, {
    select: columns.selected,
    from: "shipment_labels t",
    where: [
      ["t.org_id = ?", orgId],
      ["t.status = any(?)", query.status === undefined ? null : splitNames(query.status)],
      ["t.order_id = ?", query.orderId],
      ["t.shipment_id = ?", query.shipmentId],
      ["t.pickup_id = ?", query.pickupId],
      ["t.manifest_id = ?", query.manifestId],
      ["t.purchase_run_id = ?", query.runId],
      ["t.carrier = ?", query.carrier],
      ["t.created_at >= ?", query.createdFrom],
      ["t.created_at < ?", query.createdTo],
      ...(query.isPrinted === undefined ? [] : [`t.printed_at is ${query.isPrinted ? "not " : ""}null`]),
    ],
    orderBy: "t.created_at desc, t.id desc",
  });
  return mapPage(page, toLabel);
}

/** The labels of these orders that are, or may be, paid for. */
export async function listLabelsOf(db: Queryable, orgId: string, orderIds: string[]): Promise<ShipmentLabel[]> {
  if (orderIds.length === 0) return [];
  const rows = await db.query<Stored<ShipmentLabel>>(
    `select ${columns.selected} from shipment_labels t
      where t.org_id = $1 and t.order_id = any($2::uuid[])
        and (t.status in ('requested', 'purchased') or t.failure ->> 'code' = 'outcome_unknown')
      order by t.created_at, t.id`,
    [orgId, orderIds],
  );
  return rows.map(toLabel);
}

/** In any order; unknown IDs are left out. */
export async function readLabels(db: Queryable, orgId: string, ids: string[]): Promise<ShipmentLabel[]> {
  const rows = await db.query<Stored<ShipmentLabel>>(
    `select ${columns.selected} from shipment_labels t where t.org_id = $1 and t.id = any($2::uuid[])`,
    [orgId, ids],
  );
  return rows.map(toLabel);
}

/** Labels of an account by ID or shipment of the lead parcel, in the order of purchase. Uses the primary key and shipment_labels_by_shipment. */
export async function listSoldBy(
  db: Queryable,
  orgId: string,
  accountId: string,
  { ids, shipmentIds }: { ids: string[]; shipmentIds: string[] },
): Promise<ShipmentLabel[]> {
  if (ids.length + shipmentIds.length === 0) return [];
  const rows = await db.query<Stored<ShipmentLabel>>(
    `select ${columns.selected} from shipment_labels t
      where t.org_id = $1 and t.carrier_account_id = $2 and (t.id = any($3::uuid[]) or t.shipment_id = any($4::uuid[]))
        and t.purchased_at is not null
      order by t.purchased_at, t.id`,
    [orgId, accountId, ids, shipmentIds],
  );
  return rows.map(toLabel);
}

/**
 * Labels of parcels that are cancelled in the tracking of their carrier, by shipment. Reads the small index
 * shipments_cancelled_by_carrier as a whole; each label is found by its ID in the metadata, or by the shipment of its lead parcel.
 */
export async function listCancelledAcrossOrgs(
  db: Queryable,
  afterShipmentId: string,
  limit: number,
): Promise<{ orgId: string; shipmentId: string; labelId: string }[]> {
  return await db.query<{ orgId: string; shipmentId: string; labelId: string }>(
    `select shipment.org_id as "orgId", shipment.id as "shipmentId", label.id as "labelId"
       from shipments shipment
       join shipment_labels label
         on label.org_id = shipment.org_id
        and (label.shipment_id = shipment.id
             or label.id = case when shipment.metadata ->> 'labelId' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                                then (shipment.metadata ->> 'labelId')::uuid end)
      where shipment.status = 'cancelled' and shipment.voided_at is null and shipment.id > $1
        and label.status = 'purchased' and label.void_requested_at is null
      order by shipment.id
      limit $2`,
    [afterShipmentId, limit],
  );
}

/** For a change beside the label. Keeps the lease of a request that is under way. */
export async function touchLabel(tx: Tx, orgId: string, id: string, at: string): Promise<void> {
  await tx.query("update shipment_labels set version = version + 1, updated_at = $3 where org_id = $1 and id = $2", [
    orgId,
    id,
    at,
  ]);
}

/** Locks in the order of IDs, so that concurrent writers do not deadlock. */
export async function lockLabels(tx: Tx, orgId: string, ids: string[]): Promise<ShipmentLabel[]> {
  const rows = await tx.query<Stored<ShipmentLabel>>(
    `select ${columns.selected} from shipment_labels t where t.org_id = $1 and t.id = any($2::uuid[])
      order by t.id for update`,
    [orgId, ids],
  );
  return rows.map(toLabel);
}

/** The outcome of a label request or void request of a run step. `orderId`: null if the order was deleted. */
export type StepLabel = Pick<
  ShipmentLabel,
  "id" | "orderId" | "status" | "failure" | "refund" | "costCents" | "currency" | "quote"
> & {
  orgId: string;
  runId: string;
  runStep: number;
};

/** Cheaper than the transaction that follows; mostly there are none. */
export async function hasLabelsOfRunsAcrossOrgs(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ hasSome: boolean }>(
    `select exists (select from shipment_labels where run_id is not null) as "hasSome"`,
  );
  return row!.hasSome;
}

const isOpenRequest = (label: string): string =>
  `(${label}.status = 'requested' or ${label}.void_requested_at is not null)`;

/** The number of pending label and void requests of each of these runs. */
export async function countOpenOfRuns(db: Queryable, orgId: string, runIds: string[]): Promise<Map<string, number>> {
  if (runIds.length === 0) return new Map();
  const rows = await db.query<{ runId: string; count: number }>(
    `select label.run_id as "runId", count(*) as count from shipment_labels label
      where label.org_id = $1 and label.run_id = any($2::uuid[]) and ${isOpenRequest("label")} group by 1`,
    [orgId, runIds],
  );
  return new Map(rows.map(({ runId, count }) => [runId, count]));
}

/**
 * Takes labels whose requests have ended and whose runs have not been updated yet, all labels of a run step together. The
 * caller updates the runs in the same transaction, so that each label is taken once. `mayBeMore`: others may be waiting.
 */
export async function takeEndedOfRunsAcrossOrgs(
  tx: Tx,
  limit: number,
): Promise<{ labels: StepLabel[]; mayBeMore: boolean }> {
  // Both sides use the partial index shipment_labels_of_runs, which holds only labels of unfinished run steps. A label whose order was
  // deleted is a step of its own: otherwise its run would never end.
  const found = await tx.query<StepLabel & { ofStep: number }>(
    `select label.id, label.org_id as "orgId", label.order_id as "orderId", label.run_id as "runId",
            label.run_step as "runStep", label.status, label.failure, label.refund, label.cost_cents as "costCents",
            label.currency, label.quote, greatest(step.count, 1) as "ofStep"
       from shipment_labels label
      cross join lateral (
              select count(*) as count, bool_or(${isOpenRequest("other")}) as is_open
                from shipment_labels other
               where other.run_id = label.run_id
                 and other.order_id = label.order_id
                 and other.run_step = label.run_step) step
      where label.run_id is not null
        and not coalesce(step.is_open, ${isOpenRequest("label")})
      order by label.id
      limit $1
        for update of label skip locked`,
    [limit],
  );
  // Leave out steps with a label that is locked elsewhere or beyond the limit.
  const labels = Map.groupBy(found, ({ id, runId, orderId, runStep }) => `${runId} ${orderId ?? id} ${runStep}`)
    .values()
    .filter((own) => own.length === own[0]!.ofStep)
    .toArray()
    .flat();
  const ids = labels.map(({ id }) => id);
  await tx.query("update shipment_labels set run_id = null, run_step = null where id = any($1::uuid[])", [ids]);
  return { labels, mayBeMore: found.length === limit && labels.length > 0 };
}

/** A file has up to 1 MiB. */
const oldFilesAtOnce = 100;

/** Removes the files of old labels; the labels stay. */
export async function deleteOldLabelFilesAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `update shipment_labels set content = null where id in (
       select id from shipment_labels where content is not null and purchased_at < $1
        order by purchased_at limit ${oldFilesAtOnce} for update skip locked)
     returning org_id`,
    [before],
  );
  if (rows.length > 0) return rows.map(({ org_id }) => org_id);
  // Further parcels and documents are few: their table is read whole.
  const others = await tx.query<{ org_id: string }>(
    `delete from shipment_label_files where (label_id, kind, position) in (
       select file.label_id, file.kind, file.position
         from shipment_label_files file
         join shipment_labels label on label.id = file.label_id
        where label.purchased_at < $1
        limit ${oldFilesAtOnce})
     returning org_id`,
    [before],
  );
  return others.map(({ org_id }) => org_id);
}
