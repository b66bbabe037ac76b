import type { Page } from "../../core/page.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import type { BridgeQuery } from "./bridges.schemas.ts";

export type BridgeRow = {
  id: string;
  org_id: string;
  name: string;
  connector: string;
  settings: Record<string, unknown>;
  sealed_credentials: string | null;
  is_active: boolean;
  concurrency: number | null;
  number_prefix: string | null;
  consecutive_failures: number;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_error: { code: string; message: string } | null;
  created_at: Date;
  updated_at: Date;
  version: number;
};

const columns = `id, org_id, name, connector, settings, sealed_credentials, is_active, concurrency, number_prefix,
  consecutive_failures, last_success_at, last_failure_at, last_error, created_at, updated_at, version`;

const findStatement: Prepared = {
  name: "bridges_find",
  text: `select ${columns} from bridges where org_id = $1 and id = $2 and deleted_at is null`,
};

export async function findBridge(db: Queryable, orgId: string, id: string): Promise<BridgeRow | undefined> {
  const [row] = await db.query<BridgeRow>(findStatement, [orgId, id]);
  return row;
}

/** `for no key update` does not block inserts that reference the bridge, such as executions. */
export async function lockBridge(tx: Tx, orgId: string, id: string): Promise<BridgeRow | undefined> {
  const [row] = await tx.query<BridgeRow>(`${findStatement.text} for no key update`, [orgId, id]);
  return row;
}

/** Blocks concurrent updates and deletion. */
export async function holdBridge(tx: Tx, orgId: string, id: string): Promise<BridgeRow | undefined> {
  const [row] = await tx.query<BridgeRow>(`${findStatement.text} for share`, [orgId, id]);
  return row;
}

export async function listBridges(db: Queryable, orgId: string, query: BridgeQuery): Promise<Page<BridgeRow>> {
  return await listPage<BridgeRow>(db, query, {
    select: columns,
    from: "bridges",
    where: [
      ["org_id = ?", orgId],
      "deleted_at is null",
      ["connector = ?", query.connector],
      ["is_active = ?", query.isActive],
      ["name ilike ?", likePattern(query.search)],
    ],
    orderBy: "created_at desc, id desc",
  });
}

export async function listAllBridges(db: Queryable, orgId: string): Promise<BridgeRow[]> {
  return await db.query<BridgeRow>(
    `select ${columns} from bridges where org_id = $1 and deleted_at is null order by created_at, id`,
    [orgId],
  );
}

export type BridgeValues = Pick<
  BridgeRow,
  "id" | "name" | "connector" | "settings" | "sealed_credentials" | "is_active" | "concurrency" | "number_prefix"
> & { at: Date };

export async function insertBridge(tx: Tx, orgId: string, bridge: BridgeValues): Promise<BridgeRow> {
  const [row] = await tx.query<BridgeRow>(
    `insert into bridges (id, org_id, name, connector, settings, sealed_credentials, is_active, concurrency, number_prefix,
       created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) returning ${columns}`,
    [bridge.id, orgId, bridge.name, bridge.connector, ...valuesOf(bridge)],
  );
  return row!;
}

/** New settings or credentials reset the health. */
export async function updateBridge(
  tx: Tx,
  orgId: string,
  bridge: BridgeValues,
  forgetHealth: boolean,
): Promise<BridgeRow> {
  const [row] = await tx.query<BridgeRow>(
    `update bridges set name = $3, settings = $4, sealed_credentials = $5, is_active = $6, concurrency = $7,
       number_prefix = $8, updated_at = $9, version = version + 1,
       consecutive_failures = case when $10 then 0 else consecutive_failures end,
       last_error = case when $10 then null else last_error end
      where id = $1 and org_id = $2 returning ${columns}`,
    [bridge.id, orgId, bridge.name, ...valuesOf(bridge), forgetHealth],
  );
  return row!;
}

/** Soft delete, since orders and executions refer to the bridge; its secrets are erased. */
export async function removeBridge(tx: Tx, orgId: string, id: string, at: Date): Promise<void> {
  await tx.query(
    `update bridges set deleted_at = $3, is_active = false, sealed_credentials = null, updated_at = $3
      where org_id = $1 and id = $2`,
    [orgId, id, at],
  );
}

export async function findBridgeIds(db: Queryable, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from bridges where org_id = $1 and id = any($2::uuid[]) and deleted_at is null",
    [orgId, ids],
  );
  return rows.map((row) => row.id);
}

/** For the task engine, across organizations; without deleted bridges. */
export async function findBridgesAcrossOrgs(db: Queryable, ids: string[]): Promise<BridgeRow[]> {
  return await db.query<BridgeRow>(
    {
      name: "bridges_find_many",
      text: `select ${columns} from bridges where id = any($1::uuid[]) and deleted_at is null`,
    },
    [ids],
  );
}

/** `bridge` as of the call. May combine several calls: `error` is that of the last one. */
export type BridgeOutcome = {
  bridge: Pick<BridgeRow, "id" | "version">;
  error: { code: string; message: string } | null;
  /** Consecutive failures at the end; 1 for a single call. */
  failures?: number;
  /** Whether earlier calls had the opposite result. */
  isMixed?: boolean;
};

/**
 * Saves the health of bridges, one row each, by primary key. The version does not change; results of an earlier version are
 * ignored, since the bridge was reconfigured.
 */
export async function noteOutcomes(db: Queryable, outcomes: BridgeOutcome[], at: Date): Promise<void> {
  const records = outcomes.map(({ bridge: { id, version }, error, failures = 1, isMixed = false }) => ({
    id,
    version,
    error,
    failures,
    succeeded: error === null || isMixed,
    failed: error !== null || isMixed,
  }));
  await db.query(
    `update bridges bridge set
       consecutive_failures = case
         when outcome.error is null then 0
         when outcome.succeeded then outcome.failures
         else bridge.consecutive_failures + outcome.failures end,
       last_success_at = case when outcome.succeeded then $2 else bridge.last_success_at end,
       last_failure_at = case when outcome.failed then $2 else bridge.last_failure_at end,
       last_error = outcome.error
      from jsonb_to_recordset($1::jsonb)
        as outcome (id uuid, version integer, error jsonb, failures integer, succeeded boolean, failed boolean)
      where bridge.id = outcome.id and bridge.version = outcome.version`,
    [JSON.stringify(records), at],
  );
}

function valuesOf({
  settings,
  sealed_credentials,
  is_active,
  concurrency,
  number_prefix,
  at,
}: BridgeValues): unknown[] {
  return [settings, sealed_credentials, is_active, concurrency, number_prefix, at];
}
