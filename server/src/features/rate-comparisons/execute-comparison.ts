import { createHash } from "node:crypto";
import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { WorkKind } from "../../queue/work.ts";
import { hintEnd, hintProgress } from "../../watch.ts";
import type { InputStamps } from "../carrier-accounts/tariff-inputs.ts";
import type { LeasedComparison } from "./comparison-work.store.ts";
import * as work from "./comparison-work.store.ts";
import type { ItemKinds } from "./item-kinds.store.ts";
import { insertKinds, noteKind } from "./item-kinds.store.ts";
import { findBreakEven } from "./break-even.ts";
import type { PreparedTarget } from "./prepare-targets.ts";
import { prepareTargets } from "./prepare-targets.ts";
import { percentileShares, presentSummary } from "./present-summary.ts";
import type { ColumnBatch } from "./price-columns.store.ts";
import { insertColumns, readMatrix, startColumns } from "./price-columns.store.ts";
import { findTrackingNumbers } from "./rate-items.store.ts";
import { readTotals, resetTotals, saveSummaries, saveTotals } from "./rate-targets.store.ts";
import * as results from "./rate-results.store.ts";
import type { RatingPass } from "./rating-pass.ts";
import { startPass } from "./rating-pass.ts";
import { summariseTarget } from "./summarise-target.ts";
import type { Totals } from "./tally.ts";
import { emptyTotals, topPositions } from "./tally.ts";

/** Items that are priced and written in one transaction. */
export const itemsPerTransaction = 10_000;
/** Of a comparison with targets: each item has up to ten prices. One read of a pass. */
const itemsWithTargets = 2_500;

/** A comparison is leased until it is completed, and once more to delete the results of earlier revisions. */
export const comparisonWork: WorkKind<World, LeasedComparison> = {
  name: "rate comparisons",
  leases: work.comparisonLeases,
  wakeOn: ["rate_comparison"],
  pollIntervalMs: 60_000,
  maxAttempts: 5,
  async run(world, row, slice) {
    const ctx = contextOf(world, row);
    if (row.status !== "processing") return await deletePreviousResults(ctx, row);
    try {
      const targets = await prepareTargets(ctx, row, () => row.options.scenario ?? {});
      await ctx.db.transaction((tx) => beginWith(tx, ctx, row, targets));
      const [rater, ...others] = targets.map(({ prepared }) => prepared.rater);
      const pass = startPass(ctx, row, rater!, others);
      while (await ctx.db.transaction((tx) => rateBatch(tx, ctx, row, targets, pass)))
        if (slice.shouldYield()) return "yield";
    } catch (error) {
      // An error of the comparison itself would occur on every retry.
      if (!(error instanceof HubError) || error.status >= 500) throw error;
      await ctx.db.transaction((tx) => fail(tx, ctx, row, error));
    }
    return "done";
  },
  async giveUp(world, row) {
    const ctx = contextOf(world, row);
    if (row.status === "processing") await world.db.transaction((tx) => fail(tx, ctx, row, internalError));
    else await work.endClearing(world.db, row);
  },
};

const internalError = { code: "internal_error", message: "An internal error occurred; see the server log." };

/** Acts on behalf of the user who created the comparison. */
function contextOf(world: World, row: LeasedComparison): Ctx {
  const system = systemContext(world, row.org_id, "rate comparison");
  return { ...system, actor: row.created_by, requestId: row.request_id ?? system.requestId };
}

/**
 * The comparison stores its cards, but not the charts, sets and aliases they refer to. If one of these has changed when an
 * interrupted comparison is resumed, it restarts, so that all results come from the same inputs.
 */
async function beginWith(tx: Tx, ctx: Ctx, row: LeasedComparison, targets: PreparedTarget[]): Promise<void> {
  const locked = await work.lockLeased(tx, row);
  const digest = createHash("sha256")
    .update(targets.map(({ prepared }) => prepared.digest()).join(" "))
    .digest("hex");
  if (!locked || locked.inputs_digest === digest) return;
  if (locked.processed > 0) {
    await results.deleteResults(tx, row.id, { of: row.revision });
    recordEvent(tx, ctx, {
      type: "rate_comparison.restarted",
      objectId: row.id,
      data: { revision: row.revision, processed: locked.processed },
    });
  }
  await resetTotals(tx, row.id);
  const stamps = Object.assign({}, ...targets.map(({ prepared }) => prepared.stamps)) as InputStamps;
  await work.saveInputs(tx, ctx.orgId, row.id, { digest, stamps });
}

/** Rates one batch: results, sums and progress in one transaction. False after the last batch, or if the lease was lost. */
async function rateBatch(
  tx: Tx,
  ctx: Ctx,
  row: LeasedComparison,
  targets: PreparedTarget[],
  pass: RatingPass,
): Promise<boolean> {
  const locked = await work.lockLeased(tx, row);
  if (!locked) return false;
  const totals = locked.totals ?? emptyTotals();
  const from = locked.processed;
  const to = Math.min(row.item_count, from + (row.targets === null ? itemsPerTransaction : itemsWithTargets));
  const batch: RatedBatch = {
    from,
    to,
    totals: [totals, ...(await readOtherTotals(tx, row))],
    kinds: new Map(),
    columns: row.targets === null ? undefined : startColumns(from, targets.length),
  };
  await results.copyResults(tx, rateLines(row, pass, batch));
  insertKinds(tx, row, from, batch.kinds);
  if (batch.columns) {
    const { id: comparisonId, revision } = row;
    await insertColumns(tx, { comparisonId, revision, scenarioId: comparisonId }, batch.columns.rows());
    await saveTotals(tx, row.id, batch.totals.slice(1));
  }
  work.saveProgress(tx, ctx.orgId, row.id, to, totals);
  tx.afterCommit(() => hintProgress(ctx, row.id));
  if (to < row.item_count) return true;
  await finish(tx, ctx, row, targets, batch.totals);
  return false;
}

/** Items of one transaction; `totals` by target. */
type RatedBatch = {
  from: number;
  to: number;
  totals: Totals[];
  kinds: ItemKinds;
  columns: ColumnBatch | undefined;
};

async function readOtherTotals(tx: Tx, { id, targets }: LeasedComparison): Promise<Totals[]> {
  if (targets === null) return [];
  const saved = await readTotals(tx, id);
  return saved.map((totals) => totals ?? emptyTotals());
}

async function* rateLines(
  { id, revision }: LeasedComparison,
  pass: RatingPass,
  { from, to, totals: [first, ...others], kinds, columns }: RatedBatch,
): AsyncGenerator<string> {
  let lines = "";
  const slices = pass.rate(
    from,
    to,
    first!,
    (position, input, result, more) => {
      noteKind(kinds, position, input, result);
      lines += results.lineOf(id, revision, position, result);
      columns?.add(more.item, [result, ...more.others]);
    },
    others,
  );
  for await (const _ of slices) {
    yield lines;
    lines = "";
  }
}

/** The summary and the new status appear together. */
async function finish(
  tx: Tx,
  ctx: Ctx,
  row: LeasedComparison,
  targets: PreparedTarget[],
  [totals, ...others]: Totals[],
): Promise<void> {
  if (!totals) return;
  const { prepared } = targets[0]!;
  const { unrateable = 0, invalid = 0 } = totals.byStatus;
  const status = unrateable + invalid > 0 ? ("completed_with_errors" as const) : ("completed" as const);
  const at = ctx.clock.now();
  const scenario = row.options.scenario ?? {};
  const [percentiles, trackingNumbers, breakEven] = await Promise.all([
    results.findSavingsPercentiles(tx, row.id, row.revision, percentileShares),
    findTrackingNumbers(tx, row.id, topPositions(totals)),
    findBreakEven(ctx, row, prepared, scenario, totals.all),
  ]);
  const computedAt = at.toISOString();
  const told = { computedAt, scenario, stale: false, breakEven, trackingNumbers };
  const summary = presentSummary({ ...row, status }, totals, percentiles, told);
  if (others.length > 0) {
    const { id: comparisonId, revision } = row;
    const of = { comparisonId, revision, scenarioId: comparisonId };
    const matrix = await readMatrix(tx, of, { items: row.item_count, targets: targets.length });
    const summaries = [];
    for (const [index, target] of targets.slice(1).entries()) {
      const about = { ...target, about: { ...target.about, status } };
      summaries.push(await summariseTarget(ctx, tx, about, others[index]!, matrix, { scenario, stale: false }));
    }
    await saveSummaries(tx, row.id, summaries);
  }
  const version = await work.completeComparison(tx, ctx.orgId, row.id, { status, summary, at });
  recordEvent(tx, ctx, {
    type: `rate_comparison.${status}`,
    objectId: row.id,
    data: { revision: row.revision, counts: totals.byStatus, totals: summary.totals, version },
  });
  tx.afterCommit(() => hintEnd(ctx, row.id));
}

/** Deletes the results of earlier revisions. */
async function deletePreviousResults(ctx: Ctx, row: LeasedComparison): Promise<"done"> {
  await ctx.db.transaction(async (tx) => {
    if (!(await work.lockLeased(tx, row))) return;
    await results.deleteResults(tx, row.id, { before: row.revision });
    await work.endClearing(tx, row);
  });
  return "done";
}

async function fail(
  tx: Tx,
  ctx: Ctx,
  row: LeasedComparison,
  { code, message }: { code: string; message: string },
): Promise<void> {
  if (!(await work.lockLeased(tx, row))) return;
  const version = await work.failComparison(tx, ctx.orgId, row.id, { code, message }, ctx.clock.now());
  recordEvent(tx, ctx, {
    type: "rate_comparison.failed",
    objectId: row.id,
    data: { revision: row.revision, error: { code, message }, version },
  });
  tx.afterCommit(() => hintEnd(ctx, row.id));
}
