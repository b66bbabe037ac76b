import { checkRates } from "./stand-in-shipengine-bodies.ts";
import type { RatedShipment, SeAddress } from "./stand-in-shipengine-bodies.ts";
import type { SeCarrier, SeService } from "./stand-in-shipengine-services.ts";
import { ouncesOf, shipengineCarriers, shipenginePrice } from "./stand-in-shipengine-services.ts";
import type { SeShipment, ShipengineWorld } from "./stand-in-shipengine-world.ts";
import { fail, missing, refuse, seId, shownShipment, usd } from "./stand-in-shipengine-world.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";
import { zoneBetween } from "../stand-in-prices.ts";

const completed = (address: SeAddress): SeAddress => ({
  phone: null,
  company_name: null,
  address_line2: null,
  address_line3: null,
  address_residential_indicator: "unknown",
  ...address,
});

const plainOptions = {
  bill_to_account: null,
  bill_to_country_code: null,
  bill_to_party: null,
  bill_to_postal_code: null,
  contains_alcohol: false,
  delivered_duty_paid: false,
  non_machinable: false,
  saturday_delivery: false,
  dry_ice: false,
  dry_ice_weight: null,
  freight_class: null,
  custom_field1: null,
  custom_field2: null,
  custom_field3: null,
  collect_on_delivery: null,
};

/** Undefined: neither a sender nor a warehouse is named. */
export function makeShipment(
  world: ShipengineWorld,
  given: RatedShipment,
  chosen: { carrierId: string | null; serviceCode: string | null },
): SeShipment | undefined {
  if (!given.ship_from) return undefined;
  const at = world.now().toISOString();
  const total = given.packages.reduce((ounces, { weight }) => ounces + ouncesOf(weight), 0);
  const id = seId();
  return {
    id,
    shipment_id: id,
    carrier_id: chosen.carrierId,
    service_code: chosen.serviceCode,
    external_shipment_id: given.external_shipment_id ?? null,
    ship_date: `${(given.ship_date ?? at).slice(0, 10)}T00:00:00Z`,
    created_at: at,
    modified_at: at,
    shipment_status: "pending",
    ship_to: completed(given.ship_to),
    ship_from: completed(given.ship_from),
    warehouse_id: given.warehouse_id ?? null,
    return_to: completed(given.return_to ?? given.ship_from),
    confirmation: given.confirmation ?? "none",
    customs: given.customs ?? { contents: "merchandise", customs_items: [], non_delivery: "return_to_sender" },
    packages: given.packages.map((one) => ({
      package_code: "package",
      insured_value: usd(0),
      label_messages: { reference1: null, reference2: null, reference3: null },
      external_package_id: null,
      ...one,
    })),
    total_weight: { value: Math.round(total * 100) / 100, unit: "ounce" },
    more: {
      external_order_id: given.external_order_id ?? null,
      order_source_code: null,
      advanced_options: { ...plainOptions, ...given.advanced_options },
      insurance_provider: given.insurance_provider ?? "none",
      tags: [],
      items: [],
    },
  };
}

/** An external id belongs to one shipment for good, also if its label was voided or it was only rated. */
export function hasExternalId(world: ShipengineWorld, externalId: string | null | undefined): boolean {
  return !!externalId && world.shipments.newest((one) => one.external_shipment_id === externalId) !== undefined;
}

export const externalIdConflict = (externalId: string | null | undefined): CarrierReply =>
  fail(400, {
    type: "business_rules",
    code: "identifier_conflict",
    field: "shipment.external_shipment_id",
    message: `The external_shipment_id ${externalId} is in use already.`,
  });

function rateShipment(world: ShipengineWorld, standIn: StandIn, body: unknown): CarrierReply {
  const { value, problems } = checkRates(body);
  if (problems) return refuse(problems);
  const { rate_options: options, shipment: given, shipment_id } = value;
  const unknownId = options.carrier_ids.find((id) => !shipengineCarriers.some((carrier) => carrier.id === id));
  if (unknownId) {
    return fail(400, {
      code: "invalid_identifier",
      field: "rate_options.carrier_ids",
      message: `The carrier ${unknownId} is not connected.`,
    });
  }
  if (given && hasExternalId(world, given.external_shipment_id)) return externalIdConflict(given.external_shipment_id);
  if (!given && !shipment_id)
    return fail(400, {
      code: "field_value_required",
      field: "shipment",
      message: "shipment or shipment_id is required.",
    });
  const shipment = given
    ? makeShipment(world, given, { carrierId: null, serviceCode: null })
    : world.shipments.find(shipment_id!);
  if (!shipment) {
    return given
      ? fail(400, {
          code: "field_value_required",
          field: "shipment.ship_from",
          message: "ship_from or warehouse_id is required.",
        })
      : missing(`Shipment ID ${shipment_id} was not found.`);
  }
  if (given)
    world.shipments.save(standIn, "shipment", shipment, { id: shipment.id, reference: shipment.external_shipment_id });
  const comparison = given?.comparison_rate_type === "retail";
  const rate_response = ratesFor(world, standIn, shipment, {
    carrierIds: options.carrier_ids,
    serviceCodes: options.service_codes,
    comparison,
  });
  return { status: 200, body: { rate_response, ...shownShipment(shipment) } };
}

function ratesFor(
  world: ShipengineWorld,
  standIn: StandIn,
  shipment: SeShipment,
  asked: { carrierIds: string[]; serviceCodes: string[] | undefined; comparison: boolean },
): Record<string, unknown> {
  const isPartial = standIn.takeFault("partial_rates", "rate");
  const hasNone = standIn.takeFault("no_rates", "rate");
  const isNegotiated = !standIn.takeFault("negotiated_price_missing", "rate");
  const rates: unknown[] = [];
  const invalid: unknown[] = [];
  const errors: unknown[] = [];
  for (const carrier of shipengineCarriers.filter(({ id }) => asked.carrierIds.includes(id))) {
    if (hasNone || (isPartial && carrier.code === "ups")) {
      const text = { error_source: "carrier", error_type: "integrations", error_code: "unspecified" };
      errors.push({
        ...text,
        message: "A shipping carrier error occurred: The carrier timed out.",
        carrier_id: carrier.id,
        carrier_code: carrier.code,
      });
      continue;
    }
    const isRefused = shipment.packages.length > 1 && !carrier.takesSeveralPackages;
    for (const service of carrier.services) {
      if (asked.serviceCodes?.length && !asked.serviceCodes.includes(service.code)) continue;
      const rate = makeRate(world, standIn, shipment, { carrier, service, isNegotiated, comparison: asked.comparison });
      if (!isRefused) rates.push(rate);
      else
        invalid.push({
          ...rate,
          validation_status: "invalid",
          error_messages: ["This service does not take several packages."],
        });
    }
  }
  if (standIn.takeFault("duplicate_rates", "rate")) rates.push(...structuredClone(rates));
  return {
    rates,
    invalid_rates: invalid,
    rate_request_id: seId(),
    shipment_id: shipment.id,
    created_at: world.now().toISOString(),
    status: errors.length === 0 ? "completed" : rates.length > 0 ? "partial" : "error",
    errors,
  };
}

function makeRate(
  world: ShipengineWorld,
  standIn: StandIn,
  shipment: SeShipment,
  {
    carrier,
    service,
    isNegotiated,
    comparison,
  }: { carrier: SeCarrier; service: SeService; isNegotiated: boolean; comparison: boolean },
): Record<string, unknown> {
  const [fromZip, toZip] = [shipment.ship_from.postal_code, shipment.ship_to.postal_code];
  const { packages, confirmation } = shipment;
  const price = shipenginePrice(service, { packages, fromZip, toZip, confirmation }, isNegotiated);
  const id = seId();
  const row = {
    id,
    shipmentId: shipment.id,
    carrierId: carrier.id,
    serviceCode: service.code,
    totalCents: price.totalCents,
  };
  world.rates.save(standIn, "rate", row);
  const deliveryAt = new Date(Date.parse(shipment.ship_date) + service.days * 86_400_000);
  return {
    rate_id: id,
    rate_type: "shipment",
    carrier_id: carrier.id,
    shipping_amount: usd(price.shippingCents),
    insurance_amount: usd(0),
    confirmation_amount: usd(price.confirmationCents),
    other_amount: usd(price.otherCents),
    ...(comparison ? { requested_comparison_amount: usd(price.publishedCents) } : {}),
    rate_details: [
      {
        rate_detail_type: "shipping",
        carrier_description: "Base charge",
        carrier_billing_code: "BASE",
        amount: usd(price.shippingCents),
      },
      {
        rate_detail_type: "fuel_charge",
        carrier_description: "Fuel surcharge",
        carrier_billing_code: "FUEL",
        amount: usd(price.otherCents),
      },
    ],
    zone: zoneBetween(fromZip, toZip),
    package_type: "package",
    delivery_days: service.days,
    guaranteed_service: service.isGuaranteed,
    estimated_delivery_date: deliveryAt.toISOString().replace(".000Z", "Z"),
    carrier_delivery_days: String(service.days),
    ship_date: shipment.ship_date,
    negotiated_rate: isNegotiated,
    service_type: service.name,
    service_code: service.code,
    trackable: true,
    carrier_code: carrier.code,
    carrier_nickname: `${carrier.name} account`,
    carrier_friendly_name: carrier.name,
    validation_status: "valid",
    warning_messages: [],
    error_messages: [],
  };
}

export function rateOperations(world: ShipengineWorld): Operation[] {
  return [
    {
      name: "rate",
      method: "POST",
      path: /^\/v1\/rates$/,
      answer: (request, _match, standIn) => rateShipment(world, standIn, request.json()),
    },
  ];
}
