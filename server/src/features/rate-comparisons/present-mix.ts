import { fromCents } from "../../core/money.ts";
import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { Choice, RuledMix } from "./choose-mix.ts";
import { chooseByRules, chooseCheapest, costAt, unpriced } from "./choose-mix.ts";
import { meetCommitments } from "./meet-commitments.ts";
import type { PriceMatrix } from "./price-matrix.ts";
import { noPrice } from "./price-matrix.ts";
import type { Mix } from "./rate-mix.schemas.ts";
import type { Commitment, Definition, Target } from "./rate-targets.schemas.ts";
import type { Summary } from "./summary.schemas.ts";

/** Which target each item goes to, in each of the mixes. */
export type Choices = { best: Choice; ruled: RuledMix | undefined; committed: Choice | undefined };

export async function chooseMixes(matrix: PriceMatrix, targets: Target[], definition: Definition): Promise<Choices> {
  const { rules = [], keepSource = false } = definition;
  const best = chooseCheapest(matrix, keepSource);
  const commitments = commitmentsOf(targets, definition);
  const minimums = {
    parcels: targets.map(({ target }) => commitments.find((one) => one.target === target)?.minParcels ?? 0),
    cents: targets.map(({ target }) => centsOf(commitments.find((one) => one.target === target)?.minRevenue ?? 0)),
  };
  return {
    best,
    ruled: rules.length === 0 ? undefined : chooseByRules(matrix, best, rules),
    committed: commitments.length === 0 ? undefined : await meetCommitments(matrix, best, minimums, keepSource),
  };
}

/** Those of the scenario, else those of the targets. */
function commitmentsOf(targets: Target[], definition: Definition): Commitment[] {
  const own = targets.flatMap(({ target, minParcels, minRevenue }) =>
    minParcels === null && minRevenue === null
      ? []
      : [{ target, ...(minParcels !== null && { minParcels }), ...(minRevenue !== null && { minRevenue }) }],
  );
  return definition.commitments ?? own;
}

const centsOf = (amount: number): number => Math.round(amount * 100);

/** A target with its summary, which has the breakdowns, and the terms of the scenario. */
export type TargetFigures = { target: Target; summary: Summary; terms: Scenario };

export type MixParts = {
  about: Pick<Mix, "comparisonId" | "revision" | "currency">;
  figures: TargetFigures[];
  matrix: PriceMatrix;
  definition: Definition;
  choices: Choices;
};

/** All money is added up in cents, so that every part adds up to its whole. */
export function presentMix({ about, figures, matrix, definition, choices }: MixParts): Mix {
  const { best, ruled, committed } = choices;
  const whole = tallyChoice(matrix, best);
  const common = tallyCommon(matrix);
  return {
    ...about,
    parcels: whole.parcels,
    sourceCost: fromCents(whole.paid),
    common: { parcels: common.parcels, sourceCost: fromCents(common.paid) },
    targets: figures.map((one, index) => presentTarget(one, matrix, best, common.cents[index]!)),
    bestMix: presentCosts(whole),
    ruleMix: ruled ? presentRuled(matrix, whole, ruled, definition) : null,
    committedMix: committed ? presentCommitted(matrix, whole, committed, figures, definition) : null,
  };
}

/** By target, and the source as the last: parcels and cents. */
type ChoiceTally = { parcels: number; paid: number; cents: number; byTarget: { parcels: number; cents: number }[] };

function tallyChoice(matrix: PriceMatrix, choice: Choice): ChoiceTally {
  const byTarget = Array.from({ length: matrix.prices.length + 1 }, () => ({ parcels: 0, cents: 0 }));
  const tally: ChoiceTally = { parcels: 0, paid: 0, cents: 0, byTarget };
  for (const [position, chosen] of choice.entries()) {
    if (chosen === unpriced) continue;
    const cents = costAt(matrix, position, chosen);
    tally.parcels++;
    tally.paid += matrix.paid[position]!;
    tally.cents += cents;
    byTarget[chosen]!.parcels++;
    byTarget[chosen]!.cents += cents;
  }
  return tally;
}

function tallyCommon({ count, paid, prices }: PriceMatrix) {
  const tally = { parcels: 0, paid: 0, cents: prices.map(() => 0) };
  for (let position = 0; position < count; position++) {
    if (prices.some((cents) => cents[position] === noPrice)) continue;
    tally.parcels++;
    tally.paid += paid[position]!;
    for (const [target, cents] of prices.entries()) tally.cents[target]! += cents[position]!;
  }
  return tally;
}

function presentTarget(
  { target, summary, terms }: TargetFigures,
  matrix: PriceMatrix,
  best: Choice,
  commonCents: number,
): Mix["targets"][number] {
  const prices = matrix.prices[target.target - 1]!;
  let [parcels, paid, cents, bestCents] = [0, 0, 0, 0];
  for (const [position, price] of prices.entries()) {
    if (price === noPrice) continue;
    parcels++;
    paid += matrix.paid[position]!;
    cents += price;
    bestCents += costAt(matrix, position, best[position]!);
  }
  return {
    ...target,
    rateCard: summary.rateCard,
    terms,
    parcels,
    sourceCost: fromCents(paid),
    targetCost: fromCents(cents),
    savings: fromCents(paid - cents),
    savingsPct: percentOf(paid - cents, paid),
    bestCost: fromCents(bestCents),
    commonCost: fromCents(commonCents),
    costBreakdown: summary.costBreakdown.target,
    zoneBreakdown: summary.zoneBreakdown,
  };
}

function presentCosts({ parcels, paid, cents, byTarget }: ChoiceTally): Mix["bestMix"] {
  const source = byTarget.at(-1)!;
  return {
    cost: fromCents(cents),
    savings: fromCents(paid - cents),
    savingsPct: percentOf(paid - cents, paid),
    targets: byTarget.slice(0, -1).map((one, index) => ({
      target: index + 1,
      parcels: one.parcels,
      cost: fromCents(one.cents),
      sharePct: percentOf(one.parcels, parcels) ?? 0,
    })),
    source: { parcels: source.parcels, cost: fromCents(source.cents) },
  };
}

function presentAboveBest(whole: ChoiceTally, { cents }: ChoiceTally) {
  return {
    aboveBest: fromCents(cents - whole.cents),
    aboveBestPct: percentOf(cents - whole.cents, whole.cents),
  };
}

function presentRuled(
  matrix: PriceMatrix,
  whole: ChoiceTally,
  { choice, decided }: RuledMix,
  { rules = [], keepSource = false }: Definition,
): NonNullable<Mix["ruleMix"]> {
  const tally = tallyChoice(matrix, choice);
  const best = chooseCheapest(matrix, keepSource);
  const byRule = rules.map(() => ({ parcels: 0, cents: 0, best: 0 }));
  const unmatched = { parcels: 0, cents: 0, best: 0 };
  for (const [position, chosen] of choice.entries()) {
    if (chosen === unpriced) continue;
    const one = byRule[decided[position]!] ?? unmatched;
    one.parcels++;
    one.cents += costAt(matrix, position, chosen);
    one.best += costAt(matrix, position, best[position]!);
  }
  return {
    ...presentCosts(tally),
    ...presentAboveBest(whole, tally),
    rules: rules.map(({ target }, index) => {
      const { parcels, cents, best: bestCents } = byRule[index]!;
      const cost = fromCents(cents);
      return { target, parcels, cost, bestCost: fromCents(bestCents), aboveBest: fromCents(cents - bestCents) };
    }),
    unmatched: { parcels: unmatched.parcels, cost: fromCents(unmatched.cents) },
  };
}

function presentCommitted(
  matrix: PriceMatrix,
  whole: ChoiceTally,
  choice: Choice,
  figures: TargetFigures[],
  definition: Definition,
): NonNullable<Mix["committedMix"]> {
  const tally = tallyChoice(matrix, choice);
  const commitments = commitmentsOf(
    figures.map(({ target }) => target),
    definition,
  );
  const presented = commitments.map(({ target, minParcels, minRevenue }) => {
    const { parcels, cents } = tally.byTarget[target - 1]!;
    const missingParcels = Math.max(0, (minParcels ?? 0) - parcels);
    const missing = Math.max(0, centsOf(minRevenue ?? 0) - cents);
    return {
      target,
      minParcels: minParcels ?? null,
      minRevenue: minRevenue ?? null,
      parcels,
      cost: fromCents(cents),
      missingParcels,
      missingRevenue: fromCents(missing),
      isMet: missingParcels === 0 && missing === 0,
    };
  });
  return {
    ...presentCosts(tally),
    ...presentAboveBest(whole, tally),
    isOptimal: commitments.every(({ minRevenue }) => minRevenue === undefined) || tally.cents === whole.cents,
    commitments: presented,
  };
}

function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 100;
}
