import { rateShipment } from "../seam/rate-cards.ts";
import type { CarrierCall, RateRequest, Settings } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { requirePostalCodes } from "../seam/invalid-input.ts";
import type { ChargeLine } from "../seam/labels.ts";
import { dayOf } from "../seam/local-time.ts";
import { chargeLine, priceOf } from "../seam/price.ts";
import { remoteQuote } from "../seam/quotes.ts";
import type { NoQuote, Quote } from "../seam/quotes.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { askUsps } from "./usps-request.ts";
import { domestic, extraServicesOf, measuresOf, onlyParcel, ratingOf } from "./usps-shipment.ts";
import { uspsService } from "./usps-services.ts";

/** An app may call USPS 60 times an hour, so that quotes come from the rate card unless the account says otherwise. */
export function quotesFromCard({ quotes }: Settings): boolean {
  return quotes !== "api";
}

export async function rateUsps(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]> {
  if (!quotesFromCard(call.settings)) return await rateByApi(call, request);
  if (!call.tariff) throw new RemoteError("no_rate_card", "This account has no rate card in effect on that day.");
  return rateShipment(call.tariff, request);
}

async function rateByApi(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]> {
  const { settings } = call;
  const parcel = onlyParcel(request);
  requirePostalCodes("USPS", request, domestic);
  const { codes, value } = extraServicesOf(request, undefined);
  const zip = (text: string | undefined): string => (text ?? "").slice(0, 5);
  const [only, ...further] = request.services ?? [];
  const { body } = await askUsps(call, {
    method: "POST",
    path: "/shipments/v3/options/search",
    retry: "safe",
    json: {
      originZIPCode: zip(request.from.zip),
      destinationZIPCode: zip(request.to.zip),
      destinationEntryFacilityType: "NONE",
      packageDescription: {
        ...measuresOf(parcel),
        mailClass: only !== undefined && further.length === 0 ? only : "ALL",
        mailingDate: request.shipDate,
        ...(codes.length === 0 ? {} : { extraServices: codes }),
        ...(value === undefined ? {} : { packageValue: value }),
      },
      pricingOptions: [
        {
          priceType: asText(settings.priceType) ?? "COMMERCIAL",
          paymentAccount: { accountType: "EPS", accountNumber: String(settings.accountNumber) },
        },
      ],
    },
  });
  const { rateIndicator, processingCategory } = ratingOf(request, parcel, "");
  const isChosen = parcel.packaging !== undefined || asObject(request.options.extra).rateIndicator !== undefined;
  const wanted = {
    indicators: isChosen ? [String(rateIndicator)] : undefined,
    category: String(processingCategory),
  };
  const quotes = readUspsRates(body, wanted);
  return (request.services ?? [...new Set(quotes.map(({ service }) => service))]).map(
    (service) =>
      quotes.find((quote) => quote.service === service) ?? {
        service,
        serviceName: uspsService(service).name,
        reason: "not_serviceable",
        message: "USPS does not offer this service for this parcel.",
      },
  );
}

type Wanted = { indicators: string[] | undefined; category: string };

/** Own packaging: single piece, by dimensions, oversized, cubic. Flat rates are for packaging of USPS. */
const ownPackaging = ["SP", "PA", "DR", "DN", "OS", "CP"];

/** USPS returns many prices per mail class. The cheapest counts that fits the packaging and the size. */
export function readUspsRates(body: unknown, { indicators = ownPackaging, category }: Wanted): Quote[] {
  const options = [
    ...asList(asObject(body).pricingOptions).flatMap(({ shippingOptions }) =>
      asList(shippingOptions).flatMap(({ rateOptions }) => asList(rateOptions)),
    ),
    ...asList(asObject(body).rateOptions),
  ];
  const quotes = options.flatMap((option) => readOption(option, indicators) ?? []);
  const fitting = quotes.filter(({ carrierData }) => carrierData?.processingCategory === category);
  const services = [...new Set(quotes.map(({ service }) => service))];
  return services.flatMap((service) => {
    const some = fitting.filter((quote) => quote.service === service);
    const all = quotes.filter((quote) => quote.service === service);
    return (some.length > 0 ? some : all).toSorted((a, b) => a.total - b.total)[0] ?? [];
  });
}

function readOption(option: Json, indicators: string[]): Quote | undefined {
  const [rate] = asList(option.rates);
  const rateIndicator = asText(rate?.rateIndicator);
  if (!rate || rateIndicator === undefined || !indicators.includes(rateIndicator)) return undefined;
  if ((asText(rate.destinationEntryFacilityType) ?? "NONE") !== "NONE") return undefined;
  const price = priceOf(option.totalPrice, "USD") ?? priceOf(option.totalBasePrice, "USD");
  if (!price) return undefined;
  const service = asText(rate.mailClass) ?? "";
  const commitment = asObject(option.commitment);
  const deliverBy = dayOf(asText(commitment.scheduleDeliveryDate));
  const days = daysOf(asText(commitment.name));
  const zone = asText(rate.zone)?.replace(/^0/, "");
  return remoteQuote({
    service,
    serviceName: uspsService(service).name,
    level: uspsService(service).level,
    ...price,
    lines: linesOf(rate.price, rate.fees, option.extraServices),
    ...(zone === undefined ? {} : { zone }),
    ...(days === undefined ? {} : { transitDays: days }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
    isGuaranteed: commitment.guaranteedDelivery === true,
    carrierData: { rateIndicator, processingCategory: asText(rate.processingCategory) ?? "MACHINABLE" },
  });
}

/** 3 of "3 Days" and "3-day". */
export function daysOf(text: string | undefined): number | undefined {
  const days = /^(\d+)[\s-]*day/i.exec(text ?? "")?.[1];
  return days === undefined ? undefined : Number(days);
}

/** Postage, fees such as nonstandard length, and extra services. */
export function linesOf(postage: unknown, fees: unknown, extraServices: unknown): ChargeLine[] {
  const line = (code: string, label: string, amount: unknown): ChargeLine[] =>
    chargeLine(code, label, priceOf(amount, "USD"));
  return [
    ...line("base", "Postage", postage),
    ...asList(fees).flatMap((fee) => line("fee", asText(fee.name) ?? "Fee", fee.price)),
    ...asList(extraServices).flatMap((extra) =>
      line(
        asText(extra.extraService) ?? asText(extra.SKU) ?? "extra",
        asText(extra.name) ?? "Extra service",
        extra.price,
      ),
    ),
  ];
}
