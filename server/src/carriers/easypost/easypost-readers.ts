import { asList, asObject } from "../seam/read.ts";
import type { Readers } from "../seam/testing/recorded.ts";
import { addressCheckOf } from "./easypost-address.ts";
import { api } from "./easypost-api.ts";
import { soldIn } from "./easypost-labels.ts";
import { formIn } from "./easypost-manifests.ts";
import { confirmationIn, stateIn } from "./easypost-pickups.ts";
import { quotesIn } from "./easypost-rates.ts";
import { reportOf } from "./easypost-tracking.ts";
import { refundState } from "./easypost-voids.ts";

/** The readers of this adapter by kind of response, for scripts/hold-carrier.ts. */
export const readers: Readers = {
  rate: ({ body }) => quotesIn(asObject(body)),
  buy: ({ body }) => soldIn(asObject(body)),
  void: ({ body }) => asList(body).flatMap(({ refund_status, status }) => refundState(refund_status ?? status) ?? []),
  track: ({ body }) => trackersIn(body).map((tracker) => reportOf(tracker, String(tracker.tracking_code))),
  pickup: ({ body }) => stateIn(asObject(body)) ?? asList(asObject(body).pickup_rates),
  "pickup-buy": ({ body }) => confirmationIn(asObject(body), ""),
  address: ({ body }) => addressCheckOf({}, asObject(body)),
  manifest: ({ body }) => formIn(asObject(body)),
  error: ({ body }) => api.reasonIn(body),
};

function trackersIn(body: unknown): ReturnType<typeof asList> {
  const { trackers, result } = asObject(body);
  return asList(trackers ?? result ?? body);
}

const kinds: [pattern: RegExp, kind: string][] = [
  [/^POST \/beta\/rates|^POST \/v2\/(shipments|orders)$|^POST .*\/rerate|^(shipments|orders)-create$/, "rate"],
  [/^rates-|^options-create|^tax-identifiers|^returns-create/, "rate"],
  [/^POST \/v2\/(shipments|orders)\/\w+\/buy|^GET \/v2\/(shipments|orders)\/\w+(\/label.*)?$/, "buy"],
  [/^(shipments|orders)-(one-call-)?buy$|^shipments-label|^karrio-buy--buy-response/, "buy"],
  [/^POST \/v2\/shipments\/\w+\/refund|^POST \/v2\/refunds|^shipping-refund|^refunds-create/, "void"],
  [/\/v2\/trackers|^trackers-|^webhook-tracker/, "track"],
  [/^POST \/v2\/pickups\/\w+\/buy|^pickups-buy/, "pickup-buy"],
  [/\/v2\/pickups|^pickups-(create|cancel|retrieve)/, "pickup"],
  [/\/v2\/addresses|^addresses-(create|verify|retrieve)/, "address"],
  [/\/v2\/scan_forms|^scan-form-create/, "manifest"],
];

/** One-call purchases are answered to POST /v2/shipments too; the script holds them as rates. */
export function kindOf(name: string): string | undefined {
  return kinds.find(([pattern]) => pattern.test(name))?.[1];
}
