import { amountOf } from "../../carriers/seam/money.ts";
import type { Ctx } from "../../context.ts";
import { beginsWithBefore, presentWindow, readReportWindow } from "./report-window.ts";
import type { LabelReport, ReportQuery } from "./reports.schemas.ts";
import * as store from "./reports.store.ts";

type Cost = LabelReport["totals"][number];

/** What labels cost by carrier and currency. Voided labels are left out: carriers credit them. */
export async function readLabelReport(ctx: Ctx, query: ReportQuery): Promise<LabelReport> {
  const at = await readReportWindow(ctx, query);
  const begins = beginsWithBefore(at);
  const [sums, orders] = await Promise.all([
    store.sumLabels(ctx.db, ctx.orgId, begins),
    store.countLabelOrders(ctx.db, ctx.orgId, [begins[0]!, at.begins[0]!, at.begins.at(-1)!]),
  ]);
  // The first part is the window before.
  const [before, now] = [sums.filter(({ part }) => part === 1), sums.filter(({ part }) => part > 1)];
  const ordersOf = (isBefore: boolean, currency: string, carrier: string | null): number =>
    orders.find((one) => one.isBefore === isBefore && one.currency === currency && one.carrier === carrier)?.orders ??
    0;
  const byCurrency = (rows: store.LabelSums[], isBefore: boolean): Cost[] =>
    groupsOf(rows, ({ currency }) => currency).map((same) => {
      const { currency } = same[0]!;
      return costOf(same, currency, ordersOf(isBefore, currency, null));
    });
  const totals = byCurrency(now, false);
  const main = totals[0]?.currency;
  return {
    window: presentWindow(at),
    rows: groupsOf(now, ({ carrier, currency }) => `${currency} ${carrier}`).map((same) => {
      const { carrier, currency } = same[0]!;
      return { carrier, ...costOf(same, currency, ordersOf(false, currency, carrier)) };
    }),
    totals,
    previous: byCurrency(before, true),
    days: at.days.map((day, i) => {
      const same = now.filter(({ part, currency }) => part === i + 2 && currency === main);
      return { day, labels: sum(same, "labels"), cost: main === undefined ? 0 : amountOf(sum(same, "cents"), main) };
    }),
  };
}

/** Groups with the most labels first. */
function groupsOf(rows: store.LabelSums[], keyOf: (row: store.LabelSums) => string): store.LabelSums[][] {
  return [...Map.groupBy(rows, keyOf)]
    .toSorted(([aKey, a], [bKey, b]) => sum(b, "labels") - sum(a, "labels") || (aKey < bKey ? -1 : 1))
    .map(([, same]) => same);
}

function costOf(rows: store.LabelSums[], currency: string, orders: number): Cost {
  const [labels, cents] = [sum(rows, "labels"), sum(rows, "cents")];
  return {
    currency,
    labels,
    orders,
    cost: amountOf(cents, currency),
    costPerLabel: amountOf(Math.round(cents / labels), currency),
    costPerOrder: orders === 0 ? null : amountOf(Math.round(sum(rows, "orderCents") / orders), currency),
  };
}

function sum(rows: store.LabelSums[], name: "labels" | "cents" | "orderCents"): number {
  return rows.reduce((all, row) => all + row[name], 0);
}
