import type { RateItem } from "./rater.ts";
import type { RateResult } from "./rate-item.ts";

/** Sums over the items of one group, in cents. */
export type Tally = ReturnType<typeof emptyTally>;

export type TopItem = { position: number; savings: number };

/** The data of the summary as plain JSON, saved together with the progress, so that each batch is counted exactly once. */
export type Totals = {
  byStatus: Record<string, number>;
  byReason: Record<string, number>;
  byBasis: Record<string, number>;
  byZoneSource: Record<string, number>;
  /** Undefined in totals saved by earlier versions. */
  byAssumption?: Record<string, number>;
  borderline: number;
  all: Tally;
  low: number;
  high: number;
  best: number;
  /** Amount paid for items that were not compared. */
  sourceUnrated: number;
  winAmount: number;
  lossAmount: number;
  lines: Record<string, number>;
  zones: Record<string, Tally>;
  services: Record<string, Tally>;
  weights: Record<string, Tally>;
  states: Record<string, Tally>;
  lanes: Record<string, Tally>;
  buckets: Record<string, Tally>;
  topSavings: TopItem[];
  topLosses: TopItem[];
};

const topCount = 10;

function emptyTally() {
  return { items: 0, source: 0, target: 0, wins: 0, losses: 0, ties: 0, miles: 0, milesItems: 0 };
}

export function sumOf(tallies: Tally[]): Tally {
  const sum = emptyTally();
  for (const tally of tallies) for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += tally[name];
  return sum;
}

export function emptyTotals(): Totals {
  return {
    byStatus: {},
    byReason: {},
    byBasis: {},
    byZoneSource: {},
    byAssumption: {},
    borderline: 0,
    all: emptyTally(),
    low: 0,
    high: 0,
    best: 0,
    sourceUnrated: 0,
    winAmount: 0,
    lossAmount: 0,
    lines: {},
    zones: {},
    services: {},
    weights: {},
    states: {},
    lanes: {},
    buckets: {},
    topSavings: [],
    topLosses: [],
  };
}

export type CountedItem = Pick<RateItem, "netCents" | "serviceType"> & {
  position: number;
  originState: string;
  destinationState: string;
};

/** Adds one item. Integer cents, so that the order of the items makes no difference. */
export function addItem(totals: Totals, item: CountedItem, result: RateResult): void {
  count(totals.byStatus, result.status);
  if (result.reason !== null) count(totals.byReason, result.reason);
  const { targetCents } = result;
  if (targetCents === null) {
    totals.sourceUnrated += item.netCents;
    return;
  }
  if (result.basis !== null) count(totals.byBasis, result.basis);
  if (result.zoneSource !== null) count(totals.byZoneSource, result.zoneSource);
  if (result.alternativeZone !== null) totals.borderline++;
  for (const code of result.assumed) count((totals.byAssumption ??= {}), code);
  const savings = item.netCents - targetCents;
  totals.low += result.lowCents ?? targetCents;
  totals.high += result.highCents ?? targetCents;
  totals.best += Math.min(item.netCents, targetCents);
  if (savings > 0) totals.winAmount += savings;
  else totals.lossAmount -= savings;
  for (const { code, cents } of result.lines) count(totals.lines, code, cents);
  const add = (tally: Tally): void => addTo(tally, item.netCents, targetCents, savings, result.distanceMiles);
  add(totals.all);
  add(tallyOf(totals.zones, result.zone ?? "unknown"));
  const service = `${item.serviceType}\u001F${result.serviceLevel}\u001F${result.targetService}`;
  add(tallyOf(totals.services, service));
  add(tallyOf(totals.weights, bracketOf(result.ratedMg)));
  const to = item.destinationState || "unknown";
  add(tallyOf(totals.states, to));
  add(tallyOf(totals.lanes, `${item.originState || "unknown"}\u001F${to}`));
  add(tallyOf(totals.buckets, String(bucketOf(savings))));
  const top = { position: item.position, savings };
  if (savings > 0) keepTop(totals.topSavings, top, (a, b) => b.savings - a.savings);
  if (savings < 0) keepTop(totals.topLosses, top, (a, b) => a.savings - b.savings);
}

/** Keys come from users, so `toString` must be a key like any other, not the inherited method. */
function tallyOf(group: Record<string, Tally>, key: string): Tally {
  return Object.hasOwn(group, key) ? group[key]! : (group[key] = emptyTally());
}

function count(counts: Record<string, number>, key: string, by = 1): void {
  counts[key] = (Object.hasOwn(counts, key) ? counts[key]! : 0) + by;
}

function addTo(tally: Tally, source: number, target: number, savings: number, miles: number | null): void {
  tally.items++;
  tally.source += source;
  tally.target += target;
  if (savings > 0) tally.wins++;
  else if (savings < 0) tally.losses++;
  else tally.ties++;
  if (miles === null) return;
  tally.miles += miles;
  tally.milesItems++;
}

export function topPositions({ topSavings, topLosses }: Totals): number[] {
  return [...topSavings, ...topLosses].map(({ position }) => position);
}

const poundMg = 453_592.37;
export const weightBrackets = ["0-1 lb", "1-5 lb", "5-10 lb", "10-20 lb", "20-50 lb", "over 50 lb", "unknown"] as const;
const bracketEnds = [1, 5, 10, 20, 50];

function bracketOf(mg: number | null): (typeof weightBrackets)[number] {
  if (mg === null) return "unknown";
  const index = bracketEnds.findIndex((pounds) => mg <= Math.round(pounds * poundMg));
  return weightBrackets[index === -1 ? bracketEnds.length : index]!;
}

/** Lower bounds in cents. */
export const bucketStarts = [-Infinity, -2000, -1000, -500, -200, -100, 0, 1, 101, 201, 501, 1001, 2001];

function bucketOf(savings: number): number {
  let index = bucketStarts.length - 1;
  while (savings < bucketStarts[index]!) index--;
  return index;
}

/** Ties stay in the order of the items, so that the result is deterministic. */
function keepTop(list: TopItem[], item: TopItem, compare: (a: TopItem, b: TopItem) => number): void {
  if (list.length === topCount && compare(item, list.at(-1)!) >= 0) return;
  const at = list.findIndex((other) => compare(item, other) < 0);
  list.splice(at === -1 ? list.length : at, 0, item);
  if (list.length > topCount) list.pop();
}
