import { useQuery } from "@tanstack/react-query";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { formatCount, plural, sentence } from "../../ui/format.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { CountLink } from "./count-link.pick.tsx";
import { usePeriod } from "./period.pick.tsx";
import { ReportCard } from "./report-card.tsx";
import { listOf } from "./report-lists.pick.ts";
import type { ExceptionReport } from "./reports.queries.ts";
import { exceptionReportQuery } from "./reports.queries.ts";

type Row = ExceptionReport["rows"][number];
const nameOf = ({ kind, code }: Row): string => `${sentence(kind)}: ${sentence(code).toLowerCase()}`;

const causeOf = ({ kind, code }: Row) => ({ kind, code });

const columnsOf = (window: ExceptionReport["window"]): Array<ListColumn<Row>> => [
  { name: "Cause", className: "max-w-72 truncate", cell: nameOf },
  {
    name: "Opened",
    isNumber: true,
    cell: (row) => <CountLink count={row.opened} href={listOf.exceptions(window, "all", causeOf(row))} />,
  },
  {
    name: "Still open",
    isNumber: true,
    cell: (row) => <CountLink count={row.open} href={listOf.exceptions(window, "open", causeOf(row))} />,
  },
];

/** Exceptions opened in the period by cause. */
export function ExceptionCauses() {
  const { period, before } = usePeriod();
  const query = useQuery(exceptionReportQuery(period));
  const { data } = query;
  return (
    <ReportCard
      title="Exceptions by cause"
      note={
        data
          ? `${plural(data.totals.opened, "exception")} opened, ${formatCount(data.totals.open)} still open; ${formatCount(data.previous.opened)} in ${before}`
          : ""
      }
      query={query}
      sheet={({ rows, window }) => ({
        name: `exceptions-${window.from}-${window.to}`,
        rows: [
          ["Kind", "Cause", "Opened", "Still open"],
          ...rows.map((row) => [row.kind, row.code, row.opened, row.open]),
        ],
      })}
      chart={data && data.rows.length > 0 && <Chart rows={data.rows} />}
    >
      {({ rows, window }) =>
        rows.length === 0 ? (
          <p className="px-3.5 py-4 text-muted">No exceptions were opened in this period.</p>
        ) : (
          <RowTable label="Exceptions by cause" rows={rows} columns={columnsOf(window)} idOf={nameOf} />
        )
      }
    </ReportCard>
  );
}

const Chart = ({ rows }: { rows: readonly Row[] }) => (
  <BarChart
    label="Exceptions opened"
    bars={rows.slice(0, 8).map((row) => ({ label: nameOf(row), value: row.opened }))}
    isGrey
  />
);
