import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

const ended = new Set<string>(["succeeded", "partially_failed", "failed", "cancelled"]);
export const hasEnded = (run: Pick<OperationRun, "status">): boolean => ended.has(run.status);

/** All orders are processed: the run has ended, or only waits for carriers. */
const isProcessed = (run: OperationRun): boolean =>
  hasEnded(run) || run.summary.succeeded + run.summary.failed + run.summary.skipped === run.order_count;

/** Whether an action on a run is allowed: undefined, or the reason why not. The hub checks again. */
export const runCan = {
  cancel: (run: OperationRun, me: Me): string | undefined =>
    missingScope(me, "operations:run") ?? (isProcessed(run) ? "All orders are processed." : undefined),
  retry(run: OperationRun, me: Me): string | undefined {
    const refused = missingScope(me, "operations:run");
    if (refused) return refused;
    if (!isProcessed(run)) return "The run is still in progress.";
    if (run.undo_of) return "An undo cannot be retried. Undo the run again instead.";
    if (run.summary.failed + run.summary.skipped === 0 && run.status !== "cancelled") return "Nothing failed.";
    return undefined;
  },
  again: (run: OperationRun, me: Me): string | undefined =>
    missingScope(me, "operations:run") ?? (run.undo_of ? "An undo cannot be repeated." : undefined),
  savePreset: (run: OperationRun, me: Me): string | undefined =>
    missingScope(me, "operations:write") ?? (run.undo_of ? "An undo has no steps of its own." : undefined),
  undo(run: OperationRun, me: Me): string | undefined {
    const refused = missingScope(me, "operations:run");
    if (refused) return refused;
    if (!isProcessed(run)) return "The run is still in progress.";
    return run.summary.succeeded === 0 ? "The run has changed nothing." : undefined;
  },
};
