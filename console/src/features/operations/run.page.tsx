import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useWatch } from "../../live/watch.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, formatMs, plural, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { ShareBar } from "../../ui/share-bar.tsx";
import { showToast } from "../../ui/toast.tsx";
import { formatFull, Time, useClock } from "../../ui/zone.tsx";
import { PrintLabels } from "../shipments/print-labels.pick.tsx";
import { runQuery } from "./operations.queries.ts";
import { runTones } from "./operations.text.ts";
import { RunGroups, RunResults } from "./run-results.tsx";
import { hasOpenTasks, RunTasks } from "./run-tasks.tsx";
import { hasEnded, runCan } from "./run.can.ts";
import { UndoDialog } from "./undo-dialog.tsx";

const pollMs = 2_000;
const above = { href: paths.operations(), name: "Operations" };

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
  const me = useMe();
  const router = useRouter();
  const { search, set } = useSearchParams();
  const [isUndoing, setUndoing] = useState(false);
  const code = oneOf(search["code"]);
  const status = oneOf(search["status"]);
  const cancel = useMutation({
    mutationFn: () => hub.call("POST /api/v1/operations/runs/{id}/cancel", { path: { id: run.id } }),
    onSuccess: () => showToast("The run is stopped after the orders at hand"),
  });
  const retry = useMutation({
    mutationFn: (codes: string[] | undefined) =>
      hub.call("POST /api/v1/operations/runs/{id}/retry", {
        path: { id: run.id },
        body: codes ? { codes } : {},
        prefer: "respond-async",
      }),
    onSuccess: (next) => router.history.push(paths.run(next.id)),
  });
  const { summary } = run;
  const title = run.note ?? (run.undo_of ? "Undo" : run.retry_of ? "Retry" : "Run");
  const done = summary.succeeded + summary.failed + summary.skipped;
  const pick = (name: string) => () => set({ status: status === name ? undefined : name, code: undefined }, "replace");
  const failure = cancel.error ?? retry.error;
  return (
    <>
      <PageHead
        above={above}
        title={title}
        name={`${title}, ${formatFull(run.created_at, useClock())}`}
        note={<RunBadge run={run} />}
      >
        {!hasEnded(run) && (
          <Button
            kind="danger"
            isBusy={cancel.isPending}
            disabledReason={runCan.cancel(run, me)}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
        {run.actions.some(({ type }) => type === "buy_label") && (
          <PrintLabels source={{ runId: run.id }} label="Print labels" disabledReason={runCan.print(run, me)} />
        )}
        <Button isBusy={retry.isPending} disabledReason={runCan.retry(run, me)} onClick={() => retry.mutate(undefined)}>
          Retry failed
        </Button>
        <Button disabledReason={runCan.undo(run, me)} onClick={() => setUndoing(true)}>
          Undo
        </Button>
        <a href={`/api/v1/operations/runs/${run.id}/results.csv`} download className={buttonClass("quiet")}>
          CSV
        </a>
      </PageHead>
      <div className="flex flex-col gap-2.5">
        <About run={run} />
        <Progress run={run} done={done} />
        {failure && <ProblemBox error={failure} />}
        <Figures
          label="Results"
          figures={[
            {
              label: "done",
              value: summary.succeeded - run.summary.partially_undone,
              tone: "ok",
              isOn: status === "succeeded",
              onPick: pick("succeeded"),
            },
            ...(run.summary.partially_undone > 0
              ? [{ label: "in part", value: run.summary.partially_undone, tone: "warn" as const }]
              : []),
            {
              label: "failed",
              value: summary.failed,
              tone: "bad",
              isOn: status === "failed",
              onPick: pick("failed"),
            },
            { label: "skipped", value: summary.skipped, isOn: status === "skipped", onPick: pick("skipped") },
            { label: "not reached", value: summary.cancelled, isOn: status === "cancelled", onPick: pick("cancelled") },
            { label: "unchanged", value: summary.no_change },
            ...(run.labels.requested > 0 ? [{ label: "labels bought", value: run.labels.bought }] : []),
          ]}
        />
        <ShareBar
          total={summary.total}
          parts={[
            { label: "done", count: summary.succeeded - run.summary.partially_undone, tone: "ok" },
            { label: "in part", count: run.summary.partially_undone, tone: "warn" },
            { label: "failed", count: summary.failed, tone: "bad" },
            { label: "skipped", count: summary.skipped, tone: "skip" },
          ]}
        />
        <RunTasks run={run} />
        <RunGroups
          onRetry={(one) => retry.mutate([one])}
          retryReason={runCan.retry(run, me)}
          run={run}
          code={code}
          onCode={(next) => set({ code: next === code ? undefined : next, status: undefined }, "replace")}
        />
        <RunResults run={run} filter={{ code, status }} />
      </div>
      <UndoDialog run={run} isOpen={isUndoing} onClose={() => setUndoing(false)} />
    </>
  );
}

/** An undo that could not undo every step is neither failed nor complete. */
function RunBadge({ run }: { run: OperationRun }) {
  if (run.status === "succeeded" && run.summary.partially_undone > 0) return <Badge tone="warn">undone in part</Badge>;
  return <Badge tone={runTones[run.status] ?? "skip"}>{words(run.status)}</Badge>;
}

function About({ run }: { run: OperationRun }) {
  return (
    <p className="text-muted">
      By {run.created_by.name ?? run.created_by.email ?? words(run.created_by.type)},{" "}
      <Time at={run.created_at} withSeconds />, {plural(run.order_count, "order")}
      {run.excluded_count > 0 && `, ${formatCount(run.excluded_count)} left out`}
      {run.duration_ms !== null && `, took ${formatMs(run.duration_ms)}`}
      {run.preflight &&
        run.preflight.drifted_orders.length > 0 &&
        `, ${plural(run.preflight.drifted_orders.length, "order")} changed since it was checked`}
      <Relatives run={run} />
    </p>
  );
}

function Relatives({ run }: { run: OperationRun }) {
  const links: Array<[string, string]> = [
    ...(run.retry_of ? [["retries this run", run.retry_of] as [string, string]] : []),
    ...(run.undo_of ? [["undoes this run", run.undo_of] as [string, string]] : []),
    ...run.retried_by.map((id): [string, string] => ["retried by", id]),
    ...run.undone_by.map((id): [string, string] => ["undone by", id]),
  ];
  return links.map(([name, id]) => (
    <span key={name + id}>
      ,{" "}
      <Link href={paths.run(id)} className="text-accent-text underline underline-offset-2">
        {name}
      </Link>
    </span>
  ));
}

/** Progress of the run; its end is announced to screen readers. */
function Progress({ run, done }: { run: OperationRun; done: number }) {
  if (hasEnded(run)) {
    return (
      <p role="status" className="sr-only">
        {`${plural(done, "order")} of ${formatCount(run.order_count)}: ${words(run.status)}`}
      </p>
    );
  }
  return (
    <ProgressBar
      label="Progress"
      done={done}
      total={run.order_count}
      text={`${formatCount(done)} of ${formatCount(run.order_count)} orders${
        run.open_label_requests > 0 ? `, ${plural(run.open_label_requests, "request")} open at carriers` : ""
      }`}
    />
  );
}
