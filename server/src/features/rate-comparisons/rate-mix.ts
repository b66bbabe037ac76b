import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { PriceMatrix } from "./price-matrix.ts";
import { readMatrix } from "./price-columns.store.ts";
import type { Choices, TargetFigures } from "./present-mix.ts";
import { chooseMixes, presentMix } from "./present-mix.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import * as store from "./rate-comparisons.store.ts";
import type { Mix } from "./rate-mix.schemas.ts";
import type { Definition, Target } from "./rate-targets.schemas.ts";
import { listSummaries } from "./rate-targets.store.ts";
import type { Summary } from "./summary.schemas.ts";

type WithTargets = ComparisonRow & { targets: Target[] };
/** A comparison whose targets have prices. */
export type PricedComparison = WithTargets & { shown_revision: number };

/** What the targets cost, and the cheapest mix of them. */
export async function getMix(ctx: Ctx, id: string): Promise<Mix> {
  const row = await getPriced(ctx, id);
  const { mix } = await mixOf(row, await readFigures(ctx, row), await readPrices(ctx, row, row.id), {});
  return mix;
}

export async function getPriced(ctx: Ctx, id: string): Promise<PricedComparison> {
  const row = await getWithTargets(ctx, id);
  if (!isPriced(row)) throw new HubError("invalid_state", "Process the comparison first.");
  return row;
}

export async function getWithTargets(ctx: Ctx, id: string): Promise<WithTargets> {
  const { targets, ...row } = await store.getComparison(ctx.db, ctx.orgId, id);
  if (targets !== null) return { ...row, targets };
  throw new HubError("invalid_state", "The comparison has one contract. Create one with targets to mix several.");
}

export function isPriced(row: WithTargets): row is PricedComparison {
  return row.shown_revision !== null;
}

export async function readPrices(ctx: Ctx, row: PricedComparison, scenarioId: string): Promise<PriceMatrix> {
  const of = { comparisonId: row.id, revision: row.shown_revision, scenarioId };
  return await readMatrix(ctx.db, of, { items: row.item_count, targets: row.targets.length });
}

/** The targets with the summaries of their contracts. */
export async function readFigures(ctx: Ctx, row: PricedComparison): Promise<TargetFigures[]> {
  const first = await store.findSummary(ctx.db, ctx.orgId, row.id);
  const summaries = [first ?? null, ...(await listSummaries(ctx.db, row.id))];
  const terms = row.options.scenario ?? {};
  return row.targets.map((target, index) => ({ target, summary: orUnfinished(summaries[index]), terms }));
}

/** A process of an older version has rated the first target only. */
function orUnfinished(summary: Summary | null | undefined): Summary {
  if (summary) return summary;
  throw new HubError("invalid_state", "Not all targets have prices. Process the comparison again.");
}

export async function mixOf(
  row: PricedComparison,
  figures: TargetFigures[],
  matrix: PriceMatrix,
  definition: Definition,
): Promise<{ mix: Mix; choices: Choices }> {
  const choices = await chooseMixes(matrix, row.targets, definition);
  const about = { comparisonId: row.id, revision: row.shown_revision, currency: row.currency };
  return { mix: presentMix({ about, figures, matrix, definition, choices }), choices };
}
