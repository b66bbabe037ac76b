import type { Static } from "typebox";
import type { PricedService } from "../stand-in-prices.ts";
import { billedPounds, freightCents, percentOf, zoneBetween } from "../stand-in-prices.ts";
import type { CarrierReply, CarrierRequest } from "../stand-in-api.ts";
import { refuse } from "./stand-in-fedex-replies.ts";
import type { OpenShipBody, RateBody, ShipBody } from "./stand-in-fedex-requests.ts";

export type FedexService = PricedService & {
  astra: string;
  carrierCode: "FDXE" | "FDXG";
  goes: "business" | "home" | "anywhere" | "abroad";
};
const service = (
  code: string,
  name: string,
  cents: [number, number, number],
  days: number,
  more: Partial<FedexService>,
) => {
  const [baseCents, perPoundCents, perZoneCents] = cents;
  const defaults = { promisesDay: true, astra: "XX", carrierCode: "FDXE", goes: "anywhere" } as const;
  return { code, name, baseCents, perPoundCents, perZoneCents, days, ...defaults, ...more };
};
const ground = { promisesDay: false, carrierCode: "FDXG" } as const;

/** Ground to a home is another service than Ground. */
export const fedexServices: FedexService[] = [
  service("FEDEX_GROUND", "FedEx Ground®", [1010, 46, 62], 1, { ...ground, astra: "FXG", goes: "business" }),
  service("GROUND_HOME_DELIVERY", "FedEx Home Delivery®", [1040, 48, 64], 1, { ...ground, astra: "HD", goes: "home" }),
  service("FEDEX_EXPRESS_SAVER", "FedEx Express Saver®", [1720, 92, 155], 3, { astra: "XS" }),
  service("FEDEX_2_DAY", "FedEx 2Day®", [2310, 145, 215], 2, { astra: "E2" }),
  service("STANDARD_OVERNIGHT", "FedEx Standard Overnight®", [4050, 215, 335], 1, { astra: "SOS" }),
  service("PRIORITY_OVERNIGHT", "FedEx Priority Overnight®", [4520, 235, 355], 1, { astra: "P1" }),
  service("FIRST_OVERNIGHT", "FedEx First Overnight®", [7900, 245, 365], 1, { astra: "1ST", goes: "business" }),
  service("INTERNATIONAL_ECONOMY", "FedEx International Economy®", [6100, 300, 0], 5, { astra: "IE", goes: "abroad" }),
  service("FEDEX_INTERNATIONAL_PRIORITY", "FedEx International Priority®", [7200, 340, 0], 3, {
    astra: "IP",
    goes: "abroad",
  }),
];

export const fedexSurcharges = {
  fuelPercent: 14,
  residentialCents: 615,
  signatureCents: { INDIRECT: 570, DIRECT: 690, ADULT: 820 } as Record<string, number>,
  discountPercent: 25,
  taxPercentToCanada: 5,
  divisor: 139,
};

export type FedexShipment =
  | Static<typeof ShipBody>["requestedShipment"]
  | Static<typeof OpenShipBody>["requestedShipment"];
export type PricedShipment = Static<typeof RateBody>["requestedShipment"] | FedexShipment;

export type FedexPrice = {
  zone: number;
  pounds: number;
  /** By kind of price: `ACCOUNT` is the contract's, `LIST` the published one. */
  byType: Record<
    "ACCOUNT" | "LIST",
    { baseCents: number; fuelCents: number; otherCents: number; netCents: number; taxCents: number }
  >;
  lines: { type: string; description: string; cents: number }[];
};

export function recipientOf(shipment: PricedShipment) {
  return "recipient" in shipment ? shipment.recipient.address : shipment.recipients[0]!.address;
}

export function fedexPrice(shipment: PricedShipment, service: FedexService): FedexPrice {
  const to = recipientOf(shipment);
  const zone =
    service.goes === "abroad" ? 2 : zoneBetween(shipment.shipper.address.postalCode ?? "", to.postalCode ?? "");
  const items = shipment.requestedPackageLineItems.flatMap((item) =>
    Array.from({ length: item.groupPackageCount ?? 1 }, () => item),
  );
  const weights = items.map(({ weight, dimensions }) => {
    const inch = dimensions?.units === "CM" ? 2.54 : 1;
    const inches = dimensions && {
      length: dimensions.length / inch,
      width: dimensions.width / inch,
      height: dimensions.height / inch,
    };
    return billedPounds(
      { pounds: weight.value * (weight.units === "KG" ? 2.20462 : 1), inches },
      fedexSurcharges.divisor,
    );
  });
  const listBase = weights.reduce((sum, pounds) => sum + freightCents(service, pounds, zone), 0);
  const residential = to.residential ? fedexSurcharges.residentialCents * items.length : 0;
  const signature = items.reduce(
    (sum, item) => sum + (fedexSurcharges.signatureCents[item.packageSpecialServices?.signatureOptionType ?? ""] ?? 0),
    0,
  );
  const price = (baseCents: number) => {
    const fuelCents = percentOf(baseCents, fedexSurcharges.fuelPercent);
    const otherCents = residential + signature;
    const netCents = baseCents + fuelCents + otherCents;
    const taxCents = to.countryCode === "CA" ? percentOf(netCents, fedexSurcharges.taxPercentToCanada) : 0;
    return { baseCents, fuelCents, otherCents, netCents, taxCents };
  };
  return {
    zone,
    pounds: weights.reduce((sum, one) => sum + one, 0),
    byType: { ACCOUNT: price(listBase - percentOf(listBase, fedexSurcharges.discountPercent)), LIST: price(listBase) },
    lines: [
      { type: "RESIDENTIAL_DELIVERY", description: "Residential delivery", cents: residential },
      { type: "SIGNATURE_OPTION", description: "Signature option", cents: signature },
    ].filter(({ cents }) => cents > 0),
  };
}

export function servicesFor(shipment: PricedShipment): FedexService[] {
  const to = recipientOf(shipment);
  const isAbroad = to.countryCode !== shipment.shipper.address.countryCode;
  return fedexServices.filter(({ goes }) =>
    isAbroad ? goes === "abroad" : goes === "anywhere" || goes === (to.residential ? "home" : "business"),
  );
}

/** What no service takes. */
export function findObstacle(shipment: PricedShipment): CarrierReply | undefined {
  const to = recipientOf(shipment);
  if (!to.countryCode) return refuse(400, "COUNTRY.CODE.INVALID", "Country code is required or invalid.");
  if (to.countryCode === "US" && !/^\d{5}(-?\d{4})?$/.test(to.postalCode ?? "")) {
    return refuse(400, "RECIPIENT.POSTALCODE.INVALID", "Recipient postal code is missing or has an invalid format.");
  }
  const pounds = shipment.requestedPackageLineItems.map(
    ({ weight }) => weight.value * (weight.units === "KG" ? 2.20462 : 1),
  );
  if (pounds.some((one) => one <= 0))
    return refuse(400, "PACKAGE.WEIGHT.INVALID", "The package weight must be more than zero.");
  if (pounds.some((one) => one > 150))
    return refuse(400, "PACKAGE.WEIGHT.EXCEEDS.MAXIMUM", "The package weight is more than 150 LB.");
  return undefined;
}

export function findShippingObstacle(shipment: FedexShipment, request: CarrierRequest): CarrierReply | undefined {
  const obstacle = findObstacle(shipment);
  if (obstacle) return obstacle;
  for (const { contact, address } of [shipment.shipper, shipment.recipients[0]!]) {
    if (!contact.personName && !contact.companyName) {
      return refuse(400, "CONTACT.NAME.REQUIRED", "Either the companyName or the personName is needed.", request);
    }
    if (
      ["US", "CA"].includes(address.countryCode) &&
      !/^(\+?1)?\d{10}$/.test(contact.phoneNumber.replace(/[ ()-]/g, ""))
    ) {
      return refuse(400, "PHONENUMBER.INVALID", "A phone number of the US and CA has exactly 10 digits.", request);
    }
    if (["US", "CA"].includes(address.countryCode) && !address.stateOrProvinceCode) {
      return refuse(400, "STATEORPROVINCECODE.INVALID", "State or province code is required.", request);
    }
  }
  const { paymentType, payor } = shipment.shippingChargesPayment;
  if (paymentType !== "SENDER" && !payor)
    return refuse(400, "PAYOR.ACCOUNTNUMBER.MISSING", "The payor's account is needed.", request);
  const isAbroad = shipment.recipients[0]!.address.countryCode !== shipment.shipper.address.countryCode;
  if (isAbroad && !shipment.customsClearanceDetail) {
    return refuse(400, "COMMODITIES.REQUIRED", "International shipments need customsClearanceDetail.", request);
  }
  if (!servicesFor(shipment).some(({ code }) => code === shipment.serviceType)) {
    return refuse(400, "SERVICE.PACKAGECOMBINATION.INVALID", "Invalid service and packaging combination.", request);
  }
  return undefined;
}
