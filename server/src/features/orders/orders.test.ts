import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { orderMoves, orderStatuses } from "./orders.states.ts";

const hub = await startTestHub();
const org = await hub.org();

const full = {
  number: "SHOP-1",
  status: "ready",
  paymentStatus: "paid",
  priority: "high",
  tags: ["vip", "gift"],
  channel: "web",
  externalId: "ext-1",
  customer: { name: "Ada Byron", email: "ada@example.com", phone: "+1 518 555 0100" },
  shippingAddress: { name: "Ada Byron", address1: "12 Main Street", city: "Albany", zip: "12207", countryCode: "US" },
  billingAddress: { city: "Troy" },
  lines: [
    { id: "line-1", sku: "MUG-01", name: "Mug", quantity: 2, price: 9.5, weight: { value: 350, unit: "g" } },
    { sku: "CAP-02", quantity: 1 },
  ],
  currency: "EUR",
  total: 19.99,
  shipping: { carrier: "UPS", service: "Ground", thirdPartyBilling: { account: "A1", zip: "12207" } },
  packages: [{ weight: { value: 1, unit: "kg" }, dimensions: { length: 1, width: 2, height: 3, unit: "cm" } }],
  notes: [{ text: "Ring twice", visibility: "packing_slip" }],
  customFields: { "erp.batch": "W10", rank: 3, urgent: true },
  orderedAt: "2026-03-01T10:00:00+02:00",
  shipBy: "2026-03-03T16:00:00Z",
};

async function anOrder(more: object = {}) {
  const { body } = await org.post("/orders", more);
  return body;
}

describe("an order", () => {
  test("has one number however its accents are encoded: stored in NFC, unique, and found by either spelling", async () => {
    const fresh = await hub.org();
    const [composed, decomposed] = ["CAF\u00c9-1", "CAFE\u0301-1"];
    const { body: order } = await fresh.post("/orders", { number: decomposed });
    expect(order.number).toBe(composed);
    for (const number of [composed, decomposed]) {
      expect((await fresh.post("/orders", { number })).body).toMatchObject({ code: "order_number_taken" });
      expect((await fresh.get(`/orders/${encodeURIComponent(number)}`)).body.id).toBe(order.id);
    }
    const orders = [{ number: "\u00e9-2" }, { number: "e\u0301-2" }];
    expect((await fresh.post("/orders/bulk", { orders })).body.summary).toMatchObject({ created: 1, failed: 1 });
    const csv = `number,sku,quantity\n\u00e9-3,A,1\ne\u0301-3,B,1\n`;
    expect((await fresh.post("/orders/import", { csv })).body.summary).toMatchObject({ orders: 1, created: 1 });
    const actions = [{ type: "add_tags", params: { tags: ["seen"] } }];
    const { body: run } = await fresh.post("/operations/run", { order_ids: [decomposed, "e\u0301-3"], actions });
    expect(run.summary).toMatchObject({ total: 2, succeeded: 2 });
    expect((await fresh.patch(`/orders/${order.id}`, { number: "e\u0301-4" })).body.number).toBe("\u00e9-4");
  });

  test("called export is not found, and the response names the path of the export", async () => {
    const { status, body } = await org.get("/orders/export");
    expect([status, body.code]).toEqual([404, "order_not_found"]);
    expect(body.detail).toContain("/orders/export.csv");
  });

  test("can be created empty, and gets a number and defaults", async () => {
    const fresh = await hub.org();
    const first = await fresh.post("/orders", {});
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      number: "ORD-1001",
      status: "new",
      onHold: false,
      holds: [],
      paymentStatus: "pending",
      priority: "normal",
      tags: [],
      customer: {},
      shippingAddress: null,
      lines: [],
      currency: "USD",
      total: null,
      customFields: {},
      archived: false,
      version: 1,
    });
    expect((await fresh.post("/orders", {})).body.number).toBe("ORD-1002");
  });

  test("stores all given fields, and is read by id and by number", async () => {
    const created = await org.post("/orders", full);
    expect(created.status).toBe(201);
    const { lines, notes, packages, ...rest } = full;
    expect(created.body).toMatchObject({
      ...rest,
      orderedAt: "2026-03-01T08:00:00.000Z",
      shipBy: "2026-03-03T16:00:00.000Z",
    });
    expect(created.body.lines).toEqual([
      { ...lines[0], shippedQuantity: 0 },
      { ...lines[1], shippedQuantity: 0, id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    expect(created.body.packages).toEqual([{ ...packages[0], count: 1 }]);
    expect(created.body.notes).toMatchObject([{ ...notes[0], by: { type: "api_key" } }]);
    expect((await org.get(`/orders/${created.body.id}`)).body).toEqual(created.body);
    expect((await org.get(`/orders/${created.body.id.toUpperCase()}`)).body).toEqual(created.body);
    const byNumber = await org.get("/orders/SHOP-1");
    expect(byNumber.body).toEqual(created.body);
    expect(byNumber.headers.get("etag")).toBe('W/"v1"');
  });

  test("accepts common spellings of weight units, and returns the standard one", async () => {
    const units = ["lbs", "LB", "Pounds", " lb. ", "#", "Ounces", "KGS", "gram"];
    const packages = units.map((unit) => ({ weight: { value: 1, unit } }));
    const { body } = await org.post("/orders", {
      packages,
      lines: [{ sku: "A", quantity: 1, weight: { value: 1, unit: "OZ" } }],
    });
    const unitsOf = (list: { weight: { unit: string } }[]): string[] => list.map(({ weight }) => weight.unit);
    expect(unitsOf(body.packages)).toEqual(["lb", "lb", "lb", "lb", "lb", "oz", "kg", "g"]);
    expect(unitsOf(body.lines)).toEqual(["oz"]);
    const patched = await org.patch(`/orders/${body.id}`, { packages: [{ weight: { value: 2, unit: "Kilo" } }] });
    expect(unitsOf(patched.body.packages)).toEqual(["kg"]);
    for (const unit of ["stone", "constructor", "__proto__", ""]) {
      const { body: problem } = await org.post("/orders", { packages: [{ weight: { value: 1, unit } }] });
      const allowed = ["g", "kg", "oz", "lb"];
      expect(problem.errors).toMatchObject([{ pointer: "/packages/0/weight/unit", code: "enum", allowed }]);
    }
  });

  test("has a unique number; generated numbers skip taken ones", async () => {
    const fresh = await hub.org();
    for (const number of ["ORD-1001", "ORD-1002", "ORD-1004"]) await fresh.post("/orders", { number });
    expect((await fresh.post("/orders", { number: "ORD-1002" })).body).toMatchObject({
      status: 409,
      code: "order_number_taken",
      errors: [{ pointer: "/number" }],
    });
    const numbers = [];
    for (let i = 0; i < 3; i++) numbers.push((await fresh.post("/orders", {})).body.number);
    expect(numbers).toEqual(["ORD-1003", "ORD-1005", "ORD-1006"]);
    expect((await org.post("/orders", { number: "ORD-1004" })).status, "another organization's numbers").toBe(201);
  });

  test("gets different numbers with concurrent callers", async () => {
    const fresh = await hub.org();
    const answers = await Promise.all(Array.from({ length: 30 }, () => fresh.post("/orders", {})));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.number)).size).toBe(30);
  });

  test("with invalid fields is rejected with a pointer to each mistake", async () => {
    const fresh = await hub.org();
    const answer = await fresh.post("/orders", {
      status: "redy",
      total: -1,
      tags: ["a", "a"],
      currency: "usd",
      lines: [
        { sku: "", quantity: 0 },
        { quantity: 1.5, sku: "x", prise: 1 },
      ],
      shippingAddress: { postcode: "1" },
      customFields: { "1a": 1, ok: [] },
      shipBy: "tomorrow",
      externalId: " padded",
    });
    const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    for (const pointer of ["/status", "/total", "/tags", "/currency", "/lines/0/sku", "/lines/0/quantity"]) {
      expect(pointers).toContain(pointer);
    }
    for (const pointer of ["/lines/1/quantity", "/lines/1/prise", "/shippingAddress/postcode", "/customFields/ok"]) {
      expect(pointers).toContain(pointer);
    }
    expect(pointers).toEqual(expect.arrayContaining(["/shipBy", "/externalId"]));
    const rules = await fresh.post("/orders", {
      total: 1.005,
      currency: "ZZZ",
      orderedAt: "0100-01-01T00:00:00Z",
      lines: [
        { id: "a", sku: "x", quantity: 1 },
        { id: "a", sku: "y", quantity: 1 },
      ],
    });
    expect(rules.status).toBe(400);
    expect(rules.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/currency",
      "/total",
      "/orderedAt",
      "/lines/1/id",
    ]);
    expect((await fresh.get("/orders")).body.pagination.total).toBe(0);
  });

  test("can refer only to records of its organization", async () => {
    const stranger = await hub.org();
    const location = (await stranger.post("/locations", { name: "theirs" })).body.id;
    const { userId } = await stranger.withRole("viewer");
    for (const [body, code] of [
      [{ locationId: location }, "location_not_found"],
      [{ locationId: randomUUID() }, "location_not_found"],
      [{ assigneeId: userId }, "user_not_found"],
      [{ bridgeId: randomUUID() }, "bridge_not_found"],
      [{ shipping: { carrierAccountId: randomUUID() } }, "carrier_account_not_found"],
    ] as const) {
      expect((await org.post("/orders", body)).body).toMatchObject({ status: 404, code });
      expect((await org.patch(`/orders/${(await anOrder()).id}`, body)).body).toMatchObject({ status: 404, code });
    }
    const mine = (await org.post("/locations", { name: "mine" })).body.id;
    const me = await org.withRole("operator");
    expect(await anOrder({ locationId: mine, assigneeId: me.userId })).toMatchObject({
      locationId: mine,
      assigneeId: me.userId,
    });
  });

  test("is created once for repeated requests with the same key", async () => {
    const options = { headers: { "idempotency-key": randomUUID() } };
    const [first, second] = [await org.post("/orders", {}, options), await org.post("/orders", {}, options)];
    expect(second.text).toBe(first.text);
  });
});

describe("a patch", () => {
  test("merges objects, replaces lists, and null removes", async () => {
    const { id, lines } = await anOrder({ ...full, number: undefined });
    const answer = await org.patch(`/orders/${id}`, {
      customer: { phone: null, name: "Ada King" },
      shippingAddress: { zip: "12208" },
      billingAddress: null,
      tags: ["late"],
      customFields: { rank: null, color: "red" },
      shipping: { thirdPartyBilling: null },
      total: null,
      lines: [{ ...full.lines[0], quantity: 5 }],
      channel: null,
      archived: true,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      customer: { name: "Ada King", email: "ada@example.com" },
      shippingAddress: { ...full.shippingAddress, zip: "12208" },
      billingAddress: null,
      tags: ["late"],
      customFields: { "erp.batch": "W10", urgent: true, color: "red" },
      shipping: { carrier: "UPS", service: "Ground" },
      total: null,
      channel: null,
      archived: true,
      version: 2,
    });
    expect(answer.body.customer.phone).toBeUndefined();
    expect(answer.body.lines).toEqual([{ ...lines[0], quantity: 5 }]);
    expect((await org.get(`/orders/${id}`)).body).toEqual(answer.body);
  });

  test("without changes keeps the version; an empty or stale one is rejected", async () => {
    const { id, number } = await anOrder({ tags: ["a"] });
    expect((await org.patch(`/orders/${number}`, { tags: ["a"], priority: "normal" })).body.version).toBe(1);
    expect((await org.patch(`/orders/${id}`, {})).body.code).toBe("empty_patch");
    const ifMatch = { headers: { "if-match": 'W/"v1"' } };
    expect((await org.patch(`/orders/${id}`, { channel: "b" }, ifMatch)).status).toBe(200);
    expect((await org.patch(`/orders/${id}`, { channel: "c" }, ifMatch)).body).toMatchObject({
      status: 412,
      version: 2,
    });
    expect((await org.get(`/orders/${id}`)).body.channel).toBe("b");
  });

  test("changes the status only along the table, and lists the allowed ones", async () => {
    for (const from of orderStatuses) {
      // The partner would still ship it; it has to be recalled first.
      const allowed = orderMoves[from].filter((to) => from !== "sent" || to !== "cancelled");
      for (const to of orderStatuses) {
        const { id } = await anOrder({ status: from });
        const answer = await org.patch(`/orders/${id}`, { status: to });
        if (from === to || allowed.includes(to)) expect(answer.body.status).toBe(to);
        else {
          expect(answer.body).toMatchObject({ status: 409, code: "invalid_state" });
          expect(answer.body.errors[0]).toMatchObject({ pointer: "/status", allowed });
          expect((await org.get(`/orders/${id}`)).body).toMatchObject({ status: from, version: 1 });
        }
      }
    }
  });

  test("cannot take the number of another order, nor leave an incomplete billing account", async () => {
    const [a, b] = [await anOrder(), await anOrder()];
    expect((await org.patch(`/orders/${a.id}`, { number: b.number })).body.code).toBe("order_number_taken");
    const half = await org.patch(`/orders/${a.id}`, { shipping: { thirdPartyBilling: { zip: "1" } } });
    expect(half.body.errors[0]).toMatchObject({ pointer: "/shipping/thirdPartyBilling/account", code: "required" });
    expect((await org.patch(`/orders/${a.id}`, { status: null })).body.errors[0].pointer).toBe("/status");
    expect((await org.get(`/orders/${a.id}`)).body).toEqual(a);
  });

  test("reports each mistake once, with its pointer", async () => {
    const { id } = await anOrder();
    const patches: [object, string[]][] = [
      [{ lines: [{ sku: "A", quantity: 0 }] }, ["/lines/0/quantity minimum"]],
      [{ lines: 5 }, ["/lines type"]],
      [
        { customer: { email: 5 }, shippingAddress: { countryCode: "USA" } },
        ["/customer/email type", "/shippingAddress/countryCode pattern"],
      ],
      [{ number: "" }, ["/number minLength"]],
    ];
    for (const [patch, problems] of patches) {
      const { errors } = (await org.patch(`/orders/${id}`, patch)).body;
      expect(errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)).toEqual(
        problems,
      );
    }
  });

  test("that changes a verified address makes it unverified", async () => {
    const { id } = await anOrder({ shippingAddress: { city: "Albany" } });
    await hub.world.db.query("update orders set address_status = 'valid' where id = $1", [id]);
    expect((await org.patch(`/orders/${id}`, { shippingAddress: { city: "Albany" } })).body.addressStatus).toBe(
      "valid",
    );
    expect((await org.patch(`/orders/${id}`, { shippingAddress: { city: "Troy" } })).body.addressStatus).toBe(
      "unverified",
    );
  });

  test("cannot remove shipped quantities", async () => {
    const { id, lines } = await anOrder({ lines: [{ id: "l", sku: "MUG", quantity: 3 }], status: "partially_shipped" });
    const shipped = JSON.stringify([{ ...lines[0], shippedQuantity: 2 }]);
    await hub.world.db.query("update orders set lines = $2 where id = $1", [id, shipped]);
    for (const patch of [{ lines: [] }, { lines: null }, { lines: [{ id: "l", sku: "MUG", quantity: 1 }] }]) {
      expect((await org.patch(`/orders/${id}`, patch)).body.errors[0].code).toBe("already_shipped");
    }
    const fine = await org.patch(`/orders/${id}`, { lines: [{ id: "l", sku: "MUG", quantity: 2 }] });
    expect(fine.body.lines).toEqual([{ id: "l", sku: "MUG", quantity: 2, shippedQuantity: 2 }]);
  });

  test("is not lost among concurrent ones: each makes one version", async () => {
    const { id } = await anOrder();
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => org.patch(`/orders/${id}`, { customFields: { [`f${i}`]: i } })),
    );
    const { body } = await org.get(`/orders/${id}`);
    expect(body.version).toBe(11);
    expect(Object.keys(body.customFields)).toHaveLength(10);
  });
});

describe("deleting", () => {
  test("is possible for drafts, and leaves nothing behind", async () => {
    const draft = await anOrder({ status: "draft", tags: ["x"], number: "DRAFT-1" });
    expect((await org.delete(`/orders/DRAFT-1`)).body).toEqual({ id: draft.id, deleted: true });
    expect((await org.delete(`/orders/DRAFT-1`)).body.code).toBe("order_not_found");
    for (const table of ["order_tags", "order_changes"]) {
      expect(await hub.world.db.query(`select 1 from ${table} where order_id = $1`, [draft.id])).toEqual([]);
    }
    const order = await anOrder();
    expect((await org.delete(`/orders/${order.id}`)).body).toMatchObject({ status: 409, code: "order_not_draft" });
    const stale = { headers: { "if-match": '"v9"' } };
    expect((await org.delete(`/orders/${order.id}`, undefined, stale)).status).toBe(412);
  });
});

test("a name that no order can have gets 404, not 500", async () => {
  for (const name of ["%00", "%ff", "nobody", "x".repeat(500), encodeURIComponent("a b/c"), "%F0%9F%9A%9A"]) {
    expect((await org.get(`/orders/${name}`)).status).toBe(404);
  }
  await org.post("/orders", { number: "№ 7/2026 ✓" });
  expect((await org.get(`/orders/${encodeURIComponent("№ 7/2026 ✓")}`)).status).toBe(200);
});

test("each change is an event, and the audit log verifies", async () => {
  const { id } = await anOrder({ status: "draft" });
  await org.patch(`/orders/${id}`, { channel: "web" });
  await org.delete(`/orders/${id}`);
  const { body } = await org.get(`/audit?objectId=${id}`);
  expect(body.data.map((entry: { type: string; data: object }) => [entry.type, entry.data])).toEqual([
    ["order.deleted", expect.objectContaining({ number: expect.any(String) })],
    ["order.updated", expect.objectContaining({ fields: ["channel"] })],
    ["order.created", expect.objectContaining({ status: "draft" })],
  ]);
  expect((await org.get("/audit/verification")).body.ok).toBe(true);
});

test("an order is found by a number of a hundred characters of any width (protocol 7)", async () => {
  for (const character of ["\u{1f600}", "漢", "x"]) {
    for (const length of [50, 51, 100]) {
      const number = character.repeat(length);
      expect((await org.post("/orders", { number })).status).toBe(201);
      const path = `/orders/${encodeURIComponent(number)}`;
      expect((await org.get(path)).body.number).toBe(number);
      expect((await org.patch(path, { channel: "found" })).body.channel).toBe("found");
    }
    expect((await org.get(`/orders/${encodeURIComponent(character.repeat(101))}`)).status).toBe(404);
  }
});
