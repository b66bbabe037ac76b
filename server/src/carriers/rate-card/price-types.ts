import type { CompiledCard, CompiledService, CompiledSurcharge } from "./compile-card.ts";
import type { CompiledDim, CompiledDiscount } from "./compile-terms.ts";
import type { Sides } from "./measures.ts";

/** The properties of a shipment that its price depends on, besides the parcel itself. */
export type Trip = {
  zone: string;
  originZip?: string | undefined;
  originState?: string | undefined;
  destinationZip?: string | undefined;
  destinationState?: string | undefined;
  /** Null: unknown. */
  residential: boolean | null;
  /** A date such as 2026-01-31; decides fuel and seasonal surcharges. */
  shipDate: string;
};

export type Parcel = { weightMg: number; sides?: Sides | undefined };

/** For percentages, `ppm` of `ofCents`; `quantity` is the number of units charged. */
export type PriceLine = {
  code: string;
  cents: number;
  ofCents?: number;
  ppm?: number;
  quantity?: number;
  /** The tier, if the base price is by volume. */
  cubicFeet?: number;
  /** The parcels of the shipment, if the base price is for all of them; `quantity` hundredths of hundredweights. */
  pieces?: number;
};

export type Refusal = { reason: "no_rate_cell" | "over_limit" | "not_serviceable"; message: string };

export type Price = {
  totalCents: number;
  lines: PriceLine[];
  actualMg: number;
  /** Zero without dimensions, or up to the threshold volume. */
  dimMg: number;
  billableMg: number;
  /** The weight break that was charged. */
  ratedMg: number;
};

/** A surcharge that applies to this trip and service; conditions on the parcel are checked later. */
export type Candidate = { surcharge: CompiledSurcharge; sharePpm: number };

/** Everything but the parcel. Shared by many parcels, together with the totals that were computed before. */
export type Situation = {
  card: CompiledCard;
  service: CompiledService;
  zone: string;
  candidates: Candidate[];
  /** The candidates that depend on weight or size, and the surcharges of a parcel that meets none of their conditions. */
  byParcel: Candidate[];
  usual: Candidate[];
  fuelPpm: number;
  /** Terms in effect on the day. */
  dim: CompiledDim | undefined;
  discounts: readonly CompiledDiscount[];
  /**
   * Totals of parcels without dimensions, by weight break. Only the totals are cached: if Price objects were, V8 would
   * allocate all of them (millions) in the old generation, where only a full garbage collection frees them.
   */
  ladderTotals?: { totals: number[]; isAscending: boolean };
};
