import { newDigits } from "../journaled-records.ts";
import type { PurchaseBody } from "./stand-in-karrio-bodies.ts";
import { makeTracker } from "./stand-in-karrio-tracking.ts";
import type { KarrioRate, KarrioShipment, KarrioWorld } from "./stand-in-karrio-world.ts";
import { carrierFailure, carrierMessage, fail } from "./stand-in-karrio-world.ts";
import { labelFile } from "../label-files.ts";
import type { CarrierReply, StandIn } from "../stand-in-api.ts";

/** The file itself is part of the answer to a purchase only. Afterwards there is its address, relative to the instance. */
export function shownShipment({ more, ...shipment }: KarrioShipment, withFile: boolean): Record<string, unknown> {
  const { label_url: url, tracking_number, label_type } = shipment;
  const file = (): string => labelFile(label_type, tracking_number ?? "").toString("base64");
  const label = { category: "label", format: label_type, print_format: null, url, base64: withFile ? file() : null };
  return { ...more, ...shipment, shipping_documents: url === null ? [] : [label] };
}

export function purchase(
  world: KarrioWorld,
  standIn: StandIn,
  shipment: KarrioShipment,
  asked: PurchaseBody,
): CarrierReply {
  if (shipment.status === "created")
    return fail(409, "state_error", `The shipment is '${shipment.status}' and cannot be purchased again`);
  if (shipment.status !== "draft")
    return fail(409, "state_error", `Shipment is ${shipment.status} and cannot be updated anymore...`);
  if (!asked.selected_rate_id && !asked.service)
    return fail(400, "validation", "Either 'selected_rate_id' or 'service' must be provided.");
  const rate = shipment.rates.find(({ id, service }) =>
    asked.selected_rate_id ? id === asked.selected_rate_id : service === asked.service,
  );
  if (!rate) return fail(400, "validation", "selected_rate_id: The rate is not one of this shipment.");
  const carrier = { name: rate.carrier_name, id: rate.carrier_id };
  if (standIn.takeFault("carrier_refused", "buy"))
    return carrierFailure([carrierMessage(carrier, "120802", "The address of the recipient is not valid.")]);
  if (standIn.takeFault("carrier_timed_out_before", "buy")) return carrierFailure([timedOut(carrier)]);
  const bought = sell(world, standIn, shipment, rate, asked);
  if (standIn.takeFault("carrier_timed_out_after", "buy")) return carrierFailure([timedOut(carrier)]);
  const warning = { ...carrierMessage(carrier, "W1", "The service guarantee is suspended."), level: "warning" };
  const messages = standIn.takeFault("warning_beside_label", "buy") ? [warning] : bought.messages;
  return { status: 200, body: shownShipment({ ...bought, messages }, true) };
}

const timedOut = (carrier: { name: string; id: string }) =>
  carrierMessage(carrier, "504", "The carrier did not respond in time.");

function sell(
  world: KarrioWorld,
  standIn: StandIn,
  shipment: KarrioShipment,
  rate: KarrioRate,
  asked: PurchaseBody,
): KarrioShipment {
  const reused = standIn.takeFault("tracking_number_reused", "buy")
    ? world.shipments.newest((one) => one.carrier_name === rate.carrier_name)?.tracking_number
    : undefined;
  const newNumber = (): string => (rate.carrier_name === "ups" ? `1Z77777${newDigits(11)}` : `92055${newDigits(17)}`);
  const number = reused ?? newNumber();
  const hasOneNumber = standIn.takeFault("one_tracking_number", "buy") || shipment.parcels.length === 1;
  // Connectors of carriers with a number for each parcel list all of them here, the lead first.
  const numbers = { tracking_numbers: shipment.parcels.map((_, index) => (index === 0 ? number : newNumber())) };
  const tracker = makeTracker({
    trackingNumber: number,
    carrierName: rate.carrier_name,
    carrierId: rate.carrier_id,
    isTest: shipment.test_mode,
    at: world.now(),
  });
  const label_type = asked.label_type ?? shipment.label_type;
  const bought: KarrioShipment = {
    ...shipment,
    status: "created",
    carrier_name: rate.carrier_name,
    carrier_id: rate.carrier_id,
    tracking_number: number,
    shipment_identifier: number,
    tracker_id: tracker.id,
    tracking_url: `/v1/trackers/${rate.carrier_name}/${number}`,
    label_type,
    label_url: `/v1/shipments/${shipment.id}/label.${label_type.toLowerCase()}`,
    service: rate.service,
    selected_rate: rate,
    selected_rate_id: rate.id,
    reference: asked.reference ?? shipment.reference,
    metadata: { ...shipment.metadata, ...asked.metadata },
    meta: { ...shipment.meta, ...rate.meta, ...(hasOneNumber ? {} : numbers) },
  };
  const facts = {
    id: bought.id,
    reference: bought.reference,
    trackingNumber: number,
    cents: Math.round(rate.total_charge * 100),
  };
  world.shipments.save(standIn, "buy", bought, facts);
  world.trackers.save(standIn, "tracker", tracker);
  return bought;
}

/** A second request is 202, not an error: it may follow a lost answer. */
export function cancelShipment(world: KarrioWorld, standIn: StandIn, shipment: KarrioShipment): CarrierReply {
  if (shipment.status === "cancelled") return { status: 202, body: shownShipment(shipment, false) };
  if (shipment.status !== "created" && shipment.status !== "draft") {
    return fail(409, "state_error", `The shipment is '${shipment.status}' and can not be cancelled anymore...`);
  }
  const isOnPickup = ({ status, trackingNumbers }: { status: string; trackingNumbers: string[] }): boolean =>
    status === "scheduled" && trackingNumbers.includes(shipment.tracking_number ?? "");
  const pickup = world.pickups.newest(isOnPickup);
  if (pickup) {
    return fail(
      409,
      "state_error",
      `This shipment is scheduled for pickup '${pickup.id}' Please cancel this shipment pickup before.`,
    );
  }
  const carrier = { name: shipment.carrier_name ?? "", id: shipment.carrier_id ?? "" };
  if (shipment.status === "created" && standIn.takeFault("void_refused", "void")) {
    return carrierFailure([carrierMessage(carrier, "190102", "The time to void this shipment is over.")]);
  }
  const cancelled: KarrioShipment = { ...shipment, status: "cancelled", label_url: null };
  const kind = shipment.status === "created" ? "void" : "draft_cancelled";
  world.shipments.save(standIn, kind, cancelled, { id: shipment.id, trackingNumber: shipment.tracking_number });
  return { status: 200, body: shownShipment(cancelled, false) };
}
