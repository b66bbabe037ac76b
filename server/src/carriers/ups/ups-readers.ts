import { asObject } from "../seam/read.ts";
import { recordedResponse } from "../seam/testing/recorded-response.ts";
import type { Readers } from "../seam/testing/recorded.ts";
import { readUpsAddress } from "./ups-address.ts";
import { readUpsLabel, readUpsVoid } from "./ups-labels.ts";
import { readUpsPickup } from "./ups-pickups.ts";
import { readUpsRates } from "./ups-rates.ts";
import { readUps } from "./ups-request.ts";
import { readUpsTracking } from "./ups-tracking.ts";
import { readUpsEvent } from "./ups-webhooks.ts";

/** What the adapter makes of recorded responses, for scripts/hold-carrier.ts. */
export const readers: Readers = {
  rate: ({ body }) => readUpsRates(body, true),
  buy: ({ body }) => readUpsLabel(body, "03"),
  return: ({ body }) => readUpsLabel(body, "03"),
  shipping: ({ body }) => readUpsLabel(body, "03"),
  "shipping-cancel": ({ body }) => readUpsVoid(body),
  track: ({ body }) => readUpsTracking(body, { trackingNumber: "", shippedAt: "" }),
  "track-webhook": ({ body }) => readUpsEvent(JSON.stringify(body)),
  void: ({ body }) => readUpsVoid(body),
  pickup: ({ body }) => readUpsPickup(body),
  "pickup-cancel": ({ body }) => asObject(body).PickupCancelResponse,
  address: ({ body }) => readUpsAddress(body, {}),
  error: (recorded) => readUps(recordedResponse(recorded)),
};

/** Samples of the OpenAPI documents are named by their operation. */
export function kindOf(name: string): string | undefined {
  if (name.startsWith("POST /rating")) return "rate";
  if (name.endsWith("/ship")) return "buy";
  if (name.includes("/void/cancel")) return "void";
  if (name.startsWith("POST /pickupcreation")) return "pickup";
  if (name.startsWith("POST /addressvalidation")) return "address";
  return undefined;
}
