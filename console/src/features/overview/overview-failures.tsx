import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Empty } from "../../ui/card.tsx";
import { formatCount, plural, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { runsQuery } from "../operations/operations.queries.ts";
import { taskStatsQuery } from "./overview.queries.ts";
import { Tile } from "./overview-tile.tsx";

const linkClass = "inline-flex min-h-6 items-center text-accent-text hover:underline";
const maxShown = 6;

export function RunsTile() {
  const runs = useQuery(runsQuery(undefined));
  return (
    <Tile
      title="Runs that need a look"
      note="running, or with failed orders"
      query={runs}
      action={
        <Link href={paths.operations({ status: "partially_failed" })} className={linkClass}>
          All that failed in part
        </Link>
      }
    >
      {({ data }) => {
        const shown = data.filter((run) => run.summary.failed > 0 || run.status === "running").slice(0, maxShown);
        if (shown.length === 0)
          return <Empty text={`All well: nothing runs, and nothing failed in ${lastRuns(data.length)}.`} />;
        return (
          <Table label="Runs that need a look">
            <thead>
              <tr>
                <Th>Started</Th>
                <Th>Status</Th>
                <Th isNumber>Failed</Th>
                <Th isNumber>Orders</Th>
              </tr>
            </thead>
            <tbody>
              {shown.map((run) => (
                <tr key={run.id}>
                  <Td className="whitespace-nowrap">
                    <Link href={paths.run(run.id)} className={linkClass}>
                      <Time at={run.created_at} />
                    </Link>
                  </Td>
                  <Td>
                    <Badge tone={run.status === "running" ? "info" : "bad"}>{words(run.status)}</Badge>
                  </Td>
                  <Td isNumber>
                    <Link href={paths.run(run.id, { status: "failed" })} className={linkClass}>
                      {formatCount(run.summary.failed)}
                    </Link>
                  </Td>
                  <Td isNumber>{formatCount(run.order_count)}</Td>
                </tr>
              ))}
            </tbody>
          </Table>
        );
      }}
    </Tile>
  );
}

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
      action={
        <Link href={paths.tasks({ status: "failed,timed_out" })} className={linkClass}>
          All failed tasks
        </Link>
      }
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
          <Table label="Tasks that failed">
            <thead>
              <tr>
                <Th>Task</Th>
                <Th>Bridge</Th>
                <Th isNumber>Failed</Th>
                <Th isNumber>Of</Th>
                <Th>Last</Th>
              </tr>
            </thead>
            <tbody>
              {failed.map((task) => (
                <tr key={`${task.bridgeId} ${task.taskName}`}>
                  <Td className="max-w-44 truncate">{words(task.taskName)}</Td>
                  <Td className="max-w-40 truncate text-muted">{nameOf(task.bridgeId)}</Td>
                  <Td isNumber>
                    <Link
                      href={paths.tasks({
                        status: "failed,timed_out",
                        bridgeId: task.bridgeId,
                        taskName: task.taskName,
                      })}
                      className={`${linkClass} font-medium`}
                    >
                      {formatCount(failedOf(task.byStatus))}
                    </Link>
                  </Td>
                  <Td isNumber>{formatCount(task.total)}</Td>
                  <Td className="whitespace-nowrap text-muted">
                    <Time at={task.lastFailedAt} />
                  </Td>
                </tr>
              ))}
            </tbody>
          </Table>
        );
      }}
    </Tile>
  );
}

/** What ran out of time has failed too. */
const failedOf = ({ failed, timed_out }: { failed: number; timed_out: number }): number => failed + timed_out;
