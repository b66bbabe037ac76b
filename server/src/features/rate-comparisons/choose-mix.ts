import { isOfCarrier } from "../../carriers/rate-card/service-level.ts";
import { toMg } from "../../carriers/rate-card/measures.ts";
import type { PriceMatrix, TextColumn } from "./price-matrix.ts";
import { noPrice } from "./price-matrix.ts";
import type { Rule } from "./rate-targets.schemas.ts";

/** Index of the target for each item; `unpriced`: no target has a price. The number of targets: it stays with the source. */
export type Choice = Int8Array;

export const unpriced = -1;

/** The cheapest target for each parcel; of equal ones the first. */
export function chooseCheapest({ count, paid, prices }: PriceMatrix, keepSource: boolean): Choice {
  const choice = new Int8Array(count).fill(unpriced);
  for (let position = 0; position < count; position++) {
    let best = unpriced;
    let least = Infinity;
    for (const [target, cents] of prices.entries()) {
      const price = cents[position]!;
      if (price === noPrice || price >= least) continue;
      [best, least] = [target, price];
    }
    if (keepSource && best !== unpriced && paid[position]! < least) best = prices.length;
    choice[position] = best;
  }
  return choice;
}

export function costAt({ paid, prices }: PriceMatrix, position: number, chosen: number): number {
  return chosen === prices.length ? paid[position]! : prices[chosen]![position]!;
}

/** A mix by rules. `decided`: index of the rule for each item; `unpriced`: none, so the cheapest. */
export type RuledMix = { choice: Choice; decided: Int8Array };

export function chooseByRules(matrix: PriceMatrix, best: Choice, rules: Rule[]): RuledMix {
  const choice = Int8Array.from(best);
  const decided = new Int8Array(matrix.count).fill(unpriced);
  const matchers = rules.map((rule) => matcherOf(matrix, rule));
  for (let position = 0; position < matrix.count; position++) {
    if (best[position] === unpriced) continue;
    const index = matchers.findIndex((matches) => matches(position));
    if (index === -1) continue;
    decided[position] = index;
    choice[position] = rules[index]!.target - 1;
  }
  return { choice, decided };
}

function matcherOf(matrix: PriceMatrix, rule: Rule): (position: number) => boolean {
  const target = rule.target - 1;
  const prices = matrix.prices[target]!;
  const types = codesOf(
    matrix.serviceTypes,
    rule.serviceTypes?.map((name) => name.toLowerCase()),
  );
  const carriers = codesWhere(matrix.serviceTypes, rule.carriers && ((name) => isOfAny(name, rule.carriers!)));
  const levels = codesOf(matrix.serviceLevels, rule.serviceLevels);
  const zones = codesOf(
    matrix.zones[target]!,
    rule.zones?.map((zone) => zone.toLowerCase()),
  );
  const over = rule.weightOver && toMg(rule.weightOver);
  const upTo = rule.weightUpTo && toMg(rule.weightUpTo);
  return (position) => {
    if (prices[position] === noPrice) return false;
    // NaN, an unknown weight, is neither over nor up to anything.
    const weight = matrix.weightsMg[position]!;
    return (
      (types === undefined || types.has(matrix.serviceTypes.codes[position]!)) &&
      (carriers === undefined || carriers.has(matrix.serviceTypes.codes[position]!)) &&
      (levels === undefined || levels.has(matrix.serviceLevels.codes[position]!)) &&
      (zones === undefined || zones.has(matrix.zones[target]!.codes[position]!)) &&
      (over === undefined || weight > over) &&
      (upTo === undefined || weight <= upTo)
    );
  };
}

/** The codes of these names, which are in lower case. */
function codesOf(column: TextColumn, wanted: readonly string[] | undefined): Set<number> | undefined {
  return codesWhere(column, wanted && ((name) => wanted.includes(name.toLowerCase())));
}

const isOfAny = (service: string, carriers: readonly string[]): boolean =>
  carriers.some((carrier) => isOfCarrier(service, carrier));

function codesWhere({ names }: TextColumn, is: ((name: string) => boolean) | undefined): Set<number> | undefined {
  return is && new Set(names.flatMap((name, index) => (is(name) ? [index + 1] : [])));
}
