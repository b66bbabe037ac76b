import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { Ctx } from "../../context.ts";
import { findWeighedParcels } from "../shipments/shipments.ts";
import type { PreparedRater } from "./prepare-rater.ts";
import type { RateItem, Rater } from "./rate-item.ts";
import { rateItem } from "./rate-item.ts";
import type { StoredInput } from "./rate-items.store.ts";
import { readSample } from "./rate-items.store.ts";
import { toRateItem } from "./rating-pass.ts";
import type { Tally } from "./tally.ts";

/** Of more items than this every second, third ... is looked at: they are priced a dozen times. */
const sampleSize = 2_000;
/** Discounts are looked for in hundredths of a percent. */
const steps = 10_000;

/** The further discount that makes both contracts cost the same. Null: none does, since what it is not taken of costs more. */
export type BreakEven = { discountPct: number | null; isSampled: boolean };

/**
 * A discount is taken of list prices; minimums, fuel and surcharges stand between it and the total. So it is not worked out
 * from the totals but tried, until the parcels cost what was paid. Undefined where the contract is not dearer.
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

/** What a step costs. */
type Tried = { step: number; cost: number };

/**
 * The first step that costs no more than the goal, between one that costs more and one that does not; no step costs more than those before
 * it. Costs are nearly a straight line, so the next one to try is where that would meet the goal, and every third time the middle, in
 * case they are not.
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
    // The second time just short of it, so that the end is near from both sides.
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
  const isUnweighed = ({ stored }: { stored: StoredInput }): boolean => !stored[6];
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
