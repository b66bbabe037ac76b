import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Card, Skeleton } from "../../ui/card.tsx";
import { SparkLine } from "../../ui/charts/spark-line.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, formatMoney } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { dayName } from "../reports/day-name.pick.ts";
import { usePeriod } from "../reports/period.pick.tsx";
import { listOf } from "../reports/report-lists.pick.ts";
import type { DeliveryReport, LabelReport, VolumeReport } from "../reports/reports.queries.ts";
import { deliveriesQuery, labelReportQuery, volumeQuery } from "../reports/reports.queries.ts";
import { FigureDetails } from "./figure-details.tsx";
import { text } from "./overview.text.ts";

export type FigureName = "onTime" | "received" | "shipped" | "toShip" | "cost";
export type Reports = { deliveries: DeliveryReport; volume: VolumeReport; labels: LabelReport };

type Figure = {
  name: FigureName;
  title: string;
  value: string;
  href: string;
  /** What the list of the figure holds. */
  lists: string;
  note: ReactNode;
  points: Array<{ label: string; value: number | null }>;
  format(value: number): string;
};

/** Key figures of the period. Each opens its list; its name opens the details below. */
export function KeyFigures() {
  const { period, before } = usePeriod();
  const { search, set } = useSearchParams();
  const deliveries = useQuery(deliveriesQuery(period, "day"));
  const volume = useQuery(volumeQuery(period));
  const labels = useQuery(labelReportQuery(period));
  const all = [deliveries, volume, labels];
  const failed = all.find(({ error }) => error);
  const reports = deliveries.data &&
    volume.data &&
    labels.data && { deliveries: deliveries.data, volume: volume.data, labels: labels.data };
  if (!reports) {
    return (
      <Card label="Key figures" className={failed ? "px-3 py-2.5" : ""}>
        {failed?.error ? (
          <ProblemBox error={failed.error} onRetry={() => all.forEach((query) => void query.refetch())} />
        ) : (
          <Skeleton rows={4} />
        )}
      </Card>
    );
  }
  const figures = figuresOf(reports, before);
  const open = figures.find(({ name }) => name === oneOf(search["figure"]))?.name ?? "onTime";
  return (
    <Card label="Key figures">
      {failed && <p className="px-3.5 pt-2 text-sm text-warn">{text.stale}</p>}
      <div className="grid grid-cols-2 gap-px border-b border-line bg-line md:grid-cols-3 xl:grid-cols-5">
        {figures.map((figure) => (
          <Tile
            key={figure.name}
            figure={figure}
            isOpen={figure.name === open}
            onOpen={() => set({ figure: figure.name === "onTime" ? undefined : figure.name }, "replace")}
          />
        ))}
      </div>
      <FigureDetails name={open} reports={reports} />
    </Card>
  );
}

function Tile({ figure, isOpen, onOpen }: { figure: Figure; isOpen: boolean; onOpen(): void }) {
  const { title, value, href, lists, note, points, format } = figure;
  return (
    <div
      className={cx(
        "relative grid min-w-0 grid-cols-[minmax(0,1fr)_minmax(0,88px)] content-start gap-x-2 bg-panel px-3.5 py-2.5 hover:bg-skip-soft max-md:last:col-span-2",
        isOpen && "bg-accent-soft/40 shadow-[inset_0_-2px_0_var(--accent)]",
      )}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls="figure-details"
        onClick={onOpen}
        className="col-span-2 min-h-6 text-start text-sm text-muted after:absolute after:inset-0"
      >
        {title}
      </button>
      <Link
        href={href}
        aria-label={`${title}: ${value}. ${lists}`}
        className="relative z-10 justify-self-start text-2xl font-semibold tracking-tight tabular-nums hover:underline"
      >
        {value}
      </Link>
      <div aria-hidden className="relative max-h-8 overflow-hidden max-sm:hidden">
        <SparkLine label={title} points={points} format={format} isGrey />
      </div>
      <p className="col-span-2 text-sm text-muted">{note}</p>
    </div>
  );
}

const percent = (value: number): string => `${value.toFixed(1)}%`;
const hours = (value: number): string => (value < 48 ? `${value.toFixed(1)} h` : `${(value / 24).toFixed(1)} d`);

function figuresOf({ deliveries, volume, labels }: Reports, before: string): Figure[] {
  const { window } = volume;
  const { onTimePct } = deliveries.totals;
  const [cost, costBefore] = [
    labels.totals[0],
    labels.previous.find(({ currency }) => currency === labels.totals[0]?.currency),
  ];
  const money = (value: number): string => formatMoney(value, cost?.currency ?? "USD");
  const perDay = (count: number): string => `${formatCount(Math.round(count / window.days))} a day`;
  const hoursNow = volume.totals.medianHoursToShip;
  const counted = (name: "received" | "shipped") =>
    volume.rows.map((row) => ({ label: dayName(row.day), value: row[name] }));
  return [
    {
      name: "onTime",
      title: "On time",
      value: onTimePct === null ? "–" : percent(onTimePct),
      href: listOf.promised(window),
      lists: `Open the ${formatCount(deliveries.totals.onTime + deliveries.totals.late)} shipments with a promise`,
      note: <Difference now={onTimePct} was={deliveries.previous.onTimePct} before={before} />,
      points: deliveries.rows.map((row) => ({ label: dayName(row.key), value: row.onTimePct })),
      format: percent,
    },
    {
      name: "received",
      title: "Orders received",
      value: formatCount(volume.totals.received),
      href: listOf.received(window),
      lists: "Open the orders",
      note: <Change now={volume.totals.received} was={volume.previous.received} before={before} daily={perDay} />,
      points: counted("received"),
      format: formatCount,
    },
    {
      name: "shipped",
      title: "Shipped",
      value: formatCount(volume.totals.shipped),
      href: listOf.shipped(window),
      lists: "Open the shipments",
      note: <Change now={volume.totals.shipped} was={volume.previous.shipped} before={before} daily={perDay} />,
      points: counted("shipped"),
      format: formatCount,
    },
    {
      name: "toShip",
      title: "Order to shipped",
      value: hoursNow === null ? "–" : hours(hoursNow),
      href: listOf.shipped(window),
      lists: "Open the shipments",
      note: `median${volume.previous.medianHoursToShip === null ? "" : `, ${hours(volume.previous.medianHoursToShip)} in ${before}`}`,
      // The report has this median for the period only.
      points: [],
      format: formatCount,
    },
    {
      name: "cost",
      title: "Cost per label",
      value: cost ? money(cost.costPerLabel) : "–",
      href: listOf.labels(window),
      lists: "Open the labels",
      note: !cost
        ? "no labels"
        : costBefore
          ? costText(cost.costPerLabel - costBefore.costPerLabel, money, before)
          : cost.labels === 1
            ? "1 label"
            : `${formatCount(cost.labels)} labels`,
      points: labels.days.map(({ day, labels: count, cost: sum }) => ({
        label: dayName(day),
        value: count === 0 ? null : sum / count,
      })),
      format: money,
    },
  ];
}

function costText(difference: number, money: (value: number) => string, before: string): string {
  if (Math.abs(difference) < 0.005) return `the same as ${before}`;
  return `${money(Math.abs(difference))} ${difference < 0 ? "less" : "more"} than ${before}`;
}

/** Points above or below; only a loss is red. */
function Difference({ now, was, before }: { now: number | null; was: number | null; before: string }) {
  if (now === null) return "no promises";
  if (was === null) return `nothing to compare in ${before}`;
  const points = Math.round((now - was) * 10) / 10;
  if (points === 0) return `the same as ${before}`;
  return (
    <>
      <span className={points < 0 ? "text-bad" : ""}>
        {Math.abs(points).toFixed(1)} points {points < 0 ? "below" : "above"}
      </span>{" "}
      {before}
    </>
  );
}

type ChangeProps = { now: number; was: number; before: string; daily(count: number): string };

function Change({ now, was, before, daily }: ChangeProps) {
  if (was === 0) return daily(now);
  const share = Math.round(((now - was) / was) * 100);
  return (
    <span title={`Compared with ${before}`}>
      {daily(now)}, {share === 0 ? "no change" : `${share < 0 ? "down" : "up"} ${formatCount(Math.abs(share))}%`}
    </span>
  );
}
