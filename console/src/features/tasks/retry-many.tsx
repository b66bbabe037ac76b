import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatCount, plural, sentence } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { taskTitle } from "./task-title.pick.ts";
import type { RetryFilter, RetryReport, TaskFilter } from "./tasks.queries.ts";
import { apiFilterOf } from "./tasks.queries.ts";

type Props = { filter: TaskFilter; bridgeName(id: string): string; onClose(): void };
type Sum = { queued: number; refused: RetryReport["results"] };

/** Lists failures by cause, then retries them batch by batch. */
export function RetryMany({ filter, bridgeName, onClose }: Props) {
  const clock = useClock();
  // One fixed moment for preview and retry, so that failures in between are not included.
  const [body] = useState((): RetryFilter => {
    const { isRetried: _retried, ...asked } = apiFilterOf(filter, clock.now);
    return { ...asked, to: new Date(clock.now()).toISOString() };
  });
  const look = useQuery({
    queryKey: ["tasks", "retry", body],
    queryFn: ({ signal }) =>
      hub.call("POST /api/v1/tasks/executions/retry", { body: { ...body, dryRun: true }, signal }),
    gcTime: 0,
    retry: false,
  });
  const [refused, setRefused] = useState<RetryReport["results"]>([]);
  const retry = useMutation({
    mutationFn: async (): Promise<Sum> => {
      const sum: Sum = { queued: 0, refused: [] };
      for (;;) {
        const { summary, results } = await hub.call("POST /api/v1/tasks/executions/retry", { body });
        sum.queued += summary.queued;
        sum.refused.push(...results.filter(({ status }) => status === "failed"));
        // Rejected executions stay in the filter; stop when a batch queues nothing.
        if (summary.remaining === 0 || summary.queued === 0) return sum;
      }
    },
    onSuccess: async (sum) => {
      await queryClient.invalidateQueries({ queryKey: ["tasks"] });
      showToast(`${plural(sum.queued, "execution")} queued again`);
      if (sum.refused.length === 0) onClose();
      else setRefused(sum.refused);
    },
  });
  const summary = look.data?.summary;
  const count = summary ? summary.matched - summary.outcomeUnknown : 0;
  return (
    <Dialog
      title="Retry failed executions"
      isOpen
      isWide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{refused.length > 0 ? "Close" : "Cancel"}</Button>
          {refused.length === 0 && (
            <Button
              kind="primary"
              isBusy={retry.isPending || look.isPending}
              disabledReason={look.data && count === 0 && "No failed executions to retry."}
              onClick={() => retry.mutate()}
            >
              Retry {plural(count, "execution")}
            </Button>
          )}
        </>
      }
    >
      {look.isPending && <Skeleton rows={3} />}
      {(look.error ?? retry.error) && <ProblemBox error={look.error ?? retry.error} />}
      {look.data && refused.length === 0 && <Groups report={look.data} bridgeName={bridgeName} />}
      {refused.length > 0 && (
        <>
          <p className="mb-2">{plural(refused.length, "execution")} could not be queued again:</p>
          <ul className="list-disc ps-4">
            {refused.slice(0, 50).map((one) => (
              <li key={one.retryOf}>{one.error?.message}</li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

const columnsWith = (bridgeName: (id: string) => string): Array<ListColumn<RetryReport["groups"][number]>> => [
  { name: "Task", cell: ({ taskName }) => taskTitle(taskName) },
  { name: "Connection", cell: ({ bridgeId }) => bridgeName(bridgeId) },
  {
    name: "Error",
    cell: ({ code, isExcluded }) => (
      <>
        {sentence(code)}
        {isExcluded && <span className="text-warn"> (excluded)</span>}
      </>
    ),
  },
  { name: "Executions", isNumber: true, cell: ({ count }) => formatCount(count) },
];

function Groups({ report, bridgeName }: { report: RetryReport; bridgeName(id: string): string }) {
  const { summary, groups } = report;
  if (groups.length === 0) return <p>No failed executions match these filters.</p>;
  return (
    <div className="flex flex-col gap-2.5">
      <RowTable
        label="Executions to retry"
        rows={groups}
        idOf={({ bridgeId, taskName, code }) => `${bridgeId} ${taskName} ${code}`}
        columns={columnsWith(bridgeName)}
      />
      {summary.outcomeUnknown > 0 && (
        <p className="text-warn">
          Excluded: {plural(summary.outcomeUnknown, "execution")} with an unknown outcome. Check the other system first,
          then retry them one by one.
        </p>
      )}
      <p className="text-muted">
        Data that was sent before is not sent again. Each is retried once, by a new execution.
      </p>
    </div>
  );
}
