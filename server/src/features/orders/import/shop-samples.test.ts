import { describe, expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import { shopifySamples } from "../../../testing/shops/shopify-order-samples.ts";
import { wooSamples, wooSettings, wooVirtualProducts } from "../../../testing/shops/woo-order-samples.ts";
import type { ShopOrder } from "../../../testing/stand-in-data.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

/** Recorded orders of each shop are imported through the hub and compared field by field with what the shop says. */
const hub = await startTestHub();
const org = await hub.org();
const shop = await startStandInShop({ orders: 0 });
afterFile(() => shop.close());
shop.data.virtualProducts.push(...wooVirtualProducts);

type Sample = (typeof shopifySamples)[number];

function add({ order, refundDetails, holds }: Sample, updatedAt: string): void {
  const id = Number(String(order.id).split("/").at(-1));
  const values: Partial<ShopOrder> = { id, updatedAt, lines: [], more: order, holds: holds ?? [] };
  shop.data.addOrder({ ...values, ...(refundDetails ? { refundDetails } : {}) });
}

async function importAll(connector: string, settings: object, credentials: object, count: number): Promise<string> {
  const bridge = { name: connector, connector, settings, credentials };
  const bridgeId: string = (await org.post("/bridges", bridge)).body.id;
  const done = await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import", input: {} });
  expect(done.body).toMatchObject({ status: "succeeded", result: { created: count, failed: 0 } });
  return bridgeId;
}

/** The fields of the expectation, and each note as its text and visibility. */
function comparable(order: Record<string, unknown>, expected: Record<string, unknown>): Record<string, unknown> {
  const notes = (order.notes as { text: string; visibility: string }[]).map(({ text, visibility }) => [
    text,
    visibility,
  ]);
  return Object.fromEntries(Object.keys(expected).map((field) => [field, field === "notes" ? notes : order[field]]));
}

for (const [at, sample] of wooSamples.entries()) add(sample, `2026-03-02T10:10:${10 + at}Z`);
const wooBridge = await importAll(
  "woocommerce",
  { url: shop.url, ...wooSettings },
  { consumerKey: "ck_test", consumerSecret: shop.token },
  wooSamples.length,
);
shop.data.orders.length = 0;
for (const [at, sample] of shopifySamples.entries()) add(sample, `2026-03-02T10:10:${10 + at}Z`);
const shopifyBridge = await importAll(
  "shopify",
  { shop: "a", baseUrl: shop.url, importWeights: true },
  { accessToken: shop.token },
  shopifySamples.length,
);

describe.each([
  { shopName: "WooCommerce", bridgeId: wooBridge, samples: wooSamples },
  { shopName: "Shopify", bridgeId: shopifyBridge, samples: shopifySamples },
])("$shopName", ({ bridgeId, samples }) => {
  test.each(samples)("$title", async ({ hub: expected }) => {
    const found = (await org.get(`/orders/${encodeURIComponent(String(expected.number))}`)).body;
    expect(found.bridgeId).toBe(bridgeId);
    expect(comparable(found, expected)).toEqual(expected);
  });
});
