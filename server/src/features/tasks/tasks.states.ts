import { badField } from "../../core/errors.ts";
import { alternatives } from "../../core/nearest.ts";

export const executionStatuses = [
  "queued",
  "running",
  "succeeded",
  "completed_with_errors",
  "failed",
  "cancelled",
  "timed_out",
  "expired",
] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** `completed_with_errors` is retryable too: only the failed part is retried. */
export const retryableStatuses: readonly ExecutionStatus[] = [
  "failed",
  "timed_out",
  "cancelled",
  "expired",
  "completed_with_errors",
];
export const triggers = ["api", "retry", "schedule", "manual", "backfill", "operation", "system", "webhook"] as const;
export type Trigger = (typeof triggers)[number];

/** The execution sends orders to fulfillment or recalls them; when it ends, the orders are updated. */
export type FollowUp = "fulfillment_send" | "fulfillment_recall";

/** Parses statuses separated by commas. An empty list means no condition. */
export function readStatuses(pointer: string, text: string | undefined): ExecutionStatus[] {
  const names = (text ?? "").split(",").filter((name) => name !== "");
  const wrong = names.find((name) => !(executionStatuses as readonly string[]).includes(name));
  if (wrong === undefined) return names as ExecutionStatus[];
  const more = alternatives(wrong, executionStatuses);
  throw badField(pointer, "enum", `There is no status ${wrong}.`, more);
}
