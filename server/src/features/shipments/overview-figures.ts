import type { Queryable } from "../../db/database.ts";
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
  const evaluated = sums.evaluated + overdue;
  const { total, ...atRiskByReason } = risks;
  return {
    onTimePct: oneDecimal(evaluated === 0 ? 0 : (100 * sums.onTime) / evaluated),
    inTransit: counts.reduce((sum, { status, count }) => sum + (movingStatuses.includes(status) ? count : 0), 0),
    delivered: sums.delivered,
    avgTransitDays: oneDecimal(sums.transitCount === 0 ? 0 : sums.transitMs / sums.transitCount / dayMs),
    atRisk: total,
    atRiskByReason,
    sample: { onTime: evaluated, transit: sums.transitCount },
  };
}

export type SeriesPoint = Pick<OverviewFigures, "onTimePct" | "delivered" | "avgTransitDays" | "sample"> & {
  key: string;
};

/** The window taken apart: by day from the sums of each day, otherwise from its shipments. */
export async function readSeries(
  db: Queryable,
  orgId: string | null,
  window: Window,
  by: "day" | "carrier" | "service" | "state",
): Promise<SeriesPoint[]> {
  const span = spanOf(window);
  const days = daysFrom(window.from, window.to);
  const rows =
    by === "day"
      ? await stats.sumDays(db, orgId, days, [...days.map((day) => toMoment(day, window.timeZone)), span.before])
      : await stats.sumBy(db, orgId, span, by);
  return rows.map(({ key, delivered, evaluated, onTime, transitCount, transitMs }) => ({
    key,
    delivered,
    onTimePct: oneDecimal(evaluated === 0 ? 0 : (100 * onTime) / evaluated),
    avgTransitDays: oneDecimal(transitCount === 0 ? 0 : transitMs / transitCount / dayMs),
    sample: { onTime: evaluated, transit: transitCount },
  }));
}

function spanOf({ from, to, timeZone }: Window): stats.Span {
  return { from: toMoment(from, timeZone), before: endOfLocalDate(to, timeZone) };
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}
