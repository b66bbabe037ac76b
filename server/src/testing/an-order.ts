import { newOrder } from "../features/orders/order-fields.ts";
import type { Hold, Order, OrderLine } from "../features/orders/order.ts";

/** For tests: a ready, paid and unshipped order. */
export function anOrder(overrides: Partial<Order> = {}): Order {
  const env = {
    now: "2026-03-01T09:00:00.000Z",
    actor: { type: "system", name: "test" } as const,
    newId: () => "0199f0a0-0000-7000-8000-00000000a001",
  };
  const order = newOrder(
    {
      status: "ready",
      paymentStatus: "paid",
      channel: "web",
      bridgeId: "0199f0a0-0000-7000-8000-00000000b001",
      externalId: "ext-1001",
      customer: { name: "Ada Byron", email: "ada@example.com" },
      shippingAddress: {
        name: "Ada Byron",
        address1: "5 Main Street",
        city: "Springfield",
        provinceCode: "IL",
        zip: "62701",
        countryCode: "US",
      },
      lines: [
        { id: "line-a", sku: "A", quantity: 3, price: 10, weight: { value: 500, unit: "g" } },
        { id: "line-b", sku: "B", quantity: 2, price: 25, weight: { value: 2, unit: "kg" } },
      ],
      total: 80,
      shipping: { carrier: "ups", service: "ground" },
    },
    "SO-1001",
    env,
  );
  return { ...order, version: 3, ...overrides };
}

export function aLine(overrides: Partial<OrderLine> = {}): OrderLine {
  return { id: "line-a", sku: "A", quantity: 1, shippedQuantity: 0, ...overrides };
}

export function aHold(overrides: Partial<Hold> = {}): Hold {
  return {
    id: "0199f0a0-0000-7000-8000-00000000c001",
    handle: "operator",
    reason: "operator",
    note: null,
    until: null,
    source: "user",
    by: { type: "user", id: "0199f0a0-0000-7000-8000-00000000d001", email: "op@example.com" },
    placedAt: "2026-03-01T10:00:00.000Z",
    ...overrides,
  };
}
