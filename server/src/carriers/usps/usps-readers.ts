import { asObject } from "../seam/read.ts";
import { recordedResponse } from "../seam/testing/recorded-response.ts";
import type { Recorded, Readers } from "../seam/testing/recorded.ts";
import { readUspsAddress } from "./usps-address.ts";
import { readDocument, readUspsLabel, readUspsVoid } from "./usps-labels.ts";
import { readUspsPickup } from "./usps-pickups.ts";
import { readUspsRates } from "./usps-rates.ts";
import { readUsps } from "./usps-request.ts";
import { readUspsTracking } from "./usps-tracking.ts";

const label = (recorded: Recorded): unknown => readUspsLabel(recordedResponse(recorded), "USPS_GROUND_ADVANTAGE");

const anyParcel = { trackingNumber: "", shippedAt: "" };

/** What the adapter makes of recorded responses, for scripts/hold-carrier.ts. */
export const readers: Readers = {
  rate: ({ body }) => readUspsRates(body, { indicators: undefined, category: "MACHINABLE" }),
  buy: label,
  label,
  return: label,
  track: ({ body }) => readUspsTracking(asObject(body), anyParcel),
  tracking: ({ body }) =>
    (Array.isArray(body) ? body : [body]).map((one) => readUspsTracking(asObject(one), anyParcel)),
  void: ({ body }) => readUspsVoid(asObject(body)),
  pickup: ({ body }) => readUspsPickup(asObject(body), undefined, ""),
  "pickup-cancel": ({ body }) => asObject(body).ok,
  manifest: (recorded) => readDocument(recordedResponse(recorded), /label|form/i),
  "scan-form": (recorded) => readDocument(recordedResponse(recorded), /label|form/i),
  address: ({ body }) => readUspsAddress(asObject(body), {}),
  error: (recorded) => readUsps(recordedResponse(recorded)),
};

/** Samples of the OpenAPI documents are named by their operation. */
export function kindOf(name: string): string | undefined {
  if (/^POST \/(return-)?label(-reprint.*)?$/.test(name)) return "buy";
  if (name.startsWith("DELETE /label")) return "void";
  if (/^POST \/(total-rates|options)\/search$/.test(name)) return "rate";
  if (name === "POST /scan-form") return "manifest";
  if (name === "GET /address") return "address";
  return undefined;
}
