import type { FieldError } from "../../core/errors.ts";
import { errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { compileCondition, pathsIn, referredSets } from "../../core/conditions.ts";
import { isUuid } from "../../core/ids.ts";
import { nearestName } from "../../core/nearest.ts";
import { hasScope } from "../../core/scopes.ts";
import { findErrorsIn } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import { loadSetLookup } from "../condition-sets/condition-sets.ts";
import { askedFields, findReferred, personalPathRefusal } from "../orders/orders.ts";
import type { ActionDefinition, ActionEnv, Reference, UserDirectory } from "./action.ts";
import { refuse } from "./action.ts";
import { loadBridgeDirectory } from "./bridge-directory.ts";
import { actionsByType, conditionsOf, setsInParams, setsOf } from "./action-catalog.ts";
import { findWorkingCalendar } from "../organizations/organizations.ts";
import { listActiveEmails } from "../users/users.ts";
import type { CarrierDirectory } from "./carrier-directory.ts";
import type { Pipeline, Step } from "./evaluate.ts";
import type { OrderCondition, OrderFacts } from "./order-conditions.ts";
import { asksForCustomers, asksForStock, presentWith } from "./order-conditions.ts";
import type { ActionRequest, OnError } from "./operations.schemas.ts";
import type { FillParams } from "./template-params.ts";
import { compileTemplates } from "./template-params.ts";

export type PipelineOptions = {
  onError: OnError;
  isAtomic: boolean;
  /** Already checked when the run was created. Later checks may fail, such as for a date that was in the future. */
  isChecked?: boolean;
  /** Condition on the orders, besides those of the steps. */
  when?: object | null | undefined;
  /** When the actions were requested, if not now: dates had to be in the future at that time. */
  askedAt?: Date;
};

/** Validates the whole pipeline once, before any order is read. */
export async function compilePipeline(
  ctx: Ctx,
  requests: ActionRequest[],
  options: PipelineOptions,
): Promise<Pipeline> {
  const errors: FieldError[] = [];
  const calendar = await findWorkingCalendar(ctx, ctx.orgId);
  const { timezone: timeZone } = calendar;
  const lookup = await loadSetLookup(ctx, [...requests.flatMap(setsOf), ...referredSets(options.when)]);
  // A run was checked against its creator's scopes when it was created; a retry is checked against its caller's.
  const refusal = (path: string) => (options.isChecked ? undefined : personalPathRefusal(ctx, path));
  // The conditions of a run were checked when it was created, possibly by an earlier version of the hub.
  const rules = options.isChecked ? { isChecked: true } : { fields: askedFields, refusal };
  const asks: string[] = [];
  const compileAt = (condition: unknown, at: string): OrderCondition | undefined => {
    const compiled = compileCondition(condition, lookup, at, { ...rules, calendar });
    asks.push(...pathsIn(condition));
    // Conditions see orders as the API presents them, including `onHold`.
    if (!Array.isArray(compiled)) return (order, facts) => compiled(presentWith(order, facts), new Date(facts.now));
    errors.push(...compiled);
    return undefined;
  };
  const { when: asked } = options;
  const forOrders = asked == null ? undefined : compileAt(asked, "/when");
  const steps: Step[] = [];
  for (const [index, request] of requests.entries()) {
    const pointer = `/actions/${index}`;
    const action = findAction(request.type, pointer, errors);
    if (!action) continue;
    if (!options.isChecked && action.scope !== undefined && !hasScope(ctx.principal.scopes, action.scope)) {
      throw new HubError("insufficient_scope", `${action.type} needs the scope ${action.scope}.`, {
        extra: { required: [action.scope], granted: [...ctx.principal.scopes] },
      });
    }
    const params = request.params ?? {};
    const wrong = options.isChecked
      ? []
      : paramErrors(ctx, action, params, `${pointer}/params`, { timeZone, at: options.askedAt });
    errors.push(...wrong);
    const templates =
      wrong.length > 0 ? undefined : compileTemplates(action.params, params, `${pointer}/params`, rules);
    asks.push(...(templates?.asks ?? []));
    // A text that an earlier version of the hub accepted stays as it is.
    if (!options.isChecked) errors.push(...(templates?.errors ?? []));
    for (const asked of wrong.length > 0 ? [] : (action.asksAbout?.(params) ?? [])) {
      const refused = refusal(asked.path);
      if (refused) errors.push({ pointer: `${pointer}/params${asked.pointer}`, ...refused });
    }
    for (const { set, pointer: at } of options.isChecked ? [] : setsInParams(request)) {
      const message = `There is no condition set ${set}.`;
      if (!lookup(set)) errors.push({ pointer: `${pointer}/params${at}`, code: "condition_set_not_found", message });
    }
    const conditions = conditionsOf(request);
    const compile = (placed: typeof conditions.when): OrderCondition | undefined =>
      placed && compileAt(placed.condition, pointer + placed.pointer);
    const [when, holds] = [compile(conditions.when), wrong.length > 0 ? undefined : compile(conditions.holds)];
    const fill = templates?.fill && checkFilled(action, templates.fill);
    steps.push({ index, action, params, fill, when, holds, onError: request.on_error ?? options.onError });
  }
  errors.push(...atomicErrors(requests, options.isAtomic), ...lastWordErrors(steps));
  if (errors.length === 0 && !options.isChecked) errors.push(...(await missingReferences(ctx, steps)));
  if (errors.length > 0) throw validationFailed(errors);
  const needsBridges = steps.some(({ action }) => action.needsBridges);
  const bridges = await loadBridgeDirectory(ctx, needsBridges);
  const users = await loadUserDirectory(
    ctx,
    steps.some(({ action }) => action.needsUsers),
  );
  return {
    steps,
    isAtomic: options.isAtomic,
    bridges,
    users,
    sets: lookup,
    timeZone,
    calendar,
    when: forOrders,
    asksForCustomers: asksForCustomers(asks),
    asksForStock: asksForStock(asks) || steps.some(({ action }) => action.readsStock),
  };
}

/** Steps after a carrier request would see the order as it was before the carrier's response. */
function lastWordErrors(steps: readonly Step[]): FieldError[] {
  const first = steps.findIndex(({ action }) => action.isLastWord);
  if (first === -1) return [];
  const { type } = steps[first]!.action;
  return steps
    .slice(first + 1)
    .filter(({ action }) => action.group !== "organize")
    .map(({ index, action }) => {
      const message = `The carrier responds after the run: only actions of the group organize can follow ${type}, and ${action.type} is not one.`;
      return { pointer: `/actions/${index}/type`, code: "not_allowed_after_carrier_step", message };
    });
}

export function atomicErrors(requests: readonly { type?: unknown }[], isAtomic: boolean): FieldError[] {
  const grouping = requests.find(({ type }) => actionsByType.get(type as string)?.applyToAll);
  if (!grouping || !isAtomic) return [];
  const message = `${String(grouping.type)} changes several orders together and cannot be rolled back for one of them.`;
  return [{ pointer: "/atomic", code: "not_atomic", message }];
}

function findAction(type: string, pointer: string, errors: FieldError[]): ActionDefinition | undefined {
  const action = actionsByType.get(type);
  const at = `${pointer}/type`;
  if (!action) {
    const suggestion = nearestName(type, [...actionsByType.keys()]);
    const more = suggestion === undefined ? {} : { suggestion };
    errors.push({
      pointer: at,
      code: "unknown_action",
      message: `There is no action ${type}.`,
      allowed: [...actionsByType.keys()],
      ...more,
    });
  }
  return action;
}

async function loadUserDirectory(ctx: Ctx, isNeeded: boolean): Promise<UserDirectory> {
  const emails = isNeeded ? await listActiveEmails(ctx.db, ctx.orgId) : new Map<string, string>();
  return { emailOf: (userId) => emails.get(userId.toLowerCase()) };
}

/** For an undo, which uses the recorded changes: params and the records they refer to need not be valid any more. */
export async function listSteps(ctx: Ctx, requests: ActionRequest[]): Promise<Pipeline> {
  const steps = requests.flatMap(({ type }, index): Step[] => {
    const action = actionsByType.get(type);
    return action ? [{ index, action, params: {}, when: undefined, holds: undefined, onError: "continue" }] : [];
  });
  const calendar = await findWorkingCalendar(ctx, ctx.orgId);
  const { timezone: timeZone } = calendar;
  const [bridges, users] = [await loadBridgeDirectory(ctx, false), await loadUserDirectory(ctx, false)];
  return { steps, isAtomic: false, bridges, users, sets: () => undefined, timeZone, calendar };
}

function paramErrors(
  ctx: Ctx,
  action: ActionDefinition,
  params: unknown,
  pointer: string,
  { timeZone, at = ctx.clock.now() }: { timeZone: string; at?: Date | undefined },
): FieldError[] {
  const found = findErrorsIn(action.params, params);
  const env = { now: at.toISOString(), mayOverride: mayOverride(ctx), timeZone };
  const errors = found.length > 0 ? found : (action.check?.(params, env) ?? []);
  return errorsAt(pointer, errors);
}

/** Values filled in from templates are validated like literal ones. */
function checkFilled(action: ActionDefinition, fill: FillParams): FillParams {
  return (order, facts) => {
    const filled = fill(order, facts);
    const [error] = "refused" in filled ? [] : findErrorsIn(action.params, filled.params);
    if (!error) return filled;
    return refuse("template_result", `With the values of this order, ${error.pointer} is invalid: ${error.message}`);
  };
}

/** Whether any action needs `operations:override`, according to its own check. */
export function asksForOverride(requests: readonly ActionRequest[]): boolean {
  return requests.some(({ type, params = {} }) => {
    const action = actionsByType.get(type);
    if (!action || findErrorsIn(action.params, params).length > 0) return false;
    const errors =
      action.check?.(params, { now: new Date(0).toISOString(), mayOverride: false, timeZone: "UTC" }) ?? [];
    return errors.some(({ code }) => code === "override_required");
  });
}

export function refuseWithoutOverride(ctx: Ctx, detail: string): void {
  if (mayOverride(ctx)) return;
  throw new HubError("insufficient_scope", detail, {
    extra: { required: ["operations:override"], granted: [...ctx.principal.scopes] },
  });
}

export function envOf(
  ctx: Ctx,
  { bridges, users, sets, timeZone, calendar }: Pipeline,
  carriers: CarrierDirectory,
  isOverriding: boolean,
  facts: OrderFacts,
): ActionEnv {
  const { actor, newId } = ctx;
  return { ...facts, actor, newId, mayOverride: isOverriding, bridges, users, carriers, sets, timeZone, calendar };
}

export function allocatesStock({ steps }: Pipeline): boolean {
  return steps.some(({ action }) => action.readsStock);
}

export function asksCarriers({ steps }: Pipeline): boolean {
  return steps.some(({ action, params }) => action.asksCarriers || action.asksCarriersWith?.(params));
}

export function mayOverride(ctx: Ctx): boolean {
  return hasScope(ctx.principal.scopes, "operations:override");
}

async function missingReferences(ctx: Ctx, steps: Step[]): Promise<FieldError[]> {
  const referred = steps.flatMap(({ index, action, params }) =>
    (action.refers?.(params) ?? []).map((reference) => ({ ...reference, index })),
  );
  const idsOf = (wanted: Reference["kind"]): string[] =>
    referred.filter(({ kind, id }) => kind === wanted && isUuid(id)).map(({ id }) => id);
  const known = await findReferred(ctx.db, ctx.orgId, idsOf);
  return referred
    .filter(({ kind, id }) => !known[kind].has(id.toLowerCase()))
    .map(({ kind, id, param, index }) => ({
      pointer: `/actions/${index}/params/${param}`,
      code: `${kind}_not_found`,
      message: `There is no ${kind.replace("_", " ")} ${id} in this organization.`,
    }));
}
