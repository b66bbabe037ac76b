import type { CompiledCard, CompiledService, CompiledSurcharge } from "./compile-card.ts";
import { shareOf, shareOfShares } from "../../core/money.ts";
import type { Sides } from "./measures.ts";
import { countUnits, lengthPlusGirth, measureSides, volumeOf } from "./measures.ts";

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

type Parcel = { weightMg: number; sides?: Sides | undefined };

/** For percentages, `ppm` of `ofCents`; `quantity` is the number of units charged. */
export type PriceLine = { code: string; cents: number; ofCents?: number; ppm?: number; quantity?: number };

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
type Candidate = { surcharge: CompiledSurcharge; sharePpm: number };

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
  /**
   * Totals of parcels without dimensions, by weight break. Only the totals are cached: if Price objects were, V8 would
   * allocate all of them (millions) in the old generation, where only a full garbage collection frees them.
   */
  ladderTotals?: { totals: number[]; isAscending: boolean };
};

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
  for (const surcharge of card.surcharges) {
    const sharePpm = shareAt(surcharge, service, trip);
    if (sharePpm > 0) candidates.push({ surcharge, sharePpm });
  }
  const byParcel = candidates.filter(({ surcharge }) => surcharge.isByParcel);
  const usual = chooseSurcharges(candidates.filter(({ surcharge }) => !surcharge.isByParcel));
  return { card, service, zone: trip.zone, candidates, byParcel, usual, fuelPpm: fuelAt(card, trip.shipDate) };
}

/** Trips with the same key share a situation. */
export function situationKey(card: CompiledCard, service: CompiledService, trip: Trip): string {
  let key = `${service.index}|${trip.zone}|${fuelAt(card, trip.shipDate)}|`;
  if (service.serves) key += isIn(service.serves, trip.destinationZip, trip.destinationState) ? "s" : "-";
  for (const surcharge of card.surcharges) key += `,${shareAt(surcharge, service, trip)}`;
  return key;
}

const whole = 1_000_000;

/** The share of the surcharge that applies: all, none, or its allocation if it is unknown whether the address is residential. */
function shareAt(surcharge: CompiledSurcharge, service: CompiledService, trip: Trip): number {
  if (surcharge.services && !surcharge.services.has(service.code)) return 0;
  if (surcharge.zones && !surcharge.zones.has(trip.zone)) return 0;
  if (trip.shipDate < surcharge.from || trip.shipDate > surcharge.to) return 0;
  if (surcharge.states && !surcharge.states.has(trip.destinationState ?? "")) return 0;
  if (surcharge.destination && !isIn(surcharge.destination, trip.destinationZip, trip.destinationState)) return 0;
  if (surcharge.origin && !isIn(surcharge.origin, trip.originZip, trip.originState)) return 0;
  if (surcharge.residential === undefined || surcharge.residential === trip.residential) return whole;
  return trip.residential === null ? (surcharge.allocationPpm ?? 0) : 0;
}

function isIn(has: (value: string) => boolean, zip: string | undefined, state: string | undefined): boolean {
  if (zip !== undefined && (has(zip) || has(zip.slice(0, 3)))) return true;
  return state !== undefined && has(state);
}

function fuelAt({ fuel }: CompiledCard, day: string): number {
  if (!fuel) return 0;
  let ppm = fuel.table[0]!.ppm;
  for (const row of fuel.table) if (row.from <= day) ppm = row.ppm;
  return ppm;
}

/** The price of a parcel at the upper limit of this weight break. */
export function priceOfBreak(situation: Situation, index: number): Price | Refusal {
  const weightMg = situation.service.isFlat ? 0 : situation.service.breaksMg[index]!;
  return priceParcel(situation, { weightMg });
}

function breakOf({ breaksMg }: CompiledService, mg: number): number {
  let [low, high] = [0, breaksMg.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (breaksMg[middle]! < mg) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function priceParcel(situation: Situation, given: Parcel): Price | Refusal {
  const { service, zone } = situation;
  const parcel = given.sides ? measured(service, given, given.sides) : given;
  const limit = overLimit(service, parcel);
  if (limit) return limit;
  const dimMg = dimWeight(service, parcel);
  const applied = applySurcharges(situation, parcel);
  let billableMg = Math.max(parcel.weightMg, dimMg);
  for (const { surcharge } of applied) billableMg = Math.max(billableMg, surcharge.minBillableMg);
  const cell = cellAt(service, zone, billableMg);
  if (cell === "too heavy") {
    const message = `The parcel is heavier than the last weight break of ${service.name} in zone ${zone}.`;
    return { reason: "over_limit", message };
  }
  if (!cell) {
    return { reason: "no_rate_cell", message: `${service.name} has no price for zone ${zone} at this weight.` };
  }
  const { cents: list, ratedMg } = cell;
  const lines: PriceLine[] = [{ code: "base", cents: list }];
  const discount = discountOf(service, zone, list, ratedMg);
  if (discount) lines.push(discount);
  let net = list + (discount?.cents ?? 0);
  if (net < service.minimumCents) {
    lines.push({ code: "minimum", cents: service.minimumCents - net, ofCents: service.minimumCents });
    net = service.minimumCents;
  }
  let fuelable = net;
  let total = net;
  for (const candidate of applied) {
    const line = surchargeLine(candidate, zone, net, billableMg);
    if (line.cents === 0) continue;
    lines.push(line);
    total += line.cents;
    if (candidate.surcharge.isFuelApplied) fuelable += line.cents;
  }
  const { fuel } = situation.card;
  if (fuel && situation.fuelPpm > 0) {
    const ofCents = fuel.appliesTo === "base_list" ? list : fuel.appliesTo === "base_net" ? net : fuelable;
    const cents = shareOfShares(ofCents, situation.fuelPpm, fuel.keptPpm);
    if (cents > 0) lines.push({ code: "fuel", cents, ofCents, ppm: (situation.fuelPpm * fuel.keptPpm) / whole });
    total += cents;
  }
  return { totalCents: total, lines, actualMg: parcel.weightMg, dimMg, billableMg, ratedMg };
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

function dimWeight({ dim }: CompiledService, { sides }: Parcel): number {
  if (!dim || !sides) return 0;
  // Rounded, so that noise from the conversion to inches does not cross the threshold.
  const volume = Math.round(volumeOf(sides) * dim.perCubicInch * 1e6) / 1e6;
  return volume > dim.threshold ? Math.round((volume / dim.divisor) * dim.unitMg) : 0;
}

function cellAt(
  service: CompiledService,
  zone: string,
  billableMg: number,
): { cents: number; ratedMg: number } | "too heavy" | undefined {
  const row = service.cells.get(zone)!;
  const index = breakOf(service, billableMg);
  if (index < row.length) {
    const cents = row[index]!;
    return Number.isNaN(cents) ? undefined : { cents, ratedMg: service.isFlat ? billableMg : service.breaksMg[index]! };
  }
  const perStep = service.above?.cents.get(zone);
  const heaviest = row.at(-1)!;
  if (!service.above || perStep === undefined) return "too heavy";
  if (Number.isNaN(heaviest)) return undefined;
  const { stepMg } = service.above;
  const last = service.breaksMg.at(-1)!;
  const steps = countUnits(billableMg - last, stepMg);
  return { cents: heaviest + steps * perStep, ratedMg: Math.round(last + steps * stepMg) };
}

/** The last matching `replace` discount plus all matching `add` discounts; never more than the price. */
function discountOf(service: CompiledService, zone: string, list: number, ratedMg: number): PriceLine | undefined {
  let [ppm, cents, addedPpm, addedCents] = [0, 0, 0, 0];
  for (const discount of service.discounts) {
    if (discount.zones && !discount.zones.has(zone)) continue;
    if (ratedMg < discount.fromMg || ratedMg > discount.toMg) continue;
    if (discount.isAdded) [addedPpm, addedCents] = [addedPpm + discount.ppm, addedCents + discount.cents];
    else [ppm, cents] = [discount.ppm, discount.cents];
  }
  const allPpm = Math.min(whole, ppm + addedPpm);
  const off = Math.min(list, shareOf(list, allPpm) + cents + addedCents);
  return off === 0 ? undefined : { code: "discount", cents: -off, ofCents: list, ppm: allPpm };
}

function applySurcharges({ candidates, byParcel, usual }: Situation, parcel: Parcel): Candidate[] {
  if (!byParcel.some(({ surcharge }) => fitsParcel(surcharge, parcel))) return usual;
  return chooseSurcharges(candidates.filter(({ surcharge }) => !surcharge.isByParcel || fitsParcel(surcharge, parcel)));
}

/** The highest priority of each group, then the surcharges that require one of these. */
function chooseSurcharges(meant: Candidate[]): Candidate[] {
  const first = strongestOfGroups(meant.filter(({ surcharge }) => surcharge.requires === undefined));
  const codes = new Set(first.map(({ surcharge }) => surcharge.code));
  const second = meant.filter(({ surcharge }) => surcharge.requires !== undefined && codes.has(surcharge.requires));
  return second.length === 0 ? first : strongestOfGroups([...first, ...second]);
}

function strongestOfGroups(candidates: Candidate[]): Candidate[] {
  const best = new Map<string, CompiledSurcharge>();
  for (const { surcharge } of candidates) {
    if (surcharge.group === undefined) continue;
    const rival = best.get(surcharge.group);
    if (!rival || surcharge.priority > rival.priority) best.set(surcharge.group, surcharge);
  }
  return candidates.filter(({ surcharge }) => surcharge.group === undefined || best.get(surcharge.group) === surcharge);
}

function fitsParcel(surcharge: CompiledSurcharge, { weightMg, sides }: Parcel): boolean {
  if (weightMg <= surcharge.weightOverMg) return false;
  const asksForSize =
    surcharge.longestSideOver >= 0 ||
    surcharge.secondLongestSideOver >= 0 ||
    surcharge.lengthPlusGirthOver >= 0 ||
    surcharge.volumeOver >= 0;
  if (!asksForSize) return true;
  if (!sides) return false;
  return (
    sides[0] > surcharge.longestSideOver &&
    sides[1] > surcharge.secondLongestSideOver &&
    lengthPlusGirth(sides) > surcharge.lengthPlusGirthOver &&
    volumeOf(sides) > surcharge.volumeOver
  );
}

function surchargeLine({ surcharge, sharePpm }: Candidate, zone: string, net: number, billableMg: number): PriceLine {
  const { code, kind, keptPpm } = surcharge;
  const ppm = (keptPpm * sharePpm) / whole;
  if (kind === "percent") {
    const cents = shareOfShares(net, surcharge.ppm, keptPpm, sharePpm);
    return { code, cents, ofCents: net, ppm: (surcharge.ppm * ppm) / whole };
  }
  const each = surcharge.centsByZone?.get(zone) ?? surcharge.cents;
  const quantity = kind === "per_weight" ? countUnits(billableMg, surcharge.unitMg) : 1;
  const full = each * quantity;
  return { code, cents: shareOfShares(full, keptPpm, sharePpm), ofCents: full, ppm, quantity };
}
