import { expect, test } from "vitest";
import { systemContext } from "../../../context.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { sortNames } from "./order-sorts.ts";

const hub = await startTestHub();
const org = await hub.org();
const at = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
await org.post("/orders/bulk", {
  orders: [
    {
      number: "N-3",
      status: "ready",
      customer: { name: "adam" },
      shippingAddress: { city: "Boston" },
      shipping: { service: "air", carrier: "ups" },
      tags: ["b"],
      total: 10,
      priority: "high",
      paymentStatus: "paid",
      channel: "web",
      lines: [{ sku: "MUG", quantity: 1 }],
      shipBy: at(3),
    },
    { number: "N-1", status: "new", customer: { name: "Bea" }, shippingAddress: { city: "albany" }, total: 200 },
    {
      number: "N-2",
      status: "draft",
      customer: { email: "carl@mail.example" },
      shipping: { service: "Ground", carrier: "DHL" },
      tags: ["a", "z"],
      priority: "low",
      paymentStatus: "refunded",
      lines: [
        { sku: "MUG", quantity: 1 },
        { sku: "CUP", quantity: 1 },
      ],
      shipBy: at(1),
    },
  ],
});
type Listed = { number: string };
const numbers = async (query: string): Promise<string> =>
  (await org.get(`/orders?${query}`)).body.data.map(({ number }: Listed) => number.slice(2)).join("");

test.each([
  ["number", "123"],
  ["status", "213"],
  ["customer", "312"],
  ["city", "13"],
  ["service", "32"],
  ["carrier", "23"],
  ["tags", "23"],
  ["total", "31"],
  ["priority", "213"],
  ["paymentStatus", "132"],
  ["channel", "3"],
  ["lines", "132"],
  ["shipBy", "23"],
])("sorted by %s, orders without a value come last in both directions", async (sort, expected) => {
  const reversed = expected.split("").toReversed().join("");
  expect((await numbers(`sort=${sort}`)).slice(0, expected.length)).toBe(expected);
  expect((await numbers(`sort=-${sort}`)).slice(0, expected.length)).toBe(reversed);
});

test.each(sortNames)("sorted by %s, pages have every order once, also in a search and with filters", async (sort) => {
  const pages = async (query: string): Promise<string[]> => {
    const all = [];
    for (const page of [1, 2, 3]) all.push(await numbers(`sort=${sort}&limit=1&page=${page}${query}`));
    return all;
  };
  expect((await pages("")).join("")).toBe(await numbers(`sort=${sort}`));
  expect(new Set(await pages("")).size).toBe(3);
  expect(await numbers(`sort=${sort}&search=mug`)).toHaveLength(2);
  expect(await numbers(`sort=${sort}&tagsAny=a&tagsAny=b`)).toHaveLength(2);
  expect(await numbers(`sort=${sort}&status=new,ready`)).toHaveLength(2);
  const { pagination } = (await org.get(`/orders?sort=${sort}&limit=2`)).body;
  expect(pagination).toMatchObject({ total: 3, hasMore: true });
});

test("sorting by customer needs the right to see personal data", async () => {
  const viewer = await org.withScopes(["orders:read"]);
  const { status, body } = await viewer.get("/orders?sort=-customer");
  expect([status, body.code, body.required]).toEqual([403, "insufficient_scope", ["pii:read"]]);
  expect((await viewer.get("/orders?sort=total")).status).toBe(200);
});

test("an order is found by digits inside its number, and the search uses its index below row-level security", async () => {
  const other = await hub.org();
  for (const client of [org, other]) await client.post("/orders", { number: "DEMO-10186" });
  const { data } = (await org.get("/orders?search=0186")).body;
  expect(data.map(({ number }: Listed) => number)).toEqual(["DEMO-10186"]);
  expect((await org.get("/orders?search=018&status=cancelled")).body.data).toEqual([]);
  await org.patch("/orders/DEMO-10186", { number: "DEMO-20777" });
  expect((await org.get("/orders?search=0186")).body.data).toEqual([]);
  expect((await org.get("/orders?search=0777")).body.data).toHaveLength(1);
  const ctx = systemContext(hub.world, org.id, "test");
  const find = "select order_id from find_orders_by_words($1, $2::tsquery)";
  const words = `'${other.id.slice(-4)}n0186'`;
  // A request sees its own organization only, whichever it asks for; background work has no such limit.
  expect(await hub.world.db.forOrg(org.id).query(find, [other.id, words])).toEqual([]);
  expect(await hub.world.db.forOrg(other.id).query(find, [other.id, words])).toHaveLength(1);
  expect(await ctx.db.query(find, [other.id, words])).toHaveLength(1);
});

test("orders are filtered by total and by the weight that conditions see", async () => {
  const shop = await hub.org();
  const weight = (value: number, unit: string) => ({ weight: { value, unit } });
  await shop.post("/orders/bulk", {
    orders: [
      { number: "0", total: 10, lines: [{ sku: "A", quantity: 2, ...weight(1, "lb") }] },
      {
        number: "1",
        total: 20.5,
        lines: [{ sku: "A", quantity: 1, ...weight(9, "kg") }],
        packages: [weight(500, "g")],
      },
      {
        number: "2",
        lines: [
          { sku: "A", quantity: 1, ...weight(3, "kg") },
          { sku: "E", quantity: 1, ...weight(9, "kg"), requiresShipping: false },
        ],
      },
      {
        number: "3",
        lines: [
          { sku: "A", quantity: 1, ...weight(3, "kg") },
          { sku: "B", quantity: 1 },
        ],
      },
    ],
  });
  const listed = async (query: string): Promise<string> =>
    (await shop.get(`/orders?sort=number&${query}`)).body.data.map(({ number }: { number: string }) => number).join("");
  expect(await listed("totalMin=10&totalMax=20.5")).toBe("01");
  expect(await listed("totalMin=10.01")).toBe("1");
  expect(await listed("totalMin=0")).toBe("01");
  expect(await listed("weightMin=1 g")).toBe("012");
  expect(await listed("weightMin=2lb&weightMax=2 lb")).toBe("0");
  expect(await listed("weightMax=1 kg")).toBe("01");
  expect(await listed("weightMin=2.9kg")).toBe("2");
  for (const [query, pointer] of [
    ["weightMin=3", "query/weightMin"],
    ["weightMax=3 stone", "query/weightMax"],
    ["totalMin=-1", "query/totalMin"],
    ["country=USA", "query/country"],
    ["holdReason=boredom", "query/holdReason"],
  ])
    expect((await shop.get(`/orders?${query}`)).body.errors).toMatchObject([{ pointer }]);
});
