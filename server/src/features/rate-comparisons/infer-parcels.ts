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

/** What was paid for a parcel, and between which places. */
type Paid = { netCents: number; origin: Place; destination: Place };

/** A parcel that would have cost about what was paid. `residential`: whether it went to a home, as far as that is told. */
export type Guess = { weightMg: number; residential: boolean | null; offCents: number };

/**
 * Price lists are discrete: what was paid points at one weight break, or lies between two. Whether the parcel went to a
 * home is a further charge with most carriers: where nobody wrote it down, both lists are tried, and the one that the
 * price is on tells it.
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
  // Between two rows the upper one is the likely one: weights are rounded up.
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
  // Where homes cost the same, the price does not tell.
  if (one && other && haveSameTotals(one.situation, other.situation))
    return [{ ...one, residential: trip.residential }];
  return ladders;
}

/** The likeliest guess is the nearest to what was paid, of equal ones that in the middle; the range covers all of them. */
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
