import { expect, test } from "vitest";
import { callFor, pullAll, taskOf } from "../testing/connector-calls.ts";
import { selectFields } from "../testing/graphql-selection.ts";
import { shopifySamples } from "../testing/shops/shopify-order-samples.ts";
import { wooSamples, wooSettings, wooVirtualProducts } from "../testing/shops/woo-order-samples.ts";
import { expectReadOrListed } from "../testing/shops/unread-fields.ts";
import type { Call, Connector } from "./connector.ts";
import { shopify } from "./shopify/shopify.ts";
import { woocommerce } from "./woocommerce/woocommerce.ts";

type Sample = { order: unknown; refund?: unknown };
type Source = { connector: Connector; document: string; samples: Sample[]; read(sample: Sample): Promise<string> };

function answering(answer: (request: Parameters<Call["http"]["request"]>[0]) => unknown): Call["http"] {
  return {
    request(request) {
      const text = JSON.stringify(answer(request));
      const json = (): unknown => JSON.parse(text);
      const rest = { text, bytes: Buffer.from(text), json, retryAfterMs: undefined, mayHaveHappened: false };
      return Promise.resolve({ status: 200, headers: {}, ...rest });
    },
  };
}

type List = { nodes: { id: unknown; lineItems?: List }[] };
/** What is behind a cursor, which is an offset. */
const behind = (list: List, after: unknown): List => ({ ...list, nodes: list.nodes.slice(Number(after ?? 0)) });

async function importOne(connector: Connector, settings: Call["settings"], http: Call["http"]): Promise<string> {
  const [page] = await pullAll(taskOf(connector, "pull", "orders.import"), callFor({ settings, http }));
  const { canonical, externalId, updatedAt } = page!.records[0]!;
  return JSON.stringify({ canonical, externalId, updatedAt });
}

const missing = new Set<string>();
/** Answers of Shopify, with what was imported from them: most fields are not asked for, so that the answer is the same. */
const imported = new Map<string, string>();
let ordersQuery: Parameters<typeof selectFields> | undefined;

const sources: Source[] = [
  {
    connector: shopify,
    document: "shopify.md",
    samples: shopifySamples.map(({ order }) => ({ order })),
    async read({ order }) {
      const data = { orders: { pageInfo: { hasNextPage: false, endCursor: null }, nodes: [order] }, order };
      const { fulfillmentOrders } = order as { fulfillmentOrders: List };
      const key = (): string =>
        ordersQuery ? JSON.stringify([selectFields(ordersQuery[0], ordersQuery[1], data), fulfillmentOrders]) : "";
      const known = imported.get(key());
      if (known !== undefined) return known;
      const http = answering(({ body }) => {
        const { query, variables } = (body as { json: { query: string; variables: Record<string, unknown> } }).json;
        ordersQuery ??= [query, variables, undefined];
        const { id, after } = variables;
        const delivery = fulfillmentOrders.nodes.find((one) => one.id === id);
        const pages = {
          ...data,
          order: { ...(order as object), fulfillmentOrders: behind(fulfillmentOrders, after) },
          fulfillmentOrder: delivery?.lineItems && { ...delivery, lineItems: behind(delivery.lineItems, after) },
        };
        return { data: selectFields(query, variables, pages, (field) => missing.add(field)) };
      });
      const made = await importOne(shopify, { shop: "a", importWeights: true }, http);
      imported.set(key(), made);
      return made;
    },
  },
  {
    connector: woocommerce,
    document: "woocommerce.md",
    samples: wooSamples.map(({ order, refundDetails }) =>
      refundDetails ? { order, refund: refundDetails } : { order },
    ),
    async read({ order, refund }) {
      const products = wooVirtualProducts.map((id) => ({ id, virtual: true }));
      const http = answering(({ url }) => {
        const called = String(url);
        return called.endsWith("/products") ? products : called.endsWith("/refunds") ? refund : [order];
      });
      return await importOne(woocommerce, { url: "https://shop.example", ...wooSettings }, http);
    },
  },
];

test.each(sources)(
  "$connector.name: each field of the recorded orders is read, or listed as not read",
  { timeout: 60_000 },
  async ({ document, samples, read: readSample }) => {
    // `order` and `refund` are the two answers of a sample.
    const read = await expectReadOrListed(document, samples, readSample, (field) => field.replace(/^order\./, ""));
    expect(read).toBeGreaterThan(50);
  },
);

test("Shopify: the queries ask only for fields that the recorded orders have", () => {
  expect([...missing]).toEqual([]);
});
