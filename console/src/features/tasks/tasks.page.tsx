import type { ExecutionSummary } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatMs, sentence } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time, useClock } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { ExecutionBadge } from "./execution-badge.pick.tsx";
import { RetryMany } from "./retry-many.tsx";
import { ShortFailure } from "./task-failure.tsx";
import { taskTitle, triggerName } from "./task-title.pick.ts";
import { daysOf, daysText, TaskFilters } from "./task-filters.tsx";
import type { TaskFilter } from "./tasks.queries.ts";
import { executionCountQuery, executionsQuery, taskStatsQuery } from "./tasks.queries.ts";
import { failedStatuses, text } from "./tasks.text.ts";

/** Shown as figures; the last two are rare and combined. */
const shown = [
  "running",
  "queued",
  "succeeded",
  "completed_with_errors",
  "failed",
  "timed_out,expired",
  "cancelled",
] as const;
const never = {
  timed_out: 0,
  expired: 0,
  running: 0,
  queued: 0,
  succeeded: 0,
  completed_with_errors: 0,
  failed: 0,
  cancelled: 0,
};

/** Reads the filter from the address. Default: failed and not retried. */
function filterOf(search: Search): TaskFilter {
  const one = (name: string): string | undefined => oneOf(search[name]) || undefined;
  const status = one("status");
  const named = {
    taskName: one("taskName"),
    bridgeId: one("bridgeId"),
    runId: one("runId"),
    scheduleId: one("scheduleId"),
    code: one("code"),
    days: daysOf(one("since")),
  };
  if (status === undefined) return { ...named, status: failedStatuses, isRetried: false };
  return status === "all" ? named : { ...named, status };
}

const columnsWith = (bridgeName: (id: string) => string): Array<ListColumn<ExecutionSummary>> => [
  {
    name: "Queued",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={paths.task(one.id)}>
        <Time at={one.createdAt} withSeconds />
      </RecordLink>
    ),
  },
  {
    name: "Status",
    cell: (one) => <ExecutionBadge status={one.status} />,
  },
  { name: "Task", className: "whitespace-nowrap", cell: (one) => taskTitle(one.taskName) },
  { name: "Connection", className: "max-w-48 truncate", cell: (one) => bridgeName(one.bridgeId) },
  {
    name: "Error",
    className: "w-1/2 max-w-0 min-w-56 truncate text-muted",
    cell: ({ error }) => <ShortFailure failure={error} />,
  },
  {
    name: "Started by",
    className: "whitespace-nowrap text-muted",
    cell: (one) => triggerName(one.trigger),
  },
  {
    name: "Attempts",
    isNumber: true,
    className: "text-muted",
    cell: (one) => (one.attempt > one.maxAttempts ? one.attempt : `${one.attempt} of ${one.maxAttempts}`),
  },
  {
    name: "Duration",
    isNumber: true,
    className: "whitespace-nowrap text-muted",
    cell: (one) => (one.durationMs === null ? "–" : formatMs(one.durationMs)),
  },
];

/** Executions of tasks. Opens with the failed ones. */
export function TasksPage() {
  const { search, set } = useSearchParams();
  const clock = useClock();
  const me = useMe();
  const filter = filterOf(search);
  const status = oneOf(search["status"]);
  const executions = useQuery(executionsQuery(filter, usePage(), clock.now));
  const { data: stats } = useQuery(taskStatsQuery(filter, clock.now));
  const needing = { ...filter, status: failedStatuses, isRetried: false };
  const { data: toLookAt } = useQuery(executionCountQuery(needing, clock.now));
  const { data: bridges } = useEntityNames("bridge");
  const [isRetrying, setRetrying] = useState(false);
  const bridgeName = (id: string): string => bridges?.find((one) => one.id === id)?.name ?? "Deleted connection";
  const { status: _status, page: _page, ...others } = search;
  const tabs = [
    { href: paths.tasks(others), label: "Needs attention", isOn: status === undefined, count: toLookAt },
    ...shown.slice(0, 3).map((name) => ({
      href: paths.tasks({ ...others, status: name }),
      label: sentence(name),
      isOn: status === name,
    })),
    { href: paths.tasks({ ...others, status: "all" }), label: "All", isOn: status === "all" },
  ];
  const pick = (name: string) => () => set({ status: status === name ? undefined : name, page: undefined });
  const counts = stats?.byStatus ?? never;
  const figures = shown.map((name) => {
    const value = name === "timed_out,expired" ? counts.timed_out + counts.expired : counts[name];
    const isBad = value > 0 && (name === "failed" || name === "timed_out,expired");
    return {
      label: name === "timed_out,expired" ? "Timed out or expired" : sentence(name),
      value,
      tone: isBad ? ("bad" as const) : undefined,
      isOn: status === name,
      onPick: pick(name),
    };
  });
  const isFailing = filter.status !== undefined && filter.status.split(",").every((name) => !isGood(name));
  return (
    <>
      <PageHead title="Tasks" note={stats && `executions, ${daysText(filter.days)}`}>
        <Button
          disabledReason={
            missingScope(me, "tasks:execute") ||
            (!isFailing && "Only failed or cancelled executions can be retried.") ||
            (executions.data?.pagination.total === 0 && "The list is empty.")
          }
          onClick={() => setRetrying(true)}
        >
          Retry all
        </Button>
      </PageHead>
      <div className="flex flex-col gap-2.5">
        <Figures label="Executions by status" figures={figures} />
        <div>
          <TabLinks label="Executions by status" tabs={tabs} />
          <TaskFilters search={search} stats={stats} bridgeName={bridgeName} />
        </div>
        <ListCard
          label="Executions"
          query={executions}
          columns={columnsWith(bridgeName)}
          idOf={(one) => one.id}
          empty={<Nothing status={status} filter={filter} />}
        />
      </div>
      {isRetrying && <RetryMany filter={filter} bridgeName={bridgeName} onClose={() => setRetrying(false)} />}
    </>
  );
}

const isGood = (status: string): boolean => ["running", "queued", "succeeded"].includes(status);

function Nothing({ status, filter }: { status: string | undefined; filter: TaskFilter }) {
  const isNarrow = Boolean(filter.bridgeId ?? filter.taskName ?? filter.runId ?? filter.code ?? filter.scheduleId);
  if (status === undefined && !isNarrow) {
    return (
      <Empty text={`${text.allWell} (${daysText(filter.days)})`}>
        <Link href={paths.tasks({ status: "all" })} className={buttonClass("plain")}>
          All executions
        </Link>
      </Empty>
    );
  }
  return (
    <Empty text={"No executions match these filters."}>
      <Link href={paths.tasks({ status: "all", since: "all" })} className={buttonClass("plain")}>
        All executions
      </Link>
    </Empty>
  );
}
