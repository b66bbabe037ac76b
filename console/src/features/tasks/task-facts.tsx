import type { Execution } from "@order-operations-hub/sdk/api-types";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { Card } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { FactList } from "../../ui/facts.tsx";
import { formatMs } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { ExecutionBadge } from "./execution-badge.pick.tsx";
import { ShortFailure } from "./task-failure.tsx";
import { triggerName } from "./task-title.pick.ts";

const linkClass = "text-accent-text underline underline-offset-2";

export function TaskFacts({ execution, bridgeName }: { execution: Execution; bridgeName: string | undefined }) {
  const { createdBy } = execution;
  const facts: Array<[name: string, value: ReactNode]> = [
    [
      "Connection",
      <Link key="bridge" href={paths.bridge(execution.bridgeId)} className={linkClass}>
        {bridgeName ?? "Deleted connection"}
      </Link>,
    ],
    [
      "Started by",
      `${triggerName(execution.trigger)}, by ${createdBy.type === "api_key" ? "the key " : ""}${createdBy.name ?? createdBy.email ?? "the hub"}`,
    ],
    ["Queued", <Time key="queued" at={execution.createdAt} withSeconds />],
    ["Started", <Time key="started" at={execution.startedAt} withSeconds />],
    ["Ended", <Time key="ended" at={execution.finishedAt} withSeconds />],
    ["Duration", execution.durationMs === null ? "–" : formatMs(execution.durationMs)],
    ...(execution.nextAttemptAt
      ? [["Next attempt", <Time key="next" at={execution.nextAttemptAt} withSeconds />] as [string, ReactNode]]
      : []),
    ...linkFact("Run", execution.runId, paths.run, "View the run"),
    ...linkFact("Schedule", execution.scheduleId, paths.schedule, "View the schedule"),
    ...linkFact(
      "Retry of",
      execution.retryOf,
      paths.task,
      execution.isPartial ? "Failed part of an earlier execution" : "Earlier execution",
    ),
    ...execution.retriedBy.flatMap((id) => linkFact("Retried by", id, paths.task, "Later execution")),
    ["ID", <CopyText key="id" text={execution.id} label="Copy the ID" />],
  ];
  return <FactList facts={facts} />;
}

function linkFact(
  name: string,
  id: string | null,
  pathTo: (id: string) => string,
  label: string,
): Array<[string, ReactNode]> {
  if (!id) return [];
  return [
    [
      name,
      <Link key={id} href={pathTo(id)} className={linkClass}>
        {label}
      </Link>,
    ],
  ];
}

const attemptColumns: Array<ListColumn<Execution["attempts"][number]>> = [
  { name: "No.", isNumber: true, cell: ({ number }) => number },
  { name: "Result", cell: ({ status }) => <ExecutionBadge status={status} /> },
  {
    name: "Started",
    className: "whitespace-nowrap",
    cell: ({ startedAt }) => <Time at={startedAt} withSeconds />,
  },
  {
    name: "Duration",
    isNumber: true,
    className: "whitespace-nowrap text-muted",
    cell: ({ startedAt, finishedAt }) =>
      finishedAt === null ? "–" : formatMs(Date.parse(finishedAt) - Date.parse(startedAt)),
  },
  {
    name: "Error",
    className: "w-full max-w-0 min-w-40 truncate text-muted",
    cell: ({ error }) => <ShortFailure failure={error} />,
  },
];

/** All attempts: the first may have failed for another reason than the last. */
export function Attempts({ execution }: { execution: Execution }) {
  const { attempts, maxAttempts } = execution;
  // Lost workers do not count as attempts.
  const lost = attempts.filter(({ status }) => status === "worker_lost" || status === "interrupted").length;
  return (
    <Card label="Attempts">
      <p className="px-3 pt-2 pb-1 font-semibold">
        Attempts{" "}
        <span className="font-normal text-muted">
          {attempts.length - lost} of at most {maxAttempts}
          {lost > 0 && `, ${lost} interrupted by a restart`}
        </span>
      </p>
      {attempts.length === 0 ? (
        <p className="px-3 pb-2.5 text-muted">Not started yet.</p>
      ) : (
        <RowTable label="Attempts" rows={attempts} columns={attemptColumns} idOf={({ number }) => number} />
      )}
    </Card>
  );
}
