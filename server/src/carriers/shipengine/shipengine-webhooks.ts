import { createPublicKey, verify } from "node:crypto";
import type { CarrierCall, CarrierNews, InboundWebhook, WebhookSubscription } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { sendJson } from "../seam/json-api.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { api, apiUrl, post } from "./shipengine-api.ts";
import { reportIn } from "./shipengine-tracking.ts";

/** ShipEngine signs with its own key, so the secret of the webhook is not used. */
export async function subscribe(call: CarrierCall, { url }: { url: string }): Promise<WebhookSubscription> {
  const path = "/environment/webhooks";
  const known = asList(await sendJson(api, call, { path })).find((hook) => hook.url === url && hook.event === "track");
  const created = known ?? (await post(call, path, { url, event: "track" }));
  return { carrierData: { webhookId: asText(created.webhook_id) ?? null } };
}

const maxAgeMs = 5 * 60_000;
const keysLastMs = 3_600_000;

/** RSA-SHA256 over the timestamp, a dot and the bytes as received; the public keys are at /jwks. */
export async function readWebhook(call: CarrierCall, { headers, body }: InboundWebhook): Promise<CarrierNews> {
  const timestamp = headers["x-shipengine-timestamp"] ?? "";
  const age = Math.abs(call.now().getTime() - Date.parse(timestamp));
  if (!(age <= maxAgeMs)) throw refused("The timestamp of the ShipEngine webhook is missing or too old.");
  const key = await keyWith(call, headers["x-shipengine-rsa-sha256-key-id"] ?? "");
  const signature = Buffer.from(headers["x-shipengine-rsa-sha256-signature"] ?? "", "base64");
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  if (!key || !verify("RSA-SHA256", signed, publicKeyOf(key), signature))
    throw refused("The signature of the ShipEngine webhook is wrong or missing.");
  return newsIn(eventIn(body));
}

function refused(message: string): RemoteError {
  return new RemoteError("unauthorized", message);
}

/**
 * Cached with the account's tokens. ShipEngine publishes a new key before it signs with it, so a key that is not among them is not
 * asked for again: a flood of forged webhooks would become a flood of requests.
 */
async function keyWith(call: CarrierCall, keyId: string): Promise<Json | undefined> {
  const keys = await call.token("jwks", async () => {
    const { origin } = new URL(apiUrl(call.settings));
    const open = { ...api, baseUrl: () => origin, headers: () => ({}) };
    const value = JSON.stringify(asObject(await sendJson(open, call, { path: "/jwks" })).keys ?? []);
    return { value, lifetimeMs: keysLastMs };
  });
  return asList(JSON.parse(keys.value)).find(({ kid, kty }) => kid === keyId && kty === "RSA");
}

function publicKeyOf({ kty, n, e }: Json): ReturnType<typeof createPublicKey> {
  try {
    return createPublicKey({ key: { kty: asText(kty), n: asText(n), e: asText(e) }, format: "jwk" });
  } catch (cause) {
    throw new RemoteError("unexpected_response", "A signing key of ShipEngine cannot be read.", { cause });
  }
}

function eventIn(body: Buffer): Json {
  try {
    return asObject(JSON.parse(body.toString()));
  } catch (cause) {
    throw new RemoteError("invalid_json", "The body of the ShipEngine webhook is not JSON.", { cause });
  }
}

function newsIn({ resource_type, data }: Json): CarrierNews {
  const report = resource_type === "API_TRACK" ? reportIn(asObject(data)) : undefined;
  const trackings = report && report.trackingNumber !== "" ? [report] : [];
  return { trackings, voids: [], adjustments: [] };
}
