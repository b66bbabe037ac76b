import type { Static } from "typebox";
import type { PricedService } from "../stand-in-prices.ts";
import {
  addBusinessDays,
  billedPounds,
  freightCents,
  percentOf,
  transitDays,
  zoneBetween,
} from "../stand-in-prices.ts";
import type { Operation, StandIn } from "../stand-in-api.ts";
import { listFor, money, readBody, refuse, success, versionOf } from "./stand-in-ups-replies.ts";
import type { ShipBody } from "./stand-in-ups-requests.ts";
import { RateBody } from "./stand-in-ups-requests.ts";

type UpsService = PricedService & { isDomestic: boolean; byTime?: string; onSaturday?: true };
const service = (
  code: string,
  name: string,
  cents: [number, number, number],
  days: number,
  more: Partial<UpsService>,
) => {
  const [baseCents, perPoundCents, perZoneCents] = cents;
  return { code, name, baseCents, perPoundCents, perZoneCents, days, promisesDay: true, isDomestic: true, ...more };
};

/** Ground first and the dearest last. */
export const upsServices: UpsService[] = [
  service("03", "UPS Ground", [980, 45, 60], 1, { promisesDay: false }),
  service("12", "UPS 3 Day Select", [1650, 90, 150], 3, { byTime: "11:00 P.M." }),
  service("02", "UPS 2nd Day Air", [2240, 140, 210], 2, { byTime: "11:00 P.M.", onSaturday: true }),
  service("59", "UPS 2nd Day Air A.M.", [2590, 150, 220], 2, { byTime: "10:30 A.M." }),
  service("13", "UPS Next Day Air Saver", [3990, 210, 330], 1, { byTime: "3:00 P.M." }),
  service("01", "UPS Next Day Air", [4450, 230, 350], 1, { byTime: "10:30 A.M.", onSaturday: true }),
  service("14", "UPS Next Day Air Early", [7800, 240, 360], 1, { byTime: "8:30 A.M." }),
  service("08", "UPS Worldwide Expedited", [6200, 310, 0], 4, { isDomestic: false }),
  service("65", "UPS Worldwide Saver", [7100, 350, 0], 2, { isDomestic: false, byTime: "11:30 P.M." }),
  service("07", "UPS Worldwide Express", [7600, 370, 0], 2, { isDomestic: false, byTime: "12:00 P.M." }),
];

export const upsSurcharges = {
  fuelPercent: 18,
  residentialCents: 595,
  signatureCents: 665,
  saturdayCents: 1600,
  discountPercent: 30,
  divisor: 139,
};

export type UpsShipment =
  | Static<typeof RateBody>["RateRequest"]["Shipment"]
  | Static<typeof ShipBody>["ShipmentRequest"]["Shipment"];

export type UpsPrice = {
  zone: number;
  pounds: number[];
  baseCents: number;
  fuelCents: number;
  residentialCents: number;
  optionCents: number;
  totalCents: number;
  negotiated: { baseCents: number; fuelCents: number; totalCents: number };
};

export function upsPrice(shipment: UpsShipment, service: UpsService): UpsPrice {
  const origin = (shipment.ShipFrom ?? shipment.Shipper).Address;
  const zone = service.isDomestic ? zoneBetween(origin.PostalCode ?? "", shipment.ShipTo.Address.PostalCode ?? "") : 2;
  const pounds = shipment.Package.map((one) => billedPounds(boxOf(one), upsSurcharges.divisor));
  const baseCents = pounds.reduce((sum, weight) => sum + freightCents(service, weight, zone), 0);
  const signed = shipment.Package.filter((one) => one.PackageServiceOptions?.DeliveryConfirmation).length;
  const forShipment = shipment.ShipmentServiceOptions?.DeliveryConfirmation ? shipment.Package.length : 0;
  const saturday =
    shipment.ShipmentServiceOptions?.SaturdayDeliveryIndicator === undefined ? 0 : upsSurcharges.saturdayCents;
  const optionCents = (signed + forShipment) * upsSurcharges.signatureCents + saturday * pounds.length;
  const isResidential = shipment.ShipTo.Address.ResidentialAddressIndicator !== undefined;
  const residentialCents = isResidential ? upsSurcharges.residentialCents * pounds.length : 0;
  const fuelCents = percentOf(baseCents, upsSurcharges.fuelPercent);
  const ownBase = baseCents - percentOf(baseCents, upsSurcharges.discountPercent);
  const ownFuel = percentOf(ownBase, upsSurcharges.fuelPercent);
  const rest = residentialCents + optionCents;
  return {
    zone,
    pounds,
    baseCents,
    fuelCents,
    residentialCents,
    optionCents,
    totalCents: baseCents + fuelCents + rest,
    negotiated: { baseCents: ownBase, fuelCents: ownFuel, totalCents: ownBase + ownFuel + rest },
  };
}

function boxOf({ PackageWeight, Dimensions }: UpsShipment["Package"][number]) {
  const perUnit = { LBS: 1, KGS: 2.20462, OZS: 1 / 16 } as Record<string, number>;
  const pounds = Number(PackageWeight?.Weight ?? 1) * (perUnit[PackageWeight?.UnitOfMeasurement.Code ?? "LBS"] ?? 1);
  const inch = Dimensions?.UnitOfMeasurement.Code === "CM" ? 2.54 : 1;
  const inches = Dimensions && {
    length: Number(Dimensions.Length) / inch,
    width: Number(Dimensions.Width) / inch,
    height: Number(Dimensions.Height) / inch,
  };
  return { pounds, inches };
}

export function isDomesticShipment(shipment: UpsShipment): boolean {
  const origin = (shipment.ShipFrom ?? shipment.Shipper).Address.CountryCode;
  return origin === "US" && shipment.ShipTo.Address.CountryCode === "US";
}

/** Services between two places. Only some deliver on Saturdays. */
export function servicesFor(shipment: UpsShipment): UpsService[] {
  const isSaturday = shipment.ShipmentServiceOptions?.SaturdayDeliveryIndicator !== undefined;
  const isDomestic = isDomesticShipment(shipment);
  return upsServices.filter((one) => one.isDomestic === isDomestic && (!isSaturday || one.onSaturday));
}

/** Weights and places that no service takes. Rating and shipping have codes of their own for each. */
export function findObstacle(shipment: UpsShipment, isShipping: boolean) {
  const place = shipment.ShipTo.Address;
  if (place.CountryCode === "US" && !/^\d{5}(-?\d{4})?$/.test(place.PostalCode ?? "")) {
    return refuse(
      400,
      isShipping ? "120206" : "111286",
      `${place.PostalCode ?? ""} is not a valid postal code for United States.`,
    );
  }
  for (const one of shipment.Package) {
    const packaging = "Packaging" in one ? one.Packaging.Code : "PackagingType" in one ? one.PackagingType.Code : "02";
    if (!one.PackageWeight && packaging !== "01") {
      return refuse(400, isShipping ? "120030" : "111036", "Packages must weigh more than zero pounds.");
    }
    const { pounds } = boxOf(one);
    if (one.PackageWeight && pounds <= 0)
      return refuse(400, isShipping ? "120030" : "111036", "Packages must weigh more than zero pounds.");
    if (pounds > 150)
      return refuse(
        400,
        isShipping ? "120124" : "111035",
        "The maximum per package weight for the selected service is 150.00 pounds.",
      );
  }
  return undefined;
}

export function itemizedCharges(price: UpsPrice) {
  const lines = [{ Code: "375", ...money(price.fuelCents) }];
  return price.residentialCents > 0 ? [...lines, { Code: "270", ...money(price.residentialCents) }] : lines;
}

export function publishedCharges(price: UpsPrice, isItemized: boolean) {
  return {
    BaseServiceCharge: money(price.baseCents),
    TransportationCharges: money(price.totalCents - price.optionCents),
    ...(isItemized && { ItemizedCharges: itemizedCharges(price) }),
    ServiceOptionsCharges: money(price.optionCents),
    TotalCharges: money(price.totalCents),
  };
}

export function billingWeight(price: UpsPrice) {
  const pounds = price.pounds.reduce((sum, one) => sum + one, 0);
  return { UnitOfMeasurement: { Code: "LBS", Description: "Pounds" }, Weight: pounds.toFixed(1) };
}

/** Negotiated prices are answered if they are asked for with the account's own number, and even then not always. */
export function hasNegotiated(shipment: UpsShipment, account: string, standIn: StandIn, operation: string): boolean {
  const isAsked = shipment.ShipmentRatingOptions?.NegotiatedRatesIndicator !== undefined;
  if (!isAsked || shipment.Shipper.ShipperNumber !== account) return false;
  return !standIn.takeFault("negotiated_missing", operation);
}

export function upsRating(account: string, today: () => string): Operation[] {
  return [
    {
      name: "rate",
      method: "POST",
      path: /^\/api\/rating\/v(\d{1,4})\/(\w+)$/,
      answer(request, match, standIn) {
        const option = match[2]!.toLowerCase();
        if (!["rate", "shop", "ratetimeintransit", "shoptimeintransit"].includes(option)) {
          return refuse(400, "110601", "The request option is invalid.");
        }
        const { body, refused } = readBody(request, RateBody);
        if (!body) return refused;
        const { Request, Shipment } = body.RateRequest;
        const withTransit = option.endsWith("timeintransit");
        if (withTransit && !Shipment.DeliveryTimeInformation) {
          return refuse(400, "111549", "Delivery time information is needed for a request with time in transit.");
        }
        const isShop = option.startsWith("shop");
        if (!isShop && !Shipment.Service)
          return refuse(400, "111100", "The requested service is invalid from the selected origin.");
        const obstacle = findObstacle(Shipment, false);
        if (obstacle) return obstacle;
        const wanted = servicesFor(Shipment).filter((one) => isShop || one.code === Shipment.Service!.Code);
        if (wanted.length === 0)
          return refuse(400, "111210", "The requested service is unavailable between the selected locations.");
        let offered = standIn.takeFault("partial_rates", "rate") ? wanted.slice(0, 1) : wanted;
        if (standIn.takeFault("duplicate_rate", "rate")) offered = [wanted[0]!, ...wanted];
        const version = versionOf(match);
        const isSingle = standIn.takeFault("single_object", "rate");
        const isNegotiated = hasNegotiated(Shipment, account, standIn, "rate");
        const isItemized = Number(Request.SubVersion ?? 0) >= 1601;
        const pickupDay = Shipment.DeliveryTimeInformation?.Pickup?.Date ?? today().replaceAll("-", "");
        const rated = offered.map((one) => {
          const price = upsPrice(Shipment, one);
          return {
            ...ratedService(one, price, { version, isSingle, isItemized, isNegotiated }),
            ...(withTransit && { TimeInTransit: timeInTransit(one, price, pickupDay) }),
          };
        });
        const alert = { Code: "110971", Description: "Your invoice may vary from the displayed reference rates" };
        return {
          status: 200,
          body: {
            RateResponse: {
              Response: {
                ...success(Request.TransactionReference?.CustomerContext),
                Alert: listFor(version, [alert], isSingle),
              },
              RatedShipment: listFor(version, rated, isSingle),
            },
          },
        };
      },
    },
  ];
}

type Form = { version: number; isSingle: boolean; isItemized: boolean; isNegotiated: boolean };

function ratedService(service: UpsService, price: UpsPrice, { version, isSingle, isItemized, isNegotiated }: Form) {
  const { negotiated } = price;
  const days = transitDays(service, price.zone);
  return {
    Disclaimer: listFor(
      version,
      [{ Code: "02", Description: "Additional duties/taxes may apply and are not reflected in the total amount due." }],
      isSingle,
    ),
    Service: { Code: service.code, Description: "" },
    Zone: String(price.zone),
    RatedShipmentAlert: listFor(
      version,
      [{ Code: "110971", Description: "Your invoice may vary from the displayed reference rates" }],
      isSingle,
    ),
    RatingMethod: "01",
    BillableWeightCalculationMethod: "02",
    BillingWeight: billingWeight(price),
    ...publishedCharges(price, isItemized),
    ...(isNegotiated && {
      NegotiatedRateCharges: {
        BaseServiceCharge: money(negotiated.baseCents),
        ...(isItemized && { ItemizedCharges: [{ Code: "375", ...money(negotiated.fuelCents) }] }),
        TotalCharge: money(negotiated.totalCents),
      },
    }),
    ...(service.promisesDay && {
      GuaranteedDelivery: {
        BusinessDaysInTransit: String(days),
        ...(service.byTime && { DeliveryByTime: service.byTime }),
      },
    }),
    RatedPackage: listFor(
      version,
      // Negotiated charges of packages are zero: those of the shipment count.
      price.pounds.map((pounds) => ({
        ...(isNegotiated && { NegotiatedCharges: { BaseServiceCharge: money(0), TotalCharge: money(0) } }),
        Weight: pounds.toFixed(1),
      })),
      isSingle,
    ),
  };
}

function timeInTransit(service: UpsService, price: UpsPrice, pickupDay: string) {
  const days = transitDays(service, price.zone);
  const day = `${pickupDay.slice(0, 4)}-${pickupDay.slice(4, 6)}-${pickupDay.slice(6)}`;
  const arrival = addBusinessDays(day, days);
  const weekday = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"][new Date(`${arrival}T00:00:00Z`).getUTCDay()];
  const calendarDays = (Date.parse(arrival) - Date.parse(day)) / 86_400_000;
  return {
    PickupDate: pickupDay,
    PackageBillType: "03",
    Disclaimer: "Services listed as guaranteed are backed by a money-back guarantee for transportation charges only.",
    ServiceSummary: {
      Service: { Description: service.name },
      EstimatedArrival: {
        Arrival: { Date: arrival.replaceAll("-", ""), Time: service.byTime ? "103000" : "230000" },
        BusinessDaysInTransit: String(days),
        Pickup: { Date: pickupDay, Time: "170000" },
        DayOfWeek: weekday,
        CustomerCenterCutoff: "160000",
        TotalTransitDays: String(calendarDays),
      },
      ...(service.promisesDay && { GuaranteedIndicator: "" }),
      SaturdayDelivery: "0",
    },
  };
}
