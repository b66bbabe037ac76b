import { shareOf } from "../../core/money.ts";
import type { CompiledService } from "./compile-card.ts";
import type { CompiledCubic } from "./compile-terms.ts";
import { fineToCents } from "./fine-money.ts";
import type { Sides } from "./measures.ts";
import { countUnits } from "./measures.ts";
import type { PriceLine, Refusal, Situation } from "./price-types.ts";

const whole = 1_000_000;

/** The price before surcharges and fuel, with its lines: base, discount, minimum. */
export type Base = {
  list: number;
  net: number;
  lines: PriceLine[];
  ratedMg: number;
  /** The weight by which surcharges are charged. */
  billableMg: number;
};

type Cell = { cents: number; ratedMg: number };

/** `plainMg`: the billable weight if there were no dimensional weight. `sides`: unrounded. */
type Weights = { billableMg: number; plainMg: number; sides: Sides | undefined };

export function basePrice(situation: Situation, weights: Weights): Base | Refusal {
  const { service, zone } = situation;
  const { billableMg, plainMg, sides } = weights;
  const cell = cellAt(service, zone, billableMg);
  const isPriced = cell !== undefined && cell !== "too heavy";
  const cubic = service.cubic && sides && cubicCell(service.cubic, zone, plainMg, sides);
  if (cubic && (service.cubic?.isAlways || !isPriced || cubic.cents < cell.cents)) {
    const line = { code: "base", cents: cubic.cents, cubicFeet: cubic.tier };
    return discounted(situation, line, plainMg, plainMg);
  }
  if (cell === "too heavy") {
    const message = `The parcel is heavier than the last weight break of ${service.name} in zone ${zone}.`;
    return { reason: "over_limit", message };
  }
  if (!cell) {
    return { reason: "no_rate_cell", message: `${service.name} has no price for zone ${zone} at this weight.` };
  }
  return discounted(situation, { code: "base", cents: cell.cents }, cell.ratedMg, billableMg);
}

function discounted(situation: Situation, base: PriceLine, ratedMg: number, billableMg: number): Base {
  const { minimumCents } = situation.service;
  const list = base.cents;
  const lines = [base];
  const discount = discountOf(situation, list, ratedMg);
  if (discount) lines.push(discount);
  let net = list + (discount?.cents ?? 0);
  if (net < minimumCents) {
    lines.push({ code: "minimum", cents: minimumCents - net, ofCents: minimumCents });
    net = minimumCents;
  }
  return { list, net, lines, ratedMg, billableMg };
}

/** The price by volume; undefined: the parcel is too large or too heavy for it, or there is none. */
function cubicCell(
  { tiers, cells, maxMg, maxLength }: CompiledCubic,
  zone: string,
  weightMg: number,
  sides: Sides,
): { cents: number; tier: number } | undefined {
  if (weightMg > maxMg || sides[0] > maxLength) return undefined;
  const [a, b, c] = [toQuarterInches(sides[0]), toQuarterInches(sides[1]), toQuarterInches(sides[2])];
  const feet = (a * b * c) / (4 * 12) ** 3;
  // Noise of the division crosses no tier.
  const index = tiers.findIndex((upTo) => feet <= upTo + 1e-9);
  const fine = cells.get(zone)?.[index];
  return fine === undefined || Number.isNaN(fine) ? undefined : { cents: fineToCents(fine), tier: tiers[index]! };
}

/** Rounded down, as whole quarters; the conversion from centimeters must not lose one. */
function toQuarterInches(side: number): number {
  return Math.floor(Math.round(side * 4e6) / 1e6);
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

function cellAt(service: CompiledService, zone: string, billableMg: number): Cell | "too heavy" | undefined {
  const row = service.cells.get(zone)!;
  const index = breakOf(service, billableMg);
  if (index < row.length) {
    const fine = row[index]!;
    if (Number.isNaN(fine)) return undefined;
    return { cents: fineToCents(fine), ratedMg: service.isFlat ? billableMg : service.breaksMg[index]! };
  }
  const perStep = service.above?.fine.get(zone);
  const heaviest = row.at(-1)!;
  if (!service.above || perStep === undefined) return "too heavy";
  if (Number.isNaN(heaviest)) return undefined;
  const { stepMg } = service.above;
  const last = service.breaksMg.at(-1)!;
  const steps = countUnits(billableMg - last, stepMg);
  return { cents: fineToCents(heaviest + steps * perStep), ratedMg: Math.round(last + steps * stepMg) };
}

/** The last matching `replace` discount plus all matching `add` discounts; never more than the price. */
function discountOf({ discounts, zone }: Situation, list: number, ratedMg: number): PriceLine | undefined {
  let [ppm, cents, addedPpm, addedCents] = [0, 0, 0, 0];
  for (const discount of discounts) {
    if (discount.zones && !discount.zones.has(zone)) continue;
    if (ratedMg < discount.fromMg || ratedMg > discount.toMg) continue;
    if (discount.isAdded) [addedPpm, addedCents] = [addedPpm + discount.ppm, addedCents + discount.cents];
    else [ppm, cents] = [discount.ppm, discount.cents];
  }
  const allPpm = Math.min(whole, ppm + addedPpm);
  const off = Math.min(list, shareOf(list, allPpm) + cents + addedCents);
  return off === 0 ? undefined : { code: "discount", cents: -off, ofCents: list, ppm: allPpm };
}
