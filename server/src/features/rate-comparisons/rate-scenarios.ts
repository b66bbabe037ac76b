import type { Scenario as Terms } from "../../carriers/rate-card/tariff.ts";
import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { checkDefinition } from "./check-definition.ts";
import { findCards } from "./comparison-work.store.ts";
import type { PreparedTarget } from "./prepare-targets.ts";
import { prepareTargets } from "./prepare-targets.ts";
import { presentSummary } from "./present-summary.ts";
import type { PriceMatrix } from "./price-matrix.ts";
import { noPrice, writeText } from "./price-matrix.ts";
import { columnsOf, deleteColumns, insertColumns } from "./price-columns.store.ts";
import type { TargetFigures } from "./present-mix.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import { getComparison } from "./rate-comparisons.store.ts";
import type { PricedComparison } from "./rate-mix.ts";
import { getPriced, getWithTargets, isPriced, mixOf, readFigures, readPrices } from "./rate-mix.ts";
import type { Mix, Scenario } from "./rate-mix.schemas.ts";
import type { ScenarioRow } from "./rate-scenarios.store.ts";
import * as store from "./rate-scenarios.store.ts";
import type { Definition, ScenarioRequest } from "./rate-targets.schemas.ts";
import { startPass } from "./rating-pass.ts";
import type { Totals } from "./tally.ts";
import { emptyTotals } from "./tally.ts";

const maxScenarios = 20;

/** All scenarios of a comparison, side by side. */
export async function listScenarios(ctx: Ctx, id: string): Promise<{ data: Scenario[] }> {
  const comparison = await getComparison(ctx.db, ctx.orgId, id);
  const rows = await store.listScenarios(ctx.db, ctx.orgId, id);
  return { data: rows.map((row) => presentScenario(row, comparison.shown_revision)) };
}

export async function getScenario(ctx: Ctx, id: string, scenarioId: string): Promise<Scenario> {
  const comparison = await getComparison(ctx.db, ctx.orgId, id);
  return presentScenario(await store.getScenario(ctx.db, ctx.orgId, id, scenarioId), comparison.shown_revision);
}

/** Prices all items with the terms of the scenario and saves what it comes to. Nothing is saved if that is interrupted. */
export async function createScenario(ctx: Ctx, id: string, request: ScenarioRequest): Promise<Scenario> {
  const row = await getWithTargets(ctx, id);
  const { name, ...definition } = request;
  const priced = isPriced(row) ? await priceScenario(ctx, row, definition) : undefined;
  return await change(ctx, async (tx) => {
    await lockRevision(tx, ctx, row);
    if ((await store.countScenarios(tx, ctx.orgId, id)) >= maxScenarios)
      throw new HubError("invalid_state", `A comparison has at most ${maxScenarios} scenarios. Delete one first.`);
    const scenarioId = ctx.newId();
    const revision = row.shown_revision ?? 0;
    const made = { id: scenarioId, comparisonId: id, name, definition, revision, result: priced?.mix ?? null };
    const saved = await refuseDuplicate(
      store.insertScenario(tx, ctx.orgId, { ...made, by: ctx.actor, at: ctx.clock.now() }),
      "rate_scenarios_name_key",
      () => new HubError("name_taken", "Another scenario of this comparison has this name."),
    );
    if (priced) await savePrices(tx, made, priced);
    const { version } = saved;
    recordEvent(tx, ctx, {
      type: "rate_comparison.scenario_created",
      objectId: id,
      data: { scenarioId, name, revision, version },
    });
    return presentScenario(saved, row.shown_revision);
  });
}

/** Prices a scenario again after the comparison was processed again. */
export async function runScenario(ctx: Ctx, id: string, scenarioId: string): Promise<Scenario> {
  const row = await getPriced(ctx, id);
  const { definition } = await store.getScenario(ctx.db, ctx.orgId, id, scenarioId);
  const priced = await priceScenario(ctx, row, definition);
  return await change(ctx, async (tx) => {
    await lockRevision(tx, ctx, row);
    await store.getScenario(tx, ctx.orgId, id, scenarioId);
    const at = ctx.clock.now();
    const end = { revision: row.shown_revision, result: priced.mix, at };
    const saved = (await store.saveResult(tx, ctx.orgId, scenarioId, end))!;
    await deleteColumns(tx, id, scenarioId);
    await savePrices(tx, { id: scenarioId, comparisonId: id, revision: row.shown_revision }, priced);
    const { name, version } = saved;
    recordEvent(tx, ctx, {
      type: "rate_comparison.scenario_updated",
      objectId: id,
      data: { scenarioId, name, revision: row.shown_revision, version },
    });
    return presentScenario(saved, row.shown_revision);
  });
}

export async function deleteScenario(ctx: Ctx, id: string, scenarioId: string) {
  return await change(ctx, async (tx) => {
    await getComparison(tx, ctx.orgId, id, "for update");
    const { name, version, revision } = await store.deleteScenario(tx, ctx.orgId, id, scenarioId);
    await deleteColumns(tx, id, scenarioId);
    recordEvent(tx, ctx, {
      type: "rate_comparison.scenario_deleted",
      objectId: id,
      data: { scenarioId, name, revision, version },
    });
    return { id: scenarioId, deleted: true as const };
  });
}

/** Prices that belong to a revision which was replaced meanwhile would never be deleted. */
async function lockRevision(tx: Tx, ctx: Ctx, { id, shown_revision }: ComparisonRow): Promise<void> {
  const now = await getComparison(tx, ctx.orgId, id, "for update");
  if (now.shown_revision !== shown_revision)
    throw new HubError("conflict", "The comparison was processed again meanwhile. Send the request again.");
}

type PricedScenario = { mix: Mix; matrix: PriceMatrix; changed: number[] };

async function savePrices(
  tx: Tx,
  { id, comparisonId, revision }: { id: string; comparisonId: string; revision: number },
  { matrix, changed }: PricedScenario,
): Promise<void> {
  await insertColumns(tx, { comparisonId, revision, scenarioId: id }, columnsOf(matrix, changed));
}

/** The prices of the contracts, with those of the targets that have other terms in their place. */
async function priceScenario(ctx: Ctx, row: PricedComparison, definition: Definition): Promise<PricedScenario> {
  const cards = await findCards(ctx.db, ctx.orgId, row.id);
  if (!cards) throw new HubError("invalid_state", "Process the comparison first.");
  const terms = termsByTarget(row, definition);
  const all = { ...row, ...cards };
  await checkDefinition(ctx, all, definition);
  const targets = await prepareTargets(ctx, all, (number) => terms.get(number));
  const matrix = await readPrices(ctx, row, row.id);
  const figures = await readFigures(ctx, row);
  const totals = await priceTargets(ctx, row, targets, matrix);
  for (const [index, { number, about }] of targets.entries()) {
    const changed = terms.get(number)!;
    const more = { computedAt: null, scenario: {}, stale: false, trackingNumbers: new Map<number, string>() };
    const figure: TargetFigures = {
      target: row.targets[number - 1]!,
      summary: presentSummary(about, totals[index]!, [], more),
      terms: changed,
    };
    figures[number - 1] = figure;
  }
  const { mix } = await mixOf(row, figures, matrix, definition);
  return { mix, matrix, changed: targets.map(({ number }) => number) };
}

/** The targets with other terms than those of their contracts. */
function termsByTarget(row: PricedComparison, { terms = [] }: Definition): Map<number, Terms> {
  const found = new Map<number, Terms>();
  for (const { target, ...changed } of terms) {
    const numbers = target === undefined ? row.targets.map((one) => one.target) : [target];
    for (const number of numbers) {
      const former: Terms = found.get(number) ?? row.options.scenario ?? {};
      const surchargePercents = { ...former.surchargePercents, ...changed.surchargePercents };
      const hasSurcharges = Object.keys(surchargePercents).length > 0;
      found.set(number, { ...former, ...changed, ...(hasSurcharges && { surchargePercents }) });
    }
  }
  return found;
}

/** Writes the prices of these targets into the matrix, and returns their sums. */
async function priceTargets(
  ctx: Ctx,
  row: PricedComparison,
  targets: PreparedTarget[],
  matrix: PriceMatrix,
): Promise<Totals[]> {
  const totals = targets.map(emptyTotals);
  const [rater, ...others] = targets.map(({ prepared }) => prepared.rater);
  if (!rater) return totals;
  const zones = targets.map(
    ({ number }) => new Map(matrix.zones[number - 1]!.names.map((name, index) => [name, index + 1])),
  );
  const pass = startPass(ctx, row, rater, others);
  const slices = pass.rate(
    0,
    row.item_count,
    totals[0]!,
    (position, _input, result, more) => {
      for (const [index, { targetCents, zone }] of [result, ...more.others].entries()) {
        const target = targets[index]!.number - 1;
        matrix.prices[target]![position] = targetCents ?? noPrice;
        writeText(matrix.zones[target]!, zones[index]!, position, zone);
      }
    },
    totals.slice(1),
  );
  for await (const _ of slices);
  return totals;
}

function presentScenario(row: ScenarioRow, shownRevision: number | null): Scenario {
  return {
    id: row.id,
    name: row.name,
    ...row.definition,
    result: row.result,
    stale: row.revision !== (shownRevision ?? 0),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
