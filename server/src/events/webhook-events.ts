import { Type } from "../core/type.ts";
import { Count, DateTime, Nullable, optional, Version } from "../core/schema.ts";
import { defineEvent, Private } from "./define-event.ts";

const Text = Type.String();
const Names = Type.Array(Text);
const version = { version: Version };
const webhook = {
  // Not the whole address: some carry a secret in it.
  host: Private(Text),
  types: Names,
  description: Private(Text),
  ordering: Text,
  maxInFlight: Count,
  signing: Text,
};
const failing = { failingSince: Nullable(DateTime), consecutiveFailures: Count };

/** The part of the catalogue about webhooks. */
export const webhookEvents = {
  "webhook.created": defineEvent("webhook", "A webhook was created", { ...webhook, ...version }),
  "webhook.updated": defineEvent(
    "webhook",
    "A webhook was updated",
    { ...optional(webhook), ...optional({ headersReplaced: Type.Boolean() }), ...version },
    { isPatch: true },
  ),
  "webhook.deleted": defineEvent("webhook", "A webhook was deleted", version),
  "webhook.paused": defineEvent("webhook", "A webhook was paused", version),
  "webhook.enabled": defineEvent("webhook", "A webhook was enabled", {
    from: Type.String({ description: "last_position, now, or the cursor it continues after" }),
    ...version,
  }),
  "webhook.secret_rotated": defineEvent("webhook", "A signing secret was rotated", {
    previousSecretExpiresAt: Nullable(DateTime),
    ...version,
  }),
  "webhook.resend_requested": defineEvent("webhook", "A resend was requested", {
    include: Text,
    estimatedCount: Count,
    ...version,
  }),
  "webhook.failing": defineEvent("webhook", "No delivery of a webhook has succeeded for an hour", {
    ...failing,
    ...version,
  }),
  "webhook.disabled": defineEvent(
    "webhook",
    "A webhook was disabled: the endpoint responded with 410, or no delivery has succeeded for five days",
    {
      reason: Type.String({ description: "gone (the endpoint responded with 410) or failing" }),
      ...failing,
      ...version,
    },
  ),
};
