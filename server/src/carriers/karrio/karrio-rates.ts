import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { centsOf } from "../seam/money.ts";
import { remoteQuote } from "../seam/quotes.ts";
import type { NoQuote, Quote } from "../seam/quotes.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { dayOrInstant, oneLine, wholeDays } from "../seam/storable.ts";
import { missingServices, readableName } from "../seam/service-names.ts";
import { post, reasonOf } from "./karrio-api.ts";
import { shipmentBody } from "./karrio-shipment.ts";

/** The proxy prices without leaving a shipment behind in karrio. */
export async function rate(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]> {
  const { services } = request;
  const body = { ...shipmentBody(request, call.settings, false), ...(services ? { services } : {}) };
  return quotesIn(await post(call, "/v1/proxy/rates", body, { retry: "safe" }), services);
}

export type Rate = {
  id: string | undefined;
  service: string;
  carrierId: string;
  carrierName: string | undefined;
  cents: number;
  currency: string;
  lines: { code: string; label: string; cents: number }[];
  transitDays: number | undefined;
  deliverBy: string | undefined;
  isTest: boolean;
};

export function quotesIn(answer: Json, services?: readonly string[]): (Quote | NoQuote)[] {
  const unreadable: NoQuote[] = [];
  const best = new Map<string, { quote: Quote; cents: number }>();
  for (const one of asList(answer.rates)) {
    const service = asText(one.service) ?? "unknown";
    const serviceName = asText(asObject(one.meta).service_name) ?? readableName(service);
    if (services && !services.includes(service)) continue;
    try {
      const found = readRate(one);
      const known = best.get(service);
      if (!known || found.cents < known.cents)
        best.set(service, { quote: quoteOf(found, serviceName), cents: found.cents });
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      unreadable.push({ service, serviceName, reason: "unreadable_price", message: error.message });
    }
  }
  const refusals = asList(answer.messages)
    .map(refusal)
    .filter(({ message }) => message !== "");
  const words = refusals.map(({ message }) => message).join(" ");
  const priced = new Set([...best.keys(), ...unreadable.map(({ service }) => service)]);
  const missing = missingServices(services, priced, () => words || "karrio has no rate for this service and shipment.");
  const quotes = [...best.values()].map(({ quote }) => quote);
  return [...quotes, ...unreadable, ...missing, ...(services ? [] : refusals)];
}

function refusal(message: Json): NoQuote {
  const service = asText(message.carrier_id) ?? asText(message.carrier_name) ?? "karrio";
  const serviceName = readableName(asText(message.carrier_name) ?? service);
  return { service, serviceName, reason: "carrier_rejected", message: reasonOf(message) };
}

function quoteOf(
  { service, cents, currency, lines, transitDays, deliverBy, carrierId }: Rate,
  serviceName: string,
): Quote {
  return remoteQuote({
    service,
    serviceName,
    cents,
    currency,
    lines,
    carrierData: { carrierId },
    ...(transitDays === undefined ? {} : { transitDays }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
  });
}

/** `total_charge` includes the extra charges. */
export function readRate(one: Json): Rate {
  const currency = asText(one.currency)?.toUpperCase() ?? "USD";
  return {
    id: asText(one.id),
    service: asText(one.service) ?? "unknown",
    carrierId: asText(one.carrier_id) ?? "",
    carrierName: asText(one.carrier_name),
    cents: centsOf(one.total_charge, currency),
    currency,
    lines: asList(one.extra_charges).flatMap(({ name, amount, currency: own }) => {
      if (asText(amount) === undefined || (asText(own)?.toUpperCase() ?? currency) !== currency) return [];
      const label = oneLine(asText(name) ?? "Charge");
      return [{ code: label, label, cents: centsOf(amount, currency) }];
    }),
    transitDays: wholeDays(one.transit_days),
    deliverBy: dayOrInstant(one.estimated_delivery),
    isTest: one.test_mode === true,
  };
}

/** The rate to buy: of the connection that was quoted, else the cheapest. */
export function chooseRate(shipment: Json, service: string, carrierId?: unknown): Rate {
  const offered = asList(shipment.rates)
    .filter((one) => one.service === service)
    .map(readRate);
  const quoted = offered.filter((one) => one.carrierId === carrierId);
  const [best] = (quoted.length > 0 ? quoted : offered).toSorted((a, b) => a.cents - b.cents);
  if (best) return best;
  const words = asList(shipment.messages)
    .map(reasonOf)
    .filter((text) => text !== "");
  const message = `karrio does not offer ${service} for this shipment. ${words.join(" ")}`.trim();
  throw new RemoteError("service_not_offered", message);
}
