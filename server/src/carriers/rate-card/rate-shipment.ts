import type { Address } from "../../core/address.ts";
import { fromCents, toCents } from "../../core/money.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { isInUnitedStates } from "../../core/country-codes.ts";
import { countryOfAddress } from "../../core/time-zones.ts";
import type { RateRequest } from "../seam/carrier.ts";
import type { NoQuote, Quote } from "../seam/quotes.ts";
import type { Place } from "../zones/resolve-zone.ts";
import type { CompiledService } from "./compile-card.ts";
import { findService } from "./compile-card.ts";
import { toMg, toSides } from "./measures.ts";
import type { Piece, Situation } from "./price.ts";
import { piecesOf } from "./price-shipment.ts";
import type { CardQuote } from "./quote.ts";
import { quoteService } from "./quote.ts";
import type { Tariff } from "./tariff.ts";

/** The price of a shipment with each service of a rate card. */
export function rateShipment(tariff: Tariff, request: RateRequest): (Quote | NoQuote)[] {
  return servicesOf(tariff, request.services).map((service) => quoteShipment(tariff, service, request));
}

/** The named services, or all. An unknown name is an error rather than a missing quote. */
function servicesOf({ card }: Tariff, names: string[] | undefined): CompiledService[] {
  if (!names) return card.services;
  return names.map((name) => {
    const match = findService(card, name);
    if (!match) throw new RemoteError("unknown_service", `The rate card has no service ${name}.`);
    return match.service;
  });
}

/** The price of a shipment is the sum of its parcels, each with its part of it. The service must accept all of them. */
export function quoteShipment(
  tariff: Tariff,
  service: CompiledService,
  { from, to, parcels, options, shipDate }: Omit<RateRequest, "services">,
): Quote | NoQuote {
  const { residential } = options;
  const trip = { origin: placeOf(from), destination: placeOf(to), residential, shipDate };
  const quotes: CardQuote[] = [];
  const measured = parcels.map(({ weight, dimensions }) => ({
    weightMg: toMg(weight),
    sides: dimensions && toSides(dimensions),
  }));
  const known = new Map<Situation, Piece[]>();
  for (const [index, { weight, dimensions }] of parcels.entries()) {
    const pieceIn = (situation: Situation): Piece =>
      known.getOrInsertComputed(situation, () => piecesOf(situation, measured))[index]!;
    const quote = quoteService(tariff, service, { ...trip, weight, dimensions }, pieceIn);
    if ("reason" in quote) return quote;
    quotes.push(quote);
  }
  const [first] = quotes;
  if (!first) throw new Error("a shipment has at least one parcel");
  const ofCards = { listTotal: null, deliverBy: null, isGuaranteed: false, expiresAt: null, carrierData: null };
  if (quotes.length === 1) return { ...first, ...ofCards };
  return {
    ...first,
    ...ofCards,
    total: sumOf(quotes.map(({ total }) => total)),
    borderline: quotes.some(({ borderline }) => borderline),
    alternative: alternativeOf(quotes),
    weight: null,
    lines: quotes.flatMap(({ lines }, index) =>
      lines.map((line) => ({ ...line, label: `Parcel ${index + 1}: ${line.label}` })),
    ),
  };
}

/** Null unless all parcels have the same neighboring zone: some light mail goes another way than heavier parcels. */
function alternativeOf(quotes: readonly CardQuote[]): Quote["alternative"] {
  const [first] = quotes;
  const zone = first?.alternative?.zone;
  if (zone === undefined || quotes.some(({ alternative }) => alternative?.zone !== zone)) return null;
  const totals = quotes.map(({ alternative }) => alternative?.total ?? null);
  const known = totals.filter((total) => total !== null);
  return { zone, total: known.length === totals.length ? sumOf(known) : null };
}

function sumOf(amounts: number[]): number {
  return fromCents(amounts.reduce((sum, amount) => sum + toCents(amount), 0));
}

/** Foreign postal codes must not be taken for ZIPs. */
export function placeOf(address: Address): Place {
  const country = countryOfAddress(address) ?? "US";
  if (!isInUnitedStates(country)) return { country };
  return { zip: address.zip, state: address.provinceCode };
}
