import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { cx } from "../../ui/class-names.ts";
import { Filters } from "../../ui/filters.tsx";
import { formatCount, sentence } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { LateDays } from "./delivery-days.tsx";
import { useDeliveryColumns, useGroupName } from "./delivery-table.pick.tsx";
import { usePartFilters } from "./part-filters.ts";
import { PerformanceFigures } from "./performance-figures.tsx";
import { usePeriod } from "./period.pick.tsx";
import { ReportCard } from "./report-card.tsx";
import { performanceColumns } from "./performance-columns.tsx";
import { groupParams } from "./report-lists.pick.ts";
import type { DeliveryReport } from "./reports.queries.ts";
import { deliveriesQuery } from "./reports.queries.ts";

type Row = DeliveryReport["rows"][number];
const groups = ["carrier", "service", "account", "lane", "zone", "state", "location"] as const;
type Group = (typeof groups)[number];

/** On-time and transit figures of a period, by day and by a chosen group, limited by the filters in the address. */
export function DeliveryPerformance() {
  const { period } = usePeriod();
  const { search } = useSearchParams();
  const { filters, filter, listFilter } = usePartFilters();
  const by: Group = groups.find((name) => name === oneOf(search["by"])) ?? "carrier";
  const days = useQuery(deliveriesQuery(period, "day", filter));
  const parts = useQuery(deliveriesQuery(period, by, filter));
  return (
    <>
      <Filters filters={filters} />
      {parts.data && <PerformanceFigures report={parts.data} filter={listFilter} />}
      <LateDays query={days} filter={listFilter} />
      <PartsCard by={by} query={parts} filter={listFilter} />
    </>
  );
}

type Query = {
  data: DeliveryReport | undefined;
  error: Error | null;
  isPending: boolean;
  refetch(): unknown;
};

function PartsCard({ by, query, filter }: { by: Group; query: Query; filter: Record<string, string> }) {
  const nameOf = useGroupName(by);
  const { data } = query;
  // While another group loads, the previous report is still shown.
  const shown = data?.groupBy === by ? data : undefined;
  return (
    <ReportCard
      title={`On time by ${by}`}
      note={shown ? noteOf(shown) : ""}
      query={{ ...query, data: shown, isPending: shown === undefined && !query.error }}
      sheet={({ rows, others, totals, window }) => ({
        name: `on-time-by-${by}-${window.from}-${window.to}`,
        rows: [
          [sentence(by), ...sheetColumns],
          ...rows.map((row) => [nameOf(row.key), ...cellsOf(row)]),
          ...(others ? [["Others", ...cellsOf(others)]] : []),
          ["Total", ...cellsOf(totals)],
        ],
      })}
      chart={
        shown && (
          <BarChart
            label={`On time by ${by}`}
            isGrey
            format={(value) => `${value.toFixed(1)}%`}
            bars={shown.rows
              .filter(({ onTimePct }) => onTimePct !== null)
              .slice(0, 12)
              .map(({ key, onTimePct }) => ({ label: nameOf(key), value: onTimePct ?? 0 }))}
          />
        )
      }
    >
      {(report) => (
        <>
          <GroupPicker by={by} />
          <Parts report={report} filter={filter} />
        </>
      )}
    </ReportCard>
  );
}

const sheetColumns = [
  "Delivered",
  "On time",
  "Late",
  "On time %",
  "Days in transit",
  "At risk now",
  "No promise",
  "Cancelled",
  "Returned",
  "No first scan",
];

function cellsOf({ delivered, onTime, late, onTimePct, avgTransitDays, atRisk, leftOut }: Omit<Row, "key">) {
  const { noPromise, cancelled, returned, noFirstScan } = leftOut;
  return [delivered, onTime, late, onTimePct, avgTransitDays, atRisk, noPromise, cancelled, returned, noFirstScan];
}

function noteOf({ totals, rows, others }: DeliveryReport): string {
  const of = `${formatCount(totals.onTime + totals.late)} promises decided in this period`;
  return others && rows.length > 0 ? `${of}, the largest groups` : of;
}

function GroupPicker({ by }: { by: Group }) {
  const { set } = useSearchParams();
  return (
    <div role="group" aria-label="Group by" className="flex flex-wrap gap-1 px-2.5 py-1.5">
      {groups.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === by}
          onClick={() => set({ by: name === "carrier" ? undefined : name })}
          className={cx(
            "h-6 rounded-md px-2 text-sm",
            name === by ? "bg-skip-soft font-medium text-text" : "text-muted hover:text-text",
          )}
        >
          {sentence(name)}
        </button>
      ))}
    </div>
  );
}

function Parts({ report, filter }: { report: DeliveryReport; filter: Record<string, string> }) {
  const { groupBy: by, window, rows } = report;
  const [, ...figures] = useDeliveryColumns(by, window, filter);
  const nameOf = useGroupName(by);
  if (rows.length === 0) return <p className="px-3.5 py-4 text-muted">No deliveries in this period.</p>;
  return (
    <RowTable
      label={`On time by ${by}`}
      rows={rows}
      columns={[nameColumn(by, nameOf), ...figures, ...performanceColumns(by, window, filter)]}
      idOf={({ key }) => key || "unknown"}
    />
  );
}

const nameColumn = (by: string, nameOf: (key: string) => string): ListColumn<Row> => ({
  name: sentence(by),
  className: "max-w-48 truncate",
  cell: ({ key }) => <Narrow by={by} value={key} text={nameOf(key)} />,
});

/** Limits the report to this group. */
function Narrow({ by, value, text }: { by: string; value: string; text: string }) {
  const { search } = useSearchParams();
  if (search[groupParams[by]!] !== undefined) return text;
  const now = Object.entries(search).flatMap(([name, one]) => (oneOf(one) === undefined ? [] : [[name, oneOf(one)]]));
  const href = paths.reports({ ...Object.fromEntries(now), [groupParams[by]!]: value === "" ? "none" : value });
  return (
    <RecordLink href={href} aria-label={`Only ${text}`}>
      {text}
    </RecordLink>
  );
}
