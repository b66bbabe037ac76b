import type { Execution, ExecutionSummary } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";
import { words } from "../../ui/format.ts";
import { hasEnded } from "./tasks.queries.ts";

/** Failed orders of a push that succeeded as a whole. */
function ordersLeft({ result }: Pick<Execution, "result">): number {
  const { summary } = (result ?? {}) as { summary?: Record<string, number> };
  return (summary?.["failed"] ?? 0) + (summary?.["outcomeUnknown"] ?? 0) + (summary?.["inProgress"] ?? 0);
}

/** Whether an action on an execution is allowed: undefined, or the reason why not. The hub checks again. */
export const taskCan = {
  cancel: (one: ExecutionSummary, me: Me): string | undefined =>
    missingScope(me, "tasks:execute") ?? (hasEnded(one) ? `The execution has ended: ${words(one.status)}.` : undefined),
  retry(one: Execution, me: Me): string | undefined {
    const refused = missingScope(me, "tasks:execute");
    if (refused) return refused;
    if (!hasEnded(one)) return "The execution is still running. Cancel it first.";
    return one.status === "succeeded" && ordersLeft(one) === 0 ? "The execution succeeded." : undefined;
  },
};
