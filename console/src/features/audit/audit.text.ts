import type { AuditFilter } from "./audit.queries.ts";

/** Object types of audit entries. */
export const objectTypes = [
  "api_key",
  "automation",
  "bridge",
  "carrier_account",
  "condition_set",
  "label",
  "location",
  "operation_run",
  "order",
  "order_batch",
  "organization",
  "pickup",
  "pipeline",
  "rate_comparison",
  "schedule",
  "shipment",
  "shipment_batch",
  "task_execution",
  "transformation",
  "user",
  "view",
  "webhook",
] as const satisfies ReadonlyArray<AuditFilter["objectType"]>;
