import { isDeepStrictEqual } from "node:util";
import { fromCents, toCents } from "../../core/money.ts";
import type { Ctx } from "../../context.ts";
import type { Evaluation, Pipeline, StepResult } from "./evaluate.ts";
import { outcomeOf } from "./evaluate.ts";
import type { OrderGroup } from "./operations.schemas.ts";
import type { PreflightRequest } from "./preflight.schemas.ts";
import { createGroups } from "./order-groups.ts";
import { presentSteps } from "./present-run.ts";

type Verdict = "ok" | "no_change" | "warning" | "blocked";
type ReportFilter = PreflightRequest["report_filter"];

/** Orders with problems are listed first. */
const ranks: Record<Verdict, number> = { blocked: 0, warning: 1, ok: 2, no_change: 2 };

type Unknown = Pick<OrderGroup, "code" | "message">;
const notFound: Unknown = { code: "order_not_found", message: "No order has this ID or number." };

/** An error or warning about an order. */
type Finding = Pick<OrderGroup, "step" | "type" | "code" | "message" | "fix"> & { verdict: "blocked" | "warning" };

function findingsOf(evaluation: Evaluation | undefined, unknown = notFound): Finding[] {
  const aboutAll = { step: null, type: null, verdict: "blocked" as const };
  if (!evaluation) return [{ ...aboutAll, ...unknown }];
  const findings = evaluation.steps.flatMap(({ index: step, type, status, error, warning }): Finding[] => [
    ...(status === "failed" && error ? [{ step, type, verdict: "blocked" as const, ...error }] : []),
    ...(warning ? [{ step, type, verdict: "warning" as const, ...warning }] : []),
  ]);
  const { status, error } = outcomeOf(evaluation);
  return status === "skipped" && error ? [...findings, { ...aboutAll, ...error }] : findings;
}

/** Error and warning codes of an order, which a run can exclude. */
export function codesOf(evaluation: Evaluation | undefined, unknown?: Unknown): string[] {
  return [...new Set(findingsOf(evaluation, unknown).map(({ code }) => code))].toSorted();
}

export type Report = ReturnType<typeof createReport>;

/** Keeps only the orders of the requested page: a preflight can have 100,000. */
export function createReport(ctx: Ctx, pipeline: Pipeline, limit: number, filter: ReportFilter) {
  const counts = { orders: 0, ok: 0, warning: 0, blocked: 0, no_change: 0, not_found: 0 };
  const errorsByCode: Record<string, number> = {};
  const groups = createGroups<Finding>();
  const steps = pipeline.steps.map(({ index, action }) => ({
    index,
    type: action.type,
    applied: 0,
    overwritten: new Map<string, number>(),
    prices: new Map<string, { cents: number; orders: number }>(),
  }));
  const shown: object[][] = [[], [], []];
  const page = filter?.page ?? 1;
  let wanted = 0;

  function keep(verdict: Verdict, findings: Finding[], describe: () => object): void {
    if (!isWanted(filter, verdict, findings)) return;
    wanted++;
    // Filtered orders keep their own order, so that pages do not overlap.
    const rank = filter ? 0 : ranks[verdict];
    const before = filter ? wanted - 1 - (page - 1) * limit : countUpTo(shown, rank);
    if (before >= 0 && before < limit) shown[rank]!.push({ ...describe(), verdict });
  }

  return {
    /** `unknown`: why no order has this ID or number. */
    add(ref: string, evaluation: Evaluation | undefined, unknown = notFound): void {
      const findings = findingsOf(evaluation, unknown);
      const { id = null, number = null, version = null } = evaluation?.before ?? {};
      const named = { ref, order_id: id, order_number: number };
      for (const one of findings) groups.add(one, one.verdict, named);
      const outcome = evaluation && outcomeOf(evaluation);
      const verdict: Verdict =
        outcome?.status !== "succeeded"
          ? "blocked"
          : findings.length > 0
            ? "warning"
            : outcome.isUnchanged
              ? "no_change"
              : "ok";
      counts.orders++;
      counts[verdict]++;
      const code = outcome ? outcome.error?.code : unknown.code;
      if (code !== undefined) errorsByCode[code] = (errorsByCode[code] ?? 0) + 1;
      if (!evaluation) {
        counts.not_found++;
        return keep(verdict, findings, () => ({ ...named, version, error: unknown, steps: [] }));
      }
      tally(evaluation.steps, steps);
      keep(verdict, findings, () => {
        const presented = presentSteps(ctx, evaluation.steps).map(({ status, ...step }) => ({
          ...step,
          verdict: verdictOf(status, step.warning),
        }));
        return { ...named, version, steps: presented };
      });
    },
    count: () => counts.orders,
    finish(duplicatesRemoved: number) {
      const blocked = counts.blocked > 0;
      const warnings = steps.map((step) => warningsOf(step));
      const warned = counts.warning > 0 || warnings.some((list) => list.length > 0);
      return {
        verdict: blocked ? "blocked" : warned ? "ready_with_warnings" : "ready",
        summary: { ...counts, duplicates_removed: duplicatesRemoved },
        errors_by_code: errorsByCode,
        groups: groups.list(),
        pipeline: steps.map(({ index, type, applied, prices }, i) => ({
          index,
          type,
          order_count: applied,
          warnings: warnings[i],
          prices: [...prices].map(([currency, { cents, orders }]) => ({ currency, total: fromCents(cents), orders })),
        })),
        report_page: { total: wanted, page, pages: limit === 0 ? 0 : Math.ceil(wanted / limit) },
        orders: shown.flat().slice(0, limit),
        orders_truncated: wanted > page * limit,
      };
    },
  };
}

function countUpTo(shown: object[][], rank: number): number {
  return shown.slice(0, rank + 1).reduce((sum, list) => sum + list.length, 0);
}

/** An order matches if one of its findings has both the step and the code of the filter. */
function isWanted(filter: ReportFilter, verdict: Verdict, findings: Finding[]): boolean {
  if (!filter) return true;
  if (filter.verdict !== undefined && filter.verdict !== verdict) return false;
  const { step, code } = filter;
  if (step === undefined && code === undefined) return true;
  return findings.some((one) => (step === undefined || one.step === step) && (code === undefined || one.code === code));
}

function verdictOf(status: StepResult["status"], warning: unknown): string {
  if (status === "applied") return warning === undefined ? "ok" : "warning";
  return status === "failed" || status === "rolled_back" ? "blocked" : status === "skipped" ? "skipped" : "no_change";
}

type StepTally = {
  index: number;
  applied: number;
  overwritten: Map<string, number>;
  /** By currency. */
  prices: Map<string, { cents: number; orders: number }>;
};

function addPrice({ prices }: StepTally, { price }: StepResult): void {
  if (!price) return;
  const sum = prices.get(price.currency) ?? { cents: 0, orders: 0 };
  prices.set(price.currency, { cents: sum.cents + toCents(price.total), orders: sum.orders + 1 });
}

/** Adds up prices, and counts orders for which a later step overwrites or reverts all changes of a step. */
function tally(results: StepResult[], tallies: StepTally[]): void {
  for (const [i, result] of results.entries()) {
    if (result.status !== "applied") continue;
    tallies[i]!.applied++;
    addPrice(tallies[i]!, result);
    if (!result.changes || result.created_order_ids) continue;
    const later = results.slice(i + 1).filter((candidate) => candidate.status === "applied");
    const overwriters = result.changes.map(({ path, from }) =>
      later.find((candidate) =>
        candidate.changes?.some(
          (change) => change.path === path && (typeof from !== "object" || isDeepStrictEqual(change.to, from)),
        ),
      ),
    );
    const [overwriter] = overwriters;
    if (!overwriter || overwriters.includes(undefined)) continue;
    const key = `${overwriter.index}:${overwriter.type}`;
    tallies[i]!.overwritten.set(key, (tallies[i]!.overwritten.get(key) ?? 0) + 1);
  }
}

function warningsOf({ applied, overwritten }: StepTally): { code: string; message: string }[] {
  const affected = [...overwritten.values()].reduce((sum, n) => sum + n, 0);
  if (affected === 0 || affected < applied) return [];
  const [later] = overwritten.keys();
  const [index, type] = later!.split(":");
  return [
    {
      code: "overwritten_by_overwriterstep",
      message: `Step ${index} (${type}) overwrites or reverts the changes of this step.`,
    },
  ];
}
