import { afterAll, describe, expect, test } from "vitest";
import { createFinder } from "../core/validation.ts";
import { LocationRequest } from "../features/locations/locations.schemas.ts";
import { ImportedOrder } from "../features/orders/orders.schemas.ts";
import { callFor, pullAll, taskOf } from "../testing/connector-calls.ts";
import { startStandInShop } from "../testing/stand-in-shop.ts";
import { shopify } from "./shopify/shopify.ts";
import { woocommerce } from "./woocommerce/woocommerce.ts";

const shop = await startStandInShop({ seed: 9, orders: 80 });
afterAll(async () => await shop.close());

const shopifyCall = callFor({
  settings: { shop: "stand-in.myshopify.com", baseUrl: `${shop.url}/` },
  credentials: { accessToken: shop.token },
});
const wooCall = callFor({
  settings: { url: `${shop.url}/` },
  credentials: { consumerKey: "ck_test", consumerSecret: shop.token },
});

describe.each([
  { connector: shopify, call: shopifyCall },
  { connector: woocommerce, call: wooCall },
])("$connector.name", ({ connector, call }) => {
  test("tests the connection, and reports wrong credentials", async () => {
    const connection = taskOf(connector, "call", "connection.test");
    expect(await connection.run(call)).toMatchObject({ ok: true });
    const credentials = { accessToken: "wrong", consumerKey: "ck_test", consumerSecret: "wrong" };
    await expect(connection.run({ ...call, credentials })).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("makes orders that are valid for POST /orders, with all lines and right amounts", async () => {
    const pages = await pullAll(taskOf(connector, "pull", "orders.import"), call);
    const records = pages.flatMap((page) => page.records);
    expect(records.length).toBe(80);
    const find = createFinder(ImportedOrder, "body");
    for (const { externalId, canonical } of records) {
      expect(find(canonical), externalId).toEqual([]);
      const order = shop.data.find(Number(externalId))!;
      const lines = canonical.lines as { id: string; sku: string; quantity: number; price: number }[];
      expect(lines.map(({ id, quantity }) => [id, quantity])).toEqual(
        order.lines.map((l) => [String(l.id), l.quantity]),
      );
      const sum = lines.reduce((cents, line) => cents + Math.round(line.price * 100) * line.quantity, 0);
      expect(canonical).toMatchObject({
        externalId,
        number: order.number,
        orderedAt: new Date(order.createdAt).toISOString(),
        total: sum / 100,
        currency: "USD",
        status: order.isPaid ? "new" : "awaiting_payment",
        customer: { name: order.name, email: order.email },
        shippingAddress: { city: order.city, countryCode: "US", provinceCode: "NY" },
      });
    }
    expect(records.some(({ canonical }) => (canonical.lines as unknown[]).length === 45)).toBe(true);
  });

  test("makes locations that are valid for POST /locations", async () => {
    const pages = await pullAll(taskOf(connector, "pull", "locations.pull"), call);
    const records = pages.flatMap((page) => page.records);
    expect(records.length).toBeGreaterThan(0);
    for (const { canonical } of records) {
      const { is_active: isActive, ...location } = canonical;
      expect(typeof isActive).toBe("boolean");
      expect(createFinder(LocationRequest, "body")(location)).toEqual([]);
    }
  });

  test("an import from a given time reads only later changes", async () => {
    const since = shop.data.orders.at(-5)!.updatedAt;
    const expected = shop.data.orders.filter(({ updatedAt }) => updatedAt >= since).length;
    const pages = await pullAll(taskOf(connector, "pull", "orders.import"), { ...call, input: { since } });
    expect(pages.flatMap(({ records }) => records).length).toBe(expected);
    const settings = { ...call.settings, importSince: since };
    const first = await pullAll(taskOf(connector, "pull", "orders.import"), { ...call, settings });
    expect(first.flatMap(({ records }) => records).length).toBe(expected);
  });
});

test("Shopify reports inactive locations and those of a fulfillment service", async () => {
  const pages = await pullAll(taskOf(shopify, "pull", "locations.pull"), shopifyCall);
  expect(pages.flatMap(({ records }) => records.map(({ canonical }) => canonical))).toMatchObject([
    { name: "Main", type: "warehouse", is_active: true },
    { name: "3PL", type: "third_party", is_active: false },
  ]);
});

test("Shopify's weights are read in their unit if enabled, within the cost limit of a query", async () => {
  const [order] = shop.data.orders.filter(({ lines }) => lines.length > 2 && lines.length < 10);
  const given = [
    { value: 16, unit: "OUNCES" },
    { value: 0.5, unit: "KILOGRAMS" },
    { value: -1, unit: "STONES" },
  ];
  for (const [index, weight] of given.entries()) order!.lines[index]!.weight = weight;
  const settings = { ...shopifyCall.settings, importWeights: true };
  const pages = await pullAll(taskOf(shopify, "pull", "orders.import"), { ...shopifyCall, settings });
  const record = pages.flatMap(({ records }) => records).find(({ externalId }) => externalId === String(order!.id))!;
  expect((record.canonical.lines as { weight?: object }[]).map(({ weight }) => weight).slice(0, 3)).toEqual([
    { value: 16, unit: "oz" },
    { value: 0.5, unit: "kg" },
    undefined,
  ]);
});

test.each([1, 3, 5, 8, 10, 12, 50])(
  "Shopify accepts the cost of a page of %i orders with all their data",
  async (pageSize) => {
    const settings = { ...shopifyCall.settings, importWeights: true, pageSize };
    const [page] = await pullAll(taskOf(shopify, "pull", "orders.import"), { ...shopifyCall, settings }, undefined, 1);
    expect(page!.records).toHaveLength(Math.min(pageSize, 12));
  },
);

test("an address that the hub must not call is rejected when the settings are saved", () => {
  const limits = { allowPrivate: false };
  expect(shopify.check!({ shop: "a", baseUrl: "http://169.254.169.254" }, limits)).toMatchObject([
    { pointer: "/baseUrl", code: "address_not_allowed" },
  ]);
  expect(woocommerce.check!({ url: "http://127.0.0.1" }, limits)).toMatchObject([{ code: "address_not_allowed" }]);
  expect(woocommerce.check!({ url: "http://shop.example" }, limits)).toMatchObject([{ code: "https_required" }]);
  expect(woocommerce.check!({ url: "https://shop.example/?a=1" }, limits)).toMatchObject([{ code: "invalid_url" }]);
  expect(woocommerce.check!({ url: "https://shop.example/wordpress" }, limits)).toEqual([]);
});
