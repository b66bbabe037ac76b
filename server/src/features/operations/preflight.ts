import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../context.ts";
import { readOrders } from "../orders/orders.ts";
import { compilePipeline, envOf, mayOverride } from "./compile-pipeline.ts";
import type { Evaluation, Pipeline, StepResult } from "./evaluate.ts";
import { evaluate, isGrouped, outcomeOf } from "./evaluate.ts";
import type { PreflightRequest } from "./operations.schemas.ts";
import { makePreflightToken } from "./preflight-token.ts";
import { presentSteps } from "./present-run.ts";
import { findOrders } from "./run/run-orders.ts";

/** Others have their turn in between: a list of short numbers is long for few bytes. */
const portion = 250;
const defaultDetail = 1_000;

type Verdict = "ok" | "no_change" | "warning" | "blocked";

/** Those with problems are shown first. */
const ranks: Record<Verdict, number> = { blocked: 0, warning: 1, ok: 2, no_change: 2 };

/** What a run would do, found out by doing it on copies: same code, nothing written, nobody called. */
export async function preflight(ctx: Ctx, request: PreflightRequest) {
  const options = { onError: request.on_error ?? "skip_order", isAtomic: request.atomic ?? false } as const;
  const pipeline = await compilePipeline(ctx, request.actions, options);
  const found = await findOrders(ctx, request.order_ids, pipeline);
  const env = envOf(ctx, pipeline, mayOverride(ctx));
  const report = createReport(ctx, pipeline);
  const run = { isAborted: false };
  const seen: { id: string; version: number }[] = [];
  const size = isGrouped(pipeline) ? found.refs.length : portion;
  for (let from = 0; from < found.refs.length; from += size) {
    const ids = found.orderIds.slice(from, from + size);
    const known = ids.filter((id) => id !== null);
    const orders = new Map((await readOrders(ctx.db, ctx.orgId, known)).map((order) => [order.id, order]));
    const present = known.flatMap((id) => orders.get(id) ?? []);
    const evaluations = evaluate(present, pipeline, env, [], run);
    const byId = new Map<string | null, Evaluation>(evaluations.map((one) => [one.before.id, one]));
    for (const [i, id] of ids.entries()) report.add(found.refs[from + i]!, byId.get(id));
    seen.push(...present.map(({ id, version }) => ({ id, version })));
    await nextTurn();
  }
  const { token, expiresAt } = makePreflightToken(ctx, request, seen);
  return {
    preflight_token: token,
    expires_at: expiresAt,
    ...report.finish(found.duplicatesRemoved, request.detail_limit ?? defaultDetail),
  };
}

function createReport(ctx: Ctx, pipeline: Pipeline) {
  const counts = { orders: 0, ok: 0, warning: 0, blocked: 0, no_change: 0, not_found: 0 };
  const errorsByCode: Record<string, number> = {};
  const steps = pipeline.steps.map(({ index, action }) => ({
    index,
    type: action.type,
    applied: 0,
    pointless: new Map<string, number>(),
  }));
  const shown: { verdict: Verdict }[] = [];

  function show(verdict: Verdict, code: string | undefined, entry: object): void {
    counts.orders++;
    counts[verdict]++;
    if (code !== undefined) errorsByCode[code] = (errorsByCode[code] ?? 0) + 1;
    shown.push({ ...entry, verdict });
  }

  return {
    add(ref: string, evaluation: Evaluation | undefined): void {
      if (!evaluation) {
        counts.not_found++;
        const error = { code: "order_not_found", message: "There is no order with this id or number." };
        return show("blocked", error.code, {
          ref,
          order_id: null,
          order_number: null,
          version: null,
          error,
          steps: [],
        });
      }
      const { id, number, version } = evaluation.before;
      const outcome = outcomeOf(evaluation);
      const isWarned = evaluation.steps.some((step) => step.warning);
      const verdict: Verdict =
        outcome.status !== "succeeded" ? "blocked" : isWarned ? "warning" : outcome.isUnchanged ? "no_change" : "ok";
      notePointless(evaluation.steps, steps);
      const told = presentSteps(ctx, evaluation.steps).map(({ status, ...step }) => ({
        ...step,
        verdict: verdictOf(status, step.warning),
      }));
      show(verdict, outcome.error?.code, { ref, order_id: id, order_number: number, version, steps: told });
    },
    finish(duplicatesRemoved: number, limit: number) {
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
        orders: shown.toSorted((a, b) => ranks[a.verdict] - ranks[b.verdict]).slice(0, limit),
        orders_truncated: shown.length > limit,
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
