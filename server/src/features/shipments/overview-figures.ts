import type { Queryable } from "../../db/database.ts";
import type { RiskReason } from "./shipments.states.ts";
import { movingStatuses } from "./shipments.states.ts";
import * as stats from "./shipment-stats.store.ts";

/** Calendar days in UTC, both included. */
export type Window = { from: string; to: string };

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
 * Of one organization, or of all when `orgId` is null. What happened is read from sums per day, what is the case now from
 * counts and from the index of risks: how many shipments there are makes no difference.
 */
export async function readFigures(
  db: Queryable,
  orgId: string | null,
  { from, to }: Window,
  now: Date,
): Promise<OverviewFigures> {
  const end = new Date(Date.parse(`${to}T00:00:00Z`) + dayMs);
  const span = { from: `${from}T00:00:00Z`, before: end.toISOString(), now: now.toISOString() };
  const [sums, overdue, counts, risks] = await Promise.all([
    stats.sumDays(db, orgId, from, to),
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
  { from, to }: Window,
  by: "day" | "carrier" | "service" | "state",
): Promise<SeriesPoint[]> {
  const before = new Date(Date.parse(`${to}T00:00:00Z`) + dayMs).toISOString();
  const rows =
    by === "day"
      ? await stats.listDays(db, orgId, from, to)
      : await stats.sumBy(db, orgId, { from: `${from}T00:00:00Z`, before }, by);
  return rows.map(({ key, delivered, evaluated, onTime, transitCount, transitMs }) => ({
    key,
    delivered,
    onTimePct: oneDecimal(evaluated === 0 ? 0 : (100 * onTime) / evaluated),
    avgTransitDays: oneDecimal(transitCount === 0 ? 0 : transitMs / transitCount / dayMs),
    sample: { onTime: evaluated, transit: transitCount },
  }));
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}
