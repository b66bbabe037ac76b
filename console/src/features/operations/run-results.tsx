import type { OperationRun, OperationRunResult } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { paths } from "../../app/paths.ts";
import { queryClient } from "../../live/hub.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { changeText } from "../../ui/change-text.ts";
import { formatCount, plural, words } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { PageButtons } from "../../ui/page-buttons.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { ResultFilter } from "./operations.queries.ts";
import { resultsQuery, runGroupsQuery, useActionTitles } from "./operations.queries.ts";
import { resultTones } from "./operations.text.ts";
import { hasEnded } from "./run.can.ts";
import { priceText } from "./step-prices.ts";
import { ReasonTable } from "./reason-table.tsx";

type GroupProps = {
  run: OperationRun;
  code: string | undefined;
  onCode(code: string): void;
  onRetry(code: string): void;
  retryReason: string | undefined;
};

/** Failures by cause. Each group can be retried. */
export function RunGroups({ run, code, onCode, onRetry, retryReason }: GroupProps) {
  const { data: groups } = useQuery({ ...runGroupsQuery(run.id), refetchInterval: hasEnded(run) ? false : 2_000 });
  const titleOf = useActionTitles();
  return (
    <ReasonTable
      label={run.summary.partially_undone > 0 ? "What could not be undone" : "Failures by code"}
      groups={groups ?? []}
      toneOf={({ status }) => (status === "succeeded" ? "warn" : (resultTones[status] ?? "bad"))}
      titleOf={({ type }) => (type ? titleOf(type) : "")}
      renderButtons={(group) => (
        <>
          <Button kind="quiet" aria-pressed={code === group.code} onClick={() => onCode(group.code)}>
            {code === group.code ? "show all" : "show"}
          </Button>
          <Button
            disabledReason={retryReason ?? (!group.retryable && "A retry does not do these again.")}
            onClick={() => onRetry(group.code)}
          >
            retry these
          </Button>
        </>
      )}
    />
  );
}

export function RunResults({ run, filter }: { run: OperationRun; filter: ResultFilter }) {
  const [page, setPage] = useState(1);
  const query = resultsQuery(run.id, filter, page);
  const { data, error, isPending, isPlaceholderData } = useQuery({
    ...query,
    refetchInterval: ({ state }) => (!hasEnded(run) || state.data?.data.some(isWaiting) ? 2_000 : false),
  });
  const areWaiting = data?.data.some(isWaiting) ?? false;
  useEffect(() => {
    if (!areWaiting) return undefined;
    // A result that the carrier rejected counts as failed now.
    return () => void queryClient.invalidateQueries({ queryKey: ["operations"] });
  }, [areWaiting]);
  const titleOf = useActionTitles();
  if (error && !data) return <ProblemBox error={error} />;
  if (isPending) return <Skeleton />;
  if (data.data.length === 0) {
    return (
      <Card label="Orders">
        <Empty text={hasEnded(run) ? "No order with that result." : "No order is done yet."} />
      </Card>
    );
  }
  const { pagination } = data;
  return (
    <>
      <Card label="Orders" className={isPlaceholderData ? "stale" : ""}>
        <Table label="Results">
          <thead>
            <tr>
              <Th>Order</Th>
              {run.actions.map((action, at) => (
                <Th key={at}>
                  {at + 1} {titleOf(action["type"]).toLowerCase()}
                </Th>
              ))}
              <Th>Result</Th>
              <Th>Why</Th>
            </tr>
          </thead>
          <tbody>
            {data.data.map((result) => (
              <tr key={result.position}>
                <Td className="whitespace-nowrap">
                  <RecordLink href={paths.order(result.order_number ?? result.ref)} className="font-mono text-sm">
                    {result.order_number ?? result.ref}
                  </RecordLink>
                </Td>
                {run.actions.map((_, at) => (
                  <Td key={at} className="max-w-48 truncate font-mono text-sm">
                    <StepCell step={result.steps.find((step) => step.index === at)} />
                  </Td>
                ))}
                <Td>
                  <ResultBadge result={result} />
                </Td>
                <Td className="max-w-96 truncate text-muted">
                  {result.error ? `${result.error.message} ${result.error.fix ?? ""}` : "–"}
                  {result.resume_from_step !== null && ` Resumes at step ${result.resume_from_step + 1}.`}
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      </Card>
      <div className="flex min-h-7 items-center gap-2 text-sm text-muted">
        <span>
          {plural(pagination.total, "order")}
          {filter.code ? ` with ${filter.code}` : filter.status ? ` ${words(filter.status)}` : ""}
          {pagination.pages > 1 && `, page ${formatCount(pagination.page)} of ${formatCount(pagination.pages)}`}
        </span>
        {pagination.pages > 1 && <PageButtons page={page} hasMore={page < pagination.pages} onPage={setPage} />}
      </div>
    </>
  );
}

/** Only an undo can succeed with an error, for a step that could not be undone. */
function ResultBadge({ result: { status, error } }: { result: OperationRunResult }) {
  if (status === "succeeded" && error) return <Badge tone="warn">in part</Badge>;
  return <Badge tone={resultTones[status] ?? "skip"}>{status === "succeeded" ? "done" : words(status)}</Badge>;
}

type Step = OperationRunResult["steps"][number];

/** The label was requested; the carrier answers after the run. */
const awaitsCarrier = ({ warning, label_ids }: Step): boolean => warning?.code === "pending" && label_ids !== undefined;
const isWaiting = ({ steps }: OperationRunResult): boolean => steps.some(awaitsCarrier);

function StepCell({ step }: { step: Step | undefined }) {
  if (!step || step.status === "skipped") return <span className="text-muted">–</span>;
  if (step.error) {
    const tone = step.status === "undo_failed" ? "text-warn" : "text-bad";
    return <span className={tone}>✕ {words(step.error.code)}</span>;
  }
  if (step.status === "no_change") return <span className="text-muted">No change</span>;
  if (step.status === "rolled_back" || step.status === "undo_failed")
    return <span className="text-warn">{words(step.status)}</span>;
  if (awaitsCarrier(step)) return <span className="text-muted">the carrier is asked</span>;
  if (step.execution_id) {
    return (
      <Link href={paths.task(step.execution_id)} className="inline-flex min-h-6 items-center hover:underline">
        queued
      </Link>
    );
  }
  if (step.price) return <span className="text-ok">{priceText(step.price)}</span>;
  const first = step.changes?.[0];
  if (!first) return <span className="text-ok">done</span>;
  const { sign, text } = changeText(first);
  return (
    <span className={sign === "+" ? "text-ok" : sign === "−" ? "text-bad" : ""}>
      {sign} {text}
    </span>
  );
}
