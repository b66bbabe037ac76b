import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { Ctx } from "../../context.ts";
import { findWeighedParcels } from "../shipments/shipments.ts";
import type { PreparedRater } from "./prepare-rater.ts";
import type { RateItem, Rater } from "./rater.ts";
import { rateItem } from "./rate-item.ts";
import type { StoredInput } from "./rate-items.store.ts";
import { inputAt, readSample } from "./rate-items.store.ts";
import { toRateItem } from "./rating-pass.ts";
import type { Tally } from "./tally.ts";

/** Larger comparisons are sampled, since each item is priced a dozen times. */
const sampleSize = 2_000;
/** Resolution of the search: hundredths of a percent. */
const steps = 10_000;

/** The additional discount at which both contracts cost the same. Null: even 100 % is not enough. */
export type BreakEven = { discountPct: number | null; isSampled: boolean };

/**
 * A discount applies to list prices, and minimums, fuel and surcharges stand between it and the total. So it cannot be
 * computed from the totals and is searched for instead. Undefined if the contract is not more expensive.
 */
export async function findBreakEven(
  ctx: Ctx,
  { id, item_count }: { id: string; item_count: number },
  { rater, withScenario }: Pick<PreparedRater, "rater" | "withScenario">,
  scenario: Scenario,
  { source, target }: Tally,
): Promise<BreakEven | undefined> {
  if (target <= source) return undefined;
  const every = Math.max(1, Math.ceil(item_count / sampleSize));
  const items = await readItems(ctx, id, every, rater.duplicates === "sum");
  const now = await costOf(rater, items);
  const goal = now * (source / target);
  const given = scenario.extraDiscountPercent ?? 0;
  const most = Math.floor(steps - given * (steps / 100));
  const percentOf = (step: number): number => step / (steps / 100);
  const costAt = async (step: number): Promise<number> =>
    await costOf(withScenario({ ...scenario, extraDiscountPercent: given + percentOf(step) }), items);
  const least = await costAt(most);
  if (least > goal) return { discountPct: null, isSampled: every > 1 };
  const step = await findStep({ step: 0, cost: now }, { step: most, cost: least }, goal, costAt);
  return { discountPct: percentOf(step), isSampled: every > 1 };
}

/** The cost at a step. */
type Tried = { step: number; cost: number };

/**
 * The first step that costs at most the goal, between one that costs more and one that does not. Costs decrease with the
 * steps and are nearly linear, so the search interpolates, and bisects every third time in case they are not.
 */
export async function findStep(
  dear: Tried,
  cheap: Tried,
  goal: number,
  costAt: (step: number) => Promise<number>,
): Promise<number> {
  if (dear.cost <= goal) return dear.step;
  for (let tries = 0; cheap.step - dear.step > 1; tries++) {
    const steps = cheap.step - dear.step;
    const part = tries % 3 === 2 ? 0.5 : (dear.cost - goal) / (dear.cost - cheap.cost);
    // Just short of it the second time, so that both ends close in.
    const guess = dear.step + Math.ceil(part * steps) - (tries % 3 === 1 ? 1 : 0);
    const step = Math.min(cheap.step - 1, Math.max(dear.step + 1, guess));
    const cost = await costAt(step);
    if (cost <= goal) cheap = { step, cost };
    else dear = { step, cost };
  }
  return cheap.step;
}

async function readItems(ctx: Ctx, id: string, every: number, isWholeParcel: boolean): Promise<RateItem[]> {
  const rows = await readSample(ctx.db, id, every);
  const sample = rows.map((row) => ({ ...row, stored: JSON.parse(row.input) as StoredInput }));
  const isUnweighed = ({ stored }: { stored: StoredInput }): boolean => !stored[inputAt.weightValue];
  const parcels = await findWeighedParcels(
    ctx,
    ctx.db,
    sample.filter(isUnweighed).map(({ trackingNumber }) => trackingNumber),
  );
  return sample.map((row) =>
    toRateItem(row.stored, isUnweighed(row) ? parcels.get(row.trackingNumber) : undefined, isWholeParcel),
  );
}

async function costOf(rater: Rater, items: RateItem[]): Promise<number> {
  let sum = 0;
  for (const [index, item] of items.entries()) {
    sum += rateItem(rater, item).targetCents ?? 0;
    if (index % 250 === 249) await nextTurn();
  }
  return sum;
}
