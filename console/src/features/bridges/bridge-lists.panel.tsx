import type {
  Bridge,
  BridgeTask,
  ExecutionSummary,
  Schedule,
  Transformation,
} from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Heading } from "../../ui/card.tsx";
import { formatMs, plural } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { ExecutionBadge } from "../tasks/execution-badge.pick.tsx";
import { triggerName } from "../tasks/task-title.pick.ts";
import {
  bridgeExecutionsQuery,
  bridgeSchedulesQuery,
  bridgeTasksQuery,
  bridgeTransformationsQuery,
} from "./bridges.queries.ts";

const titleIn = (tasks: readonly BridgeTask[], name: string): string =>
  tasks.find((task) => task.name === name)?.title ?? name;

const executionColumns = (tasks: readonly BridgeTask[]): Array<ListColumn<ExecutionSummary>> => [
  {
    name: "Started",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={paths.task(one.id)}>
        <Time at={one.createdAt} withSeconds />
      </RecordLink>
    ),
  },
  { name: "Task", className: "whitespace-nowrap", cell: (one) => titleIn(tasks, one.taskName) },
  { name: "State", cell: (one) => <ExecutionBadge status={one.status} /> },
  { name: "Started by", className: "whitespace-nowrap text-muted", cell: (one) => triggerName(one.trigger) },
  {
    name: "Error",
    className: "max-w-md truncate text-muted",
    cell: ({ error }) => (error ? <span title={error.message}>{error.message}</span> : "–"),
  },
  {
    name: "Duration",
    isNumber: true,
    className: "whitespace-nowrap text-muted",
    cell: ({ durationMs }) => (durationMs === null ? "–" : formatMs(durationMs)),
  },
];

/** The latest executions, without paging. */
export function RecentExecutions({ bridge, tasks }: { bridge: Bridge; tasks: readonly BridgeTask[] }) {
  const { data } = useQuery(bridgeExecutionsQuery(bridge.id, 1, 8));
  if (!data) return null;
  return (
    <section aria-label="Recent executions">
      <Heading title="Recent executions" note={`${data.data.length} of ${plural(data.pagination.total, "execution")}`}>
        <Link href={paths.bridge(bridge.id, { tab: "executions" })} className={buttonClass("quiet")}>
          All
        </Link>
      </Heading>
      <Card>
        <RowTable label="Recent executions" rows={data.data} columns={executionColumns(tasks)} idOf={(one) => one.id} />
      </Card>
    </section>
  );
}

export function BridgeExecutions({ bridge }: { bridge: Bridge }) {
  const { data: tasks = [] } = useQuery(bridgeTasksQuery(bridge.id));
  return (
    <ListCard
      label="Executions"
      query={useQuery(bridgeExecutionsQuery(bridge.id, usePage()))}
      columns={executionColumns(tasks)}
      idOf={(one) => one.id}
      empty={
        <Empty text="This connection has run no tasks yet.">
          <Link href={paths.bridge(bridge.id, { tab: "tasks" })} className={buttonClass("plain")}>
            What it can do
          </Link>
        </Empty>
      }
    />
  );
}

const mappingColumns = (tasks: readonly BridgeTask[]): Array<ListColumn<Transformation>> => [
  {
    name: "Name",
    cell: (one) => <RecordLink href={paths.transformation(one.id)}>{one.name}</RecordLink>,
  },
  { name: "Task", className: "whitespace-nowrap", cell: (one) => titleIn(tasks, one.taskName) },
  {
    name: "Direction",
    className: "whitespace-nowrap",
    cell: ({ direction }) => (direction === "inbound" ? "Inbound" : "Outbound"),
  },
  { name: "Rows", isNumber: true, cell: ({ mappings }) => mappings.length },
  {
    name: "State",
    cell: ({ isActive }) => <Badge tone={isActive ? "ok" : "skip"}>{isActive ? "Active" : "Inactive"}</Badge>,
  },
  { name: "Updated", className: "whitespace-nowrap text-muted", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function BridgeMappings({ bridge }: { bridge: Bridge }) {
  const { data: tasks = [] } = useQuery(bridgeTasksQuery(bridge.id));
  return (
    <ListCard
      label="Field mappings"
      query={useQuery(bridgeTransformationsQuery(bridge.id, usePage()))}
      columns={mappingColumns(tasks)}
      idOf={(one) => one.id}
      empty={
        <Empty text="No field mappings. Data is read and written as the connector does by default.">
          <Link href={paths.newTransformation({ bridgeId: bridge.id })} className={buttonClass("plain")}>
            New field mapping
          </Link>
        </Empty>
      }
    />
  );
}

const scheduleColumns = (tasks: readonly BridgeTask[]): Array<ListColumn<Schedule>> => [
  {
    name: "Schedule",
    cell: (one) => <RecordLink href={paths.schedule(one.id)}>{one.name ?? one.cron}</RecordLink>,
  },
  { name: "Task", className: "whitespace-nowrap", cell: (one) => titleIn(tasks, one.taskName) },
  { name: "When", className: "text-muted", cell: ({ description }) => description },
  { name: "Next", className: "whitespace-nowrap", cell: ({ nextRunAt }) => <Time at={nextRunAt} /> },
  {
    name: "State",
    cell: ({ isActive }) => <Badge tone={isActive ? "ok" : "skip"}>{isActive ? "Active" : "Paused"}</Badge>,
  },
];

export function BridgeSchedules({ bridge }: { bridge: Bridge }) {
  const { data: tasks = [] } = useQuery(bridgeTasksQuery(bridge.id));
  return (
    <ListCard
      label="Schedules"
      query={useQuery(bridgeSchedulesQuery(bridge.id, usePage()))}
      columns={scheduleColumns(tasks)}
      idOf={(one) => one.id}
      empty={
        <Empty text="This connection has no schedules.">
          <Link href={paths.newSchedule({ bridgeId: bridge.id })} className={buttonClass("plain")}>
            New schedule
          </Link>
        </Empty>
      }
    />
  );
}
