import type { Page } from "../../core/page.ts";
import { offsetOf, toPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern } from "../../db/like-pattern.ts";
import type { RateResult } from "./rate-item.ts";
import type { ItemFilter, ItemQuery } from "./rate-comparisons.schemas.ts";

/** One item as it is stored, in the order of `inputColumns`. */
export type StoredInput = [
  position: number,
  trackingNumber: string,
  netCents: number,
  serviceType: string,
  originZip: string | null,
  originState: string | null,
  destinationZip: string | null,
  destinationState: string | null,
  weightValue: number | null,
  weightUnit: string | null,
  dimensions: [number, number, number] | null,
  dimensionUnit: string | null,
  residential: boolean | null,
  shipDate: string | null,
  currency: string | null,
  isDuplicate: boolean,
];

const inputColumns = `position, tracking_number, net_cents, service_type, origin_zip, origin_state, destination_zip,
  destination_state, weight_value, weight_unit, dimensions, dimension_unit, residential, ship_date, currency, is_duplicate`;

/** All of a chunk as one JSON text: reading a hundred thousand rows one by one costs more than pricing them. */
export async function readInputs(
  db: Queryable,
  comparisonId: string,
  from: number,
  count: number,
): Promise<StoredInput[]> {
  const [row] = await db.query<{ items: StoredInput[] | null }>(
    `select json_agg(json_build_array(${inputColumns}) order by position) as items from rate_items
      where comparison_id = $1 and position >= $2 and position < $3`,
    [comparisonId, from, from + count],
  );
  return row?.items ?? [];
}

export type NewItem = {
  trackingNumber: string;
  netCents: number;
  serviceType: string;
  originZip: string | null;
  originCity: string | null;
  originState: string | null;
  destinationZip: string | null;
  destinationCity: string | null;
  destinationState: string | null;
  weightValue: number | null;
  weightUnit: string | null;
  dimensions: [number, number, number] | null;
  dimensionUnit: string | null;
  residential: boolean | null;
  shipDate: string | null;
  currency: string | null;
};

export async function insertItems(tx: Tx, comparisonId: string, from: number, items: NewItem[]): Promise<void> {
  await tx.query(
    `insert into rate_items (comparison_id, position, tracking_number, net_cents, service_type, origin_zip, origin_city,
       origin_state, destination_zip, destination_city, destination_state, weight_value, weight_unit, dimensions,
       dimension_unit, residential, ship_date, currency)
     select $1, $2 + (r.n - 1)::integer, i->>0, (i->>1)::integer, i->>2, i->>3, i->>4, i->>5, i->>6, i->>7, i->>8,
       (i->>9)::double precision, i->>10, case when i->>11 is null then null else
         array[(i->11->>0)::double precision, (i->11->>1)::double precision, (i->11->>2)::double precision] end,
       i->>12, (i->>13)::boolean, (i->>14)::date, i->>15
       from json_array_elements($3::json) with ordinality as r (i, n)`,
    [comparisonId, from, JSON.stringify(items.map(toRow))],
  );
}

function toRow(item: NewItem): unknown[] {
  return [
    item.trackingNumber,
    item.netCents,
    item.serviceType,
    item.originZip,
    item.originCity,
    item.originState,
    item.destinationZip,
    item.destinationCity,
    item.destinationState,
    item.weightValue,
    item.weightUnit,
    item.dimensions,
    item.dimensionUnit,
    item.residential,
    item.shipDate,
    item.currency,
  ];
}

/** Of those with one tracking number, all but the first. */
export async function markDuplicates(tx: Tx, comparisonId: string): Promise<void> {
  await tx.query(
    `update rate_items i set is_duplicate = true
       from (select tracking_number, min(position) as first from rate_items where comparison_id = $1
              group by tracking_number having count(*) > 1) d
      where i.comparison_id = $1 and i.tracking_number = d.tracking_number and i.position > d.first`,
    [comparisonId],
  );
}

/** One statement for a chunk; the arrays are written as text here, which is several times faster than by the driver. */
export async function saveResults(
  tx: Tx,
  comparisonId: string,
  revision: number,
  from: number,
  results: RateResult[],
): Promise<void> {
  const text = (read: (result: RateResult) => string | null): string =>
    `{${results.map((result) => quoteElement(read(result))).join(",")}}`;
  const number = (read: (result: RateResult) => number | null): string =>
    `{${results.map((result) => read(result) ?? "NULL").join(",")}}`;
  await tx.query(
    `update rate_items i set revision = $2, status = u.status, reason = u.reason, zone = u.zone,
       zone_source = u.zone_source, distance_miles = u.miles, alt_zone = u.alt_zone, service_level = u.service_level,
       target_service = u.target_service, basis = u.basis, rated_mg = u.rated_mg, target_cents = u.target,
       low_cents = u.low, high_cents = u.high, break_even_mg = u.break_even, lines = u.lines
      from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[], $11::text[],
        $12::text[], $13::bigint[], $14::integer[], $15::integer[], $16::integer[], $17::bigint[], $18::text[])
        with ordinality as u (status, reason, zone, zone_source, miles, alt_zone, service_level, target_service, basis,
        rated_mg, target, low, high, break_even, lines, n)
      where i.comparison_id = $1 and i.position = $3::integer + u.n::integer - 1`,
    [
      comparisonId,
      revision,
      from,
      text(({ status }) => status),
      text(({ reason }) => reason),
      text(({ zone }) => zone),
      text(({ zoneSource }) => zoneSource),
      number(({ distanceMiles }) => distanceMiles),
      text(({ altZone }) => altZone),
      text(({ serviceLevel }) => serviceLevel),
      text(({ targetService }) => targetService),
      text(({ basis }) => basis),
      number(({ ratedMg }) => ratedMg),
      number(({ targetCents }) => targetCents),
      number(({ lowCents }) => lowCents),
      number(({ highCents }) => highCents),
      number(({ breakEvenMg }) => breakEvenMg),
      text(({ lines }) => lines.map(([code, cents]) => `${code}:${cents}`).join(" ")),
    ],
  );
}

const plainElement = /^[\w.:-][\w.: -]*$/;

function quoteElement(value: string | null): string {
  if (value === null) return "NULL";
  return plainElement.test(value) && value !== "NULL" && value !== "null"
    ? `"${value}"`
    : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** How many items have which service and how many pounds, rounded up. */
export async function countWeights(
  db: Queryable,
  comparisonId: string,
): Promise<{ service_type: string; pounds: number; items: number }[]> {
  return await db.query<{ service_type: string; pounds: number; items: number }>(
    `select service_type, ceil(weight_value * case weight_unit when 'lb' then 1 when 'oz' then 0.0625
       when 'kg' then 2.2046226218 else 0.0022046226218 end - 0.00001) as pounds, count(*) as items
       from rate_items where comparison_id = $1 and weight_value is not null
      group by 1, 2 order by 1, 2 limit 20000`,
    [comparisonId],
  );
}

/** Percentiles of what would have been saved, in cents. */
export async function findSavingsPercentiles(db: Queryable, comparisonId: string, shares: number[]): Promise<number[]> {
  const [row] = await db.query<{ found: number[] | null }>(
    `select percentile_disc($2::double precision[]) within group (order by net_cents - target_cents) as found
       from rate_items where comparison_id = $1 and target_cents is not null`,
    [comparisonId, shares],
  );
  return row?.found ?? [];
}

export type ItemRow = {
  position: number;
  tracking_number: string;
  net_cents: number;
  service_type: string;
  origin_zip: string | null;
  origin_city: string | null;
  origin_state: string | null;
  destination_zip: string | null;
  destination_city: string | null;
  destination_state: string | null;
  weight_value: number | null;
  weight_unit: string | null;
  dimensions: [number, number, number] | null;
  dimension_unit: string | null;
  residential: boolean | null;
  ship_date: string | null;
  revision: number | null;
  status: string;
  reason: string | null;
  zone: string | null;
  zone_source: string | null;
  distance_miles: number | null;
  alt_zone: string | null;
  service_level: string | null;
  target_service: string | null;
  basis: string | null;
  rated_mg: number | null;
  target_cents: number | null;
  low_cents: number | null;
  high_cents: number | null;
  break_even_mg: number | null;
  lines: string | null;
};

function whereOf(comparisonId: string, filter: ItemFilter): { where: string; values: unknown[] } {
  const parts = ["comparison_id = $1"];
  const values: unknown[] = [comparisonId];
  const add = (condition: string, value: unknown): void => {
    if (value !== undefined) parts.push(condition.replaceAll("?", `$${values.push(value)}`));
  };
  add("status = any(?)", filter.status?.split(","));
  add("zone = ?", filter.zone);
  add("lower(service_type) = lower(?)", filter.serviceType);
  add("basis = any(?)", filter.basis?.split(","));
  add("reason = any(?)", filter.reason?.split(","));
  add(
    "net_cents - target_cents >= ?",
    filter.minSavings === undefined ? undefined : Math.round(filter.minSavings * 100),
  );
  const sign = filter.outcome === undefined ? undefined : { win: 1, loss: -1, tie: 0 }[filter.outcome];
  add("sign(net_cents - target_cents) = ?", sign);
  add(
    `(tracking_number ilike ? or origin_zip ilike ? or origin_city ilike ? or origin_state ilike ?
      or destination_zip ilike ? or destination_city ilike ? or destination_state ilike ?)`,
    filter.search === undefined ? undefined : likePattern(filter.search),
  );
  return { where: parts.join(" and "), values };
}

const orders: Record<NonNullable<ItemQuery["sort"]>, string> = {
  position: "position",
  savings: "net_cents - target_cents asc nulls last, position",
  "-savings": "net_cents - target_cents desc nulls last, position",
  netCost: "net_cents, position",
  "-netCost": "net_cents desc, position",
  zone: "case when zone ~ '^[0-9]+$' then zone::integer end nulls last, zone nulls last, position",
};

/** The caller has made sure that the comparison is the organization's own. */
export async function listItems(db: Queryable, comparisonId: string, query: ItemQuery): Promise<Page<ItemRow>> {
  const { where, values } = whereOf(comparisonId, query);
  const rows = await db.query<ItemRow>(
    `select * from rate_items where ${where} order by ${orders[query.sort ?? "position"]}
      limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, query.limit, offsetOf(query)],
  );
  const [count] = await db.query<{ total: number }>(`select count(*) as total from rate_items where ${where}`, values);
  return toPage(rows, count?.total ?? 0, query);
}

/** The next items after this position, for an export. */
export async function readItemsAfter(
  db: Queryable,
  comparisonId: string,
  filter: ItemFilter,
  after: number,
  count: number,
): Promise<ItemRow[]> {
  const { where, values } = whereOf(comparisonId, filter);
  return await db.query<ItemRow>(
    `select * from rate_items where ${where} and position > $${values.length + 1} order by position
      limit $${values.length + 2}`,
    [...values, after, count],
  );
}
