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

/** The part of the catalogue that is about those who are told of the others. */
export const webhookEvents = {
  "webhook.created": defineEvent("webhook", "A webhook was set up", { ...webhook, ...version }),
  "webhook.updated": defineEvent(
    "webhook",
    "A webhook was changed",
    { ...optional(webhook), ...optional({ headersReplaced: Type.Boolean() }), ...version },
    { isPatch: true },
  ),
  "webhook.deleted": defineEvent("webhook", "A webhook was deleted", version),
  "webhook.paused": defineEvent("webhook", "A webhook was paused; what happens meanwhile is kept for it", version),
  "webhook.enabled": defineEvent("webhook", "A webhook gets deliveries again", {
    from: Type.String({ description: "stopped, now, or the cursor behind which it goes on" }),
    ...version,
  }),
  "webhook.secret_rotated": defineEvent("webhook", "A webhook got a new secret", {
    previousUntil: Nullable(DateTime),
    ...version,
  }),
  "webhook.resend_requested": defineEvent("webhook", "Deliveries of a webhook are sent again", {
    only: Text,
    estimate: Count,
    ...version,
  }),
  "webhook.failing": defineEvent("webhook", "A webhook has not taken anything for an hour", { ...failing, ...version }),
  "webhook.disabled": defineEvent("webhook", "A webhook was disabled: it said so, or took nothing for five days", {
    reason: Type.String({ description: "gone (it answered 410) or failing" }),
    ...failing,
    ...version,
  }),
};
