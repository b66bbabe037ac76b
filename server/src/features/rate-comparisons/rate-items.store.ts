import { countUnits, mgPer, toMg } from "../../carriers/rate-card/measures.ts";
import { toCents } from "../../core/money.ts";
import type { Weight } from "../../core/weight.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { ItemRequest } from "./rate-comparisons.schemas.ts";

/** What a price depends on, as it is kept in `input`. */
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
  isDuplicate: boolean,
];

/** One line of JSON for each item, to be parsed when its turn comes: what lives only for a moment costs no memory. */
export async function readInputLines(
  db: Queryable,
  comparisonId: string,
  from: number,
  count: number,
): Promise<string[]> {
  const [row] = await db.query<{ lines: string | null }>(
    `select string_agg(input, e'\\n' order by position) as lines from rate_items
      where comparison_id = $1 and position >= $2 and position < $3`,
    [comparisonId, from, from + count],
  );
  return row?.lines?.split("\n") ?? [];
}

/** `isDuplicate`: the tracking number was there before. */
export type NewItem = ItemRequest & { isDuplicate: boolean };

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
    item.isDuplicate,
  ];
}

const places = [
  "originZip",
  "originCity",
  "originState",
  "destinationZip",
  "destinationCity",
  "destinationState",
] as const;

/** The arrays are written as text here, which is several times faster than by the driver or as JSON. */
export async function insertItems(tx: Tx, comparisonId: string, from: number, items: NewItem[]): Promise<void> {
  const text = (read: (item: NewItem) => string | undefined): string =>
    toArray(items, (item) => quoteElement(read(item)));
  const poundMg = mgPer("lb");
  const pounds = ({ weight }: NewItem): string => (weight ? String(countUnits(toMg(weight), poundMg)) : "NULL");
  await tx.query(
    `insert into rate_items (comparison_id, position, tracking_number, net_cents, service_type, origin_zip, origin_city,
       origin_state, destination_zip, destination_city, destination_state, pounds, input)
     select $1, generate_series($2::integer, $2::integer + $3::integer - 1), unnest($4::text[]), unnest($5::integer[]),
       unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
       unnest($11::text[]), unnest($12::text[]), unnest($13::integer[]), unnest($14::text[])`,
    [
      comparisonId,
      from,
      items.length,
      text((item) => item.trackingNumber),
      toArray(items, (item) => String(toCents(item.netCost))),
      text((item) => item.serviceType ?? ""),
      ...places.map((name) => text((item) => item[name])),
      toArray(items, pounds),
      text((item) => JSON.stringify(toInput(item))),
    ],
  );
}

function toArray<T>(list: readonly T[], write: (one: T) => string): string {
  let text = "{";
  for (let i = 0; i < list.length; i++) text += i === 0 ? write(list[i]!) : `,${write(list[i]!)}`;
  return `${text}}`;
}

const special = /["\\]/g;

function quoteElement(value: string | undefined): string {
  return value === undefined ? "NULL" : `"${value.replace(special, String.raw`\$&`)}"`;
}

/** How many items have which service and how many pounds, rounded up. */
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

/** Those of a range that came without a weight. */
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

export async function deleteItems(tx: Tx, comparisonId: string): Promise<void> {
  await tx.query("delete from rate_items where comparison_id = $1", [comparisonId]);
}
