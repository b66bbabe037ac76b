import { newId } from "../journaled-records.ts";
import type { KarrioParcel, KarrioRated } from "./stand-in-karrio-bodies.ts";
import type { KarrioMessage, KarrioRate } from "./stand-in-karrio-world.ts";
import { carrierMessage } from "./stand-in-karrio-world.ts";
import type { StandIn } from "../stand-in-api.ts";
import type { Price, ServicePrice } from "../stand-in-prices.ts";
import { priceOf } from "../stand-in-prices.ts";

type Service = ServicePrice & { code: string; name: string; days: number };
export type KarrioConnection = { id: string; name: string; services: Service[] };

/** `id` is the name that the operator of the instance gave to the account, `name` the carrier. */
export const karrioConnections: KarrioConnection[] = [
  {
    id: "usps-main",
    name: "usps",
    services: [
      {
        code: "usps_ground_advantage",
        name: "USPS GROUND ADVANTAGE",
        baseCents: 460,
        perOunceCents: 9,
        perZoneCents: 21,
        days: 4,
      },
      {
        code: "usps_priority_mail",
        name: "USPS PRIORITY MAIL",
        baseCents: 710,
        perOunceCents: 12,
        perZoneCents: 40,
        days: 2,
      },
    ],
  },
  {
    id: "ups-main",
    name: "ups",
    services: [
      { code: "ups_ground", name: "UPS GROUND", baseCents: 970, perOunceCents: 6, perZoneCents: 34, days: 4 },
      {
        code: "ups_next_day_air",
        name: "UPS NEXT DAY AIR",
        baseCents: 4020,
        perOunceCents: 25,
        perZoneCents: 150,
        days: 1,
      },
    ],
  },
];

const ouncesIn = { OZ: 1, LB: 16, G: 1 / 28.349_523_125, KG: 1000 / 28.349_523_125 };

/** The sum over all parcels. */
export function karrioPrice(
  service: ServicePrice,
  {
    parcels,
    fromZip,
    toZip,
  }: { parcels: Pick<KarrioParcel, "weight" | "weight_unit">[]; fromZip: string; toZip: string },
): Price {
  const prices = parcels.map(({ weight, weight_unit }) =>
    priceOf(service, { ounces: weight * ouncesIn[weight_unit], fromZip, toZip }),
  );
  return {
    publishedCents: prices.reduce((cents, price) => cents + price.publishedCents, 0),
    negotiatedCents: prices.reduce((cents, price) => cents + price.negotiatedCents, 0),
  };
}

/** Rates of the connections that are asked for, and messages of those that gave none. */
export function ratesFor(
  standIn: StandIn,
  given: Pick<KarrioRated, "shipper" | "recipient" | "parcels" | "carrier_ids" | "services">,
  isTest: boolean,
): { rates: KarrioRate[]; messages: KarrioMessage[] } {
  const isPartial = standIn.takeFault("partial_rates", "rate");
  const hasNone = standIn.takeFault("no_rates", "rate");
  const isNegotiated = !standIn.takeFault("negotiated_price_missing", "rate");
  const rates: KarrioRate[] = [];
  const messages: KarrioMessage[] = [];
  for (const connection of karrioConnections) {
    if (given.carrier_ids?.length && !given.carrier_ids.includes(connection.id)) continue;
    if (hasNone || (isPartial && connection.name === "ups")) {
      messages.push(carrierMessage(connection, "504", "The carrier did not respond in time."));
      continue;
    }
    for (const service of connection.services) {
      if (given.services?.length && !given.services.includes(service.code)) continue;
      rates.push(makeRate(given, connection, service, { isTest, isNegotiated }));
    }
  }
  if (standIn.takeFault("duplicate_rates", "rate"))
    rates.push(...rates.map((rate) => ({ ...rate, id: newId("rat_") })));
  return { rates, messages };
}

/** `total_charge` is the account's price. The lines add up to it: base, fuel, and the discount below zero. */
function makeRate(
  { shipper, recipient, parcels }: Pick<KarrioRated, "shipper" | "recipient" | "parcels">,
  connection: KarrioConnection,
  service: Service,
  { isTest, isNegotiated }: { isTest: boolean; isNegotiated: boolean },
): KarrioRate {
  const { publishedCents, negotiatedCents } = karrioPrice(service, {
    parcels,
    fromZip: shipper.postal_code ?? "",
    toZip: recipient.postal_code ?? "",
  });
  const fuelCents = Math.round(publishedCents / 10);
  const line = (name: string, cents: number) => ({ name, amount: cents / 100, currency: "USD" as const, id: null });
  const discount = isNegotiated ? [line("Discount", negotiatedCents - publishedCents)] : [];
  return {
    id: newId("rat_"),
    object_type: "rate",
    carrier_name: connection.name,
    carrier_id: connection.id,
    currency: "USD",
    service: service.code,
    total_charge: (isNegotiated ? negotiatedCents : publishedCents) / 100,
    transit_days: service.days,
    extra_charges: [line("Base charge", publishedCents - fuelCents), line("Fuel surcharge", fuelCents), ...discount],
    estimated_delivery: null,
    meta: {
      ext: connection.name,
      carrier: connection.name,
      service_name: service.name,
      rate_provider: connection.name,
      carrier_connection_id: `car_${connection.id}`,
    },
    test_mode: isTest,
  };
}
