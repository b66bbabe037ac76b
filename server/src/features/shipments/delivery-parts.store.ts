import type { Queryable } from "../../db/database.ts";
import { meetAll } from "../../db/list-page.ts";
import type { GroupKey, PartFilter } from "./delivery-terms.store.ts";
import { groupKeys, isDecided, isKept, isUncounted, outcomeAt, partConditions } from "./delivery-terms.store.ts";
import type { Sums } from "./shipment.ts";

/** A time range up to `before`, which is exclusive. */
export type SpanUpTo = { from: string; before: string; now: string };

/** Sums of a group, with the parcels of the span that are left out of the on-time figures. */
export type PartSums = Sums & { noPromise: number; cancelled: number; returned: number };
type KeyedSums = PartSums & { key: string };

/** `begins`: the start of each day, and of the day after the last. */
export type Grouping = GroupKey | { days: string[]; begins: string[] };

const mostKeys = 50;
const columns = {
  delivered: "delivered",
  transit_count: "transitCount",
  transit_ms: "transitMs",
  evaluated: "evaluated",
  on_time: "onTime",
  no_promise: "noPromise",
  cancelled: "cancelled",
  returned: "returned",
};
const summed = Object.entries(columns)
  .map(([column, name]) => `sum(${column})::bigint as "${name}"`)
  .join(", ");

/**
 * Sums by group, with the definitions of the overview: shipments delivered in the span, and promises kept, missed or left out in it.
 * Returns the largest groups and the sum of the others; all days. Reads the ranges of shipments_by_delivery and
 * shipments_by_outcome, since no sums are kept by these keys.
 */
export async function sumParts(
  db: Queryable,
  orgId: string | null,
  { from, before, now }: SpanUpTo,
  grouping: Grouping,
  filter: PartFilter = {},
): Promise<{ keyed: KeyedSums[]; others: PartSums | undefined }> {
  const values: unknown[] = [orgId, from, before, now];
  const keyOf = keyAt(grouping, values);
  const where = `${forOrg(orgId)} and ${meetAll(partConditions(filter, "shipments"), values)}`;
  const isIn = (moment: string): string => `${moment} >= $2::timestamptz and ${moment} < $3::timestamptz`;
  const isOther = typeof grouping === "string" ? `> ${mostKeys}` : "< 0";
  const rows = await db.query<KeyedSums & { isOther: boolean }>(
    `with parts as (
       select ${keyOf("delivered_at")} as key, 1 as delivered, (accepted_at is not null)::integer as transit_count,
              coalesce(extract(epoch from delivered_at - accepted_at) * 1000, 0) as transit_ms,
              0 as evaluated, 0 as on_time, 0 as no_promise, 0 as cancelled, 0 as returned
         from shipments
        where ${where} and ${isIn("delivered_at")} and not ${isUncounted}
       union all
       select ${keyOf(outcomeAt)}, 0, 0, 0,
              (${isDecided("$4")})::integer, (${isDecided("$4")} and ${isKept})::integer,
              (not ${isUncounted} and promise_ends_at is null)::integer,
              (status = 'cancelled')::integer, (status = 'returned')::integer
         from shipments
        where ${where} and ${isIn(outcomeAt)}
          and (${isUncounted} or first_attempt_at is not null or late_at <= $4::timestamptz)
     ), keyed as (
       select key, ${Object.keys(columns)
         .map((column) => `sum(${column}) as ${column}`)
         .join(", ")}
         from parts group by key
     ), ranked as (
       select *, row_number() over (order by greatest(delivered, evaluated) desc, key) ${isOther} as other from keyed
     )
     select case when other then '' else key end as key, other as "isOther", ${summed}
       from ranked group by 1, 2 order by 2, greatest(sum(delivered), sum(evaluated)) desc, 1`,
    values,
  );
  return { keyed: rows.filter((row) => !row.isOther), others: rows.find((row) => row.isOther) };
}

/**
 * Shipments at risk now by group; by day, since when they are. An empty key: without a value, or since before the first day. Reads
 * shipments_at_risk and the rows it names.
 */
export async function countRisksBy(
  db: Queryable,
  orgId: string,
  now: string,
  grouping: Grouping,
  filter: PartFilter = {},
): Promise<{ key: string; count: number }[]> {
  const values: unknown[] = [orgId, now];
  const key = keyAt(grouping, values)("risk_at");
  return await db.query<{ key: string; count: number }>(
    `select ${key} as key, count(*) as count
       from shipments
      where org_id = $1 and risk_at <= $2 and ${meetAll(partConditions(filter, "shipments"), values)}
      group by 1`,
    values,
  );
}

/** The group of a shipment, or the day of a moment. */
function keyAt(grouping: Grouping, values: unknown[]): (moment: string) => string {
  if (typeof grouping === "string") return () => `coalesce(${groupKeys[grouping]}, '')`;
  const [days, begins] = [values.push(grouping.days), values.push(grouping.begins)];
  return (moment) => `coalesce(($${days}::text[])[width_bucket(${moment}, $${begins}::timestamptz[])], '')`;
}

/** Uses $1 in both cases: PostgreSQL must be able to infer the type of each parameter. */
function forOrg(orgId: string | null): string {
  return orgId === null ? "$1::uuid is null" : "org_id = $1";
}
