import type { Moves } from "../../core/states.ts";

export const orderStatuses = [
  "draft",
  "new",
  "review_required",
  "awaiting_payment",
  "ready",
  "sent",
  "partially_shipped",
  "shipped",
  "delivered",
  "cancelled",
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** All status transitions. Holds are independent: an order on hold keeps its status. */
export const orderMoves: Moves<OrderStatus> = {
  draft: ["new", "review_required", "awaiting_payment", "ready", "cancelled"],
  new: ["review_required", "awaiting_payment", "ready", "cancelled"],
  review_required: ["ready", "cancelled"],
  awaiting_payment: ["new", "review_required", "ready", "cancelled"],
  ready: ["sent", "partially_shipped", "shipped", "review_required", "cancelled"],
  sent: ["ready", "partially_shipped", "shipped", "cancelled"],
  partially_shipped: ["shipped", "sent", "ready"],
  shipped: ["delivered", "partially_shipped", "ready"],
  delivered: [],
  cancelled: ["new", "review_required", "awaiting_payment", "ready"],
};

/** Statuses before the order is sent anywhere: its lines can still change. */
export const beforeSending: readonly OrderStatus[] = ["draft", "new", "review_required", "awaiting_payment", "ready"];

export const beforeShipping: readonly OrderStatus[] = [...beforeSending, "sent"];

/** Statuses with items left to ship. */
export const openStatuses: readonly OrderStatus[] = [...beforeShipping, "partially_shipped"];

/** Orders that should be on their way: past their ship-by time they are late. Drafts, reviews and unpaid orders wait for others. */
export const unshippedStatuses: readonly OrderStatus[] = ["new", "ready", "sent", "partially_shipped"];

export const priorities = ["low", "normal", "high", "urgent"] as const;
export type Priority = (typeof priorities)[number];

export const paymentStatuses = ["pending", "authorized", "paid", "partially_refunded", "refunded", "voided"] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const holdReasons = [
  "awaiting_payment",
  "high_risk_of_fraud",
  "incorrect_address",
  "inventory_out_of_stock",
  "unknown_delivery_date",
  "awaiting_return_items",
  "upsell_window",
  "shipping_method",
  "customer_request",
  "operator",
  "source_conflict",
  "other",
] as const;
export type HoldReason = (typeof holdReasons)[number];

/** Statuses that a hold prevents. */
export const onTheWay: readonly OrderStatus[] = ["sent", "partially_shipped", "shipped", "delivered"];

/** Statuses in which parcels can be shipped, unless the order is on hold. */
export const shippableStatuses: readonly OrderStatus[] = ["ready", "sent", "partially_shipped", "shipped"];
