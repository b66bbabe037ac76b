import type { RateComparison } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

const atWork = new Set<string>(["queued", "processing"]);
export const isAtWork = ({ status }: Pick<RateComparison, "status">): boolean => atWork.has(status);

/** Whether an action on a comparison is allowed: undefined, or the reason why not. */
export const comparisonCan = {
  process(comparison: RateComparison, me: Me): string | undefined {
    const refused = missingScope(me, "rates:write");
    if (refused) return refused;
    if (isAtWork(comparison)) return "The comparison is being priced";
    return comparison.itemCount === 0 ? "The comparison has no items" : undefined;
  },
  remove: (_comparison: RateComparison, me: Me): string | undefined => missingScope(me, "rates:write"),
};
