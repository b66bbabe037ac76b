import fc from "fast-check";
import { expect, test } from "vitest";
import { toGrams } from "../../core/weight.ts";
import type { Order, OrderLine } from "../orders/order.ts";
import { evaluateOne, now } from "../../testing/an-evaluation.ts";
import { aHold, aLine, anOrder } from "../../testing/an-order.ts";

const linesOf = fc
  .array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 40 }),
      grams: fc.integer({ min: 0, max: 900 }),
      cents: fc.integer({ min: 0, max: 90_000 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((lines) =>
    lines.map(({ quantity, grams, cents }, i) =>
      aLine({ id: `line-${i}`, sku: `S${i}`, quantity, price: cents / 100, weight: { value: grams, unit: "g" } }),
    ),
  );

function quantities(orders: Order[]): Record<string, number> {
  const bySku: Record<string, number> = {};
  for (const { sku, quantity } of orders.flatMap(({ lines }) => lines)) bySku[sku] = (bySku[sku] ?? 0) + quantity;
  return bySku;
}

const idsOf = (lines: OrderLine[]): string[] => lines.map(({ id }) => id);
const gramsOf = (lines: OrderLine[]): number => lines.reduce((sum, l) => sum + toGrams(l.weight!) * l.quantity, 0);
const centsOf = (lines: OrderLine[]): number =>
  lines.reduce((sum, l) => sum + Math.round(l.price! * 100) * l.quantity, 0);

const wayToSplit = fc.oneof(
  fc.record({
    by: fc.constant("items"),
    line_items: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 0, max: 7 }).map((i) => `line-${i}`),
        quantity: fc.integer({ min: 1, max: 40 }),
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 4 },
    ),
  }),
  fc.record({
    by: fc.constant("weight"),
    max_weight: fc.record({ value: fc.integer({ min: 500, max: 9000 }), unit: fc.constant("g") }),
  }),
  fc.record({ by: fc.constant("value"), max_value: fc.integer({ min: 500, max: 9000 }) }),
) as fc.Arbitrary<{ by: string; max_weight?: { value: number }; max_value?: number }>;

test("a split keeps all quantities, and every part stays within the limit", () => {
  fc.assert(
    fc.property(linesOf, wayToSplit, (lines, params) => {
      const order = anOrder({ lines, total: centsOf(lines) / 100 });
      const [evaluation] = evaluateOne([order], "split", params);
      const parts = [evaluation!.order, ...evaluation!.created];
      expect(quantities(parts)).toEqual(quantities([order]));
      if (parts.length === 1) return;
      expect(parts.every((part) => part.lines.some(({ quantity }) => quantity > 0))).toBe(true);
      expect(Math.round(parts.reduce((sum, part) => sum + part.total! * 100, 0))).toBe(Math.round(order.total! * 100));
      const ids = idsOf(parts.flatMap((part) => part.lines));
      expect(new Set(ids).size).toBe(ids.length);
      for (const part of parts) {
        if (params.max_weight) expect(gramsOf(part.lines)).toBeLessThanOrEqual(params.max_weight.value);
        if (params.max_value) expect(centsOf(part.lines)).toBeLessThanOrEqual(params.max_value * 100);
      }
    }),
  );
});

test("a split of a million units does not take a million steps", () => {
  const order = anOrder({ lines: [aLine({ quantity: 1_000_000, weight: { value: 1, unit: "oz" } })] });
  const [evaluation] = evaluateOne([order], "split", { by: "weight", max_weight: { value: 2000, unit: "lb" } });
  expect(evaluation!.created).toHaveLength(31);
  expect(quantities([evaluation!.order, ...evaluation!.created])).toEqual({ A: 1_000_000 });
});

test("the parts of a split are separate orders with the same destination", () => {
  const order = anOrder({ childCount: 2, holds: [aHold()], tags: ["vip"], shipBy: now, customFields: { a: 1 } });
  const [evaluation] = evaluateOne([order], "split", { by: "value", max_value: 40 });
  expect(evaluation!.order.childCount).toBe(4);
  expect(evaluation!.created.map(({ number }) => number)).toEqual(["SO-1001-3", "SO-1001-4"]);
  const [child] = evaluation!.created;
  const { status, customer, shippingAddress, channel, currency, tags, shipBy, shipping, customFields } = order;
  expect(child).toMatchObject({ status, customer, shippingAddress, channel, currency, tags, shipBy, shipping });
  expect(child).toMatchObject({ customFields, parentOrderId: order.id, externalId: null, version: 1, createdAt: now });
  expect(child).toMatchObject({ total: 25, notes: [], shipments: [], childCount: 0, holds: [{ handle: "operator" }] });
  expect(child!.holds[0]!.id).not.toBe(order.holds[0]!.id);
});

test("without prices the total stays with the order, and it never becomes negative", () => {
  const params = { by: "items", line_items: [{ id: "line-b", quantity: 2 }] };
  const unpriced = anOrder({ lines: anOrder().lines.map(({ id, sku, quantity }) => aLine({ id, sku, quantity })) });
  const [without] = evaluateOne([unpriced], "split", params);
  expect([without!.order.total, without!.created[0]!.total]).toEqual([80, null]);
  const [discounted] = evaluateOne([anOrder({ total: 40 })], "split", params);
  expect([discounted!.order.total, discounted!.created[0]!.total]).toEqual([0, 50]);
});

const aDay = fc.integer({ min: 1, max: 28 }).map((day) => `2026-02-${String(day).padStart(2, "0")}T00:00:00.000Z`);
const severalOrders = fc
  .array(
    fc.record({
      lines: linesOf,
      email: fc.constantFrom("ada@example.com", "ADA@example.com", "bob@example.com"),
      city: fc.constantFrom("Springfield", " springfield", "Peoria"),
      status: fc.constantFrom<Order["status"]>("ready", "new", "cancelled", "shipped"),
      holds: fc.constantFrom<Order["holds"]>([], [aHold()]),
      orderedAt: aDay,
    }),
    { maxLength: 30 },
  )
  .map((orders) =>
    orders.map(({ email, city, ...rest }, i) =>
      anOrder({
        ...rest,
        id: `order-${String(i).padStart(2, "0")}`,
        number: `SO-${i}`,
        customer: { email },
        shippingAddress: { ...anOrder().shippingAddress, city },
      }),
    ),
  );

test("a merge keeps every line, once, in an order that goes to the same place", () => {
  fc.assert(
    fc.property(severalOrders, fc.constantFrom("oldest", "newest"), (orders, into) => {
      const evaluations = evaluateOne(orders, "merge", { into });
      const after = evaluations.map(({ order }) => order);
      const isOpen = ({ status }: Order): boolean => status !== "cancelled";
      expect(quantities(after.filter(isOpen))).toEqual(quantities(orders.filter(isOpen)));
      for (const { before, order } of evaluations) {
        expect(new Set(idsOf(order.lines)).size).toBe(order.lines.length);
        if (order.mergedIntoId === null) continue;
        const target = evaluations.find((other) => other.order.id === order.mergedIntoId)!;
        expect(isOpen(target.order)).toBe(true);
        expect(target.before.customer.email!.toLowerCase()).toBe(before.customer.email!.toLowerCase());
        expect(target.before.status).toBe(before.status);
        if (into === "oldest") expect(target.before.orderedAt <= before.orderedAt).toBe(true);
        else expect(target.before.orderedAt >= before.orderedAt).toBe(true);
      }
    }),
  );
});

test("more than twenty orders are not merged into one", () => {
  const mergeMany = (count: number) => {
    const orders = Array.from({ length: count }, (_, i) => anOrder({ id: `order-${i}` }));
    return new Set(evaluateOne(orders, "merge", {}).map(({ steps: [step] }) => step!.error?.code ?? step!.status));
  };
  expect(mergeMany(20)).toEqual(new Set(["applied"]));
  expect(mergeMany(21)).toEqual(new Set(["too_large"]));
});

test("shipping requirements are kept when orders are merged", () => {
  const by = aHold().by;
  const note = (id: string, visibility: "gift" | "internal") => ({ id, text: id, visibility, by, at: now });
  const target = anOrder({
    id: "order-1",
    tags: ["a"],
    deliverBy: "2026-03-09T00:00:00.000Z",
    notes: [note("x", "gift")],
  });
  const other = anOrder({
    id: "order-2",
    priority: "urgent",
    tags: ["b", "a"],
    deliverBy: "2026-03-08T00:00:00.000Z",
    total: null,
    notes: [note("y", "gift"), note("z", "internal")],
  });
  const [merged] = evaluateOne([target, other], "merge", {});
  expect(merged!.order).toMatchObject({
    priority: "urgent",
    tags: ["a", "b"],
    deliverBy: other.deliverBy,
    total: null,
  });
  expect(merged!.order.notes.map(({ id }) => id)).toEqual(["x", "y"]);
});

test("orders without a customer, or with different holds or payment, are not merged", () => {
  const order = anOrder({ id: "order-1" });
  const unlike: Partial<Order>[] = [{ holds: [aHold()] }, { paymentStatus: "pending" }, { currency: "EUR" }];
  for (const other of [...unlike, { customer: {} }]) {
    const evaluations = evaluateOne([order, anOrder({ id: "order-2", ...other })], "merge", {});
    expect(evaluations.map(({ steps }) => steps[0]!.warning?.code)).toEqual(["nothing_to_merge", "nothing_to_merge"]);
  }
  const nobody = ["order-1", "order-2"].map((id) => anOrder({ id, customer: {} }));
  expect(evaluateOne(nobody, "merge", {}).every(({ order, before }) => order === before)).toBe(true);
});

test("a repeated merge changes nothing and fails nothing", () => {
  const first = evaluateOne([anOrder({ id: "order-1" }), anOrder({ id: "order-2" })], "merge", {});
  const again = evaluateOne(
    first.map(({ order }) => order),
    "merge",
    {},
  );
  expect(again.map(({ steps }) => steps[0]!.status)).toEqual(["no_change", "no_change"]);
});

test("a duplicate is new, without holds, dates and shipments, and names its original", () => {
  const shipped = anOrder({
    status: "delivered",
    lines: [aLine({ quantity: 2, shippedQuantity: 2, price: 5 })],
    total: 10,
    holds: [aHold()],
    shipBy: now,
    archivedAt: now,
    childCount: 1,
  });
  const made = (params: object) => evaluateOne([shipped], "duplicate", params)[0]!.created[0]!;
  expect(made({})).toMatchObject({
    number: "SO-1001-2",
    status: "new",
    paymentStatus: "pending",
    total: 10,
    holds: [],
    shipments: [],
    shipBy: null,
    archivedAt: null,
    orderedAt: now,
    parentOrderId: shipped.id,
    bridgeId: null,
    externalId: null,
    lines: [{ sku: "A", quantity: 2, shippedQuantity: 0, price: 5 }],
    notes: [{ text: "Copy of SO-1001", visibility: "internal" }],
  });
  expect(made({ purpose: "exchange" })).toMatchObject({ paymentStatus: "paid", total: 10 });
  expect(made({ purpose: "reshipment", zero_price: true })).toMatchObject({
    paymentStatus: "paid",
    total: 0,
    lines: [{ price: 0 }],
    notes: [{ text: "Reshipment of SO-1001" }],
  });
});

test("a duplicate of some lines has their quantities and its own total", () => {
  const params = { purpose: "reshipment", line_items: [{ id: "line-b", quantity: 1 }] };
  const [evaluation] = evaluateOne([anOrder()], "duplicate", params);
  expect(evaluation!.created).toMatchObject([
    { lines: [{ sku: "B", quantity: 1, shippedQuantity: 0 }], total: 25, packages: [] },
  ]);
});
