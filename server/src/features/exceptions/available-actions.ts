import type { Scope } from "../../core/scopes.ts";
import type { StoredException } from "./exception.ts";
import type { ExceptionKind, AvailableAction, ExceptionAction } from "./exceptions.schemas.ts";

type Suggested = Pick<StoredException, "kind" | "code" | "sealedRecord">;

/** Scope of an action besides `exceptions:write`: the one its own endpoint requires. */
const scopes: Record<ExceptionKind, Scope> = {
  rejected_record: "tasks:execute",
  import_conflict: "operations:run",
  recall: "tasks:execute",
  push: "tasks:execute",
  label: "shipments:write",
  pickup: "pickups:write",
  manifest: "shipments:write",
  execution: "tasks:execute",
  stock: "operations:run",
  invoice: "invoices:write",
};

const dismissal: AvailableAction = {
  action: "dismiss",
  title: "Close the exception without a change",
  scope: "exceptions:write",
};

/** The available actions; the first is the default. */
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
  // Letting the partner ship is a decision about the order.
  return kind === "recall" && action === "keep_local" ? "operations:run" : scopes[kind];
}

/** Actions for all exceptions of a kind and code. Those that take data of a single record are left out. */
export function actionsForGroup(kind: ExceptionKind, code: string): ExceptionAction[] {
  const actions = actionsByKind[kind]({ kind, code, sealedRecord: "" }).map(([action]) => action);
  const single: readonly ExceptionAction[] = ["edit_and_retry", "mark_purchased"];
  return [...actions.filter((action) => !single.includes(action)), "dismiss"];
}

type Own = [action: ExceptionAction, title: string];

const importAsReceived: Own = ["retry", "Import the record as received"];

const actionsByKind: Record<ExceptionKind, (row: Suggested) => Own[]> = {
  rejected_record: ({ sealedRecord }) => [
    ...(sealedRecord === null ? [] : [importAsReceived]),
    ["edit_and_retry", "Correct and import the record"],
  ],
  import_conflict: ({ code }) => [
    ["accept_source", acceptances[code] ?? "Update the order from its source"],
    ["keep_local", "Keep the order and release its hold"],
  ],
  recall: () => [
    ["retry", "Ask the partner again"],
    ["keep_local", "Let the partner ship the order"],
  ],
  push: () => [["retry", "Send again"]],
  label: ({ code }) => labelFixes(code),
  pickup: ({ code }) => pickupFixes(code),
  manifest: () => [["retry", "Request a manifest of the same labels again"]],
  execution: () => [["retry", "Run the task again"]],
  // A later allocation or import of locations resolves it.
  stock: () => [],
  // A claim at the carrier, or deleting the invoice, ends it.
  invoice: () => [],
};

const acceptances: Record<string, string> = {
  source_cancelled: "Cancel the order",
  source_deleted: "Cancel the order",
  source_refunded: "Cancel the order",
  source_on_hold: "Hold the order until its source releases it",
  source_address_changed: "Use the address of the source",
  source_quantity_changed: "Use the lines of the source",
};

/** The label was purchased: a user decides at the label whether to void or use it, or asks the carrier about the refund. */
const soldCodes: readonly string[] = [
  "content_missing",
  "content_too_large",
  "order_not_followed",
  "address_changed",
  "refund_rejected",
  "refund_undecided",
  "void_contradicted",
];

function labelFixes(code: string): Own[] {
  if (soldCodes.includes(code)) return [];
  if (code === "void_rejected") return [["retry", "Request the void again"]];
  if (code === "outcome_unknown") {
    return [
      ["retry", "Ask the carrier again with the same request key"],
      ["mark_purchased", "The carrier sold the label: record it with its tracking number"],
      ["mark_not_purchased", "The carrier did not sell the label: its items can get another one"],
    ];
  }
  return [["retry", "Request the label again"]];
}

function pickupFixes(code: string): Own[] {
  if (code === "outcome_unknown") return [["retry", "Ask the carrier again with the same request key"]];
  if (code === "cancel_rejected") return [["retry", "Request the cancellation again"]];
  return [];
}
