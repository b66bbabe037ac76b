import type { Call, Page, PulledRecord } from "../connector.ts";
import { createFollowed } from "../followed.ts";
import { SinceInput, startOf } from "../incremental.ts";
import type { Json } from "../shape.ts";
import { chunksOf, gone, instantOf, laterOf, listOf, objectOf } from "../shape.ts";
import { pullTask } from "../standard-tasks.ts";
import { allNodes, gidOf, idOf, nextAfter, query } from "./shopify-graphql.ts";
import { readHolds } from "./shopify-holds.ts";
import type { ShopifyPayload } from "./shopify-webhooks.ts";
import { canonicalOf } from "./shopify-canonical.ts";

const addressFields = "name company address1 address2 city province provinceCode zip country countryCodeV2 phone";

/** Weights belong to products, for which an app may lack the scope. */
function lineFieldsOf({ settings }: Call): string {
  const weight = "variant { inventoryItem { measurement { weight { value unit } } } }";
  return `id sku title variantTitle quantity currentQuantity unfulfilledQuantity requiresShipping
    customAttributes { key value } originalUnitPriceSet { shopMoney { amount } } ${settings.importWeights === true ? weight : ""}`;
}

function orderFieldsOf(call: Call): string {
  return `id name email phone createdAt updatedAt cancelledAt cancelReason
    displayFinancialStatus displayFulfillmentStatus tags note poNumber currencyCode
    customAttributes { key value }
    totalPriceSet { shopMoney { amount currencyCode } }
    currentTotalPriceSet { shopMoney { amount } }
    shippingAddress { ${addressFields} }
    billingAddress { ${addressFields} }
    shippingLine { title code }
    lineItems(first: 10) { pageInfo { hasNextPage endCursor } nodes { ${lineFieldsOf(call)} } }`;
}

const ordersQuery = (call: Call): string => `query HubOrders($first: Int!, $after: String, $query: String) {
  orders(first: $first, after: $after, sortKey: UPDATED_AT, query: $query) {
    pageInfo { hasNextPage endCursor }
    nodes { ${orderFieldsOf(call)} }
  }
}`;

const ordersByIdQuery = (call: Call): string => `query HubOrdersById($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Order { ${orderFieldsOf(call)} } }
}`;

const ordersOfQuery = `query HubOrdersOfFulfillmentOrders($ids: [ID!]!) {
  nodes(ids: $ids) { ... on FulfillmentOrder { id orderId } }
}`;

const moreLinesQuery = (call: Call): string => `query HubOrderLines($id: ID!, $after: String) {
  order(id: $id) {
    lineItems(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${lineFieldsOf(call)} } }
  }
}`;

/** `after` is Shopify's cursor, set only between two pages of one pass. */
type Cursor = { from?: string; highest?: string; after?: string; read?: number };

/** Shopify lists at most 25,000 records. Before that, a new pass starts at the newest change. */
const maxDepth = 20_000;

async function* pullOrders(call: Call, cursor: unknown): AsyncGenerator<Page> {
  const size = pageSizeOf(call);
  const given = objectOf(cursor) as Cursor;
  let at: Cursor = { ...given, read: given.read ?? 0 };
  if (given.after === undefined) {
    const from = startOf(call, cursor);
    at = { ...(from === undefined ? {} : { from }), ...(given.highest ? { highest: given.highest } : {}), read: 0 };
  }
  let followed = createFollowed(at.after);
  for (;;) {
    const search = `status:any${at.from === undefined ? "" : ` updated_at:>='${at.from}'`}`;
    const data = await query(call, ordersQuery(call), { first: size, after: at.after ?? null, query: search });
    const { pageInfo, nodes } = objectOf(data.orders);
    const records: PulledRecord[] = [];
    for (const node of listOf(nodes)) records.push(await readWhole(call, node));
    const after = nextAfter(objectOf(pageInfo), followed);
    at = nextCursor(at, records, after);
    // Cursors of a new pass may repeat those of the last one.
    if (at.after === undefined) followed = createFollowed(undefined);
    yield { records, cursor: at };
    if (after === undefined) return;
  }
}

function pageSizeOf({ settings }: Call): number {
  return (settings.pageSize as number | undefined) ?? 10;
}

async function readWhole(call: Call, node: Json): Promise<PulledRecord> {
  return toRecord(await withHolds(call, await withAllLines(call, node)));
}

/** Reads the current state of the orders, each once. A missing order is skipped, unless a webhook reported it as deleted. */
async function receive(call: Call, payloads: unknown[]): Promise<PulledRecord[]> {
  const changes = payloads as ShopifyPayload[];
  const deleted = new Set(changes.flatMap((one) => ("deletedOrderId" in one ? [one.deletedOrderId] : [])));
  const held = changes.flatMap((one) => ("fulfillmentOrderId" in one ? [one.fulfillmentOrderId] : []));
  const named = changes.flatMap((one) => ("orderId" in one ? [one.orderId] : []));
  const ids = [...new Set([...named, ...deleted, ...(await ordersOf(call, [...new Set(held)]))])];
  const records: PulledRecord[] = [];
  for (const some of chunksOf(ids, pageSizeOf(call))) {
    const { nodes } = await query(call, ordersByIdQuery(call), { ids: some.map((id) => gidOf("Order", id)) });
    const found = new Map(listOf(nodes).map((node) => [idOf(node.id), node]));
    for (const id of some) {
      const node = found.get(id);
      if (node) records.push(await readWhole(call, node));
      else if (deleted.has(id)) records.push({ externalId: id, isGone: true, raw: {}, canonical: gone(id) });
    }
  }
  return records;
}

/** Holds and moves concern fulfillment orders, which refer to their order. */
async function ordersOf(call: Call, fulfillmentOrderIds: string[]): Promise<string[]> {
  const orders: string[] = [];
  for (const some of chunksOf(fulfillmentOrderIds, 100)) {
    const ids = some.map((id) => gidOf("FulfillmentOrder", id));
    const { nodes } = await query(call, ordersOfQuery, { ids });
    orders.push(...listOf(nodes).map(({ orderId }) => idOf(orderId)));
  }
  return orders.filter((id) => id !== "");
}

function nextCursor(at: Cursor, records: PulledRecord[], after: string | undefined): Cursor {
  const newest = records.reduce<string | undefined>((max, { updatedAt }) => laterOf(max, updatedAt), undefined);
  const highest = laterOf(at.highest, newest);
  const mark = highest === undefined ? {} : { highest };
  if (after === undefined) return mark;
  const read = (at.read ?? 0) + records.length;
  const isDeep = read >= maxDepth && newest !== undefined && newest !== at.from;
  if (isDeep) return { from: newest, ...mark, read: 0 };
  return { ...(at.from === undefined ? {} : { from: at.from }), ...mark, after, read };
}

async function withAllLines(call: Call, order: Json): Promise<Json> {
  const lineItems = await allNodes(order.lineItems, async (after) => {
    const data = await query(call, moreLinesQuery(call), { id: order.id, after });
    return objectOf(data.order).lineItems;
  });
  return { ...order, lineItems };
}

/** Only for orders on hold, since it needs a request of its own. */
async function withHolds(call: Call, order: Json): Promise<Json> {
  return order.displayFulfillmentStatus === "ON_HOLD"
    ? { ...order, fulfillmentHolds: await readHolds(call, order.id) }
    : order;
}

function toRecord(order: Json): PulledRecord {
  const updatedAt = instantOf(order.updatedAt);
  const externalId = idOf(order.id);
  return { externalId, ...(updatedAt === undefined ? {} : { updatedAt }), raw: order, canonical: canonicalOf(order) };
}

export const ordersImport = pullTask("orders.import", {
  description: "Reads the orders that changed since the last import, oldest change first.",
  input: SinceInput,
  isIncremental: true,
  pull: pullOrders,
  canonicalOf,
  receive,
});
