import type { PostageLabel, Rate, Shipment, Tracker } from "./stand-in-easypost-objects.ts";
import { fail } from "./stand-in-easypost-answers.ts";
import { easypostUser, stamp, verifyAddress } from "./stand-in-easypost-objects.ts";
import type { EasypostWorld } from "./stand-in-easypost-world.ts";
import { newDigits, newId } from "../journaled-records.ts";
import type { LabelFormat } from "../label-files.ts";
import type { CarrierReply, StandIn } from "../stand-in-api.ts";

/** Errors of a purchase with an unknown outcome: despite the status 4xx, the label may have been bought. */
const unknownOutcomes: Record<string, { code: string; message: string }> = {
  timed_out: { code: "SHIPMENT.POSTAGE.TIMED_OUT", message: "The request to the carrier timed out." },
  no_response: { code: "SHIPMENT.POSTAGE.NO_RESPONSE", message: "The carrier did not respond." },
};

export function buyShipment(
  world: EasypostWorld,
  standIn: StandIn,
  shipment: Shipment,
  { rate, insurance, reference }: { rate: Rate; insurance?: string | number | null | undefined; reference?: string },
): CarrierReply {
  if (standIn.takeFault("purchase_in_progress", "buy")) {
    return fail(422, "SHIPMENT.PURCHASE.IN_PROGRESS", "The purchase of this shipment is in progress.");
  }
  if (standIn.takeFault("postage_failure", "buy")) {
    return fail(422, "SHIPMENT.POSTAGE.FAILURE", "The carrier refused: the weight is above the limit of the service.");
  }
  if (standIn.takeFault("stale_rate", "buy")) {
    return fail(422, "SHIPMENT.POSTAGE.FAILURE", "The rate is no longer available. Rerate the shipment.");
  }
  if (standIn.takeFault("errors_as_strings", "buy")) {
    return fail(422, "SHIPMENT.POSTAGE.FAILURE", "Unable to buy postage.", [
      "The phone number of the recipient is missing.",
    ]);
  }
  if (standIn.takeFault("payment_required", "buy")) {
    return fail(402, "PAYMENT_REQUIRED", "The balance of the account is too low.");
  }
  for (const [kind, { code, message }] of Object.entries(unknownOutcomes)) {
    if (standIn.takeFault(`${kind}_before`, "buy")) return fail(422, code, message);
  }
  const bought = sell(world, standIn, shipment, { rate, insurance });
  world.shipments.save(standIn, "buy", bought, {
    id: bought.id,
    reference: reference ?? bought.reference,
    trackingNumber: bought.tracking_code,
    mode: bought.mode,
    cents: Math.round(Number(rate.rate) * 100),
  });
  world.trackers.save(standIn, "tracker", bought.tracker!);
  for (const [kind, { code, message }] of Object.entries(unknownOutcomes)) {
    if (standIn.takeFault(`${kind}_after`, "buy")) return fail(422, code, message);
  }
  return { status: 200, body: bought };
}

function sell(
  world: EasypostWorld,
  standIn: StandIn,
  shipment: Shipment,
  { rate, insurance }: { rate: Rate; insurance?: string | number | null | undefined },
): Shipment {
  const at = world.now();
  const reused = standIn.takeFault("tracking_number_reused", "buy")
    ? newestTrackingCode(world, rate.carrier)
    : undefined;
  const code = reused ?? (rate.carrier === "UPS" ? `1Z99999${newDigits(11)}` : `94001${newDigits(17)}`);
  const format = (shipment.options.label_format ?? "PNG") as LabelFormat;
  const insured = Number(insurance ?? 0);
  const fee = (type: string, amount: number) => ({
    object: "Fee" as const,
    type,
    amount: amount.toFixed(5),
    charged: true,
    refunded: false,
  });
  const fees = [fee("LabelFee", 0), fee("PostageFee", Number(rate.rate))];
  if (insured > 0) {
    const { insurance_fee_rate, insurance_fee_minimum } = easypostUser;
    fees.push(fee("InsuranceFee", Math.max(insured * Number(insurance_fee_rate), Number(insurance_fee_minimum))));
  }
  const to = verifyAddress(shipment.to_address);
  const isVerified = to.verifications.delivery?.success ?? false;
  const updated_at = stamp(at);
  return {
    ...shipment,
    updated_at,
    tracking_code: code,
    insurance: insured > 0 ? insured.toFixed(2) : null,
    selected_rate: { ...rate, created_at: updated_at, updated_at },
    postage_label: makeLabel(standIn, code, format, at),
    tracker: makeTracker(shipment, code, rate.carrier, at),
    fees,
    // The recipient's address comes back as the carrier writes it.
    ...(isVerified ? { to_address: to, buyer_address: to } : {}),
  };
}

function newestTrackingCode(world: EasypostWorld, carrier: string): string | undefined {
  return world.trackers.newest((one) => one.carrier === carrier && one.shipment_id !== null)?.tracking_code;
}

const fileTypes = { PNG: "image/png", PDF: "application/pdf", ZPL: "application/zpl", EPL2: "text/plain" };

/** Label files lie on another host, so the path is outside of the API and takes no credentials. */
export function fileUrl(standIn: StandIn, format: LabelFormat, trackingCode: string, at: Date): string {
  const day = stamp(at).slice(0, 10).replaceAll("-", "");
  return `${standIn.url}/files/postage_label/${day}/${newId("e8")}-${trackingCode}.${format.toLowerCase()}`;
}

function makeLabel(standIn: StandIn, trackingCode: string, format: LabelFormat, at: Date): PostageLabel {
  const time = stamp(at);
  return {
    object: "PostageLabel",
    id: newId("pl_"),
    created_at: time,
    updated_at: time,
    date_advance: 0,
    integrated_form: "none",
    label_date: time,
    label_resolution: 300,
    label_size: "4x6",
    label_type: "default",
    label_file_type: fileTypes[format],
    label_url: fileUrl(standIn, format, trackingCode, at),
    label_pdf_url: null,
    label_zpl_url: null,
    label_epl2_url: null,
    label_file: null,
  };
}

export function makeTracker(
  { id, mode }: { id: string | null; mode: Shipment["mode"] },
  trackingCode: string,
  carrier: string,
  at: Date,
): Tracker {
  const trackerId = newId("trk_");
  return {
    id: trackerId,
    object: "Tracker",
    mode,
    tracking_code: trackingCode,
    status: "unknown",
    status_detail: "unknown",
    created_at: stamp(at),
    updated_at: stamp(at),
    signed_by: null,
    weight: null,
    est_delivery_date: null,
    shipment_id: id,
    carrier,
    tracking_details: [],
    fees: [],
    carrier_detail: null,
    public_url: `https://track.easypost.com/${Buffer.from(`v1:${trackerId}`).toString("base64url")}`,
  };
}

/**
 * A refund is a request that is settled later. EasyPost's own postage is `submitted`; an account that the carrier bills by the scan has
 * nothing to give back. A scanned parcel is refused, and a `rejected` refund may be asked for again.
 */
export function refundShipment(world: EasypostWorld, standIn: StandIn, shipment: Shipment): CarrierReply {
  const { postage_label, refund_status, selected_rate, tracker } = shipment;
  if (!postage_label || !selected_rate) {
    return fail(422, "SHIPMENT.POSTAGE.REQUIRED", "The shipment has no postage to refund.");
  }
  if (refund_status !== null && refund_status !== "rejected") {
    return fail(422, "SHIPMENT.REFUND.UNAVAILABLE", "A refund was requested for this shipment already.");
  }
  const ageDays = (world.now().getTime() - Date.parse(postage_label.created_at)) / 86_400_000;
  if (ageDays > (selected_rate.carrier === "USPS" ? 30 : 90)) {
    return fail(422, "SHIPMENT.REFUND.UNAVAILABLE", "The time for a refund is over.");
  }
  const isScanned = tracker !== null && world.trackers.find(tracker.id)!.tracking_details.some(isScan);
  const isRejected = standIn.takeFault("refund_rejected", "void") || isScanned;
  const outcome = selected_rate.billing_type === "carrier" ? "not_applicable" : "submitted";
  const refunded = { ...shipment, refund_status: isRejected ? "rejected" : outcome, updated_at: stamp(world.now()) };
  const facts = { id: shipment.id, trackingNumber: shipment.tracking_code, status: refunded.refund_status };
  world.shipments.save(standIn, isRejected ? "void_rejected" : "void", refunded, facts);
  return { status: 200, body: refunded };
}

const isScan = ({ status }: { status: string }): boolean => status !== "pre_transit" && status !== "unknown";
