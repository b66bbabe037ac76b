import { isDeepStrictEqual } from "node:util";
import { findErrorsIn } from "../../server/src/core/validation.ts";
import { defaultWorkingDays } from "../../server/src/core/working-days.ts";
import type { ActionEnv } from "../../server/src/features/operations/action.ts";
import { allSteps, evaluate } from "../../server/src/features/operations/evaluate.ts";
import { guardPluginAction } from "../../server/src/features/operations/guard-plugin-action.ts";
import type { PluginAction, PluginActionEnv } from "../../server/src/features/operations/plugin-action.ts";
import { presentOrder } from "../../server/src/features/orders/order.ts";
import type { OrderAnswer } from "../../server/src/features/orders/order-answers.schemas.ts";
import { anOrder as aStoredOrder } from "../../server/src/testing/an-order.ts";
import { undone } from "../../server/src/testing/undone.ts";

/** What became of one order. */
export type ActionResult = {
  status: "applied" | "no_change" | "failed" | "skipped" | "rolled_back" | "undo_failed";
  order: OrderAnswer;
  error?: { code: string; message: string; fix?: string };
  warning?: { code: string; message: string };
  /** The order after an undo; undefined if it cannot be undone. */
  undone: OrderAnswer | undefined;
};

type Given = Partial<Omit<OrderAnswer, "onHold" | "archived">>;

/** A ready, paid and unshipped order with two lines. */
export function anOrder(given: Given = {}): OrderAnswer {
  return presentOrder(aStoredOrder(given));
}

/** Applies an action to an order as a run does. Throws if the params do not fit the schema of the action. */
export function runAction(
  action: PluginAction,
  params: unknown,
  given: Given = {},
  env: Partial<PluginActionEnv> = {},
): ActionResult {
  const [wrong] = [...findErrorsIn(action.params, params), ...(action.check?.(params) ?? [])];
  if (wrong) throw new Error(`The params of ${action.type} are invalid: ${wrong.pointer} ${wrong.message}`);
  const step = {
    index: 0,
    action: guardPluginAction(action),
    params,
    when: undefined,
    holds: undefined,
    onError: "skip_order",
  } as const;
  const full: ActionEnv = { ...standIns(), ...env };
  const pipeline = { ...full, steps: [step], isAtomic: false };
  const [evaluation] = evaluate([aStoredOrder(given)], pipeline, full, [allSteps], { isAborted: false });
  const { status, error, warning } = evaluation!.steps[0]!;
  const reverted = undone(evaluation!);
  return {
    status,
    order: presentOrder(evaluation!.order),
    ...(error && { error }),
    ...(warning && { warning }),
    undone: reverted && presentOrder(reverted),
  };
}

/** An environment at a fixed time. Actions of plug-ins see none of the directories. */
function standIns(): ActionEnv {
  let ids = 0;
  return {
    now: "2026-03-02T09:00:00.000Z",
    actor: { type: "user", id: "0199f0a0-0000-7000-8000-00000000d002", email: "ada@example.com" },
    newId: () => `0199f0a0-0000-7000-9000-${String(++ids).padStart(12, "0")}`,
    mayOverride: false,
    timeZone: "UTC",
    calendar: { timezone: "UTC", workingDays: defaultWorkingDays, holidays: new Set(), cutoffTime: null },
    sets: () => undefined,
    users: { emailOf: () => undefined },
    bridges: {
      problem: () => undefined,
      ofLocation: () => undefined,
      having: () => [],
      ofSent: () => undefined,
      readSent: () => Promise.resolve(),
    },
    carriers: {
      offers: [],
      addressOf: () => undefined,
      labelsOf: () => [],
      pricesOf: () => ({ prices: [], unavailable: [] }),
      checkOf: () => ({ verdict: "unknown", address: null, residential: null, messages: [] }),
      answerOf: () => ({ answer: {} }),
    },
    stock: { locations: [], levelOf: () => undefined, freeOf: () => 0, reservedFor: () => [] },
  };
}

/** What an action does to orders: one case of each kind at least. `given`: how the order differs from `anOrder()`. */
export type ActionCases = {
  applied: { given?: Given; params?: unknown; gives: Partial<OrderAnswer> }[];
  unchanged: { given?: Given; params?: unknown }[];
  blocked: { given?: Given; params?: unknown; code: string }[];
};

/**
 * Runs the cases of an action. Each one that is applied must also be undone; an idempotent action must change nothing the second time.
 * Throws with all failures.
 */
export function checkActionCases(action: PluginAction, { applied, unchanged, blocked }: ActionCases): void {
  const failures: string[] = [];
  const expect = (name: string, found: unknown, wanted: unknown): void => {
    if (!isDeepStrictEqual(plain(found), plain(wanted)))
      failures.push(`${name}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
  };
  for (const [index, { given = {}, params = {}, gives }] of applied.entries()) {
    const at = `applied ${index}`;
    const result = runAction(action, params, given);
    expect(`${at}: status`, result.error ?? result.status, "applied");
    for (const field of Object.keys(gives) as (keyof OrderAnswer)[])
      expect(`${at}: ${field}`, result.order[field], gives[field]);
    expect(`${at}: the order after an undo`, result.undone, presentOrder(aStoredOrder(given)));
    const { onHold: _onHold, archived: _archived, ...after } = result.order;
    const again = runAction(action, params, after);
    if (action.idempotent ?? true) expect(`${at}: the second time`, again.error ?? again.status, "no_change");
  }
  for (const [index, { given = {}, params = {} }] of unchanged.entries()) {
    const result = runAction(action, params, given);
    expect(`unchanged ${index}: status`, result.error ?? result.status, "no_change");
  }
  for (const [index, { given = {}, params = {}, code }] of blocked.entries())
    expect(`blocked ${index}: code`, runAction(action, params, given).error?.code, code);
  if (failures.length > 0) throw new Error(`${action.type}\n${failures.join("\n")}`);
}

/** Without members that are undefined, as JSON has it. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
