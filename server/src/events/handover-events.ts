import { Count, DateTime, Nullable, Version } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent } from "./define-event.ts";

const Text = Type.String();
const pickup = {
  status: Text,
  carrier: Text,
  confirmationNumber: Nullable(Text),
  pickupDate: Text,
  readyAt: DateTime,
  closeAt: DateTime,
  labelCount: Type.Optional(Count),
  version: Version,
};
const manifest = {
  status: Text,
  carrier: Text,
  number: Nullable(Text),
  shipDate: Text,
  labelCount: Count,
  packageCount: Count,
  version: Version,
};

/** The part of the catalogue that is about handing parcels over to carriers. */
export const handoverEvents = {
  "manifest.requested": defineEvent("manifest", "A manifest was requested", manifest),
  "manifest.created": defineEvent("manifest", "A manifest was created", manifest),
  "manifest.failed": defineEvent("manifest", "A manifest request failed", manifest),
  "manifest.response_missing": defineEvent("manifest", "The carrier did not respond; the request is retried", manifest),

  "pickup.requested": defineEvent("pickup", "A pickup was requested", pickup),
  "pickup.scheduled": defineEvent("pickup", "A pickup was scheduled", pickup),
  "pickup.confirmed": defineEvent("pickup", "A confirmation number was entered", pickup),
  "pickup.failed": defineEvent("pickup", "A pickup request failed", pickup),
  "pickup.response_missing": defineEvent("pickup", "The carrier did not respond; the request is retried", pickup),
  "pickup.change_requested": defineEvent("pickup", "A reschedule was requested", pickup),
  "pickup.change_rejected": defineEvent("pickup", "The carrier rejected the reschedule", pickup),
  "pickup.cancel_requested": defineEvent("pickup", "A cancellation was requested", pickup),
  "pickup.cancel_rejected": defineEvent("pickup", "The carrier rejected the cancellation", pickup),
  "pickup.cancelled": defineEvent("pickup", "A pickup was cancelled", pickup),
  "pickup.dispatched": defineEvent("pickup", "A driver is on the way", pickup),
  "pickup.completed": defineEvent("pickup", "A pickup was completed", pickup),
  "pickup.missed": defineEvent("pickup", "A pickup was missed", pickup),
  "pickup.previous_cancelled": defineEvent("pickup", "The replaced pickup was cancelled", pickup),
  "pickup.previous_not_cancelled": defineEvent("pickup", "The replaced pickup could not be cancelled", pickup),
};
