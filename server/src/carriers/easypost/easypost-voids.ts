import type { CarrierCall } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import type { SoldLabel, VoidAnswer } from "../seam/labels.ts";
import { sendJson } from "../seam/json-api.ts";
import { asList, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { api, get, post, segment } from "./easypost-api.ts";

const states: Record<string, VoidAnswer["state"]> = {
  submitted: "submitted",
  refunded: "voided",
  rejected: "rejected",
  not_applicable: "not_applicable",
};

export function refundState(status: unknown): VoidAnswer["state"] | undefined {
  const text = asText(status);
  return text !== undefined && Object.hasOwn(states, text) ? states[text] : undefined;
}

/** Refunds every shipment of the label. One that stays purchased counts for all, then one that is not decided. */
export async function voidLabel(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer> {
  const ids = shipmentIds(label);
  if (ids.length === 0) return await refundByNumber(call, label);
  const answers: VoidAnswer[] = [];
  for (const id of ids) answers.push(await refundShipment(call, id));
  return together(answers);
}

async function refundShipment(call: CarrierCall, id: string): Promise<VoidAnswer> {
  const path = `/v2/shipments/${segment(id)}`;
  try {
    const { refund_status } = await post(call, `${path}/refund`, {}, { retry: "safe" });
    return { state: refundState(refund_status) ?? "submitted" };
  } catch (error) {
    if (!(error instanceof RemoteError) || error.code !== "rejected") throw error;
    // A second refund of the same label is refused; what became of the first counts.
    const state = refundState((await get(call, path)).refund_status);
    return state === undefined || state === "rejected" ? { state: "rejected", message: error.message } : { state };
  }
}

/** For labels whose IDs at EasyPost are not known. The carrier is the first part of the service. */
async function refundByNumber(call: CarrierCall, { service, trackingNumbers }: SoldLabel): Promise<VoidAnswer> {
  const [carrier] = service.split("/");
  const json = { refund: { carrier, tracking_codes: trackingNumbers } };
  const answer = await sendJson(api, call, { method: "POST", path: "/v2/refunds", json });
  return together(asList(answer).map(({ status }) => ({ state: refundState(status) ?? "submitted" })));
}

/** Undefined if EasyPost has no record of a refund. */
export async function findVoid(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer | undefined> {
  const answers: VoidAnswer[] = [];
  for (const id of shipmentIds(label)) {
    const state = refundState((await get(call, `/v2/shipments/${segment(id)}`)).refund_status);
    if (state === undefined) return undefined;
    answers.push({ state });
  }
  return answers.length === 0 ? undefined : together(answers);
}

function together(answers: VoidAnswer[]): VoidAnswer {
  const worst = ["rejected", "submitted", "voided"].flatMap(
    (state) => answers.find((one) => one.state === state) ?? [],
  );
  return worst[0] ?? answers[0] ?? { state: "submitted" };
}

export function shipmentIds({ carrierData }: { carrierData?: Json | null }): string[] {
  const ids = carrierData?.shipmentIds;
  return Array.isArray(ids) ? ids.flatMap((id) => asText(id) ?? []) : [];
}
