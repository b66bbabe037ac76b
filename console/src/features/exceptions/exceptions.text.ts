import { fieldName, sentence } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";
import type { ExceptionFilter, ExceptionGroup, ExceptionSummary } from "./exceptions.queries.ts";

const kindNames: Record<string, string> = {
  rejected_record: "Record rejected",
  import_conflict: "Changed at the source",
  recall: "Recall failed",
  push: "Not delivered",
  label: "Label",
  pickup: "Pickup",
  manifest: "Manifest",
  execution: "Task failed",
  stock: "Stock",
  invoice: "Carrier invoice",
};
export const kindName = (kind: string): string => kindNames[kind] ?? sentence(kind);
export const kindOptions = Object.entries(kindNames).map(([value, label]) => ({ value, label }));

export const statusTones: Record<string, Tone> = { open: "bad", resolved: "ok", dismissed: "skip" };

/** Button labels. */
const fixNames: Record<string, string> = {
  retry: "Retry",
  accept_source: "Use the source",
  keep_local: "Keep the order",
  edit_and_retry: "Edit and retry",
  mark_purchased: "Label was bought",
  mark_not_purchased: "Label was not bought",
  dismiss: "Dismiss",
};
export const fixName = (action: string): string => fixNames[action] ?? sentence(action);

const resolutions: Record<string, string> = {
  retry: "Retried",
  accept_source: "Source used",
  keep_local: "Order kept",
  edit_and_retry: "Corrected",
  mark_purchased: "Label recorded",
  mark_not_purchased: "Label not bought",
  dismiss: "Dismissed",
  auto_resolved: "Resolved automatically",
};

/** An action that an execution completed is not an automatic resolution. */
export function resolutionText({
  resolution,
  lastAction,
}: Pick<ExceptionSummary, "resolution" | "lastAction">): string {
  const how = resolution === "auto_resolved" && lastAction ? lastAction.action : resolution;
  return how === null ? "–" : (resolutions[how] ?? sentence(how));
}

/** The effect of each action, shown before it is applied in bulk. */
export const fixTexts: Record<string, string> = {
  retry: "Repeats only the part that failed. Data that has arrived is not sent again.",
  accept_source: "Updates the orders with the values of their source.",
  keep_local: "Keeps the orders unchanged. The same difference opens no new exception.",
  mark_not_purchased: "The items of these labels can get other labels.",
  dismiss: "Closes the exceptions without a change. A different problem with the same record opens a new one.",
};

export const text = {
  allWell: "No open exceptions. Every record was imported, and everything that was sent has arrived.",
  unknown:
    "It is unknown whether the request arrived. A retry first looks it up in the other system, if that system supports it.",
} as const;

/** Causes by error code, where the message of one exception would not hold for the whole group. */
const causes: Record<string, string> = {
  lookup_missed: "No entry in the mapping table",
  transformation_failed: "The field mapping failed",
  validation_failed: "Invalid value",
  invoice_total_differs: "The lines do not add up to the invoice",
  out_of_stock: "No location has the items of the order",
  unknown_location: "Stock of an unknown location was reported",
  outcome_unknown: "Outcome unknown",
  rejected: "Rejected by the other system",
  source_cancelled: "Cancelled at the source",
  source_deleted: "Deleted at the source",
  source_refunded: "Refunded at the source",
  source_on_hold: "On hold at the source",
  source_address_changed: "Address changed at the source",
  source_quantity_changed: "Quantities changed at the source",
  unauthorized: "Credentials rejected",
  unreachable: "The other system could not be reached",
  timeout: "No response in time",
  rate_limited: "The other system limits requests",
};

/** What the exceptions of a group have in common: "Invalid value: currency". */
export function groupTitle({ code, errorCode, field }: ExceptionGroup): string {
  const cause = causes[errorCode ?? ""] ?? causes[code] ?? sentence(code);
  return field ? `${cause}: ${fieldName(field.replaceAll("/*", ""))}` : cause;
}

export type Cause = Pick<ExceptionFilter, "kind" | "code" | "bridgeId" | "taskName" | "errorCode" | "field">;

/** Filter for the exceptions of a group. */
export function causeOf({ kind, code, bridgeId, taskName, errorCode, field }: ExceptionGroup): Cause {
  return {
    kind,
    code,
    ...(bridgeId ? { bridgeId } : {}),
    ...(taskName ? { taskName } : {}),
    ...(errorCode ? { errorCode } : {}),
    ...(field ? { field } : {}),
  };
}

/** The reason with a readable field name: "Currency: …" for "/currency: …". */
export function reasonText(reason: string): string {
  const [, field, rest] = /^(\/?[\w./[\]]+): (.+)$/s.exec(reason) ?? [];
  return field === undefined || rest === undefined ? reason : `${sentence(fieldName(field))}: ${rest}`;
}
