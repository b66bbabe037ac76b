import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useWatch } from "../../live/watch.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { formatCount, formatMs, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { showToast } from "../../ui/toast.tsx";
import { formatFull, Time, useClock } from "../../ui/zone.tsx";
import type { RunGroup } from "./operations.queries.ts";
import { runQuery, useActionTitles } from "./operations.queries.ts";
import { creatorName } from "./operations.text.ts";
import { runState, runTitle } from "./run-words.pick.ts";
import { fromActions } from "./pipeline.ts";
import { RunFailures } from "./run-failures.tsx";
import { RunNext } from "./run-next.tsx";
import { RunPrint } from "./run-print.tsx";
import { RunProgress } from "./run-progress.tsx";
import { RunResults } from "./run-results.tsx";
import { hasOpenTasks, RunTasks } from "./run-tasks.tsx";
import { RunTotals } from "./run-totals.tsx";
import { hasEnded, runCan } from "./run.can.ts";
import { SavePresetDialog } from "./save-preset.tsx";
import { UndoDialog } from "./undo-dialog.tsx";
import { useBulkEdit } from "./use-bulk-edit.ts";

const pollMs = 2_000;
const above = { href: paths.operations(), name: "Runs" };

export function RunPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    ...runQuery(id),
    refetchInterval: ({ state: { data } }) => (data && hasEnded(data) && hasOpenTasks(data) ? pollMs : false),
  });
  useRunProgress(id, query.data);
  return (
    <RecordPage above={above} query={query}>
      {(run) => <Run run={run} key={id} />}
    </RecordPage>
  );
}

/** Writes streamed updates into the query cache. */
function useRunProgress(id: string, run: OperationRun | undefined): void {
  const isOver = run !== undefined && hasEnded(run);
  useWatch(
    run && !isOver ? id : undefined,
    (signal) => hub.stream("GET /api/v1/operations/runs/{id}/watch", { path: { id }, signal }),
    (state, isLast) => {
      queryClient.setQueryData(["operations", "run", id], { ...run, ...(state as OperationRun) });
      if (!isLast) return;
      void queryClient.invalidateQueries({ queryKey: ["operations"] });
      void queryClient.invalidateQueries({ queryKey: ["orders"] });
    },
  );
}

function Run({ run }: { run: OperationRun }) {
  const router = useRouter();
  const { search, set } = useSearchParams();
  const me = useMe();
  const code = oneOf(search["code"]);
  const step = code === undefined || !oneOf(search["step"]) ? undefined : Number(oneOf(search["step"]));
  const status = oneOf(search["status"]) as "failed" | undefined;
  const retry = useMutation({
    mutationFn: (group: Pick<RunGroup, "code" | "step"> | undefined) =>
      hub.call("POST /api/v1/operations/runs/{id}/retry", {
        path: { id: run.id },
        body: group ? { codes: [group.code], step: group.step } : {},
        prefer: "respond-async",
      }),
    onSuccess: (next) => router.history.push(paths.run(next.id)),
  });
  return (
    <>
      <RunHead run={run} />
      <div className="flex flex-col gap-3.5">
        <RunProgress run={run} />
        {retry.error && <ProblemBox error={retry.error} />}
        {hasEnded(run) && <RunTotals run={run} />}
        <RunNext run={run} />
        <RunFailures
          run={run}
          shown={{ code, step }}
          onShow={(group) => set({ code: group?.code, step: group?.step?.toString(), status: undefined }, "replace")}
          onRetry={(group) => retry.mutate(group)}
          isRetrying={retry.isPending}
          retryReason={runCan.retry(run, me)}
        />
        <RunTasks run={run} />
        <RunResults
          key={`${status} ${code} ${step}`}
          run={run}
          filter={{ code, status, step }}
          onStatus={(next) => set({ status: next, code: undefined, step: undefined }, "replace")}
        />
      </div>
    </>
  );
}

/** Title, state and what can be done with the run. */
function RunHead({ run }: { run: OperationRun }) {
  const me = useMe();
  const clock = useClock();
  const titleOf = useActionTitles();
  const open = useBulkEdit();
  const [dialog, setDialog] = useState<"undo" | "preset">();
  const stop = useMutation({
    mutationFn: () => hub.call("POST /api/v1/operations/runs/{id}/cancel", { path: { id: run.id } }),
    onSuccess: () => showToast("The run stops after the orders in progress"),
  });
  const again = useMutation({ mutationFn: () => open({ run: { id: run.id } }, { run: run.id }) });
  const state = runState(run);
  const title = runTitle(run, run.actions.map((action) => titleOf(action["type"])).join(", "));
  const failure = stop.error ?? again.error;
  const close = (): void => setDialog(undefined);
  return (
    <>
      <PageHead
        above={above}
        title={title}
        name={`${title}, ${formatFull(run.created_at, clock)}`}
        note={<Badge tone={state.tone}>{state.text}</Badge>}
      >
        {!hasEnded(run) && (
          <Button isBusy={stop.isPending} disabledReason={runCan.cancel(run, me)} onClick={() => stop.mutate()}>
            Stop run
          </Button>
        )}
        <Button disabledReason={runCan.undo(run, me)} onClick={() => setDialog("undo")}>
          Undo
        </Button>
        <Menu
          label="More"
          items={[
            {
              label: "Run again",
              note: "Same steps on the same orders, with a new preview",
              disabledReason: runCan.again(run, me),
              onPick: () => again.mutate(),
            },
            {
              label: "Save as preset",
              disabledReason: runCan.savePreset(run, me),
              onPick: () => setDialog("preset"),
            },
          ]}
        />
        <RunPrint run={run} />
      </PageHead>
      <About run={run} steps={run.actions.map((action) => titleOf(action["type"])).join(", ")} />
      {failure && <ProblemBox error={failure} />}
      <UndoDialog run={run} isOpen={dialog === "undo"} onClose={close} />
      {dialog === "preset" && (
        <SavePresetDialog
          draft={fromActions(run.actions, { isAtomic: run.atomic, onError: run.on_error })}
          name={run.note ?? ""}
          onClose={close}
        />
      )}
    </>
  );
}

function About({ run, steps }: { run: OperationRun; steps: string }) {
  const drifted = run.preflight?.drifted_orders.length ?? 0;
  return (
    <p className="mb-3.5 text-muted">
      {creatorName(run)}, <Time at={run.created_at} withSeconds /> · {plural(run.order_count, "order")}
      {run.duration_ms !== null && ` in ${formatMs(run.duration_ms)}`}
      {run.excluded_count > 0 && `, ${formatCount(run.excluded_count)} excluded`}
      {drifted > 0 && `, ${plural(drifted, "order")} changed since the preview`} · Steps: {steps}
      <Relatives run={run} />
    </p>
  );
}

function Relatives({ run }: { run: OperationRun }) {
  const links: Array<[string, string]> = [
    ...(run.retry_of ? [["Retry of this run", run.retry_of] as [string, string]] : []),
    ...(run.undo_of ? [["Undo of this run", run.undo_of] as [string, string]] : []),
    ...run.retried_by.map((id): [string, string] => ["Retried", id]),
    ...run.undone_by.map((id): [string, string] => ["Undone", id]),
  ];
  return links.map(([name, id]) => (
    <span key={name + id}>
      {" · "}
      <Link href={paths.run(id)} className="text-accent-text underline underline-offset-2">
        {name}
      </Link>
    </span>
  ));
}
