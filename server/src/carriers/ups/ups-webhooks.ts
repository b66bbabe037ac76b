import { timingSafeEqual, createHash } from "node:crypto";
import type { CarrierCall, CarrierNews, InboundWebhook, WebhookSubscription } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { dayOf } from "../seam/local-time.ts";
import { asObject, asText } from "../seam/read.ts";
import { askUps } from "./ups-request.ts";
import { placeOf, timeOf, upsStatus } from "./ups-tracking.ts";

/**
 * Track Alert for all parcels of the account. A second subscription of the account replaces the first. URL and credential are not
 * sent: UPS takes them on its page "Manage Webhook Credentials" only.
 */
export async function subscribeUps(call: CarrierCall): Promise<WebhookSubscription> {
  const accountNumber = String(call.settings.accountNumber);
  const { body } = await askUps(call, {
    method: "POST",
    path: "/track/v2/subscription/standard/account",
    retry: "safe",
    json: {
      locale: "en_US",
      countryCode: asText(call.settings.accountCountryCode) ?? "US",
      subscriptionId: "order-operations-hub",
      clientSubscriptionId: "order-operations-hub",
      shipperAccountNumber: accountNumber,
      subAccountType: ["Outbound"],
    },
  });
  return { carrierData: { accountNumber, expiryDate: asText(body.expiryDate) ?? null } };
}

/** UPS does not sign its webhooks: it sends the credential that was entered on its page. */
export async function readUpsWebhook(_call: CarrierCall, webhook: InboundWebhook): Promise<CarrierNews> {
  const { headers, body, secret } = webhook;
  const given = headers.credential ?? headers.authorization?.replace(/^Bearer /i, "") ?? "";
  if (secret === "" || !isSame(given, secret))
    throw new RemoteError("unauthorized", "The credential of the UPS webhook is wrong or missing.");
  return readUpsEvent(body.toString("utf8"));
}

/** Hashed first, so that the comparison takes the same time for texts of any length. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

export function readUpsEvent(text: string): CarrierNews {
  const event = asObject(parse(text));
  const trackingNumber = asText(event.trackingNumber);
  const at = timeOf({
    gmtDate: event.gmtActivityDate,
    gmtTime: event.gmtActivityTime,
    localDate: event.localActivityDate,
    localTime: event.localActivityTime,
  });
  if (trackingNumber === undefined || at === undefined) return { trackings: [], voids: [], adjustments: [] };
  const status = asObject(event.activityStatus);
  const place = asObject(event.activityLocation);
  const estimatedDelivery = dayOf(asText(event.scheduledDeliveryDate));
  const one = {
    at,
    status: upsStatus(asText(status.type), asText(status.code)),
    description: asText(status.description) ?? "No description",
    ...placeOf({ city: place.city, state: place.stateProvince, zip: place.postalCode, countryCode: place.country }),
  };
  const report = { trackingNumber, ...(estimatedDelivery === undefined ? {} : { estimatedDelivery }), events: [one] };
  return { trackings: [report], voids: [], adjustments: [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new RemoteError("invalid_json", "The body of the UPS webhook is not JSON.", { cause });
  }
}
