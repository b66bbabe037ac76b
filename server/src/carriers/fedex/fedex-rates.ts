import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import type { ChargeLine } from "../seam/labels.ts";
import { requirePostalCodes } from "../seam/invalid-input.ts";
import { dayOf } from "../seam/local-time.ts";
import { chargeLine, priceOf } from "../seam/price.ts";
import { oncePerService, remoteQuote } from "../seam/quotes.ts";
import type { NoQuote, Quote } from "../seam/quotes.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { accountOf, askFedex } from "./fedex-request.ts";
import { daysOf, fedexService } from "./fedex-services.ts";
import { packagesOf, placeOf, shipmentOf } from "./fedex-shipment.ts";

const withPostalCodes = new Set(["US", "PR", "CA"]);

export async function rateFedex(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]> {
  requirePostalCodes("FedEx", request, withPostalCodes);
  const { services, options } = request;
  const [only, ...further] = services ?? [];
  const { output } = await askFedex(call, {
    method: "POST",
    path: "/rate/v1/rates/quotes",
    retry: "safe",
    json: {
      accountNumber: accountOf(call),
      rateRequestControlParameters: { returnTransitTimes: true, servicesNeededOnRateFailure: true },
      requestedShipment: {
        ...shipmentOf(call, request),
        // Quotes take places only, and are prices of this account also if another party pays.
        shipper: { address: { ...placeOf(request.from, "sender"), residential: false } },
        recipient: { address: { ...placeOf(request.to, "recipient"), residential: options.residential === true } },
        rateRequestType: ["ACCOUNT", "LIST"],
        shipDateStamp: request.shipDate,
        ...(only !== undefined && further.length === 0 ? { serviceType: only } : {}),
        requestedPackageLineItems: packagesOf(request, () => ({})),
      },
    },
  });
  const quotes = readFedexRates(output);
  if (!services) return quotes;
  return services.map((service) => quotes.find((quote) => quote.service === service) ?? noQuote(service, "", output));
}

export function readFedexRates(output: Json): (Quote | NoQuote)[] {
  return oncePerService(asList(output.rateReplyDetails).map((reply) => readReply(reply, output)));
}

function readReply(reply: Json, output: Json): Quote | NoQuote {
  const service = asText(reply.serviceType) ?? "";
  const serviceName = asText(reply.serviceName) ?? fedexService(service).name;
  const details = asList(reply.ratedShipmentDetails);
  const own = detailOf(details, /ACCOUNT|INCENTIVE/) ?? detailOf(details, /LIST/) ?? details[0];
  const price = own && netOf(own);
  if (!own || !price) return noQuote(service, messageOf(reply.customerMessages), output, serviceName);
  const list = detailOf(details, /LIST/);
  const listPrice = list && netOf(list);
  const operational = asObject(reply.operationalDetail);
  const commit = asObject(reply.commit);
  const deliverBy = dayOf(asText(asObject(commit.dateDetail).dayFormat)) ?? dayOf(asText(operational.deliveryDate));
  const days =
    daysOf(asText(operational.transitTime)) ?? daysOf(asText(asObject(commit.transitDays).minimumTransitTime));
  const zone = asText(asObject(own.shipmentRateDetail).rateZone);
  return remoteQuote({
    service,
    serviceName,
    level: fedexService(service).level,
    cents: price.cents,
    currency: price.currency,
    ...(listPrice && listPrice.currency === price.currency ? { listCents: listPrice.cents } : {}),
    lines: linesOf(own, asObject(own.shipmentRateDetail), price.currency),
    ...(zone === undefined ? {} : { zone }),
    ...(days === undefined ? {} : { transitDays: days }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
    isGuaranteed: operational.ineligibleForMoneyBackGuarantee === false,
  });
}

/** Rate types are ACCOUNT and LIST in quotes, PAYOR_ACCOUNT_SHIPMENT and PAYOR_LIST_SHIPMENT on labels. */
export function detailOf(details: Json[], type: RegExp): Json | undefined {
  return details.find((detail) => type.test(asText(detail.rateType) ?? ""));
}

/** With taxes: what the bill says. */
export function netOf(detail: Json): { cents: number; currency: string } | undefined {
  const currency = asText(detail.currency) ?? asText(asObject(detail.shipmentRateDetail).currency) ?? "USD";
  return priceOf(detail.totalNetCharge, currency) ?? priceOf(detail.totalNetFedExCharge, currency);
}

/** Base price, discounts, surcharges and taxes. Quotes and labels spell the members differently. */
export function linesOf(totals: Json, detail: Json, currency: string): ChargeLine[] {
  const line = (code: string, label: string, amount: unknown, sign = 1): ChargeLine[] =>
    chargeLine(code, label, priceOf(amount, currency), sign);
  const surcharges = [...asList(detail.surCharges), ...asList(detail.surcharges)];
  return [
    ...line("base", "Base price", totals.totalBaseCharge ?? detail.totalBaseCharge),
    ...line("discount", "Discount", detail.totalFreightDiscount ?? detail.totalFreightDiscounts, -1),
    ...surcharges.flatMap((item) => {
      const code = asText(item.type) ?? asText(item.surchargeType) ?? "surcharge";
      return line(code, asText(item.description) ?? code, item.amount);
    }),
    ...asList(detail.taxes).flatMap((item) => line("tax", asText(item.description) ?? "Tax", item.amount)),
  ];
}

function noQuote(service: string, reason: string, output: Json, serviceName = fedexService(service).name): NoQuote {
  const words = reason === "" ? messageOf(output.alerts) : reason;
  const message = words === "" ? "FedEx does not offer this service for this shipment." : `FedEx: ${words}`;
  return { service, serviceName, reason: "not_serviceable", message };
}

/** Notes about the whole response are no reason for a single service. */
function messageOf(messages: unknown): string {
  return asList(messages)
    .filter(({ alertType }) => asText(alertType) !== "NOTE")
    .flatMap(({ message }) => asText(message) ?? [])
    .join("; ");
}
