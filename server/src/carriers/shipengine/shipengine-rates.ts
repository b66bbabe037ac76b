import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { centsOf } from "../seam/money.ts";
import { remoteQuote } from "../seam/quotes.ts";
import type { NoQuote, Quote } from "../seam/quotes.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { dayOrInstant, oneLine, wholeDays } from "../seam/storable.ts";
import { missingServices, readableName } from "../seam/service-names.ts";
import { carrierIds, post, reasonOf } from "./shipengine-api.ts";
import { shipmentBody } from "./shipengine-shipment.ts";

export async function rate(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]> {
  const carrier_ids = await carrierIds(call);
  if (carrier_ids.length === 0)
    throw new RemoteError("no_carrier", "No carrier is connected to the ShipEngine account. Connect one there first.");
  const { services } = request;
  const rate_options = {
    carrier_ids,
    ...(services ? { service_codes: services } : {}),
    ...(request.options.isReturn === true ? { is_return: true } : {}),
  };
  const shipment = shipmentBody(request, call.settings);
  const answer = await post(call, "/rates", { rate_options, shipment }, { retry: "safe" });
  return quotesIn(answer, { services, packaging: request.parcels[0]?.packaging });
}

type Wanted = { services?: readonly string[] | undefined; packaging?: string | undefined };

export function quotesIn(answer: Json, { services, packaging = "package" }: Wanted = {}): (Quote | NoQuote)[] {
  const response = "rate_response" in answer ? asObject(answer.rate_response) : answer;
  const refused = asList(response.invalid_rates).map(refusedRate);
  const best = new Map<string, { quote: Quote; cents: number }>();
  for (const one of asList(response.rates)) {
    const type = asText(one.package_type);
    const service = asText(one.service_code) ?? "unknown";
    // Prices of other packaging, such as flat rate boxes, are listed beside that of the parcel.
    if (type !== undefined && type !== packaging) continue;
    if (services && !services.includes(service)) continue;
    try {
      const priced = quoteOf(one, service);
      const known = best.get(service);
      if (!known || priced.cents < known.cents) best.set(service, priced);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      refused.push({ service, serviceName: nameOf(one), reason: "unreadable_price", message: error.message });
    }
  }
  const open = refused.filter(({ service }) => !best.has(service) && (services?.includes(service) ?? true));
  const failures = asList(response.errors).map(carrierFailure);
  const known = new Set([...best.keys(), ...open.map(({ service }) => service)]);
  const words = failures.map(({ message }) => message).join(" ");
  const reason = words === "" ? "ShipEngine has no rate for this service and shipment." : words;
  const missing = missingServices(services, known, () => reason);
  return [...[...best.values()].map(({ quote }) => quote), ...open, ...missing, ...(services ? [] : failures)];
}

/** The price is the sum of its amounts; `requested_comparison_amount` is the published one. */
function quoteOf(one: Json, service: string): { quote: Quote; cents: number } {
  const currency = currencyOf(one.shipping_amount);
  const cents = ["shipping_amount", "insurance_amount", "confirmation_amount", "other_amount", "tax_amount"]
    .map((name) => (name in one && one[name] !== null ? amountIn(one[name], currency) : 0))
    .reduce((sum, amount) => sum + amount, 0);
  const list = one.requested_comparison_amount;
  const [transitDays, zone] = [wholeDays(one.delivery_days) ?? wholeDays(one.carrier_delivery_days), asText(one.zone)];
  const [rateId, carrierId] = [one.rate_id, one.carrier_id].map(asText);
  const deliverBy = dayOrInstant(one.estimated_delivery_date);
  const quote = remoteQuote({
    service,
    serviceName: nameOf(one),
    cents,
    currency,
    isGuaranteed: one.guaranteed_service === true,
    lines: linesIn(one.rate_details, currency),
    carrierData: { carrierId: carrierId ?? null, rateId: rateId ?? null },
    ...(list && currencyOf(list) === currency ? { listCents: amountIn(list, currency) } : {}),
    ...(transitDays === undefined ? {} : { transitDays }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
    ...(zone === undefined ? {} : { zone }),
  });
  return { quote, cents };
}

export function currencyOf(money: unknown): string {
  return asText(asObject(money).currency)?.toUpperCase() ?? "USD";
}

/** Throws if it is of another currency: a sum of two would be wrong. */
export function amountIn(money: unknown, currency: string): number {
  const { amount } = asObject(money);
  const own = currencyOf(money);
  const cents = centsOf(amount, own);
  if (own !== currency && cents !== 0)
    throw new RemoteError("unexpected_response", `The carrier's price is partly in ${own}, partly in ${currency}.`);
  return own === currency ? cents : 0;
}

export function linesIn(details: unknown, currency: string): { code: string; label: string; cents: number }[] {
  return asList(details).flatMap((detail) => {
    if (asText(asObject(detail.amount).amount) === undefined || currencyOf(detail.amount) !== currency) return [];
    const code = oneLine(asText(detail.rate_detail_type) ?? "uncategorized");
    const label = oneLine(asText(detail.carrier_description) ?? readableName(code));
    return [
      {
        code: oneLine(asText(detail.carrier_billing_code) ?? code),
        label,
        cents: centsOf(asObject(detail.amount).amount, currency),
      },
    ];
  });
}

function nameOf({ service_type, service_code }: Json): string {
  return asText(service_type) ?? readableName(asText(service_code) ?? "unknown");
}

function refusedRate(one: Json): NoQuote {
  const { error_messages } = one;
  const words = (Array.isArray(error_messages) ? error_messages : [error_messages]).flatMap(
    (text) => asText(text) ?? [],
  );
  const message = words.length > 0 ? words.join(" ") : "The carrier refused this service.";
  const service = asText(one.service_code) ?? "unknown";
  return { service, serviceName: nameOf(one), reason: "carrier_rejected", message };
}

function carrierFailure(error: Json): NoQuote {
  const service = asText(error.carrier_code) ?? asText(error.carrier_id) ?? "ShipEngine";
  return { service, serviceName: readableName(service), reason: "carrier_rejected", message: reasonOf(error) };
}
