import { words } from "../../ui/format.ts";
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

/** Names of the console, where they differ from those of the API. */
const shownNames: Record<string, string> = {
  bridge: "connection",
  condition_set: "value list",
  operation_run: "run",
  order_batch: "order import",
  pipeline: "preset",
  shipment_batch: "shipment import",
  task_execution: "task",
  transformation: "field mapping",
};

export const objectName = (type: string): string => shownNames[type] ?? words(type);
