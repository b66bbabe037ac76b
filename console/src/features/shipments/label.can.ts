import type { Label } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** Whether an action on a label is allowed: undefined, or the reason why not. */
export const labelCan = {
  print(label: Label, me: Me): string | undefined {
    if (label.status !== "purchased") return `The label is ${label.status}: there is nothing to print.`;
    if (label.isVoidPending) return "The label is being voided.";
    if (label.contentType === null)
      return label.failure?.message ?? "The file was removed at the end of its retention period.";
    return missingScope(me, "pii:read");
  },
  void(label: Label, me: Me): string | undefined {
    const refused = missingScope(me, "shipments:write");
    if (refused) return refused;
    if (label.isVoidPending) return "The void was requested; the carrier has not answered yet.";
    return label.status === "purchased" ? undefined : `The label is ${label.status}.`;
  },
  retry: (label: Label, me: Me): string | undefined =>
    missingScope(me, "shipments:write") ??
    (label.failure?.code === "outcome_unknown" ? undefined : "The carrier has already answered."),
};
