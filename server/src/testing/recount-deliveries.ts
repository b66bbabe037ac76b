import { expect } from "vitest";

// The definitions of the delivery figures once more, in plain JavaScript over the rows.

const hour = 3_600_000;

/** A row of the table of shipments. */
export type Parcel = {
  order_id: string | null;
  carrier_key: string | null;
  service: string | null;
  origin: { provinceCode?: string } | null;
  destination: { provinceCode?: string } | null;
  carrier_account_id: string | null;
  zone: string | null;
  status: string;
  status_at: Date | null;
  shipped_at: Date;
  accepted_at: Date | null;
  delivered_at: Date | null;
  risk_at: Date | null;
  first_attempt_at: Date | null;
  promise_ends_at: Date | null;
};

type Sums = { delivered: number; onTime: number; late: number; avgTransitDays: number | null };
export type Part = Sums & { leftOut: Record<"noPromise" | "cancelled" | "returned" | "noFirstScan", number> };

/** The definitions once more: each parcel is counted in one of these, or is not decided yet. */
export function recountDeliveries(parcels: Parcel[], isIn: (at: Date | null) => boolean, now: number): Part {
  const sums = { delivered: 0, onTime: 0, late: 0 };
  const leftOut = { noPromise: 0, cancelled: 0, returned: 0, noFirstScan: 0 };
  const transits: number[] = [];
  for (const one of parcels) {
    if (one.status === "cancelled" || one.status === "returned") {
      if (isIn(one.status_at)) leftOut[one.status]++;
      continue;
    }
    if (isIn(one.delivered_at)) {
      sums.delivered++;
      if (one.accepted_at === null) leftOut.noFirstScan++;
      else transits.push(one.delivered_at!.getTime() - one.accepted_at.getTime());
    }
    const [end, attempt] = [one.promise_ends_at, one.first_attempt_at];
    if (attempt !== null && isIn(attempt)) {
      if (end === null) leftOut.noPromise++;
      else sums[attempt < end ? "onTime" : "late"]++;
    } else if (attempt === null && end !== null && isIn(end) && end.getTime() <= now) sums.late++;
  }
  const days = transits.reduce((sum, ms) => sum + ms, 0) / transits.length / (24 * hour);
  return { ...sums, avgTransitDays: transits.length === 0 ? null : Math.round(days * 10) / 10, leftOut };
}

export const pickSums = ({ delivered, onTime, late, avgTransitDays }: Sums) => ({
  delivered,
  onTime,
  late,
  avgTransitDays,
});
export const pickPart = ({ leftOut, ...sums }: Part): Part => ({ ...pickSums(sums), leftOut });

export const laneOf = ({ origin, destination }: Parcel): string =>
  origin?.provinceCode && destination?.provinceCode
    ? `${origin.provinceCode.toUpperCase()}-${destination.provinceCode.toUpperCase()}`
    : "";

/** Every figure is the number of shipments in its list. */
export async function expectLists(
  total: (path: string) => Promise<number>,
  row: Part & { atRisk: number },
  { group, from, to, by }: { group: string; from: string; to: string; by: string },
): Promise<void> {
  const list = `/shipments?limit=1${group}`;
  const evaluated = `evaluatedFrom=${from}&evaluatedTo=${to}`;
  const delivered = `deliveredFrom=${from}&deliveredTo=${to}`;
  const { noPromise, cancelled, returned, noFirstScan } = row.leftOut;
  const wanted: [query: string, count: number][] = [
    [`status=delivered&${delivered}`, row.delivered],
    [`onTime=true&${evaluated}`, row.onTime],
    [`onTime=false&${evaluated}`, row.late],
    [`leftOut=no_promise&${evaluated}`, noPromise],
    [`leftOut=cancelled&${evaluated}`, cancelled],
    [`leftOut=returned&${evaluated}`, returned],
    [`leftOut=no_promise,cancelled,returned&${evaluated}`, noPromise + cancelled + returned],
    [`leftOut=no_first_scan&${delivered}`, noFirstScan],
    [by === "day" ? `atRisk=true&atRiskFrom=${from}&atRiskTo=${to}` : "atRisk=true", row.atRisk],
  ];
  // Days without anything are not worth nine lists each.
  for (const [query, count] of by === "day" ? wanted.filter(([, sum]) => sum > 0) : wanted) {
    expect([query, group, await total(`${list}&${query}`)]).toEqual([query, group, count]);
  }
}
