import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { findBreakEven } from "./break-even.ts";
import type { PreparedTarget } from "./prepare-targets.ts";
import { percentileShares, presentSummary } from "./present-summary.ts";
import type { PriceMatrix } from "./price-matrix.ts";
import { noPrice } from "./price-matrix.ts";
import { findTrackingNumbers } from "./rate-items.store.ts";
import type { Summary } from "./summary.schemas.ts";
import type { Totals } from "./tally.ts";
import { topPositions } from "./tally.ts";

/** The summary of one target. The percentiles of the savings come from its column of the matrix. */
export async function summariseTarget(
  ctx: Ctx,
  db: Queryable,
  { number, about, prepared }: PreparedTarget,
  totals: Totals,
  matrix: PriceMatrix,
  { scenario, stale }: { scenario: Scenario; stale: boolean },
): Promise<Summary> {
  return presentSummary(about, totals, percentilesOf(matrix, number - 1), {
    computedAt: ctx.clock.now().toISOString(),
    scenario,
    stale,
    breakEven: await findBreakEven(ctx, about, prepared, scenario, totals.all),
    trackingNumbers: await findTrackingNumbers(db, about.id, topPositions(totals)),
  });
}

function percentilesOf({ paid, prices }: PriceMatrix, target: number): number[] {
  const cents = prices[target]!;
  const savings = paid
    .map((amount, position) => amount - cents[position]!)
    .filter((_, position) => cents[position] !== noPrice)
    .toSorted();
  return percentileShares.flatMap((share) => savings[Math.max(0, Math.ceil(share * savings.length) - 1)] ?? []);
}
