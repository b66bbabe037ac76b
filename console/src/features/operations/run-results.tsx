import type { OperationRun, OperationRunResult } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { paths } from "../../app/paths.ts";
import { queryClient } from "../../live/hub.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { RecordLink } from "../../ui/link.tsx";
import { PageButtons } from "../../ui/page-buttons.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { LabelCells, labelColumns } from "./label-cells.tsx";
import { LabelRowMenu } from "./label-row-menu.tsx";
import type { ResultFilter } from "./operations.queries.ts";
import { resultsQuery, useActionTitles, useKnownTitles } from "./operations.queries.ts";
import type { State } from "./run-words.pick.ts";
import { resultTones, resultWords } from "./operations.text.ts";
import { useRecordNames } from "./record-names.ts";
import { plainMessage, reasonTitle } from "./reasons.ts";
import { ResultCell, awaitsCarrier } from "./result-cell.tsx";
import { hasEnded } from "./run.can.ts";

type Props = {
  run: OperationRun;
  filter: ResultFilter;
  onStatus(status: OperationRunResult["status"] | undefined): void;
};

const isWaiting = ({ steps }: OperationRunResult): boolean => steps.some(awaitsCarrier);

/** The orders of the run. A run that buys labels shows tracking and cost, other runs what each step changed. */
export function RunResults({ run, filter, onStatus }: Props) {
  const [page, setPage] = useState(1);
  const { data, error, isPending, isPlaceholderData } = useQuery({
    ...resultsQuery(run.id, filter, page),
    refetchInterval: ({ state }) => (!hasEnded(run) || state.data?.data.some(isWaiting) ? 2_000 : false),
  });
  const areWaiting = data?.data.some(isWaiting) ?? false;
  useEffect(() => {
    if (!areWaiting) return undefined;
    // A result that the carrier rejected counts as failed now.
    return () => void queryClient.invalidateQueries({ queryKey: ["operations"] });
  }, [areWaiting]);
  if (error && !data) return <ProblemBox error={error} />;
  const pagination = data?.pagination;
  return (
    <Card label="Orders of this run" className={cx("shrink-0", isPlaceholderData && "stale")}>
      <div className="flex min-h-10 flex-wrap items-center gap-1 border-b border-line px-2 py-1">
        <ResultTabs run={run} filter={filter} onStatus={onStatus} />
        <span className="flex-1" />
        <a href={`/api/v1/operations/runs/${run.id}/results.csv`} download className={buttonClass("quiet")}>
          <Icon name="download" /> Export CSV
        </a>
      </div>
      {isPending && <Skeleton />}
      {data?.data.length === 0 && (
        <Empty text={hasEnded(run) ? "No orders with this result." : "No order is finished yet."} />
      )}
      {data && data.data.length > 0 && <ResultTable run={run} results={data.data} />}
      {pagination && pagination.pages > 1 && (
        <div className="flex min-h-9 items-center gap-2 border-t border-line px-3 text-sm text-muted">
          {plural(pagination.total, "order")}, page {formatCount(pagination.page)} of {formatCount(pagination.pages)}
          <span className="flex-1" />
          <PageButtons page={page} hasMore={page < pagination.pages} onPage={setPage} />
        </div>
      )}
    </Card>
  );
}

type Tab = { status: OperationRunResult["status"] | undefined; label: string; count: number };

function ResultTabs({ run: { summary, labels, order_count, undo_of }, filter, onStatus }: Props) {
  const tabs: Tab[] = [
    { status: undefined, label: "All", count: order_count },
    {
      status: "succeeded",
      label: undo_of ? "Undone" : labels.requested > 0 ? "Bought" : "Done",
      count: summary.succeeded,
    },
    { status: "failed", label: undo_of ? "Not undone" : "Failed", count: summary.failed },
    { status: "skipped", label: "Skipped", count: summary.skipped },
    { status: "cancelled", label: "Not processed", count: summary.cancelled },
  ];
  return tabs
    .filter(({ status, count }) => count > 0 || status === undefined || status === filter.status)
    .map(({ status, label, count }) => {
      const isOn = filter.status === status && (status !== undefined || filter.code === undefined);
      return (
        <button
          key={label}
          type="button"
          aria-pressed={isOn}
          onClick={() => onStatus(status)}
          className={cx("min-h-7 rounded-md px-2 hover:bg-skip-soft", isOn ? "bg-skip-soft font-medium" : "text-muted")}
        >
          {label} <span className="text-muted tabular-nums">{formatCount(count)}</span>
        </button>
      );
    });
}

function ResultTable({ run, results }: { run: OperationRun; results: readonly OperationRunResult[] }) {
  const titleOf = useActionTitles();
  const nameOf = useRecordNames();
  const isPurchase = run.actions.some(({ type }) => type === "buy_label");
  const columns = isPurchase
    ? labelColumns
    : run.actions.map((action, at) => ({ name: `${at + 1} ${titleOf(action["type"])}`, isNumber: false }));
  return (
    <Table label="Results">
      <thead>
        <tr>
          <Th className="sticky start-0 z-10 bg-panel">Order</Th>
          {columns.map(({ name, isNumber }) => (
            <Th key={name} isNumber={isNumber}>
              {name}
            </Th>
          ))}
          <Th className="sticky end-0 z-10 bg-panel">Result</Th>
        </tr>
      </thead>
      <tbody>
        {results.map((result) => {
          const state = run.undo_of ? undoStateOf(result) : stateOf(result, isPurchase);
          return (
            <tr key={result.position} className="hover:bg-skip-soft">
              <Td className="sticky start-0 z-10 bg-panel whitespace-nowrap">
                <RecordLink href={paths.order(result.order_number ?? result.ref)} className="font-mono text-sm">
                  {result.order_number ?? result.ref}
                </RecordLink>
              </Td>
              {isPurchase ? (
                <LabelCells result={result} />
              ) : (
                run.actions.map((_, at) => (
                  <Td key={at} className="max-w-56 truncate">
                    <ResultCell step={result.steps.find((step) => step.index === at)} nameOf={nameOf} />
                  </Td>
                ))
              )}
              <Td className="sticky end-0 z-10 bg-panel whitespace-nowrap">
                <Badge tone={state.tone}>{state.text}</Badge>
                {isPurchase && <LabelRowMenu result={result} />}
                {result.error && (isPurchase || !hasFailedStep(result)) && <Cause error={result.error} />}
              </Td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

/** The cell of the step shows the cause. */
const hasFailedStep = ({ steps }: OperationRunResult): boolean => steps.some(({ error }) => error !== undefined);

function Cause({ error }: { error: NonNullable<OperationRunResult["error"]> }) {
  const titleOf = useKnownTitles();
  return (
    <span className="ms-2 text-muted" title={plainMessage(error.message, titleOf)}>
      {reasonTitle(error.code)}
    </span>
  );
}

/** Only an undo can succeed with an error, for a step that could not be undone. */
function undoStateOf({ status, error }: OperationRunResult): State {
  if (status === "failed") return { tone: "warn", text: "Not undone" };
  if (status === "succeeded") return error ? { tone: "warn", text: "Partly undone" } : { tone: "ok", text: "Undone" };
  return { tone: "skip", text: resultWords[status] ?? status };
}

function stateOf(result: OperationRunResult, isPurchase: boolean): State {
  const { status, labels = [] } = result;
  if (isPurchase && status === "succeeded") {
    if (isWaiting(result)) return { tone: "info", text: "Buying" };
    if (labels.length > 0 && labels.every((label) => label.status === "voided"))
      return { tone: "skip", text: "Voided" };
    return labels.length > 0 ? { tone: "ok", text: "Bought" } : { tone: "skip", text: "No change" };
  }
  return { tone: resultTones[status] ?? "skip", text: resultWords[status] ?? status };
}
