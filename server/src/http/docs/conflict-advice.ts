import type { ErrorCode } from "../../core/errors.ts";
import type { Advice } from "./advice.ts";
import { reason } from "./advice.ts";

/** Codes of status 409: the request is well formed, and does not fit the present state. */
export const conflictAdvice: Partial<Record<ErrorCode, Advice>> = {
  name_taken: reason(
    "Names of this kind are unique in the organization.",
    "Choose another name, or change the record that has it.",
  ),
  hotkey_taken: reason("Another pipeline has this hotkey.", "Choose another, or remove it there."),
  email_taken: reason(
    "A user of the organization has this email address.",
    "Change that user instead of creating one.",
  ),
  invitation_exists: reason(
    "The address was invited and has not answered yet.",
    "Send the open invitation again, or revoke it first.",
  ),
  mail_not_configured: reason(
    "`HUB_SMTP_URL` is not set, so that the hub cannot send e-mail.",
    "Set it (see [Running the hub](/docs/operate)), or hand over the link yourself.",
  ),
  last_admin: reason(
    "The change would leave the organization without an active administrator.",
    "Make another user an administrator first.",
  ),
  self_lockout: reason("The change would remove your own access.", "Ask another administrator to make it."),
  condition_set_in_use: reason(
    "Rate cards, pipelines or automations refer to the set.",
    "`usedBy` lists them. Change these first.",
  ),
  condition_set_not_empty: reason(
    "`matching` can only be changed while the set has no values.",
    "Remove the values first, or create another set.",
  ),
  order_number_taken: reason(
    "An order of this source has this number.",
    "Change the existing order, or choose another number.",
  ),
  order_number_ambiguous: reason(
    "Orders of several bridges have this number.",
    "Use the ID of the order. `GET /orders?search=` lists those with the number.",
  ),
  credentials_required: reason(
    "The address was changed to another server, and stored credentials are not sent to a server that they were not entered for.",
    "Send the credentials with the change.",
  ),
  external_id_taken: reason(
    "The bridge has imported an order with this ID already.",
    "Update that order. Imports do so by themselves.",
  ),
  shipment_exists: reason(
    "There is a shipment with this carrier and tracking number.",
    "Read or update the existing one.",
  ),
  no_tracking_number: reason(
    "The carrier cannot be asked about a shipment without a tracking number.",
    "Set the number, with `correct_tracking` for shipments of an order.",
  ),
  no_tracking_carrier: reason(
    "No active carrier account supports tracking for this carrier.",
    "Add an account of the carrier, or report tracking events by API.",
  ),
  too_many_events: reason("The shipment has as many tracking events as are stored.", "Delete events that are wrong."),
  order_not_draft: reason(
    "Only drafts can be deleted; other orders are part of the history.",
    "Use the actions `cancel` or `archive`.",
  ),
  invalid_state: reason(
    "The record is in a state that does not allow the change.",
    "`detail` has the state and the allowed ones; [States](/docs/states) shows all changes.",
  ),
  default_location_required: reason(
    "Exactly one location is the default.",
    "Make another location the default instead of unsetting this one.",
  ),
  location_in_use: reason("Orders refer to the location.", "Deactivate it instead of deleting it."),
  run_not_finished: reason(
    "The run is still queued or running.",
    "Wait for its end with `GET /operations/runs/{id}/watch`.",
  ),
  pipeline_in_use: reason(
    "Automations use the pipeline.",
    "`GET /automations?pipeline_id=` lists them. Give them another pipeline first.",
  ),
  too_many_automations: reason(
    "The organization has as many automations as allowed.",
    "Delete those that are no longer needed.",
  ),
  orders_drifted: reason(
    "With `on_drift: reject`, orders were changed between the preflight and the run, so that the result may differ.",
    "Preflight again, or run with `on_drift` `skip` or `run`. `drifted_orders` has the first of them.",
  ),
  run_finished: reason("The run has ended and cannot be cancelled.", "Undo it instead."),
  undo_not_retryable: reason("The run is an undo.", "Undo the original run once more: what was undone is left alone."),
  bridge_in_use: reason(
    "Records refer to the bridge.",
    "`usedBy` lists them, `detail` what would happen to them. Deactivate the bridge instead of deleting it.",
  ),
  bridge_inactive: reason("The bridge was deactivated.", "Activate it with `PATCH /bridges/{id}`."),
  outbound_paused: reason(
    "The hub was restored from a backup and calls no other system until it is resumed.",
    "An operator of the hub runs `hub resume-outbound` once it is certain that the original is stopped.",
  ),
  outbound_disabled_in_preview: reason(
    "The preview calls no other systems.",
    "Use demo bridges and `echo:200`, or start the hub with `HUB_PREVIEW_OUTBOUND=allow`.",
  ),
  execution_not_cancellable: reason("The execution has ended.", "Start another one if its effect has to be reversed."),
  execution_not_failed: reason("The execution succeeded or has not ended.", "Run the task again as a new execution."),
  retry_in_progress: reason("A retry of this execution is queued or running.", "Wait for it; `retriedBy` has its ID."),
  exception_closed: reason(
    "The exception was resolved or dismissed.",
    "If the problem occurs again, it is opened again.",
  ),
  active_transformation_exists: reason(
    "One transformation is active for each bridge, task and direction.",
    "Deactivate the other (`transformationId`), or send `?replace=true` to swap them.",
  ),
  already_processing: reason(
    "A worker is pricing the comparison.",
    "Wait until its status is `completed`, for example with `GET /rate-comparisons/{id}/watch`.",
  ),
  carrier_account_inactive: reason("The carrier account was deactivated.", "Activate it, or choose another account."),
  pickup_exists: reason(
    "The carrier has a pickup at this address on this day.",
    "Reschedule or cancel the existing one, or take `nextAvailable`.",
  ),
  pickup_not_cancellable: reason("The driver is on the way or was there.", "Call the carrier."),
  cancel_deadline_passed: reason(
    "The carrier accepts changes only until some hours before the pickup.",
    "Call the carrier.",
  ),
  label_rejected: reason(
    "The carrier refused to sell the label.",
    "`detail` has the carrier's reason. Correct the address, package or service, then request it again.",
  ),
  label_exists: reason(
    "Labels for all items that are left were requested or bought.",
    "Void a label first if it is wrong.",
  ),
  labels_not_printable: reason(
    "Some labels were voided, failed, or have a format that cannot be joined.",
    "`errors` lists them. Leave them out.",
  ),
  labels_already_printed: reason(
    "The request asked to print nothing that was printed before. Two parcels with one label are delivered as one.",
    "`errors` lists the labels. Leave them out, or repeat the request without that option if the first print was lost.",
  ),
  documents_not_printable: reason(
    "Some orders or shipments lack data that the document needs.",
    "`errors` lists them with the reason.",
  ),
  label_not_voidable: reason(
    "The carrier refused to void the label, for example after its first scan, or it was voided already.",
    "`detail` has the carrier's reason. The label stays purchased.",
  ),
  packing_in_progress: reason(
    "Another packer has a packing session for this order; `packer` and `since` say who and since when.",
    "Scan another order, or let the packer finish or cancel the session.",
  ),
  packing_incomplete: reason("Items of the order were not scanned; `detail` counts them.", "Scan the missing items."),
  wrong_item: reason(
    "The barcode belongs to no item of the order.",
    "Put the item back, and scan one of the listed items.",
  ),
  too_many_items: reason("All units of this item are in the package.", "Put the item back."),
  item_not_needed: reason("The item is not part of this package.", "Put the item back."),
  invoice_differs: reason(
    "An invoice with this number was imported with another amount or number of lines.",
    "Send all parts of an invoice in one file, or delete the stored one first.",
  ),
  no_rate_card: reason(
    "The account has no rate card that is in effect on the date.",
    "Upload one, or change its dates.",
  ),
  idempotency_key_in_use: reason(
    "The first request with this key has not been answered yet.",
    "Wait and repeat it: the answer of the first is replayed.",
  ),
  conflict: reason(
    "Another request changed the same records at the same moment.",
    "Read the record and repeat the request.",
  ),
  credentials_unreadable: reason(
    "The credentials were encrypted with a `HUB_SECRET_KEY` that this hub does not have.",
    "Start the hub with that key, or enter the credentials again.",
  ),
  cursor_mismatch: reason(
    "The cursor belongs to another log: a backup was restored, or the preview was reset.",
    "Compare your data with the hub, then start without a cursor.",
  ),
};
