import { useQuery } from "@tanstack/react-query";
import { DayColumns } from "../../ui/charts/day-columns.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { CountLink } from "./count-link.pick.tsx";
import { dayName } from "./day-name.pick.ts";
import { usePeriod } from "./period.pick.tsx";
import { ReportCard } from "./report-card.tsx";
import { listOf } from "./report-lists.pick.ts";
import type { VolumeReport } from "./reports.queries.ts";
import { volumeQuery } from "./reports.queries.ts";

const columns: Array<ListColumn<VolumeReport["rows"][number]>> = [
  { name: "Day", cell: ({ day }) => dayName(day) },
  {
    name: "Orders received",
    isNumber: true,
    cell: (row) => <CountLink count={row.received} href={listOf.received(row)} />,
  },
  {
    name: "Shipped",
    isNumber: true,
    cell: ({ day, shipped }) => <CountLink count={shipped} href={listOf.shipped({ from: day, to: day })} />,
  },
];

/** Orders received and shipments per day. */
export function VolumeDays() {
  const { period, before } = usePeriod();
  const query = useQuery(volumeQuery(period));
  const { data } = query;
  const note = data
    ? `${plural(data.totals.received, "order")} received and ${plural(data.totals.shipped, "shipment")}; ` +
      `${formatCount(data.previous.received)} and ${formatCount(data.previous.shipped)} in ${before}`
    : "";
  return (
    <ReportCard
      title="Orders and shipments per day"
      note={note}
      query={query}
      sheet={({ rows, window }) => ({
        name: `orders-per-day-${window.from}-${window.to}`,
        rows: [
          ["Day", "Orders received", "Shipped"],
          ...rows.map(({ day, received, shipped }) => [day, received, shipped]),
        ],
      })}
      chart={data && <Charts rows={data.rows} />}
    >
      {({ rows }) => (
        <RowTable label="Orders and shipments" rows={rows.toReversed()} columns={columns} idOf={({ day }) => day} />
      )}
    </ReportCard>
  );
}

function Charts({ rows }: { rows: VolumeReport["rows"] }) {
  return (["received", "shipped"] as const).map((name) => (
    <div key={name} className="mt-2">
      <h3 className="text-sm text-muted">{name === "received" ? "Orders received" : "Shipped"}</h3>
      <DayColumns
        label={name === "received" ? "Orders received per day" : "Shipped per day"}
        format={formatCount}
        columns={rows.map((row) => ({ label: dayName(row.day), value: row[name] }))}
      />
    </div>
  ));
}
