import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Card } from "../../ui/card.tsx";
import { plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { ExecutionBadge } from "../tasks/execution-badge.pick.tsx";
import { taskTitle } from "../tasks/task-title.pick.ts";
import { useActionTitles } from "./operations.queries.ts";

type TaskEnds = OperationRun["tasks"][number];

type Names = { bridgeName(id: string): string; stepName(ends: TaskEnds): string };

const columnsWith = (run: OperationRun, { bridgeName, stepName }: Names): Array<ListColumn<TaskEnds>> => [
  {
    name: "Task",
    className: "whitespace-nowrap",
    cell: (ends) => (
      <Link
        href={paths.tasks({ status: "all", ...filterOf(run, ends) })}
        className="inline-flex min-h-6 items-center gap-1.5 hover:underline"
      >
        <span>{taskTitle(ends.task_name)}</span>
        <span className="text-muted">at {bridgeName(ends.bridge_id)}</span>
      </Link>
    ),
  },
  { name: "Step", className: "whitespace-nowrap text-muted", cell: stepName },
  {
    name: "Status",
    cell: (ends) => (
      <span aria-live="polite" className="flex flex-wrap items-center gap-x-2">
        <States run={run} ends={ends} />
      </span>
    ),
  },
  { name: "Orders", className: "w-1/3 text-muted", cell: ordersText },
];

/** Executions that the run queued. They finish after the run does. */
export function RunTasks({ run }: { run: OperationRun }) {
  const titleOf = useActionTitles();
  const { data: bridges } = useEntityNames("bridge");
  if (run.tasks.length === 0) return null;
  const bridgeName = (id: string): string => bridges?.find((bridge) => bridge.id === id)?.name ?? "a connection";
  const stepName = ({ step, type }: TaskEnds): string => (step === null ? "–" : `${step + 1} ${titleOf(type)}`);
  return (
    <Card label="Connection tasks">
      <RowTable
        label="Tasks at connections"
        rows={run.tasks}
        idOf={(ends) => `${ends.step} ${ends.bridge_id} ${ends.task_name}`}
        columns={columnsWith(run, { bridgeName, stepName })}
      />
    </Card>
  );
}

/** Counts by state, linked to the executions. */
function States({ run, ends }: { run: OperationRun; ends: TaskEnds }) {
  return Object.entries(ends.executions)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => (
      <Link
        key={status}
        href={paths.tasks({ status, ...filterOf(run, ends) })}
        className="inline-flex min-h-6 items-center hover:underline"
      >
        <ExecutionBadge status={status} count={count} />
      </Link>
    ));
}

const filterOf = (run: OperationRun, { bridge_id, task_name }: TaskEnds) => ({
  runId: run.id,
  bridgeId: bridge_id,
  taskName: task_name,
});

/** Failed and uncertain orders of tasks that send or recall orders. */
function ordersText({ task_name, failed_orders, unknown_orders }: TaskEnds): string {
  const isRecall = task_name === "orders.recall";
  const failed = `${plural(failed_orders, "order")} ${isRecall ? "not recalled" : "not delivered"}`;
  const unknown = `${plural(unknown_orders, "order")} with unknown outcome`;
  return [...(failed_orders > 0 ? [failed] : []), ...(unknown_orders > 0 ? [unknown] : [])].join(", ") || "–";
}

/** Whether executions are still open; the run is polled until then. */
export const hasOpenTasks = ({ tasks }: Pick<OperationRun, "tasks">): boolean =>
  tasks.some(({ executions: { queued, running } }) => queued + running > 0);
