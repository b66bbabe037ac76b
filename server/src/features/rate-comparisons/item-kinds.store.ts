import { splitNames } from "../../core/schema.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Kind } from "./item-kinds.ts";
import type { ItemFilter } from "./rate-comparisons.schemas.ts";

/** The results of one revision. */
export type Revision = { id: string; revision: number };

export async function insertKinds(
  tx: Tx,
  of: Revision,
  kinds: readonly Kind[],
  positions: Uint32Array[],
): Promise<void> {
  await tx.query(
    `insert into rate_item_kinds (comparison_id, revision, code, status, reason, zone, basis, sign, service_type, items,
       positions)
     select $1, $2, k.code - 1, k.status, k.reason, k.zone, k.basis, k.sign, k.service_type, k.items, k.positions
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::text[], $9::integer[], $10::bytea[])
         with ordinality as k (status, reason, zone, basis, sign, service_type, items, positions, code)`,
    [
      of.id,
      of.revision,
      kinds.map(({ status }) => status),
      kinds.map(({ reason }) => reason),
      kinds.map(({ zone }) => zone),
      kinds.map(({ basis }) => basis),
      kinds.map(({ sign }) => sign),
      kinds.map(({ serviceType }) => serviceType),
      positions.map(({ length }) => length),
      // Every machine that runs the hub writes the lowest byte first.
      positions.map(({ buffer }) => Buffer.from(buffer)),
    ],
  );
}

type KindFilter = Omit<ItemFilter, "search" | "minSavings">;

/** How many items the filter lets through, and the first of them, in their order. */
export async function findByKind(
  db: Queryable,
  of: Revision,
  filter: KindFilter,
  count: number,
): Promise<{ total: number; positions: number[] }> {
  const values: unknown[] = [of.id, of.revision, 4 * count];
  let text = "";
  const add = (condition: string, value: unknown): void => {
    if (value !== undefined) text += ` and ${condition.replaceAll("?", `$${values.push(value)}`)}`;
  };
  add("status = any(?)", filter.status === undefined ? undefined : splitNames(filter.status));
  add("zone = ?", filter.zone);
  add("basis = any(?)", filter.basis === undefined ? undefined : splitNames(filter.basis));
  add("reason = any(?)", filter.reason === undefined ? undefined : splitNames(filter.reason));
  add("sign = ?", filter.outcome === undefined ? undefined : { win: 1, loss: -1, tie: 0 }[filter.outcome]);
  add("lower(service_type) = lower(?)", filter.serviceType);
  const rows = await db.query<{ items: number; positions: Buffer }>(
    `select items, substring(positions from 1 for $3) as positions from rate_item_kinds
      where comparison_id = $1 and revision = $2${text}`,
    values,
  );
  // A copy, because the bytes of an answer may begin anywhere and numbers may not.
  const found = Uint8Array.from(Buffer.concat(rows.map(({ positions }) => positions)));
  return {
    total: rows.reduce((sum, { items }) => sum + items, 0),
    positions: [...new Uint32Array(found.buffer).toSorted().subarray(0, count)],
  };
}

/** Of revisions that are not shown any more. */
export async function deleteKindsBefore(db: Queryable, comparisonId: string, revision: number): Promise<void> {
  await db.query("delete from rate_item_kinds where comparison_id = $1 and revision < $2", [comparisonId, revision]);
}

export async function deleteKinds(tx: Tx, comparisonId: string): Promise<void> {
  await tx.query("delete from rate_item_kinds where comparison_id = $1", [comparisonId]);
}

export type RatedItem = Omit<Kind, "sign" | "serviceType"> & {
  position: number;
  savings_cents: number | null;
  service_type: string;
};

/** What another worker has done. */
export async function readRatedItems(db: Queryable, of: Revision, from: number, to: number): Promise<RatedItem[]> {
  return await db.query<RatedItem>(
    `select i.position, i.service_type, r.savings_cents, r.status, r.reason, r.zone, r.basis
       from rate_items i, lateral (select * from rate_results r
         where r.comparison_id = $1 and r.revision = $2 and r.position = i.position offset 0) r
      where i.comparison_id = $1 and i.position >= $3 and i.position < $4`,
    [of.id, of.revision, from, to],
  );
}
