import type { Dimensions, Weight } from "../../core/weight.ts";
import type { FoundZone, NoZone, Place } from "../zones/resolve-zone.ts";
import { normaliseZip, stateOfPlace } from "../zones/zip.ts";
import { fromCents } from "../../core/money.ts";
import type { CompiledService } from "./compile-card.ts";
import type { QuotedWeight, QuoteLine, NoQuote } from "../seam/quotes.ts";
import { explainLines, explainWeight } from "./explain.ts";
import { toMg, toSides } from "./measures.ts";
import type { Piece, Refusal, Situation, Trip } from "./price.ts";
import { isRefusal, priceParcel } from "./price.ts";
import type { Tariff } from "./tariff.ts";
import { situationOf, zoneOf } from "./tariff.ts";

export type QuoteRequest = {
  origin: Place;
  destination: Place;
  weight: Weight;
  dimensions?: Dimensions | undefined;
  residential?: boolean | null | undefined;
  /** A day such as 2026-01-31. */
  shipDate: string;
};

/** The price of one parcel by a rate card. */
export type CardQuote = {
  service: string;
  serviceName: string;
  level: string;
  zone: string;
  zoneSource: FoundZone["source"];
  distanceMiles: number | null;
  borderline: boolean;
  alternative: { zone: string; total: number | null } | null;
  total: number;
  currency: string;
  transitDays: number | null;
  weight: QuotedWeight;
  lines: QuoteLine[];
};

/** `pieceIn`: what the parcel bears of its shipment. */
export function quoteService(
  tariff: Tariff,
  service: CompiledService,
  request: QuoteRequest,
  pieceIn?: (situation: Situation) => Piece,
): CardQuote | NoQuote {
  const named = { service: service.code, serviceName: service.name };
  const refuse = ({ reason, message }: Refusal | NoZone): NoQuote => ({ ...named, reason, message });
  const parcel = { weightMg: toMg(request.weight), sides: request.dimensions && toSides(request.dimensions) };
  const found = zoneOf(tariff, request.origin, request.destination, service, parcel.weightMg);
  if ("reason" in found) return refuse(found);
  const situation = situationOf(tariff, service, tripOf(found.zone, request));
  if (isRefusal(situation)) return refuse(situation);
  const price = priceParcel(situation, parcel, pieceIn?.(situation));
  if (isRefusal(price)) return refuse(price);
  return {
    ...named,
    level: service.level,
    zone: found.zone,
    zoneSource: found.source,
    distanceMiles: found.distanceMiles ?? null,
    borderline: found.alternativeZone !== undefined,
    alternative: found.alternativeZone === undefined ? null : alternativePrice(found.alternativeZone),
    total: fromCents(price.totalCents),
    currency: tariff.card.currency,
    transitDays: service.transitDays[found.zone] ?? null,
    weight: explainWeight(service, price),
    lines: explainLines(situation, price),
  };

  function alternativePrice(zone: string): { zone: string; total: number | null } {
    const other = situationOf(tariff, service, tripOf(zone, request));
    const otherPrice = isRefusal(other) ? other : priceParcel(other, parcel, pieceIn?.(other));
    return { zone, total: isRefusal(otherPrice) ? null : fromCents(otherPrice.totalCents) };
  }
}

export function tripOf(zone: string, request: Omit<QuoteRequest, "weight" | "dimensions">): Trip {
  const { origin, destination, residential = null, shipDate } = request;
  const [from, to] = [normaliseZip(origin.zip), normaliseZip(destination.zip)];
  return {
    zone,
    originZip: from,
    originState: stateOfPlace(origin.state, from),
    destinationZip: to,
    destinationState: stateOfPlace(destination.state, to),
    residential,
    shipDate,
  };
}
