import { DayColumns } from "../../ui/charts/day-columns.tsx";
import { formatCount } from "../../ui/format.ts";
import { RowTable } from "../../ui/table.tsx";
import { dayName } from "./day-name.pick.ts";
import { useDeliveryColumns } from "./delivery-table.pick.tsx";
import { performanceColumns } from "./performance-columns.tsx";
import { ReportCard } from "./report-card.tsx";
import type { DeliveryReport } from "./reports.queries.ts";

type Props = {
  query: { data: DeliveryReport | undefined; error: Error | null; isPending: boolean; refetch(): unknown };
  filter: Record<string, string>;
};
/** A share of late deliveries above this is marked. */
const badShare = 0.1;

/** Promises kept and missed on each day, and since when parcels are at risk. */
export function LateDays({ query, filter }: Props) {
  const { data } = query;
  return (
    <ReportCard
      title="On time per day"
      note={data ? "promises kept and missed, by day of the first delivery attempt" : ""}
      query={query}
      sheet={({ rows, window }) => ({
        name: `on-time-by-day-${window.from}-${window.to}`,
        rows: [
          ["Day", "Delivered", "On time", "Late", "On time %", "Days in transit", "At risk since"],
          ...rows.map((row) => [
            row.key,
            row.delivered,
            row.onTime,
            row.late,
            row.onTimePct,
            row.avgTransitDays,
            row.atRisk,
          ]),
        ],
      })}
      chart={
        data && (
          <DayColumns
            label="Promises by day"
            format={formatCount}
            partName="late"
            columns={data.rows.map(({ key, onTime, late }) => ({
              label: dayName(key),
              value: onTime + late,
              part: late,
              isBad: late / Math.max(1, onTime + late) > badShare,
            }))}
          />
        )
      }
    >
      {(report) => <Days report={report} filter={filter} />}
    </ReportCard>
  );
}

function Days({ report: { window, rows }, filter }: { report: DeliveryReport; filter: Record<string, string> }) {
  const columns = useDeliveryColumns("day", window, filter);
  return (
    <RowTable
      label="On time per day"
      rows={rows.toReversed()}
      columns={[...columns, ...performanceColumns("day", window, filter)]}
      idOf={({ key }) => key}
    />
  );
}
