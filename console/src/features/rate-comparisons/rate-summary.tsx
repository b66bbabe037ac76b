import type { RateComparison, RateComparisonSummary } from "@order-operations-hub/sdk/api-types";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { paths } from "../../app/paths.ts";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import type { ChartColumn } from "../../ui/charts/column-chart.tsx";
import { ColumnChart } from "../../ui/charts/column-chart.tsx";
import { cx } from "../../ui/class-names.ts";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, formatMoney, plural, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { CostParts, TopItems } from "./rate-parts.tsx";
import { reasonText } from "./rate-comparisons.text.ts";
import { SavingsTable, signedMoney } from "./savings.tsx";
import { loadPart } from "../../ui/load-part.ts";

// Loaded on demand: the map is most of this page's size.
const UsMap = lazy(loadPart(async () => ({ default: (await import("../../ui/charts/us-map.tsx")).UsMap })));

type Props = { comparison: RateComparison; summary: RateComparisonSummary; isOld: boolean };

/** Paid and compared cost, and where the difference comes from. Every part links to its items. */
export function RateSummary({ comparison, summary, isOld }: Props) {
  const { currency } = summary;
  const itemsOf = (filter: Record<string, string>): string => paths.rate(comparison.id, { tab: "items", ...filter });
  return (
    <div className={cx("flex flex-col gap-3.5", isOld && "stale")}>
      <Totals summary={summary} />
      <Told summary={summary} itemsOf={itemsOf} />
      <div className="grid items-start gap-3.5 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3.5">
          <Card label="By zone">
            <Title title="By zone" />
            <SavingsTable
              label="By zone"
              head="Zone"
              currency={currency}
              rows={summary.zoneBreakdown.map((row) => ({
                ...row,
                name: row.zone,
                note: row.avgDistanceMiles === null ? "" : `${formatCount(row.avgDistanceMiles)} mi`,
                href: row.zone === "unknown" ? undefined : itemsOf({ zone: row.zone }),
              }))}
            />
          </Card>
          <Card label="Savings per item" className="px-3 py-2.5">
            <Heading title="Savings per item" note={spreadOf(summary)} />
            <ColumnChart label="Savings per item" unit="items" columns={bucketsOf(summary)} />
          </Card>
          <CostParts summary={summary} />
        </div>
        <div className="flex min-w-0 flex-col gap-3.5">
          <StateMap comparison={comparison} summary={summary} />
          <Card label="By service">
            <Title title="By service" />
            <SavingsTable
              label="By service"
              head="Service"
              currency={currency}
              rows={summary.serviceBreakdown.map((row) => ({
                ...row,
                name: row.serviceType || "No service",
                note: `→ ${row.targetService}`,
                href: row.serviceType ? itemsOf({ service: row.serviceType }) : undefined,
              }))}
            />
          </Card>
          <TopItems comparison={comparison} summary={summary} />
        </div>
      </div>
    </div>
  );
}

function Title({ title }: { title: string }) {
  return (
    <div className="px-3 pt-2.5">
      <Heading title={title} />
    </div>
  );
}

function savesOf({ savings, savingsPct }: RateComparisonSummary["totals"]): string {
  const share = savingsPct === null ? "" : ` ${Math.abs(savingsPct).toFixed(1)} %`;
  return savings < 0 ? `costs${share} more` : `saves${share}`;
}

function Totals({ summary }: { summary: RateComparisonSummary }) {
  const { totals, outcomes, cheapestMix, currency, coverage } = summary;
  const money = (amount: number): string => formatMoney(amount, currency);
  const isRange = totals.targetLow !== totals.targetHigh;
  return (
    <Figures
      label="Totals"
      figures={[
        { label: `paid for ${plural(coverage.compared, "item")}`, value: money(totals.sourceCost) },
        {
          label: isRange ? `would pay: ${money(totals.targetLow)} to ${money(totals.targetHigh)}` : "would pay",
          value: money(totals.targetCost),
        },
        {
          label: isRange
            ? `${savesOf(totals)}: ${signedMoney(totals.savingsLow, currency)} to ${signedMoney(totals.savingsHigh, currency)}`
            : savesOf(totals),
          value: signedMoney(totals.savings, currency),
          tone: totals.savings < 0 ? "bad" : "ok",
        },
        {
          label: `items cheaper, ${formatCount(outcomes.losses)} more expensive`,
          value: outcomes.wins,
        },
        {
          label: "cheaper contract for each item",
          value: money(cheapestMix.cost),
        },
      ]}
    />
  );
}

/** Items without a price, and assumptions about the others. */
function Told({
  summary,
  itemsOf,
}: {
  summary: RateComparisonSummary;
  itemsOf(filter: Record<string, string>): string;
}) {
  const { coverage, assumptions, totals, currency } = summary;
  const unpriced = coverage.items - coverage.compared - coverage.pending;
  if (unpriced === 0 && assumptions.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-muted">
      {unpriced > 0 && (
        <p>
          {plural(unpriced, "item")} of {formatCount(coverage.items)} without a price (
          {formatMoney(totals.sourceCostUnrated, currency)} were paid):{" "}
          {Object.entries(coverage.byReason).map(([reason, count], at) => (
            <span key={reason}>
              {at > 0 && ", "}
              <Link href={itemsOf({ reason })} className="text-accent-text underline underline-offset-2">
                {formatCount(count)} {reasonText(reason)}
              </Link>
            </span>
          ))}
          .
        </p>
      )}
      {assumptions.length > 0 && (
        <details>
          <summary className="min-h-6 cursor-pointer">{plural(assumptions.length, "assumption")}</summary>
          <ul className="list-disc ps-5">
            {assumptions.map(({ code, items, message }) => (
              <li key={code}>
                {plural(items, "item")} ({words(code)}): {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function StateMap({ comparison, summary }: { comparison: RateComparison; summary: RateComparisonSummary }) {
  const router = useRouter();
  const { search } = useSearchParams();
  const chosen = oneOf(search["state"]);
  const values = Object.fromEntries(summary.stateBreakdown.map((row) => [row.destinationState, row.savings]));
  const elsewhere = summary.stateBreakdown.find(({ destinationState }) => destinationState === "unknown");
  return (
    <Card label="By state" className="px-3 py-2.5">
      <Heading title="By state" note="Green: savings, red: extra cost. Click a state to see its items" />
      <Suspense fallback={<Skeleton rows={8} />}>
        <UsMap
          label="Savings by destination state"
          values={values}
          {...(chosen ? { chosen } : {})}
          format={(amount) => signedMoney(amount, summary.currency)}
          onPick={(state) => router.history.push(paths.rate(comparison.id, { tab: "items", state }))}
        />
      </Suspense>
      {elsewhere && (
        <p className="text-sm text-muted">
          <Link
            href={paths.rate(comparison.id, { tab: "items", state: "unknown" })}
            className="text-accent-text underline underline-offset-2"
          >
            {plural(elsewhere.items, "item")}
          </Link>{" "}
          without a state.
        </p>
      )}
    </Card>
  );
}

function spreadOf({ distribution: { p5, p50, p95 }, currency }: RateComparisonSummary): string {
  if (p5 === null || p50 === null || p95 === null) return "";
  return `median ${signedMoney(p50, currency)}, 90 % between ${signedMoney(p5, currency)} and ${signedMoney(p95, currency)}`;
}

function bucketsOf({ distribution, currency }: RateComparisonSummary): ChartColumn[] {
  const money = (amount: number): string => signedMoney(amount, currency);
  return distribution.buckets.map(({ from, to, items, savings }) => ({
    label:
      from === null
        ? `${money(to!)} or less`
        : to === null
          ? `${money(from)} or more`
          : from === to
            ? money(from)
            : `${money(from)} to ${money(to)}`,
    value: items,
    tone: (to ?? 1) < 0 ? "bad" : from === 0 && to === 0 ? "skip" : "ok",
    note: `${money(savings)} in total`,
  }));
}
