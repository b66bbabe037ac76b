import { countUnits, mgPer, toMg } from "../../carriers/rate-card/measures.ts";
import { toCents } from "../../core/money.ts";
import type { Weight } from "../../core/weight.ts";
import { arrayLiteral } from "../../db/array-literal.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { NewItem, ParcelFacts, Repeats, SeveralCharges } from "./gather-parcels.ts";
import { foreignCountryOf, isKnown } from "./gather-parcels.ts";
import type { ItemRequest } from "./rate-items.schemas.ts";

/** The inputs of a price, as stored in `input`: a JSON list, because reading columns takes longer than pricing. See `inputAt`. */
export type StoredInput = [
  netCents: number,
  serviceType: string,
  originZip: string | null,
  originState: string | null,
  destinationZip: string | null,
  destinationState: string | null,
  weightValue: number | null,
  weightUnit: Weight["unit"] | null,
  dimensions: [number, number, number] | null,
  dimensionUnit: "in" | "cm" | null,
  residential: boolean | null,
  shipDate: string | null,
  currency: string | null,
  repeats: Repeats,
  /** Country of origin or destination, if it is not the United States. */
  foreignCountry?: string | null,
  /** Of the first charge of a parcel: the sum of its charges, if there are several. */
  chargedCents?: number | null,
  /** Facts the line itself lacks. */
  facts?: ParcelFacts,
];

/** Positions in a `StoredInput`. Indexes rather than an object: 100,000 objects would cost more than their prices. */
export const inputAt = {
  netCents: 0,
  serviceType: 1,
  originZip: 2,
  originState: 3,
  destinationZip: 4,
  destinationState: 5,
  weightValue: 6,
  weightUnit: 7,
  dimensions: 8,
  dimensionUnit: 9,
  residential: 10,
  shipDate: 11,
  currency: 12,
  repeats: 13,
  foreignCountry: 14,
  chargedCents: 15,
  facts: 16,
} as const;

/** The stored input of an item, completed with the facts of its parcel. */
export const wholeInput = "case when parcel is null then input else left(input, -1) || ',' || parcel || ']' end";

/** One JSON line per item, parsed only when the item is priced: short-lived objects cost no memory. */
export async function readInputLines(
  db: Queryable,
  comparisonId: string,
  from: number,
  count: number,
): Promise<string[]> {
  const [row] = await db.query<{ lines: string | null }>(
    `select string_agg(${wholeInput}, e'\\n' order by position) as lines from rate_items
      where comparison_id = $1 and position >= $2 and position < $3`,
    [comparisonId, from, from + count],
  );
  return row?.lines?.split("\n") ?? [];
}

/** Lines of a parcel with the same fingerprint are duplicates. */
export function printOf(item: ItemRequest): string {
  return JSON.stringify([item.chargeType ?? "", toInput({ ...item, repeats: false })]);
}

function toInput(item: NewItem): StoredInput {
  const { weight, dimensions: size } = item;
  return [
    toCents(item.netCost),
    item.serviceType ?? "",
    item.originZip ?? null,
    item.originState ?? null,
    item.destinationZip ?? null,
    item.destinationState ?? null,
    weight?.value ?? null,
    weight?.unit ?? null,
    size ? [size.length, size.width, size.height] : null,
    size?.unit ?? null,
    item.residential ?? null,
    item.shipDate ?? null,
    item.currency ?? null,
    item.repeats,
    foreignCountryOf(item),
  ];
}

/** Call after all items were inserted. Places that only other lines have are stored with the first line of the parcel. */
export async function saveParcels(tx: Tx, comparisonId: string, parcels: SeveralCharges[]): Promise<void> {
  if (parcels.length === 0) return;
  await tx.query(
    `update rate_items item set parcel = told.parcel, ${places
      .map(([field, column]) => `${column} = coalesce(told.facts ->> '${field}', item.${column})`)
      .join(", ")}
       from (select position, parcel, ('[' || parcel || ']')::jsonb -> 1 as facts
               from unnest($2::integer[], $3::text[]) as u (position, parcel)) as told
      where item.comparison_id = $1 and item.position = told.position`,
    [
      comparisonId,
      parcels.map(({ position }) => position),
      parcels.map(({ cents, facts }) => parcelText(cents, facts)),
    ],
  );
}

/** The last two members of a stored input, as JSON. */
function parcelText(cents: number | null, facts: ParcelFacts | undefined): string {
  return `${cents},${JSON.stringify(facts ?? {})}`;
}

const places = [
  ["originZip", "origin_zip"],
  ["originCity", "origin_city"],
  ["originState", "origin_state"],
  ["destinationZip", "destination_zip"],
  ["destinationCity", "destination_city"],
  ["destinationState", "destination_state"],
] as const;

export async function insertItems(tx: Tx, comparisonId: string, from: number, items: NewItem[]): Promise<void> {
  const array = (read: (item: NewItem) => string | number | undefined): string => arrayLiteral(items.map(read));
  const poundMg = mgPer("lb");
  await tx.query(
    `insert into rate_items (comparison_id, position, tracking_number, net_cents, service_type, origin_zip, origin_city,
       origin_state, destination_zip, destination_city, destination_state, pounds, input, charge_type, parcel)
     select $1, generate_series($2::integer, $2::integer + $3::integer - 1), unnest($4::text[]), unnest($5::integer[]),
       unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
       unnest($11::text[]), unnest($12::text[]), unnest($13::integer[]), unnest($14::text[]),
       unnest($15::text[]), unnest($16::text[])`,
    [
      comparisonId,
      from,
      items.length,
      array((item) => item.trackingNumber),
      array((item) => toCents(item.netCost)),
      array((item) => item.serviceType ?? ""),
      ...places.map(([name]) => array((item) => item[name])),
      array(({ weight }) => (isKnown(weight) ? countUnits(toMg(weight), poundMg) : undefined)),
      array((item) => JSON.stringify(toInput(item))),
      array((item) => item.chargeType),
      array(({ facts }) => facts && parcelText(null, facts)),
    ],
  );
}

/** Number of items by service and weight in pounds, rounded up. */
export async function countWeights(
  db: Queryable,
  comparisonId: string,
): Promise<{ service_type: string; pounds: number; items: number }[]> {
  return await db.query<{ service_type: string; pounds: number; items: number }>(
    `select service_type, pounds, count(*) as items from rate_items where comparison_id = $1 and pounds is not null
      group by 1, 2 order by 1, 2 limit 20000`,
    [comparisonId],
  );
}

/** Every n-th item. */
export async function readSample(
  db: Queryable,
  comparisonId: string,
  every: number,
): Promise<{ trackingNumber: string; input: string }[]> {
  return await db.query<{ trackingNumber: string; input: string }>(
    `select tracking_number as "trackingNumber", ${wholeInput} as input from rate_items
      where comparison_id = $1 and position % $2 = 0 order by position`,
    [comparisonId, every],
  );
}

/** The items of a range without a weight. */
export async function listUnweighed(
  db: Queryable,
  comparisonId: string,
  from: number,
  count: number,
): Promise<{ position: number; tracking_number: string }[]> {
  return await db.query<{ position: number; tracking_number: string }>(
    `select position, tracking_number from rate_items
      where comparison_id = $1 and position >= $2 and position < $3 and pounds is null`,
    [comparisonId, from, from + count],
  );
}

export async function findTrackingNumbers(
  db: Queryable,
  comparisonId: string,
  positions: number[],
): Promise<Map<number, string>> {
  const rows = await db.query<{ position: number; tracking_number: string }>(
    "select position, tracking_number from rate_items where comparison_id = $1 and position = any($2::integer[])",
    [comparisonId, positions],
  );
  return new Map(rows.map((row) => [row.position, row.tracking_number]));
}

/** Of all items of a range, in order. */
export async function readTrackingNumbers(
  db: Queryable,
  comparisonId: string,
  from: number,
  count: number,
): Promise<string[]> {
  const rows = await db.query<{ tracking_number: string }>(
    `select tracking_number from rate_items
      where comparison_id = $1 and position >= $2 and position < $3 order by position`,
    [comparisonId, from, from + count],
  );
  return rows.map((row) => row.tracking_number);
}

export async function deleteItems(tx: Tx, comparisonId: string): Promise<void> {
  await tx.query("delete from rate_items where comparison_id = $1", [comparisonId]);
}
