import type { ServiceMatch } from "../../carriers/rate-card/compile-card.ts";
import type { Sides } from "../../carriers/rate-card/measures.ts";
import type { Refusal, Situation } from "../../carriers/rate-card/price.ts";
import type { ServiceFallback } from "../../carriers/rate-card/service-level.ts";
import type { Tariff } from "../../carriers/rate-card/tariff.ts";
import type { Place } from "../../carriers/zones/resolve-zone.ts";
import type { Estimate, WeightProfile } from "./weight-profile.ts";

export type RateItem = {
  netCents: number;
  /** Sum of all charges of the parcel, if this is the first of several. */
  chargedCents: number | undefined;
  /** Service name of the item itself. */
  serviceType: string;
  /** Candidate service names; the first that matches a service counts. */
  services: readonly string[];
  origin: Place;
  destination: Place;
  /** Null: unknown. */
  weightMg: number | null;
  /** The weight comes from the organization's shipment with this tracking number. */
  isWeightOfShipment: boolean;
  sides: Sides | undefined;
  residential: boolean | null;
  /** One of the charges of the parcel is for residential delivery. */
  hasHomeCharge: boolean;
  shipDate: string | null;
  currency: string | null;
  /** true: a duplicate of an earlier item. "line": another charge of an earlier item's parcel. */
  repeats: boolean | "line";
  /** Country of origin or destination, if it is not the United States. */
  foreignCountry: string | null;
  /** The lead tracking number of the shipment. */
  lead?: string | undefined;
};

/** Everything that is the same for all items of a comparison. */
export type Rater = {
  tariff: Tariff;
  /** The contract that was paid, if known; weights are inferred from its prices. */
  source: Tariff | undefined;
  /** By service level; `any` for the rest. Undefined: items without a weight get no price. */
  profiles: Map<string, WeightProfile> | undefined;
  /** Normalized service names, each with the service of the card it stands for. */
  aliases: Map<string, string>;
  fallback: ServiceFallback;
  /** Default for items without it. */
  residential: boolean | null;
  duplicates: "sum" | "exclude" | "keep";
  /** Ship date of items without one. */
  day: string;
  /** Each item is rated with the card of its ship date. */
  goesByShipDate: boolean;
  /** Raters for ship dates on which other cards were in effect. */
  dated: ReadonlyMap<string, Rater>;
  matches: Map<string, NamedMatch>;
  expected: Map<WeightProfile, Map<Situation, Estimate | Refusal>>;
};

export type RaterParts = Omit<Rater, "matches" | "expected" | "dated">;

export function createRater(parts: RaterParts & Pick<Rater, "dated">): Rater {
  return { ...parts, matches: new Map(), expected: new Map() };
}

/** A service name, the service it matched, and whether the name implies a residential address. */
export type NamedMatch = { name: string; found: ServiceMatch | undefined; isHome: boolean | undefined };
