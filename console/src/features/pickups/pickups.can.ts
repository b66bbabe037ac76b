import type { Pickup } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** Whether an action on a pickup is allowed: undefined, or the reason why not. The hub checks again. */
export const pickupCan = {
  book: (me: Me): string | undefined => missingScope(me, "pickups:write"),
  move(pickup: Pickup, me: Me): string | undefined {
    const refused = missingScope(me, "pickups:write");
    if (refused) return refused;
    if (pickup.status !== "scheduled")
      return `The pickup is ${pickup.status}. Only a scheduled pickup can be rescheduled.`;
    if (pickup.hasPendingChange) return "A change was requested. The carrier has not answered yet.";
    return pickup.isCancellable ? undefined : "The carrier no longer accepts changes.";
  },
  cancel(pickup: Pickup, me: Me): string | undefined {
    const refused = missingScope(me, "pickups:write");
    if (refused) return refused;
    if (pickup.isCancellable) return undefined;
    return ["requested", "scheduled", "dispatched"].includes(pickup.status)
      ? "The carrier no longer accepts a cancellation."
      : `The pickup is ${pickup.status}.`;
  },
  retry: (pickup: Pickup, me: Me): string | undefined =>
    missingScope(me, "pickups:write") ??
    (pickup.failure?.code === "outcome_unknown" ? undefined : "The carrier has already answered."),
};
