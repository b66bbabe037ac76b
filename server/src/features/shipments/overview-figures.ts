import type { DayWindow } from "../../core/day-window.ts";
import type { Queryable } from "../../db/database.ts";
import type { Sums } from "./shipment.ts";
import { noSums } from "./shipment.ts";
import type { RiskReason } from "./shipments.states.ts";
import { movingStatuses } from "./shipments.states.ts";
import { daysFrom, endOfLocalDate, toMoment } from "../../core/time-zones.ts";
import type { Grouping, PartSums } from "./delivery-parts.store.ts";
import { countRisksBy, sumParts } from "./delivery-parts.store.ts";
import type { GroupKey, PartFilter } from "./delivery-terms.store.ts";
import * as stats from "./shipment-stats.store.ts";

export type OverviewFigures = {
  /** Share of the promises decided in the window that were kept; 0 if there are none. */
  onTimePct: number;
  inTransit: number;
  delivered: number;
  avgTransitDays: number;
  atRisk: number;
  atRiskByReason: Record<RiskReason, number>;
  sample: { onTime: number; transit: number };
  /** Their sum is `sample.onTime`. */
  promises: { kept: number; missed: number };
};

const dayMs = 86_400_000;

/**
 * KPIs of one organization, or of all if `orgId` is null. Reads sums, counts and the index of risks, so that the cost does
 * not depend on the number of shipments.
 */
export async function readFigures(
  db: Queryable,
  orgId: string | null,
  window: DayWindow,
  now: Date,
): Promise<OverviewFigures> {
  const span = { ...spanOf(window), now: now.toISOString() };
  const [sums, overdue, counts, risks] = await Promise.all([
    stats.sumSpan(db, orgId, span),
    stats.countOverdue(db, orgId, span),
    stats.readStatusCounts(db, orgId),
    stats.countRisks(db, orgId, span.now),
  ]);
  // Overdue shipments have no delivery attempt although the promised day is over, so they count as late.
  const { total, ...atRiskByReason } = risks;
  return {
    ...figuresOf({ ...sums, evaluated: sums.evaluated + overdue }),
    inTransit: counts.reduce((sum, { status, count }) => sum + (movingStatuses.includes(status) ? count : 0), 0),
    atRisk: total,
    atRiskByReason,
  };
}

type WindowFigures = Pick<OverviewFigures, "onTimePct" | "delivered" | "avgTransitDays" | "sample" | "promises">;

function figuresOf({ delivered, evaluated, onTime, transitCount, transitMs }: Sums): WindowFigures {
  return {
    onTimePct: oneDecimal(evaluated === 0 ? 0 : (100 * onTime) / evaluated),
    delivered,
    avgTransitDays: oneDecimal(transitCount === 0 ? 0 : transitMs / transitCount / dayMs),
    sample: { onTime: evaluated, transit: transitCount },
    promises: { kept: onTime, missed: evaluated - onTime },
  };
}

type SeriesPoint = WindowFigures & { key: string };
/** `others`: the sum of all groups beyond the listed ones. */
export type Series = { points: SeriesPoint[]; others: WindowFigures | null };

/** KPIs by group, with the definitions of the overview; the groups add up to the overview. */
export async function readSeries(
  db: Queryable,
  orgId: string | null,
  window: DayWindow,
  by: "day" | GroupKey,
  now: Date,
): Promise<Series> {
  const span = { ...spanOf(window), now: now.toISOString() };
  if (by === "day") {
    const { days, begins } = daysOf(window);
    const keyed = await stats.sumDays(db, orgId, days, begins, span.now);
    return { points: keyed.map(({ key, ...sums }) => ({ key, ...figuresOf(sums) })), others: null };
  }
  const { keyed, others } = await sumParts(db, orgId, span, by);
  // A group of which all parcels were left out has no figures.
  const counted = keyed.filter(({ delivered, evaluated }) => delivered + evaluated > 0);
  return {
    points: counted.map(({ key, ...sums }) => ({ key, ...figuresOf(sums) })),
    others: others ? figuresOf(others) : null,
  };
}

type LeftOut = { noPromise: number; cancelled: number; returned: number; noFirstScan: number };
type Part = WindowFigures & { leftOut: LeftOut; atRisk: number };
export type DeliveryParts = { points: (Part & { key: string })[]; others: Part | null; totals: Part };

/** The figures of the overview by group, with the parcels that are left out and those at risk. `totals` is the sum of all parts. */
export async function readDeliveryParts(
  db: Queryable,
  orgId: string,
  window: DayWindow,
  by: "day" | GroupKey,
  now: Date,
  filter: PartFilter,
): Promise<DeliveryParts> {
  const grouping: Grouping = by === "day" ? daysOf(window) : by;
  const moment = now.toISOString();
  const [{ keyed, others }, risks] = await Promise.all([
    sumParts(db, orgId, { ...spanOf(window), now: moment }, grouping, filter),
    countRisksBy(db, orgId, moment, grouping, filter),
  ]);
  const riskOf = new Map(risks.map(({ key, count }) => [key, count]));
  const found = new Map(keyed.map((part) => [part.key, part]));
  const keys = typeof grouping === "string" ? [...found.keys()] : grouping.days;
  const points = keys.map((key) => ({ key, ...partOf(found.get(key) ?? noParts, riskOf.get(key) ?? 0) }));
  const atRisk = risks.reduce((sum, { count }) => sum + count, 0);
  const atRiskElsewhere = atRisk - points.reduce((sum, point) => sum + point.atRisk, 0);
  return {
    points,
    others: others || atRiskElsewhere > 0 ? partOf(others ?? noParts, atRiskElsewhere) : null,
    totals: partOf([...keyed, ...(others ? [others] : [])].reduce(addUp, noParts), atRisk),
  };
}

/** The figures of a window, of the shipments that the filter selects. */
export async function readWindowFigures(
  db: Queryable,
  orgId: string,
  window: DayWindow,
  now: Date,
  filter: PartFilter,
): Promise<WindowFigures> {
  const { keyed, others } = await sumParts(db, orgId, { ...spanOf(window), now: now.toISOString() }, "carrier", filter);
  return figuresOf([...keyed, ...(others ? [others] : [])].reduce(addUp, noParts));
}

const noParts: PartSums = { ...noSums, noPromise: 0, cancelled: 0, returned: 0 };

function addUp(sum: PartSums, part: PartSums): PartSums {
  const names = Object.keys(noParts) as (keyof PartSums)[];
  return Object.fromEntries(names.map((name) => [name, sum[name] + part[name]])) as PartSums;
}

function partOf(sums: PartSums, atRisk: number): Part {
  const { noPromise, cancelled, returned, delivered, transitCount } = sums;
  return {
    ...figuresOf(sums),
    leftOut: { noPromise, cancelled, returned, noFirstScan: delivered - transitCount },
    atRisk,
  };
}

function daysOf({ from, to, timeZone }: DayWindow): { days: string[]; begins: string[] } {
  const days = daysFrom(from, to);
  return { days, begins: [...days.map((day) => toMoment(day, timeZone)), endOfLocalDate(to, timeZone)] };
}

function spanOf({ from, to, timeZone }: DayWindow): stats.Span {
  return { from: toMoment(from, timeZone), before: endOfLocalDate(to, timeZone) };
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}
