import { describe, expect, test } from "vitest";
import type { TestClient } from "../../testing/test-client.ts";
import { recordStatements } from "../../testing/query-plans.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { findSameCustomer, readCustomerFigures, readLatest, readTotals } from "../orders/customers.store.ts";

const hub = await startTestHub({ environment: "preview" });
const org = await hub.org();
const rival = await hub.org();
// A Monday, ten in the morning in Berlin.
hub.world.clock.set({ mode: "frozen", at: "2026-03-02T09:00:00.000Z" });
await org.patch(`/organizations/${org.id}`, { timezone: "Europe/Berlin" });

const anOrder = async (more: object = {}, who: TestClient = org) =>
  (await who.post("/orders", { status: "ready", ...more })).body;
/** The numbers of the orders that meet the condition, by a run that tags them. */
async function meeting(when: object, numbers: string[]): Promise<string[]> {
  const tag = crypto.randomUUID();
  const actions = [{ type: "add_tags", params: { tags: [tag] }, when }];
  const run = await org.post("/operations/run", { order_ids: numbers, actions });
  expect(run.status, run.text).toBe(201);
  const { body } = await org.get(`/orders?tag=${tag}&limit=100`);
  return body.data.map(({ number }: { number: string }) => number).toSorted();
}
const mistakesOf = async (when: object, who: TestClient = org) =>
  (await who.post("/operations/preflight", { order_ids: ["X-1"], actions: [{ type: "approve", when }] })).body.errors;

describe("working days of the organization", () => {
  test("they are Monday to Friday without holidays unless set", async () => {
    const { body } = await org.get(`/organizations/${org.id}`);
    expect(body).toMatchObject({ workingDays: ["mon", "tue", "wed", "thu", "fri"], holidays: [], cutoffTime: null });
  });

  test.each([
    ["/workingDays", { workingDays: [] }],
    ["/workingDays", { workingDays: ["mon", "mon"] }],
    ["/workingDays/0", { workingDays: ["monday"] }],
    ["/holidays/0", { holidays: ["2026-02-30"] }],
    ["/holidays", { holidays: Array.from({ length: 367 }, () => "2026-01-01") }],
    ["/cutoffTime", { cutoffTime: "24:00" }],
    ["/cutoffTime", { cutoffTime: "9:00" }],
  ])("a mistake at %s is refused", async (pointer, patch) => {
    const { status, body } = await org.patch(`/organizations/${org.id}`, patch);
    expect(status).toBe(400);
    expect(body.errors[0].pointer).toBe(pointer);
  });

  test("a condition counts them by the clock of the hub, and follows a change of the calendar", async () => {
    await anOrder({ number: "W-1", orderedAt: "2026-02-26T08:59:00Z" });
    await anOrder({ number: "W-2", orderedAt: "2026-02-26T09:01:00Z" });
    const older = { path: "orderedAt", op: "lt", value: { now: "-2 working days" } };
    const numbers = ["W-1", "W-2"];
    expect(await meeting(older, numbers)).toEqual(["W-1"]);
    await org.patch(`/organizations/${org.id}`, { holidays: ["2026-02-27"], cutoffTime: "14:00" });
    expect(await meeting(older, numbers)).toEqual([]);
    await org.patch(`/organizations/${org.id}`, {
      holidays: [],
      workingDays: ["mon", "tue", "wed", "thu", "fri", "sat"],
    });
    expect(await meeting(older, numbers)).toEqual(numbers);
    await org.patch(`/organizations/${org.id}`, { workingDays: ["mon", "tue", "wed", "thu", "fri"], cutoffTime: null });
    hub.world.clock.set({ mode: "frozen", at: "2026-03-02T09:02:00.000Z" });
    expect(await meeting(older, numbers)).toEqual(numbers);
    hub.world.clock.set({ mode: "frozen", at: "2026-03-02T09:00:00.000Z" });
  });
});

test("two fields are compared, and orders without one of them differ", async () => {
  const to = (countryCode: string) => ({ countryCode });
  await anOrder({ number: "F-1", total: 600, shippingAddress: to("DE"), billingAddress: to("DE") });
  await anOrder({ number: "F-2", total: 600, shippingAddress: to("DE"), billingAddress: to("US") });
  await anOrder({ number: "F-3", total: 400, shippingAddress: to("DE"), billingAddress: to("US") });
  await anOrder({ number: "F-4", total: 600, shippingAddress: to("DE") });
  await anOrder({ number: "F-5", total: 600 });
  const when = {
    all: [
      { path: "total", op: "gt", value: 500 },
      { path: "shippingAddress.countryCode", op: "ne", value: { path: "billingAddress.countryCode" } },
    ],
  };
  expect(await meeting(when, ["F-1", "F-2", "F-3", "F-4", "F-5"])).toEqual(["F-2", "F-4"]);
});

test("conditions on lines, and the action assert with one", async () => {
  const lines = (...quantities: number[]) => quantities.map((quantity, i) => ({ sku: `MUG-${i}`, quantity }));
  await anOrder({ number: "L-1", lines: lines(1, 2, 3) });
  await anOrder({ number: "L-2", lines: lines(9) });
  await anOrder({ number: "L-3" });
  const numbers = ["L-1", "L-2", "L-3"];
  expect(await meeting({ count: "lines", op: "gte", value: 2 }, numbers)).toEqual(["L-1"]);
  expect(await meeting({ sum: "lines.quantity", op: "gt", value: 6 }, numbers)).toEqual(["L-2"]);
  const many = { path: "quantity", op: "gt", value: 1 };
  expect(await meeting({ any_of: "lines", where: many }, numbers)).toEqual(["L-1", "L-2"]);
  expect(await meeting({ all_of: "lines", where: many }, numbers)).toEqual(["L-2"]);
  expect(
    await meeting({ any_of: "lines", where: { path: "sku", op: "matches", value: "^mug-[12]$" } }, numbers),
  ).toEqual(["L-1"]);
  const actions = [{ type: "assert", params: { when: { count: "lines", op: "eq", value: 1 } } }];
  const report = (await org.post("/operations/preflight", { order_ids: numbers, actions })).body;
  expect(report.orders.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["blocked", "blocked", "no_change"]);
});

describe("figures of customers", () => {
  const mail = "Ada.Figures@example.com";
  const day = (n: number) => `2026-01-0${n}T10:00:00Z`;
  const numbers = ["C-1", "C-2", "C-3", "C-4", "C-5"];

  test("count and sum up the orders of a customer up to each of them, in conditions and templates", async () => {
    const customer = { email: mail };
    await anOrder({ number: "C-1", customer, total: 10, paymentStatus: "paid", orderedAt: day(1) });
    await anOrder({
      number: "C-2",
      customer,
      total: 20,
      paymentStatus: "paid",
      orderedAt: day(2),
      status: "cancelled",
    });
    await anOrder({
      number: "C-3",
      customer: { email: ` ${mail.toLowerCase()}`.trim() },
      total: 30,
      orderedAt: day(3),
    });
    await anOrder({
      number: "C-4",
      customer,
      total: 45.5,
      amounts: { refunded: 5 },
      paymentStatus: "paid",
      orderedAt: day(4),
    });
    await anOrder({ number: "C-5", customer, total: 5, currency: "EUR", paymentStatus: "paid", orderedAt: day(5) });
    await anOrder({ number: "C-9", customer, total: 999, paymentStatus: "paid", orderedAt: day(1) }, rival);
    await anOrder({ number: "C-6", total: 7 });
    const third = { path: "customer.orderCount", op: "eq", value: 3 };
    expect(await meeting(third, [...numbers, "C-6"])).toEqual(["C-4"]);
    expect(await meeting({ path: "customer.totalSpent", op: "gte", value: 50 }, numbers)).toEqual(["C-4"]);
    expect(await meeting({ path: "customer.orderCount", op: "empty" }, [...numbers, "C-6"])).toEqual(["C-6"]);
    const params = { text: "Order {{customer.orderCount}}, {{customer.totalSpent}} {{currency}}, \\{{raw}}" };
    await org.post("/operations/run", { order_ids: numbers, actions: [{ type: "add_note", params }] });
    const texts = await Promise.all(
      numbers.map(async (number) => (await org.get(`/orders/${number}`)).body.notes[0].text),
    );
    expect(texts).toEqual([
      "Order 1, 10 USD, {{raw}}",
      "Order 2, 10 USD, {{raw}}",
      "Order 2, 10 USD, {{raw}}",
      "Order 3, 50.5 USD, {{raw}}",
      "Order 4, 5 EUR, {{raw}}",
    ]);
  });

  test("orders without an e-mail address have the customer of their bridge", async () => {
    const [shop, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const put = async (number: string, bridgeId: string, email?: string) => {
      await anOrder({ number, customer: { id: "77", ...(email === undefined ? {} : { email }) } });
      // As if a bridge had brought it.
      const { db } = hub.world;
      await db.acrossOrgs.query("update orders set bridge_id = $2 where number = $1", [number, bridgeId]);
    };
    await put("B-1", shop);
    await put("B-2", shop);
    await put("B-3", other);
    await put("B-4", shop, "with@example.com");
    const counts = await Promise.all(
      ["B-1", "B-3", "B-4"].map(async (number) => (await org.get(`/orders/${number}/customer`)).body.orderCount),
    );
    expect(counts).toEqual([2, 1, 1]);
  });

  test("orders that were split off another one are not counted, but their money is", async () => {
    const customer = { email: "split@example.com" };
    const lines = [
      { id: "a", sku: "A", quantity: 1, price: 5 },
      { id: "b", sku: "B", quantity: 1, price: 6 },
    ];
    await anOrder({ number: "S-1", customer, lines, total: 11, paymentStatus: "paid", orderedAt: day(1) });
    const params = { by: "items", line_items: [{ id: "b", quantity: 1 }] };
    const split = await org.post("/operations/run", { order_ids: ["S-1"], actions: [{ type: "split", params }] });
    expect(split.body.summary, split.text).toMatchObject({ succeeded: 1 });
    await anOrder({ number: "S-2", customer, total: 1, paymentStatus: "paid", orderedAt: day(2) });
    const { body } = await org.get("/orders/S-2/customer");
    expect(body).toMatchObject({ orderCount: 2, totalSpent: [{ currency: "USD", amount: 12 }] });
    expect(await meeting({ path: "customer.orderCount", op: "eq", value: 1 }, ["S-1", "S-1-1", "S-2"])).toEqual([
      "S-1",
      "S-1-1",
    ]);
    expect(await meeting({ path: "customer.orderCount", op: "eq", value: 2 }, ["S-1", "S-1-1", "S-2"])).toEqual([
      "S-2",
    ]);
  });

  test.each([
    { shop: "a total after refunds, as of Shopify", total: 24, amounts: { paid: 36, refunded: 12 }, spent: 24 },
    { shop: "a total before refunds, as of WooCommerce", total: 36, amounts: { paid: 36, refunded: 12 }, spent: 24 },
    { shop: "a total alone, as in files", total: 36, amounts: { refunded: 12 }, spent: 24 },
    { shop: "less paid than the total", total: 36, amounts: { paid: 10 }, spent: 10 },
    { shop: "more paid than the total, after a split", total: 20, amounts: { paid: 36 }, spent: 20 },
  ])("refunds are subtracted once: $shop", async ({ total, amounts, spent }) => {
    const number = `R-${crypto.randomUUID()}`;
    const customer = { email: `${number}@example.com` };
    await anOrder({ number, customer, total, amounts, paymentStatus: "partially_refunded" });
    const { body } = await org.get(`/orders/${number}/customer`);
    expect(body).toMatchObject({ totalSpent: [{ currency: "USD", amount: spent }] });
    expect(await meeting({ path: "customer.totalSpent", op: "eq", value: spent }, [number])).toEqual([number]);
  });

  test("the customer of an order is answered with all figures and the latest orders", async () => {
    const { status, body } = await org.get("/orders/C-1/customer");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      orderCount: 4,
      totalSpent: [
        { currency: "EUR", amount: 5 },
        { currency: "USD", amount: 50.5 },
      ],
      firstOrderAt: "2026-01-01T10:00:00.000Z",
      lastOrderAt: "2026-01-05T10:00:00.000Z",
    });
    expect(body.orders.map(({ number }: { number: string }) => number)).toEqual(numbers.toReversed());
    expect((await org.get("/orders/C-6/customer")).body).toMatchObject({ orderCount: 1, orders: [{ number: "C-6" }] });
    expect((await rival.get("/orders/C-9/customer")).body).toMatchObject({
      orderCount: 1,
      orders: [{ number: "C-9" }],
    });
    expect((await rival.get("/orders/C-1/customer")).status).toBe(404);
    expect((await org.get("/orders/nothing/customer")).status).toBe(404);
  });

  test("they are read through the index of customers, with row-level security", async () => {
    const db = hub.world.db.forOrg(org.id);
    const { id } = (await org.get("/orders/C-1")).body;
    const statements = await recordStatements(db, async (own) => {
      await readCustomerFigures(own, org.id, [id]);
      const same = await findSameCustomer(own, org.id, id);
      await readTotals(own, org.id, same);
      await readLatest(own, org.id, same);
    });
    const reading = statements.filter(({ text }) => !text.includes("as key"));
    expect(reading).toHaveLength(3);
    for (const { text, values } of reading) {
      const plan = await db.transaction(
        async (tx) => await tx.query<{ "QUERY PLAN": string }>(`explain ${text}`, values),
        "set local enable_seqscan = off",
      );
      expect(plan.map((line) => line["QUERY PLAN"]).join("\n")).toMatch(/Index Cond: .*customer_key = /);
    }
  });

  test("a patch of the e-mail address moves the order to another customer", async () => {
    await org.patch("/orders/C-6", { customer: { email: mail } });
    expect((await org.get("/orders/C-6/customer")).body.orderCount).toBe(5);
    await org.patch("/orders/C-6", { customer: { email: "other@example.com" } });
    expect((await org.get("/orders/C-1/customer")).body.orderCount).toBe(4);
  });

  test("without pii:read they could confirm a guessed address, and are refused", async () => {
    const clerk = await org.withScopes(["orders:read", "orders:write", "operations:read", "operations:run"]);
    const refused = await clerk.get("/orders/C-1/customer");
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: "insufficient_scope", required: ["pii:read"] });
    expect(await mistakesOf({ path: "customer.orderCount", op: "gt", value: 1 }, clerk)).toMatchObject([
      { pointer: "/actions/0/when/path", code: "pii_scope_required" },
    ]);
    expect(await mistakesOf({ path: "total", op: "lt", value: { path: "customer.totalSpent" } }, clerk)).toMatchObject([
      { pointer: "/actions/0/when/value/path", code: "pii_scope_required" },
    ]);
    expect(await mistakesOf({ path: "number", op: "eq", value: { path: "customer.email" } }, clerk)).toMatchObject([
      { pointer: "/actions/0/when/value/path", code: "pii_scope_required" },
    ]);
  });
});

describe("an explanation", () => {
  const explain = async (when: object, who: TestClient = org) =>
    await who.post("/operations/explain", { order_id: "E-1", when });
  const textsOf = async (when: object): Promise<string[]> =>
    (await explain(when)).body.parts.map(
      ({ depth, text }: { depth: number; text: string }) => "  ".repeat(depth) + text,
    );

  test("says of each part whether it is met and what was found", async () => {
    await anOrder({
      number: "E-1",
      total: 80,
      orderedAt: "2026-02-26T08:59:00Z",
      tags: ["gift", "vip"],
      customer: { email: "explained@example.com" },
      shippingAddress: { countryCode: "DE" },
      billingAddress: { countryCode: "US" },
      lines: [
        { sku: "MUG", quantity: 2 },
        { sku: "BULKY", quantity: 1 },
      ],
    });
    const when = {
      all: [
        { path: "shippingAddress.countryCode", op: "eq", value: "US" },
        { path: "shippingAddress.countryCode", op: "ne", value: { path: "billingAddress.countryCode" } },
        { not: { path: "total", op: "gte", value: 100 } },
        {
          any: [
            { path: "orderedAt", op: "lt", value: { now: "-2 working days" } },
            { path: "customer.phone", op: "empty" },
          ],
        },
        { any_of: "lines", where: { path: "sku", op: "starts_with", value: "bulky" } },
        { count: "lines", op: "gte", value: 3 },
        { path: "customer.orderCount", op: "eq", value: 1 },
        { path: "tags", op: "has_tag", value: "rush" },
        { path: "channel", op: "in", value: ["web", "shop"] },
      ],
    };
    const { status, body } = await explain(when);
    expect(status).toBe(200);
    expect(body).toMatchObject({ order_number: "E-1", met: false });
    expect(body.parts[1]).toEqual({
      pointer: "/when/all/0",
      depth: 1,
      text: "Country code of the shipping address is not US: it is DE.",
      met: false,
      found: ["DE"],
    });
    expect(await textsOf(when)).toEqual([
      "5 of 9 conditions are met; all are required.",
      "  Country code of the shipping address is not US: it is DE.",
      "  Country code of the shipping address is not the country code of the billing address (US): it is DE.",
      "  The condition below is not met, as required.",
      "    Total is not at least 100: it is 80.",
      "  2 of 2 conditions are met; one is required.",
      "    Ordered at is before 2 working days ago (2026-02-26 10:00): it is 2026-02-26 09:59.",
      "    Phone of the customer is empty.",
      "  1 of 2 lines meet the condition; one is required.",
      "    Number 1 of the lines (MUG) does not meet the condition.",
      "      SKU does not start with bulky: it is MUG.",
      "    Number 2 of the lines (BULKY) meets the condition.",
      "      SKU starts with bulky: it is BULKY.",
      "  The number of lines is not at least 3: it is 2.",
      "  Order count of the customer is 1.",
      "  Tags do not include rush: its values are gift and vip.",
      "  Channel is none of web and shop: it is empty.",
    ]);
  });

  test("agrees with the condition, whatever the form", async () => {
    for (const [when, met] of [
      [{ path: "total", op: "ne", value: 80 }, false],
      [{ path: "total", op: "between", value: [{ path: "lines.quantity" }, 90] }, undefined],
      [{ path: "total", op: "between", value: [70, { path: "total", plus: 5 }] }, true],
      [{ sum: "lines.quantity", where: { path: "sku", op: "eq", value: "MUG" }, op: "eq", value: 2 }, true],
      [{ all_of: "lines", where: { path: "quantity", op: "gt", value: 1 } }, false],
      [{ path: "number", op: "not_empty" }, true],
      [{ path: "number", op: "matches", value: "^E" }, true],
    ] as const) {
      const { status, body } = await explain(when);
      if (met === undefined) expect(status).toBe(400);
      else expect([when, body.met, body.parts[0].met]).toEqual([when, met, met]);
    }
  });

  test("of large lists is cut", async () => {
    const properties = Array.from({ length: 20 }, (_, i) => ({ name: `p${i}`, value: "x" }));
    const lines = Array.from({ length: 150 }, (_, i) => ({ sku: `A${i}`, quantity: 1, properties }));
    await anOrder({ number: "E-2", lines });
    const inner = { any_of: "properties", where: { path: "name", op: "matches", value: "^q" } };
    const when = {
      all: [
        { path: "lines.sku", op: "eq", value: "A3" },
        { any_of: "lines", where: inner },
      ],
    };
    const { body } = await org.post("/operations/explain", { order_id: "E-2", when });
    expect(body.parts[1].found).toHaveLength(100);
    expect(body.parts[2].text).toMatch(
      /^0 of 150 lines meet the condition; one is required\. \d+ of them are explained\.$/,
    );
    expect(body.parts.length).toBeLessThan(600);
  });

  test("mistakes, personal data and foreign orders are refused", async () => {
    expect((await explain({ path: "totl", op: "gt", value: 1 })).body.errors).toMatchObject([
      { pointer: "/when/path", code: "unknown_field", suggestion: "total" },
    ]);
    const clerk = await org.withScopes(["operations:read"]);
    expect((await explain({ path: "customer.name", op: "eq", value: "x" }, clerk)).body.errors).toMatchObject([
      { code: "pii_scope_required" },
    ]);
    expect((await explain({ path: "total", op: "gt", value: 1 }, rival)).status).toBe(404);
  });
});

test("the list of fields has the new fields, operators and lists", async () => {
  const { body } = await org.get("/operations/condition-fields");
  const paths = body.data.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(expect.arrayContaining(["customer.orderCount", "customer.totalSpent"]));
  expect(body.operators).toContain("matches");
  expect(body.lists).toEqual(
    expect.arrayContaining(["lines", "lines.options", "notes", "shipments", "packages", "tags", "amounts.discounts"]),
  );
});
