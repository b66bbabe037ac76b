import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import type { ChargeLine } from "../seam/labels.ts";
import { requirePostalCodes } from "../seam/invalid-input.ts";
import { compactDay, dayOf } from "../seam/local-time.ts";
import { poundsOf } from "../seam/measures.ts";
import { kilogramsOf } from "../seam/measures.ts";
import { chargeLine, priceOf } from "../seam/price.ts";
import { oncePerService, remoteQuote } from "../seam/quotes.ts";
import type { NoQuote, Quote } from "../seam/quotes.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { wholeDays } from "../seam/storable.ts";
import { isDomestic, partiesOf, usesPounds } from "./ups-parties.ts";
import { askUps } from "./ups-request.ts";
import { upsService } from "./ups-services.ts";
import { packagesOf, returnServiceOf, serviceOptionsOf, shipmentCharges } from "./ups-shipment.ts";

const withPostalCodes = new Set(["US", "PR", "CA"]);

/** One request prices every service. UPS names the day of arrival only if it is asked for transit times with it. */
export async function rateUps(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]> {
  requirePostalCodes("UPS", request, withPostalCodes);
  const [only, ...further] = request.services ?? [];
  const isOne = only !== undefined && further.length === 0;
  const { body } = await askUps(call, {
    method: "POST",
    path: `/rating/v2409/${isOne ? "Ratetimeintransit" : "Shoptimeintransit"}`,
    json: rateBody(call, request, isOne ? only : undefined),
    retry: "safe",
  });
  return selectServices(readUpsRates(body, isDomestic(request)), request.services);
}

/** The quotes of the services that were asked for; those UPS left out have no quote. */
function selectServices(quotes: (Quote | NoQuote)[], services: string[] | undefined): (Quote | NoQuote)[] {
  if (!services) return quotes;
  return services.map(
    (service) =>
      quotes.find((quote) => quote.service === service) ?? {
        service,
        serviceName: upsService(service).name,
        reason: "not_serviceable",
        message: "UPS does not offer this service for this shipment.",
      },
  );
}

function rateBody(call: CarrierCall, request: RateRequest, service: string | undefined): Json {
  const ReturnService = returnServiceOf(request);
  const options = { ...serviceOptionsOf(request), ...(ReturnService ? { ReturnService } : {}) };
  return {
    RateRequest: {
      // Itemized charges and zones are returned from these subversions on.
      Request: { SubVersion: "2409" },
      Shipment: {
        ...partiesOf(request, call.settings, "quote"),
        PaymentDetails: { ShipmentCharge: shipmentCharges(request, call.settings) },
        ShipmentRatingOptions: { NegotiatedRatesIndicator: "" },
        ...(service === undefined ? {} : { Service: { Code: service } }),
        NumOfPieces: String(request.parcels.length),
        Package: packagesOf(request, "rate", () => ({})),
        ...(Object.keys(options).length === 0 ? {} : { ShipmentServiceOptions: options }),
        ...(isDomestic(request) ? {} : abroad(request)),
        DeliveryTimeInformation: { PackageBillType: "03", Pickup: { Date: compactDay(request.shipDate) } },
      },
    },
  };
}

/** UPS wants total weight and value for transit times across a border. */
function abroad({ from, parcels, options }: RateRequest): Json {
  const inPounds = usesPounds(from);
  const weight = parcels.reduce(
    (sum, parcel) => sum + (inPounds ? poundsOf(parcel.weight, 1) : kilogramsOf(parcel.weight)),
    0,
  );
  const items = options.customs?.items ?? [];
  const value = items.reduce((sum, item) => sum + item.value.amount * item.quantity, 0);
  return {
    ShipmentTotalWeight: {
      UnitOfMeasurement: { Code: inPounds ? "LBS" : "KGS" },
      Weight: String(Math.round(weight * 10) / 10),
    },
    InvoiceLineTotal: {
      CurrencyCode: items[0]?.value.currency ?? options.insuredValue?.currency ?? "USD",
      MonetaryValue: String(Math.max(Math.round(value > 0 ? value : (options.insuredValue?.amount ?? 1)), 1)),
    },
  };
}

export function readUpsRates(body: unknown, domestic: boolean): (Quote | NoQuote)[] {
  const rated = asList(asObject(asObject(body).RateResponse).RatedShipment);
  return oncePerService(rated.map((one) => readRated(one, domestic)));
}

/** A shipment has a negotiated price only if it qualifies for one; otherwise the published price is charged. */
function readRated(rated: Json, domestic: boolean): Quote | NoQuote {
  const code = asText(asObject(rated.Service).Code) ?? "";
  const known = upsService(code);
  const transit = asObject(asObject(rated.TimeInTransit).ServiceSummary);
  const arrival = asObject(transit.EstimatedArrival);
  const guaranteed = asObject(rated.GuaranteedDelivery);
  const serviceName = asText(asObject(transit.Service).Description) ?? known.name;
  const negotiated = asObject(rated.NegotiatedRateCharges);
  const published = priceIn(rated.TotalCharges);
  const own = priceIn(negotiated.TotalCharge);
  const price = own ?? published;
  if (!price)
    return { service: code, serviceName, reason: "no_price", message: "UPS returned no price for this service." };
  const days = wholeDays(arrival.BusinessDaysInTransit) ?? wholeDays(guaranteed.BusinessDaysInTransit);
  const deliverBy = dayOf(asText(asObject(arrival.Arrival).Date));
  const zone = asText(rated.Zone);
  return remoteQuote({
    service: code,
    serviceName,
    // Outside of the US the same codes stand for other services.
    level: domestic ? known.level : null,
    currency: price.currency,
    cents: price.cents,
    ...(published && published.currency === price.currency ? { listCents: published.cents } : {}),
    lines: chargeLines(own ? negotiated : rated),
    ...(zone === undefined ? {} : { zone }),
    ...(days === undefined ? {} : { transitDays: days }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
    isGuaranteed: "GuaranteedIndicator" in transit || "BusinessDaysInTransit" in guaranteed,
  });
}

export function priceIn(value: unknown): ReturnType<typeof priceOf> {
  const { CurrencyCode, MonetaryValue } = asObject(value);
  return priceOf(MonetaryValue, asText(CurrencyCode) ?? "USD");
}

const chargeNames: Record<string, string> = {
  "100": "Additional handling",
  "120": "Signature",
  "190": "Extended area",
  "270": "Residential",
  "300": "Saturday delivery",
  "375": "Fuel surcharge",
  "376": "Delivery area",
  "400": "Declared value",
  "434": "Surge fee",
};

/** Base price and surcharges, where UPS lists them. */
export function chargeLines(charges: Json): ChargeLine[] {
  return [
    ...asList(charges.BaseServiceCharge).flatMap((item) => chargeLine("base", "Base price", priceIn(item))),
    ...asList(charges.ItemizedCharges).flatMap((item) => {
      const code = asText(item.Code) ?? "other";
      const label = chargeNames[code] ?? asText(item.Description) ?? asText(item.SubType) ?? `Charge ${code}`;
      return chargeLine(code, label, priceIn(item));
    }),
  ];
}
