import { HubError } from "../../core/errors.ts";
import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import type { Ctx } from "../../context.ts";
import { explainUnknown, readOrders } from "../orders/orders.ts";
import type { Order } from "../orders/order.ts";
import { requireAgentOrderLimit } from "./agent-limits.ts";
import type { OpenCarrierDirectory } from "./carrier-directory.ts";
import { openCarrierDirectory } from "./carrier-directory.ts";
import { asksCarriers, compilePipeline, envOf, mayOverride } from "./compile-pipeline.ts";
import type { Evaluation, Pipeline } from "./evaluate.ts";
import { evaluate, isGrouped } from "./evaluate.ts";
import { readFacts } from "./order-conditions.ts";
import type { PreflightBody } from "./preflight.schemas.ts";
import type { Report } from "./preflight-report.ts";
import { codesOf, createReport } from "./preflight-report.ts";
import type { SeenOrder } from "./preflight-token.ts";
import { makePreflightToken } from "./preflight-token.ts";
import { findOrders, sourceOf } from "./run/run-orders.ts";
import { withSavedPipeline } from "./saved-pipelines.ts";
import { takeSelection } from "./selections.ts";
import { insertPreflight, insertSeen, readSelected, selectionBatch } from "./selections.store.ts";

/** The event loop is released after each batch: a small request body can list many order numbers. */
const batch = 250;
const defaultDetail = 1_000;

/** Below the time after which a worker process is stopped: a client should learn why it gets no report. */
const maxRequestMs = 100_000;

/**
 * Evaluates a run on copies of the orders, with the same code. No order is changed, and no task or label is requested. Ends when the
 * client disconnects.
 */
export async function preflight(ctx: Ctx, body: PreflightBody) {
  const { execute } = await preparePreflight(ctx, body);
  const late = AbortSignal.timeout(maxRequestMs);
  const left = ctx.untilDisconnect?.();
  try {
    return await execute(left ? AbortSignal.any([late, left]) : late);
  } catch (error) {
    if (late.aborted) throw tookTooLong();
    if (left?.aborted) throw new HubError("request_timeout", "The client disconnected.");
    throw error;
  }
}

function tookTooLong(): HubError {
  const message = `The preflight was stopped after ${maxRequestMs / 1_000} s.`;
  return new HubError("too_many_orders", `${message} Use POST /operations/preflight/stream, or fewer orders.`);
}

/** Checks the request and finds its orders. `execute` rejects when its signal is aborted. */
export async function preparePreflight(ctx: Ctx, body: PreflightBody) {
  const request = await withSavedPipeline(ctx, body);
  const options = { onError: request.on_error ?? "skip_order", isAtomic: request.atomic ?? false } as const;
  const source = sourceOf(request);
  const pipeline = await compilePipeline(ctx, request.actions, options);
  const report = createReport(ctx, pipeline, request.detail_limit ?? defaultDetail, request.report_filter);
  const carriers = await openCarrierDirectory(ctx, asksCarriers(pipeline));
  const finish = (duplicatesRemoved: number, { token, expiresAt }: ReturnType<typeof makePreflightToken>) => ({
    preflight_token: token,
    expires_at: expiresAt,
    pipeline_id: request.pipeline_id ?? null,
    ...report.finish(duplicatesRemoved),
  });
  const orders = source.order_ids
    ? await findOrders(ctx, source.order_ids, pipeline)
    : await takeSelection(ctx, source, pipeline);
  const total = "refs" in orders ? orders.refs.length : orders.matched;
  requireAgentOrderLimit(ctx, total);

  async function execute(signal: AbortSignal) {
    const evaluateOrders = createEvaluator(ctx, pipeline, report, carriers, signal);
    if ("refs" in orders) {
      const evaluated = await evaluateOrders(orders.refs, orders.orderIds);
      const seen = evaluated.filter((one): one is SeenOrder => one.id !== null && one.version !== null);
      return { ...finish(orders.duplicatesRemoved, makePreflightToken(ctx, request, seen)), selection_id: null };
    }
    const { id: selection, matched, expires_at: expiresAt } = orders;
    const seenBy = ctx.newId();
    await insertPreflight(ctx.db, ctx.orgId, seenBy, selection);
    for (let from = 0; from < matched; from += selectionBatch) {
      const ids = await readSelected(ctx.db, ctx.orgId, selection, from);
      const evaluated = await evaluateOrders(ids, ids);
      const versions = evaluated.map(({ version }) => version);
      await insertSeen(ctx.db, seenBy, from, { versions, codes: evaluated.map(({ codes }) => codes) });
    }
    const token = makePreflightToken(ctx, request, { selection, preflight: seenBy, expiresAt });
    return { ...finish(0, token), selection_id: selection };
  }

  return { execute, progress: () => ({ orders: total, evaluated: report.count(), prices: carriers.priceProgress() }) };
}

/** The same for known order IDs and a compiled pipeline. */
export async function preflightOrders(ctx: Ctx, pipeline: Pipeline, ids: string[], detailLimit: number) {
  const report = createReport(ctx, pipeline, detailLimit, undefined);
  const carriers = await openCarrierDirectory(ctx, asksCarriers(pipeline));
  await createEvaluator(ctx, pipeline, report, carriers)(ids, ids);
  return report.finish(0);
}

/** Repeats the evaluation until all prices its steps need have been fetched. */
async function evaluateWithCarriers(
  ctx: Ctx,
  pipeline: Pipeline,
  orders: Order[],
  run: { isAborted: boolean },
  carriers: OpenCarrierDirectory,
  signal: AbortSignal | undefined,
): Promise<Evaluation[]> {
  const { isAborted } = run;
  carriers.forgetOldPrices();
  await carriers.readLabels(ctx.db, idsOf(orders));
  await pipeline.bridges.readSent(ctx.db, orders);
  for (;;) {
    const facts = await readFacts(ctx.db, ctx, [pipeline], orders);
    const evaluations = evaluate(orders, pipeline, envOf(ctx, pipeline, carriers, mayOverride(ctx), facts), [], run);
    if (!carriers.hasMissingPrices()) return evaluations;
    run.isAborted = isAborted;
    await carriers.fetchPrices(signal);
  }
}

function idsOf(orders: Order[]): string[] {
  return orders.map(({ id }) => id);
}

/** An evaluated order; `version` is null if it does not exist. `codes`: its error and warning codes, separated by blanks. */
type Evaluated = { id: string | null; version: number | null; codes: string };

/** Evaluates orders in batches, unless a step needs all of them at once, and adds them to the report. */
function createEvaluator(
  ctx: Ctx,
  pipeline: Pipeline,
  report: Report,
  carriers: OpenCarrierDirectory,
  signal?: AbortSignal,
) {
  const run = { isAborted: false };
  async function evaluateBatch(refs: string[], ids: (string | null)[]): Promise<Evaluated[]> {
    const known = ids.filter((id) => id !== null);
    const orders = new Map((await readOrders(ctx.db, ctx.orgId, known)).map((order) => [order.id, order]));
    const present = known.flatMap((id) => orders.get(id) ?? []);
    const evaluations = await evaluateWithCarriers(ctx, pipeline, present, run, carriers, signal);
    const byId = new Map<string | null, Evaluation>(evaluations.map((one) => [one.before.id, one]));
    const explain = await explainUnknown(
      ctx.db,
      ctx.orgId,
      refs.filter((_, i) => ids[i] === null),
    );
    return ids.map((id, i) => {
      const evaluation = byId.get(id);
      const unknown = explain(refs[i]!);
      report.add(refs[i]!, evaluation, unknown);
      return { id, version: evaluation?.before.version ?? null, codes: codesOf(evaluation, unknown).join(" ") };
    });
  }
  return async (refs: string[], ids: (string | null)[]): Promise<Evaluated[]> => {
    const size = isGrouped(pipeline) ? refs.length : batch;
    const evaluated: Evaluated[] = [];
    for (let from = 0; from < refs.length; from += size) {
      signal?.throwIfAborted();
      evaluated.push(...(await evaluateBatch(refs.slice(from, from + size), ids.slice(from, from + size))));
      await yieldToEventLoop();
    }
    return evaluated;
  };
}
