import type { Execution } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useWatch } from "../../live/watch.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { formatCount } from "../../ui/format.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { formatFull, useClock } from "../../ui/zone.tsx";
import { ExceptionsLine } from "../exceptions/exceptions.pick.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { ExecutionBadge } from "./execution-badge.pick.tsx";
import { Attempts, TaskFacts } from "./task-facts.tsx";
import { TaskData } from "./task-data.tsx";
import { TaskFailure } from "./task-failure.tsx";
import { TaskLog } from "./task-log.tsx";
import { taskTitle } from "./task-title.pick.ts";
import { taskCan } from "./tasks.can.ts";
import { executionQuery, hasEnded } from "./tasks.queries.ts";
import { text, unknownCode } from "./tasks.text.ts";

const above = { href: paths.tasks(), name: "Tasks" };

export function TaskPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(executionQuery(id));
  useProgress(id, query.data);
  return (
    <RecordPage above={above} query={query}>
      {(execution) => <Task execution={execution} key={id} />}
    </RecordPage>
  );
}

/** Writes streamed updates into the query cache. */
function useProgress(id: string, execution: Execution | undefined): void {
  const isOver = execution !== undefined && hasEnded(execution);
  useWatch(
    execution && !isOver ? id : undefined,
    (signal) => hub.stream("GET /api/v1/tasks/executions/{id}/watch", { path: { id }, signal }),
    (state, isLast) => {
      queryClient.setQueryData(["tasks", "one", id], state);
      if (isLast) void queryClient.invalidateQueries({ queryKey: ["tasks"] });
    },
  );
}

function Task({ execution }: { execution: Execution }) {
  const me = useMe();
  const router = useRouter();
  const { data: bridges } = useEntityNames("bridge");
  const [isAsking, setAsking] = useState(false);
  const { id } = execution;
  const cancel = useMutation({
    mutationFn: () => hub.call("POST /api/v1/tasks/executions/{id}/cancel", { path: { id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["tasks"] });
      showToast("Execution cancelled");
    },
  });
  const retry = useMutation({
    mutationFn: () => hub.call("POST /api/v1/tasks/executions/{id}/retry", { path: { id }, body: {} }),
    onSuccess: (next) => {
      void queryClient.invalidateQueries({ queryKey: ["tasks"], refetchType: "none" });
      router.history.push(paths.task(next.id));
    },
  });
  const isUnknown = execution.error?.code === unknownCode;
  const isPart = execution.status === "completed_with_errors";
  const failure = cancel.error ?? retry.error;
  const bridgeName = bridges?.find((one) => one.id === execution.bridgeId)?.name;
  return (
    <>
      <PageHead
        above={above}
        title={taskTitle(execution.taskName)}
        name={`${taskTitle(execution.taskName)}, ${formatFull(execution.createdAt, useClock())}`}
        note={<ExecutionBadge status={execution.status} />}
      >
        {!hasEnded(execution) && (
          <Button
            kind="danger"
            isBusy={cancel.isPending}
            disabledReason={taskCan.cancel(execution, me)}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
        <Button
          kind={hasEnded(execution) && execution.status !== "succeeded" ? "primary" : "plain"}
          isBusy={retry.isPending}
          disabledReason={taskCan.retry(execution, me)}
          onClick={() => (isUnknown ? setAsking(true) : retry.mutate())}
        >
          {isPart ? "Retry failed part" : "Retry"}
        </Button>
      </PageHead>
      <ExceptionsLine about={{ executionId: id }} />
      <div className="flex flex-col gap-2.5">
        {failure && <ProblemBox error={failure} />}
        <TaskFailure execution={execution} />
        <Progress execution={execution} />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-2.5 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          <div className="flex flex-col gap-2.5">
            <Card className="px-3 py-2" label="Details">
              <TaskFacts execution={execution} bridgeName={bridgeName} />
            </Card>
            <Attempts execution={execution} />
          </div>
          <div className="flex min-w-0 flex-col gap-2.5">
            <TaskLog id={id} isOver={hasEnded(execution)} />
            <TaskData execution={execution} />
          </div>
        </div>
      </div>
      {isAsking && (
        <Confirm
          title="Retry although the outcome is unknown?"
          yes="Send again"
          run={() => retry.mutateAsync()}
          onClose={() => setAsking(false)}
        >
          <p>{text.unknown.why}</p>
        </Confirm>
      )}
    </>
  );
}

function Progress({ execution }: { execution: Execution }) {
  const { progress } = execution;
  if (hasEnded(execution) || !progress) return null;
  const { processed, total } = progress;
  const text =
    total === null ? `${formatCount(processed)} processed` : `${formatCount(processed)} of ${formatCount(total)}`;
  return <ProgressBar label="Progress" done={processed} total={total} text={text} />;
}
