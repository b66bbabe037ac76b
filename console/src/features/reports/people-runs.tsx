import { useQuery } from "@tanstack/react-query";
import { formatCount, plural } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { usePeriod } from "./period.pick.tsx";
import { ReportCard } from "./report-card.tsx";
import { listOf } from "./report-lists.pick.ts";
import type { PeopleReport } from "./reports.queries.ts";
import { peopleQuery } from "./reports.queries.ts";

type Row = PeopleReport["rows"][number];
const nameOf = ({ actor }: Row): string => actor.name ?? actor.email ?? "Unknown";

const columnsOf = (window: PeopleReport["window"]): Array<ListColumn<Row>> => [
  { name: "Person", className: "max-w-72 truncate", cell: nameOf },
  {
    name: "Runs",
    isNumber: true,
    cell: (row) => <RecordLink href={listOf.runs(window, row.actor.id)}>{formatCount(row.runs)}</RecordLink>,
  },
  { name: "Orders changed", isNumber: true, cell: (row) => formatCount(row.ordersChanged) },
  {
    name: "Orders failed",
    isNumber: true,
    cell: (row) => (
      <span className={row.ordersFailed > 0 ? "text-bad" : "text-faint"}>{formatCount(row.ordersFailed)}</span>
    ),
  },
  { name: "Labels bought", isNumber: true, cell: (row) => formatCount(row.labelsBought) },
];

/** Runs by the person that started them. */
export function PeopleRuns() {
  const { period, before } = usePeriod();
  const query = useQuery(peopleQuery(period));
  const { data } = query;
  return (
    <ReportCard
      title="Runs by person"
      note={
        data
          ? `${plural(data.totals.ordersChanged, "order")} changed in ${plural(data.totals.runs, "run")}, without automations; ${formatCount(data.previous.ordersChanged)} in ${before}`
          : ""
      }
      query={query}
      sheet={({ rows, window }) => ({
        name: `people-${window.from}-${window.to}`,
        rows: [
          ["Person", "Runs", "Orders changed", "Orders failed", "Labels bought"],
          ...rows.map((row) => [nameOf(row), row.runs, row.ordersChanged, row.ordersFailed, row.labelsBought]),
        ],
      })}
    >
      {({ rows, window }) =>
        rows.length === 0 ? (
          <p className="px-3.5 py-4 text-muted">No runs were started in this period.</p>
        ) : (
          <RowTable
            label="Runs by person"
            rows={rows}
            columns={columnsOf(window)}
            idOf={({ actor }) => actor.id ?? nameOf({ actor } as Row)}
          />
        )
      }
    </ReportCard>
  );
}
