import fc from "fast-check";
import { expect, test } from "vitest";
import { createFinder } from "../core/validation.ts";
import { ImportedOrder } from "../features/orders/orders.schemas.ts";
import { callFor, pullAll, taskOf } from "../testing/connector-calls.ts";
import type { Call, Connector } from "./connector.ts";
import { shopify } from "./shopify/shopify.ts";
import { woocommerce } from "./woocommerce/woocommerce.ts";

function answering(answer: (body: unknown) => unknown): Call["http"] {
  return {
    request({ body }) {
      const text = JSON.stringify(answer(body && "json" in body ? body.json : undefined));
      const json = (): unknown => JSON.parse(text);
      return Promise.resolve({
        status: 200,
        headers: {},
        text,
        bytes: Buffer.from(text),
        json,
        retryAfterMs: undefined,
        mayHaveHappened: false,
      });
    },
  };
}

const findProblems = createFinder(ImportedOrder, "body");

const texts = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "a\u0000b",
    "x\uD800",
    "line\nbreak",
    "  padded  ",
    "x".repeat(6000),
    "-5",
    "1e999",
    "US",
    "2026-13-45",
  ),
  fc.string(),
);
/** Neither a number nor a text can be made of it. */
const noScalar = fc.constant({ toString: 1, valueOf: 1 });
const anything = fc.oneof(
  { weight: 4, arbitrary: texts },
  fc.integer(),
  fc.double(),
  noScalar,
  fc.jsonValue({ maxDepth: 2 }),
);

function anyObject(names: string, more: Record<string, fc.Arbitrary<unknown>> = {}) {
  const plain = Object.fromEntries(names.split(" ").map((name) => [name, anything]));
  return fc.record({ ...plain, ...more }, { requiredKeys: [] });
}

/** A quantity beyond what the hub takes is no matter of form: it is handed on and refused with the order. */
const quantity = fc.oneof(fc.integer({ min: -5, max: 1_000_000 }), texts, noScalar, fc.constantFrom(null, 1.5, {}, []));
const money = anyObject("amount currencyCode");
const address = anyObject("name company address1 address2 city province provinceCode zip country countryCodeV2 phone");
const price = fc.oneof(fc.record({ shopMoney: money, presentmentMoney: money }), anything);
const pairs = fc.oneof(fc.array(anyObject("key value name")), anything);
const nodesOf = (node: fc.Arbitrary<unknown>) =>
  fc.oneof(fc.record({ pageInfo: fc.constant({}), nodes: fc.array(node) }), anything);
const fulfillmentOrder = anyObject("status", {
  assignedLocation: fc.record({ location: anyObject("id") }),
  deliveryMethod: fc.record({ methodType: fc.constantFrom("PICK_UP", "SHIPPING", "x") }),
});
const shopifyOrder = anyObject(
  "name email phone createdAt updatedAt cancelledAt displayFinancialStatus note currencyCode poNumber presentmentCurrencyCode taxesIncluded",
  {
    customAttributes: pairs,
    currentTotalPriceSet: price,
    currentSubtotalPriceSet: price,
    currentShippingPriceSet: price,
    currentTotalTaxSet: price,
    totalTipReceivedSet: price,
    totalRefundedSet: price,
    totalReceivedSet: price,
    paymentGatewayNames: fc.oneof(fc.array(anything), anything),
    discountApplications: nodesOf(anyObject("index code title")),
    transactions: fc.oneof(fc.array(anyObject("kind status paymentId")), anything),
    risk: fc.oneof(anyObject("recommendation", { assessments: fc.array(anyObject("riskLevel")) }), anything),
    customer: fc.oneof(anyObject("id displayName"), anything),
    fulfillmentOrders: nodesOf(fulfillmentOrder),
    displayFulfillmentStatus: fc.oneof(fc.constantFrom("ON_HOLD", "PARTIALLY_FULFILLED", "FULFILLED"), anything),
    tags: fc.oneof(fc.array(anything), anything),
    totalPriceSet: fc.oneof(fc.record({ shopMoney: money }), anything),
    shippingAddress: fc.oneof(address, anything),
    billingAddress: fc.oneof(address, anything),
    shippingLine: fc.oneof(anyObject("title code"), anything),
    lineItems: fc.record({
      pageInfo: fc.constant({ hasNextPage: false }),
      nodes: fc.array(
        anyObject("sku title", {
          quantity,
          currentQuantity: quantity,
          unfulfilledQuantity: quantity,
          requiresShipping: fc.oneof(fc.boolean(), anything),
          id: fc.nat(),
          originalUnitPriceSet: fc.record({ shopMoney: money }),
          refundableQuantity: quantity,
          variantTitle: anything,
          customAttributes: pairs,
          discountAllocations: fc.array(
            fc.record({ allocatedAmountSet: price, discountApplication: anyObject("index") }),
          ),
          taxLines: fc.array(fc.record({ priceSet: price })),
          image: fc.oneof(fc.record({ url: fc.oneof(fc.webUrl(), anything) }), anything),
          lineItemGroup: anyObject("title"),
          product: anyObject("id"),
          variant: anyObject("id", {
            selectedOptions: pairs,
            inventoryItem: anyObject("harmonizedSystemCode countryCodeOfOrigin"),
          }),
        }),
      ),
    }),
  },
).map((order) => ({ ...order, id: "gid://shopify/Order/7" }));

const wooAddress = anyObject(
  "first_name last_name company address_1 address_2 city state postcode country phone email",
);
const wooMeta = fc.oneof(fc.array(anyObject("key value display_key display_value")), anything);
const wooOrder = anyObject(
  "number status currency total date_created_gmt date_modified_gmt date_paid_gmt customer_note customer_id discount_total " +
    "shipping_total total_tax payment_method payment_method_title transaction_id",
  {
    meta_data: wooMeta,
    fee_lines: fc.oneof(fc.array(anyObject("name total")), anything),
    coupon_lines: fc.oneof(fc.array(anyObject("code discount")), anything),
    billing: fc.oneof(wooAddress, anything),
    shipping: fc.oneof(wooAddress, anything),
    shipping_lines: fc.oneof(fc.array(anyObject("method_title")), anything),
    line_items: fc.oneof(
      fc.array(
        anyObject("sku name price subtotal total total_tax product_id variation_id parent_name bundled_items", {
          quantity,
          id: fc.nat(),
          meta_data: wooMeta,
          image: fc.oneof(anyObject("src"), anything),
        }),
      ),
      anything,
    ),
  },
).map((order) => ({ ...order, id: 7 }));

type Case = { connector: Connector; order: fc.Arbitrary<object>; yearZero: object; wrap: (order: object) => unknown };
const cases: Case[] = [
  {
    connector: shopify,
    order: shopifyOrder,
    yearZero: { id: "gid://shopify/Order/7", createdAt: -62_167_219_200_001 },
    wrap: (order) => ({ data: { orders: { pageInfo: { hasNextPage: false }, nodes: [order] } } }),
  },
  {
    connector: woocommerce,
    order: wooOrder,
    yearZero: { id: 7, date_created_gmt: "0000-01-01T00:00:00" },
    wrap: (order) => [order],
  },
];

test.each(cases)("any order of $connector.name becomes one that the hub can store", async (given) => {
  const { connector, order, yearZero, wrap } = given;
  const task = taskOf(connector, "pull", "orders.import");
  await fc.assert(
    fc.asyncProperty(order, async (sent) => {
      const call = callFor({
        settings: { shop: "a", url: "https://shop.example" },
        http: answering(() => wrap(sent)),
      });
      const [page] = await pullAll(task, call);
      const [record] = page!.records;
      // A quantity that is none is refused with its order: without the line, the order would be shipped incomplete. So is a
      // currency that is none: its amounts would become US dollars.
      const isRefused = ({ pointer }: { pointer: string }): boolean =>
        /^\/(?:lines\/\d+\/quantity|currency)$/.test(pointer);
      const problems = findProblems(JSON.parse(JSON.stringify(record!.canonical)));
      expect(problems.filter((problem) => !isRefused(problem))).toEqual([]);
      expect(record!.externalId).toBe("7");
      // Without backslashes of the texts themselves, which may stand before a "u".
      const stored = JSON.stringify(record).replaceAll("\\\\", "");
      expect(stored).not.toMatch(/\\u(0000|d[89a-f])/);
      expect(stored.isWellFormed()).toBe(true);
    }),
    { numRuns: 300, examples: [[yearZero]] },
  );
});

test.each([null, "", " ", {}, undefined])(
  "a WooCommerce line with the quantity %j is kept, so that its order is refused",
  async (given) => {
    const lines = [
      { id: 1, quantity: 1 },
      { id: 2, quantity: given },
    ];
    const call = callFor({
      settings: { url: "https://shop.example" },
      http: answering(() => [{ id: 7, line_items: lines }]),
    });
    const [page] = await pullAll(taskOf(woocommerce, "pull", "orders.import"), call);
    const problems = findProblems(JSON.parse(JSON.stringify(page!.records[0]!.canonical)));
    expect(problems.map(({ pointer }) => pointer)).toContain("/lines/1/quantity");
  },
);

test.each([
  ["the same cursor", "here"],
  ["no cursor", null],
])("an endless list of Shopify (%s) ends with a failure", async (_, endCursor) => {
  const pageInfo = { hasNextPage: true, endCursor };
  const order = { id: "gid://shopify/Order/7", lineItems: { pageInfo, nodes: [{ id: "gid://shopify/LineItem/1" }] } };
  const endless = { orders: { pageInfo, nodes: [] }, locations: { pageInfo, nodes: [] } };
  const lines = { orders: { pageInfo: {}, nodes: [order] }, order };
  for (const [name, data] of [
    ["orders.import", endless],
    ["locations.pull", endless],
    ["orders.import", lines],
  ] as const) {
    let asked = 0;
    const http = answering(() => {
      if (++asked > 50) throw new Error("asked for ever");
      return { data };
    });
    const pulled = pullAll(taskOf(shopify, "pull", name), callFor({ settings: { shop: "a" }, http }));
    await expect(pulled).rejects.toMatchObject({ code: "pagination_loop", retryable: true });
  }
});

test("a WooCommerce shop that ignores the page number ends with a failure", async () => {
  const orders = Array.from({ length: 50 }, (_, id) => ({ id, date_modified_gmt: "2026-01-01T00:00:00" }));
  let asked = 0;
  const http = answering(() => {
    if (++asked > 50) throw new Error("asked for ever");
    return orders;
  });
  const call = callFor({ settings: { url: "https://shop.example" }, http });
  const pulled = pullAll(taskOf(woocommerce, "pull", "orders.import"), call);
  await expect(pulled).rejects.toMatchObject({ code: "stale_page", retryable: true });
});

test("more orders than one list of Shopify allows are all read", async () => {
  const all = Array.from({ length: 52_000 }, (_, i) => ({
    id: `gid://shopify/Order/${i + 1}`,
    updatedAt: new Date(Date.parse("2026-01-01T00:00:00Z") + Math.floor(i / 3) * 1000).toISOString(),
  }));
  const starts = new Map<string, number>();
  const http = answering((body) => {
    const { first, after, query } = (body as { variables: { first: number; after: string | null; query: string } })
      .variables;
    const from = /updated_at:>='([^']+)'/.exec(query)?.[1] ?? "";
    const start = starts.get(from) ?? all.findIndex(({ updatedAt }) => updatedAt >= from);
    starts.set(from, start);
    const at = after === null ? start : Number(after);
    if (at - start + first > 25_000) return { errors: [{ message: "Pagination beyond 25000" }] };
    const pageInfo = { hasNextPage: at + first < all.length, endCursor: String(at + first) };
    return { data: { orders: { pageInfo, nodes: all.slice(at, at + first) } } };
  });
  const task = taskOf(shopify, "pull", "orders.import");
  const ids = new Set<string>();
  for await (const { records } of task.pull(callFor({ settings: { shop: "a", pageSize: 1000 }, http }), undefined)) {
    for (const { externalId } of records) ids.add(externalId);
  }
  expect(ids.size).toBe(all.length);
});
