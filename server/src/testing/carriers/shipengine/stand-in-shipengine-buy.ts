import { newDigits } from "../journaled-records.ts";
import type { LabelFormat } from "../label-files.ts";
import { labelFile } from "../label-files.ts";
import { checkLabel, checkLabelOptions } from "./stand-in-shipengine-bodies.ts";
import type { LabelOptions } from "./stand-in-shipengine-bodies.ts";
import { externalIdConflict, hasExternalId, makeShipment } from "./stand-in-shipengine-rates.ts";
import { shipengineCarriers, shipenginePrice } from "./stand-in-shipengine-services.ts";
import type { SeLabel, SeShipment, ShipengineWorld } from "./stand-in-shipengine-world.ts";
import { fail, missing, refuse, seId, usd } from "./stand-in-shipengine-world.ts";
import type { CarrierReply, StandIn } from "../stand-in-api.ts";

export const formats: Record<string, { format: LabelFormat; type: string }> = {
  pdf: { format: "PDF", type: "application/pdf" },
  png: { format: "PNG", type: "image/png" },
  zpl: { format: "ZPL", type: "application/zpl" },
};

/** Inline: one data URL in `href`. Else addresses that need no key; PDF, PNG and ZPL are all there, `href` is the format asked for. */
function downloadOf(standIn: StandIn, { label, id }: SeLabel, type: string | null): Record<string, string> | null {
  if (label.status === "processing") return null;
  const asked = String(label.label_format);
  if (type === "inline") {
    const { format, type: contentType } = formats[asked]!;
    const data = labelFile(format, label.tracking_number).toString("base64");
    return { href: `data:${contentType};base64,${data}` };
  }
  const url = (format: string): string =>
    `${standIn.url}/v1/downloads/14/${id}/label-${label.tracking_number}.${format}`;
  return { href: url(asked), pdf: url("pdf"), png: url("png"), zpl: url("zpl") };
}

export function shownLabel(standIn: StandIn, row: SeLabel, type: string | null): Record<string, unknown> {
  return { ...row.label, label_download: downloadOf(standIn, row, type) };
}

/** Errors of a purchase that did not happen. */
function refusalOf(standIn: StandIn, carrierId: string): CarrierReply | undefined {
  const carrier = { source: "carrier", type: "business_rules", code: "unspecified", carrierId };
  if (standIn.takeFault("carrier_refused", "buy")) {
    return fail(400, {
      ...carrier,
      message: "A shipping carrier reported an error when processing your request. Invalid ship to address.",
    });
  }
  if (standIn.takeFault("insufficient_funds", "buy")) {
    return fail(400, {
      type: "account_status",
      code: "insufficient_funds",
      message: "There are not enough funds to buy the label.",
      carrierId,
    });
  }
  return standIn.takeFault("carrier_timed_out_before", "buy") ? timedOut(carrierId) : undefined;
}

const timedOut = (carrierId: string): CarrierReply =>
  fail(400, {
    source: "carrier",
    type: "integrations",
    code: "unspecified",
    message: "The carrier did not respond in time.",
    carrierId,
  });

function sell(
  world: ShipengineWorld,
  standIn: StandIn,
  shipment: SeShipment,
  bought: { carrierId: string; serviceCode: string; totalCents: number; options: LabelOptions; isReturn: boolean },
): CarrierReply {
  const refusal = refusalOf(standIn, bought.carrierId);
  if (refusal) return refusal;
  const carrier = shipengineCarriers.find(({ id }) => id === bought.carrierId)!;
  const at = world.now().toISOString();
  const reused = standIn.takeFault("tracking_number_reused", "buy")
    ? world.labels.newest(({ label }) => label.carrier_code === carrier.code)?.label.tracking_number
    : undefined;
  const newNumber = (): string => (carrier.code === "ups" ? `1Z88888${newDigits(11)}` : `94055${newDigits(17)}`);
  const numbers = shipment.packages.map((_, index) => (index === 0 && reused ? reused : newNumber()));
  const status = standIn.takeFault("label_error", "buy")
    ? "error"
    : standIn.takeFault("label_processing", "buy")
      ? "processing"
      : "completed";
  const id = seId();
  const sold: SeShipment = {
    ...shipment,
    carrier_id: bought.carrierId,
    service_code: bought.serviceCode,
    shipment_status: "label_purchased",
    modified_at: at,
  };
  const row: SeLabel = {
    id,
    shipment: sold,
    isVoided: false,
    createdAt: at,
    manifestId: null,
    events: [],
    label: {
      label_id: id,
      status,
      shipment_id: shipment.id,
      external_shipment_id: shipment.external_shipment_id,
      external_order_id: shipment.more.external_order_id,
      ship_date: shipment.ship_date,
      created_at: at,
      shipment_cost: usd(bought.totalCents),
      insurance_cost: usd(0),
      tracking_number: numbers[0]!,
      is_return_label: bought.isReturn,
      rma_number: null,
      is_international: shipment.ship_to.country_code !== shipment.ship_from.country_code,
      batch_id: "",
      carrier_id: carrier.id,
      charge_event: "carrier_default",
      service_code: bought.serviceCode,
      package_code: "package",
      voided: false,
      voided_at: null,
      label_format: bought.options.label_format ?? "pdf",
      display_scheme: "label",
      label_layout: bought.options.label_layout ?? "4x6",
      trackable: true,
      label_image_id: null,
      carrier_code: carrier.code,
      tracking_status: "in_transit",
      form_download: null,
      insurance_claim: null,
      qr_code_download: null,
      paperless_download: null,
      ship_to: shipment.ship_to,
      packages: shipment.packages.map(({ package_code = "package", weight, dimensions, label_messages }, index) => ({
        package_id: Number(newDigits(9)),
        package_code,
        weight,
        dimensions: dimensions ?? { unit: "inch", length: 0, width: 0, height: 0 },
        insured_value: usd(0),
        tracking_number: numbers[index]!,
        label_messages,
        external_package_id: null,
        sequence: index + 1,
      })),
    },
  };
  if (status === "error") return { status: 200, body: shownLabel(standIn, row, "url") };
  world.shipments.save(standIn, "shipment", sold, { id: shipment.id });
  const facts = { id, reference: shipment.external_shipment_id, trackingNumber: numbers[0], cents: bought.totalCents };
  world.labels.save(standIn, "buy", row, facts);
  if (standIn.takeFault("carrier_timed_out_after", "buy")) return timedOut(carrier.id);
  return { status: 200, body: shownLabel(standIn, row, bought.options.label_download_type ?? "url") };
}

export function buyInline(world: ShipengineWorld, standIn: StandIn, body: unknown): CarrierReply {
  const { value, problems } = checkLabel(body);
  if (problems) return refuse(problems);
  const { shipment: given } = value;
  const carrier = shipengineCarriers.find(({ id }) => id === given.carrier_id);
  if (!carrier)
    return fail(400, {
      code: "invalid_identifier",
      field: "shipment.carrier_id",
      message: `The carrier ${given.carrier_id} is not connected.`,
    });
  const service = carrier.services.find(({ code }) => code === given.service_code);
  if (!service)
    return fail(400, {
      code: "invalid_field_value",
      field: "shipment.service_code",
      message: `${given.service_code} is not a service of the carrier.`,
    });
  if (given.packages.length > 1 && !carrier.takesSeveralPackages) {
    return fail(400, {
      type: "business_rules",
      code: "invalid_field_value",
      field: "shipment.packages",
      message: "This service does not take several packages.",
    });
  }
  if (hasExternalId(world, given.external_shipment_id)) return externalIdConflict(given.external_shipment_id);
  const shipment = makeShipment(world, given, { carrierId: carrier.id, serviceCode: service.code });
  if (!shipment)
    return fail(400, {
      code: "field_value_required",
      field: "shipment.ship_from",
      message: "ship_from or warehouse_id is required.",
    });
  const [fromZip, toZip] = [shipment.ship_from.postal_code, shipment.ship_to.postal_code];
  const { totalCents } = shipenginePrice(service, {
    packages: shipment.packages,
    fromZip,
    toZip,
    confirmation: shipment.confirmation,
  });
  const isReturn = value.is_return_label ?? false;
  return sell(world, standIn, shipment, {
    carrierId: carrier.id,
    serviceCode: service.code,
    totalCents,
    options: value,
    isReturn,
  });
}

/** Nothing holds a second purchase with the same rate: it buys another label. */
export function buyRate(world: ShipengineWorld, standIn: StandIn, rateId: string, body: unknown): CarrierReply {
  const { value, problems } = checkLabelOptions(body);
  if (problems) return refuse(problems);
  const rate = world.rates.find(rateId);
  const shipment = rate && world.shipments.find(rate.shipmentId);
  if (!rate || !shipment) return missing(`Rate ID ${rateId} was not found.`);
  const { carrierId, serviceCode, totalCents } = rate;
  return sell(world, standIn, shipment, { carrierId, serviceCode, totalCents, options: value, isReturn: false });
}
