import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { carrierName } from "../../ui/carrier-name.ts";
import { Skeleton } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, sentence } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { CountLink } from "./count-link.pick.tsx";
import { dayName } from "./day-name.pick.ts";
import { usePeriod } from "./period.pick.tsx";
import { listOf } from "./report-lists.pick.ts";
import type { DeliveryReport } from "./reports.queries.ts";
import { deliveriesQuery } from "./reports.queries.ts";

type Row = DeliveryReport["rows"][number];
const groups = ["carrier", "service", "location"] as const;
/** Shares of late deliveries above this are red. */
const badPct = 90;

/** Name of a group; carriers and services are stored in lower case. */
export function useGroupName(by: string): (key: string) => string {
  const { data: locations } = useEntityNames("location");
  const { data: accounts } = useEntityNames("carrier_account");
  return (key) => {
    if (by === "day") return dayName(key);
    if (key === "") return "Unknown";
    if (by === "account") return accounts?.find(({ id }) => id === key)?.name ?? "Deleted account";
    if (by === "zone") return `Zone ${key}`;
    if (by === "lane") return key.replace("-", " to ");
    if (by === "location") return locations?.find(({ id }) => id === key)?.name ?? "Deleted location";
    if (by === "carrier") return carrierName(key);
    return by === "service" ? sentence(key) : key;
  };
}

/** Columns of deliveries by group; every number opens its list. `filter`: what the report is limited to. */
export function useDeliveryColumns(
  by: string,
  window: DeliveryReport["window"],
  filter: Record<string, string> = {},
): Array<ListColumn<Row>> {
  const nameOf = useGroupName(by);
  const daysOf = ({ key }: Row) => (by === "day" ? { from: key, to: key } : window);
  const groupOf = ({ key }: Row) => ({ by, key, filter });
  return [
    { name: sentence(by), className: "max-w-48 truncate", cell: ({ key }) => nameOf(key) },
    {
      name: "Delivered",
      isNumber: true,
      cell: (row) => <CountLink count={row.delivered} href={listOf.delivered(daysOf(row), groupOf(row))} />,
    },
    {
      name: "Late",
      isNumber: true,
      cell: (row) => (
        <CountLink count={row.late} href={listOf.onTime(daysOf(row), false, groupOf(row))} isBad={isBad(row)} />
      ),
    },
    {
      name: "On time",
      isNumber: true,
      cell: (row) =>
        row.onTimePct === null ? (
          <span className="text-faint">–</span>
        ) : (
          <RecordLink
            href={listOf.promised(daysOf(row), groupOf(row))}
            aria-label={`${row.onTimePct.toFixed(1)}% of ${formatCount(row.onTime + row.late)} on time`}
            className={cx(isBad(row) && "font-medium text-bad")}
          >
            {row.onTimePct.toFixed(1)}%
          </RecordLink>
        ),
    },
  ];
}

const isBad = ({ onTimePct }: Row): boolean => onTimePct !== null && onTimePct < badPct;

/** Deliveries of the period by carrier, service or location. */
export function DeliveryTable() {
  const { period } = usePeriod();
  const [by, setBy] = useState<(typeof groups)[number]>("carrier");
  const query = useQuery(deliveriesQuery(period, by));
  return (
    <>
      <div role="group" aria-label="Group by" className="flex gap-1 px-2.5 pt-2">
        {groups.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === by}
            onClick={() => setBy(name)}
            className={cx(
              "h-6 rounded-md px-2 text-sm",
              name === by ? "bg-skip-soft font-medium text-text" : "text-muted hover:text-text",
            )}
          >
            {sentence(name)}
          </button>
        ))}
      </div>
      {query.error && !query.data && <ProblemBox error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={4} />}
      {query.data && <Rows report={query.data} />}
    </>
  );
}

function Rows({ report }: { report: DeliveryReport }) {
  const columns = useDeliveryColumns(report.groupBy, report.window);
  if (report.rows.length === 0) return <p className="px-3.5 py-4 text-muted">No deliveries in this period.</p>;
  return (
    <RowTable
      label={`Deliveries by ${report.groupBy}`}
      rows={report.rows}
      columns={columns}
      idOf={({ key }) => key || "unknown"}
    />
  );
}
