import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();

test("10,000 orders are created by one call and one insert, and its events name each of them once", async () => {
  const org = await hub.org();
  const orders = Array.from({ length: 10_000 }, (_, i) => ({
    ...(i % 2 === 0 ? { number: `B-${i}` } : {}),
    tags: [`t${i % 10}`],
    customer: { name: `Customer ${i}` },
    lines: [{ sku: `SKU-${i % 100}`, quantity: 1 + (i % 3) }],
  }));
  const answer = await org.post("/orders/bulk", { orders });
  expect(answer.status).toBe(200);
  expect(answer.body.summary).toEqual({ total: 10_000, created: 10_000, failed: 0 });
  expect(answer.body.results[4]).toEqual({ index: 4, id: expect.any(String), number: "B-4", status: "created" });
  expect(answer.body.results[9_999].number).toBe("ORD-6000");
  expect((await org.get(`/orders/${answer.body.results[7].id}`)).body).toMatchObject({
    customer: { name: "Customer 7" },
  });
  expect((await org.get("/orders/counts")).body).toMatchObject({ new: 10_000, total: 10_000 });
  expect((await org.get("/orders?tag=t3")).body.pagination).toMatchObject({ total: 1_000, totalIsCapped: false });
  const { data } = (await org.get("/audit?type=orders.created&limit=100")).body;
  expect(data).toHaveLength(50);
  expect(new Set(data.map(({ objectId }: { objectId: string }) => objectId)).size).toBe(1);
  expect(data[0].data).toMatchObject({ count: 200, source: "bulk" });
  expect(data[0].data.sampleIds).toHaveLength(100);
  type Item = { id: string; number: string; version: number };
  const named = data.toReversed().flatMap((entry: { data: { items: Item[] } }) => entry.data.items);
  const made: Item[] = answer.body.results.map(({ id, number }: Item) => ({ id, number, version: 1 }));
  expect(named).toEqual(made);
  expect((await org.get("/audit?type=order.created")).body.pagination.total).toBe(0);
});

test("an invalid row fails alone, with a pointer to every mistake", async () => {
  const org = await hub.org();
  const location = (await org.post("/locations", { name: "L" })).body.id;
  await org.post("/orders", { number: "TAKEN" });
  const { status, body } = await org.post("/orders/bulk", {
    orders: [
      { number: "A", locationId: location },
      { total: "12", lines: [{ quantity: 1 }] },
      "not an order",
      { number: "A" },
      { number: "TAKEN" },
      { locationId: randomUUID() },
      { assigneeId: randomUUID(), bridgeId: randomUUID() },
      { total: 1.001, nmber: "x" },
      {},
      null,
    ],
  });
  expect(status).toBe(200);
  expect(body.summary).toEqual({ total: 10, created: 2, failed: 8 });
  const outcome = body.results.map((r: { status: string; error?: { code: string; errors: { pointer: string }[] } }) =>
    r.error ? [r.error.code, ...r.error.errors.map(({ pointer }) => pointer)] : r.status,
  );
  expect(outcome).toEqual([
    "created",
    ["validation_failed", "/orders/1/lines/0/sku", "/orders/1/total"],
    ["validation_failed", "/orders/2"],
    ["order_number_taken", "/orders/3/number"],
    ["order_number_taken", "/orders/4/number"],
    ["location_not_found", "/orders/5/locationId"],
    ["user_not_found", "/orders/6/assigneeId", "/orders/6/bridgeId"],
    ["validation_failed", "/orders/7/nmber"],
    "created",
    ["validation_failed", "/orders/9"],
  ]);
  expect((await org.get("/orders")).body.pagination.total).toBe(3);
});

test("generated numbers avoid the numbers given in the same call", async () => {
  const org = await hub.org();
  const { body } = await org.post("/orders/bulk", { orders: [{}, { number: "ORD-1001" }, {}, { number: "ORD-1003" }] });
  expect(body.results.map(({ number }: { number: string }) => number)).toEqual([
    "ORD-1002",
    "ORD-1001",
    "ORD-1004",
    "ORD-1003",
  ]);
});

test("two concurrent calls with the same numbers create each order once", async () => {
  const org = await hub.org();
  const numbers = Array.from({ length: 200 }, (_, i) => ({ number: `N-${i}` }));
  const answers = await Promise.all([
    org.post("/orders/bulk", { orders: numbers }),
    org.post("/orders/bulk", { orders: numbers.toReversed() }),
    org.post("/orders/bulk", { orders: numbers }),
  ]);
  const created = answers.reduce((sum, { body }) => sum + body.summary.created, 0);
  expect(created).toBe(200);
  expect((await org.get("/orders")).body.pagination.total).toBe(200);
});

test("a call without a list of orders, or with a too long one, is rejected as a whole", async () => {
  const org = await hub.org();
  for (const body of [{}, { orders: [] }, { orders: {} }, { orders: Array.from({ length: 10_001 }, () => ({})) }]) {
    expect((await org.post("/orders/bulk", body)).body.errors[0].pointer).toBe("/orders");
  }
  expect((await org.get("/orders/counts")).body.total).toBe(0);
});

test("the allowed values are listed with the first invalid row only", async () => {
  const org = await hub.org();
  const { body } = await org.post("/orders/bulk", {
    orders: [{ nmber: "a", statu: "new" }, { nmber: "b" }, { priority: "hgh" }, { priority: "lw" }],
  });
  const errors = body.results.map(({ error }: { error: { errors: object[] } }) => error.errors);
  const allowed = expect.arrayContaining(["number"]);
  expect(errors).toMatchObject([
    [
      { pointer: "/orders/0/nmber", suggestion: "number", allowed },
      { pointer: "/orders/0/statu", allowed },
    ],
    [{ pointer: "/orders/1/nmber", suggestion: "number" }],
    [{ suggestion: "high", allowed: expect.any(Array) }],
    [{ suggestion: "low" }],
  ]);
  for (const row of [1, 3]) expect(errors[row][0]).not.toHaveProperty("allowed");
});

test("orders of one call are listed in the order in which they were given", async () => {
  const org = await hub.org();
  const numbers = Array.from({ length: 60 }, (_, n) => `N-${n}`);
  await org.post("/orders/bulk", { orders: numbers.map((number) => ({ number })) });
  const { body } = await org.get("/orders?limit=100&sort=createdAt");
  expect(body.data.map(({ number }: { number: string }) => number)).toEqual(numbers);
});
