import type { Price, Refusal, Situation } from "../../carriers/rate-card/price.ts";
import { isRefusal, priceParcel } from "../../carriers/rate-card/price.ts";
import type { Sides } from "../../carriers/rate-card/measures.ts";
import { toMg } from "../../carriers/rate-card/measures.ts";

/** A histogram of weights, in milligrams. */
export type WeightProfile = { name: string; weights: [mg: number, count: number][] };

const pounds = (value: number): number => toMg({ value, unit: "lb" });

/** From half a million parcels of consumer shops; used if nothing better is known. */
export const usualProfile: WeightProfile = {
  name: "usual",
  weights: (
    [
      [0.5, 12],
      [1, 10],
      [2, 17],
      [3, 15],
      [4, 12],
      [5, 9],
      [6, 6],
      [8, 6],
      [10, 4],
      [12, 3],
      [15, 2],
      [20, 3],
      [30, 1],
    ] as const
  ).map(([value, count]) => [pounds(value), count]),
};

export function profileOfOne(mg: number): WeightProfile {
  return { name: "assumed", weights: [[mg, 1]] };
}

export type CostLine = { code: string; cents: number };

export type Estimate = {
  targetCents: number;
  lowCents: number;
  highCents: number;
  lines: readonly CostLine[];
  /** Null for an average over several weights. */
  ratedMg: number | null;
};

export function estimateOf(price: Price): Estimate {
  const { totalCents, lines, ratedMg } = price;
  return {
    targetCents: totalCents,
    lowCents: totalCents,
    highCents: totalCents,
    lines,
    ratedMg,
  };
}

/** The average price of a parcel of unknown weight, with its 10th and 90th percentiles as range. */
export function expectedPrice(situation: Situation, profile: WeightProfile, sides?: Sides): Estimate | Refusal {
  const found: { cents: number; count: number }[] = [];
  const sums = new Map<string, number>();
  let [total, count] = [0, 0];
  let refusal: Refusal | undefined;
  for (const [weightMg, times] of profile.weights) {
    const price = priceParcel(situation, { weightMg, sides });
    if (isRefusal(price)) {
      refusal = price;
      continue;
    }
    found.push({ cents: price.totalCents, count: times });
    for (const line of price.lines) sums.set(line.code, (sums.get(line.code) ?? 0) + line.cents * times);
    total += price.totalCents * times;
    count += times;
  }
  if (count === 0) return refusal ?? { reason: "no_rate_cell", message: "The weight profile is empty." };
  const targetCents = Math.floor(total / count + 0.5);
  const lines = [...sums].map(([code, sum]) => ({ code, cents: Math.round(sum / count) }));
  // The rounding difference is added to the base, so that the lines add up to the total.
  lines[0]!.cents += targetCents - lines.reduce((sum, { cents }) => sum + cents, 0);
  found.sort((a, b) => a.cents - b.cents);
  return {
    targetCents,
    lowCents: Math.min(targetCents, percentile(found, count * 0.1)),
    highCents: Math.max(targetCents, percentile(found, count * 0.9)),
    lines: lines.filter(({ cents }) => cents !== 0),
    ratedMg: null,
  };
}

function percentile(sorted: { cents: number; count: number }[], upTo: number): number {
  let passed = 0;
  for (const { cents, count } of sorted) {
    passed += count;
    if (passed >= upTo) return cents;
  }
  return sorted.at(-1)!.cents;
}
