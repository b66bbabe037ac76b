import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { splitNames } from "../../core/schema.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { leasedRecords } from "../../queue/leased-records.ts";
import type { StoredManifest } from "./manifest.ts";
import type { ManifestQuery } from "./manifests.schemas.ts";

/** Without the file, which is only read for downloads. */
const columns = defineColumns<StoredManifest>("t", {
  carrierAccountId: "uuid",
  carrier: "text",
  locationId: "uuid",
  status: "text",
  from: { type: "jsonb", name: "from_address" },
  shipDate: "date",
  handoverGroup: "text",
  labelCount: "integer",
  packageCount: "integer",
  number: "text",
  contentType: "text",
  contentBytes: "integer",
  carrierData: "jsonb",
  failure: "jsonb",
  attempts: "integer",
  dueAt: moment,
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});
export const {
  find: findManifest,
  lock: lockManifest,
  insert: insertManifests,
  update: updateManifest,
  effects: manifestEffects,
  leases: manifestLeases,
  fromRow: toManifest,
} = leasedRecords("shipment_manifests", columns);

export async function keepContent(tx: Tx, orgId: string, id: string, content: Buffer): Promise<void> {
  await tx.query("update shipment_manifests set content = $3 where org_id = $1 and id = $2", [orgId, id, content]);
}

export async function readContent(db: Queryable, orgId: string, id: string): Promise<Buffer | undefined> {
  const [row] = await db.query<{ content: Buffer | null }>(
    "select content from shipment_manifests where org_id = $1 and id = $2",
    [orgId, id],
  );
  return row?.content ?? undefined;
}

export async function listManifests(db: Queryable, orgId: string, query: ManifestQuery): Promise<Page<StoredManifest>> {
  const page = await listPage<Stored<StoredManifest>>(db, query, {
    select: columns.selected,
    from: "shipment_manifests t",
    where: [
      ["t.org_id = ?", orgId],
      ["t.status = any(?)", query.status === undefined ? null : splitNames(query.status)],
      ["t.carrier_account_id = ?", query.carrierAccountId],
      ["t.location_id = ?", query.locationId],
      ["t.ship_date = ?", query.shipDate],
    ],
    orderBy: "t.created_at desc, t.id desc",
  });
  return mapPage(page, toManifest);
}

const oldFilesAtOnce = 100;

/** Removes the files of old manifests; the manifests stay. */
export async function deleteOldManifestFilesAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `update shipment_manifests set content = null where id in (
       select id from shipment_manifests where content is not null and created_at < $1
        order by created_at limit ${oldFilesAtOnce} for update skip locked)
     returning org_id`,
    [before],
  );
  return rows.map(({ org_id }) => org_id);
}
