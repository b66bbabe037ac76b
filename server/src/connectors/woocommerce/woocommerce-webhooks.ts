import type { ReadWebhook, WebhookRequest } from "../inbound-webhook.ts";
import { headerOf, isSigned, webhookIdOf, objectIn, secretsIn } from "../inbound-webhook.ts";
import { asText } from "../shape.ts";

/** Which order something happened to; what it is like now is asked for. */
export type WooNews = { orderId: string; isDeleted: boolean };

export function readWebhook(sent: WebhookRequest): ReadWebhook {
  const secrets = secretsIn(sent.credentials, ["webhookSecret"]);
  if (secrets.length === 0) return "off";
  // Sent when the webhook is saved, and not signed. A shop that is refused shows an error there.
  if (/^webhook_id=\d{1,20}$/.test(sent.body.subarray(0, 40).toString("latin1"))) return "ignored";
  const signature = Buffer.from(headerOf(sent, "x-wc-webhook-signature"), "base64");
  if (!isSigned(secrets, [sent.body], signature)) return "not_signed";
  const topic = headerOf(sent, "x-wc-webhook-topic");
  const orderId = asText(objectIn(sent).id);
  if (!topic.startsWith("order.") || !/^\d+$/.test(orderId)) return "ignored";
  const payload: WooNews = { orderId, isDeleted: topic === "order.deleted" };
  const id = webhookIdOf(headerOf(sent, "x-wc-webhook-delivery-id"), sent);
  return { id, topic, task: "orders.import", payload };
}
