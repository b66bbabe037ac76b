import { useQuery } from "@tanstack/react-query";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { DayColumns } from "../../ui/charts/day-columns.tsx";
import { formatCount, sentence } from "../../ui/format.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { CountLink } from "./count-link.pick.tsx";
import { dayName } from "./day-name.pick.ts";
import { useDeliveryColumns, useGroupName } from "./delivery-table.pick.tsx";
import { usePeriod } from "./period.pick.tsx";
import { ReportCard } from "./report-card.tsx";
import { listOf } from "./report-lists.pick.ts";
import type { DeliveryGroup, DeliveryReport } from "./reports.queries.ts";
import { deliveriesQuery } from "./reports.queries.ts";

type Row = DeliveryReport["rows"][number];
const groups: DeliveryGroup[] = ["day", "carrier", "service", "location"];
/** A share of late deliveries above this is marked. */
const badShare = 0.1;

/** Deliveries, late ones and the share on time, by day, carrier, service and location. */
export function DeliveryReports() {
  return groups.map((by) => <DeliveryCard key={by} by={by} />);
}

function DeliveryCard({ by }: { by: DeliveryGroup }) {
  const { period, before } = usePeriod();
  const query = useQuery(deliveriesQuery(period, by));
  const nameOf = useGroupName(by);
  const { data } = query;
  return (
    <ReportCard
      title={by === "day" ? "Late share per day" : `On time by ${by}`}
      note={data ? noteOf(data, before) : ""}
      query={query}
      sheet={({ rows, window }) => ({
        name: `deliveries-by-${by}-${window.from}-${window.to}`,
        rows: [
          [sentence(by), "Delivered", "On time", "Late", "On time %", "Days in transit", "At risk now"],
          ...rows.map((row) => [
            by === "day" ? row.key : nameOf(row.key),
            row.delivered,
            row.onTime,
            row.late,
            row.onTimePct,
            row.avgTransitDays,
            row.atRisk,
          ]),
        ],
      })}
      chart={data && <Chart report={data} nameOf={nameOf} />}
    >
      {(report) => <Rows report={report} />}
    </ReportCard>
  );
}

function Chart({ report: { groupBy: by, rows }, nameOf }: { report: DeliveryReport; nameOf(key: string): string }) {
  if (by !== "day") {
    return (
      <BarChart
        label={`On time by ${by}`}
        isGrey
        format={(value) => `${value.toFixed(1)}%`}
        bars={rows
          .filter(({ onTimePct }) => onTimePct !== null)
          .slice(0, 12)
          .map(({ key, onTimePct }) => ({ label: nameOf(key), value: onTimePct ?? 0 }))}
      />
    );
  }
  return (
    <DayColumns
      label="Promises by day"
      format={formatCount}
      partName="late"
      columns={rows.map(({ key, onTime, late }) => ({
        label: dayName(key),
        value: onTime + late,
        part: late,
        isBad: late / Math.max(1, onTime + late) > badShare,
      }))}
    />
  );
}

function noteOf({ totals, previous }: DeliveryReport, before: string): string {
  if (totals.onTimePct === null) return "no promises in this period";
  const was = previous.onTimePct === null ? "" : `; ${previous.onTimePct.toFixed(1)}% in ${before}`;
  return `${totals.onTimePct.toFixed(1)}% of ${formatCount(totals.onTime + totals.late)} on time${was}`;
}

const atRiskColumn = (by: string): ListColumn<Row> => ({
  name: "At risk now",
  isNumber: true,
  cell: ({ key, atRisk }) => <CountLink count={atRisk ?? 0} href={listOf.atRisk({ by, key })} />,
});

function Rows({ report }: { report: DeliveryReport }) {
  const { groupBy: by, window, rows } = report;
  const columns = [...useDeliveryColumns(by, window), ...(by === "day" ? [] : [atRiskColumn(by)])];
  if (rows.length === 0) return <p className="px-3.5 py-4 text-muted">No deliveries in this period.</p>;
  return (
    <RowTable
      label={`Deliveries by ${by}`}
      rows={by === "day" ? rows.toReversed() : rows}
      columns={columns}
      idOf={({ key }) => key || "unknown"}
    />
  );
}
