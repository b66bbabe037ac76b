import { cutText } from "./cut-text.ts";

/**
 * Every failure a caller may see: code -> status and title, in the order of the statuses. docs/errors.md is generated from
 * it; anything that is not a HubError is a bug and answers 500.
 */
export const errorTable = {
  malformed_json: [400, "The body is not valid JSON"],
  malformed_request: [400, "The request is not well formed"],
  unknown_host: [421, "The hub is not called by this name"],
  validation_failed: [400, "The request is not valid"],
  no_failed_orders: [400, "The run has no failed orders to retry"],
  nothing_to_undo: [400, "The run changed nothing that is not undone already"],
  empty_selection: [400, "No order meets the filter, or all are left out"],
  too_many_orders: [400, "There are too many orders"],
  nothing_to_resend: [400, "There is nothing to send again"],
  empty_patch: [400, "The patch changes nothing"],
  missing_token: [401, "A bearer token is needed"],
  malformed_token: [401, "The token is not well formed"],
  invalid_token: [401, "The token is not valid"],
  expired_token: [401, "The token has expired"],
  environment_mismatch: [401, "The token belongs to the other environment"],
  invalid_signature: [401, "The signature is not right"],
  invalid_credentials: [401, "E-mail or password is wrong"],
  totp_required: [401, "A code of the authenticator app is needed"],
  invalid_totp_code: [401, "The code is wrong, or was used before"],
  organization_required: [401, "The account is one of several: say in which organization"],
  sign_in_not_begun: [401, "No sign-in through the identity provider is open in this browser"],
  issuer_refused: [401, "The identity provider does not say who you are"],
  unknown_account: [401, "Nobody here has this account of the identity provider"],
  refresh_token_reused: [401, "The refresh token was used before"],
  insufficient_scope: [403, "The token lacks a scope"],
  admin_required: [403, "Only administrators may do this"],
  step_up_required: [403, "A recent proof of password or code is needed"],
  totp_enrolment_required: [403, "The organization wants codes of an authenticator app"],
  cross_origin_request: [403, "The request comes from a page of another origin"],
  organization_mismatch: [403, "The token belongs to another organization"],
  route_not_found: [404, "There is no such route"],
  api_key_not_found: [404, "API key not found"],
  user_not_found: [404, "User not found"],
  session_not_found: [404, "Session not found"],
  organization_not_found: [404, "Organization not found"],
  operation_run_not_found: [404, "Run not found"],
  selection_not_found: [404, "Selection not found, or expired"],
  pipeline_not_found: [404, "Pipeline not found"],
  automation_not_found: [404, "Automation not found"],
  view_not_found: [404, "View not found"],
  import_preset_not_found: [404, "Import preset not found"],
  condition_set_not_found: [404, "Condition set not found"],
  order_not_found: [404, "Order not found"],
  shipment_not_found: [404, "Shipment not found"],
  tracking_event_not_found: [404, "Tracking event not found"],
  label_not_found: [404, "Label not found"],
  pickup_not_found: [404, "Pickup not found"],
  location_not_found: [404, "Location not found"],
  schedule_not_found: [404, "Schedule not found"],
  bridge_not_found: [404, "Bridge not found"],
  execution_not_found: [404, "Execution not found"],
  exception_not_found: [404, "Exception not found"],
  carrier_account_not_found: [404, "Carrier account not found"],
  transformation_not_found: [404, "Transformation not found"],
  webhook_not_found: [404, "Webhook not found"],
  webhook_delivery_not_found: [404, "Delivery not found"],
  rate_card_not_found: [404, "Rate card not found"],
  rate_comparison_not_found: [404, "Rate comparison not found"],
  zone_chart_not_found: [404, "Zone chart not found"],
  method_not_allowed: [405, "This method is not allowed here"],
  request_timeout: [408, "The request took too long to arrive"],
  name_taken: [409, "The name is taken"],
  hotkey_taken: [409, "The key is taken"],
  email_taken: [409, "The e-mail address is taken"],
  last_admin: [409, "An organization keeps at least one active administrator"],
  own_account: [409, "This would lock you out of your own account"],
  condition_set_in_use: [409, "The condition set is in use"],
  condition_set_not_empty: [409, "The condition set still has values"],
  order_number_taken: [409, "Another order has this number"],
  order_number_ambiguous: [409, "Several orders have this number"],
  credentials_needed: [409, "The credentials have to be sent again"],
  external_id_taken: [409, "The bridge has another order with this external id"],
  shipment_exists: [409, "The shipment is recorded already"],
  no_tracking_number: [409, "The shipment has no tracking number"],
  no_tracking_carrier: [409, "No active carrier account can track the shipment"],
  too_many_events: [409, "The shipment has too many events"],
  order_not_draft: [409, "Only drafts can be deleted"],
  invalid_state: [409, "This is not possible in the present state"],
  default_location_required: [409, "An organization with locations has exactly one default"],
  location_in_use: [409, "The location is in use"],
  run_not_finished: [409, "A run is still at work"],
  pipeline_in_use: [409, "The pipeline is in use"],
  too_many_automations: [409, "The organization has as many automations as it may"],
  orders_drifted: [409, "Orders were changed since the preflight"],
  run_finished: [409, "The run has ended already"],
  undo_not_retryable: [409, "An undo is not retried; undo the original run again"],
  bridge_in_use: [409, "The bridge is in use"],
  bridge_inactive: [409, "The bridge is not active"],
  outbound_paused: [409, "The hub calls no other system until outbound work is resumed"],
  preview_calls_nobody: [409, "The preview makes no calls to the outside"],
  execution_not_cancellable: [409, "The execution has ended already"],
  execution_not_failed: [409, "Only an execution that failed, or of which orders did not arrive, can be retried"],
  retry_in_progress: [409, "A retry of this execution is under way"],
  exception_closed: [409, "The exception is closed already"],
  active_transformation_exists: [409, "Another transformation is active for this bridge, task and direction"],
  already_processing: [409, "The comparison is being processed"],
  carrier_account_inactive: [409, "The carrier account is not active"],
  pickup_exists: [409, "There is a pickup at this address on this day already"],
  pickup_not_cancellable: [409, "The pickup cannot be cancelled any more"],
  cancel_deadline_passed: [409, "The carrier takes no changes any more"],
  label_rejected: [409, "The carrier sells no such label"],
  label_exists: [409, "All that is left of the order has a label"],
  label_not_voidable: [409, "The label cannot be voided any more"],
  no_rate_card: [409, "No rate card is in effect"],
  idempotency_in_progress: [409, "A request with this Idempotency-Key is still running"],
  conflict: [409, "The request conflicts with another change"],
  credentials_unreadable: [409, "The credentials cannot be opened"],
  cursor_forked: [409, "The event log does not go on behind this cursor"],
  cursor_too_old: [410, "The event feed no longer has what follows this cursor"],
  version_mismatch: [412, "The record was changed by somebody else"],
  body_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The body must be application/json"],
  expectation_failed: [417, "The Expect header asks for what the hub does not do"],
  idempotency_key_reused: [422, "The Idempotency-Key was used with another request"],
  rate_limited: [429, "Too many requests"],
  too_many_streams: [429, "Too many streams are open"],
  headers_too_large: [431, "The headers are too large"],
  internal_error: [500, "Something went wrong on our side"],
  not_implemented: [501, "The hub does not know this part of HTTP"],
  bridge_failed: [502, "The bridge did not answer as it should"],
  carrier_failed: [502, "The carrier did not do it"],
  overloaded: [503, "The hub is busy"],
  database_unavailable: [503, "The database does not answer"],
  storage_full: [503, "The storage is full"],
  issuer_unavailable: [503, "The identity provider does not answer"],
  not_ready: [503, "The hub is not ready"],
  bridge_timed_out: [504, "The bridge did not answer in time"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof errorTable;

const passingStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the very same request may succeed later. */
export function isRetryable(code: ErrorCode): boolean {
  return passingStatuses.has(errorTable[code][0]) || code === "idempotency_in_progress";
}

/** A row of `errors` in a problem: where, which rule, what is allowed. */
export type FieldError = {
  pointer: string;
  code: string;
  message: string;
  suggestion?: string;
  allowed?: readonly unknown[];
};

type ErrorDetails = {
  errors?: FieldError[];
  /** Further members of the problem body, such as `usedBy`. */
  extra?: Record<string, unknown>;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
};

export class HubError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}) {
    super(message ?? errorTable[code][1]);
    this.name = "HubError";
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorTable[this.code][0];
  }
}

/** One wrong field; use `validationFailed` for several at once. */
export function badField(pointer: string, code: string, message: string, more: Partial<FieldError> = {}): HubError {
  return validationFailed([{ pointer, code, message, ...more }]);
}

/** The same errors in what lies at `pointer`. */
export function errorsAt(pointer: string, errors: readonly FieldError[]): FieldError[] {
  return errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }));
}

const longestPointer = 500;

/** Keys of a request can be as long as the request: an answer does not repeat them whole. */
export function clipPointer(pointer: string): string {
  return pointer.length > longestPointer ? `${cutText(pointer, longestPointer)}…` : pointer;
}

export function validationFailed(given: FieldError[]): HubError {
  const errors = given.map((error) =>
    error.pointer.length > longestPointer ? { ...error, pointer: clipPointer(error.pointer) } : error,
  );
  const [first] = errors;
  const detail = errors.length === 1 && first ? first.message : `${errors.length} problems were found.`;
  return new HubError("validation_failed", detail, { errors });
}
