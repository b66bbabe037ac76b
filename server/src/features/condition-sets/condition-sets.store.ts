import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import type { ConditionSet, ConditionSetQuery, ConditionSetUse, ValuesQuery } from "./condition-sets.schemas.ts";
import type { Matching } from "./match-key.ts";

type ConditionSetRow = {
  id: string;
  name: string;
  description: string;
  matching: Matching;
  value_count: number;
  used_by: ConditionSetUse[] | null;
  created_at: Date;
  updated_at: Date;
  version: number;
};

const columns = `s.id, s.name, s.description, s.matching, s.value_count, s.version, s.created_at, s.updated_at,
  (select json_agg(json_build_object('type', u.user_type, 'id', u.user_id, 'name', u.user_name) order by u.user_name)
     from condition_set_uses u where u.set_id = s.id) as used_by`;

const findStatement: Prepared = {
  name: "condition_sets_find",
  text: `select ${columns} from condition_sets s where s.org_id = $1 and s.id = $2`,
};

export async function findConditionSet(db: Queryable, orgId: string, id: string): Promise<ConditionSet | undefined> {
  const [row] = await db.query<ConditionSetRow>(findStatement, [orgId, id]);
  return row && present(row);
}

/**
 * Writers of one set take turns, so that counts and limits are exact. Read after the lock was got, not with it: a statement
 * that has waited for somebody does not see the uses which they have written.
 */
export async function lockConditionSet(tx: Tx, orgId: string, id: string): Promise<ConditionSet | undefined> {
  await tx.query("select 1 from condition_sets where org_id = $1 and id = $2 for update", [orgId, id]);
  return await findConditionSet(tx, orgId, id);
}

export async function listConditionSets(
  db: Queryable,
  orgId: string,
  query: ConditionSetQuery,
): Promise<Page<ConditionSet>> {
  const page = await listPage<ConditionSetRow>(db, query, {
    select: columns,
    from: "condition_sets s",
    where: [
      ["s.org_id = ?", orgId],
      ["s.name ilike ?", likePattern(query.search)],
    ],
    orderBy: "s.created_at desc, s.id desc",
  });
  return mapPage(page, present);
}

export type NewConditionSet = { id: string; name: string; description: string; matching: Matching; at: Date };

export async function insertConditionSet(tx: Tx, orgId: string, set: NewConditionSet): Promise<ConditionSet> {
  const [row] = await tx.query<ConditionSetRow>(
    `insert into condition_sets as s (id, org_id, name, description, matching, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6) returning ${columns}`,
    [set.id, orgId, set.name, set.description, set.matching, set.at],
  );
  return present(row!);
}

export async function updateConditionSet(tx: Tx, orgId: string, set: NewConditionSet): Promise<ConditionSet> {
  const [row] = await tx.query<ConditionSetRow>(
    `update condition_sets s set name = $3, description = $4, matching = $5, updated_at = $6, version = version + 1
      where s.org_id = $1 and s.id = $2 returning ${columns}`,
    [orgId, set.id, set.name, set.description, set.matching, set.at],
  );
  return present(row!);
}

export async function deleteConditionSet(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from condition_sets where org_id = $1 and id = $2", [orgId, id]);
}

/** Returns how many were new. Keys must be unique within the call. */
export async function insertValues(tx: Tx, setId: string, keys: string[], values: string[]): Promise<number> {
  const [row] = await tx.query<{ added: number }>(
    `with added as (
       insert into condition_set_values (set_id, match_key, value)
       select $1, k, v from unnest($2::text[], $3::text[]) with ordinality as t (k, v, n) order by n
       on conflict do nothing returning 1)
     select count(*) as added from added`,
    [setId, keys, values],
  );
  return row?.added ?? 0;
}

/** Returns the keys that were there. */
export async function deleteValues(tx: Tx, setId: string, keys: string[]): Promise<string[]> {
  const rows = await tx.query<{ match_key: string }>(
    "delete from condition_set_values where set_id = $1 and match_key = any($2::text[]) returning match_key",
    [setId, keys],
  );
  return rows.map((row) => row.match_key);
}

export async function clearValues(tx: Tx, setId: string): Promise<void> {
  await tx.query("delete from condition_set_values where set_id = $1", [setId]);
}

/** Returns the version that the set has by that. */
export async function setValueCount(tx: Tx, orgId: string, id: string, count: number, at: Date): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    `update condition_sets set value_count = $3, updated_at = $4, version = version + 1
      where org_id = $1 and id = $2 returning version`,
    [orgId, id, count, at],
  );
  return row!.version;
}

export async function listValues(
  db: Queryable,
  set: ConditionSet,
  query: ValuesQuery,
  containsKey: string | undefined,
): Promise<Page<string>> {
  const isFiltered = query.search !== undefined || containsKey !== undefined;
  const page = await listPage<{ value: string }>(db, query, {
    select: "value",
    from: "condition_set_values",
    where: [
      ["set_id = ?", set.id],
      ["value ilike ?", likePattern(query.search)],
      ["match_key = ?", containsKey],
    ],
    orderBy: "position",
    total: isFiltered ? undefined : set.valueCount,
  });
  return mapPage(page, ({ value }) => value);
}

export type SetKeys = { id: string; name: string; matching: Matching; keys: string[] };

export async function loadSetKeys(db: Queryable, orgId: string, idsOrNames: string[]): Promise<SetKeys[]> {
  return await db.query<SetKeys>(
    `select s.id, s.name, s.matching,
            array(select v.match_key from condition_set_values v where v.set_id = s.id) as keys
       from condition_sets s where s.org_id = $1 and (s.id::text = any($2::text[]) or lower(s.name) = any($2::text[]))`,
    [orgId, idsOrNames.map((name) => name.toLowerCase())],
  );
}

export type SetStamp = { id: string; name: string; version: number };

export async function findSets(db: Queryable, orgId: string, idsOrNames: string[]): Promise<SetStamp[]> {
  return await db.query<SetStamp>(
    `select id, name, version from condition_sets
      where org_id = $1 and (id::text = any($2::text[]) or lower(name) = any($2::text[])) order by id`,
    [orgId, idsOrNames.map((name) => name.toLowerCase())],
  );
}

export async function replaceUses(tx: Tx, orgId: string, user: ConditionSetUse, setIds: string[]): Promise<void> {
  await tx.query("delete from condition_set_uses where org_id = $1 and user_type = $2 and user_id = $3", [
    orgId,
    user.type,
    user.id,
  ]);
  await tx.query(
    `insert into condition_set_uses (set_id, org_id, user_type, user_id, user_name)
     select id, org_id, $2, $3, $4 from condition_sets where org_id = $1 and (id::text = any($5::text[]) or lower(name) = any($5::text[]))`,
    [orgId, user.type, user.id, user.name, setIds.map((set) => set.toLowerCase())],
  );
}

function present(row: ConditionSetRow): ConditionSet {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    matching: row.matching,
    valueCount: row.value_count,
    usedBy: row.used_by ?? [],
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
