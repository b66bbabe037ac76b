import { totalOf } from "./stand-in-data.ts";
import type { ShopLine, ShopOrder } from "./stand-in-data.ts";

export const gid = (type: string, id: number): string => `gid://shopify/${type}/${id}`;
export const numberIn = (id: unknown): number => Number(String(id).split("/").at(-1));

export function lineNodes(order: ShopOrder, lines: ShopLine[]) {
  return lines.map((line) => ({
    id: gid("LineItem", line.id),
    sku: line.sku === "" ? null : line.sku,
    title: line.title,
    variantTitle: line.variant ?? null,
    customAttributes: line.properties ?? [],
    quantity: line.quantity,
    // Cancelling takes everything off the order.
    currentQuantity: order.isCancelled ? 0 : line.quantity - (line.removed ?? 0),
    unfulfilledQuantity: order.isCancelled ? 0 : remainingOf(order, line) - (line.removed ?? 0),
    requiresShipping: !line.isDigital,
    originalUnitPriceSet: { shopMoney: { amount: line.price } },
    ...(line.weight ? { variant: { inventoryItem: { measurement: { weight: line.weight } } } } : {}),
    ...line.more,
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

export function pageOf<T>(all: T[], first: number, after: unknown) {
  const from = typeof after === "string" ? Number(after) : 0;
  const until = from + first;
  return {
    pageInfo: { hasNextPage: until < all.length, endCursor: String(until) },
    nodes: all.slice(from, until),
  };
}

/** The lines are divided among the locations of the shop, a fulfilment order each. */
export function openNodes(order: ShopOrder, at: number) {
  const physical = order.lines.filter(({ isDigital }) => !isDigital);
  const size = Math.ceil(physical.length / (order.locations ?? 2));
  return physical.slice((at - 1) * size, at * size).map((line) => ({
    id: gid("FulfillmentOrderLineItem", line.id),
    remainingQuantity: remainingOf(order, line),
    lineItem: { id: gid("LineItem", line.id) },
  }));
}

export function fulfillmentOrderNodes(order: ShopOrder) {
  return Array.from({ length: order.locations ?? 2 }, (_, index) => ({
    id: gid("FulfillmentOrder", order.id * 100 + index + 1),
    status: order.holds.length > 0 ? "ON_HOLD" : "OPEN",
    assignedLocation: { location: { id: gid("Location", index + 1) } },
    deliveryMethod: { methodType: "SHIPPING" },
    lineItems: pageOf(openNodes(order, index + 1), 30, null),
  }));
}

export function orderNode(order: ShopOrder) {
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
    lineItems: pageOf(lineNodes(order, order.lines), Infinity, null),
    fulfillmentOrders: pageOf(fulfillmentOrderNodes(order), Infinity, null),
    poNumber: null,
    customAttributes: [],
    currentTotalPriceSet: { shopMoney: { amount: order.isCancelled ? "0.0" : totalOf(order) } },
    ...order.more,
  };
}

export function remainingOf(order: ShopOrder, line: ShopLine): number {
  return order.shipments.reduce((left, { items }) => left - (items.get(line.id) ?? 0), line.quantity);
}
