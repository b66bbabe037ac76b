import { findCountry } from "../../core/region-names.ts";
import { countUnits, mgPer, toMg } from "../../carriers/rate-card/measures.ts";
import { toCents } from "../../core/money.ts";
import type { Weight } from "../../core/weight.ts";
import { arrayLiteral } from "../../db/array-literal.ts";
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
  /** True: says the very same as an earlier one. "line": a further charge for the parcel of an earlier one. */
  repeats: Repeats,
  /** The country that one of the ends is in, where that is not the United States. */
  abroad?: string | null,
  /** Of the first charge of a parcel: all its charges together, where there are several. */
  chargedCents?: number,
];

type Repeats = boolean | "line";

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

export type NewItem = ItemRequest & { repeats: Repeats };

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
    abroadOf(item),
  ];
}

/** Territories go by their ZIPs, as the rest of the country does. */
const domestic = new Set(["US", "PR", "VI", "GU", "AS", "MP", "UM"]);

function abroadOf({ originCountry, destinationCountry }: ItemRequest): string | null {
  for (const text of [originCountry, destinationCountry]) {
    const written = text?.trim();
    if (!written) continue;
    const code = findCountry(written)?.alpha2 ?? written.toUpperCase();
    if (!domestic.has(code)) return code;
  }
  return null;
}

export type Parcels = {
  /** What these items are to the ones before them. */
  number(items: ItemRequest[]): NewItem[];
  /** Of parcels with several charges: the position of the first, and what all come to. */
  sums(): [position: number, cents: number][];
  /** The days on which they were sent, as far as that is told. */
  shipDays(): string[];
};

/** Tells parcels from charges while items arrive. Keeps a few numbers for each, however many there are. */
export function gatherParcels(): Parcels {
  const first = new Map<string, number>();
  const cents: number[] = [];
  const prints: number[] = [];
  const several = new Map<number, { cents: number; prints: Set<number> }>();
  const shipDays = new Set<string>();
  return {
    number: (items) =>
      items.map((item) => {
        const position = cents.push(toCents(item.netCost)) - 1;
        if (item.shipDate !== undefined) shipDays.add(item.shipDate);
        prints.push(fingerprint(JSON.stringify(toInput({ ...item, repeats: false }))));
        const known = first.get(item.trackingNumber);
        if (known === undefined) {
          first.set(item.trackingNumber, position);
          return { ...item, repeats: false };
        }
        const parcel = several.get(known) ?? { cents: cents[known]!, prints: new Set([prints[known]!]) };
        several.set(known, parcel);
        if (parcel.prints.has(prints[position]!)) return { ...item, repeats: true };
        parcel.prints.add(prints[position]!);
        parcel.cents += cents[position]!;
        return { ...item, repeats: "line" };
      }),
    sums: () => [...several].filter(([, { prints: told }]) => told.size > 1).map(([at, parcel]) => [at, parcel.cents]),
    shipDays: () => [...shipDays],
  };
}

/** Two numbers of 32 bits in one: of 250,000 texts two that differ have the same one time in a hundred thousand. */
function fingerprint(text: string): number {
  let [a, b] = [0x81_1c_9d_c5, 0x12_34_56_78];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01_00_01_93);
    b = Math.imul(b ^ code, 0x85_eb_ca_6b) ^ (b >>> 13);
  }
  return (a >>> 0) * 2 ** 21 + ((b >>> 0) & 0x1f_ff_ff);
}

/** To be called when all items are there. */
export async function saveSums(tx: Tx, comparisonId: string, sums: [position: number, cents: number][]): Promise<void> {
  if (sums.length === 0) return;
  await tx.query(
    `update rate_items i set input = left(i.input, -1) || ',' || u.cents || ']'
       from unnest($2::integer[], $3::bigint[]) as u (position, cents)
      where i.comparison_id = $1 and i.position = u.position`,
    [comparisonId, sums.map(([position]) => position), sums.map(([, cents]) => cents)],
  );
}

/** Nothing weighs nothing: exports write 0 where nobody weighed. */
function isKnown(weight: ItemRequest["weight"]): weight is NonNullable<ItemRequest["weight"]> {
  return weight !== undefined && weight.value > 0;
}

const places = [
  "originZip",
  "originCity",
  "originState",
  "destinationZip",
  "destinationCity",
  "destinationState",
] as const;

export async function insertItems(tx: Tx, comparisonId: string, from: number, items: NewItem[]): Promise<void> {
  const array = (read: (item: NewItem) => string | number | undefined): string => arrayLiteral(items.map(read));
  const poundMg = mgPer("lb");
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
      array((item) => item.trackingNumber),
      array((item) => toCents(item.netCost)),
      array((item) => item.serviceType ?? ""),
      ...places.map((name) => array((item) => item[name])),
      array(({ weight }) => (isKnown(weight) ? countUnits(toMg(weight), poundMg) : undefined)),
      array((item) => JSON.stringify(toInput(item))),
    ],
  );
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

/** Every so many of them. */
export async function readSample(
  db: Queryable,
  comparisonId: string,
  every: number,
): Promise<{ trackingNumber: string; input: string }[]> {
  return await db.query<{ trackingNumber: string; input: string }>(
    `select tracking_number as "trackingNumber", input from rate_items
      where comparison_id = $1 and position % $2 = 0 order by position`,
    [comparisonId, every],
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
