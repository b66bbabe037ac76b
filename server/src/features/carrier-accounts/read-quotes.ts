import type { ServiceLevel } from "../../carriers/rate-card/service-level.ts";
import { serviceLevels } from "../../carriers/rate-card/service-level.ts";
import type { NoQuote, Quote } from "../../carriers/seam/quotes.ts";
import { fromCents, toCents } from "../../core/money.ts";
import type { QuoteAnswer } from "./carrier-accounts.schemas.ts";
import { isCarrierData, isStorableLine } from "./storable-answers.ts";

const maxTotal = 10_000_000;

/** Carriers' responses are untrusted input: a price that cannot be used becomes an unavailable service. */
export function readQuotes(answers: readonly (Quote | NoQuote)[]): (Quote | NoQuote)[] {
  return answers.map((answer) => {
    if ("reason" in answer) return answer;
    if (isPrice(answer)) return storable(answer);
    const { service, serviceName } = answer;
    const message = "The carrier's price for this service cannot be read.";
    return { service, serviceName, reason: "unexpected_response", message };
  });
}

/** A part that cannot be stored is dropped: the price is good without it. */
function storable(quote: Quote): Quote {
  const { zone, transitDays, deliverBy, expiresAt, carrierData } = quote;
  return {
    ...quote,
    zone: zone !== null && isStorableLine(zone) ? zone : null,
    transitDays: isDayCount(transitDays) ? transitDays : null,
    deliverBy: deliverBy !== null && Number.isNaN(Date.parse(deliverBy)) ? null : deliverBy,
    expiresAt: expiresAt !== null && Number.isNaN(Date.parse(expiresAt)) ? null : expiresAt,
    carrierData: isCarrierData(carrierData ?? undefined) ? carrierData : null,
  };
}

function isDayCount(days: number | null): boolean {
  return days !== null && Number.isInteger(days) && days >= 0 && days <= 366;
}

function isPrice({ total, currency }: Quote): boolean {
  return Number.isFinite(total) && total >= 0 && total <= maxTotal && /^[A-Z]{3}$/.test(currency);
}

/** The quote for the API: without the carrier's own data, which may hold its tokens. */
export function presentQuote({ carrierData: _own, ...quote }: Quote): QuoteAnswer["quotes"][number] {
  return { ...quote, level: levelOf(quote.level), total: fromCents(toCents(quote.total)) };
}

/** A carrier may use other names. */
function levelOf(level: string | null): ServiceLevel | null {
  return serviceLevels.find((known) => known === level) ?? null;
}
