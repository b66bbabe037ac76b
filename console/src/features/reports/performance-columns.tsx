import type { ListColumn } from "../../ui/table.tsx";
import { CountLink } from "./count-link.pick.tsx";
import { listOf, notCounted } from "./report-lists.pick.ts";
import type { DeliveryReport } from "./reports.queries.ts";

type Row = DeliveryReport["rows"][number];

/** Transit time, shipments at risk and those left out; by day, since when they are at risk. Every number opens its list. */
export function performanceColumns(
  by: string,
  window: DeliveryReport["window"],
  filter: Record<string, string>,
): Array<ListColumn<Row>> {
  const daysOf = ({ key }: Row) => (by === "day" ? { from: key, to: key } : window);
  const groupOf = ({ key }: Row) => ({ by, key, filter });
  return [
    {
      name: "Days in transit",
      isNumber: true,
      cell: ({ avgTransitDays }) => avgTransitDays?.toFixed(1) ?? <span className="text-faint">–</span>,
    },
    {
      name: by === "day" ? "At risk since" : "At risk now",
      isNumber: true,
      cell: (row) => (
        <CountLink
          count={row.atRisk}
          href={by === "day" ? listOf.atRiskSince(daysOf(row), groupOf(row)) : listOf.atRisk(groupOf(row))}
        />
      ),
    },
    {
      name: "Left out",
      isNumber: true,
      cell: (row) => (
        <CountLink
          count={row.leftOut.noPromise + row.leftOut.cancelled + row.leftOut.returned}
          href={listOf.leftOut(daysOf(row), notCounted, groupOf(row))}
        />
      ),
    },
  ];
}
