import type { ReadWebhook, WebhookRequest } from "../inbound-webhook.ts";
import { headerOf, isSigned, webhookIdOf, objectIn, secretsIn } from "../inbound-webhook.ts";
import type { Json } from "../shape.ts";
import { asText, objectOf } from "../shape.ts";

/**
 * The stored part of a webhook: which order changed. The import reads the current state of the order, because webhooks may arrive late,
 * twice and out of order.
 */
export type ShopifyPayload = { orderId: string } | { deletedOrderId: string } | { fulfillmentOrderId: string };

/** Webhooks of an app are signed with its client secret, webhooks from the admin of the shop with a secret shown there. */
export function readWebhook(sent: WebhookRequest): ReadWebhook {
  const secrets = secretsIn(sent.credentials, ["clientSecret", "webhookSecret"]);
  if (secrets.length === 0) return "off";
  const signature = Buffer.from(headerOf(sent, "x-shopify-hmac-sha256"), "base64");
  if (!isSigned(secrets, [sent.body], signature)) return "not_signed";
  const topic = headerOf(sent, "x-shopify-topic");
  const payload = payloadOf(topic, objectIn(sent));
  if (!payload) return "ignored";
  const id = webhookIdOf(headerOf(sent, "x-shopify-webhook-id"), sent);
  return { id, topic, task: "orders.import", payload };
}

/** Topics about orders, and about their refunds, fulfillments and holds. */
function payloadOf(topic: string, body: Json): ShopifyPayload | undefined {
  const [kind = "", event = ""] = topic.split("/");
  if (kind === "orders") {
    const id = asText(body.id ?? objectOf(body.order_edit).order_id);
    return id === "" ? undefined : event === "delete" ? { deletedOrderId: id } : { orderId: id };
  }
  if (kind === "fulfillment_orders" || kind === "fulfillment_holds") {
    const id = asText(objectOf(body.fulfillment_order ?? body.original_fulfillment_order).id);
    return id === "" ? undefined : { fulfillmentOrderId: id };
  }
  const orderId = asText(body.order_id);
  return orderId === "" ? undefined : { orderId };
}
