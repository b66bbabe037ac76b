import type { Page, PageRequest } from "../core/page.ts";
import { mapPage } from "../core/page.ts";
import type { ResourceKind } from "../core/resources.ts";
import { orNotFound } from "../core/resources.ts";
import type { Columns, Stored } from "./columns.ts";
import { toRecord, writing } from "./columns.ts";
import type { Queryable, Tx } from "./database.ts";
import type { Condition } from "./list-page.ts";
import { listPage } from "./list-page.ts";

/** Basic statements for records of an organization in one table, with the alias `t`. */
export function recordsIn<Thing extends { id: string }>(table: string, kind: ResourceKind, columns: Columns<Thing>) {
  const { names, values, shape, sets } = writing(columns.all);
  const one = `select ${columns.selected} from ${table} t where t.org_id = $1 and t.id = $2`;
  const given = `jsonb_to_record($2::jsonb) as u (${shape})`;
  const insert = `insert into ${table} (id, org_id, ${names}) select u.id, $1, ${values} from ${given}`;
  const update = `update ${table} t set ${sets} from ${given} where t.org_id = $1 and t.id = u.id`;
  const toText = (thing: Thing, orgId: string): string => JSON.stringify(toRecord(columns.all, thing, orgId));
  return {
    async get(db: Queryable, orgId: string, id: string): Promise<Thing> {
      const [row] = await db.query<Stored<Thing>>({ name: `${table}_find`, text: one }, [orgId, id]);
      return columns.fromRow(orNotFound(kind, row));
    },
    /** Serializes writers of the same record. */
    async lock(tx: Tx, orgId: string, id: string): Promise<Thing> {
      const [row] = await tx.query<Stored<Thing>>(`${one} for update`, [orgId, id]);
      return columns.fromRow(orNotFound(kind, row));
    },
    /** Newest first, unless `orderBy` says otherwise. */
    async list(
      db: Queryable,
      orgId: string,
      query: PageRequest,
      filters: Condition[] = [],
      orderBy = "t.created_at desc, t.id desc",
    ): Promise<Page<Thing>> {
      const page = await listPage<Stored<Thing>>(db, query, {
        select: columns.selected,
        from: `${table} t`,
        where: [["t.org_id = ?", orgId], ...filters],
        orderBy,
      });
      return mapPage(page, columns.fromRow);
    },
    async insert(tx: Tx, orgId: string, thing: Thing): Promise<void> {
      await tx.query({ name: `${table}_insert`, text: insert }, [orgId, toText(thing, orgId)]);
    },
    async update(tx: Tx, orgId: string, thing: Thing): Promise<void> {
      await tx.query({ name: `${table}_update`, text: update }, [orgId, toText(thing, orgId)]);
    },
    async remove(tx: Tx, orgId: string, id: string): Promise<void> {
      await tx.query(`delete from ${table} where org_id = $1 and id = $2`, [orgId, id]);
    },
  };
}
