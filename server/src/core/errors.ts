import { cutText } from "./cut-text.ts";

/**
 * All error codes of the API with their status and title, ordered by status. docs/errors.md is generated from this table.
 * An exception that is not a HubError is a defect and returns 500.
 */
export const errorTable = {
  malformed_json: [400, "The request body is not valid JSON"],
  malformed_request: [400, "The HTTP request is malformed"],
  validation_failed: [400, "The request has invalid fields"],
  no_failed_orders: [400, "The run has no failed orders to retry"],
  nothing_to_undo: [400, "The run has no changes left to undo"],
  empty_selection: [400, "No orders match the filter"],
  too_many_orders: [400, "Too many orders in one request"],
  nothing_to_resend: [400, "No deliveries to resend"],
  nothing_to_print: [400, "There is nothing to print"],
  too_many_labels: [400, "Too many labels for one file"],
  too_many_documents: [400, "Too many orders or shipments for one file"],
  empty_patch: [400, "The patch has no changes"],
  missing_token: [401, "A bearer token is required"],
  malformed_token: [401, "The token is malformed"],
  invalid_token: [401, "The token is invalid"],
  expired_token: [401, "The token has expired"],
  environment_mismatch: [401, "The token belongs to the other environment (live or preview)"],
  invalid_signature: [401, "The webhook signature is invalid"],
  invalid_credentials: [401, "Incorrect email or password"],
  totp_required: [401, "An authenticator code is required"],
  invalid_totp_code: [401, "The authenticator code is incorrect or already used"],
  organization_required: [401, "This account belongs to several organizations; choose one"],
  sign_in_not_started: [401, "No identity provider sign-in is in progress in this browser"],
  identity_provider_rejected: [401, "The identity provider rejected the sign-in"],
  account_not_linked: [401, "No user is linked to this identity provider account"],
  refresh_token_reused: [401, "The refresh token was already used"],
  insufficient_scope: [403, "The token is missing a required scope"],
  admin_required: [403, "Administrator access is required"],
  step_up_required: [403, "Confirm your password or code to continue"],
  totp_enrollment_required: [403, "Your organization requires an authenticator app"],
  agent_key_restricted: [403, "Agent keys cannot make this change"],
  cross_origin_request: [403, "Requests from this origin are not allowed"],
  organization_mismatch: [403, "The token belongs to another organization"],
  route_not_found: [404, "Route not found"],
  invalid_link: [404, "The link is invalid"],
  invitation_not_found: [404, "Invitation not found"],
  comment_not_found: [404, "Comment not found"],
  api_key_not_found: [404, "API key not found"],
  user_not_found: [404, "User not found"],
  session_not_found: [404, "Session not found"],
  organization_not_found: [404, "Organization not found"],
  operation_run_not_found: [404, "Run not found"],
  selection_not_found: [404, "Selection not found or expired"],
  pipeline_not_found: [404, "Pipeline not found"],
  automation_not_found: [404, "Automation not found"],
  view_not_found: [404, "View not found"],
  import_preset_not_found: [404, "Import preset not found"],
  condition_set_not_found: [404, "Condition set not found"],
  order_not_found: [404, "Order not found"],
  shipment_not_found: [404, "Shipment not found"],
  tracking_event_not_found: [404, "Tracking event not found"],
  label_not_found: [404, "Label not found"],
  manifest_not_found: [404, "Manifest not found"],
  pickup_not_found: [404, "Pickup not found"],
  packing_session_not_found: [404, "Packing session not found"],
  location_not_found: [404, "Location not found"],
  schedule_not_found: [404, "Schedule not found"],
  bridge_not_found: [404, "Bridge not found"],
  definition_not_found: [404, "Definition not found"],
  execution_not_found: [404, "Execution not found"],
  exception_not_found: [404, "Exception not found"],
  carrier_account_not_found: [404, "Carrier account not found"],
  transformation_not_found: [404, "Transformation not found"],
  webhook_not_found: [404, "Webhook not found"],
  webhook_delivery_not_found: [404, "Webhook delivery not found"],
  rate_card_not_found: [404, "Rate card not found"],
  invoice_not_found: [404, "Invoice not found"],
  finding_not_found: [404, "Finding not found"],
  parcel_not_found: [404, "The invoice has no parcel with this tracking number"],
  rate_comparison_not_found: [404, "Rate comparison not found"],
  rate_scenario_not_found: [404, "Scenario not found"],
  zone_chart_not_found: [404, "Zone chart not found"],
  method_not_allowed: [405, "Method not allowed"],
  request_timeout: [408, "The request was not received in time"],
  name_taken: [409, "This name is already in use"],
  hotkey_taken: [409, "This hotkey is already in use"],
  email_taken: [409, "This email address is already in use"],
  invitation_exists: [409, "This email address has an open invitation"],
  mail_not_configured: [409, "This hub sends no e-mail"],
  last_admin: [409, "An organization needs at least one active administrator"],
  self_lockout: [409, "This would lock you out of your own account"],
  condition_set_in_use: [409, "The condition set is in use"],
  condition_set_not_empty: [409, "The condition set is not empty"],
  order_number_taken: [409, "This order number is already in use"],
  order_number_ambiguous: [409, "Several orders have this number; use the order ID"],
  credentials_required: [409, "Enter the credentials again"],
  external_id_taken: [409, "This bridge already has an order with this external ID"],
  shipment_exists: [409, "This shipment already exists"],
  no_tracking_number: [409, "The shipment has no tracking number"],
  no_tracking_carrier: [409, "No active carrier account can track the shipment"],
  too_many_events: [409, "The shipment has reached its tracking event limit"],
  order_not_draft: [409, "Only draft orders can be deleted"],
  invalid_state: [409, "Not allowed in the current state"],
  default_location_required: [409, "Exactly one location must be the default"],
  location_in_use: [409, "The location is in use"],
  run_not_finished: [409, "The run has not finished"],
  pipeline_in_use: [409, "The pipeline is in use"],
  too_many_automations: [409, "Automation limit reached"],
  orders_drifted: [409, "Orders have changed since the preflight"],
  run_finished: [409, "The run has already finished"],
  undo_not_retryable: [409, "An undo cannot be retried; undo the original run again"],
  bridge_in_use: [409, "The bridge is in use"],
  bridge_inactive: [409, "The bridge is inactive"],
  outbound_paused: [409, "Outbound requests are paused"],
  outbound_disabled_in_preview: [409, "Outbound requests are disabled in preview"],
  execution_not_cancellable: [409, "The execution has already finished"],
  execution_not_failed: [409, "Only failed or partially failed executions can be retried"],
  retry_in_progress: [409, "A retry is already in progress"],
  exception_closed: [409, "The exception is already closed"],
  active_transformation_exists: [409, "Another transformation is active for this bridge, task and direction"],
  already_processing: [409, "The rate comparison is already being processed"],
  carrier_account_inactive: [409, "The carrier account is inactive"],
  pickup_exists: [409, "A pickup is already scheduled for this address and day"],
  pickup_not_cancellable: [409, "The pickup can no longer be cancelled"],
  cancel_deadline_passed: [409, "The carrier's deadline for changes has passed"],
  label_rejected: [409, "The carrier rejected the label request"],
  label_exists: [409, "All remaining items of the order already have labels"],
  labels_not_printable: [409, "Some labels cannot be printed"],
  labels_already_printed: [409, "Some labels were printed before"],
  documents_not_printable: [409, "Some orders or shipments cannot be printed"],
  label_not_voidable: [409, "The label can no longer be voided"],
  packing_in_progress: [409, "Another packer has this order"],
  packing_incomplete: [409, "Some items of the order are not packed"],
  wrong_item: [409, "The scanned item is not in the order"],
  too_many_items: [409, "All units of the scanned item are packed"],
  item_not_needed: [409, "The scanned item is not part of the package"],
  invoice_differs: [409, "The invoice was imported before with other content"],
  no_rate_card: [409, "No rate card is in effect"],
  idempotency_key_in_use: [409, "A request with this Idempotency-Key is in progress"],
  conflict: [409, "The request conflicts with a concurrent change"],
  credentials_unreadable: [409, "The stored credentials cannot be decrypted"],
  cursor_mismatch: [409, "The cursor does not belong to this event log"],
  link_used: [410, "The link was already used"],
  link_expired: [410, "The link has expired"],
  link_revoked: [410, "The link was revoked"],
  cursor_expired: [410, "The cursor is older than the event feed"],
  version_mismatch: [412, "The record was changed since you read it"],
  body_too_large: [413, "The request body is too large"],
  unsupported_media_type: [415, "The request body must be application/json"],
  expectation_failed: [417, "The Expect header is not supported"],
  unknown_host: [421, "The hub does not serve this host name"],
  idempotency_key_reused: [422, "This Idempotency-Key was used with a different request"],
  rate_limited: [429, "Too many requests"],
  too_many_streams: [429, "Too many open streams"],
  headers_too_large: [431, "The request headers are too large"],
  internal_error: [500, "Something went wrong on our side"],
  not_implemented: [501, "This HTTP feature is not supported"],
  bridge_failed: [502, "The bridge returned an error or an invalid response"],
  carrier_failed: [502, "The carrier returned an error"],
  overloaded: [503, "The hub is overloaded; try again later"],
  database_unavailable: [503, "The database is unavailable"],
  storage_full: [503, "The storage is full"],
  identity_provider_unavailable: [503, "The identity provider is unavailable"],
  not_ready: [503, "The hub is not ready"],
  bridge_timed_out: [504, "The bridge did not respond in time"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof errorTable;

const transientStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the same request may succeed later without a change. */
export function isRetryable(code: ErrorCode): boolean {
  return transientStatuses.has(errorTable[code][0]) || code === "idempotency_key_in_use";
}

/** An entry of `errors` in a problem: the field, the rule it violates and what is allowed. */
export type FieldError = {
  pointer: string;
  code: string;
  message: string;
  suggestion?: string;
  allowed?: readonly unknown[];
  /** Of an imported file. */
  row?: number;
  column?: string | null;
};

type ErrorDetails = {
  errors?: FieldError[];
  /** Additional members of the problem body, such as `usedBy`. */
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

/** A validation error for one field; use `validationFailed` for several. */
export function badField(pointer: string, code: string, message: string, more: Partial<FieldError> = {}): HubError {
  return validationFailed([{ pointer, code, message, ...more }]);
}

/** Prefixes the pointers of errors found in a nested value. */
export function errorsAt(pointer: string, errors: readonly FieldError[]): FieldError[] {
  return errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }));
}

const maxPointerLength = 500;

/** Keys in a request can be as long as the request itself, so pointers are truncated. */
export function clipPointer(pointer: string): string {
  return pointer.length > maxPointerLength ? `${cutText(pointer, maxPointerLength)}…` : pointer;
}

export function validationFailed(given: FieldError[]): HubError {
  const errors = given.map((error) =>
    error.pointer.length > maxPointerLength ? { ...error, pointer: clipPointer(error.pointer) } : error,
  );
  const [first] = errors;
  const detail = errors.length === 1 && first ? first.message : `${errors.length} problems were found.`;
  return new HubError("validation_failed", detail, { errors });
}
