export const executionStatuses = [
  "queued",
  "running",
  "succeeded",
  "failed",
  "cancelled",
  "timed_out",
  "expired",
] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

export const retryableStatuses: readonly ExecutionStatus[] = ["failed", "timed_out", "cancelled", "expired"];
export const triggers = ["api", "retry", "schedule", "manual_schedule", "backfill", "operation", "system"] as const;
export type Trigger = (typeof triggers)[number];

/** The orders were handed to fulfilment, or asked back: when it ends, they are told. */
export type FollowUp = "fulfillment_send" | "fulfillment_recall";
