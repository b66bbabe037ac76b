import type { ErrorCode } from "./errors.ts";
import { HubError } from "./errors.ts";

/** The things an id can point at, with the 404 that an unknown one (or another organization's) answers. */
const resourceKinds = {
  organization: "organization_not_found",
  user: "user_not_found",
  api_key: "api_key_not_found",
  condition_set: "condition_set_not_found",
  order: "order_not_found",
  shipment: "shipment_not_found",
  label: "label_not_found",
  pickup: "pickup_not_found",
  location: "location_not_found",
  operation_run: "operation_run_not_found",
  pipeline: "pipeline_not_found",
  bridge: "bridge_not_found",
  execution: "execution_not_found",
  transformation: "transformation_not_found",
  schedule: "schedule_not_found",
  carrier_account: "carrier_account_not_found",
  rate_card: "rate_card_not_found",
  rate_comparison: "rate_comparison_not_found",
} as const satisfies Record<string, ErrorCode>;

export type ResourceKind = keyof typeof resourceKinds;

export function notFound(kind: ResourceKind): HubError {
  return new HubError(resourceKinds[kind]);
}

/** What was looked for, if it was found. */
export function orNotFound<T>(kind: ResourceKind, found: T | undefined): T {
  if (found === undefined) throw notFound(kind);
  return found;
}
