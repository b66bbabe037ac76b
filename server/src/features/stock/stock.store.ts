import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { StockQuery } from "./stock.schemas.ts";

/** A level as it is stored. */
export type Level = {
  locationId: string;
  sku: string;
  available: number;
  committed: number | null;
  bridgeId: string | null;
  countedAt: string;
  updatedAt: string;
};
type LevelRow = Omit<Level, "countedAt" | "updatedAt"> & { countedAt: Date; updatedAt: Date };

const columns = `level.location_id as "locationId", level.sku, level.available, level.committed, level.bridge_id as "bridgeId",
  level.counted_at as "countedAt", level.updated_at as "updatedAt"`;

export async function listLevels(db: Queryable, orgId: string, query: StockQuery): Promise<Page<Level>> {
  const page = await listPage<LevelRow>(db, query, {
    select: columns,
    from: "stock_levels level",
    where: [
      ["level.org_id = ?", orgId],
      ["level.sku = ?", query.sku],
      ["strpos(lower(level.sku), lower(?)) > 0", query.search],
      ["level.location_id = ?", query.locationId],
      ["level.available < ?", query.below],
    ],
    orderBy: "level.sku, level.location_id",
  });
  return mapPage(page, present);
}

/** The levels of these SKUs at all locations, by the index stock_levels_by_sku. */
export async function readLevels(db: Queryable, orgId: string, skus: string[]): Promise<Level[]> {
  if (skus.length === 0) return [];
  const rows = await db.query<LevelRow>(
    `select ${columns} from stock_levels level where level.org_id = $1 and level.sku = any($2::text[])
      order by level.sku, level.location_id`,
    [orgId, skus],
  );
  return rows.map(present);
}

export type NewLevel = Pick<Level, "locationId" | "sku" | "available" | "committed">;
type Report = { bridgeId: string | null; countedAt: Date; now: Date };
type Written = { created: number; updated: number; unchanged: number; outdated: number };

/**
 * Inserts or updates levels by their primary key, in its order, so that two reports of the same levels wait for each other instead of
 * deadlocking. Returns no row for a level whose stored report is newer. `updated_at` is set only if a number has changed, which also
 * tells updated from unchanged levels; comparing with the rows as they were before would join thousands of rows without statistics.
 */
const writeStatement = `with written as (
    insert into stock_levels as level
      (org_id, location_id, sku, available, committed, counted_at, bridge_id, updated_at)
    select $1::uuid, given.location_id, given.sku, given.available, given.committed, $3::timestamptz, $4::uuid,
           $5::timestamptz
      from jsonb_to_recordset($2::jsonb) as given (location_id uuid, sku text, available float8, committed float8)
     order by given.location_id, given.sku
    on conflict (location_id, sku) do update set
      available = excluded.available, committed = excluded.committed, counted_at = excluded.counted_at,
      bridge_id = excluded.bridge_id,
      updated_at = case when level.available is distinct from excluded.available
        or level.committed is distinct from excluded.committed then excluded.updated_at else level.updated_at end
      where level.counted_at <= excluded.counted_at
    returning level.xmax = 0 as is_created, level.updated_at = $5 as is_changed)
  select count(*)::integer as written,
         (count(*) filter (where is_created))::integer as created,
         (count(*) filter (where is_changed and not is_created))::integer as updated
    from written`;

/** Each location and SKU at most once. */
export async function writeLevels(tx: Tx, orgId: string, levels: NewLevel[], report: Report): Promise<Written> {
  if (levels.length === 0) return { created: 0, updated: 0, unchanged: 0, outdated: 0 };
  const records = levels.map(({ locationId, ...level }) => ({ location_id: locationId, ...level }));
  const values = [orgId, JSON.stringify(records), report.countedAt, report.bridgeId, report.now];
  const [row] = await tx.query<{ written: number; created: number; updated: number }>(writeStatement, values);
  const { written, created, updated } = row!;
  return { created, updated, unchanged: written - created - updated, outdated: levels.length - written };
}

/** After a complete pull: deletes the levels of the bridge that were not reported since it began. Returns their number. */
export async function deleteUnlisted(tx: Tx, orgId: string, bridgeId: string, since: Date): Promise<number> {
  const [row] = await tx.query<{ deleted: number }>(
    `with unlisted as (
       select location_id, sku from stock_levels
        where org_id = $1 and bridge_id = $2 and counted_at < $3
        order by location_id, sku for update),
     deleted as (
       delete from stock_levels level using unlisted
        where level.location_id = unlisted.location_id and level.sku = unlisted.sku returning level.sku)
     select count(*)::integer as deleted from deleted`,
    [orgId, bridgeId, since],
  );
  return row!.deleted;
}

function present(row: LevelRow): Level {
  return { ...row, countedAt: row.countedAt.toISOString(), updatedAt: row.updatedAt.toISOString() };
}
