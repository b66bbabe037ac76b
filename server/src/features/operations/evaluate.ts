import type { SetLookup } from "../../core/conditions.ts";
import type { WorkingCalendar } from "../../core/working-days.ts";
import type { Order, OrderPatch } from "../orders/order.ts";
import type { Reservation } from "../stock/stock.ts";
import { applyChanges, changesOf } from "../orders/order-changes.ts";
import { holdProblem, moveProblem } from "../orders/order-rules.ts";
import type {
  ActionDefinition,
  ActionEnv,
  BridgeDirectory,
  ExternalCall,
  Outcome,
  Refusal,
  UserDirectory,
} from "./action.ts";
import { refuse, refuseFor } from "./action.ts";
import type { OrderCondition } from "./order-conditions.ts";
import type { OnError } from "./operations.schemas.ts";
import type { RunResult } from "./run.schemas.ts";
import type { FillParams } from "./template-params.ts";

/** A checked action of a pipeline, ready to be applied to any number of orders. */
export type Step = {
  index: number;
  action: ActionDefinition;
  params: unknown;
  /** Fills in templates in the params for one order. */
  fill?: FillParams | undefined;
  when: OrderCondition | undefined;
  /** The condition among its params, if any. */
  holds: OrderCondition | undefined;
  onError: OnError;
};

type LabelPurchase = NonNullable<Exclude<Outcome, Refusal>["buys"]>;

export type Pipeline = {
  steps: Step[];
  isAtomic: boolean;
  bridges: BridgeDirectory;
  users: UserDirectory;
  sets: SetLookup;
  /** Time zone of the organization. */
  timeZone: string;
  /** Its working days. */
  calendar: WorkingCalendar;
  /** The condition of the automation: other orders are skipped. */
  when?: OrderCondition | undefined;
  /** A condition or template uses the order count or spend of customers. */
  asksForCustomers?: boolean | undefined;
  /** A condition, template or action uses the stock of the locations. */
  asksForStock?: boolean | undefined;
};

/** Result of one action on one order; `carried_over` if an earlier run of the chain applied it. */
export type StepResult = RunResult["steps"][number];

/** Result of one order. `todo` is a bit mask of the steps a retry would have to apply. */
export type Evaluation = {
  before: Order;
  order: Order;
  steps: StepResult[];
  created: Order[];
  calls: { step: StepResult; call: ExternalCall }[];
  /** Labels to buy or void. */
  labels: { step: StepResult; buys?: LabelPurchase; voids?: string[] }[];
  reserves: Reservation[];
  todo: number;
  todoBefore: number;
  isStopped: boolean;
};

export const allSteps = 2 ** 25 - 1;

/** The first step that needs all orders of the run at once, if any. */
export function wholeStepOf({ steps }: Pipeline): Step | undefined {
  return steps.find(({ action }) => action.applyToAll);
}

export function isGrouped(pipeline: Pipeline): boolean {
  return wholeStepOf(pipeline) !== undefined;
}

/**
 * Applies the pipeline to copies of these orders. Preflight and run both call this, so a run does what its preflight showed.
 * `todo` has the remaining steps of each order; `isAborted` is set when a step aborts the run.
 */
export function evaluate(
  orders: readonly Order[],
  pipeline: Pipeline,
  env: ActionEnv,
  todo: readonly number[],
  run: { isAborted: boolean },
): Evaluation[] {
  const evaluations = orders.map((order, i) => beginOn(order, todo[i] ?? allSteps));
  if (!isGrouped(pipeline)) {
    for (const evaluation of evaluations) {
      evaluation.isStopped = run.isAborted;
      for (const step of pipeline.steps) applyStep(evaluation, step, env, run, pipeline.isAtomic);
    }
    return evaluations;
  }
  // Step by step over all orders: a step that needs all of them needs each with the earlier steps applied.
  for (const step of pipeline.steps) {
    for (const evaluation of evaluations) evaluation.isStopped ||= run.isAborted;
    if (step.action.applyToAll) applyToAll(evaluations, step, env, run);
    else for (const evaluation of evaluations) applyStep(evaluation, step, env, run, pipeline.isAtomic);
  }
  return evaluations;
}

export function beginOn(order: Order, todo: number): Evaluation {
  return {
    before: order,
    order,
    steps: [],
    created: [],
    calls: [],
    labels: [],
    reserves: [],
    todo,
    todoBefore: todo,
    isStopped: false,
  };
}

function applyStep(
  evaluation: Evaluation,
  step: Step,
  env: ActionEnv,
  run: { isAborted: boolean },
  isAtomic: boolean,
): void {
  const early = reasonNotToApply(evaluation, step, env);
  if (early) {
    evaluation.steps.push(early);
    return;
  }
  const outcome = guard(evaluation.order, step) ?? applyFilled(evaluation.order, step, env);
  settle(evaluation, step, outcome, run, isAtomic);
}

function applyFilled(order: Order, { action, params, fill, holds }: Step, env: ActionEnv): Outcome {
  const filled = fill ? fill(order, env) : { params };
  return "refused" in filled ? filled : action.apply!(order, filled.params, env, holds);
}

function applyToAll(evaluations: Evaluation[], step: Step, env: ActionEnv, run: { isAborted: boolean }): void {
  const taking: Evaluation[] = [];
  for (const evaluation of evaluations) {
    const early = reasonNotToApply(evaluation, step, env);
    const refusal = early ? undefined : guard(evaluation.order, step);
    if (early) evaluation.steps.push(early);
    else if (refusal) settle(evaluation, step, refusal, run, false);
    else taking.push(evaluation);
  }
  const orders = taking.map(({ order }) => order);
  const outcomes = step.action.applyToAll!(orders, step.params, env);
  for (const [i, evaluation] of taking.entries()) settle(evaluation, step, outcomes[i]!, run, false);
}

function reasonNotToApply(evaluation: Evaluation, step: Step, env: ActionEnv): StepResult | undefined {
  const base = { index: step.index, type: step.action.type };
  if ((evaluation.todo & (1 << step.index)) === 0) return { ...base, status: "applied", carried_over: true };
  if (evaluation.isStopped) {
    return { ...base, status: "skipped", error: { code: "previous_step_failed", message: "An earlier step failed." } };
  }
  if (step.when && !step.when(evaluation.order, env)) {
    evaluation.todo &= ~(1 << step.index);
    return {
      ...base,
      status: "skipped",
      error: { code: "condition_not_met", message: "The order does not meet the step's `when`." },
    };
  }
  return undefined;
}

// Often merged by an earlier step of the same run.
const excludeMerged =
  'The order was merged into another one. Add `when: {"path": "mergedIntoId", "op": "empty"}` to the step to skip it.';

/** Checks that apply to every action: the order's status and holds. */
export function guard(order: Order, { action, params }: Pick<Step, "action" | "params">): Refusal | undefined {
  if (!action.statuses.includes(order.status)) {
    const message = `${action.title} is not possible while the order is ${order.status}.`;
    const fix = order.mergedIntoId === null ? `Allowed while it is ${action.statuses.join(", ")}.` : excludeMerged;
    return refuse("invalid_state", message, fix);
  }
  return action.blockedByHold && !overridesHolds(params) ? refuseFor(holdProblem(order)) : undefined;
}

function overridesHolds(params: unknown): boolean {
  return (params as { override_holds?: boolean }).override_holds === true;
}

/** A status change follows the same rules in every action. */
function moveRefusal(order: Order, { params }: Step, patch: OrderPatch): Refusal | undefined {
  if (patch.status === undefined || patch.status === order.status) return undefined;
  const isForced = (params as { force?: boolean }).force === true;
  const options = { after: { ...order, ...patch }, isForced, ignoresHolds: overridesHolds(params) };
  return refuseFor(moveProblem(order, patch.status, options));
}

function settle(
  evaluation: Evaluation,
  step: Step,
  wanted: Outcome,
  run: { isAborted: boolean },
  isAtomic: boolean,
): void {
  const outcome = "refused" in wanted ? wanted : (moveRefusal(evaluation.order, step, wanted.patch) ?? wanted);
  const base = { index: step.index, type: step.action.type };
  const bit = 1 << step.index;
  if ("refused" in outcome) {
    const { refused: code, ...error } = outcome;
    evaluation.steps.push({ ...base, status: "failed", error: { code, ...error } });
    if (isAtomic) rollBack(evaluation);
    if (isAtomic || step.onError !== "continue") evaluation.isStopped = true;
    if (step.onError === "abort_run") run.isAborted = true;
    return;
  }
  const changes = changesOf(evaluation.order, outcome.patch);
  const created = outcome.creates ?? [];
  const { call, buys, voids } = outcome;
  const hasEffect = call !== undefined || buys !== undefined || voids !== undefined;
  const isDone = changes.length > 0 || created.length > 0 || hasEffect;
  evaluation.todo &= ~bit;
  const result: StepResult = { ...base, status: isDone ? "applied" : "no_change" };
  if (changes.length > 0) {
    result.changes = changes;
    evaluation.order = applyChanges(evaluation.order, changes);
  }
  if (created.length > 0) {
    result.created_order_ids = created.map(({ id }) => id);
    evaluation.created.push(...created);
  }
  if (call) evaluation.calls.push({ step: result, call });
  if (buys || voids) evaluation.labels.push({ step: result, ...(buys && { buys }), ...(voids && { voids }) });
  evaluation.reserves.push(...(outcome.reserves ?? []));
  if (outcome.price) result.price = outcome.price;
  if (outcome.warning) result.warning = outcome.warning;
  evaluation.steps.push(result);
}

/** Atomic runs: restores the order and drops what the steps created; all its steps are to do again. */
function rollBack(evaluation: Evaluation): void {
  for (const step of evaluation.steps) {
    if (step.status !== "applied" || step.carried_over) continue;
    step.status = "rolled_back";
    delete step.created_order_ids;
  }
  evaluation.todo = evaluation.todoBefore;
  dropEffects(evaluation);
}

/** Drops all changes, new orders, tasks and label requests. */
export function dropEffects(evaluation: Evaluation): void {
  evaluation.order = evaluation.before;
  evaluation.created = [];
  evaluation.calls = [];
  evaluation.labels = [];
  evaluation.reserves = [];
}

export type OrderOutcome = {
  status: "succeeded" | "failed" | "skipped";
  isUnchanged: boolean;
  error: NonNullable<StepResult["error"]> | null;
};

const aborted = { code: "run_aborted", message: "A step that failed for an earlier order aborted the run." };

/**
 * The order's result from those of its steps. An order that was undone in part has succeeded, as its preflight announced; the error
 * has the rest.
 */
export function outcomeOf({ steps, before, order, created, calls, labels }: Evaluation): OrderOutcome {
  const notUndone = steps.find((step) => step.status === "undo_failed");
  const failed = steps.find((step) => step.status === "failed") ?? notUndone;
  if (notUndone && steps.some((step) => step.status === "applied"))
    return { status: "succeeded", isUnchanged: false, error: notUndone.error ?? null };
  if (failed) return { status: "failed", isUnchanged: false, error: failed.error ?? null };
  const hasDeleted = (): boolean => steps.some((step) => step.deleted_order_ids !== undefined);
  const isUnchanged = order === before && created.length + calls.length + labels.length === 0 && !hasDeleted();
  // A step failed for another order. Some steps of this one may have been applied before, here or by an earlier run.
  const isAborted = steps.some((step) => step.error?.code === "previous_step_failed");
  if (isAborted) return { status: "skipped", isUnchanged, error: aborted };
  return { status: "succeeded", isUnchanged, error: null };
}
