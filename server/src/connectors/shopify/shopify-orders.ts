import { withoutCardNumbers } from "../card-numbers.ts";
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
import { isHeld, withCollectedLines } from "./shopify-deliveries.ts";
import type { OrderReader } from "./shopify-order-reader.ts";
import { successfulPaymentOf } from "./shopify-money.ts";
import { createOrderReader, pageSizeOf, transactionsPerOrder } from "./shopify-order-reader.ts";

const ordersOfQuery = `query HubOrdersOfFulfillmentOrders($ids: [ID!]!) {
  nodes(ids: $ids) { ... on FulfillmentOrder { id orderId } }
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
  const reader = createOrderReader(call);
  let followed = createFollowed(at.after);
  for (;;) {
    const search = `status:any${at.from === undefined ? "" : ` updated_at:>='${at.from}'`}`;
    const { pageInfo, nodes } = await reader.page({ first: size, after: at.after ?? null, query: search });
    const records: PulledRecord[] = [];
    for (const node of listOf(nodes)) records.push(await readWhole(call, reader, node));
    const after = nextAfter(objectOf(pageInfo), followed);
    at = nextCursor(at, records, after);
    // Cursors of a new pass may repeat those of the last one.
    if (at.after === undefined) followed = createFollowed(undefined);
    yield { records, cursor: at };
    if (after === undefined) return;
  }
}

async function readWhole(call: Call, reader: OrderReader, node: Json): Promise<PulledRecord> {
  const lineItems = await allNodes(node.lineItems, (after) => reader.lines(node.id, after));
  const order = withoutCardNumbers({ ...(await withLongLists(call, reader, node)), lineItems });
  return toRecord(await withHolds(call, await withCollectedLines(call, order)));
}

/** Completes the lists of which an order has more than the page of orders brings. */
async function withLongLists(call: Call, reader: OrderReader, node: Json): Promise<Json> {
  const whole = { ...node };
  const isPaymentMissing = listOf(node.transactions).length >= transactionsPerOrder && !successfulPaymentOf(node);
  if (hasMore(node.discountApplications) || isPaymentMissing) {
    const { discountApplications, transactions } = await reader.longLists(node.id);
    Object.assign(whole, { discountApplications, transactions });
    if (hasMore(discountApplications)) call.log("warn", `Order ${idOf(node.id)} has more than 100 discounts.`);
  }
  if (hasMore(node.fulfillmentOrders)) {
    const nodes = await allNodes(node.fulfillmentOrders, (after) => reader.fulfillmentOrders(node.id, after));
    whole.fulfillmentOrders = { nodes };
  }
  return whole;
}

function hasMore(list: unknown): boolean {
  return objectOf(objectOf(list).pageInfo).hasNextPage === true;
}

/** Reads the current state of the orders, each once. A missing order is skipped, unless a webhook reported it as deleted. */
async function receive(call: Call, payloads: unknown[]): Promise<PulledRecord[]> {
  const changes = payloads as ShopifyPayload[];
  const deleted = new Set(changes.flatMap((one) => ("deletedOrderId" in one ? [one.deletedOrderId] : [])));
  const held = changes.flatMap((one) => ("fulfillmentOrderId" in one ? [one.fulfillmentOrderId] : []));
  const named = changes.flatMap((one) => ("orderId" in one ? [one.orderId] : []));
  const ids = [...new Set([...named, ...deleted, ...(await ordersOf(call, [...new Set(held)]))])];
  const reader = createOrderReader(call);
  const records: PulledRecord[] = [];
  for (const some of chunksOf(ids, pageSizeOf(call))) {
    const nodes = await reader.byIds(some.map((id) => gidOf("Order", id)));
    const found = new Map(listOf(nodes).map((node) => [idOf(node.id), node]));
    for (const id of some) {
      const node = found.get(id);
      if (node) records.push(await readWhole(call, reader, node));
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

/** Only for orders on hold, since it needs a request of its own. */
async function withHolds(call: Call, order: Json): Promise<Json> {
  return isHeld(order) ? { ...order, fulfillmentHolds: await readHolds(call, order.id) } : order;
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
