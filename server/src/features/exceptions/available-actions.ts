import type { Scope } from "../../core/scopes.ts";
import type { StoredException } from "./exception.ts";
import type { ExceptionKind, AvailableAction, ExceptionAction } from "./exceptions.schemas.ts";

type Suggested = Pick<StoredException, "kind" | "code" | "sealedRecord">;

/** What a fix takes besides `exceptions:write`: what the same takes elsewhere. */
const scopes: Record<ExceptionKind, Scope> = {
  rejected_record: "tasks:execute",
  import_conflict: "operations:run",
  recall: "tasks:execute",
  push: "tasks:execute",
  label: "shipments:write",
  pickup: "pickups:write",
  execution: "tasks:execute",
};

const dismissal: AvailableAction = {
  action: "dismiss",
  title: "Leave it as it is, out of sight",
  scope: "exceptions:write",
};

/** What can be done about it as it is now; the first is what most people want. */
export function actionsFor(row: Suggested & Pick<StoredException, "status">): AvailableAction[] {
  if (row.status !== "open") return [];
  const own = actionsByKind[row.kind](row).map(([action, title]): AvailableAction => ({
    action,
    title,
    scope: scopeOf(row.kind, action),
  }));
  return [...own, dismissal];
}

export function scopeOf(kind: ExceptionKind, action: ExceptionAction): Scope {
  if (action === "dismiss") return "exceptions:write";
  // To let a partner ship is a decision about the order.
  return kind === "recall" && action === "keep_local" ? "operations:run" : scopes[kind];
}

/** What can be done about all of a kind and code at once; of one of them a record may be missing. */
export function actionsForGroup(kind: ExceptionKind, code: string): ExceptionAction[] {
  const actions = actionsByKind[kind]({ kind, code, sealedRecord: "" }).map(([action]) => action);
  return [...actions.filter((action) => action !== "edit_and_retry"), "dismiss"];
}

type Own = [action: ExceptionAction, title: string];

const takeAsItCame: Own = ["retry", "Take the record as it came"];

const actionsByKind: Record<ExceptionKind, (row: Suggested) => Own[]> = {
  rejected_record: ({ sealedRecord }) => [
    ...(sealedRecord === null ? [] : [takeAsItCame]),
    ["edit_and_retry", "Correct the record and take it"],
  ],
  import_conflict: ({ code }) => [
    ["accept_source", acceptances[code] ?? "Make the order what its source says"],
    ["keep_local", "Keep the order as it is, and release its hold"],
  ],
  recall: () => [
    ["retry", "Ask the partner once more"],
    ["keep_local", "Let the partner ship it"],
  ],
  push: () => [["retry", "Send only this once more"]],
  label: ({ code }) => labelFixes(code),
  pickup: ({ code }) => pickupFixes(code),
  execution: () => [["retry", "Run the task once more"]],
};

const acceptances: Record<string, string> = {
  source_cancelled: "Cancel the order",
  source_deleted: "Cancel the order",
  source_refunded: "Cancel the order",
  source_on_hold: "Hold the order, until its source releases it",
  source_address_changed: "Take the address of the source",
  source_quantity_changed: "Take the lines of the source",
};

/** It was sold: whether it is given back or used somehow is for people to say, at the label. */
const soldCodes: readonly string[] = ["content_missing", "content_too_large", "order_not_followed", "address_changed"];

function labelFixes(code: string): Own[] {
  if (soldCodes.includes(code)) return [];
  if (code === "void_rejected") return [["retry", "Ask the carrier once more to take it back"]];
  return [["retry", "Ask the carrier for the label once more"]];
}

function pickupFixes(code: string): Own[] {
  if (code === "outcome_unknown") return [["retry", "Ask the carrier once more, under the same key"]];
  if (code === "cancel_rejected") return [["retry", "Ask the carrier once more to cancel it"]];
  return [];
}
