import type { Schedule } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { cityOfZone } from "../../ui/calendar.ts";
import { Card, Empty, Heading } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time, useClock } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { taskTitle } from "../tasks/task-title.pick.ts";
import { ExecutionBadge } from "../tasks/execution-badge.pick.tsx";
import { scheduleCan } from "./schedule.can.ts";
import { schedulesQuery, timelineQuery } from "./schedules.queries.ts";
import { LocalTime } from "./local-time.tsx";
import { nameOf } from "./schedules.text.ts";
import { ScheduleTimeline } from "./schedule-timeline.tsx";

const spans = [
  ["1", "Next 24 hours"],
  ["7", "Next 7 days"],
  ["31", "Next 31 days"],
] as const;

const columnsWith = (bridgeName: (id: string) => string): Array<ListColumn<Schedule>> => [
  {
    name: "Schedule",
    cell: (one) => (
      <RecordLink href={paths.schedule(one.id)} className="font-medium whitespace-nowrap">
        {nameOf(one)}
      </RecordLink>
    ),
  },
  {
    name: "State",
    cell: (one) => <Badge tone={one.isActive ? "ok" : "skip"}>{one.isActive ? "Active" : "Paused"}</Badge>,
  },
  { name: "When", className: "max-w-64 truncate", cell: (one) => one.description },
  {
    name: "Task",
    className: "whitespace-nowrap text-muted",
    cell: (one) => `${taskTitle(one.taskName)}, ${bridgeName(one.bridgeId)}`,
  },
  {
    name: "Next run",
    className: "whitespace-nowrap",
    cell: ({ upcoming: [next], timezone }) =>
      next ? (
        <span title={`${cityOfZone(timezone)} time`}>
          <LocalTime at={next.localTime} />
        </span>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  {
    name: "Last run",
    className: "whitespace-nowrap",
    cell: (one) =>
      one.lastExecution ? (
        <span className="inline-flex items-center gap-1.5">
          <ExecutionBadge status={one.lastExecution.status} />
          <span className="text-muted">
            <Time at={one.lastRunAt} />
          </span>
        </span>
      ) : (
        <span className="text-muted">Never</span>
      ),
  },
  {
    name: "Failed",
    isNumber: true,
    className: "whitespace-nowrap",
    cell: ({ counters: { failures, runs } }) => (
      <span className={failures > 0 ? "font-medium text-bad" : ""}>
        {formatCount(failures)} of {formatCount(runs)}
      </span>
    ),
  },
];

export function SchedulesPage() {
  const { search } = useSearchParams();
  const page = usePage();
  const clock = useClock();
  const me = useMe();
  const state = oneOf(search["state"]);
  const span = oneOf(search["span"]) ?? "1";
  const sought = oneOf(search["search"]);
  const schedules = useQuery(
    schedulesQuery({ page, ...(state ? { isActive: state === "active" } : {}), ...(sought ? { search: sought } : {}) }),
  );
  const timeline = useQuery(timelineQuery(Number(span) || 1, clock.now));
  const { data: bridges } = useEntityNames("bridge");
  const bridgeName = (id: string): string => bridges?.find((bridge) => bridge.id === id)?.name ?? "Deleted connection";
  const refused = scheduleCan.change(me);
  const isNone = schedules.data?.pagination.total === 0 && !state && !sought;
  return (
    <>
      <PageHead title="Schedules">
        {refused ? (
          <Button kind="primary" disabledReason={refused}>
            New schedule
          </Button>
        ) : (
          <Link href={paths.newSchedule()} className={buttonClass("primary")}>
            New schedule
          </Link>
        )}
      </PageHead>
      {!isNone && (
        <section aria-label="Upcoming runs" className="mb-3.5">
          <Heading title="Upcoming runs" note={spans.find(([value]) => value === span)?.[1].toLowerCase()}>
            {spans.map(([value, label]) => (
              <Link
                key={value}
                href={paths.schedules({ ...search, span: value === "1" ? undefined : value })}
                aria-current={span === value ? "true" : undefined}
                className={buttonClass(span === value ? "plain" : "quiet")}
              >
                {label}
              </Link>
            ))}
          </Heading>
          {timeline.error && <ProblemBox error={timeline.error} onRetry={() => void timeline.refetch()} />}
          {timeline.data && (
            <Card>
              {timeline.data.data.length === 0 ? (
                <p className="px-3 py-4 text-muted">No runs in this period.</p>
              ) : (
                <ScheduleTimeline timeline={timeline.data} />
              )}
            </Card>
          )}
        </section>
      )}
      <TabLinks
        label="Schedules by state"
        tabs={[
          { href: paths.schedules(), label: "All", isOn: !state },
          { href: paths.schedules({ state: "active" }), label: "Active", isOn: state === "active" },
          { href: paths.schedules({ state: "paused" }), label: "Paused", isOn: state === "paused" },
        ]}
      />
      {!isNone && (
        <div className="mb-2.5 max-w-72">
          <SearchBox label="Search by name" />
        </div>
      )}
      <ListCard
        label="Schedules"
        query={schedules}
        columns={columnsWith(bridgeName)}
        idOf={(one) => one.id}
        empty={
          <Empty
            text={
              isNone
                ? "No schedules yet. A schedule runs a task at set times, such as an import every night."
                : "No schedules match these filters."
            }
          >
            {isNone && !refused ? (
              <Link href={paths.newSchedule()} className={buttonClass("primary")}>
                Create schedule
              </Link>
            ) : (
              <Link href={paths.schedules()} className={buttonClass("plain")}>
                Show all
              </Link>
            )}
          </Empty>
        }
      />
    </>
  );
}
