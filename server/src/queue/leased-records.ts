import type { Columns, Stored } from "../db/columns.ts";
import { toRecord, writing } from "../db/columns.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { LeasedRow, Leases } from "./leases.ts";
import { effectAttempts } from "./effect-attempts.ts";
import { leasesOn } from "./leases.ts";

export type LeasedRecords<Item> = {
  leases: Leases<LeasedRow & Stored<Item>>;
  fromRow(row: Stored<Item>): Item;
};

/** Records in a table of their own (alias `t`) that are processed under leases. */
export function leasedRecords<Item extends { id: string; attempts: number; dueAt: string | null }>(
  table: string,
  columns: Columns<Item>,
) {
  const { names, values, shape, sets } = writing(columns.all);
  const toText = (items: Item[], orgId: string): string =>
    JSON.stringify(items.map((item) => toRecord(columns.all, item, orgId)));
  const fromRow = (row: Stored<Item>): Item => columns.fromRow({ ...row });
  const find = async (db: Queryable, orgId: string, id: string, ending = ""): Promise<Item | undefined> => {
    const text = `select ${columns.selected} from ${table} t where t.org_id = $1 and t.id = $2 ${ending}`;
    const [row] = await db.query<Stored<Item>>(text, [orgId, id]);
    return row && fromRow(row);
  };
  /** Also releases the lease: the record says when it is due again. */
  const updateAll = async (tx: Tx, orgId: string, items: Item[]): Promise<void> => {
    await tx.query(
      `update ${table} t set lease_owner = null, lease_until = null, ${sets}
         from jsonb_to_recordset($2::jsonb) as u (${shape}) where t.org_id = $1 and t.id = u.id`,
      [orgId, toText(items, orgId)],
    );
  };
  return {
    fromRow,
    find: (db: Queryable, orgId: string, id: string) => find(db, orgId, id),
    lock: (tx: Tx, orgId: string, id: string) => find(tx, orgId, id, "for update"),
    async insert(tx: Tx, orgId: string, items: Item[]): Promise<void> {
      await tx.query(
        `insert into ${table} (id, org_id, ${names})
         select u.id, $1, ${values} from jsonb_to_recordset($2::jsonb) as u (${shape})`,
        [orgId, toText(items, orgId)],
      );
    },
    update: (tx: Tx, orgId: string, item: Item) => updateAll(tx, orgId, [item]),
    updateAll,
    /** The table has the column `carrier_request`. */
    effects: effectAttempts(table),
    leases: leasesOn<LeasedRow & Stored<Item>>({
      table,
      columns: `t.org_id, ${columns.selected}`,
      attempts: "attempts",
      clock: "hub",
      leaseMs: 60_000,
    }),
  };
}
