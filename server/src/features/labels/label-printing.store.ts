import type { Queryable, Tx } from "../../db/database.ts";
import type { LabelContent } from "./labels.store.ts";

export type StoredFile = LabelContent & { labelId: string };

/** All files of these labels, parcels before documents. */
export async function readFilesOf(db: Queryable, orgId: string, labelIds: string[]): Promise<StoredFile[]> {
  return await db.query<StoredFile>(
    `select id as "labelId", 'parcel' as kind, 0 as position, content
       from shipment_labels
      where org_id = $1 and id = any($2::uuid[]) and content is not null
     union all
     select label_id, kind, position, content
       from shipment_label_files
      where org_id = $1 and label_id = any($2::uuid[])`,
    [orgId, labelIds],
  );
}

/** Leaves leases and due times as they are: a request about the label may be pending. */
export async function countPrint(tx: Tx, orgId: string, labelIds: string[], at: Date): Promise<void> {
  await tx.query(
    `update shipment_labels
        set printed_at = coalesce(printed_at, $3),
            print_count = print_count + 1,
            updated_at = $3,
            version = version + 1
      where org_id = $1 and id = any($2::uuid[])`,
    [orgId, labelIds, at],
  );
}
