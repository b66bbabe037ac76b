import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ChartTable } from "../../ui/charts/chart-table.tsx";
import type { SparkPoint } from "../../ui/charts/spark-line.tsx";
import { SparkLine } from "../../ui/charts/spark-line.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { Popover } from "../../ui/popover.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { SeriesPoint } from "./overview.queries.ts";
import { overviewQuery, seriesQuery } from "./overview.queries.ts";
import { definitions, movingStatuses, text } from "./overview.text.ts";

const percent = (value: number): string => `${value.toFixed(1)} %`;
const days = (value: number): string => `${value.toFixed(1)} d`;
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const dayName = (key: string): string => dayFormat.format(new Date(`${key}T00:00:00Z`));

/** KPIs of the last 30 days and of now. Each links to the shipments it counts. */
export function Kpis() {
  const organization = useMe().organization.id;
  const figures = useQuery(overviewQuery(organization));
  const series = useQuery(seriesQuery(organization, "day"));
  const [isTable, setTable] = useState(false);
  const { data } = figures;
  if (figures.error && !data) {
    return (
      <Card className="px-3 py-2.5" label="Figures">
        <ProblemBox error={figures.error} onRetry={() => void figures.refetch()} />
      </Card>
    );
  }
  if (!data) {
    return (
      <Card label="Figures">
        <Skeleton rows={4} />
      </Card>
    );
  }
  const points = series.data;
  const [from, to] = [points?.[0]?.key, points?.at(-1)?.key];
  const window = from && to ? { deliveredFrom: `${from}T00:00:00Z` } : {};
  const line = (name: string, read: (point: SeriesPoint) => number | null, format: (value: number) => string) =>
    points && (
      <SparkLine
        label={name}
        points={points.map((point): SparkPoint => ({ label: dayName(point.key), value: read(point) }))}
        format={format}
        startsAtZero={format !== percent}
      />
    );
  return (
    <div>
      {figures.error && <p className="mb-1 text-sm text-warn">{text.stale}</p>}
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-5">
        <Kpi
          name="On time"
          definition={definitions.onTime}
          value={data.sample.on_time === 0 ? "–" : percent(data.on_time_pct)}
          sample={`of ${formatCount(data.sample.on_time)} with a promised day`}
          href={paths.shipments(from && to ? { promisedFrom: from, promisedTo: to } : {})}
        >
          {line("On time a day", (point) => (point.sample.on_time === 0 ? null : point.on_time_pct), percent)}
        </Kpi>
        <Kpi
          name="Delivered"
          definition={definitions.delivered}
          value={formatCount(data.delivered)}
          sample={data.delivered === 1 ? "shipment in 30 days" : "shipments in 30 days"}
          href={paths.shipments({ status: "delivered", ...window })}
        >
          {line("Delivered a day", (point) => point.delivered, formatCount)}
        </Kpi>
        <Kpi
          name="Transit time"
          definition={definitions.transit}
          value={data.sample.transit === 0 ? "–" : days(data.avg_transit_days)}
          sample={`on average of ${plural(data.sample.transit, "delivery", "deliveries")}`}
          href={paths.shipments({ status: "delivered", ...window })}
        >
          {line("Days in transit", (point) => (point.sample.transit === 0 ? null : point.avg_transit_days), days)}
        </Kpi>
        <Kpi
          name="In transit"
          definition={definitions.inTransit}
          value={formatCount(data.in_transit)}
          sample={data.in_transit === 1 ? "shipment now" : "shipments now"}
          href={paths.shipments({ status: movingStatuses.join(",") })}
        />
        <Kpi
          name="At risk"
          definition={definitions.atRisk}
          value={formatCount(data.at_risk)}
          sample={data.at_risk === 1 ? "open shipment now" : "open shipments now"}
          isBad={data.at_risk > 0}
          href={paths.shipments({ atRisk: "true" })}
        />
      </dl>
      {series.error && !points && (
        <p className="mt-1 text-sm text-muted">
          The lines of the last 30 days could not be read.{" "}
          <button type="button" className={buttonClass("quiet")} onClick={() => void series.refetch()}>
            Try again
          </button>
        </p>
      )}
      {points && (
        <>
          {isTable && <DayTable points={points} />}
          <button
            type="button"
            onClick={() => setTable(!isTable)}
            className="mt-1 min-h-6 px-1 text-sm text-muted hover:text-text hover:underline"
          >
            {isTable ? "without the table of days" : "30 days as a table"}
          </button>
        </>
      )}
    </div>
  );
}

type KpiProps = {
  name: string;
  definition: string;
  value: string;
  sample: string;
  href: string;
  isBad?: boolean;
  children?: ReactNode;
};

function Kpi({ name, definition, value, sample, href, isBad = false, children }: KpiProps) {
  return (
    <div className="flex min-w-0 flex-col bg-panel px-3 pt-2 pb-2 last:max-lg:col-span-2">
      <dt className="flex items-center gap-1 text-sm text-muted">
        {name}
        <Popover
          title={`What “${name}” means`}
          triggerLabel={`What “${name}” means`}
          trigger={<span aria-hidden>?</span>}
          triggerClass="grid size-6 place-items-center rounded-full text-xs text-faint hover:bg-skip-soft hover:text-text"
        >
          <p>{definition}</p>
        </Popover>
      </dt>
      <dd className="min-w-0">
        <Link
          href={href}
          aria-label={`${name}: ${value} ${sample}. Open the list`}
          className={cx(
            "-mx-1 inline-block rounded-md px-1 text-2xl font-semibold tracking-tight tabular-nums hover:underline",
            isBad && "text-bad",
          )}
        >
          {value}
        </Link>
        <p className="mb-1 text-sm text-muted">{sample}</p>
        {children}
      </dd>
    </div>
  );
}

function DayTable({ points }: { points: readonly SeriesPoint[] }) {
  return (
    <Card className="mt-2" label="Each day">
      <ChartTable
        label="Each day, in the time zone of the organization"
        columns={["Day", "Delivered", "On time", "Days in transit"]}
        rows={points
          .toReversed()
          .map((point) => [
            dayName(point.key),
            formatCount(point.delivered),
            point.sample.on_time === 0 ? "–" : `${percent(point.on_time_pct)} of ${formatCount(point.sample.on_time)}`,
            point.sample.transit === 0 ? "–" : days(point.avg_transit_days),
          ])}
      />
    </Card>
  );
}
