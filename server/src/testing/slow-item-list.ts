import type { Item, ItemQuery } from "../features/rate-comparisons/rate-items.schemas.ts";
import type { Random } from "./random-parcels.ts";
import type { TestClient } from "./test-client.ts";

/** Query of an item list; pages start at 1. */
type ListQuery = Omit<ItemQuery, "page" | "limit"> & { page?: number; limit?: number };

/** All items of a comparison, read through the unfiltered list. */
export async function readAllItems(client: Pick<TestClient, "get">, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`${path}/items?limit=500&page=${page}`);
    items.push(...(body.data as Item[]));
    if (!body.pagination.hasMore) return items;
  }
}

/** Expected items of a list, by checking each item. Shares no code with the hub. */
export function slowList(items: readonly Item[], query: ListQuery): { indexes: number[]; total: number } {
  const found = items.filter(matcherOf(query)).toSorted(comparisonOf(query.sort ?? "position"));
  const { page = 1, limit = 50 } = query;
  const indexes = found.slice((page - 1) * limit, page * limit).map(({ index }) => index);
  return { indexes, total: found.length };
}

/** Runs for thousands of items and hundreds of lists, so constants are computed once and text filters come last. */
function matcherOf(query: ListQuery): (item: Item) => boolean {
  const { zone, outcome, minSavings } = query;
  const [statuses, bases, reasons] = [query.status, query.basis, query.reason].map((list) => list?.split(","));
  const [serviceType, search] = [query.serviceType?.toLowerCase(), query.search?.toLowerCase()];
  const isOne = (value: string | null, list: string[] | undefined): boolean =>
    list === undefined || (value !== null && list.includes(value));
  const has = (text: string | null | undefined): boolean => text?.toLowerCase().includes(search!) === true;
  return (item) =>
    isOne(item.status, statuses) &&
    isOne(item.basis, bases) &&
    isOne(item.reason, reasons) &&
    (zone === undefined || item.zone === zone) &&
    (outcome === undefined || item.outcome === outcome) &&
    (minSavings === undefined || (item.savings !== null && item.savings >= minSavings)) &&
    (serviceType === undefined || item.serviceType.toLowerCase() === serviceType) &&
    (search === undefined || textsOf(item).some(has));
}

const textsOf = (item: Item) => [
  item.trackingNumber,
  item.originZip,
  item.originCity,
  item.originState,
  item.destinationZip,
  item.destinationCity,
  item.destinationState,
];

type Compare = (a: Item, b: Item) => number;

function comparisonOf(sort: NonNullable<ItemQuery["sort"]>): Compare {
  const zoneNumber = ({ zone }: Item): number | null => (zone !== null && /^\d+$/.test(zone) ? Number(zone) : null);
  const comparisons: Record<typeof sort, Compare[]> = {
    position: [],
    savings: [nullsLast(({ savings }) => savings, 1)],
    "-savings": [nullsLast(({ savings }) => savings, -1)],
    netCost: [nullsLast(({ netCost }) => netCost, 1)],
    "-netCost": [nullsLast(({ netCost }) => netCost, -1)],
    zone: [nullsLast(zoneNumber, 1), nullsLast(({ zone }) => zone, 1)],
  };
  return (a, b) => {
    for (const compare of comparisons[sort]) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return a.index - b.index;
  };
}

function nullsLast(read: (item: Item) => number | string | null, direction: 1 | -1): Compare {
  return (a, b) => {
    const [left, right] = [read(a), read(b)];
    if (left === right) return 0;
    if (left === null) return 1;
    if (right === null) return -1;
    return left < right ? -direction : direction;
  };
}

const sorts = ["position", "savings", "-savings", "netCost", "-netCost", "zone"] as const;

/** A query with values of one item, so that most queries match. */
export function randomQuery(random: Random, items: readonly Item[], searches: readonly string[]): ListQuery {
  const item = random.pick(items);
  const text = (list: string[]): string => (random.chance(0.3) ? `${random.pick(list)},${list[0]}` : list[0]!);
  const query: ListQuery = {};
  if (random.chance(0.4)) query.status = text([item.status, "rated", "pending", "excluded"]);
  if (random.chance(0.3)) query.zone = item.zone ?? "none";
  if (random.chance(0.3)) query.serviceType = random.chance(0.5) ? item.serviceType : item.serviceType.toUpperCase();
  if (random.chance(0.4)) query.search = random.chance(0.5) ? random.pick(searches) : pieceOf(random, item);
  if (random.chance(0.15)) query.outcome = random.pick(["win", "loss", "tie"]);
  if (random.chance(0.15)) query.basis = text([item.basis ?? "flat", "weight", "profile"]);
  if (random.chance(0.15)) query.reason = text([item.reason ?? "invalid_zip", "duplicate"]);
  if (random.chance(0.15))
    query.minSavings = random.chance(0.5) ? (item.savings ?? 0) : (random.below(2000) - 1000) / 100;
  if (random.chance(0.7)) query.sort = random.pick(sorts);
  if (random.chance(0.5)) query.limit = 1 + random.below(random.pick([3, 60, 500]));
  if (random.chance(0.5)) query.page = 1 + random.below(random.pick([3, 3, 40]));
  return query;
}

function pieceOf(random: Random, item: Item): string {
  const { trackingNumber, destinationZip, destinationCity } = item;
  const whole = random.pick([trackingNumber, trackingNumber, destinationZip ?? "0", destinationCity ?? "a"]);
  const from = random.below(whole.length);
  return whole.slice(from, from + 1 + random.below(whole.length)).toWellFormed();
}

export function toQueryString(query: ListQuery): string {
  return new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
}
