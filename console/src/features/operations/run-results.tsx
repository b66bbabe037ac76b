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
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { ResultFilter } from "./operations.queries.ts";
import { catalogQuery, resultsQuery, runGroupsQuery } from "./operations.queries.ts";
import { resultTones } from "./operations.text.ts";
import { hasEnded } from "./run.can.ts";
import { priceText } from "./step-prices.ts";

type GroupProps = {
  run: OperationRun;
  code: string | undefined;
  onCode(code: string): void;
  onRetry(code: string): void;
  retryReason: string | undefined;
};

/** What failed, by why; each can be tried again by itself. */
export function RunGroups({ run, code, onCode, onRetry, retryReason }: GroupProps) {
  const { data: groups } = useQuery({ ...runGroupsQuery(run.id), refetchInterval: hasEnded(run) ? false : 2_000 });
  const { data: catalog } = useQuery(catalogQuery);
  const titleOf = (type: string): string =>
    catalog?.find((action) => action.type === type)?.title.toLowerCase() ?? words(type);
  if (!groups || groups.length === 0) return null;
  return (
    <Card label="Why">
      <Table label="Failures by code">
        <thead>
          <tr>
            <Th>Why</Th>
            <Th>Step</Th>
            <Th isNumber>Orders</Th>
            <Th>What to do</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={`${group.step} ${group.code} ${group.status}`}>
              <Td className="w-1/2 min-w-56 py-1">
                <span className="flex min-h-6 items-center gap-2">
                  <Badge tone={resultTones[group.status] ?? "bad"}>{group.code}</Badge>
                  <span>{group.message}</span>
                </span>
              </Td>
              <Td className="whitespace-nowrap text-muted">
                {group.step === null ? "–" : `${group.step + 1} ${group.type ? titleOf(group.type) : ""}`}
              </Td>
              <Td isNumber>{formatCount(group.count)}</Td>
              <Td className="w-1/3 min-w-40 text-muted">{group.fix ?? "–"}</Td>
              <Td isNumber className="whitespace-nowrap">
                <Button kind="quiet" aria-pressed={code === group.code} onClick={() => onCode(group.code)}>
                  {code === group.code ? "show all" : "show"}
                </Button>
                <Button
                  disabledReason={retryReason ?? (!group.retryable && "A retry does not do these again.")}
                  onClick={() => onRetry(group.code)}
                >
                  retry these
                </Button>
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
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
    // What a carrier refused counts as failed from now on.
    return () => void queryClient.invalidateQueries({ queryKey: ["operations"] });
  }, [areWaiting]);
  const { data: catalog } = useQuery(catalogQuery);
  const titleOf = (type: unknown): string =>
    catalog?.find((action) => action.type === type)?.title.toLowerCase() ?? words(String(type));
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
      <Card label="Orders" className={isPlaceholderData ? "opacity-60" : ""}>
        <Table label="Results">
          <thead>
            <tr>
              <Th>Order</Th>
              {run.actions.map((action, at) => (
                <Th key={at}>
                  {at + 1} {titleOf(action["type"])}
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
                  <Link
                    href={paths.order(result.order_number ?? result.ref)}
                    className="inline-flex min-h-6 items-center font-mono text-sm tracking-tight hover:underline"
                  >
                    {result.order_number ?? result.ref}
                  </Link>
                </Td>
                {run.actions.map((_, at) => (
                  <Td key={at} className="max-w-48 truncate font-mono text-sm">
                    <StepCell step={result.steps.find((step) => step.index === at)} />
                  </Td>
                ))}
                <Td>
                  <Badge tone={resultTones[result.status] ?? "skip"}>
                    {result.status === "succeeded" ? "done" : words(result.status)}
                  </Badge>
                </Td>
                <Td className="max-w-96 truncate text-muted">
                  {result.error ? `${result.error.message} ${result.error.fix ?? ""}` : "–"}
                  {result.resume_from !== null && ` Resumes at step ${result.resume_from + 1}.`}
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
        {pagination.pages > 1 && (
          <>
            <Button
              kind="quiet"
              disabledReason={page === 1 && "This is the first page."}
              onClick={() => setPage(page - 1)}
            >
              Back
            </Button>
            <Button
              kind="quiet"
              disabledReason={page >= pagination.pages && "This is the last page."}
              onClick={() => setPage(page + 1)}
            >
              More
            </Button>
          </>
        )}
      </div>
    </>
  );
}

type Step = OperationRunResult["steps"][number];

/** A carrier was asked for a label, and answers after the run. */
const awaitsCarrier = ({ warning, label_ids }: Step): boolean => warning?.code === "pending" && label_ids !== undefined;
const isWaiting = ({ steps }: OperationRunResult): boolean => steps.some(awaitsCarrier);

function StepCell({ step }: { step: Step | undefined }) {
  if (!step || step.status === "skipped") return <span className="text-muted">–</span>;
  if (step.error) return <span className="text-bad">✕ {words(step.error.code)}</span>;
  if (step.status === "no_change") return <span className="text-muted">had it</span>;
  if (step.status === "rolled_back" || step.status === "not_undone")
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
