import type { ServiceMatch } from "../../carriers/rate-card/compile-card.ts";
import type { Sides } from "../../carriers/rate-card/measures.ts";
import type { Piece, Refusal, Situation, Trip } from "../../carriers/rate-card/price.ts";
import { isRefusal, priceParcel } from "../../carriers/rate-card/price.ts";
import { inferParcels, priceOfGuesses } from "./infer-parcels.ts";
import type { Estimate, WeightProfile } from "./weight-profile.ts";
import { estimateOf, expectedPrice } from "./weight-profile.ts";
import type { RateItem, Rater } from "./rater.ts";

export type Basis = "weight" | "shipment" | "flat" | "inferred" | "profile";

/** `situation` belongs to `trip`. */
export type Plan = { basis: Basis; price(trip: Trip, situation: Situation): Estimate | Refusal };

type Matched = Pick<ServiceMatch, "service" | "level"> & { name: string };

/** The best source of the weight: the item or its shipment, none needed, inferred from the amount paid, or the profile. */
export function planOf(
  rater: Rater,
  item: RateItem,
  { service, level, name }: Matched,
  trip: Trip,
  piece?: Piece,
): Plan | undefined {
  const { weightMg, sides, isWeightOfShipment } = item;
  const exactly = (mg: number) => (_trip: Trip, situation: Situation) => {
    const price = priceParcel(situation, { weightMg: mg, sides }, piece);
    return isRefusal(price) ? price : estimateOf(price);
  };
  if (weightMg !== null) return { basis: isWeightOfShipment ? "shipment" : "weight", price: exactly(weightMg) };
  if (service.isFlat) return { basis: "flat", price: exactly(0) };
  const inferred = rater.source && inferParcels(rater.source, item, name, trip);
  if (inferred) {
    return {
      basis: "inferred",
      price: (to, situation) => priceOfGuesses(rater.tariff, inferred, sides, to, situation),
    };
  }
  const profile = rater.profiles?.get(level) ?? rater.profiles?.get("any");
  if (!profile) return undefined;
  return { basis: "profile", price: (_trip, situation) => expectedOf(rater, situation, profile, sides) };
}

function expectedOf(rater: Rater, situation: Situation, profile: WeightProfile, sides: Sides | undefined) {
  if (sides) return expectedPrice(situation, profile, sides);
  let known = rater.expected.get(profile);
  if (!known) rater.expected.set(profile, (known = new Map()));
  let expected = known.get(situation);
  if (!expected) {
    expected = expectedPrice(situation, profile);
    if (known.size < 10_000) known.set(situation, expected);
  }
  return expected;
}
