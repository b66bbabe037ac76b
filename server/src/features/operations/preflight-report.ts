import { isDeepStrictEqual } from "node:util";
import { fromCents, toCents } from "../../core/money.ts";
import type { Ctx } from "../../context.ts";
import type { Evaluation, Pipeline, StepResult } from "./evaluate.ts";
import { outcomeOf } from "./evaluate.ts";
import type { OrderGroup, PreflightRequest } from "./operations.schemas.ts";
import { createGroups } from "./order-groups.ts";
import { presentSteps } from "./present-run.ts";

type Verdict = "ok" | "no_change" | "warning" | "blocked";
type Shown = PreflightRequest["report_filter"];

/** Those with problems are shown first. */
const ranks: Record<Verdict, number> = { blocked: 0, warning: 1, ok: 2, no_change: 2 };

type Unknown = Pick<OrderGroup, "code" | "message">;
const notFound: Unknown = { code: "order_not_found", message: "There is no order with this id or number." };

/** Something that is wrong with an order, or that its caller should know. */
type Said = Pick<OrderGroup, "step" | "type" | "code" | "message" | "fix"> & { verdict: "blocked" | "warning" };

function saidOf(evaluation: Evaluation | undefined, unknown = notFound): Said[] {
  const aboutAll = { step: null, type: null, verdict: "blocked" as const };
  if (!evaluation) return [{ ...aboutAll, ...unknown }];
  const said = evaluation.steps.flatMap(({ index: step, type, status, error, warning }): Said[] => [
    ...(status === "failed" && error ? [{ step, type, verdict: "blocked" as const, ...error }] : []),
    ...(warning ? [{ step, type, verdict: "warning" as const, ...warning }] : []),
  ]);
  const { status, error } = outcomeOf(evaluation);
  return status === "skipped" && error ? [...said, { ...aboutAll, ...error }] : said;
}

/** Why it was blocked and what it was warned of: what a run may leave out. */
export function codesOf(evaluation: Evaluation | undefined, unknown?: Unknown): string[] {
  return [...new Set(saidOf(evaluation, unknown).map(({ code }) => code))].toSorted();
}

export type Report = ReturnType<typeof createReport>;

/** Of a hundred thousand orders no more is kept than is shown. */
export function createReport(ctx: Ctx, pipeline: Pipeline, limit: number, show: Shown) {
  const counts = { orders: 0, ok: 0, warning: 0, blocked: 0, no_change: 0, not_found: 0 };
  const errorsByCode: Record<string, number> = {};
  const groups = createGroups<Said>();
  const steps = pipeline.steps.map(({ index, action }) => ({
    index,
    type: action.type,
    applied: 0,
    pointless: new Map<string, number>(),
    prices: new Map<string, { cents: number; orders: number }>(),
  }));
  const shown: object[][] = [[], [], []];
  const page = show?.page ?? 1;
  let wanted = 0;

  function keep(verdict: Verdict, said: Said[], describe: () => object): void {
    if (!isWanted(show, verdict, said)) return;
    wanted++;
    // Asked for by what they have in common, they come in their own order: a page is a page then.
    const rank = show ? 0 : ranks[verdict];
    const before = show ? wanted - 1 - (page - 1) * limit : countUpTo(shown, rank);
    if (before >= 0 && before < limit) shown[rank]!.push({ ...describe(), verdict });
  }

  return {
    /** `unknown`: why there is no order of this name. */
    add(ref: string, evaluation: Evaluation | undefined, unknown = notFound): void {
      const said = saidOf(evaluation, unknown);
      const { id = null, number = null, version = null } = evaluation?.before ?? {};
      const named = { ref, order_id: id, order_number: number };
      for (const one of said) groups.add(one, one.verdict, named);
      const outcome = evaluation && outcomeOf(evaluation);
      const verdict: Verdict =
        outcome?.status !== "succeeded"
          ? "blocked"
          : said.length > 0
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
        return keep(verdict, said, () => ({ ...named, version, error: unknown, steps: [] }));
      }
      tally(evaluation.steps, steps);
      keep(verdict, said, () => {
        const told = presentSteps(ctx, evaluation.steps).map(({ status, ...step }) => ({
          ...step,
          verdict: verdictOf(status, step.warning),
        }));
        return { ...named, version, steps: told };
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

/** An order is one of a group if one thing that was said about it has all of what the group is asked for by. */
function isWanted(show: Shown, verdict: Verdict, said: Said[]): boolean {
  if (!show) return true;
  if (show.verdict !== undefined && show.verdict !== verdict) return false;
  const { step, code } = show;
  if (step === undefined && code === undefined) return true;
  return said.some((one) => (step === undefined || one.step === step) && (code === undefined || one.code === code));
}

function verdictOf(status: StepResult["status"], warning: unknown): string {
  if (status === "applied") return warning === undefined ? "ok" : "warning";
  return status === "failed" || status === "rolled_back" ? "blocked" : status === "skipped" ? "skipped" : "no_change";
}

type StepTally = {
  index: number;
  applied: number;
  pointless: Map<string, number>;
  /** By currency. */
  prices: Map<string, { cents: number; orders: number }>;
};

function addPrice({ prices }: StepTally, { price }: StepResult): void {
  if (!price) return;
  const sum = prices.get(price.currency) ?? { cents: 0, orders: 0 };
  prices.set(price.currency, { cents: sum.cents + toCents(price.total), orders: sum.orders + 1 });
}

/** What a step costs, and whether it is pointless: when a later one sets the same value again or puts back what it changed. */
function tally(results: StepResult[], tallies: StepTally[]): void {
  for (const [i, result] of results.entries()) {
    if (result.status !== "applied") continue;
    tallies[i]!.applied++;
    addPrice(tallies[i]!, result);
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
  return [
    {
      code: "overwritten_by_later_step",
      message: `Step ${index} (${type}) overwrites or takes back what this step does.`,
    },
  ];
}
