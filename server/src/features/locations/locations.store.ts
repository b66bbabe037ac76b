import type { Address } from "../../core/address.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import type { LocationWrite } from "./plan-location-sync.ts";
import type { Location, LocationQuery } from "./locations.schemas.ts";

type LocationRow = Omit<Location, "created_at" | "updated_at" | "last_synced_at"> & {
  created_at: Date;
  updated_at: Date;
  last_synced_at: Date | null;
};

const columns = `id, name, type, address, is_default, is_active, cutoff_time, timezone, metadata, bridge_id, external_id, locked_fields,
  last_synced_at, created_at, updated_at, version`;

const findStatement: Prepared = {
  name: "locations_find",
  text: `select ${columns} from locations where org_id = $1 and id = $2`,
};

export async function findLocation(db: Queryable, orgId: string, id: string): Promise<Location | undefined> {
  const [row] = await db.query<LocationRow>(findStatement, [orgId, id]);
  return row && present(row);
}

export async function listLocations(db: Queryable, orgId: string, query: LocationQuery): Promise<Page<Location>> {
  const page = await listPage<LocationRow>(db, query, {
    select: columns,
    from: "locations",
    where: [
      ["org_id = ?", orgId],
      ["type = ?", query.type],
      ["is_active = ?", query.is_active],
      ["name ilike ?", likePattern(query.search)],
      ["bridge_id = ?", query.bridge_id],
    ],
    orderBy: "created_at desc, id desc",
  });
  return mapPage(page, present);
}

/** Serializes writers of one organization's locations, since the default concerns all of them. */
export async function lockLocations(tx: Tx, orgId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`locations:${orgId}`]);
}

export async function countLocations(tx: Tx, orgId: string): Promise<number> {
  const [row] = await tx.query<{ total: number }>("select count(*) as total from locations where org_id = $1", [orgId]);
  return row?.total ?? 0;
}

export async function hasDefault(tx: Tx, orgId: string): Promise<boolean> {
  const rows = await tx.query("select from locations where org_id = $1 and is_default", [orgId]);
  return rows.length > 0;
}

/** Makes the oldest active location the default if there is none, and returns it. */
export async function ensureDefault(tx: Tx, orgId: string, at: Date): Promise<Location | undefined> {
  const [row] = await tx.query<LocationRow>(
    `update locations set is_default = true, updated_at = $2, version = version + 1
      where id = (select id from locations where org_id = $1 and is_active order by created_at, id limit 1)
        and not exists (select from locations where org_id = $1 and is_default) returning ${columns}`,
    [orgId, at],
  );
  return row && present(row);
}

/** Unsets the present default, if any, and returns it. */
export async function clearDefault(tx: Tx, orgId: string, at: Date): Promise<Location | undefined> {
  const [row] = await tx.query<LocationRow>(
    `update locations set is_default = false, updated_at = $2, version = version + 1
      where org_id = $1 and is_default returning ${columns}`,
    [orgId, at],
  );
  return row && present(row);
}

export type LocationValues = Pick<
  Location,
  | "id"
  | "name"
  | "type"
  | "address"
  | "is_default"
  | "is_active"
  | "cutoff_time"
  | "timezone"
  | "metadata"
  | "locked_fields"
> & { at: Date };

export async function insertLocation(tx: Tx, orgId: string, location: LocationValues): Promise<Location> {
  const [row] = await tx.query<LocationRow>(
    `insert into locations (id, org_id, name, type, address, is_default, is_active, metadata, locked_fields, created_at,
       updated_at, cutoff_time, timezone) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12) returning ${columns}`,
    [location.id, orgId, ...valuesOf(location)],
  );
  return present(row!);
}

export async function updateLocation(tx: Tx, orgId: string, location: LocationValues): Promise<Location> {
  const [row] = await tx.query<LocationRow>(
    `update locations set name = $3, type = $4, address = $5, is_default = $6, is_active = $7, metadata = $8,
       locked_fields = $9, updated_at = $10, cutoff_time = $11, timezone = $12, version = version + 1 where id = $1 and org_id = $2 returning ${columns}`,
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

/** Active locations by their IDs at a bridge. Uses the index locations_external_key. */
export async function findByExternalIds(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  externalIds: string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; external_id: string }>(
    `select id, external_id
       from locations
      where org_id = $1 and bridge_id = $2 and external_id = any($3::text[]) and is_active`,
    [orgId, bridgeId, externalIds],
  );
  return new Map(rows.map((row) => [row.external_id, row.id]));
}

export async function findIds(db: Queryable, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from locations where org_id = $1 and id = any($2::uuid[])", [
    orgId,
    ids,
  ]);
  return rows.map(({ id }) => id);
}

/** Locations with one of these IDs in the hub, and all locations of the bridge. */
export async function listOfBridge(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  ids: string[],
): Promise<{ id: string; external_id: string | null; is_own: boolean }[]> {
  return await db.query(
    `select id, external_id, bridge_id is not distinct from $2 as is_own from locations
      where org_id = $1 and (bridge_id = $2 or id = any($3::uuid[]))`,
    [orgId, bridgeId, ids],
  );
}

export async function listActive(
  db: Queryable,
  orgId: string,
): Promise<{ id: string; name: string; address: Address }[]> {
  return await db.query(
    `select id, name, address from locations where org_id = $1 and is_active
      order by is_default desc, created_at, id`,
    [orgId],
  );
}

export async function listAllLocations(db: Queryable, orgId: string): Promise<Location[]> {
  const rows = await db.query<LocationRow>(
    `select ${columns} from locations where org_id = $1 order by created_at, id`,
    [orgId],
  );
  return rows.map(present);
}

export async function listLocationBridges(db: Queryable, orgId: string): Promise<{ id: string; bridge_id: string }[]> {
  return await db.query("select id, bridge_id from locations where org_id = $1 and bridge_id is not null", [orgId]);
}

export async function listLocationAddresses(db: Queryable, orgId: string): Promise<{ id: string; address: Address }[]> {
  return await db.query("select id, address from locations where org_id = $1 and address is not null", [orgId]);
}

export async function insertSynced(
  tx: Tx,
  orgId: string,
  bridgeId: string,
  writes: LocationWrite[],
  at: Date,
): Promise<void> {
  if (writes.length === 0) return;
  const records = writes.map(({ change, location }) => ({
    ...location,
    id: change.location_id,
    external_id: change.external_id,
  }));
  await tx.query(
    `insert into locations (id, org_id, name, type, address, is_active, is_default, metadata, bridge_id, external_id,
       last_synced_at, created_at, updated_at)
     select u.id, $1, u.name, u.type, u.address, u.is_active, false, '{}', $3, u.external_id, $4, $4, $4
       from jsonb_to_recordset($2::jsonb) as u (id uuid, name text, type text, address jsonb, is_active boolean,
         external_id text)`,
    [orgId, JSON.stringify(records), bridgeId, at],
  );
}

/** Sets `last_synced_at` of all; only changed locations get a new version. */
export async function updateSynced(tx: Tx, orgId: string, writes: LocationWrite[], at: Date): Promise<void> {
  if (writes.length === 0) return;
  const records = writes.map(({ change, location: { name, type, address, is_active } }) => {
    return { id: change.location_id, name, type, address, is_active, is_changed: change.action !== "unchanged" };
  });
  await tx.query(
    `update locations l set name = u.name, type = u.type, address = u.address, is_active = u.is_active,
       last_synced_at = $3, version = l.version + u.is_changed::integer,
       updated_at = case when u.is_changed then $3 else l.updated_at end
      from jsonb_to_recordset($2::jsonb) as u (id uuid, name text, type text, address jsonb, is_active boolean,
        is_changed boolean)
     where l.org_id = $1 and l.id = u.id`,
    [orgId, JSON.stringify(records), at],
  );
}

function valuesOf(values: LocationValues): unknown[] {
  const { name, type, address, is_default, is_active, metadata, locked_fields, at, cutoff_time, timezone } = values;
  return [name, type, address, is_default, is_active, metadata, locked_fields, at, cutoff_time, timezone];
}

function present(row: LocationRow): Location {
  return {
    ...row,
    last_synced_at: row.last_synced_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
