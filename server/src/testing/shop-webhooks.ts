import { createHmac, randomUUID } from "node:crypto";
import type { ShopOrder } from "./stand-in-data.ts";
import type { Answer, TestClient } from "./test-client.ts";

type Sending = { id?: string; secret: string };

const hmac = (secret: string | Buffer, content: string): string =>
  createHmac("sha256", secret).update(content).digest("base64");

/** A webhook of Shopify, signed, as its documents show it. */
export function shopifyWebhook(topic: string, text: string, { id = randomUUID(), secret }: Sending) {
  return {
    "x-shopify-topic": topic,
    "x-shopify-hmac-sha256": hmac(secret, text),
    "x-shopify-shop-domain": "stand-in.myshopify.com",
    "x-shopify-webhook-id": id,
    "x-shopify-api-version": "2026-07",
  };
}

/** One of WooCommerce. */
export function wooWebhook(topic: string, text: string, { id = randomUUID(), secret }: Sending) {
  const [resource = "", event = ""] = topic.split(".");
  return {
    "x-wc-webhook-source": "https://shop.example/",
    "x-wc-webhook-topic": topic,
    "x-wc-webhook-resource": resource,
    "x-wc-webhook-event": event,
    "x-wc-webhook-signature": hmac(secret, text),
    "x-wc-webhook-id": "3",
    "x-wc-webhook-delivery-id": id,
  };
}

/** Sends webhooks to a hub as shops do, with the headers and bodies that their documents show. */
export function createWebhookSender(client: TestClient, bridgeId: string) {
  const path = `/bridges/${bridgeId}/inbound-webhooks`;
  const post = async (rawBody: string | Buffer, headers: Record<string, string>): Promise<Answer> =>
    await client.post(path, undefined, { rawBody, headers });

  return {
    post,
    async shopify(topic: string, body: object, sending: Sending): Promise<Answer> {
      const text = JSON.stringify(body);
      return await post(text, shopifyWebhook(topic, text, sending));
    },
    async woo(topic: string, body: object, sending: Sending): Promise<Answer> {
      const text = JSON.stringify(body);
      return await post(text, wooWebhook(topic, text, sending));
    },
    /** Standard Webhooks; `secret` as it is shown, with whsec_ before it. */
    async standard(
      body: object,
      { id = randomUUID(), secret, at = new Date() }: Sending & { at?: Date },
    ): Promise<Answer> {
      const text = JSON.stringify(body);
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const key = Buffer.from(secret.replace("whsec_", ""), "base64");
      return await post(text, {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,bm90IHRoaXMgb25l v1,${hmac(key, `${id}.${timestamp}.${text}`)}`,
      });
    },
  };
}

/** The beginning of what Shopify sends about an order; the rest is the order as its REST interface shows it. */
export function shopifyOrderBody({ id, number, email, updatedAt, isPaid }: ShopOrder): object {
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    name: number,
    email,
    updated_at: updatedAt,
    financial_status: isPaid ? "paid" : "pending",
  };
}
