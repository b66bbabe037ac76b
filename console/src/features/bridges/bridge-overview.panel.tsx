import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { FactList } from "../../ui/facts.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Time } from "../../ui/zone.tsx";
import { bridgeCan, importTaskOf } from "./bridge.can.ts";
import { bridgeExecutionsQuery, bridgeTasksQuery, pullSample } from "./bridges.queries.ts";
import { ConnectionTest } from "./connection-test.tsx";
import { ExecutionLine } from "./execution-line.tsx";
import { SampleView } from "./sample-view.tsx";
import { RecentExecutions } from "./bridge-lists.panel.tsx";

/** Health, and the next steps: inspect a sample, import, schedule. */
export function BridgeOverview({ bridge }: { bridge: Bridge }) {
  const { search } = useSearchParams();
  const { data: tasks, error } = useQuery(bridgeTasksQuery(bridge.id));
  const { data: executions } = useQuery(bridgeExecutionsQuery(bridge.id, 1, 8));
  const importTask = importTaskOf(tasks);
  const { health } = bridge;
  const isAsked = oneOf(search["test"]) === "now";
  return (
    <div className="flex flex-col gap-3.5">
      <Card className="px-3.5 py-3" label="Connection">
        <Heading title="Connection" />
        <div className="grid items-start gap-3.5 lg:grid-cols-2">
          <ConnectionTest bridge={bridge} isAsked={isAsked} />
          <FactList
            facts={[
              ["Last success", <Time key="ok" at={health.lastSuccessAt} />],
              ["Last failure", <Time key="bad" at={health.lastFailureAt} />],
              // The connection test beside it already shows this error.
              health.lastError !== null &&
                !isAsked && [
                  "Last error",
                  <span key="said" className="font-mono text-sm">
                    {health.lastError.message}
                  </span>,
                ],
              ["Parallel requests", bridge.concurrency === null ? "Default" : formatCount(bridge.concurrency)],
            ]}
          />
        </div>
      </Card>
      {error && <ProblemBox error={error} />}
      {importTask && <Import bridge={bridge} taskName={importTask.name} title={importTask.title} />}
      {executions && executions.data.length > 0 && <RecentExecutions bridge={bridge} tasks={tasks ?? []} />}
    </div>
  );
}

function Import({ bridge, taskName, title }: { bridge: Bridge; taskName: string; title: string }) {
  const me = useMe();
  const look = useMutation({ mutationFn: () => pullSample(bridge.id, taskName) });
  const run = useMutation({
    mutationFn: () => hub.call("POST /api/v1/tasks/execute", { body: { bridgeId: bridge.id, taskName } }),
  });
  const [first] = look.data?.records ?? [];
  const mapIt = paths.newTransformation({ bridgeId: bridge.id, taskName, direction: "inbound" });
  return (
    <Card className="px-3.5 py-3" label={title}>
      <Heading title={title} note="check a sample first, or import now" />
      <ol className="flex flex-col gap-3">
        <Step number={1} isDone={first !== undefined}>
          <div className="flex flex-wrap items-center gap-2">
            <Button onClick={() => look.mutate()} isBusy={look.isPending} disabledReason={bridgeCan.sample(bridge, me)}>
              {look.isPending ? "Fetching" : "Fetch a sample"}
            </Button>
            <span className="text-muted">
              {look.data?.ok && look.data.total !== null
                ? `${plural(look.data.total, "record")} found. The first one is shown below.`
                : "Reads the first records. Nothing is stored."}
            </span>
          </div>
          {look.error && <ProblemBox error={look.error} />}
          {look.data?.error && <Verbatim {...look.data.error} />}
          {look.data?.ok && !first && <p className="mt-1 text-muted">There are no records to import.</p>}
          {first && <SampleView source={first.source} output={first.output} />}
        </Step>
        <Step number={2} isDone={false}>
          <div className="flex flex-wrap items-center gap-2">
            <Link href={mapIt} className={buttonClass("plain")}>
              Map fields
            </Link>
            <span className="text-muted">Optional: only if fields should be imported differently.</span>
          </div>
        </Step>
        <Step number={3} isDone={run.data !== undefined}>
          <div className="flex flex-wrap items-center gap-2">
            <Button
              kind="primary"
              onClick={() => run.mutate()}
              isBusy={run.isPending}
              disabledReason={bridgeCan.run(bridge, me)}
            >
              {title} now
            </Button>
            <span className="text-muted">Existing orders are updated, not duplicated.</span>
          </div>
          {run.error && <ProblemBox error={run.error} />}
          {run.data && (
            <div className="mt-1.5">
              <ExecutionLine id={run.data.id} bridgeId={bridge.id} />
            </div>
          )}
        </Step>
        <Step number={4} isDone={false}>
          <div className="flex flex-wrap items-center gap-2">
            <Link href={paths.newSchedule({ bridgeId: bridge.id, taskName })} className={buttonClass("plain")}>
              Schedule
            </Link>
            <span className="text-muted">Each run imports the changes since the last one.</span>
          </div>
        </Step>
      </ol>
    </Card>
  );
}

function Verbatim({ code, message }: { code: string; message: string }) {
  return (
    <div
      role="alert"
      className="mt-1.5 rounded-lg border border-bad bg-bad-soft px-3 py-2 text-sm break-words whitespace-pre-wrap"
    >
      <span className="font-mono">{message}</span>{" "}
      <details className="inline-block align-top text-muted">
        <summary className="cursor-pointer">Details</summary>
        Code <code className="font-mono">{code}</code>
      </details>
    </div>
  );
}

function Step({ number, isDone, children }: { number: number; isDone: boolean; children: ReactNode }) {
  return (
    <li className="flex gap-2.5">
      <span
        aria-hidden
        className={cx(
          "mt-1 grid size-5 shrink-0 place-items-center rounded-full text-xs font-medium",
          isDone ? "bg-ok-soft text-ok" : "bg-skip-soft text-muted",
        )}
      >
        {isDone ? "✓" : number}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </li>
  );
}
