import { expect, test } from "vitest";
import type { Order } from "../orders/order.ts";
import { orderStatuses } from "../orders/orders.states.ts";
import { actionCatalog } from "./action-catalog.ts";
import type { Case, Cases } from "../../testing/action-cases/case-parts.ts";
import { flowCases } from "../../testing/action-cases/flow-cases.ts";
import { organiseCases } from "../../testing/action-cases/organise-cases.ts";
import { routingCases } from "../../testing/action-cases/routing-cases.ts";
import { shippingCases } from "../../testing/action-cases/shipping-cases.ts";
import { tableCases } from "../../testing/action-cases/table-cases.ts";
import { anEnv, evaluateOne } from "../../testing/an-evaluation.ts";
import { anOrder } from "../../testing/an-order.ts";
import { undone } from "../../testing/undone.ts";

const cases: Record<string, Cases> = {
  ...flowCases,
  ...organiseCases,
  ...routingCases,
  ...shippingCases,
  ...tableCases,
};

function each<T>(pick: (cases: Cases) => T[] | string): (T & { type: string })[] {
  return Object.entries(cases).flatMap(([type, own]) => {
    const list = pick(own);
    return typeof list === "string" ? [] : list.map((one) => ({ ...one, type }));
  });
}

function run({ type, given, others = [], params = {}, mayOverride = false }: Case & { type: string }) {
  const orders = [anOrder(given), ...others.map((other) => anOrder(other))];
  return { orders, evaluations: evaluateOne(orders, type, params, anEnv({ mayOverride })) };
}

const applied = each((own) => own.applied);

test.each(applied)("$type is applied: $params", ({ gives, warning, ...one }) => {
  const [evaluation] = run(one).evaluations;
  expect(evaluation!.steps[0]).toMatchObject({ status: "applied" });
  expect(evaluation!.steps[0]!.warning?.code).toBe(warning);
  for (const [field, wanted] of Object.entries(gives)) {
    const found = evaluation!.order[field as keyof Order];
    if (Array.isArray(wanted)) expect(found).toMatchObject(wanted);
    else expect(found).toEqual(wanted);
  }
});

test.each(applied)("$type is undone, and the orders are as before: $params", (one) => {
  const { orders, evaluations } = run(one);
  expect(evaluations.map(undone)).toEqual(orders);
});

test.each(each((own) => own.unchanged))("$type finds nothing to change: $params", ({ warning, ...one }) => {
  const [evaluation] = run(one).evaluations;
  expect(evaluation!.steps[0]).toMatchObject({ status: "no_change" });
  expect(evaluation!.steps[0]!.warning?.code).toBe(warning);
  expect(evaluation!.order).toEqual(evaluation!.before);
});

test.each(each((own) => own.blocked))("$type is refused with $code: $params", ({ code, ...one }) => {
  const [evaluation] = run(one).evaluations;
  expect(evaluation!.steps[0]).toMatchObject({ status: "failed", error: { code } });
  expect(evaluation!.order).toEqual(evaluation!.before);
});

test("every action has cases of every kind, or a reason why a kind cannot happen", () => {
  // Those that act outside have their cases in bridge-actions.test.ts and label-actions.test.ts, with a real bridge or carrier.
  const available = actionCatalog.filter((action) => !action.needsBridges && !action.isLastWord);
  expect(Object.keys(cases).toSorted()).toEqual(available.map(({ type }) => type).toSorted());
  for (const { type, idempotent, irreversible, statuses, blockedByHold } of available) {
    const own = cases[type]!;
    for (const kind of ["applied", "unchanged", "blocked"] as const) expect(own[kind].length, type).toBeGreaterThan(0);
    if (idempotent) expect(own.unchanged, `${type} a second time`).toBeInstanceOf(Array);
    const isLimited = statuses.length < orderStatuses.length || blockedByHold;
    if (isLimited) expect(own.blocked, `${type} at the wrong time`).toBeInstanceOf(Array);
    // All cases that are applied are undone, too.
    if (type !== "assert") expect(own.applied, type).toBeInstanceOf(Array);
    expect(irreversible, type).toBeUndefined();
  }
});
