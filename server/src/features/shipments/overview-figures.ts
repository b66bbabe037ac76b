import type { Queryable } from "../../db/database.ts";
import type { Sums } from "./shipment.ts";
import type { RiskReason } from "./shipments.states.ts";
import { movingStatuses } from "./shipments.states.ts";
import { daysFrom, endOfLocalDate, toMoment } from "../../core/time-zones.ts";
import * as stats from "./shipment-stats.store.ts";

/** Calendar days of this zone, both included. */
export type Window = { from: string; to: string; timeZone: string };

export type OverviewFigures = {
  /** Of those with a promise that was kept or broken in the window, the share that was kept; 0 when there are none. */
  onTimePct: number;
  inTransit: number;
  delivered: number;
  avgTransitDays: number;
  atRisk: number;
  atRiskByReason: Record<RiskReason, number>;
  sample: { onTime: number; transit: number };
  /** What the share is of: together they are `sample.onTime`. */
  promises: { kept: number; missed: number };
};

const dayMs = 86_400_000;

/**
 * Of one organization, or of all when `orgId` is null. What happened is read from sums, what is the case now from
 * counts and from the index of risks: how many shipments there are makes no difference.
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
  // Nobody has tried to deliver them although the promised day is over: they are late, whenever they arrive.
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
/** `others`: all that are not among the points, where there are more than are listed. */
export type Series = { points: SeriesPoint[]; others: WindowFigures | null };

/** The window taken apart, with the definitions of the overview: all parts together are the overview. */
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
