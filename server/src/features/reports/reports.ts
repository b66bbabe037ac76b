import type { Ctx } from "../../context.ts";
import type { DeliveryParts } from "../shipments/shipments.ts";
import { readDeliveryParts, readFigures, readWindowFigures } from "../shipments/shipments.ts";
import { beginsWithBefore, presentWindow, readReportWindow } from "./report-window.ts";
import type { ReportWindow } from "./report-window.ts";
import type {
  DeliveryQuery,
  DeliveryReport,
  ExceptionReport,
  PeopleReport,
  ReportQuery,
  VolumeReport,
} from "./reports.schemas.ts";
import * as store from "./reports.store.ts";

export { readAttention } from "./attention.ts";
export { readShipToday } from "./ship-today.ts";
export { readLabelReport } from "./label-report.ts";

export async function readVolumeReport(ctx: Ctx, query: ReportQuery): Promise<VolumeReport> {
  const at = await readReportWindow(ctx, query);
  const [start, middle, end] = edgesOf(at);
  const { db, orgId } = ctx;
  const [received, shipped, medianBefore, median] = await Promise.all([
    store.countReceived(db, orgId, beginsWithBefore(at)),
    store.countShipped(db, orgId, beginsWithBefore(at)),
    store.readMedianHours(db, orgId, start, middle),
    store.readMedianHours(db, orgId, middle, end),
  ]);
  // The first part is the window before.
  const rows = at.days.map((day, i) => ({
    day,
    startsAt: at.begins[i]!,
    endsAt: at.begins[i + 1]!,
    received: received[i + 1]!,
    shipped: shipped[i + 1]!,
  }));
  const sum = (name: "received" | "shipped"): number => rows.reduce((all, row) => all + row[name], 0);
  return {
    window: presentWindow(at),
    totals: { received: sum("received"), shipped: sum("shipped"), medianHoursToShip: oneDecimal(median) },
    previous: { received: received[0]!, shipped: shipped[0]!, medianHoursToShip: oneDecimal(medianBefore) },
    rows,
  };
}

/** Deliveries with the definitions of the overview. */
export async function readDeliveryReport(ctx: Ctx, query: DeliveryQuery): Promise<DeliveryReport> {
  const { groupBy, days: _days, from: _from, to: _to, ...filter } = query;
  const at = await readReportWindow(ctx, query);
  const now = ctx.clock.now();
  const { db, orgId } = ctx;
  const isFiltered = Object.keys(filter).length > 0;
  const [{ points, others, totals }, previous] = await Promise.all([
    readDeliveryParts(db, orgId, at.window, groupBy, now, filter),
    isFiltered ? readWindowFigures(db, orgId, at.before, now, filter) : readFigures(db, orgId, at.before, now),
  ]);
  const present = (part: DeliveryParts["totals"]) => ({
    ...presentDeliveries(part),
    atRisk: part.atRisk,
    leftOut: part.leftOut,
  });
  return {
    groupBy,
    window: presentWindow(at),
    totals: present(totals),
    previous: presentDeliveries(previous),
    rows: points.map((point) => ({ key: point.key, ...present(point) })),
    others: others && present(others),
  };
}

type Deliveries = Pick<
  Awaited<ReturnType<typeof readFigures>>,
  "delivered" | "promises" | "onTimePct" | "avgTransitDays" | "sample"
>;

function presentDeliveries({ delivered, promises, onTimePct, avgTransitDays, sample }: Deliveries) {
  return {
    delivered,
    onTime: promises.kept,
    late: promises.missed,
    onTimePct: sample.onTime === 0 ? null : onTimePct,
    avgTransitDays: sample.transit === 0 ? null : avgTransitDays,
  };
}

export async function readExceptionReport(ctx: Ctx, query: ReportQuery): Promise<ExceptionReport> {
  const at = await readReportWindow(ctx, query);
  const causes = await store.groupExceptionsBetween(ctx.db, ctx.orgId, edgesOf(at));
  const sum = (name: "opened" | "open" | "before"): number => causes.reduce((all, cause) => all + cause[name], 0);
  return {
    window: presentWindow(at),
    totals: { opened: sum("opened"), open: sum("open") },
    // Whether an exception of the window before is still open says nothing about that window.
    previous: { opened: sum("before"), open: 0 },
    rows: causes
      .filter(({ opened }) => opened > 0)
      .map(({ kind, code, opened, open }) => ({ kind, code, opened, open })),
  };
}

const personSums = ["runs", "ordersChanged", "ordersFailed", "labelsBought"] as const;

export async function readPeopleReport(ctx: Ctx, query: ReportQuery): Promise<PeopleReport> {
  const at = await readReportWindow(ctx, query);
  const people = await store.sumRunsByPerson(ctx.db, ctx.orgId, edgesOf(at));
  const sumOf = (rows: typeof people): PeopleReport["totals"] => {
    const sums = { runs: 0, ordersChanged: 0, ordersFailed: 0, labelsBought: 0 };
    for (const row of rows) for (const name of personSums) sums[name] += row[name];
    return sums;
  };
  const now = people.filter(({ isBefore }) => !isBefore);
  return {
    window: presentWindow(at),
    totals: sumOf(now),
    previous: sumOf(people.filter(({ isBefore }) => isBefore)),
    rows: now.map(({ isBefore: _now, ...row }) => row),
  };
}

/** Start of the window before, start and end of the window. */
function edgesOf(at: ReportWindow): [string, string, string] {
  return [beginsWithBefore(at)[0]!, at.begins[0]!, at.begins.at(-1)!];
}

function oneDecimal(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
