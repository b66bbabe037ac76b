import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ResultFilter, RunGroup } from "./operations.queries.ts";
import { runGroupsQuery, useKnownTitles } from "./operations.queries.ts";
import { ReasonTable } from "./reason-table.tsx";
import { failedLabels, fixOf } from "./reasons.ts";
import { hasEnded } from "./run.can.ts";
import { useBulkEdit } from "./use-bulk-edit.ts";

type Props = {
  run: OperationRun;
  /** The group whose orders are listed. */
  shown: ResultFilter;
  onShow(group: Cause | undefined): void;
  /** Retries one group, or all. */
  onRetry(group: Cause | undefined): void;
  isRetrying: boolean;
  retryReason: string | undefined;
};

type Cause = Pick<RunGroup, "code" | "step">;

/** Failures by cause, each with the one button that fixes it. */
export function RunFailures({ run, shown, onShow, onRetry, isRetrying, retryReason }: Props) {
  const { data } = useQuery({
    ...runGroupsQuery(run.id),
    refetchInterval: hasEnded(run) ? false : 2_000,
  });
  const groups = data?.data ?? [];
  const titleOf = useKnownTitles();
  const open = useBulkEdit();
  const fix = useMutation({
    mutationFn: ({ code: failed, step }: RunGroup) => {
      const known = fixOf(failed);
      const first = known && "step" in known ? known.step : undefined;
      // The fix comes before the step that failed and those after it: earlier steps are applied already.
      const start = { ...(first ? { step: first } : {}), run: run.id, at: String(step ?? 0) };
      return open({ run: { id: run.id, code: failed, step } }, start);
    },
  });
  if (groups.length === 0) return null;
  const isUndo = run.undo_of !== null;
  const count = groups.reduce((sum, group) => sum + (group.status === "succeeded" ? 0 : group.count), 0);
  const labels = isPurchase(run) && data ? failedLabels(count, data.labels) : undefined;
  const title = isUndo
    ? `${plural(
        groups.reduce((most, group) => Math.max(most, group.count), 0),
        "order",
      )} could not be undone completely`
    : (labels?.title ?? `${plural(count, "order")} did not complete`);
  return (
    <Card label="Failures">
      <div className="flex min-h-10 flex-wrap items-center gap-2.5 border-b border-line px-3.5 py-1.5">
        <span className={isUndo ? "text-warn" : "text-bad"}>
          <Icon name="alert" size={16} />
        </span>
        <h2 className="font-semibold">{title}</h2>
        <span className="text-sm text-muted">{labels?.charged}</span>
        <span className="flex-1" />
        {!isUndo && (
          <Button isBusy={isRetrying} disabledReason={retryReason} onClick={() => onRetry(undefined)}>
            <Icon name="redo" /> Retry failed
          </Button>
        )}
      </div>
      <ReasonTable
        label={isUndo ? "What could not be undone" : "Failures by cause"}
        groups={groups}
        hasExamples
        titleOf={titleOf}
        renderButtons={(group) => (
          <>
            <ShowButton group={group} shown={shown} onShow={onShow} />
            <FixButton
              group={group}
              isBusy={fix.isPending || isRetrying}
              retryReason={retryReason}
              onRetry={() => onRetry(group)}
              onFix={() => fix.mutate(group)}
            />
          </>
        )}
      />
      {fix.error && <ProblemBox error={fix.error} />}
    </Card>
  );
}

const isPurchase = ({ actions }: OperationRun): boolean => actions.some(({ type }) => type === "buy_label");

function ShowButton({ group, shown, onShow }: { group: RunGroup } & Pick<Props, "shown" | "onShow">) {
  // An undo lists an order at each step that could not be undone; its orders are those with the code.
  const cause = { code: group.code, step: group.status === "succeeded" ? null : group.step };
  const isShown = shown.code === cause.code && (shown.step ?? null) === cause.step;
  return (
    <Button kind="quiet" aria-pressed={isShown} onClick={() => onShow(isShown ? undefined : cause)}>
      {isShown ? "Show all" : "Show"}
    </Button>
  );
}

type FixProps = {
  group: RunGroup;
  isBusy: boolean;
  retryReason: string | undefined;
  onRetry(): void;
  onFix(): void;
};

function FixButton({ group, isBusy, retryReason, onRetry, onFix }: FixProps) {
  const fix = fixOf(group.code);
  if (group.status === "succeeded" || !group.retryable) return null;
  if (fix && "page" in fix) {
    return (
      <Link href={paths[fix.page]()} className={buttonClass("plain")}>
        {fix.label}
      </Link>
    );
  }
  const isStep = fix !== undefined && "step" in fix;
  return (
    <Button isBusy={isBusy} disabledReason={retryReason} onClick={isStep ? onFix : onRetry}>
      {isStep ? fix.label : "Retry"}
    </Button>
  );
}
