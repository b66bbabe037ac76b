import type { ReadWebhook, WebhookRequest } from "../inbound-webhook.ts";
import { headerOf, isSigned, webhookIdOf, objectIn, secretsIn } from "../inbound-webhook.ts";
import { asText } from "../shape.ts";

/** The stored part of a webhook: which order changed. The import reads the current state of the order. */
export type WooPayload = { orderId: string; isDeleted: boolean };

export function readWebhook(sent: WebhookRequest): ReadWebhook {
  const secrets = secretsIn(sent.credentials, ["webhookSecret"]);
  if (secrets.length === 0) return "off";
  // An unsigned ping that WooCommerce sends when the webhook is saved. If it is rejected, the shop shows an error.
  if (/^webhook_id=\d{1,20}$/.test(sent.body.subarray(0, 40).toString("latin1"))) return "ignored";
  const signature = Buffer.from(headerOf(sent, "x-wc-webhook-signature"), "base64");
  if (!isSigned(secrets, [sent.body], signature)) return "not_signed";
  const topic = headerOf(sent, "x-wc-webhook-topic");
  const orderId = asText(objectIn(sent).id);
  if (!topic.startsWith("order.") || !/^\d+$/.test(orderId)) return "ignored";
  const payload: WooPayload = { orderId, isDeleted: topic === "order.deleted" };
  const id = webhookIdOf(headerOf(sent, "x-wc-webhook-delivery-id"), sent);
  return { id, topic, task: "orders.import", payload };
}
