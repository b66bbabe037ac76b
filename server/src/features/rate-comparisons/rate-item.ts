import type { CompiledService } from "../../carriers/rate-card/compile-card.ts";
import type { Sides } from "../../carriers/rate-card/measures.ts";
import type { Piece, Refusal, Situation, Trip } from "../../carriers/rate-card/price.ts";
import { isRefusal } from "../../carriers/rate-card/price.ts";
import { tripOf } from "../../carriers/rate-card/quote.ts";
import { breakEvenBreak, situationOf, zoneOf } from "../../carriers/rate-card/tariff.ts";
import type { FoundZone, ZoneSource } from "../../carriers/zones/resolve-zone.ts";
import { normaliseZip } from "../../carriers/zones/zip.ts";
import type { CostLine, Estimate } from "./weight-profile.ts";
import { matchOf } from "./match-service.ts";
import type { NamedMatch, RateItem, Rater } from "./rater.ts";
import type { Basis, Plan } from "./weight-plan.ts";
import { planOf } from "./weight-plan.ts";

export type RateResult = {
  status: "rated" | "estimated" | "unrateable" | "invalid" | "excluded";
  reason: string | null;
  /** The amount paid that is compared. */
  sourceCents: number;
  /** The name by which the service was found; null: that of the item itself. */
  sourceService: string | null;
  /** Rated as residential. Null: unknown. */
  residential: boolean | null;
  zone: string | null;
  zoneSource: ZoneSource | null;
  distanceMiles: number | null;
  alternativeZone: string | null;
  serviceLevel: string | null;
  targetService: string | null;
  basis: Basis | null;
  ratedMg: number | null;
  targetCents: number | null;
  lowCents: number | null;
  highCents: number | null;
  breakEvenMg: number | null;
  lines: readonly CostLine[];
  /** Assumptions behind the price, besides zone and weight. */
  assumed: readonly Assumption[];
};

/** Unknown dimensions that would matter; a ship date without a card in effect. */
type Assumption = "sides_missing" | "card_not_in_effect";

const nothing: RateResult = {
  status: "unrateable",
  reason: null,
  sourceCents: 0,
  sourceService: null,
  residential: null,
  zone: null,
  zoneSource: null,
  distanceMiles: null,
  alternativeZone: null,
  serviceLevel: null,
  targetService: null,
  basis: null,
  ratedMg: null,
  targetCents: null,
  lowCents: null,
  highCents: null,
  breakEvenMg: null,
  lines: [],
  assumed: [],
};

/** An item with everything its price depends on but the weight. */
type Placed = { rater: Rater; item: RateItem; match: NamedMatch; found: FoundZone; trip: Trip; situation: Situation };

/** Finds service, zone and situation of an item; undefined: it is refused, as `result` says. */
function place(usual: Rater, given: RateItem, result: RateResult): Placed | undefined {
  const rater = (given.shipDate === null ? undefined : usual.dated.get(given.shipDate)) ?? usual;
  const item = paidFor(rater, given);
  result.sourceCents = item.netCents;
  const no = (reason: string, status?: RateResult["status"]): undefined => void refuse(result, reason, status);
  const left = whyLeftOut(rater, item);
  if (left !== undefined) return no(left, "excluded");
  const match = matchOf(rater, item);
  if (match.name !== item.serviceType) result.sourceService = match.name;
  // Zones and ZIPs are defined within one country.
  if (item.foreignCountry !== null) return no("international");
  const invalid = whyInvalid(rater, item);
  if (invalid !== undefined) return no(invalid, "invalid");
  if (!match.found) return no("service_unmatched");
  const { service, level } = match.found;
  result.serviceLevel = level;
  result.targetService = service.code;
  if (areImplausible(item.sides, service)) return no("sides_implausible", "invalid");
  const found = zoneOf(rater.tariff, item.origin, item.destination, service, item.weightMg ?? undefined);
  if ("reason" in found) return no(found.reason);
  result.zone = found.zone;
  result.zoneSource = found.source;
  result.distanceMiles = found.distanceMiles ?? null;
  result.alternativeZone = found.alternativeZone ?? null;
  const trip = tripAt(rater, item, found.zone, match);
  result.residential = trip.residential;
  const situation = situationOf(rater.tariff, service, trip);
  if (isRefusal(situation)) return no(situation.reason);
  return { rater, item, match, found, trip, situation };
}

/** The situation of an item with a price; undefined: it will be refused. */
export function situationOfItem(usual: Rater, given: RateItem): Situation | undefined {
  return place(usual, given, { ...nothing })?.situation;
}

/** The price of the parcel with the other contract. `piece`: what it bears of its shipment. Pure. */
export function rateItem(usual: Rater, given: RateItem, piece?: Piece): RateResult {
  const result = { ...nothing };
  const placed = place(usual, given, result);
  if (!placed) return result;
  const { rater, item, match, found, trip, situation } = placed;
  const { service, level } = match.found!;
  result.breakEvenMg = breakEvenOf(situation, item);
  const plan = planOf(rater, item, { service, level, name: match.name }, trip, piece);
  if (!plan) return refuse(result, "weight_missing");
  const estimate = plan.price(trip, situation);
  if (isRefusal(estimate)) return refuse(result, estimate.reason);
  const next =
    found.alternativeZone === undefined || piece?.base !== undefined
      ? undefined
      : priceAt(rater, service, { ...trip, zone: found.alternativeZone }, plan);
  const [lowCents, highCents] = rangeOf(estimate, next);
  if (isOutOfRange(highCents) || isOutOfRange(result.sourceCents)) return refuse(result, "amount_out_of_range");
  const isSure = plan.basis !== "inferred" && plan.basis !== "profile" && found.source !== "state";
  result.status = isSure ? "rated" : "estimated";
  result.basis = plan.basis;
  result.ratedMg = estimate.ratedMg;
  result.targetCents = estimate.targetCents;
  result.lowCents = lowCents;
  result.highCents = highCents;
  result.lines = estimate.lines;
  result.assumed = assumedOf(usual, rater, item, situation);
  return result;
}

/** No parcel costs more than an item may say was paid for it: the card, or what was read as a weight or a size, is wrong. */
const maxCents = 100_000_000;

function isOutOfRange(cents: number): boolean {
  return Math.abs(cents) > maxCents;
}

/**
 * In inches. Parcel carriers accept up to 119, so longer sides are probably in other units. Does not apply to services with
 * limits of their own.
 */
const longestParcel = 120;

function areImplausible(sides: Sides | undefined, { maxLength, maxLengthPlusGirth }: CompiledService): boolean {
  const hasLimits = maxLength !== Infinity || maxLengthPlusGirth !== Infinity;
  return sides !== undefined && !hasLimits && sides[0] > longestParcel;
}

const noAssumption: readonly Assumption[] = [];

function assumedOf(usual: Rater, rater: Rater, { sides, shipDate }: RateItem, situation: Situation) {
  const isSideless = sides === undefined && asksForSides(situation);
  const { effectiveFrom, effectiveTo = "9999-12-31" } = rater.tariff.card.card;
  const isByDay = usual.goesByShipDate && rater === usual && shipDate !== null;
  const isOther = isByDay && (shipDate < effectiveFrom || shipDate > effectiveTo);
  if (!isSideless && !isOther) return noAssumption;
  const assumed: Assumption[] = [];
  if (isSideless) assumed.push("sides_missing");
  if (isOther) assumed.push("card_not_in_effect");
  return assumed;
}

function asksForSides({ service, byParcel }: Situation): boolean {
  return (
    service.dims.length > 0 || service.cubic !== undefined || byParcel.some(({ surcharge }) => surcharge.isBySides)
  );
}

/** The item with the sum of its parcel's charges, if charges are summed. */
function paidFor({ duplicates }: Rater, item: RateItem): RateItem {
  if (duplicates !== "sum") return item;
  // The charge is included in the parcel's first item.
  if (item.repeats === "line") return { ...item, netCents: 0 };
  return item.chargedCents === undefined ? item : { ...item, netCents: item.chargedCents };
}

function whyLeftOut({ duplicates }: Rater, { repeats, netCents }: RateItem): string | undefined {
  if (repeats !== false && duplicates === "exclude") return "duplicate";
  if (duplicates === "sum" && repeats !== false) return repeats === "line" ? "charge_line" : "duplicate";
  // A credit without its parcel.
  return netCents < 0 ? "credit" : undefined;
}

function refuse(result: RateResult, reason: string, status: RateResult["status"] = "unrateable"): RateResult {
  result.reason = reason;
  result.status = status;
  return result;
}

function priceAt(rater: Rater, service: CompiledService, trip: Trip, plan: Plan): Estimate | Refusal {
  const situation = situationOf(rater.tariff, service, trip);
  return isRefusal(situation) ? situation : plan.price(trip, situation);
}

/** The range includes the price in the alternative zone. */
function rangeOf({ lowCents, highCents }: Estimate, next: Estimate | Refusal | undefined): [low: number, high: number] {
  if (!next || isRefusal(next)) return [lowCents, highCents];
  return [Math.min(lowCents, next.lowCents), Math.max(highCents, next.highCents)];
}

function whyInvalid({ tariff }: Rater, { origin, destination, currency }: RateItem): string | undefined {
  if (currency !== null && currency !== tariff.card.currency) return "currency_mismatch";
  for (const place of [origin, destination]) {
    const isWritten = (place.zip ?? "").trim() !== "";
    const hasState = (place.state ?? "").trim() !== "";
    if (isWritten && !hasState && normaliseZip(place.zip) === undefined) return "invalid_zip";
  }
  return undefined;
}

function tripAt({ residential, day }: Rater, item: RateItem, zone: string, { isHome }: NamedMatch): Trip {
  const { origin, destination } = item;
  return tripOf(zone, {
    origin,
    destination,
    residential: item.residential ?? isHome ?? (item.hasHomeCharge || residential),
    shipDate: item.shipDate ?? day,
  });
}

function breakEvenOf(situation: Situation, { netCents }: RateItem): number | null {
  const { service } = situation;
  if (service.isFlat) return null;
  const index = breakEvenBreak(situation, netCents);
  return index === null ? null : service.breaksMg[index]!;
}
