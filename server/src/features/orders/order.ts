import type { Actor } from "../../core/actor.ts";
import type { Address } from "../../core/address.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import type { HoldReason, OrderStatus, PaymentStatus, Priority } from "./orders.states.ts";

/** Times are ISO texts and absent things are null, so that an order is the same in memory, in JSON and in a diff. */
export type Order = {
  id: string;
  number: string;
  status: OrderStatus;
  paymentStatus: PaymentStatus;
  priority: Priority;
  holds: Hold[];
  tags: string[];
  channel: string | null;
  bridgeId: string | null;
  externalId: string | null;
  customer: Customer;
  shippingAddress: Address | null;
  billingAddress: Address | null;
  addressStatus: "unverified" | "valid" | "invalid";
  lines: OrderLine[];
  currency: string;
  total: number | null;
  shipping: ShippingChoice;
  packages: OrderPackage[];
  shipments: OrderShipment[];
  notes: OrderNote[];
  customFields: Record<string, string | number | boolean>;
  locationId: string | null;
  assigneeId: string | null;
  parentOrderId: string | null;
  mergedIntoId: string | null;
  childCount: number;
  orderedAt: string;
  shipBy: string | null;
  deliverBy: string | null;
  dispatchOn: string | null;
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
};

export type Customer = { name?: string; email?: string; phone?: string };

export type Hold = {
  id: string;
  handle: string;
  reason: HoldReason;
  note: string | null;
  until: string | null;
  source: "user" | "key" | "bridge" | "system";
  by: Actor;
  placedAt: string;
};

export type OrderLine = {
  id: string;
  sku: string;
  name?: string;
  quantity: number;
  shippedQuantity: number;
  price?: number;
  weight?: Weight;
};

export type ShippingChoice = {
  carrierAccountId?: string;
  carrier?: string;
  service?: string;
  packageType?: string;
  thirdPartyBilling?: { account: string; zip?: string; country?: string };
};

export type OrderPackage = { weight?: Weight; dimensions?: Dimensions; count: number };

export type OrderShipment = {
  id: string;
  trackingNumber: string | null;
  carrier: string | null;
  service: string | null;
  shippedAt: string;
  lines: { lineId: string; quantity: number }[];
};

export type OrderNote = {
  id: string;
  text: string;
  visibility: "internal" | "customer" | "packing_slip" | "gift";
  by: Actor;
  at: string;
};

/** The fields a change may touch; the rest is identity and bookkeeping. */
export type OrderFields = Omit<Order, "id" | "createdAt" | "updatedAt" | "version">;
export type OrderPatch = Partial<OrderFields>;

/** What whoever makes or changes an order brings along. */
export type OrderEnv = { now: string; actor: Actor; newId(): string };

export function isOnHold(order: Pick<Order, "holds">): boolean {
  return order.holds.length > 0;
}

export function hasShipped(order: Pick<Order, "shipments" | "lines">): boolean {
  return order.shipments.length > 0 || order.lines.some((line) => line.shippedQuantity > 0);
}

/** As callers see it: with what follows from its fields. */
export function presentOrder(order: Order): Order & { onHold: boolean; archived: boolean } {
  return { ...order, onHold: isOnHold(order), archived: order.archivedAt !== null };
}

/** When the next timed hold ends. */
export function nextRelease(order: Pick<Order, "holds">): string | null {
  const ends = order.holds.flatMap((hold) => (hold.until === null ? [] : [hold.until]));
  return ends.length === 0 ? null : ends.reduce((a, b) => (a < b ? a : b));
}
