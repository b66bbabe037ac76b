import type { Page } from "../../core/page.ts";
import { offsetOf, toPage } from "../../core/page.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import { likePattern } from "../../db/like-pattern.ts";
import type { Location, LocationQuery } from "./locations.schemas.ts";

type LocationRow = Omit<Location, "created_at" | "updated_at"> & { created_at: Date; updated_at: Date };

const columns = "id, name, type, address, is_default, is_active, metadata, created_at, updated_at, version";

const findStatement: Prepared = {
  name: "locations_find",
  text: `select ${columns} from locations where org_id = $1 and id = $2`,
};

export async function findLocation(db: Queryable, orgId: string, id: string): Promise<Location | undefined> {
  const [row] = await db.query<LocationRow>(findStatement, [orgId, id]);
  return row && present(row);
}

export async function listLocations(db: Queryable, orgId: string, query: LocationQuery): Promise<Page<Location>> {
  const where = `org_id = $1 and ($2::text is null or type = $2) and ($3::boolean is null or is_active = $3)
    and ($4::text is null or name ilike $4)`;
  const pattern = query.search === undefined ? null : likePattern(query.search);
  const filter = [orgId, query.type ?? null, query.is_active ?? null, pattern];
  const rows = await db.query<LocationRow>(
    `select ${columns} from locations where ${where} order by created_at desc, id desc limit $5 offset $6`,
    [...filter, query.limit, offsetOf(query)],
  );
  const [count] = await db.query<{ total: number }>(`select count(*) as total from locations where ${where}`, filter);
  return toPage(rows.map(present), count?.total ?? 0, query);
}

/** Writers of one organization's locations take turns: which one is the default concerns all of them. */
export async function lockLocations(tx: Tx, orgId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`locations:${orgId}`]);
}

export async function countLocations(tx: Tx, orgId: string): Promise<number> {
  const [row] = await tx.query<{ total: number }>("select count(*) as total from locations where org_id = $1", [orgId]);
  return row?.total ?? 0;
}

/** Takes the mark off the present default, if there is one; it is returned as it is afterwards. */
export async function clearDefault(tx: Tx, orgId: string, at: Date): Promise<Location | undefined> {
  const [row] = await tx.query<LocationRow>(
    `update locations set is_default = false, updated_at = $2, version = version + 1
      where org_id = $1 and is_default returning ${columns}`,
    [orgId, at],
  );
  return row && present(row);
}

export type LocationValues = Omit<Location, "created_at" | "updated_at" | "version"> & { at: Date };

export async function insertLocation(tx: Tx, orgId: string, location: LocationValues): Promise<Location> {
  const [row] = await tx.query<LocationRow>(
    `insert into locations (id, org_id, name, type, address, is_default, is_active, metadata, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning ${columns}`,
    [location.id, orgId, ...valuesOf(location)],
  );
  return present(row!);
}

export async function updateLocation(tx: Tx, orgId: string, location: LocationValues): Promise<Location> {
  const [row] = await tx.query<LocationRow>(
    `update locations set name = $3, type = $4, address = $5, is_default = $6, is_active = $7, metadata = $8,
       updated_at = $9, version = version + 1 where id = $1 and org_id = $2 returning ${columns}`,
    [location.id, orgId, ...valuesOf(location)],
  );
  return present(row!);
}

export async function deleteLocation(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from locations where org_id = $1 and id = $2", [orgId, id]);
}

export async function findActiveIds(db: Queryable, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from locations where org_id = $1 and id = any($2::uuid[]) and is_active",
    [orgId, ids],
  );
  return rows.map((row) => row.id);
}

function valuesOf({ name, type, address, is_default, is_active, metadata, at }: LocationValues): unknown[] {
  return [name, type, address, is_default, is_active, metadata, at];
}

function present(row: LocationRow): Location {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}
