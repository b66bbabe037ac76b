import type { Message, Mode, Rate, Shipment } from "./stand-in-easypost-objects.ts";
import { stamp } from "./stand-in-easypost-objects.ts";
import { newId } from "../journaled-records.ts";
import type { StandIn } from "../stand-in-api.ts";
import type { ServicePrice } from "../stand-in-prices.ts";
import { decimalText, priceOf } from "../stand-in-prices.ts";

type Service = ServicePrice & {
  carrier: string;
  service: string;
  days: number;
  isGuaranteed?: true;
  isInternational?: true;
};

/** Express is a service of two carriers: a service name without its carrier is ambiguous. */
export const easypostServices: Service[] = [
  { carrier: "USPS", service: "GroundAdvantage", baseCents: 450, perOunceCents: 9, perZoneCents: 20, days: 4 },
  { carrier: "USPS", service: "Priority", baseCents: 700, perOunceCents: 12, perZoneCents: 40, days: 2 },
  {
    carrier: "USPS",
    service: "Express",
    baseCents: 2600,
    perOunceCents: 30,
    perZoneCents: 100,
    days: 1,
    isGuaranteed: true,
  },
  { carrier: "UPS", service: "Ground", baseCents: 980, perOunceCents: 6, perZoneCents: 35, days: 4 },
  { carrier: "UPS", service: "2ndDayAir", baseCents: 1900, perOunceCents: 15, perZoneCents: 90, days: 2 },
  {
    carrier: "UPS",
    service: "Express",
    baseCents: 4100,
    perOunceCents: 25,
    perZoneCents: 150,
    days: 1,
    isGuaranteed: true,
  },
  {
    carrier: "USPS",
    service: "PriorityMailInternational",
    baseCents: 3900,
    perOunceCents: 40,
    perZoneCents: 100,
    days: 8,
    isInternational: true,
  },
];

/** `billing_type`: EasyPost bills the postage of its own USPS account; UPS bills the scanned parcels of the user's account. */
export const carrierAccounts = [
  { id: "ca_0000000000000000000000000000usps", carrier: "USPS", type: "UspsAccount", billing_type: "easypost" },
  { id: "ca_00000000000000000000000000000ups", carrier: "UPS", type: "UpsAccount", billing_type: "carrier" },
] as const;

export function listCarrierAccounts(): unknown[] {
  return carrierAccounts.map(({ id, carrier, type, billing_type }) => ({
    id,
    object: "CarrierAccount",
    type,
    clone: false,
    created_at: "2026-01-05T09:00:00Z",
    updated_at: "2026-01-05T09:00:00Z",
    description: `${carrier} Account`,
    reference: null,
    billing_type,
    readable: carrier,
    logo: null,
    fields: [],
    credentials: {},
    test_credentials: null,
  }));
}

type Rated = Pick<Shipment, "id" | "from_address" | "to_address" | "parcel" | "customs_info" | "options">;

const military = new Set(["AA", "AE", "AP", "PR", "GU", "VI", "AS", "MP"]);

/** Why a carrier gives no price for this shipment. */
function refusalOf(
  { to_address: to, parcel, customs_info, options }: Rated,
  carrier: string,
  at: Date,
): string | undefined {
  const isAbroad = to.country !== "US";
  if ((isAbroad || military.has(to.state ?? "")) && !customs_info)
    return "Customs information is required for this destination.";
  const dayMs = 86_400_000;
  const shipDate = typeof options.label_date === "string" ? Date.parse(options.label_date) : at.getTime();
  if (shipDate - at.getTime() >= 5 * dayMs) return "The label date is too far in the future.";
  if (carrier === "USPS" && parcel.weight > 1120) return "The weight of the parcel is above the limit of 70 pounds.";
  if (carrier === "UPS" && isAbroad) return "No service to this destination.";
  return undefined;
}

/** Prices of all accounts, and why an account has none. */
export function ratesFor(
  shipment: Rated,
  { accountIds, mode, at, standIn }: { accountIds: string[]; mode: Mode; at: Date; standIn: StandIn },
): { rates: Rate[]; messages: Message[] } {
  const isPartial = standIn.takeFault("partial_rates", "rate");
  const hasNone = standIn.takeFault("no_rates", "rate");
  const lacksList = standIn.takeFault("list_price_missing", "rate");
  const raisedCents = standIn.takeFault("prices_raised", "rate") ? 100 : 0;
  const rates: Rate[] = [];
  const messages: Message[] = [];
  for (const account of carrierAccounts) {
    if (accountIds.length > 0 && !accountIds.includes(account.id)) continue;
    const isDown = hasNone || (isPartial && account.carrier === "UPS");
    const refusal = isDown ? "The carrier did not answer in time." : refusalOf(shipment, account.carrier, at);
    if (refusal) {
      messages.push({ carrier: account.carrier, carrier_account_id: account.id, type: "rate_error", message: refusal });
      continue;
    }
    const isAbroad = shipment.to_address.country !== "US";
    for (const service of easypostServices) {
      if (service.carrier !== account.carrier || (service.isInternational ?? false) !== isAbroad) continue;
      rates.push(makeRate(shipment, service, { account, mode, at, lacksList, raisedCents }));
    }
  }
  if (standIn.takeFault("duplicate_rates", "rate"))
    rates.push(...rates.map((rate) => ({ ...rate, id: newId("rate_") })));
  return { rates, messages };
}

const easypostSurcharges = { residentialCents: 510, signatureCents: 395, adultSignatureCents: 995 };

/** UPS charges more for homes, both for signatures. Contract discounts do not apply to them. */
function surchargesOf({ to_address: to, options }: Rated, { carrier }: Service): number {
  const home = carrier === "UPS" && to.residential === true ? easypostSurcharges.residentialCents : 0;
  if (options.delivery_confirmation === "SIGNATURE") return home + easypostSurcharges.signatureCents;
  return home + (options.delivery_confirmation === "ADULT_SIGNATURE" ? easypostSurcharges.adultSignatureCents : 0);
}

function makeRate(
  shipment: Rated,
  service: Service,
  {
    account,
    mode,
    at,
    lacksList,
    raisedCents,
  }: { account: (typeof carrierAccounts)[number]; mode: Mode; at: Date; lacksList: boolean; raisedCents: number },
): Rate {
  const moreCents = raisedCents + surchargesOf(shipment, service);
  const { publishedCents, negotiatedCents } = priceOf(service, {
    ounces: shipment.parcel.weight,
    fromZip: shipment.from_address.zip ?? "",
    toZip: shipment.to_address.zip ?? "",
  });
  const published = lacksList ? null : decimalText(publishedCents + moreCents);
  const currency = lacksList ? null : "USD";
  const time = stamp(at);
  const deliveryAt = new Date(at.getTime() + service.days * 86_400_000);
  return {
    id: newId("rate_"),
    object: "Rate",
    created_at: time,
    updated_at: time,
    mode,
    service: service.service,
    carrier: service.carrier,
    rate: decimalText(negotiatedCents + moreCents),
    currency: "USD",
    retail_rate: published,
    retail_currency: currency,
    list_rate: published,
    list_currency: currency,
    billing_type: account.billing_type,
    delivery_days: service.days,
    delivery_date: service.isGuaranteed ? stamp(deliveryAt) : null,
    delivery_date_guaranteed: service.isGuaranteed ?? false,
    est_delivery_days: service.days,
    shipment_id: shipment.id,
    carrier_account_id: account.id,
  };
}
