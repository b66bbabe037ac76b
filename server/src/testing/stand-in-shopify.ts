import { byChange, totalOf } from "./stand-in-data.ts";
import type { ShopData, ShopLine, ShopOrder } from "./stand-in-data.ts";
import type { Reply, ShopRequest } from "./stand-in-exchange.ts";

type Variables = Record<string, unknown>;

/** Answers the operations that the connector sends, by their names. */
export function answerShopify(data: ShopData, request: ShopRequest, token: string): Reply {
  if (request.headers["x-shopify-access-token"] !== token) {
    return { status: 401, body: { errors: "[API] Invalid API key or access token" } };
  }
  const { variables = {} } = JSON.parse(request.body) as { variables?: Variables };
  const operation = operations[operationOf(request.body)];
  if (!operation) return { status: 200, body: { errors: [{ message: "Unknown operation" }] } };
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 1900, restoreRate: 100 };
  const extensions = { cost: { requestedQueryCost: 100, actualQueryCost: 50, throttleStatus } };
  return { status: 200, body: { data: operation(data, variables), extensions } };
}

export function operationOf(body: string): string {
  return /(?:query|mutation)\s+(\w+)/.exec(body)?.[1] ?? "";
}

const gid = (type: string, id: number): string => `gid://shopify/${type}/${id}`;
const numberIn = (id: unknown): number => Number(String(id).split("/").at(-1));

function lineNodes(order: ShopOrder, lines: ShopLine[]) {
  return lines.map((line) => ({
    id: gid("LineItem", line.id),
    sku: line.sku === "" ? null : line.sku,
    title: line.title,
    quantity: line.quantity,
    // Cancelling takes everything off the order.
    currentQuantity: order.isCancelled ? 0 : line.quantity,
    unfulfilledQuantity: order.isCancelled ? 0 : remainingOf(order, line),
    requiresShipping: !line.isDigital,
    originalUnitPriceSet: { shopMoney: { amount: line.price } },
  }));
}

function financialStatusOf({ isPaid, isRefunded }: ShopOrder): string {
  return isRefunded ? "REFUNDED" : isPaid ? "PAID" : "PENDING";
}

function fulfillmentStatusOf(order: ShopOrder): string {
  const left = order.lines.reduce((sum, line) => sum + remainingOf(order, line), 0);
  if (left === 0) return "FULFILLED";
  if (order.holds.length > 0) return "ON_HOLD";
  return order.shipments.length > 0 ? "PARTIALLY_FULFILLED" : "UNFULFILLED";
}

function linePage(order: ShopOrder, first: number, after: unknown) {
  const from = typeof after === "string" ? Number(after) : 0;
  const until = from + first;
  const pageInfo = { hasNextPage: until < order.lines.length, endCursor: String(until) };
  return { pageInfo, nodes: lineNodes(order, order.lines.slice(from, until)) };
}

function orderNode(order: ShopOrder) {
  const address = {
    name: order.name,
    company: null,
    address1: order.street ?? "1 Main Street",
    address2: null,
    city: order.city,
  };
  return {
    id: gid("Order", order.id),
    name: order.number,
    email: order.email,
    phone: null,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    cancelledAt: order.isCancelled ? order.updatedAt : null,
    displayFinancialStatus: financialStatusOf(order),
    displayFulfillmentStatus: fulfillmentStatusOf(order),
    tags: ["web"],
    note: null,
    currencyCode: "USD",
    totalPriceSet: { shopMoney: { amount: totalOf(order), currencyCode: "USD" } },
    shippingAddress: { ...address, provinceCode: "NY", zip: "12207", countryCodeV2: "US", phone: null },
    billingAddress: null,
    shippingLine: { title: "Standard", code: "std" },
    lineItems: linePage(order, 20, null),
  };
}

function remainingOf(order: ShopOrder, line: ShopLine): number {
  return order.shipments.reduce((left, { items }) => left - (items.get(line.id) ?? 0), line.quantity);
}

const operations: Record<string, (data: ShopData, variables: Variables) => unknown> = {
  HubShop: () => ({ shop: { name: "Stand-in", myshopifyDomain: "stand-in.myshopify.com", currencyCode: "USD" } }),
  HubOrders(data, { first, after, query }) {
    const from = /updated_at:>='([^']+)'/.exec(String(query))?.[1];
    const key = typeof after === "string" ? Buffer.from(after, "base64").toString() : undefined;
    const keyOf = (order: ShopOrder): string => `${order.updatedAt}|${String(order.id).padStart(10, "0")}`;
    const rest = data.orders
      .filter((order) => from === undefined || Date.parse(order.updatedAt) >= Date.parse(from))
      .filter((order) => key === undefined || keyOf(order) > key)
      .toSorted(byChange);
    const page = rest.slice(0, Number(first));
    const last = page.at(-1);
    const endCursor = last ? Buffer.from(keyOf(last)).toString("base64") : null;
    return { orders: { pageInfo: { hasNextPage: rest.length > page.length, endCursor }, nodes: page.map(orderNode) } };
  },
  HubOrderLines(data, { id, after }) {
    const order = data.find(numberIn(id));
    return { order: order ? { lineItems: linePage(order, 100, after) } : null };
  },
  HubLocations: (_data, { after }) => ({
    locations: {
      pageInfo: { hasNextPage: after === null, endCursor: "1" },
      nodes: [
        {
          id: gid("Location", after === null ? 1 : 2),
          name: after === null ? "Main" : "3PL",
          isActive: after === null,
          shipsInventory: true,
          fulfillmentService: after === null ? null : { serviceName: "Ship Co" },
          address: { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" },
        },
      ],
    },
  }),
  HubOrderFulfillments(data, { id }) {
    const order = data.find(numberIn(id));
    if (!order) return { order: null };
    const physical = order.lines.filter(({ isDigital }) => !isDigital);
    const lines = physical.map((line) => ({
      id: gid("FulfillmentOrderLineItem", line.id),
      remainingQuantity: remainingOf(order, line),
      lineItem: { id: gid("LineItem", line.id) },
    }));
    const half = Math.ceil(lines.length / 2);
    const part = (at: number, nodes: unknown[]) => ({
      id: gid("FulfillmentOrder", order.id * 10 + at),
      status: order.holds.length > 0 ? "ON_HOLD" : "OPEN",
      assignedLocation: { location: { id: gid("Location", at) } },
      lineItems: { nodes },
    });
    return {
      order: {
        id,
        lineItems: { nodes: lineNodes(order, order.lines) },
        fulfillments: order.shipments.map(({ id: shipmentId, trackingNumber, items }) => ({
          id: gid("Fulfillment", shipmentId),
          status: "SUCCESS",
          trackingInfo: trackingNumber === "" ? [] : [{ number: trackingNumber }],
          fulfillmentLineItems: {
            nodes: [...items].map(([lineId, quantity]) => ({ quantity, lineItem: { id: gid("LineItem", lineId) } })),
          },
        })),
        fulfillmentOrders: { nodes: [part(1, lines.slice(0, half)), part(2, lines.slice(half))] },
      },
    };
  },
  HubFulfil(data, { fulfillment }) {
    const { lineItemsByFulfillmentOrder: groups, trackingInfo } = fulfillment as {
      lineItemsByFulfillmentOrder: {
        fulfillmentOrderId: string;
        fulfillmentOrderLineItems: { id: string; quantity: number }[];
      }[];
      trackingInfo: { number?: string; company?: string };
    };
    const refuse = (message: string) => ({
      fulfillmentCreate: { fulfillment: null, userErrors: [{ field: null, message }] },
    });
    const order = data.find(Math.floor(numberIn(groups[0]?.fulfillmentOrderId) / 10));
    if (!order) return refuse("Fulfillment order does not exist.");
    if (new Set(groups.map(({ fulfillmentOrderId }) => fulfillmentOrderId)).size > 1)
      return refuse("Several locations.");
    const items = new Map<number, number>();
    for (const { id, quantity } of groups.flatMap((group) => group.fulfillmentOrderLineItems)) {
      const line = order.lines.find((candidate) => candidate.id === numberIn(id));
      if (!line || remainingOf(order, line) < quantity) return refuse("Invalid fulfillment order line item quantity.");
      items.set(line.id, quantity);
    }
    const id = data.newId();
    const trackingNumber = trackingInfo.number ?? "";
    order.shipments.push({ id, trackingNumber, carrier: trackingInfo.company ?? "", items });
    data.touch([order]);
    data.record("fulfillment.create", order.id, trackingNumber, Object.fromEntries(items));
    return { fulfillmentCreate: { fulfillment: { id: gid("Fulfillment", id), status: "SUCCESS" }, userErrors: [] } };
  },
  HubCorrectTracking(data, { id, tracking }) {
    const { number = "" } = tracking as { number?: string };
    const order = data.orders.find(({ shipments }) => shipments.some((shipment) => shipment.id === numberIn(id)));
    const userErrors = order ? [] : [{ field: null, message: "Fulfillment does not exist." }];
    for (const shipment of order?.shipments ?? []) if (shipment.id === numberIn(id)) shipment.trackingNumber = number;
    if (order) data.record("fulfillment.update", order.id, number);
    return { fulfillmentTrackingInfoUpdate: { fulfillment: order ? { id } : null, userErrors } };
  },
  HubOrderHolds(data, { id }) {
    const order = data.find(numberIn(id));
    if (!order) return { order: null };
    const fulfillmentHolds = order.holds.map(({ id: holdId, handle, reason = "OTHER", reasonNotes = null }) => {
      return { id: gid("FulfillmentHold", holdId), handle, reason, reasonNotes };
    });
    const node = {
      id: gid("FulfillmentOrder", order.id * 10 + 1),
      status: order.holds.length > 0 ? "ON_HOLD" : "OPEN",
    };
    return { order: { id, fulfillmentOrders: { nodes: [{ ...node, fulfillmentHolds }] } } };
  },
  HubHold(data, { id, hold }) {
    const order = data.find(Math.floor(numberIn(id) / 10))!;
    const { handle } = hold as { handle: string };
    if (order.holds.some((known) => known.handle === handle)) {
      return {
        fulfillmentOrderHold: {
          fulfillmentHold: null,
          userErrors: [{ field: ["handle"], message: "Duplicate handle." }],
        },
      };
    }
    order.holds.push({ id: data.newId(), handle });
    data.record("hold.create", order.id, handle);
    return {
      fulfillmentOrderHold: { fulfillmentHold: { id: gid("FulfillmentHold", order.holds.at(-1)!.id) }, userErrors: [] },
    };
  },
  HubReleaseHold(data, { id, holdIds }) {
    const order = data.find(Math.floor(numberIn(id) / 10))!;
    const released = (holdIds as string[]).map(numberIn);
    order.holds = order.holds.filter((hold) => !released.includes(hold.id));
    data.record("hold.release", order.id, released.join(","));
    return { fulfillmentOrderReleaseHold: { fulfillmentOrder: { id }, userErrors: [] } };
  },
};
