import { describe, expect, test } from "vitest";
import { systemContext } from "../../../context.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import type { Hold } from "../order.ts";
import { lockOrders, resolveRefs, updateOrders } from "../orders.ts";

const hub = await startTestHub();
const org = await hub.org();
const location = (await org.post("/locations", { name: "L" })).body.id;
const { userId } = await org.withRole("operator");

const given = [
  {
    number: "A-1",
    status: "draft",
    channel: "web",
    tags: ["vip"],
    shipBy: "2026-05-03T00:00:00Z",
    shipping: { carrier: "ups", service: "ground" },
    customFields: { color: "red" },
  },
  {
    number: "A-2",
    status: "new",
    channel: "shop",
    tags: ["vip", "eu"],
    orderedAt: "2026-01-10T00:00:00Z",
    shipping: { carrier: "dhl" },
    customFields: { color: "blue", gift: true },
  },
  {
    number: "A-3",
    status: "new",
    priority: "urgent",
    locationId: location,
    shipBy: "2026-05-01T00:00:00Z",
    customFields: { color: "red", size: 4 },
  },
  {
    number: "A-4",
    status: "ready",
    paymentStatus: "paid",
    assigneeId: userId,
    orderedAt: "2026-02-10T00:00:00Z",
    shipping: { carrier: "ups", service: "air" },
  },
  { number: "A-5", status: "shipped", priority: "low", shipBy: "2026-05-02T00:00:00Z" },
  { number: "A-6", status: "cancelled", archived: true, tags: ["vip"], channel: "web", customFields: { size: "4" } },
];
for (const order of given) {
  await org.post("/orders", { orderedAt: "2025-06-01T00:00:00Z", ...order });
  hub.advance(1_000);
}
const hold: Hold = {
  id: "h",
  handle: "operator",
  reason: "operator",
  note: null,
  until: null,
  source: "user",
  by: { type: "system", name: "test" },
  placedAt: "2026-01-01T00:00:00.000Z",
};
// A shipped order cannot be held through the API, but it may have been held before it was shipped.
await hub.world.db.transaction(async (tx) => {
  const held = [...(await resolveRefs(tx, org.id, ["A-3", "A-5"])).values()];
  for (const order of await lockOrders(tx, org.id, held)) {
    const ctx = systemContext(hub.world, org.id, "test");
    const move = { before: order, after: { ...order, holds: [hold] } };
    await updateOrders(tx, ctx, [move], new Set(["holds"]), order.updatedAt);
  }
});

// Fails for all; the draft succeeds later, and the last one is not tried again.
const run = async (order_ids: string[], action: object) =>
  (await org.post("/operations/run", { order_ids, actions: [action] })).body;
expect(await run(["A-1", "A-5", "A-6"], { type: "mark_shipped", params: {} })).toMatchObject({ status: "failed" });
expect(await run(["A-1"], { type: "set_priority", params: { priority: "normal" } })).toMatchObject({
  status: "succeeded",
});

async function numbers(query: string): Promise<string> {
  const { status, body } = await org.get(`/orders?${query}`);
  expect(status).toBe(200);
  const found = body.data.map(({ number }: { number: string }) => number.slice(2));
  expect(body.pagination).toMatchObject({ total: found.length, totalIsCapped: false, hasMore: false });
  return found.join("");
}

describe("the list of orders", () => {
  test.each([
    ["", "54321"],
    ["status=new", "32"],
    ["status=new,ready", "432"],
    ["status=on_hold", "53"],
    ["status=on_hold,new", "532"],
    ["status=on_hold,new,shipped", "532"],
    ["status=cancelled", ""],
    ["status=cancelled&archived=true", "6"],
    ["archived=any", "654321"],
    ["archived=true", "6"],
    ["archived=any&status=draft,cancelled", "61"],
    ["tag=vip", "21"],
    ["tag=vip&archived=any", "621"],
    ["tag=vip&status=new", "2"],
    ["tag=vip&sort=createdAt", "12"],
    ["tag=vip&sort=-orderedAt", "21"],
    ["tag=vip&search=A-2", "2"],
    ["tag=VIP", "21"],
    [`locationId=${location}`, "3"],
    [`locationId=${userId}`, ""],
    [`assigneeId=${userId}`, "4"],
    [`bridgeId=${userId}`, ""],
    ["priority=urgent", "3"],
    ["priority=normal&status=ready", "4"],
    ["paymentStatus=paid", "4"],
    ["priority=urgent,low", "53"],
    ["priority=urgent&priority=low", "53"],
    ["priorityNot=normal", "53"],
    ["statusNot=new", "541"],
    ["statusNot=on_hold", "421"],
    ["statusNot=new,on_hold&status=new,draft,ready,shipped", "41"],
    ["status=new&status=ready,draft", "4321"],
    [
      "statusNot=draft,new,review_required,awaiting_payment,ready,sent,partially_shipped,shipped,delivered,cancelled",
      "",
    ],
    ["channel=web&channel=shop", "21"],
    ["channelNot=web", "5432"],
    ["channelNot=web&channelNot=shop", "543"],
    ["tagsAny=vip&tagsAny=eu", "21"],
    ["tagsAny=Vip&tagsAny=VIP&tagsAny=EU", "21"],
    ["tag=VIP&tagsNone=EU", "1"],
    ["tagsAll=Vip&tagsAll=Eu&tagsAll=VIP", "2"],
    ["tagsAny=eu", "2"],
    ["tagsAny=vip&tagsAny=eu&status=new,draft&archived=any", "21"],
    ["tagsAll=vip&tagsAll=eu", "2"],
    ["tagsNone=vip", "543"],
    ["tag=vip&tagsNone=eu", "1"],
    ["tag=vip&tagsAny=eu&tagsAll=vip", "2"],
    ["carrier=ups", "41"],
    ["carrier=ups&carrier=dhl&sort=createdAt", "124"],
    ["carrierNot=ups", "532"],
    ["service=ground&carrier=ups", "1"],
    ["serviceNot=ground", "5432"],
    ["customField=color:red", "31"],
    ["customField=color:red&customField=color:blue", "321"],
    ["customField=color:red&customField=size:4", "3"],
    ["customField=size:4.0", "3"],
    ["customField=size:4&archived=any", "63"],
    ["customField=gift:true&status=new", "2"],
    ["customFieldNot=color:red&customFieldNot=gift:true", "54"],
    ["search=A-2&customField=gift:true", "2"],
    ["search=A-2&carrier=ups", ""],
    ["lastRunFailed=true", "5"],
    ["lastRunFailed=false", "4321"],
    ["lastRunFailed=true&sort=shipBy&archived=any", "56"],
    ["channel=web", "1"],
    ["orderedFrom=2026-01-01T00:00:00Z", "42"],
    ["orderedFrom=2026-01-10T00:00:00Z&orderedTo=2026-02-10T00:00:00Z", "2"],
    ["createdFrom=2199-01-01T00:00:00Z", ""],
    ["createdTo=2199-01-01T00:00:00Z&status=new", "32"],
    ["updatedFrom=2000-01-01T00:00:00Z&status=draft", "1"],
    ["shipByFrom=2026-05-01T00:00:00Z&shipByTo=2026-05-03T00:00:00Z", "35"],
    ["sort=createdAt", "12345"],
    ["sort=orderedAt&status=new", "32"],
    ["sort=-orderedAt&orderedFrom=2026-01-01T00:00:00Z", "42"],
    ["sort=-updatedAt", "54321"],
    ["sort=shipBy", "35124"],
    ["sort=-shipBy", "15342"],
    ["sort=shipBy&status=new,draft", "312"],
  ])("with %s has the orders %s", async (query, expected) => {
    expect(await numbers(query)).toBe(expected);
  });

  test.each([
    ["status=redy", "query/status"],
    ["status=new,,ready", "query/status"],
    ["status=", "query/status"],
    ["priority=9", "query/priority"],
    ["archived=1", "query/archived"],
    ["sort=colour", "query/sort"],
    ["locationId=x", "query/locationId"],
    ["orderedFrom=2026-13-01T00:00:00Z", "query/orderedFrom"],
    ["createdTo=9999-12-31T23:59:60Z", "query/createdTo"],
    ["search=", "query/search"],
    ["limit=101", "query/limit"],
    ["priority=urgent&priority=lwo", "query/priority/1"],
    ["customField=color", "query/customField"],
    ["lastRunFailed=yes", "query/lastRunFailed"],
    ["tagsAny=a&tagsAny=", "query/tagsAny/1"],
    ["channel=a%00&channel=b", "query/channel"],
  ])("rejects %s with 400 and the name of the parameter", async (query, pointer) => {
    const answer = await org.get(`/orders?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].pointer).toBe(pointer);
    if (!query.startsWith("sort") && !query.startsWith("limit")) {
      expect((await org.get(`/orders/export.csv?${query}`)).status).toBe(400);
    }
  });

  test("suggests the closest status", async () => {
    const { body } = await org.get("/orders?status=new,redy");
    expect(body.errors[0]).toMatchObject({ suggestion: "ready", allowed: expect.arrayContaining(["on_hold"]) });
  });

  test("pages without losing or repeating an order, in every sorting", async () => {
    for (const query of [
      "sort=-createdAt",
      "sort=shipBy",
      "sort=-shipBy",
      "status=new,draft,on_hold",
      "archived=any",
    ]) {
      const all = (await org.get(`/orders?${query}&limit=100`)).body.data;
      const paged = [];
      for (let page = 1; ; page++) {
        const { body } = await org.get(`/orders?${query}&limit=2&page=${page}`);
        expect(body.pagination).toMatchObject({ total: all.length, pages: Math.ceil(all.length / 2) });
        paged.push(...body.data);
        expect(body.pagination.hasMore).toBe(paged.length < all.length);
        if (!body.pagination.hasMore) break;
      }
      expect(paged).toEqual(all);
    }
    const past = await org.get("/orders?page=50");
    expect(past.body).toMatchObject({ data: [], pagination: { total: 5, hasMore: false } });
  });

  test("counts up to 10,000, above that totalIsCapped is true", async () => {
    const big = await hub.org();
    for (const prefix of ["a", "b"]) {
      const orders = Array.from({ length: 5_200 }, (_, i) => ({ number: `${prefix}${i}`, channel: "bulk" }));
      await big.post("/orders/bulk", { orders });
    }
    const { pagination } = (await big.get("/orders?channel=bulk")).body;
    expect(pagination).toMatchObject({ total: 10_000, totalIsCapped: true, pages: 400, hasMore: true });
    const deep = (await big.get("/orders?limit=100&page=104")).body;
    expect(deep.data).toHaveLength(100);
    expect(deep.pagination.hasMore).toBe(false);
    const beyond = (await big.get("/orders?page=401")).body.pagination;
    expect(beyond).toMatchObject({ total: 10_000, totalIsCapped: true, pages: 402, hasMore: true });
    const frequent = (await big.get("/orders?search=b")).body;
    expect(frequent.data).toHaveLength(25);
    expect(frequent.pagination).toMatchObject({ totalIsCapped: true, hasMore: true });
    const rare = (await big.get("/orders?search=a519")).body;
    expect(rare.pagination).toMatchObject({ total: 11, totalIsCapped: false });
    expect(rare.data.map(({ number }: { number: string }) => number)).toContain("a5199");
    const second = (await big.get("/orders?search=a51&limit=100&page=2")).body;
    expect(second.data).toHaveLength(11);
  });
});

describe("searching", () => {
  test("finds the beginnings of words, all of them, in any case and without accents", async () => {
    const shop = await hub.org();
    await shop.post("/orders", {
      number: "#SO-1042",
      status: "ready",
      externalId: "gid/99",
      customer: { name: "José O'Brien", email: "jose.obrien@example.com" },
      shippingAddress: { city: "São Paulo", zip: "01310-100", company: "Ação & Filhos" },
      lines: [{ sku: "MUG-RED-12", name: "Große Tasse", quantity: 1 }],
      tags: ["Gift Wrap", "VIP"],
    });
    await shop.post("/orders", { number: "1043", customer: { name: "Josefine" } });
    await shop.post("/operations/run", {
      order_ids: ["#SO-1042"],
      actions: [{ type: "mark_shipped", params: { tracking_number: "1Z999AA10123456784", carrier: "ups" } }],
    });
    const found = async (search: string): Promise<number> =>
      (await shop.get(`/orders?search=${encodeURIComponent(search)}`)).body.pagination.total;
    for (const text of [
      "#SO-1042",
      "so-1042",
      "1042",
      "SO",
      "jose o'brien",
      "José O’BRIEN",
      "obrien",
      "grosse tasse",
      "vip",
      "gift wrap",
      "1z999aa10",
      "brien",
      "OBRIEN@example",
      "example.com",
      "sao paulo",
      "São",
      "01310",
      "100",
      "mug-red",
      "red-12",
      "RED",
      "acao",
      "gid/99",
      "josé mug 1042",
    ]) {
      expect([text, await found(text)]).toEqual([text, 1]);
    }
    expect(await found("jose")).toBe(2);
    for (const text of ["jose nobody", "104 2", "ose", "mug-blue", "jose:* | nobody"]) {
      expect([text, await found(text)]).toEqual([text, 0]);
    }
    // Nothing could be found by these, and that is said.
    for (const text of ["---", "'", "\\", "' & '", "<->", "%"]) {
      for (const path of ["/orders", "/orders/export.csv"]) {
        const { body } = await org.get(`${path}?search=${encodeURIComponent(text)}`);
        expect(body.errors).toEqual([expect.objectContaining({ pointer: "query/search", code: "no_words" })]);
      }
    }
  });

  test("sees a change with the next request, and nothing of other organizations", async () => {
    const [mine, theirs] = [await hub.org(), await hub.org()];
    const { id } = (await mine.post("/orders", { customer: { name: "Before" } })).body;
    await theirs.post("/orders", { customer: { name: "Before" } });
    await mine.patch(`/orders/${id}`, { customer: { name: "After" } });
    expect((await mine.get("/orders?search=before")).body.pagination.total).toBe(0);
    expect((await mine.get("/orders?search=after")).body.data[0].id).toBe(id);
  });
});

describe("counts", () => {
  test("are per status, on hold and in total, without archived orders by default", async () => {
    const { body } = await org.get("/orders/counts");
    expect(body).toEqual({
      draft: 1,
      new: 2,
      review_required: 0,
      awaiting_payment: 0,
      ready: 1,
      sent: 0,
      partially_shipped: 0,
      shipped: 1,
      delivered: 0,
      cancelled: 0,
      on_hold: 2,
      total: 5,
      isCapped: false,
    });
    expect((await org.get("/orders/counts?archived=any")).body).toMatchObject({ cancelled: 1, total: 6 });
    expect((await org.get("/orders/counts?archived=true")).body).toMatchObject({ cancelled: 1, on_hold: 0, total: 1 });
  });
});

test("a day in a filter means the whole day in the time zone of the organization, in every list", async () => {
  const shop = await hub.org();
  expect((await shop.patch(`/organizations/${shop.id}`, { timezone: "America/New_York" })).status).toBe(200);
  // The clocks change on this day: it has 23 hours.
  const moments = ["2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59Z", "2026-03-09T04:00:00Z"];
  await shop.post("/orders/bulk", { orders: moments.map((orderedAt, n) => ({ number: `${n}`, orderedAt })) });
  const listed = async (query: string): Promise<string> =>
    (await shop.get(`/orders?sort=orderedAt&${query}`)).body.data
      .map(({ number }: { number: string }) => number)
      .join("");
  expect(await listed("orderedFrom=2026-03-08&orderedTo=2026-03-08")).toBe("12");
  expect(await listed("orderedFrom=2026-03-08")).toBe("123");
  expect(await listed("orderedTo=2026-03-07")).toBe("0");
  expect(await listed("orderedTo=2026-03-08T05:00:00Z")).toBe("0");
  expect(await listed("orderedFrom=0001-01-01&orderedTo=9999-12-31")).toBe("0123");
  const { body: selected } = await shop.post("/operations/selections", {
    filter: { orderedFrom: "2026-03-08", orderedTo: "2026-03-08" },
  });
  expect(selected.matched).toBe(2);
  expect((await shop.get("/orders?orderedFrom=2026-02-30")).body.errors).toMatchObject([
    { pointer: "query/orderedFrom", code: "format" },
  ]);
  const today = new Date().toISOString().slice(0, 10);
  for (const path of ["/audit", "/tasks/executions", "/operations/runs"])
    expect((await shop.get(`${path}?from=2020-01-01&to=${today}`)).status).toBe(200);
});

test("the tags of an order follow every change of it", async () => {
  const shop = await hub.org();
  const { id } = (await shop.post("/orders", { tags: ["a", "b"] })).body;
  const with_ = async (tag: string, more = ""): Promise<number> =>
    (await shop.get(`/orders?tag=${tag}${more}`)).body.pagination.total;
  await shop.patch(`/orders/${id}`, { tags: ["b", "c"] });
  expect([await with_("a"), await with_("b"), await with_("c")]).toEqual([0, 1, 1]);
  await shop.patch(`/orders/${id}`, { archived: true });
  expect([await with_("b"), await with_("b", "&archived=true")]).toEqual([0, 1]);
  await shop.patch(`/orders/${id}`, { archived: false, tags: null });
  expect([await with_("b"), await with_("b", "&archived=any")]).toEqual([0, 0]);
});
