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
    missingScope(me, "operations:run") ?? (isProcessed(run) ? "All its orders are processed." : undefined),
  retry(run: OperationRun, me: Me): string | undefined {
    const refused = missingScope(me, "operations:run");
    if (refused) return refused;
    if (!isProcessed(run)) return "It is still running.";
    if (run.undo_of) return "An undo is not retried: undo again instead.";
    if (run.summary.failed + run.summary.skipped === 0 && run.status !== "cancelled") return "Nothing failed.";
    return undefined;
  },
  print: (run: OperationRun, me: Me): string | undefined =>
    missingScope(me, "shipments:write") ??
    missingScope(me, "pii:read") ??
    (hasEnded(run) ? undefined : "The run is still buying labels."),
  undo(run: OperationRun, me: Me): string | undefined {
    const refused = missingScope(me, "operations:run");
    if (refused) return refused;
    if (!isProcessed(run)) return "It is still running.";
    return run.summary.succeeded === 0 ? "It has changed nothing." : undefined;
  },
};
