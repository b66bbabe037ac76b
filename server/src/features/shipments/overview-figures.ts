import type { Queryable } from "../../db/database.ts";
import type { Sums } from "./shipment.ts";
import type { RiskReason } from "./shipments.states.ts";
import { movingStatuses } from "./shipments.states.ts";
import { daysFrom, endOfLocalDate, toMoment } from "../../core/time-zones.ts";
import * as stats from "./shipment-stats.store.ts";

/** Calendar days in this time zone, both inclusive. */
export type Window = { from: string; to: string; timeZone: string };

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
  window: Window,
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
  window: Window,
  by: "day" | "carrier" | "service" | "state",
  now: Date,
): Promise<Series> {
  const span = { ...spanOf(window), now: now.toISOString() };
  const days = daysFrom(window.from, window.to);
  const begins = [...days.map((day) => toMoment(day, window.timeZone)), span.before];
  const { keyed, others } =
    by === "day"
      ? { keyed: await stats.sumDays(db, orgId, days, begins, span.now), others: undefined }
      : await stats.sumBy(db, orgId, span, by);
  return {
    points: keyed.map(({ key, ...sums }) => ({ key, ...figuresOf(sums) })),
    others: others ? figuresOf(others) : null,
  };
}

function spanOf({ from, to, timeZone }: Window): stats.Span {
  return { from: toMoment(from, timeZone), before: endOfLocalDate(to, timeZone) };
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}
