import type { CompiledCard, CompiledService } from "./compile-card.ts";
import { shareOfShares } from "../../core/money.ts";
import type { Base } from "./base-price.ts";
import { basePrice } from "./base-price.ts";
import { discountAt, rowOn } from "./compile-terms.ts";
import type { Sides } from "./measures.ts";
import { lengthPlusGirth, measureSides, volumeOf } from "./measures.ts";
import type { Candidate, Parcel, Price, Refusal, Situation, Trip } from "./price-types.ts";
import { applySurcharges, chooseSurcharges, isIn, shareAt, surchargeLine } from "./surcharges.ts";

export type { Parcel, Price, Refusal, Situation, Trip };

export function isRefusal(result: object): result is Refusal {
  return "reason" in result;
}

export function situate(card: CompiledCard, service: CompiledService, trip: Trip): Situation | Refusal {
  if (!service.cells.has(trip.zone)) {
    return { reason: "no_rate_cell", message: `${service.name} has no prices for zone ${trip.zone}.` };
  }
  if (service.serves && !isIn(service.serves, trip.destinationZip, trip.destinationState)) {
    return { reason: "not_serviceable", message: `${service.name} does not deliver to ${trip.destinationZip}.` };
  }
  const candidates: Candidate[] = [];
  const pieces = piecesOn(card, trip.shipDate);
  for (const surcharge of card.surcharges) {
    const sharePpm = shareAt(surcharge, service, trip, pieces);
    if (sharePpm > 0) candidates.push({ surcharge, sharePpm });
  }
  const byParcel = candidates.filter(({ surcharge }) => surcharge.isByParcel);
  const usual = chooseSurcharges(candidates.filter(({ surcharge }) => !surcharge.isByParcel));
  const revenue = revenueOn(card, trip.shipDate);
  return {
    card,
    service,
    zone: trip.zone,
    candidates,
    byParcel,
    usual,
    fuelPpm: fuelAt(service, trip.shipDate),
    dim: service.dims.length === 0 ? undefined : rowOn(service.dims, trip.shipDate),
    discounts: service.isEarned ? service.discounts.map((one) => discountAt(one, revenue)) : service.discounts,
  };
}

/** Trips with the same key share a situation. */
export function situationKey(card: CompiledCard, service: CompiledService, trip: Trip): string {
  let key = `${service.index}|${trip.zone}|${fuelAt(service, trip.shipDate)}|`;
  if (service.dims.length > 1) key += `d${rowOn(service.dims, trip.shipDate).index}|`;
  if (service.isEarned) key += `r${revenueOn(card, trip.shipDate)}|`;
  if (service.serves) key += isIn(service.serves, trip.destinationZip, trip.destinationState) ? "s" : "-";
  const pieces = piecesOn(card, trip.shipDate);
  for (const surcharge of card.surcharges) key += `,${shareAt(surcharge, service, trip, pieces)}`;
  return key;
}

const whole = 1_000_000;

function fuelAt({ fuel }: CompiledService, day: string): number {
  return fuel ? rowOn(fuel.table, day).ppm : 0;
}

function revenueOn({ card }: CompiledCard, day: string): number {
  return card.weeklyRevenue ? rowOn(card.weeklyRevenue, day).amount : 0;
}

function piecesOn({ card }: CompiledCard, day: string): number {
  return card.weeklyPieces ? rowOn(card.weeklyPieces, day).pieces : 0;
}

/** The price of a parcel at the upper limit of this weight break. */
export function priceOfBreak(situation: Situation, index: number): Price | Refusal {
  const weightMg = situation.service.isFlat ? 0 : situation.service.breaksMg[index]!;
  return priceParcel(situation, { weightMg });
}

/** A parcel of a shipment. `base`: charged for all its parcels together; undefined: each has its own. */
export type Piece = { base: Base | Refusal | undefined; isLead: boolean };

export function priceParcel(situation: Situation, given: Parcel, piece?: Piece): Price | Refusal {
  const weighed = weigh(situation, given);
  if (isRefusal(weighed)) return weighed;
  const base = piece?.base ?? basePrice(situation, weighed);
  return isRefusal(base) ? base : finish(situation, weighed, base, piece?.isLead ?? true);
}

export type Weighed = {
  weightMg: number;
  dimMg: number;
  billableMg: number;
  plainMg: number;
  sides: Sides | undefined;
  applied: Candidate[];
};

/** The weights of a parcel and the surcharges that apply to it. */
export function weigh(situation: Situation, given: Parcel): Weighed | Refusal {
  const { service } = situation;
  const parcel = given.sides ? measured(service, given, given.sides) : given;
  const limit = overLimit(service, parcel);
  if (limit) return limit;
  const dimMg = dimWeight(situation, parcel);
  const applied = applySurcharges(situation, parcel);
  let plainMg = parcel.weightMg;
  for (const { surcharge } of applied) plainMg = Math.max(plainMg, surcharge.minBillableMg);
  const billableMg = Math.max(plainMg, dimMg);
  return { weightMg: parcel.weightMg, dimMg, billableMg, plainMg, sides: given.sides, applied };
}

/** Adds surcharges and fuel to the base price. */
function finish(situation: Situation, { weightMg, dimMg, applied }: Weighed, base: Base, isLead: boolean): Price {
  const { list, net, ratedMg, billableMg } = base;
  const { zone, fuelPpm, service } = situation;
  const lines = [...base.lines];
  let fuelable = net;
  let total = net;
  for (const candidate of applied) {
    if (candidate.surcharge.isPerShipment && !isLead) continue;
    const line = surchargeLine(candidate, zone, net, billableMg);
    if (line.cents === 0) continue;
    lines.push(line);
    total += line.cents;
    if (candidate.surcharge.isFuelApplied) fuelable += line.cents;
  }
  const { fuel } = service;
  if (fuel && fuelPpm > 0) {
    const ofCents = fuel.appliesTo === "base_list" ? list : fuel.appliesTo === "base_net" ? net : fuelable;
    const cents = shareOfShares(ofCents, fuelPpm, fuel.keptPpm);
    if (cents > 0) lines.push({ code: "fuel", cents, ofCents, ppm: (fuelPpm * fuel.keptPpm) / whole });
    total += cents;
  }
  return { totalCents: total, lines, actualMg: weightMg, dimMg, billableMg, ratedMg };
}

/** The parcel with its sides rounded as the carrier measures them. */
function measured({ sides: { rounding, unit } }: CompiledService, { weightMg }: Parcel, sides: Sides): Parcel {
  return { weightMg, sides: measureSides(sides, rounding, unit) };
}

function overLimit(service: CompiledService, { weightMg, sides }: Parcel): Refusal | undefined {
  const refuse = (what: string): Refusal => ({ reason: "over_limit", message: `${service.name}: ${what}.` });
  if (weightMg > service.maxMg) return refuse("the parcel is too heavy");
  if (!sides) return undefined;
  if (sides[0] > service.maxLength) return refuse("the parcel is too long");
  if (lengthPlusGirth(sides) > service.maxLengthPlusGirth) return refuse("length plus girth is over the limit");
  return undefined;
}

function dimWeight({ dim }: Situation, { sides }: Parcel): number {
  if (!dim || !sides) return 0;
  // Rounded, so that noise from the conversion to inches does not cross the threshold.
  const volume = Math.round(volumeOf(sides) * dim.perCubicInch * 1e6) / 1e6;
  if (volume <= dim.threshold) return 0;
  const tier = dim.tiers.find(({ upTo }) => volume <= upTo)!;
  return Math.round((volume / tier.divisor) * dim.unitMg);
}
