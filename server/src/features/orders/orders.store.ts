import { isUuid } from "../../core/ids.ts";
import type { Stored } from "../../db/columns.ts";
import { toRecord, writing } from "../../db/columns.ts";
import { arrayLiteral } from "../../db/array-literal.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import type { Order, OrderFields } from "./order.ts";
import { normalizeNumber } from "./order.ts";
import { orderColumns } from "./order-columns.ts";
import { facetSources } from "./list/order-facets.ts";
import type { OrderMove } from "./list/order-index.store.ts";
import { updateFacets, keepTags, keepWords } from "./list/order-index.store.ts";
import { queueUnsentShipments } from "./unsent-shipments.store.ts";

const { selected, fromRow } = orderColumns;
const byId: Prepared = {
  name: "orders_find_by_id",
  text: `select ${selected} from orders o where o.org_id = $1 and o.id = $2`,
};
/** Orders listed in the error for an ambiguous number. */
const maxListed = 20;
const byNumber: Prepared = {
  name: "orders_find_by_number",
  text: `select ${selected} from orders o where o.org_id = $1 and o.number = $2 order by o.id limit ${maxListed}`,
};

const byIds = `select ${selected} from orders o where o.org_id = $1 and o.id = any($2::uuid[]) order by o.id`;

/** By id, or by number, which several orders may have. A number that looks like an id is found as well. */
export async function findNamed(db: Queryable, orgId: string, ref: string): Promise<Order[]> {
  const rows = isUuid(ref) ? await db.query<Stored<Order>>(byId, [orgId, ref]) : [];
  const found = rows.length > 0 ? rows : await db.query<Stored<Order>>(byNumber, [orgId, normalizeNumber(ref)]);
  return found.map(fromRow);
}

const existingIds = "select o.id from unnest($2::uuid[]) as r (id) join orders o on o.org_id = $1 and o.id = r.id";

/** Resolves IDs and numbers to order IDs, without unknown refs and ambiguous numbers. */
export async function resolveRefs(db: Queryable, orgId: string, refs: string[]): Promise<Map<string, string>> {
  const ids = refs.filter(isUuid);
  const byId = ids.length === 0 ? [] : await db.query<{ id: string }>(existingIds, [orgId, arrayLiteral(ids)]);
  const there = new Set(byId.map(({ id }) => id));
  const resolved = new Map<string, string>();
  for (const ref of ids) if (there.has(ref.toLowerCase())) resolved.set(ref, ref.toLowerCase());
  // A number can look like an ID.
  const others = refs.filter((ref) => !resolved.has(ref));
  if (others.length === 0) return resolved;
  const numbers = [...new Set(others.map(normalizeNumber))];
  const rows = await db.query<{ number: string; id: string }>(
    `select named.number, (array_agg(o.id))[1] as id
       from unnest($2::text[]) as named (number) join orders o on o.org_id = $1 and o.number = named.number
      group by named.number having count(*) = 1`,
    [orgId, arrayLiteral(numbers)],
  );
  const idOf = new Map(rows.map(({ number, id }) => [number, id]));
  for (const ref of others) {
    const id = idOf.get(normalizeNumber(ref));
    if (id !== undefined) resolved.set(ref, id);
  }
  return resolved;
}

/** Locks in the order of IDs, so that two runs over the same orders cannot deadlock. */
export async function lockOrders(tx: Tx, orgId: string, ids: string[]): Promise<Order[]> {
  return (await tx.query<Stored<Order>>(`${byIds} for update`, [orgId, ids])).map(fromRow);
}

export async function readOrders(db: Queryable, orgId: string, ids: string[]): Promise<Order[]> {
  return (await db.query<Stored<Order>>(byIds, [orgId, ids])).map(fromRow);
}

const all = writing(orderColumns.all);
const insert = `
  with made as (
    insert into orders (id, org_id, ${all.names})
    select u.id, $1, ${all.values} from jsonb_to_recordset($2::jsonb) as u (${all.shape})
    on conflict do nothing returning id, is_archived, status, on_hold),
  counted as (
    insert into order_counts (org_id, is_archived, status, on_hold, orders)
    select $1::uuid, is_archived, status, on_hold, count(*) from made group by is_archived, status, on_hold)
  select id from made`;

/** Returns the IDs of the inserted orders; those with a duplicate number or external ID are skipped. */
export async function insertOrders(tx: Tx, orgId: string, orders: Order[]): Promise<Set<string>> {
  if (orders.length === 0) return new Set();
  const records = orders.map((order) => toRecord(orderColumns.all, order, orgId));
  const rows = await tx.query<{ id: string }>(insert, [orgId, JSON.stringify(records)]);
  const inserted = new Set(rows.map((row) => row.id));
  const made = orders.filter((order) => inserted.has(order.id));
  const moves = made.map((after) => ({ after }));
  keepTags(tx, orgId, moves);
  updateFacets(tx, orgId, moves);
  queueUnsentShipments(tx, orgId, moves);
  keepWords(tx, orgId, made, "new");
  return inserted;
}

/**
 * Writes these fields of all orders in one statement. `version` is the new one. The orders are locked, so `before` is the stored
 * state.
 */
export function updateOrders(
  tx: Tx,
  orgId: string,
  moves: Required<OrderMove>[],
  fields: Iterable<keyof OrderFields>,
  at: string,
): void {
  if (moves.length === 0) return;
  const orders = moves.map(({ after }) => after);
  const changed = new Set(fields);
  const written = new Set<keyof Order>([...changed, "version"]);
  const touched = orderColumns.all.filter(({ from }) => from.some((field) => written.has(field)));
  const records = orders.map((order) => toRecord(touched, order, orgId));
  const { shape, sets } = writing(touched);
  const update = `update orders o set ${sets}, updated_at = $3
       from jsonb_to_recordset($2::jsonb) as u (${shape}) where o.org_id = $1 and o.id = u.id`;
  const isCounted = changed.has("status") || changed.has("holds") || changed.has("archivedAt");
  const values = [orgId, JSON.stringify(records), at];
  if (isCounted) tx.queue(countMoves(update), [...values, orders.map(({ id }) => id)]);
  else tx.queue(update, values);
  if (changed.has("tags") || changed.has("archivedAt")) keepTags(tx, orgId, moves);
  if (facetSources.some((field) => changed.has(field))) updateFacets(tx, orgId, moves);
  if (changed.has("shipments") || changed.has("bridgeId")) queueUnsentShipments(tx, orgId, moves, at);
  keepWords(tx, orgId, orders, changed);
}

/** Combines the update with the change of the counters. `$4` are the order IDs. */
function countMoves(update: string): string {
  return `
    with before as materialized (
      select is_archived, status, on_hold from orders where org_id = $1 and id = any($4::uuid[])),
    after as (${update} returning o.is_archived, o.status, o.on_hold)
    insert into order_counts (org_id, is_archived, status, on_hold, orders)
    select $1::uuid, is_archived, status, on_hold, sum(n) from
      (select *, 1 as n from after union all select *, -1 from before) as moves
     group by is_archived, status, on_hold having sum(n) <> 0`;
}

/** Deletes orders with their dependent rows, except results of runs, which are the history of the run. */
export async function deleteOrders(tx: Tx, orgId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `with tags as (delete from order_tags where org_id = $1 and order_id = any($2::uuid[])),
          facets as (delete from order_facets where org_id = $1 and order_id = any($2::uuid[])),
          changes as (delete from order_changes where org_id = $1 and order_id = any($2::uuid[])),
          sources as (delete from order_sources where org_id = $1 and order_id = any($2::uuid[])),
          words as (delete from order_search where org_id = $1 and order_id = any($2::uuid[])),
          gone as (
            delete from orders where org_id = $1 and id = any($2::uuid[]) returning is_archived, status, on_hold)
     insert into order_counts (org_id, is_archived, status, on_hold, orders)
     select $1::uuid, is_archived, status, on_hold, -count(*) from gone group by is_archived, status, on_hold`,
    [orgId, ids],
  );
}

export async function hasDueHoldsAcrossOrgs(db: Queryable, now: Date): Promise<boolean> {
  const [row] = await db.query<{ hasDue: boolean }>(
    `select exists (select from orders where hold_until <= $1::timestamptz) as "hasDue"`,
    [now],
  );
  return row!.hasDue;
}

/** Locks orders with expired holds; those locked by others are left to the next round. */
export async function lockDueHoldsAcrossOrgs(
  tx: Tx,
  now: Date,
  limit: number,
): Promise<{ orgId: string; order: Order }[]> {
  const rows = await tx.query<Stored<Order> & { org_id: string }>(
    `select o.org_id, ${selected} from orders o where o.hold_until <= $1 order by o.hold_until limit $2
        for update skip locked`,
    [now, limit],
  );
  return rows.map((row) => {
    const { org_id: orgId, ...order } = fromRow(row);
    return { orgId, order };
  });
}

/** Those of these numbers, in NFC, that orders of several bridges have. */
export async function findSharedNumbers(db: Queryable, orgId: string, numbers: string[]): Promise<Set<string>> {
  const rows = await db.query<{ number: string }>(
    "select number from orders where org_id = $1 and number = any($2::text[]) group by number having count(*) > 1",
    [orgId, numbers.map(normalizeNumber)],
  );
  return new Set(rows.map((row) => row.number));
}

export type Numbered = { bridgeId: string | null; number: string };

/** Equal for two orders that the unique index on numbers does not allow together. */
export function numberKey({ bridgeId, number }: Numbered): string {
  return `${bridgeId?.toLowerCase() ?? ""} ${normalizeNumber(number)}`;
}

/** The numbers in use by orders of the same bridge (or of none), as `numberKey`. */
export async function findTakenAtBridges(db: Queryable, orgId: string, wanted: Numbered[]): Promise<Set<string>> {
  const rows = await db.query<Numbered>(
    `select o.bridge_id as "bridgeId", o.number
       from jsonb_to_recordset($2::jsonb) as u ("bridgeId" uuid, number text)
       join orders o on o.org_id = $1 and o.number = u.number and o.bridge_id is not distinct from u."bridgeId"`,
    [orgId, JSON.stringify(wanted.map(({ bridgeId, number }) => ({ bridgeId, number: normalizeNumber(number) })))],
  );
  return new Set(rows.map(numberKey));
}

/** Across all bridges: generated numbers must be unique in the organization. */
export async function findTakenNumbers(db: Queryable, orgId: string, numbers: string[]): Promise<Set<string>> {
  const rows = await db.query<{ number: string }>(
    "select number from orders where org_id = $1 and number = any($2::text[])",
    [orgId, numbers],
  );
  return new Set(rows.map((row) => row.number));
}

/**
 * Reserves the next numbers and returns those already in use. Serializes callers of an organization until the transaction ends,
 * so call it late or in a short transaction. `isRelaxed`: commits asynchronously; the counter may be lost in a crash.
 */
export async function takeOrderNumbers(
  db: Queryable,
  orgId: string,
  count: number,
  { isRelaxed = false } = {},
): Promise<{ numbers: string[]; taken: Set<string> }> {
  const [row] = await db.query<{ last: number; taken: string[] }>(
    `with counter as (
       insert into order_number_counters as c (org_id, last_number) values ($1, 1000 + $2)
       on conflict (org_id) do update set last_number = c.last_number + $2 returning last_number),
     numbers as (
       select 'ORD-' || n as number from counter, generate_series(last_number - $2 + 1, last_number) as n)
     select last_number as last, case when $3::boolean then set_config('synchronous_commit', 'off', true) end,
            array(select number from orders where org_id = $1 and number = any(array(select number from numbers))) as taken
       from counter`,
    [orgId, count, isRelaxed],
  );
  const { last, taken } = row!;
  const numbers = Array.from({ length: count }, (_, index) => `ORD-${last - count + index + 1}`);
  return { numbers, taken: new Set(taken) };
}

export async function readVersions(
  db: Queryable,
  orgId: string,
  ids: string[],
): Promise<{ id: string; version: number }[]> {
  return await db.query("select id, version from orders where org_id = $1 and id = any($2::uuid[])", [orgId, ids]);
}

/** Returns the last numbers reserved by this transaction. */
export async function returnOrderNumbers(tx: Tx, orgId: string, count: number): Promise<void> {
  await tx.query("update order_number_counters set last_number = last_number - $2 where org_id = $1", [orgId, count]);
}
