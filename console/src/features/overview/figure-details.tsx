import type { ReactNode } from "react";
import { carrierName } from "../../ui/carrier-name.ts";
import { DayColumns } from "../../ui/charts/day-columns.tsx";
import { formatCount, formatMoney } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { CountLink } from "../reports/count-link.pick.tsx";
import { dayName } from "../reports/day-name.pick.ts";
import { DeliveryTable } from "../reports/delivery-table.pick.tsx";
import { listOf } from "../reports/report-lists.pick.ts";
import type { LabelReport, VolumeReport } from "../reports/reports.queries.ts";
import type { FigureName, Reports } from "./key-figures.tsx";
import { definitions } from "./overview.text.ts";

/** A share of late deliveries above this is marked. */
const badShare = 0.1;

/** Chart by day and table by group of the open figure. */
export function FigureDetails({ name, reports }: { name: FigureName; reports: Reports }) {
  const { deliveries, volume, labels } = reports;
  const counts = (of: "received" | "shipped") =>
    volume.rows.map((row) => ({ label: dayName(row.day), value: row[of] }));
  switch (name) {
    case "onTime":
      return (
        <Details
          title="On time by day"
          definition={definitions.onTime}
          legend={<Legend />}
          chart={
            <DayColumns
              label="Promises by day"
              format={formatCount}
              partName="late"
              columns={deliveries.rows.map(({ key, onTime, late }) => ({
                label: dayName(key),
                value: onTime + late,
                part: late,
                isBad: late / Math.max(1, onTime + late) > badShare,
              }))}
            />
          }
        >
          <DeliveryTable />
        </Details>
      );
    case "received":
      return (
        <Details
          title="Orders received by day"
          definition={definitions.received}
          chart={<DayColumns label="Orders received by day" format={formatCount} columns={counts("received")} />}
        >
          <DayTable label="Orders received by day" volume={volume} of="received" />
        </Details>
      );
    case "cost":
      return (
        <Details
          title="Label cost by day"
          definition={definitions.cost}
          chart={
            <DayColumns
              label="Label cost by day"
              format={(value) => formatMoney(value, labels.totals[0]?.currency ?? "USD")}
              columns={labels.days.map(({ day, cost }) => ({ label: dayName(day), value: cost }))}
            />
          }
        >
          <CarrierCosts labels={labels} />
        </Details>
      );
    default:
      return (
        <Details
          title="Shipped by day"
          definition={definitions[name]}
          chart={<DayColumns label="Shipped by day" format={formatCount} columns={counts("shipped")} />}
        >
          <DayTable label="Shipped by day" volume={volume} of="shipped" />
        </Details>
      );
  }
}

type DetailsProps = { title: string; definition: string; legend?: ReactNode; chart: ReactNode; children: ReactNode };

function Details({ title, definition, legend, chart, children }: DetailsProps) {
  return (
    <div id="figure-details" className="grid xl:grid-cols-[minmax(0,1fr)_430px]">
      <div className="min-w-0 px-3.5 pt-2.5 pb-3">
        <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
          <h2 className="font-semibold tracking-tight">{title}</h2>
          <span className="flex-1" />
          {legend}
        </div>
        {chart}
        <p className="mt-2 text-sm text-muted">{definition}</p>
      </div>
      <div className="max-h-72 min-w-0 overflow-y-auto border-line max-xl:border-t xl:border-s">{children}</div>
    </div>
  );
}

function Legend() {
  return (
    <span className="flex flex-wrap gap-x-3 text-sm text-muted">
      {[
        ["bg-line-strong", "On time"],
        ["bg-faint", "Late"],
        ["bg-bad", "Over 10% late"],
      ].map(([look, label]) => (
        <span key={label} className="inline-flex items-center gap-1.5">
          <i aria-hidden className={`size-2.5 rounded-xs ${look}`} />
          {label}
        </span>
      ))}
    </span>
  );
}

type Day = VolumeReport["rows"][number];

const dayColumns = (of: "received" | "shipped"): Array<ListColumn<Day>> => [
  { name: "Day", cell: ({ day }) => dayName(day) },
  {
    name: of === "received" ? "Orders" : "Shipments",
    isNumber: true,
    cell: (row) => (
      <CountLink
        count={row[of]}
        href={of === "received" ? listOf.received(row) : listOf.shipped({ from: row.day, to: row.day })}
      />
    ),
  },
];

function DayTable({ label, volume, of }: { label: string; volume: VolumeReport; of: "received" | "shipped" }) {
  return <RowTable label={label} rows={volume.rows.toReversed()} columns={dayColumns(of)} idOf={({ day }) => day} />;
}

const costColumns = (window: LabelReport["window"]): Array<ListColumn<LabelReport["rows"][number]>> => [
  {
    name: "Carrier",
    cell: ({ carrier }) => <RecordLink href={listOf.labels(window, carrier)}>{carrierName(carrier)}</RecordLink>,
  },
  { name: "Labels", isNumber: true, cell: (row) => formatCount(row.labels) },
  { name: "Cost", isNumber: true, cell: (row) => formatMoney(row.cost, row.currency) },
  { name: "Per label", isNumber: true, cell: (row) => formatMoney(row.costPerLabel, row.currency) },
];

function CarrierCosts({ labels }: { labels: LabelReport }) {
  return (
    <RowTable
      label="Label cost by carrier"
      rows={labels.rows}
      columns={costColumns(labels.window)}
      idOf={({ carrier, currency }) => `${carrier} ${currency}`}
    />
  );
}
