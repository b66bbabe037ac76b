import type { CompiledService } from "../../carriers/rate-card/compile-card.ts";
import { findService } from "../../carriers/rate-card/compile-card.ts";
import type { Sides } from "../../carriers/rate-card/measures.ts";
import type { Refusal, Situation, Trip } from "../../carriers/rate-card/price.ts";
import { isRefusal, priceParcel } from "../../carriers/rate-card/price.ts";
import type { Tariff } from "../../carriers/rate-card/tariff.ts";
import {
  breaksAround,
  breaksThatCost,
  haveSameTotals,
  situationOf,
  totalOfBreak,
  zoneOf,
} from "../../carriers/rate-card/tariff.ts";
import type { Place } from "../../carriers/zones/resolve-zone.ts";
import type { Estimate } from "./weight-profile.ts";
import { estimateOf } from "./weight-profile.ts";

/** The amount paid for a parcel, with origin and destination. */
type Paid = { netCents: number; origin: Place; destination: Place };

/** A parcel that would have cost about the amount paid. */
export type Guess = { weightMg: number; residential: boolean | null; offCents: number };

/**
 * Infers the weight from the amount paid: prices are discrete, so the amount matches a weight break or lies between two.
 * If it is unknown whether the address is residential, both price ladders are tried, and a match decides.
 */
export function inferParcels(source: Tariff, item: Paid, serviceType: string, trip: Trip): Guess[] | undefined {
  const match = findService(source.card, serviceType);
  if (!match || match.service.isFlat) return undefined;
  const found = zoneOf(source, item.origin, item.destination, match.service);
  if ("reason" in found) return undefined;
  const { service } = match;
  const ladders = laddersOf(source, service, { ...trip, zone: found.zone });
  const guesses = (indexes: (ladder: Ladder) => number[]): Guess[] =>
    ladders.flatMap((ladder) =>
      indexes(ladder).map((index) => ({
        weightMg: service.breaksMg[index]!,
        residential: ladder.residential,
        offCents: Math.abs(totalOfBreak(ladder.situation, index) - item.netCents),
      })),
    );
  const hits = guesses(({ situation }) => breaksThatCost(situation, item.netCents));
  if (hits.length > 0) return hits;
  const around = guesses(({ situation }) => breaksAround(situation, item.netCents) ?? []);
  // Between two breaks the upper one is more likely: weights are rounded up.
  return around.length === 0
    ? undefined
    : around.map((guess, index) => ({ ...guess, offCents: index % 2 === 1 ? 0 : 1 }));
}

type Ladder = { situation: Situation; residential: boolean | null };

function laddersOf(source: Tariff, service: CompiledService, trip: Trip): Ladder[] {
  const ways = trip.residential === null ? [false, true] : [trip.residential];
  const ladders = ways.flatMap((residential): Ladder[] => {
    const situation = situationOf(source, service, { ...trip, residential });
    return isRefusal(situation) ? [] : [{ situation, residential }];
  });
  const [one, other] = ladders;
  // If residential delivery costs the same, the amount does not decide.
  if (one && other && haveSameTotals(one.situation, other.situation))
    return [{ ...one, residential: trip.residential }];
  return ladders;
}

/** The guess closest to the amount paid, the middle one of several; the range covers all guesses. */
export function priceOfGuesses(
  tariff: Tariff,
  guesses: Guess[],
  sides: Sides | undefined,
  trip: Trip,
  situation: Situation,
): Estimate | Refusal {
  const { service } = situation;
  const priced = guesses.map(({ weightMg, residential, offCents }) => {
    const own = residential === trip.residential ? situation : situationOf(tariff, service, { ...trip, residential });
    return { price: isRefusal(own) ? own : priceParcel(own, { weightMg, sides }), offCents };
  });
  const nearest = Math.min(...priced.map(({ offCents }) => offCents));
  const likely = priced.filter(({ offCents }) => offCents === nearest);
  const { price } = likely[likely.length >> 1]!;
  if (isRefusal(price)) return price;
  const totals = priced.flatMap((other) => (isRefusal(other.price) ? [] : [other.price.totalCents]));
  return { ...estimateOf(price), lowCents: Math.min(...totals), highCents: Math.max(...totals) };
}
