import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../context.ts";
import { readOrders } from "../orders/orders.ts";
import { compilePipeline, envOf, mayOverride } from "./compile-pipeline.ts";
import type { Evaluation, Pipeline, StepResult } from "./evaluate.ts";
import { evaluate, isGrouped, outcomeOf } from "./evaluate.ts";
import type { PreflightRequest } from "./operations.schemas.ts";
import type { SeenOrder } from "./preflight-token.ts";
import { makePreflightToken } from "./preflight-token.ts";
import { presentSteps } from "./present-run.ts";
import { findOrders, sourceOf } from "./run/run-orders.ts";
import { takeSelection } from "./selections.ts";
import { insertPreflight, insertSeen, readSelected, selectionPortion } from "./selections.store.ts";

/** Others have their turn in between: a list of short numbers is long for few bytes. */
const portion = 250;
const defaultDetail = 1_000;

type Verdict = "ok" | "no_change" | "warning" | "blocked";

/** Those with problems are shown first. */
const ranks: Record<Verdict, number> = { blocked: 0, warning: 1, ok: 2, no_change: 2 };

/** What a run would do, found out by doing it on copies: same code, no order is written, nobody is called. */
export async function preflight(ctx: Ctx, request: PreflightRequest) {
  const options = { onError: request.on_error ?? "skip_order", isAtomic: request.atomic ?? false } as const;
  const source = sourceOf(request);
  const pipeline = await compilePipeline(ctx, request.actions, options);
  const report = createReport(ctx, pipeline, request.detail_limit ?? defaultDetail);
  const look = createLook(ctx, pipeline, report);
  const finish = (duplicatesRemoved: number, { token, expiresAt }: ReturnType<typeof makePreflightToken>) => ({
    preflight_token: token,
    expires_at: expiresAt,
    ...report.finish(duplicatesRemoved),
  });
  if (source.order_ids) {
    const found = await findOrders(ctx, source.order_ids, pipeline);
    const looked = await look(found.refs, found.orderIds);
    const seen = looked.filter((one): one is SeenOrder => one.id !== null && one.version !== null);
    return { ...finish(found.duplicatesRemoved, makePreflightToken(ctx, request, seen)), selection_id: null };
  }
  const { id: selection, matched, expires_at: expiresAt } = await takeSelection(ctx, source, pipeline);
  const seenBy = ctx.newId();
  await insertPreflight(ctx.db, ctx.orgId, seenBy, selection);
  for (let from = 0; from < matched; from += selectionPortion) {
    const ids = await readSelected(ctx.db, ctx.orgId, selection, from);
    const looked = await look(ids, ids);
    const versions = looked.map(({ version }) => version);
    await insertSeen(ctx.db, seenBy, from, { versions, codes: looked.map(({ codes }) => codes) });
  }
  const token = makePreflightToken(ctx, request, { selection, preflight: seenBy, expiresAt });
  return { ...finish(0, token), selection_id: selection };
}

/** The same for orders that are known, with a pipeline that is checked already. */
export async function preflightOrders(ctx: Ctx, pipeline: Pipeline, ids: string[], detailLimit: number) {
  const report = createReport(ctx, pipeline, detailLimit);
  await createLook(ctx, pipeline, report)(ids, ids);
  return report.finish(0);
}

/** An order that was looked at; no version: there is none. `codes`: all that was said about it, with blanks between. */
type Looked = { id: string | null; version: number | null; codes: string };

/** Looks at these orders, in portions unless a step looks at all of them at once, and tells the report. */
function createLook(ctx: Ctx, pipeline: Pipeline, report: Report) {
  const env = envOf(ctx, pipeline, mayOverride(ctx));
  const run = { isAborted: false };
  async function lookAt(refs: string[], ids: (string | null)[]): Promise<Looked[]> {
    const known = ids.filter((id) => id !== null);
    const orders = new Map((await readOrders(ctx.db, ctx.orgId, known)).map((order) => [order.id, order]));
    const present = known.flatMap((id) => orders.get(id) ?? []);
    const evaluations = evaluate(present, pipeline, env, [], run);
    const byId = new Map<string | null, Evaluation>(evaluations.map((one) => [one.before.id, one]));
    return ids.map((id, i) => {
      const evaluation = byId.get(id);
      report.add(refs[i]!, evaluation);
      return { id, version: evaluation?.before.version ?? null, codes: codesOf(evaluation).join(" ") };
    });
  }
  return async (refs: string[], ids: (string | null)[]): Promise<Looked[]> => {
    const size = isGrouped(pipeline) ? refs.length : portion;
    const looked: Looked[] = [];
    for (let from = 0; from < refs.length; from += size) {
      looked.push(...(await lookAt(refs.slice(from, from + size), ids.slice(from, from + size))));
      await nextTurn();
    }
    return looked;
  };
}

/** Why it was blocked and what it was warned of: what a run may leave out. */
function codesOf(evaluation: Evaluation | undefined): string[] {
  if (!evaluation) return [notFound.code];
  const said = evaluation.steps.flatMap(({ status, error, warning }) => [
    status === "failed" ? error?.code : undefined,
    warning?.code,
  ]);
  return [...new Set([outcomeOf(evaluation).error?.code, ...said])].filter((code) => code !== undefined).toSorted();
}

const notFound = { code: "order_not_found", message: "There is no order with this id or number." };

type Report = ReturnType<typeof createReport>;

/** Of a hundred thousand orders no more is kept than is shown. */
function createReport(ctx: Ctx, pipeline: Pipeline, limit: number) {
  const counts = { orders: 0, ok: 0, warning: 0, blocked: 0, no_change: 0, not_found: 0 };
  const errorsByCode: Record<string, number> = {};
  const steps = pipeline.steps.map(({ index, action }) => ({
    index,
    type: action.type,
    applied: 0,
    pointless: new Map<string, number>(),
  }));
  const shown: object[][] = [[], [], []];

  function show(verdict: Verdict, code: string | undefined, describe: () => object): void {
    counts.orders++;
    counts[verdict]++;
    if (code !== undefined) errorsByCode[code] = (errorsByCode[code] ?? 0) + 1;
    const rank = ranks[verdict];
    const before = shown.slice(0, rank + 1).reduce((sum, list) => sum + list.length, 0);
    if (before < limit) shown[rank]!.push({ ...describe(), verdict });
  }

  return {
    add(ref: string, evaluation: Evaluation | undefined): void {
      if (!evaluation) {
        counts.not_found++;
        const nothing = { order_id: null, order_number: null, version: null, error: notFound, steps: [] };
        return show("blocked", notFound.code, () => ({ ref, ...nothing }));
      }
      const { id, number, version } = evaluation.before;
      const outcome = outcomeOf(evaluation);
      const isWarned = evaluation.steps.some((step) => step.warning);
      const verdict: Verdict =
        outcome.status !== "succeeded" ? "blocked" : isWarned ? "warning" : outcome.isUnchanged ? "no_change" : "ok";
      notePointless(evaluation.steps, steps);
      show(verdict, outcome.error?.code, () => {
        const told = presentSteps(ctx, evaluation.steps).map(({ status, ...step }) => ({
          ...step,
          verdict: verdictOf(status, step.warning),
        }));
        return { ref, order_id: id, order_number: number, version, steps: told };
      });
    },
    finish(duplicatesRemoved: number) {
      const blocked = counts.blocked > 0;
      const warnings = steps.map((step) => warningsOf(step));
      const warned = counts.warning > 0 || warnings.some((list) => list.length > 0);
      return {
        verdict: blocked ? "blocked" : warned ? "ready_with_warnings" : "ready",
        summary: { ...counts, duplicates_removed: duplicatesRemoved },
        errors_by_code: errorsByCode,
        pipeline: steps.map(({ index, type, applied }, i) => ({
          index,
          type,
          applies_to: applied,
          warnings: warnings[i],
        })),
        orders: shown.flat().slice(0, limit),
        orders_truncated: counts.orders > limit,
      };
    },
  };
}

function verdictOf(status: StepResult["status"], warning: unknown): string {
  if (status === "applied") return warning === undefined ? "ok" : "warning";
  return status === "failed" || status === "rolled_back" ? "blocked" : status === "skipped" ? "skipped" : "no_change";
}

type StepTally = { index: number; applied: number; pointless: Map<string, number> };

/** A step is pointless for an order when a later one sets the same value again or puts back what it changed. */
function notePointless(results: StepResult[], tallies: StepTally[]): void {
  for (const [i, result] of results.entries()) {
    if (result.status !== "applied") continue;
    tallies[i]!.applied++;
    if (!result.changes || result.created_order_ids) continue;
    const later = results.slice(i + 1).filter((candidate) => candidate.status === "applied");
    const makers = result.changes.map(({ path, from }) =>
      later.find((candidate) =>
        candidate.changes?.some(
          (change) => change.path === path && (typeof from !== "object" || isDeepStrictEqual(change.to, from)),
        ),
      ),
    );
    const [maker] = makers;
    if (!maker || makers.includes(undefined)) continue;
    const key = `${maker.index}:${maker.type}`;
    tallies[i]!.pointless.set(key, (tallies[i]!.pointless.get(key) ?? 0) + 1);
  }
}

function warningsOf({ applied, pointless }: StepTally): { code: string; message: string }[] {
  const affected = [...pointless.values()].reduce((sum, n) => sum + n, 0);
  if (affected === 0 || affected < applied) return [];
  const [later] = pointless.keys();
  const [index, type] = later!.split(":");
  return [{ code: "made_pointless", message: `Step ${index} (${type}) overwrites or takes back what this step does.` }];
}
