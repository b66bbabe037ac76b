import { isDeepStrictEqual } from "node:util";
import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { Ctx } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import { findBreakEven } from "./break-even.ts";
import { prepareTargets } from "./prepare-targets.ts";
import { percentileShares, presentSummary } from "./present-summary.ts";
import type { InputStamps } from "../carrier-accounts/tariff-inputs.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import * as work from "./comparison-work.store.ts";
import * as items from "./rate-items.store.ts";
import { startPass } from "./rating-pass.ts";
import type { Summary } from "./summary.schemas.ts";
import { emptyTotals, topPositions } from "./tally.ts";

/** Rates all items again with other terms of a target, without storing results. */
export async function summariseScenario(
  ctx: Ctx,
  row: ComparisonRow,
  asked: Scenario,
  stale: boolean,
  number = 1,
): Promise<Summary> {
  const cards = await work.findCards(ctx.db, ctx.orgId, row.id);
  if (!cards) throw new HubError("invalid_state", "Process the comparison first; then try scenarios.");
  const scenario = { ...row.options.scenario, ...asked };
  const [target] = await prepareTargets(ctx, { ...row, ...cards }, (one) => (one === number ? scenario : undefined));
  const { about, prepared } = target!;
  const totals = emptyTotals();
  const savings: number[] = [];
  const slices = startPass(ctx, row, prepared.rater).rate(
    0,
    row.item_count,
    totals,
    (_position, _input, { sourceCents, targetCents }) => {
      if (targetCents !== null) savings.push(sourceCents - targetCents);
    },
  );
  for await (const _ of slices);
  savings.sort((a, b) => a - b);
  const percentiles = percentileShares.flatMap(
    (share) => savings[Math.max(0, Math.ceil(share * savings.length) - 1)] ?? [],
  );
  const trackingNumbers = await items.findTrackingNumbers(ctx.db, row.id, topPositions(totals));
  const computedAt = ctx.clock.now().toISOString();
  return presentSummary(about, totals, percentiles, {
    computedAt,
    scenario,
    stale,
    breakEven: await findBreakEven(ctx, row, prepared, scenario, totals.all),
    hasOtherInputs: hasOtherInputs(row, prepared.stamps),
    trackingNumbers,
  });
}

/** The stamps of a comparison with targets are those of all of them. */
function hasOtherInputs({ input_stamps: former, targets }: ComparisonRow, now: InputStamps): boolean {
  if (former === null) return false;
  if (targets === null) return !isDeepStrictEqual(now, former);
  return Object.entries(now).some(([name, stamp]) => former[name] !== stamp);
}
