import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { requirePostalCodes } from "../seam/invalid-input.ts";
import { amountOf, centsOf } from "../seam/money.ts";
import { remoteQuote } from "../seam/quotes.ts";
import type { NoQuote, Quote } from "../seam/quotes.ts";
import { asList, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { dayOrInstant, wholeDays } from "../seam/storable.ts";
import { missingServices, readableName } from "../seam/service-names.ts";
import { messagesOf, post } from "./easypost-api.ts";
import type { InsuranceFee } from "./easypost-insurance.ts";
import { insuranceFee } from "./easypost-insurance.ts";
import { insuranceOf, orderBody, shipmentBody } from "./easypost-shipment.ts";

/** One price of one carrier account. Service names of carriers collide, so ours have the carrier in front: USPS/Priority. */
export type Rate = {
  id: string | undefined;
  carrier: string;
  service: string;
  accountId: string | undefined;
  cents: number;
  listCents: number | undefined;
  currency: string;
  transitDays: number | undefined;
  deliverBy: string | undefined;
  isGuaranteed: boolean;
};

/** Elsewhere EasyPost has carriers that price without a postal code. */
const withPostalCodes = new Set(["US"]);

export async function rate(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]> {
  const { settings } = call;
  requirePostalCodes("EasyPost", request, withPostalCodes);
  const insured = insuranceOf(request);
  const fee = insured === undefined ? undefined : await insuranceFee(call, insured);
  // The first leaves no shipment behind at EasyPost; several parcels can be priced together only as an order.
  const answer =
    request.parcels.length === 1
      ? await post(call, "/beta/rates", { shipment: shipmentBody(request, settings) }, { retry: "safe" })
      : await post(call, "/v2/orders", { order: orderBody(request, settings) });
  return quotesIn(answer, request.services).map((quote) => (fee && "total" in quote ? withFee(quote, fee) : quote));
}

/** The label costs the postage plus the fee. EasyPost insures in US dollars: a price in another currency stays without it. */
function withFee(quote: Quote, fee: InsuranceFee): Quote {
  if (quote.currency !== "USD") return quote;
  const sum = (amount: number): number => amountOf(centsOf(amount, "USD") + fee.cents, "USD");
  const postage = { code: "PostageFee", label: "Postage", amount: quote.total, explanation: "" };
  const insurance = {
    code: "InsuranceFee",
    label: "Insurance Fee",
    amount: amountOf(fee.cents, "USD"),
    explanation: fee.explanation,
  };
  return {
    ...quote,
    total: sum(quote.total),
    listTotal: quote.listTotal === null ? null : sum(quote.listTotal),
    lines: [postage, insurance],
  };
}

export function quotesIn(answer: Json, services?: readonly string[]): (Quote | NoQuote)[] {
  const unreadable: NoQuote[] = [];
  const rates = ratesIn(answer, (service, message) => {
    unreadable.push({ service, serviceName: readableName(service), reason: "unreadable_price", message });
  });
  const wanted = [...cheapestByService(rates)].filter(([code]) => services?.includes(code) ?? true);
  const messages = messagesOf(answer);
  const priced = new Set([...wanted.map(([code]) => code), ...unreadable.map(({ service }) => service)]);
  const missing = missingServices(services, priced, (service) => {
    const [carrier] = service.split("/");
    const reasons = messages.filter((one) => one.carrier === carrier).map(({ message }) => message);
    return reasons.length > 0 ? reasons.join(" ") : "EasyPost has no rate for this service and shipment.";
  });
  const refusals = services ? [] : messages.map(refusal);
  return [...wanted.map(quoteOf), ...unreadable, ...missing, ...refusals];
}

function refusal({ carrier, message }: { carrier: string; message: string }): NoQuote {
  return { service: carrier, serviceName: carrier, reason: "carrier_rejected", message };
}

function quoteOf([code, found]: [string, Rate]): Quote {
  const { carrier, service, cents, listCents, currency, transitDays, deliverBy, isGuaranteed, accountId } = found;
  return remoteQuote({
    service: code,
    serviceName: `${carrier} ${readableName(service)}`,
    cents,
    currency,
    isGuaranteed,
    ...(listCents === undefined ? {} : { listCents }),
    ...(transitDays === undefined ? {} : { transitDays }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
    ...(accountId === undefined ? {} : { carrierData: { accountId } }),
  });
}

/** Rates whose price cannot be read are reported and left out: the others are still good. */
function ratesIn(answer: Json, report: (service: string, message: string) => void = () => {}): Rate[] {
  return asList(answer.rates).flatMap((one) => {
    const code = codeOf(one);
    try {
      return readRate(one);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      report(code, error.message);
      return [];
    }
  });
}

function codeOf(one: Json): string {
  return `${asText(one.carrier) ?? "Carrier"}/${asText(one.service) ?? "unknown"}`;
}

export function readRate(one: Json): Rate {
  const currency = asText(one.currency)?.toUpperCase() ?? "USD";
  const isListComparable = (asText(one.list_currency)?.toUpperCase() ?? currency) === currency;
  return {
    id: asText(one.id),
    carrier: asText(one.carrier) ?? "Carrier",
    service: asText(one.service) ?? "unknown",
    accountId: asText(one.carrier_account_id),
    cents: centsOf(one.rate, currency),
    listCents: isListComparable && asText(one.list_rate) !== undefined ? centsOf(one.list_rate, currency) : undefined,
    currency,
    transitDays: wholeDays(one.delivery_days) ?? wholeDays(one.est_delivery_days),
    deliverBy: dayOrInstant(one.delivery_date),
    isGuaranteed: one.delivery_date_guaranteed === true,
  };
}

function cheapestByService(rates: Rate[]): Map<string, Rate> {
  const best = new Map<string, Rate>();
  for (const one of rates) {
    const code = `${one.carrier}/${one.service}`;
    const known = best.get(code);
    if (!known || one.cents < known.cents) best.set(code, one);
  }
  return best;
}

/** The rate to buy: of the account that was quoted, else the cheapest. `service` may also be the carrier's name alone. */
export function chooseRate(record: Json, service: string, accountId?: unknown): Rate {
  const offered = ratesIn(record).filter((one) => `${one.carrier}/${one.service}` === service);
  const quoted = offered.filter((one) => one.accountId === accountId);
  const [best] = (quoted.length > 0 ? quoted : offered).toSorted((a, b) => a.cents - b.cents);
  if (best) return best;
  const [carrier] = service.split("/");
  const reasons = messagesOf(record).filter((one) => one.carrier === carrier);
  const words = reasons.map(({ message }) => message).join(" ");
  throw new RemoteError(
    "service_not_offered",
    `EasyPost does not offer ${service} for this shipment.${words === "" ? "" : ` ${carrier}: ${words}`}`,
  );
}
