import { Type } from "../core/type.ts";
import { Id, Nullable, Version } from "../core/schema.ts";
import { defineEvent } from "./define-event.ts";

const Text = Type.String();
const label = {
  status: Text,
  carrier: Text,
  service: Nullable(Text),
  orderId: Nullable(Id),
  shipmentId: Nullable(Id),
  trackingNumber: Nullable(Text),
  cost: Nullable(Type.Number()),
  version: Version,
};

/** What happens to labels. */
export const labelEvents = {
  "label.requested": defineEvent("label", "A label was requested", label),
  "label.purchased": defineEvent("label", "A label was purchased", label),
  "label.failed": defineEvent("label", "A label request failed", label),
  "label.not_purchased": defineEvent("label", "A user found out that the carrier did not sell a label", label),
  "label.response_missing": defineEvent("label", "The carrier did not respond; the request is retried", label),
  "label.void_requested": defineEvent("label", "A void was requested", label),
  "label.void_rejected": defineEvent("label", "The carrier rejected the void", label),
  "label.voided": defineEvent("label", "A label was voided", {
    ...label,
    reason: Type.Optional(
      Type.Literal("voided_at_carrier", { description: "Voided at the carrier: the hub did not request it" }),
    ),
  }),
  "label.void_contradicted": defineEvent("label", "The carrier reports a void of a label that may be in use", label),
  "label.refunded": defineEvent("label", "The carrier settled the refund of a voided label", label),
  "label.refund_rejected": defineEvent("label", "The carrier rejected the refund of a voided label", label),
  "label.refund_undecided": defineEvent("label", "The carrier did not decide about a refund within 60 days", label),
  "label.printed": defineEvent("label", "A label was part of a printed document", label),
  "label.charge_adjusted": defineEvent("label", "The carrier corrected the price of a label", {
    ...label,
    adjustment: Type.Object({ id: Text, amount: Type.Number(), currency: Text }),
    finalCost: Nullable(Type.Number()),
  }),
};
