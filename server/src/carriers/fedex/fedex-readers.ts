import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { recordedResponse } from "../seam/testing/recorded-response.ts";
import type { Readers } from "../seam/testing/recorded.ts";
import { readFedexAddress } from "./fedex-address.ts";
import { readFedexLabel, readFedexVoid } from "./fedex-labels.ts";
import { readFedexPickup } from "./fedex-pickups.ts";
import { readFedexRates } from "./fedex-rates.ts";
import { readFedex } from "./fedex-request.ts";
import { readFedexTracking } from "./fedex-tracking.ts";

const outputOf = (body: unknown): Json => asObject(asObject(body).output);

function trackAll(body: unknown): unknown[] {
  const output = outputOf(body);
  return asList(output.completeTrackResults).flatMap((result) => {
    const parcel = { trackingNumber: asText(result.trackingNumber) ?? "", shippedAt: "" };
    return readFedexTracking(output, parcel) ?? [];
  });
}

/** What the adapter makes of recorded responses, for scripts/hold-carrier.ts. */
export const readers: Readers = {
  rate: ({ body }) => readFedexRates(outputOf(body)),
  rating: ({ body }) => (Array.isArray(body) ? body : [body]).flatMap((one) => readFedexRates(outputOf(one))),
  buy: ({ body }) => readFedexLabel(outputOf(body), "FEDEX_GROUND"),
  return: ({ body }) => readFedexLabel(outputOf(body), "FEDEX_GROUND"),
  track: ({ body }) => trackAll(body),
  void: ({ body }) => readFedexVoid(outputOf(body)),
  "cancel-response": ({ body }) => readFedexVoid(outputOf(body)),
  "cancel-pickup": ({ body }) => outputOf(body),
  pickup: ({ body }) => readFedexPickup(outputOf(body), { carrierCode: "FDXE", scheduledDate: "" }),
  "pickup-cancel": ({ body }) => outputOf(body),
  address: ({ body }) => readFedexAddress(outputOf(body), {}),
  error: (recorded) => readFedex(recordedResponse(recorded)),
};
