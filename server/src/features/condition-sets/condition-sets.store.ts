import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import type { ConditionSet, ConditionSetQuery, ConditionSetUse, ValuesQuery } from "./condition-sets.schemas.ts";
import type { Matching } from "./match-key.ts";

const columns = defineColumns<ConditionSet>("t", {
  name: "text",
  description: "text",
  matching: "text",
  valueCount: "integer",
  usedBy: {
    type: "json",
    selected: `(select json_agg(json_build_object('type', u.user_type, 'id', u.user_id, 'name', u.user_name) order by u.user_name)
      from condition_set_uses u where u.set_id = t.id)`,
    read: (uses) => uses ?? [],
  },
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});
const sets = recordsIn("condition_sets", "condition_set", columns);
export const {
  get: getConditionSet,
  insert: insertConditionSet,
  update: updateConditionSet,
  remove: deleteConditionSet,
} = sets;

/**
 * Writers of one set take turns, so that counts and limits are exact. Read after the lock was got, not with it: a statement
 * that waited for a lock does not see the uses that the other transaction has written.
 */
export async function lockConditionSet(tx: Tx, orgId: string, id: string): Promise<ConditionSet> {
  await tx.query("select 1 from condition_sets where org_id = $1 and id = $2 for update", [orgId, id]);
  return await sets.get(tx, orgId, id);
}

export async function listConditionSets(
  db: Queryable,
  orgId: string,
  query: ConditionSetQuery,
): Promise<Page<ConditionSet>> {
  return await sets.list(db, orgId, query, [["t.name ilike ?", likePattern(query.search)]]);
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

/** As they are kept, the first of those that have one of these keys. */
export async function listPresent(tx: Tx, setId: string, keys: string[], limit: number): Promise<string[]> {
  const rows = await tx.query<{ value: string }>(
    `select v.value from unnest($2::text[]) with ordinality as t (k, n)
       join condition_set_values v on v.set_id = $1 and v.match_key = t.k order by t.n limit $3`,
    [setId, keys, limit],
  );
  return rows.map(({ value }) => value);
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
