import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { paths } from "../../app/paths.ts";
import { queryClient } from "../../live/hub.ts";
import { formatCount, formatMs } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { ExecutionBadge } from "../tasks/execution-badge.pick.tsx";
import { executionQuery, hasEnded } from "../tasks/tasks.queries.ts";
import { resultText } from "./bridges.text.ts";

const pollMs = 700;

/** Follows an execution that was just started and shows its outcome. */
export function ExecutionLine({ id, bridgeId }: { id: string; bridgeId: string }) {
  const { data, error, refetch } = useQuery({
    ...executionQuery(id),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data) ? false : pollMs),
  });
  const isOver = data !== undefined && hasEnded(data);
  useEffect(() => {
    // The lists on the page are out of date now.
    if (isOver) void queryClient.invalidateQueries();
  }, [isOver]);
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const { progress } = data;
  return (
    <div aria-live="polite" className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <ExecutionBadge status={data.status} />
        {!isOver && progress && (
          <span className="text-muted tabular-nums">
            {formatCount(progress.processed)}
            {progress.total === null ? " so far" : ` of ${formatCount(progress.total)}`}
          </span>
        )}
        {isOver && <span>{resultText(data.result)}</span>}
        {data.durationMs !== null && <span className="text-muted">in {formatMs(data.durationMs)}</span>}
        <Link href={paths.task(id)} className="text-accent-text hover:underline">
          Details
        </Link>
        {isOver && data.taskName === "orders.import" && (
          <Link href={paths.orders({ bridgeId })} className="text-accent-text hover:underline">
            View orders
          </Link>
        )}
      </p>
      {data.error && (
        <p className="break-words whitespace-pre-wrap text-bad" title={data.error.code}>
          {data.error.message}
        </p>
      )}
    </div>
  );
}
