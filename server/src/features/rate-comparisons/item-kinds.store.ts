import { splitNames } from "../../core/schema.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { meetAll } from "../../db/list-page.ts";
import type { RateResult } from "./rate-item.ts";
import type { ItemFilter } from "./rate-items.schemas.ts";

/** The results of one revision. */
type Revision = { id: string; revision: number };

/** Items with the same values in all filterable columns, except search and amounts. `sign` of the savings; null: no price. */
type Kind = Pick<RateResult, "status" | "reason" | "zone" | "basis"> & {
  sign: number | null;
  serviceType: string;
  positions: number[];
};

/** The kinds of the items of one batch. */
export type ItemKinds = Map<string, Kind>;

export function noteKind(
  kinds: ItemKinds,
  position: number,
  [, given]: readonly [netCents: number, serviceType: string, ...unknown[]],
  { status, reason, zone, basis, sourceCents, targetCents, sourceService }: RateResult,
): void {
  const serviceType = sourceService ?? given;
  const sign = targetCents === null ? null : Math.sign(sourceCents - targetCents);
  // Only the service type is arbitrary text, so it comes last.
  const key = `${status}|${reason}|${zone}|${basis}|${sign}|${serviceType}`;
  const kind = kinds.get(key);
  if (kind) kind.positions.push(position);
  else kinds.set(key, { status, reason, zone, basis, sign, serviceType, positions: [position] });
}

/** `from`: the first item of the batch. */
export function insertKinds(tx: Tx, of: Revision, from: number, kinds: ItemKinds): void {
  const rows = [...kinds.values()];
  tx.queue(
    `insert into rate_item_kinds (comparison_id, revision, chunk_from, status, reason, zone, basis, sign, service_type, items,
       positions)
     select $1, $2, $3, k.status, k.reason, k.zone, k.basis, k.sign, k.service_type, k.items, k.positions::integer[]
       from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::integer[], $11::text[])
         as k (status, reason, zone, basis, sign, service_type, items, positions)`,
    [
      of.id,
      of.revision,
      from,
      rows.map(({ status }) => status),
      rows.map(({ reason }) => reason),
      rows.map(({ zone }) => zone),
      rows.map(({ basis }) => basis),
      rows.map(({ sign }) => sign),
      rows.map(({ serviceType }) => serviceType),
      rows.map(({ positions }) => positions.length),
      rows.map(({ positions }) => `{${positions.join(",")}}`),
    ],
  );
}

type KindFilter = {
  [Name in "status" | "zone" | "serviceType" | "outcome" | "basis" | "reason"]: ItemFilter[Name] | undefined;
};

function kindsOf(of: Revision, filter: KindFilter, values: unknown[]): string {
  const listed = (names: string | undefined) => (names === undefined ? undefined : splitNames(names));
  return `from rate_item_kinds where ${meetAll(
    [
      ["comparison_id = ?", of.id],
      ["revision = ?", of.revision],
      ["status = any(?)", listed(filter.status)],
      ["zone = ?", filter.zone],
      ["basis = any(?)", listed(filter.basis)],
      ["reason = any(?)", listed(filter.reason)],
      ["sign = ?", filter.outcome === undefined ? undefined : { win: 1, loss: -1, tie: 0 }[filter.outcome]],
      ["lower(service_type) = lower(?)", filter.serviceType],
    ],
    values,
  )}`;
}

/** The number of items that match the filter. */
export async function countByKind(db: Queryable, of: Revision, filter: KindFilter): Promise<number> {
  const values: unknown[] = [];
  const text = `select coalesce(sum(items), 0)::integer as total ${kindsOf(of, filter, values)}`;
  const [row] = await db.query<{ total: number }>(text, values);
  return row!.total;
}

/**
 * A page of the items that match the filter, in their order. Running totals per batch (`chunk_from`) bound which batches
 * have to be expanded, so that an early page does not unnest all positions.
 */
export async function findByKind(
  db: Queryable,
  of: Revision,
  filter: KindFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; positions: number[] }> {
  const values: unknown[] = [offset, limit];
  const [found] = await db.query<{ total: number; positions: number[] }>(
    `with kinds as (
       select chunk_from, items, positions ${kindsOf(of, filter, values)}),
     batches as (
       select chunk_from, sum(sum(items)) over (order by chunk_from) as running_total
         from kinds
        group by 1),
     last_batch as (
       select min(chunk_from) as chunk_from
         from batches
        where running_total >= $1::integer + $2::integer)
     select coalesce((select max(running_total) from batches), 0)::integer as total,
            array(
              select position
                from kinds, unnest(positions) as position
               where chunk_from <= coalesce((select chunk_from from last_batch), ${2 ** 31 - 1})
               order by position
              offset $1::integer
               limit $2::integer) as positions`,
    values,
  );
  return found!;
}
