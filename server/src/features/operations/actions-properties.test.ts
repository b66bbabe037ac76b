import fc from "fast-check";
import { expect, test } from "vitest";
import { canMove } from "../../core/states.ts";
import type { Order } from "../orders/order.ts";
import { holdReasons, orderMoves, orderStatuses, paymentStatuses } from "../orders/orders.states.ts";
import { actionCatalog } from "./action-catalog.ts";
import type { Case } from "../../testing/action-cases/case-parts.ts";
import { entirely } from "../../testing/action-cases/case-parts.ts";
import { flowCases } from "../../testing/action-cases/flow-cases.ts";
import { organiseCases } from "../../testing/action-cases/organise-cases.ts";
import { routingCases } from "../../testing/action-cases/routing-cases.ts";
import { shippingCases } from "../../testing/action-cases/shipping-cases.ts";
import { tableCases } from "../../testing/action-cases/table-cases.ts";
import { anEnv, evaluateOne, now } from "../../testing/an-evaluation.ts";
import { aHold, aLine, anOrder } from "../../testing/an-order.ts";
import { undone } from "../../testing/undone.ts";

const aHolds = fc.uniqueArray(
  fc
    .record({
      handle: fc.constantFrom("operator", "wait", "address_validation"),
      reason: fc.constantFrom(...holdReasons),
      source: fc.constantFrom("user", "key", "bridge", "system"),
    })
    .map((hold) => aHold({ ...hold, id: `hold-${hold.handle}` })),
  { selector: ({ handle }) => handle, maxLength: 3 },
);

const aLines = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }), fc.boolean()), { maxLength: 4 })
  .map((lines) =>
    lines.map(([quantity, shipped, isPriced], i) =>
      aLine({
        id: `line-${"abcd"[i]}`,
        quantity,
        shippedQuantity: Math.min(quantity, shipped),
        ...(isPriced ? { price: 12.5, weight: { value: 300, unit: "g" as const } } : {}),
      }),
    ),
  );

/** Also orders in states that only `force` can produce. */
const anyOrder: fc.Arbitrary<Order> = fc
  .record({
    status: fc.constantFrom(...orderStatuses),
    paymentStatus: fc.constantFrom(...paymentStatuses),
    holds: aHolds,
    lines: aLines,
    tags: fc.uniqueArray(fc.constantFrom("vip", "gift", "a", "b"), { maxLength: 4 }),
    total: fc.option(fc.integer({ min: 0, max: 10_000 }).map((cents) => cents / 100)),
    shippingAddress: fc.constantFrom(null, {}, anOrder().shippingAddress, { city: " Peoria ", countryCode: "us" }),
    addressStatus: fc.constantFrom("unverified", "valid", "invalid"),
    packages: fc.constantFrom<Order["packages"]>([], [{ count: 2, weight: { value: 1, unit: "lb" } }]),
    locationId: fc.constantFrom(null, "0199f0a0-0000-7000-8000-00000000a0e1"),
    shipments: fc.constantFrom<Order["shipments"]>([], entirely.shipments!),
    customFields: fc.constantFrom<Order["customFields"]>({}, { a: 1 }, { a: 1, "erp.batch": "x" }),
    shipBy: fc.constantFrom(null, now),
    deliverBy: fc.constantFrom(null, "2026-03-20T00:00:00.000Z"),
    archivedAt: fc.constantFrom(null, now),
    mergedIntoId: fc.constantFrom(null, null, "0199f0a0-0000-7000-8000-00000000a009"),
    childCount: fc.constantFrom(0, 3, 999),
  })
  .map((overrides) => anOrder(overrides as Partial<Order>));

const severalOrders = fc
  .array(anyOrder, { minLength: 1, maxLength: 4 })
  .map((orders) => orders.map((order, i) => ({ ...order, id: `order-${i}`, number: `SO-${i}` })));

const cases = { ...flowCases, ...organiseCases, ...routingCases, ...shippingCases, ...tableCases };
const uses = actionCatalog
  .filter(({ needsBridges, isLastWord }) => !needsBridges && !isLastWord)
  .flatMap((action) => {
    const { applied, unchanged, blocked } = cases[action.type]!;
    const params = [applied, unchanged, blocked].flatMap((list): Case[] => (typeof list === "string" ? [] : list));
    return [action.example as object, ...params.map((one) => one.params ?? {})].map((given) => ({
      action,
      params: given,
    }));
  });
const anyUse = fc.constantFrom(...uses);
const check = (property: fc.IPropertyWithHooks<[Order[], (typeof uses)[number], boolean]>): void =>
  fc.assert(property, { numRuns: 1000 });

test("the input is never mutated, and every order gets a result", () => {
  check(
    fc.property(severalOrders, anyUse, fc.boolean(), (orders, { action, params }, mayOverride) => {
      const before = structuredClone(orders);
      const evaluations = evaluateOne(orders, action.type, params, anEnv({ mayOverride }));
      expect(orders).toEqual(before);
      for (const { steps } of evaluations) {
        expect(["applied", "no_change", "failed"]).toContain(steps[0]!.status);
      }
    }),
  );
});

test("every applied change can be undone", () => {
  check(
    fc.property(severalOrders, anyUse, fc.boolean(), (orders, { action, params }, mayOverride) => {
      const evaluations = evaluateOne(orders, action.type, params, anEnv({ mayOverride }));
      expect(evaluations.map(undone)).toEqual(orders);
    }),
  );
});

test("an idempotent action changes nothing the second time", () => {
  check(
    fc.property(severalOrders, anyUse, fc.boolean(), (orders, { action, params }, mayOverride) => {
      fc.pre(action.idempotent);
      const first = evaluateOne(orders, action.type, params, anEnv({ mayOverride }));
      const done = first.filter(({ steps }) => steps[0]!.status !== "failed").map(({ order }) => order);
      const second = evaluateOne(done, action.type, params, anEnv({ mayOverride }));
      expect(second.map(({ steps }) => steps[0]!.status)).toEqual(done.map(() => "no_change"));
    }),
  );
});

test("statuses change only along the table, except by force", () => {
  check(
    fc.property(severalOrders, anyUse, fc.boolean(), (orders, { action, params }, mayOverride) => {
      fc.pre(!("force" in params));
      for (const { before, order } of evaluateOne(orders, action.type, params, anEnv({ mayOverride }))) {
        const isAllowed = order.status === before.status || canMove(orderMoves, before.status, order.status);
        expect(isAllowed, `${action.type}: ${before.status} to ${order.status}`).toBe(true);
      }
    }),
  );
});

test("a created order has its own id and number, and refers to its source order", () => {
  check(
    fc.property(severalOrders, anyUse, fc.boolean(), (orders, { action, params }, mayOverride) => {
      fc.pre(action.type === "split" || action.type === "duplicate");
      const evaluations = evaluateOne(orders, action.type, params, anEnv({ mayOverride }));
      const all = [...orders, ...evaluations.flatMap(({ created }) => created)];
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
      for (const { before, order, created } of evaluations) {
        expect(order.childCount).toBe(before.childCount + created.length);
        for (const child of created) {
          expect(child).toMatchObject({ parentOrderId: before.id, version: 1, mergedIntoId: null, externalId: null });
          expect(child.lines.every(({ shippedQuantity }) => shippedQuantity === 0)).toBe(true);
        }
      }
    }),
  );
});
