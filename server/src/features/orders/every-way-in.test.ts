import { beforeAll, describe, expect, test } from "vitest";
import { orderLimits } from "../../core/order-limits.ts";
import { systemContext } from "../../context.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import type { Order } from "./order.ts";
import { moveProblem } from "./order-rules.ts";
import { upsertPulledOrders } from "./orders.ts";
import type { OrderStatus } from "./orders.states.ts";
import { orderStatuses } from "./orders.states.ts";
import { sourceVerdict } from "./source-rules.ts";

/** Every way to move an order, tried with every move from every state: what one refuses all refuse, with the same code. */

const hub = await startTestHub();
let org: TestOrg;
let bridgeId: string;
let accountId: string;

beforeAll(async () => {
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  accountId = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;
});

const situations = ["plain", "held", "partly shipped"] as const;
type Situation = (typeof situations)[number];

async function run(ids: string[], type: string, params: object = {}) {
  const { body } = await org.post("/operations/run", { order_ids: ids, actions: [{ type, params }] });
  return new Map<string, Step>(
    body.results.map((one: { order_id: string; steps: Step[] }) => [one.order_id, one.steps[0]!]),
  );
}
type Step = { status: string; error?: { code: string } };

let batches = 0;

/** So many orders in each state, as the hub answers them. */
async function make(situation: Situation, copies: number, more: (n: number) => object = () => ({})): Promise<Order[]> {
  const tag = `batch-${++batches}`;
  const count = copies * orderStatuses.length;
  const orders = Array.from({ length: count }, (_, n) => ({
    status: "ready",
    tags: [tag],
    lines: [{ id: "a", sku: "MUG", quantity: 2 }],
    ...more(n),
  }));
  const { results } = (await org.post("/orders/bulk", { orders })).body;
  const ids: string[] = results.map(({ id }: { id: string }) => id);
  if (situation === "held") await run(ids, "hold");
  if (situation === "partly shipped") {
    await run(ids, "mark_shipped", { line_items: [{ id: "a", quantity: 1 }] });
  }
  for (const [i, status] of orderStatuses.entries()) {
    await run(ids.slice(i * copies, (i + 1) * copies), "set_status", { status, force: true });
  }
  const pages = Math.ceil(count / 100);
  const listed: Order[] = [];
  for (let page = 1; page <= pages; page++) {
    listed.push(...(await org.get(`/orders?tag=${tag}&limit=100&page=${page}`)).body.data);
  }
  const byId = new Map(listed.map((order) => [order.id, order]));
  const made = ids.map((id) => byId.get(id)!);
  expect(made.map(({ status }) => status)).toEqual(orderStatuses.flatMap((status) => Array(copies).fill(status)));
  return made;
}

const statusOf = async (id: string): Promise<OrderStatus> => (await org.get(`/orders/${id}`)).body.status;

/** "done", or the code with which it was refused. */
const verdictOf = (step: Step | undefined): string =>
  step?.status === "applied" || step?.status === "no_change" ? "done" : (step?.error?.code ?? "none");
const expected = (order: Order, to: OrderStatus, ignoresHolds = false): string =>
  moveProblem(order, to, { ignoresHolds })?.code ?? "done";

describe.each(situations)("an order with status %s", (situation) => {
  test("has the same transitions by patch and by set_status", async () => {
    const targets = orderStatuses.length;
    const [patched, set] = [await make(situation, targets), await make(situation, targets)];
    const found: string[][] = [];
    const wanted: string[][] = [];
    for (const [t, to] of orderStatuses.entries()) {
      const pick = (list: Order[]): Order[] => list.filter((_, n) => n % targets === t);
      const ids = pick(set).map(({ id }) => id);
      const steps = await run(ids, "set_status", { status: to });
      for (const [i, order] of pick(patched).entries()) {
        const { status, body } = await org.patch(`/orders/${order.id}`, { status: to });
        const name = `${order.status} to ${to}`;
        const verdict = status === 200 ? "done" : body.errors[0].code;
        found.push([name, verdict, verdictOf(steps.get(ids[i]!))]);
        wanted.push([name, expected(order, to), expected(order, to)]);
        expect(await statusOf(order.id)).toBe(verdict === "done" ? to : order.status);
      }
    }
    expect(found).toEqual(wanted);
    expect(new Set(wanted.map(([, verdict]) => verdict))).toContain("invalid_state");
  });

  const ofOne: [type: string, params: object, from: readonly OrderStatus[], to: OrderStatus][] = [
    ["cancel", { reason: "staff" }, orderStatuses, "cancelled"],
    ["require_review", {}, orderStatuses, "review_required"],
    // Whatever is shipped by now, more may be.
    ["mark_shipped", {}, orderStatuses.filter((status) => status !== "shipped"), "shipped"],
    ["approve", {}, ["review_required"], "ready"],
    ["restore", {}, ["cancelled"], "ready"],
    ["mark_paid", {}, ["awaiting_payment"], "ready"],
  ];

  test.each(ofOne)("has the same transitions by %s as by patch", async (type, params, from, to) => {
    const orders = (await make(situation, 1)).filter(({ status }) => from.includes(status));
    const steps = await run(
      orders.map(({ id }) => id),
      type,
      params,
    );
    expect(orders.map(({ id, status }) => [status, verdictOf(steps.get(id))])).toEqual(
      orders.map((order) => [order.status, expected(order, to)]),
    );
  });

  test("gets a label if and only if it may be shipped", async () => {
    const orders = (await make(situation, 1)).filter(({ status }) => status !== "shipped");
    const found = orders.map(async ({ id, status }) => {
      const { body } = await org.post("/shipments/labels", { carrierAccountId: accountId, service: "X", orderId: id });
      // Nothing else about the parcel is said: that is refused later.
      return [status, body.code === "validation_failed" ? "done" : body.errors[0].code];
    });
    expect(await Promise.all(found)).toEqual(orders.map((order) => [order.status, expected(order, "shipped")]));
  });

  test("becomes delivered when all parcels have arrived, if its status allows it, even on hold", async () => {
    const orders = await make(situation, 1);
    const numbers: string[] = [];
    const named = (id: string) => ({ trackingNumber: numbers[numbers.push(`1Z${id}`) - 1]!, carrier: "ups" });
    for (const { id, shipments } of orders) {
      // What it lists has to arrive as well.
      for (const listed of shipments) await org.patch(`/shipments/${listed.id}`, named(listed.id));
      await org.post("/shipments", { orderId: id, ...named(id) });
    }
    const events = numbers.map((trackingNumber) => ({ trackingNumber, carrier: "ups", ...arrived }));
    expect((await org.post("/shipments/events", { events })).status).toBe(200);
    const found = await Promise.all(orders.map(({ id }) => statusOf(id)));
    expect(found).toEqual(
      orders.map((order) => (expected(order, "delivered", true) === "done" ? "delivered" : order.status)),
    );
  });

  test("follows its source according to the source rules and transitions", async () => {
    const targets = orderStatuses.length;
    let external = 0;
    const tag = `source-${situation}`;
    const orders = await make(situation, targets, () => ({ bridgeId, externalId: `${tag}-${external++}` }));
    const items = orders.map(({ externalId }, n) => ({
      externalId: externalId!,
      updatedAt: "2026-03-01T08:00:00Z",
      body: { status: orderStatuses[n % targets]! },
    }));
    const ctx = systemContext(hub.world, org.id, "bridge Shop");
    const { failures } = await hub.world.db.transaction((tx) => upsertPulledOrders(tx, ctx, bridgeId, items));
    expect(failures).toEqual([]);
    const found: unknown[] = [];
    const wanted: unknown[] = [];
    for (const [n, order] of orders.entries()) {
      const said = orderStatuses[n % targets]!;
      const { status, holds } = (await org.get(`/orders/${order.id}`)).body;
      const isHeld = holds.some(({ reason }: { reason: string }) => reason === "source_conflict");
      found.push([order.status, said, status, isHeld]);
      wanted.push([order.status, said, ...afterWord(order, said)]);
    }
    expect(found).toEqual(wanted);
  });
});

test("the limit of lines applies to every way of adding them", async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => ({ sku: `S-${i}`, quantity: 1 }));
  const max = orderLimits.lines;
  const { status, body: order } = await org.post("/orders", { lines: lines(max) });
  expect([status, order.lines.length]).toEqual([201, max]);
  expect((await org.patch(`/orders/${order.id}`, { lines: lines(max) })).status).toBe(200);
  for (const { body } of [
    await org.post("/orders", { lines: lines(max + 1) }),
    await org.patch(`/orders/${order.id}`, { lines: lines(max + 1) }),
  ]) {
    expect(body.errors).toMatchObject([{ pointer: "/lines", code: "maxItems" }]);
  }
  const ctx = systemContext(hub.world, org.id, "bridge Shop");
  const items = [max, max + 1].map((count) => ({
    externalId: `l-${count}`,
    updatedAt: undefined,
    body: { lines: lines(count) },
  }));
  const { counts } = await hub.world.db.transaction((tx) => upsertPulledOrders(tx, ctx, bridgeId, items));
  expect(counts).toMatchObject({ created: 1, failed: 1 });
  const customer = { email: "ada@example.com" };
  const two = [max / 2, max / 2 + 1].map((count) => ({ status: "ready", customer, lines: lines(count) }));
  const { results } = (await org.post("/orders/bulk", { orders: two })).body;
  const steps = await run(
    results.map(({ id }: { id: string }) => id),
    "merge",
  );
  expect([...steps.values()].map((step) => step.error?.code)).toEqual(["too_large", "too_large"]);
});

const arrived = { status: "delivered", at: "2026-03-02T10:00:00Z" };

/** The status of an order after the first such report of its source, and whether a user has to decide. */
function afterWord(order: Order, said: OrderStatus): [OrderStatus, boolean] {
  const isOnward = orderStatuses.indexOf(said) > orderStatuses.indexOf(order.status);
  const can = expected(order, said) === "done";
  switch (said) {
    case "cancelled": {
      const verdict = sourceVerdict(order.status, "cancelled");
      if (verdict === "apply" && can) return ["cancelled", false];
      return [order.status, verdict !== "keep"];
    }
    case "partially_shipped":
    case "shipped":
    case "delivered": {
      // Shipped goods are shipped, whatever the order was waiting for; only a hold of a user prevents the change.
      const mayFollow = order.status !== "cancelled" && isOnward && order.holds.length === 0;
      return [mayFollow ? said : order.status, false];
    }
    default: {
      const isPaid = order.status === "awaiting_payment" && ["new", "review_required", "ready"].includes(said);
      if (isPaid) return [said, false];
      return [isOnward && can ? said : order.status, false];
    }
  }
}
