import type { Columns, Stored } from "../db/columns.ts";
import { toRecord, writing } from "../db/columns.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { LeasedRow, Leases } from "./leases.ts";
import { leasesOn } from "./leases.ts";

export type LeasedRecords<Thing> = {
  leases: Leases<LeasedRow & Stored<Thing>>;
  fromRow(row: Stored<Thing>): Thing;
};

/** Things in a table of their own, under the alias `t`, that are worked on under leases. */
export function leasedRecords<Thing extends { id: string; attempts: number; dueAt: string | null }>(
  table: string,
  columns: Columns<Thing>,
) {
  const { names, values, shape, sets } = writing(columns.all);
  const toText = (things: Thing[], orgId: string): string =>
    JSON.stringify(things.map((thing) => toRecord(columns.all, thing, orgId)));
  const fromRow = (row: Stored<Thing>): Thing => columns.fromRow({ ...row });
  const find = async (db: Queryable, orgId: string, id: string, ending = ""): Promise<Thing | undefined> => {
    const text = `select ${columns.selected} from ${table} t where t.org_id = $1 and t.id = $2 ${ending}`;
    const [row] = await db.query<Stored<Thing>>(text, [orgId, id]);
    return row && fromRow(row);
  };
  /** Whoever writes it down has said when it is due again: nobody holds it any longer. */
  const updateAll = async (tx: Tx, orgId: string, things: Thing[]): Promise<void> => {
    await tx.query(
      `update ${table} t set lease_owner = null, lease_until = null, ${sets}
         from jsonb_to_recordset($2::jsonb) as u (${shape}) where t.org_id = $1 and t.id = u.id`,
      [orgId, toText(things, orgId)],
    );
  };
  return {
    fromRow,
    find: (db: Queryable, orgId: string, id: string) => find(db, orgId, id),
    lock: (tx: Tx, orgId: string, id: string) => find(tx, orgId, id, "for update"),
    async insert(tx: Tx, orgId: string, things: Thing[]): Promise<void> {
      await tx.query(
        `insert into ${table} (id, org_id, ${names})
         select u.id, $1, ${values} from jsonb_to_recordset($2::jsonb) as u (${shape})`,
        [orgId, toText(things, orgId)],
      );
    },
    update: (tx: Tx, orgId: string, thing: Thing) => updateAll(tx, orgId, [thing]),
    updateAll,
    leases: leasesOn<LeasedRow & Stored<Thing>>({
      table,
      columns: `t.org_id, ${columns.selected}`,
      attempts: "attempts",
      clock: "hub",
      leaseMs: 60_000,
    }),
  };
}
