import { useQuery } from "@tanstack/react-query";
import { DayColumns } from "../../ui/charts/day-columns.tsx";
import { formatCount, formatMoney, plural } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { dayName } from "./day-name.pick.ts";
import { usePeriod } from "./period.pick.tsx";
import { ReportCard } from "./report-card.tsx";
import { listOf } from "./report-lists.pick.ts";
import type { LabelReport } from "./reports.queries.ts";
import { labelReportQuery } from "./reports.queries.ts";

type Row = LabelReport["rows"][number];

const columnsOf = ({ window, rows }: LabelReport): Array<ListColumn<Row>> => {
  // The list of labels has no filter by currency.
  const isAlone = (row: Row): boolean => rows.every((one) => one === row || one.carrier !== row.carrier);
  return [
    { name: "Carrier", cell: ({ carrier }) => carrier },
    {
      name: "Labels",
      isNumber: true,
      cell: (row) =>
        isAlone(row) ? (
          <RecordLink href={listOf.labels(window, row.carrier)}>{formatCount(row.labels)}</RecordLink>
        ) : (
          `${formatCount(row.labels)} in ${row.currency}`
        ),
    },
    { name: "Cost", isNumber: true, cell: (row) => formatMoney(row.cost, row.currency) },
    { name: "Per label", isNumber: true, cell: (row) => formatMoney(row.costPerLabel, row.currency) },
    { name: "Per order", isNumber: true, cell: (row) => formatMoney(row.costPerOrder, row.currency) },
  ];
};

/** What labels cost by carrier, per label and per order. */
export function CostReport() {
  const { period, before } = usePeriod();
  const query = useQuery(labelReportQuery(period));
  const { data } = query;
  return (
    <ReportCard
      title="Label cost by carrier"
      note={data ? noteOf(data, before) : ""}
      query={query}
      sheet={({ rows, window }) => ({
        name: `label-cost-${window.from}-${window.to}`,
        rows: [
          ["Carrier", "Currency", "Labels", "Orders", "Cost", "Per label", "Per order"],
          ...rows.map((row) => [
            row.carrier,
            row.currency,
            row.labels,
            row.orders,
            row.cost,
            row.costPerLabel,
            row.costPerOrder,
          ]),
        ],
      })}
      chart={data && data.rows.length > 0 && <Chart report={data} />}
    >
      {(report) =>
        report.rows.length === 0 ? (
          <p className="px-3.5 py-4 text-muted">No labels were bought in this period.</p>
        ) : (
          <RowTable
            label="Label cost by carrier"
            rows={report.rows}
            columns={columnsOf(report)}
            idOf={({ carrier, currency }) => `${carrier} ${currency}`}
          />
        )
      }
    </ReportCard>
  );
}

const Chart = ({ report: { days, totals } }: { report: LabelReport }) => (
  <DayColumns
    label="Label cost per day"
    format={(value) => formatMoney(value, totals[0]?.currency ?? "USD")}
    columns={days.map(({ day, cost }) => ({ label: dayName(day), value: cost }))}
  />
);

function noteOf({ totals, previous }: LabelReport, before: string): string {
  if (totals.length === 0) return "no labels in this period";
  const text = ({ cost, currency, labels }: LabelReport["totals"][number]): string =>
    `${formatMoney(cost, currency)} for ${plural(labels, "label")}`;
  const was = previous.map(({ cost, currency }) => formatMoney(cost, currency)).join(" and ");
  return `${totals.map(text).join(" and ")}${was && `; ${was} in ${before}`}`;
}
