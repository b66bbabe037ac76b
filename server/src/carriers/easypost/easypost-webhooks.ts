import { createHmac } from "node:crypto";
import type {
  CarrierCall,
  CarrierNews,
  ChargeAdjustment,
  InboundWebhook,
  WebhookSubscription,
} from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { sendJson } from "../seam/json-api.ts";
import { centsOf } from "../seam/money.ts";
import { asList, asNumber, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { isSameText } from "../seam/signatures.ts";
import { api, get, post, segment } from "./easypost-api.ts";
import { reportOf } from "./easypost-tracking.ts";
import { refundState } from "./easypost-voids.ts";

/** Repeating it sets the secret of the existing webhook, which also enables it again. */
export async function subscribe(
  call: CarrierCall,
  { url, secret }: { url: string; secret: string },
): Promise<WebhookSubscription> {
  const known = asList((await get(call, "/v2/webhooks")).webhooks).find((webhook) => webhook.url === url);
  const id = asText(known?.id);
  if (id !== undefined) {
    const path = `/v2/webhooks/${segment(id)}`;
    await sendJson(api, call, { method: "PATCH", path, json: { webhook_secret: secret }, retry: "safe" });
    return { carrierData: { webhookId: id } };
  }
  const created = await post(call, "/v2/webhooks", { webhook: { url, webhook_secret: secret } });
  return { carrierData: { webhookId: asText(created.id) ?? null } };
}

/** HMAC-SHA256 over the bytes as received, with the secret in NFKD. */
export function signatureOf(body: Buffer, secret: string): string {
  return `hmac-sha256-hex=${createHmac("sha256", secret.normalize("NFKD")).update(body).digest("hex")}`;
}

export async function readWebhook(call: CarrierCall, { headers, body, secret }: InboundWebhook): Promise<CarrierNews> {
  if (!isSameText(signatureOf(body, secret), headers["x-hmac-signature"]))
    throw new RemoteError("unauthorized", "The signature of the EasyPost webhook is wrong or missing.");
  return await newsIn(eventIn(body), async (shipmentId) => {
    return asText((await get(call, `/v2/shipments/${segment(shipmentId)}`)).tracking_code);
  });
}

function eventIn(body: Buffer): Json {
  try {
    return asObject(JSON.parse(body.toString()));
  } catch (cause) {
    throw new RemoteError("invalid_json", "The body of the EasyPost webhook is not JSON.", { cause });
  }
}

/** Events that are not about parcels, refunds or corrected prices have no news. */
async function newsIn(
  event: Json,
  numberOf: (shipmentId: string) => Promise<string | undefined>,
): Promise<CarrierNews> {
  const news: CarrierNews = { trackings: [], voids: [], adjustments: [] };
  const [topic, result] = [asText(event.description) ?? "", asObject(event.result)];
  const shipmentId = asText(result.shipment_id) ?? (result.object === "Shipment" ? asText(result.id) : undefined);
  const ofShipment = async (): Promise<string | undefined> =>
    shipmentId === undefined ? undefined : await numberOf(shipmentId);
  if (topic.startsWith("tracker.") && asText(result.tracking_code) !== undefined) {
    news.trackings.push(reportOf(result, String(result.tracking_code)));
  } else if (topic.startsWith("refund.")) {
    const trackingNumber = asText(result.tracking_code) ?? (await ofShipment());
    const state = refundState(result.refund_status ?? result.status);
    if (trackingNumber !== undefined && state) news.voids.push({ trackingNumber, answer: { state } });
  } else if (topic.startsWith("shipment.invoice.")) {
    const trackingNumber = asText(result.tracking_code) ?? (await ofShipment());
    if (trackingNumber !== undefined) news.adjustments.push(...adjustmentOf(result, trackingNumber));
  }
  return news;
}

function adjustmentOf(invoice: Json, trackingNumber: string): ChargeAdjustment[] {
  const [id, amount] = [asText(invoice.id), invoice.adjustment_amount];
  if (id === undefined || asText(amount) === undefined) return [];
  const currency = asText(invoice.currency)?.toUpperCase() ?? "USD";
  const ounces = asNumber(asObject(invoice.claimed_details).billed_weight_oz);
  return [
    {
      id,
      trackingNumber,
      charge: { cents: centsOf(amount, currency), currency },
      reason: asText(invoice.adjustment_reason) ?? "The carrier corrected the price.",
      ...(ounces === undefined ? {} : { weight: { value: ounces, unit: "oz" } }),
    },
  ];
}
