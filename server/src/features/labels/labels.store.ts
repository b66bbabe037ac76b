import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { splitNames } from "../../core/schema.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { leasedRecords } from "../../queue/leased-records.ts";
import type { ShipmentLabel } from "./label.ts";
import type { LabelQuery } from "./labels.schemas.ts";

/** All but the content, which is only read to be printed. */
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
  reference: "text",
  lines: "jsonb",
  trackingNumber: "text",
  costCents: "bigint",
  contentType: "text",
  contentBytes: "integer",
  carrierData: "jsonb",
  failure: "jsonb",
  voidRequestedAt: moment,
  runId: "uuid",
  runStep: "integer",
  attempts: "integer",
  dueAt: moment,
  purchasedAt: moment,
  voidedAt: moment,
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
  leases: labelLeases,
  fromRow: toLabel,
} = leasedRecords("shipment_labels", columns);

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

export async function listLabels(db: Queryable, orgId: string, query: LabelQuery): Promise<Page<ShipmentLabel>> {
  const page = await listPage<Stored<ShipmentLabel>>(db, query, {
    select: columns.selected,
    from: "shipment_labels t",
    where: [
      ["t.org_id = ?", orgId],
      ["t.status = any(?)", query.status === undefined ? null : splitNames(query.status)],
      ["t.order_id = ?", query.orderId],
      ["t.shipment_id = ?", query.shipmentId],
    ],
    orderBy: "t.created_at desc, t.id desc",
  });
  return mapPage(page, toLabel);
}

/** Those of these orders that are paid for, or may be. */
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

/** In the order of their ids. */
export async function lockLabels(tx: Tx, orgId: string, ids: string[]): Promise<ShipmentLabel[]> {
  const rows = await tx.query<Stored<ShipmentLabel>>(
    `select ${columns.selected} from shipment_labels t where t.org_id = $1 and t.id = any($2::uuid[])
      order by t.id for update`,
    [orgId, ids],
  );
  return rows.map(toLabel);
}

/** How one label ended that a step of a run asked for, or asked to give back. */
export type StepLabel = Pick<ShipmentLabel, "id" | "status" | "failure"> & {
  orgId: string;
  orderId: string;
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

/** How many labels each of these runs has asked carriers for, or to take back, without an answer so far. */
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
 * Those that have ended and whose runs do not know it yet, a step of an order with all its labels or not at all. Whoever
 * takes them tells the runs in the same transaction: nobody gets them a second time. `mayBeMore`: of others than these.
 */
export async function takeEndedOfRunsAcrossOrgs(
  tx: Tx,
  limit: number,
): Promise<{ labels: StepLabel[]; mayBeMore: boolean }> {
  const found = await tx.query<StepLabel & { ofStep: number }>(
    `select t.id, t.org_id as "orgId", t.order_id as "orderId", t.run_id as "runId", t.run_step as "runStep", t.status, t.failure,
         s.count as "ofStep"
       from shipment_labels t cross join lateral (
         select count(*) as count, bool_or(${isOpenRequest("o")}) as is_open from shipment_labels o
          where o.run_id = t.run_id and o.order_id = t.order_id and o.run_step = t.run_step) s
      where t.run_id is not null and not s.is_open order by t.id limit $1 for update of t skip locked`,
    [limit],
  );
  // Of some steps others have a label locked, or it is beyond the limit.
  const labels = Map.groupBy(found, ({ runId, orderId, runStep }) => `${runId} ${orderId} ${runStep}`)
    .values()
    .filter((own) => own.length === own[0]!.ofStep)
    .toArray()
    .flat();
  const ids = labels.map(({ id }) => id);
  await tx.query("update shipment_labels set run_id = null, run_step = null where id = any($1::uuid[])", [ids]);
  return { labels, mayBeMore: found.length === limit && labels.length > 0 };
}

/** Each may have 1 MiB. */
const oldFilesAtOnce = 100;

/** Of labels that were bought long ago only what was printed is removed. */
export async function deleteOldLabelFilesAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `update shipment_labels set content = null where id in (
       select id from shipment_labels where content is not null and purchased_at < $1
        order by purchased_at limit ${oldFilesAtOnce} for update skip locked)
     returning org_id`,
    [before],
  );
  return rows.map(({ org_id }) => org_id);
}
