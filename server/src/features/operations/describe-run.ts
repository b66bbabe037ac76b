import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { readDestinations } from "../orders/orders.ts";
import type { RunDetail, RunResult } from "./run.schemas.ts";
import { presentResults, presentWithoutResults } from "./present-run.ts";
import { countErrors, readResultsAfter } from "./run/run-results.store.ts";
import { countRunLabels, listLabelServices, withLabels } from "./run-labels.ts";
import type { RunRow } from "./run/runs.store.ts";
import { listTaskOutcomes, withTaskStatuses } from "./run/task-outcomes.ts";

const maxResults = 100;

/** The run with its first results and everything that is read from other tables. */
export async function describeRun(
  ctx: Ctx,
  db: Queryable,
  run: RunRow,
  resultsLimit: number = maxResults,
): Promise<RunDetail> {
  const hasErrors = run.failed + run.skipped > 0;
  // Clients poll this while a run is in progress, so nothing is counted that the run's own counters already say.
  const errors_by_code = hasErrors ? await countErrors(db, run.id) : {};
  const first = resultsLimit === 0 ? [] : await readResultsAfter(db, ctx.orgId, run.id, -1, resultsLimit);
  const tasks = await listTaskOutcomes(db, ctx.orgId, run);
  const results = await completeResults(ctx, db, run, first);
  const sum = (field: "failed_orders" | "unknown_orders"): number =>
    tasks.reduce((total, task) => total + task[field], 0);
  const task_summary = { failed_orders: sum("failed_orders"), unknown_orders: sum("unknown_orders") };
  const labels = await countRunLabels(ctx, db, run);
  const label_services = await listLabelServices(ctx, db, run);
  return { ...presentWithoutResults(ctx, run, labels), errors_by_code, tasks, task_summary, label_services, results };
}

/** Stored results with what is read from other tables: tasks, labels and destinations as they are now. */
export async function completeResults(ctx: Ctx, db: Queryable, run: RunRow, stored: RunResult[]): Promise<RunResult[]> {
  const withTasks = await withTaskStatuses(db, ctx.orgId, stored);
  const labelled = await withLabels(ctx, db, run, withTasks);
  const orderIds = labelled.flatMap(({ order_id }) => order_id ?? []);
  const places = await readDestinations(db, ctx.orgId, orderIds);
  const none = { recipient: null, destination: null };
  const results = labelled.map((result) => ({ ...result, ...(places.get(result.order_id ?? "") ?? none) }));
  return presentResults(ctx, results);
}
