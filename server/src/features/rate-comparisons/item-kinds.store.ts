import { splitNames } from "../../core/schema.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { meetAll } from "../../db/list-page.ts";
import type { RateResult } from "./rate-item.ts";
import type { ItemFilter } from "./rate-comparisons.schemas.ts";

/** The results of one revision. */
type Revision = { id: string; revision: number };

/** Items that no filter can tell apart, but for searches and amounts; `sign` is that of the savings, null without a price. */
type Kind = Pick<RateResult, "status" | "reason" | "zone" | "basis"> & {
  sign: number | null;
  serviceType: string;
  positions: number[];
};

/** The kinds of the items of a chunk. */
export type ItemKinds = Map<string, Kind>;

export function noteKind(
  kinds: ItemKinds,
  position: number,
  [, given]: readonly [netCents: number, serviceType: string, ...unknown[]],
  { status, reason, zone, basis, sourceCents, targetCents, sourceService }: RateResult,
): void {
  const serviceType = sourceService ?? given;
  const sign = targetCents === null ? null : Math.sign(sourceCents - targetCents);
  // Only the service can hold anything, and it comes last.
  const key = `${status}|${reason}|${zone}|${basis}|${sign}|${serviceType}`;
  const kind = kinds.get(key);
  if (kind) kind.positions.push(position);
  else kinds.set(key, { status, reason, zone, basis, sign, serviceType, positions: [position] });
}

/** `from` is where their chunk begins. */
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

/** How many items the filter lets through. */
export async function countByKind(db: Queryable, of: Revision, filter: KindFilter): Promise<number> {
  const values: unknown[] = [];
  const text = `select coalesce(sum(items), 0)::integer as total ${kindsOf(of, filter, values)}`;
  const [row] = await db.query<{ total: number }>(text, values);
  return row!.total;
}

/** Some of those it lets through, in their order: they are in the chunks up to the one that has the last of them. */
export async function findByKind(
  db: Queryable,
  of: Revision,
  filter: KindFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; positions: number[] }> {
  const values: unknown[] = [offset, limit];
  const [found] = await db.query<{ total: number; positions: number[] }>(
    `with kinds as (select chunk_from, items, positions ${kindsOf(of, filter, values)}),
     chunks as (select chunk_from, sum(sum(items)) over (order by chunk_from) as so_far from kinds group by 1)
     select coalesce((select max(so_far) from chunks), 0)::integer as total,
       array(select p from kinds, unnest(positions) as p
         where chunk_from <= coalesce((select min(chunk_from) from chunks where so_far >= $1::integer + $2::integer), ${2 ** 31 - 1})
         order by p offset $1::integer limit $2::integer) as positions`,
    values,
  );
  return found!;
}
