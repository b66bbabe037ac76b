import type { CarrierCall } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { sendJson } from "../seam/json-api.ts";
import type { SoldLabel, VoidAnswer } from "../seam/labels.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { api, get, segment } from "./shipengine-api.ts";

export async function voidLabel(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer> {
  const id = asText(label.carrierData?.labelId) ?? (await findId(call, label));
  const path = `/labels/${segment(id)}/void`;
  return voidIn(asObject(await sendJson(api, call, { method: "PUT", path, retry: "safe" })));
}

async function findId(call: CarrierCall, { trackingNumber }: SoldLabel): Promise<string> {
  const { labels } = await get(call, "/labels", { query: { tracking_number: trackingNumber } });
  const id = asText(asList(labels)[0]?.label_id);
  if (id !== undefined) return id;
  throw new RemoteError("label_not_known", `ShipEngine has no label with the tracking number ${trackingNumber}.`);
}

/** A refusal comes with status 200 and `approved: false`. */
export function voidIn({ approved, message, reason_code }: Json): VoidAnswer {
  if (approved === true || reason_code === "label_already_voided") return { state: "voided" };
  return { state: "rejected", message: asText(message) ?? "ShipEngine did not void the label." };
}

const refunds: Record<string, VoidAnswer["state"]> = {
  request_scheduled: "submitted",
  pending: "submitted",
  approved: "voided",
  rejected: "rejected",
  excluded: "not_applicable",
};

export async function findVoid(call: CarrierCall, { carrierData }: SoldLabel): Promise<VoidAnswer | undefined> {
  const id = asText(carrierData?.labelId);
  return id === undefined ? undefined : refundIn(await get(call, `/labels/${segment(id)}`));
}

function refundIn({ refund_details, voided, status }: Json): VoidAnswer | undefined {
  const refund = asText(asObject(refund_details).refund_status);
  if (refund !== undefined && Object.hasOwn(refunds, refund)) return { state: refunds[refund]! };
  return voided === true || status === "voided" ? { state: "voided" } : undefined;
}
