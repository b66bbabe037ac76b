import { byChange } from "./stand-in-data.ts";
import type { ShopData, ShopOrder } from "./stand-in-data.ts";
import { selectFields } from "./graphql-selection.ts";
import type { Reply, ShopRequest } from "./stand-in-exchange.ts";
import type { TokenEndpoint } from "./stand-in-tokens.ts";
import { shopifyChanges } from "./stand-in-shopify-changes.ts";
import {
  fulfillmentOrderNodes,
  gid,
  lineNodes,
  numberIn,
  openNodes,
  orderNode,
  pageOf,
  remainingOf,
} from "./stand-in-shopify-nodes.ts";

type Variables = Record<string, unknown>;

function levelNodes({ locations }: ShopData["products"][number]) {
  return Object.entries(locations).map(([id, [available, committed]]) => ({
    location: { id: gid("Location", Number(id)) },
    quantities: [
      { name: "available", quantity: available },
      { name: "committed", quantity: committed },
    ],
  }));
}

/** Answers the operations that the connector sends, by their names. */
export function answerShopify(data: ShopData, request: ShopRequest, tokens: TokenEndpoint): Reply {
  if (!tokens.accepts(request.headers["x-shopify-access-token"])) {
    return { status: 401, body: { errors: "[API] Invalid API key or access token" } };
  }
  const { query, variables = {} } = JSON.parse(request.body) as { query: string; variables?: Variables };
  const cost = costOf(query, variables);
  if (cost > maxCost) {
    const message = `Query cost is ${cost}, which exceeds the single query max cost limit (${maxCost}).`;
    return { status: 200, body: { errors: [{ message, extensions: { code: "MAX_COST_EXCEEDED" } }] } };
  }
  const denied = data.deniedFields.filter((field) => new RegExp(`\\b${field}\\b`).test(query));
  if (denied.length > 0) return { status: 200, body: { errors: denied.map(accessDenied), data: null } };
  const operation = operations[operationOf(request.body)];
  if (!operation) return { status: 200, body: { errors: [{ message: "Unknown operation" }] } };
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 1900, restoreRate: 100 };
  const extensions = { cost: { requestedQueryCost: 100, actualQueryCost: 50, throttleStatus } };
  const answer = selectFields(query, variables, operation(data, variables));
  const headers = { "x-shopify-api-version": /\/admin\/api\/([^/]+)\//.exec(request.url.pathname)?.[1] ?? "" };
  return { status: 200, headers: { ...headers, ...data.headers }, body: { data: answer, extensions } };
}

function accessDenied(field: string) {
  const message = `Access denied for ${field} field. Required access: a scope that the app does not have.`;
  return { message, path: ["orders", "nodes", 0, field], extensions: { code: "ACCESS_DENIED" } };
}

export function operationOf(body: string): string {
  return /(?:query|mutation)\s+(\w+)/.exec(body)?.[1] ?? "";
}

const maxCost = 1_000;

/** As Shopify's documents count it: an object is a point, a list as many as are asked for, each with what is in it. */
function costOf(query: string, variables: Variables): number {
  const tokens = [...query.matchAll(/[{}]|\([^)]*\)|\.\.\. on \w+|\$?\w+/g)].map(([token]) => token);
  let at = tokens.indexOf("{") + 1;
  const sizeIn = (given: string): number | undefined => {
    const first = /\bfirst: (\$?\w+)/.exec(given)?.[1];
    const ids = /\bids: \$(\w+)/.exec(given)?.[1];
    if (ids !== undefined) return (variables[ids] as unknown[]).length;
    return first === undefined ? undefined : Number(first.startsWith("$") ? variables[first.slice(1)] : first);
  };
  const fields = (): number => {
    let sum = 0;
    while (tokens[at] !== "}" && at < tokens.length) {
      const name = tokens[at++]!;
      const size = tokens[at]?.startsWith("(") ? sizeIn(tokens[at++]!) : undefined;
      if (tokens[at] !== "{") continue;
      at++;
      const inner = fields();
      at++;
      const isFrame = name === "nodes" || name === "pageInfo" || name.startsWith("...");
      // The pages of a list are made of its nodes, which are counted with it.
      sum += size === undefined ? inner + (isFrame ? 0 : 1) : size * (inner + 1);
    }
    return sum;
  };
  return fields();
}

/** All fulfilment orders of an order, whatever a page has of them. */
function deliveryNodes(order: ShopOrder): { id: string; lineItems: { nodes: unknown[] } }[] {
  return orderNode(order).fulfillmentOrders.nodes;
}

const operations: Record<string, (data: ShopData, variables: Variables) => unknown> = {
  ...shopifyChanges,
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
  HubOrdersById(data, { ids }) {
    return { nodes: (ids as string[]).map((id) => data.find(numberIn(id))).map((order) => order && orderNode(order)) };
  },
  HubOrdersOfFulfillmentOrders: (data, { ids }) => ({
    nodes: (ids as string[]).map((id) => {
      const order = data.find(Math.floor(numberIn(id) / 100));
      return order ? { id, orderId: gid("Order", order.id) } : null;
    }),
  }),
  HubOrderLines(data, { id, after }) {
    const order = data.find(numberIn(id));
    return { order: order ? { lineItems: pageOf(lineNodes(order, order.lines), 50, after) } : null };
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
  HubInventory: (data, { after }) => ({
    inventoryItems: pageOf(
      data.products.map((product) => ({
        id: gid("InventoryItem", product.id),
        sku: product.sku,
        tracked: product.isTracked,
        inventoryLevels: pageOf(levelNodes(product), 10, null),
      })),
      20,
      after,
    ),
  }),
  HubInventoryLevels(data, { id, after }) {
    const product = data.products.find((one) => one.id === numberIn(id))!;
    return { inventoryItem: { inventoryLevels: pageOf(levelNodes(product), 50, after) } };
  },
  HubOrderFulfillments(data, { id }) {
    const order = data.find(numberIn(id));
    if (!order) return { order: null };
    return {
      order: {
        id,
        lineItems: pageOf(lineNodes(order, order.lines), 50, null),
        // No connection: there is no page behind the first one.
        fulfillments: order.shipments.slice(0, 250).map(({ id: shipmentId, trackingNumber }) => ({
          id: gid("Fulfillment", shipmentId),
          status: "SUCCESS",
          trackingInfo: trackingNumber === "" ? [] : [{ number: trackingNumber }],
        })),
        fulfillmentOrders: pageOf(fulfillmentOrderNodes(order), 5, null),
      },
    };
  },
  HubOrderLineKinds(data, { id, after }) {
    const order = data.find(numberIn(id))!;
    return { order: { lineItems: pageOf(lineNodes(order, order.lines), 250, after) } };
  },
  HubFulfillmentOrders(data, { id, after }) {
    const order = data.find(numberIn(id))!;
    return { order: { fulfillmentOrders: pageOf(fulfillmentOrderNodes(order), 10, after) } };
  },
  HubFulfillmentOrderLines(data, { id, after }) {
    const order = data.find(Math.floor(numberIn(id) / 100))!;
    return { fulfillmentOrder: { lineItems: pageOf(openNodes(order, numberIn(id) % 100), 250, after) } };
  },
  HubFulfillmentLines(data, { id, after }) {
    const [shipment] = data.orders.flatMap(({ shipments }) => shipments.filter((one) => one.id === numberIn(id)));
    const nodes = [...shipment!.items].map(([lineId, quantity]) => ({
      quantity,
      lineItem: { id: gid("LineItem", lineId) },
    }));
    return { fulfillment: { fulfillmentLineItems: pageOf(nodes, 250, after) } };
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
    const order = data.find(Math.floor(numberIn(groups[0]?.fulfillmentOrderId) / 100));
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
  HubOrderDeliveries(data, { id, after }) {
    const order = data.find(numberIn(id));
    return { order: order ? { fulfillmentOrders: pageOf(deliveryNodes(order), 10, after) } : null };
  },
  HubDeliveryLines(data, { id, after }) {
    const all = data.orders.flatMap(deliveryNodes);
    const { nodes } = all.find((one) => one.id === id)!.lineItems;
    return { fulfillmentOrder: { lineItems: pageOf(nodes, 250, after) } };
  },
  HubOrderLongLists: (data, { id }) => ({ order: orderNode(data.find(numberIn(id))!) }),
  HubOrderFulfillmentOrders: (data, { id, after }) => ({
    order: { fulfillmentOrders: pageOf(deliveryNodes(data.find(numberIn(id))!), 50, after) },
  }),
  HubOrderHolds(data, { id }) {
    const order = data.find(numberIn(id));
    if (!order) return { order: null };
    const fulfillmentHolds = order.holds.map(({ id: holdId, handle, reason = "OTHER", reasonNotes = null }) => {
      return { id: gid("FulfillmentHold", holdId), handle, reason, reasonNotes };
    });
    const node = {
      id: gid("FulfillmentOrder", order.id * 100 + 1),
      status: order.holds.length > 0 ? "ON_HOLD" : "OPEN",
    };
    return { order: { id, fulfillmentOrders: { nodes: [{ ...node, fulfillmentHolds }] } } };
  },
  HubHold(data, { id, hold }) {
    const order = data.find(Math.floor(numberIn(id) / 100))!;
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
    const order = data.find(Math.floor(numberIn(id) / 100))!;
    const released = (holdIds as string[]).map(numberIn);
    order.holds = order.holds.filter((hold) => !released.includes(hold.id));
    data.record("hold.release", order.id, released.join(","));
    return { fulfillmentOrderReleaseHold: { fulfillmentOrder: { id }, userErrors: [] } };
  },
};
