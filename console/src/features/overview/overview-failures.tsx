import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Empty } from "../../ui/card.tsx";
import { formatCount, plural, words } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { runsQuery } from "../operations/operations.queries.ts";
import { taskStatsQuery } from "./overview.queries.ts";
import { Tile } from "./overview-tile.tsx";

const maxShown = 6;

const runColumns: Array<ListColumn<OperationRun>> = [
  {
    name: "Started",
    className: "whitespace-nowrap",
    cell: (run) => (
      <RecordLink href={paths.run(run.id)}>
        <Time at={run.created_at} />
      </RecordLink>
    ),
  },
  {
    name: "Status",
    cell: ({ status }) => <Badge tone={status === "running" ? "info" : "bad"}>{words(status)}</Badge>,
  },
  {
    name: "Failed",
    isNumber: true,
    cell: ({ id, summary }) => (
      <RecordLink href={paths.run(id, { status: "failed" })}>{formatCount(summary.failed)}</RecordLink>
    ),
  },
  { name: "Orders", isNumber: true, cell: (run) => formatCount(run.order_count) },
];

export function RunsTile() {
  const runs = useQuery(runsQuery(undefined));
  return (
    <Tile
      title="Runs that need a look"
      note="running, or with failed orders"
      query={runs}
      action={<RecordLink href={paths.operations({ status: "partially_failed" })}>All that failed in part</RecordLink>}
    >
      {({ data }) => {
        const shown = data.filter((run) => run.summary.failed > 0 || run.status === "running").slice(0, maxShown);
        if (shown.length === 0)
          return <Empty text={`All well: nothing runs, and nothing failed in ${lastRuns(data.length)}.`} />;
        return <RowTable label="Runs that need a look" rows={shown} columns={runColumns} idOf={({ id }) => id} />;
      }}
    </Tile>
  );
}

type TaskCounts = Answer<"GET /api/v1/tasks/executions/counts">["byTask"][number];

const taskColumns = (nameOf: (bridgeId: string) => string): Array<ListColumn<TaskCounts>> => [
  { name: "Task", className: "max-w-44 truncate", cell: ({ taskName }) => words(taskName) },
  { name: "Bridge", className: "max-w-40 truncate text-muted", cell: ({ bridgeId }) => nameOf(bridgeId) },
  {
    name: "Failed",
    isNumber: true,
    cell: ({ bridgeId, taskName, byStatus }) => (
      <RecordLink href={paths.tasks({ status: "failed,timed_out", bridgeId, taskName })} className="font-medium">
        {formatCount(failedOf(byStatus))}
      </RecordLink>
    ),
  },
  { name: "Of", isNumber: true, cell: ({ total }) => formatCount(total) },
  {
    name: "Last",
    className: "whitespace-nowrap text-muted",
    cell: ({ lastFailedAt }) => <Time at={lastFailedAt} />,
  },
];

const lastRuns = (count: number): string => (count === 0 ? "any run" : `the last ${plural(count, "run")}`);

export function TasksTile() {
  const stats = useQuery(taskStatsQuery);
  const { data: bridges } = useEntityNames("bridge");
  const nameOf = (id: string): string => bridges?.find((bridge) => bridge.id === id)?.name ?? "a bridge";
  return (
    <Tile
      title="Tasks that failed"
      note={
        stats.data && `${formatCount(failedOf(stats.data.byStatus))} of ${plural(stats.data.total, "task")} in 24 hours`
      }
      query={stats}
      action={<RecordLink href={paths.tasks({ status: "failed,timed_out" })}>All failed tasks</RecordLink>}
    >
      {({ byTask, total }) => {
        const failed = byTask.filter(({ byStatus }) => failedOf(byStatus) > 0).slice(0, maxShown);
        if (failed.length === 0) {
          return (
            <Empty
              text={
                total === 0
                  ? "All well: no task ran in the last 24 hours."
                  : `All well: none of ${plural(total, "task")} of the last 24 hours failed.`
              }
            />
          );
        }
        return (
          <RowTable
            label="Tasks that failed"
            rows={failed}
            columns={taskColumns(nameOf)}
            idOf={({ bridgeId, taskName }) => `${bridgeId} ${taskName}`}
          />
        );
      }}
    </Tile>
  );
}

/** A timeout counts as a failure. */
const failedOf = ({ failed, timed_out }: { failed: number; timed_out: number }): number => failed + timed_out;
