import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card, Empty } from "../../ui/card.tsx";
import { cityOfZone, dayIn, formatLongDay } from "../../ui/calendar.ts";
import { formatCount, plural, sentence } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { formatTime, Time, useClock } from "../../ui/zone.tsx";
import { presetsQuery, runsQuery, useActionTitles } from "../operations/operations.queries.ts";
import { runState, runTitle } from "../operations/run-words.pick.ts";
import { orderCountsQuery } from "../orders/orders.queries.ts";
import { PeriodPicker } from "../reports/period.pick.tsx";
import { StartChecklist } from "../start/start-checklist.pick.tsx";
import { shipmentCountsQuery } from "../shipments/shipments.queries.ts";
import { AttentionCard } from "./attention-card.tsx";
import { ImportShipments } from "./import-shipments.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { text } from "./overview.text.ts";
import { Tile } from "./overview-tile.tsx";
import { ShipTodayCard } from "./ship-today-card.tsx";

/** What needs attention, today's work, then figures. Every figure links to the list it counts. */
export function OverviewPage() {
  const { data: shipments } = useQuery(shipmentCountsQuery);
  const clock = useClock();
  const today = dayIn(clock.timeZone, clock.now());
  const time = formatTime(clock.now(), clock).replace(/^today /, "");
  return (
    <>
      <PageHead
        title="Overview"
        note={
          <span className="max-sm:hidden">
            {formatLongDay(today).replace(/ \d{4}$/, "")}, {time} in {cityOfZone(clock.timeZone)}
          </span>
        }
      >
        <PeriodPicker />
      </PageHead>
      <StartChecklist />
      <div className="mx-auto flex w-full max-w-[1360px] flex-col gap-3.5">
        <div className="grid gap-3.5 xl:grid-cols-[minmax(0,1fr)_340px]">
          <AttentionCard />
          <ShipTodayCard />
        </div>
        {shipments?.total === 0 && (
          <Card label="Shipments">
            <Empty text={text.noShipments}>
              <ImportShipments />
            </Empty>
          </Card>
        )}
        <KeyFigures />
        <div className="grid items-start gap-3.5 xl:grid-cols-2">
          <OpenOrders />
          <RecentRuns />
        </div>
      </div>
    </>
  );
}

/** Statuses with something left to do, in the order of the work. */
const openStatuses = ["ready", "new", "awaiting_payment", "review_required", "sent", "partially_shipped"] as const;
const statusNames: Record<string, string> = {
  review_required: "To review",
  partially_shipped: "Partly shipped",
  sent: "Sent to fulfilment",
};

function OpenOrders() {
  const counts = useQuery(orderCountsQuery());
  const open = counts.data && openStatuses.reduce((sum, status) => sum + counts.data[status], 0);
  return (
    <Tile title="Open orders by status" note={open !== undefined && formatCount(open)} query={counts}>
      {(data) => {
        if (data.total === 0) {
          return (
            <Empty text="No orders yet. Orders come from a connection, a file, or the API.">
              <RecordLink href={paths.orderImport()}>Import orders</RecordLink>
            </Empty>
          );
        }
        const most = Math.max(1, ...openStatuses.map((status) => data[status]));
        return (
          <figure aria-label="Open orders by status">
            <ul>
              {openStatuses.map((status) => (
                <Bar
                  key={status}
                  label={statusNames[status] ?? sentence(status)}
                  count={data[status]}
                  most={most}
                  href={paths.orders({ status })}
                />
              ))}
            </ul>
            <ul className="mt-1.5 border-t border-line pt-1.5">
              <Bar
                label="On hold, any status"
                count={data.on_hold}
                most={most}
                href={paths.orders({ status: "on_hold" })}
              />
            </ul>
          </figure>
        );
      }}
    </Tile>
  );
}

function Bar({ label, count, most, href }: { label: string; count: number; most: number; href: string }) {
  return (
    <li>
      <Link
        href={href}
        className="grid min-h-[26px] grid-cols-[128px_minmax(0,1fr)_56px] items-center gap-x-3 rounded-md px-1 hover:bg-skip-soft"
      >
        <span className="truncate">{label}</span>
        <span aria-hidden>
          <i
            className="block h-1.5 rounded-full bg-line-strong"
            style={{ width: count === 0 ? 0 : `${Math.max(1, (count / most) * 100)}%` }}
          />
        </span>
        <span className="text-end tabular-nums">{formatCount(count)}</span>
      </Link>
    </li>
  );
}

const shownRuns = 6;

function stateCell(run: OperationRun) {
  const { tone, text } = runState(run);
  return <Badge tone={tone}>{text}</Badge>;
}

const runColumns = (nameOf: (run: OperationRun) => string): Array<ListColumn<OperationRun>> => [
  {
    name: "Run",
    className: "max-w-52 truncate",
    cell: (run) => <RecordLink href={paths.run(run.id)}>{runTitle(run, nameOf(run))}</RecordLink>,
  },
  {
    name: "By",
    className: "max-w-40 truncate text-muted",
    cell: (run) => <RunBy run={run} />,
  },
  { name: "Orders", isNumber: true, className: "whitespace-nowrap", cell: (run) => plural(run.order_count, "order") },
  { name: "State", className: "whitespace-nowrap", cell: stateCell },
  {
    name: "Started",
    className: "whitespace-nowrap text-end text-muted",
    cell: (run) => <Time at={run.created_at} />,
  },
];

function RecentRuns() {
  const runs = useQuery(runsQuery(undefined));
  const { data: presets } = useQuery(presetsQuery);
  const titleOf = useActionTitles();
  const nameOf = ({ pipeline_id: id, actions }: OperationRun): string =>
    presets?.find((preset) => preset.id === id)?.name ??
    (actions.map((action) => titleOf(action["type"])).join(", ") || "Run");
  return (
    <Tile title="Recent runs" query={runs} action={<RecordLink href={paths.operations()}>All runs</RecordLink>} isFlush>
      {({ data }) =>
        data.length === 0 ? (
          <Empty text="No runs yet. Select orders and choose Bulk edit." />
        ) : (
          <RowTable
            label="Recent runs"
            rows={data.slice(0, shownRuns)}
            columns={runColumns(nameOf)}
            idOf={({ id }) => id}
          />
        )
      }
    </Tile>
  );
}

function RunBy({ run: { cause, created_by: by } }: { run: OperationRun }) {
  const me = useMe();
  if (cause) return "Automation";
  return by.email !== undefined && by.email === me.actor.email ? "You" : (by.name ?? by.email ?? "The hub");
}
