import { orderLimits } from "../../core/order-limits.ts";
import type { Weight } from "../../core/weight.ts";
import { maxWeight, readWeightUnit } from "../../core/weight.ts";
import type { CanonicalLine, CanonicalOrder } from "../canonical.ts";
import type { Json } from "../shape.ts";
import {
  addressOf,
  amount,
  asText,
  buyerNotes,
  currencyOf,
  customerOf,
  filled,
  filledOrNothing,
  instantOf,
  joinNotes,
  line,
  lineOf,
  listOf,
  nameWith,
  notShippedText,
  objectOf,
  tagsOf,
  text,
} from "../shape.ts";
import { idOf } from "./shopify-graphql.ts";

const payments = new Map([
  ["AUTHORIZED", "authorized"],
  ["PAID", "paid"],
  ["PARTIALLY_REFUNDED", "partially_refunded"],
  ["REFUNDED", "refunded"],
  ["VOIDED", "voided"],
  ["EXPIRED", "voided"],
]);

export function canonicalOf(order: Json): CanonicalOrder {
  const shipTo = objectOf(order.shippingAddress);
  const status = statusOf(order);
  const isOver = status === "cancelled";
  const original = objectOf(objectOf(order.totalPriceSet).shopMoney);
  // The current total excludes refunds and removed lines; for a cancelled order it would be zero.
  const { amount: current } = objectOf(objectOf(order.currentTotalPriceSet).shopMoney);
  const { title: service } = objectOf(order.shippingLine);
  const customer = { name: shipTo.name, email: order.email, phone: order.phone ?? shipTo.phone };
  const items = listOf(order.lineItems).filter((item) => quantityOf(item, isOver) > 0);
  const parcels = items.filter(needsShipping);
  const lines = (parcels.length > 0 ? parcels : items).map((item) => toLine(item, isOver));
  const others = parcels.length > 0 ? items.filter((item) => !needsShipping(item)) : [];
  const notShipped = others.length === 0 ? undefined : notShippedText(others.map((item) => toLine(item, isOver).line));
  return {
    externalId: idOf(order.id),
    status,
    hold: holdOf(order),
    ...filled({
      number: line(order.name, 100),
      paymentStatus: payments.get(asText(order.displayFinancialStatus)) ?? "pending",
      currency: currencyOf(order.currencyCode ?? original.currencyCode),
      orderedAt: instantOf(order.createdAt),
      channel: "shopify",
      tags: tagsOf(Array.isArray(order.tags) ? order.tags : []),
      customer: customerOf(customer),
      shippingAddress: toAddress(order.shippingAddress),
      billingAddress: toAddress(order.billingAddress),
      lines: lines.map((one) => one.line),
      total: amount(isOver ? original.amount : (current ?? original.amount)),
      shipping: filledOrNothing({ service: line(service, 100) }),
      notes: joinNotes(buyerNotes(order.note), notesOf(order, lines)),
      customFields: filledOrNothing({ po_number: line(order.poNumber, 200), not_shipped: notShipped }),
    }),
  };
}

/** Attributes that the buyer entered at the checkout, and texts that were too long for the name of an item. */
function notesOf(order: Json, lines: { note?: string }[]): CanonicalOrder["notes"] {
  const attributes = text(attributesOf(order).join("\n"), orderLimits.noteLength);
  const notes = [attributes, ...lines.map(({ note }) => note)];
  return notes.flatMap((one) => (one === undefined ? [] : [{ text: one }]));
}

/** Names that start with `_` belong to apps and are hidden in shops. */
function attributesOf({ customAttributes }: Json): string[] {
  return listOf(customAttributes).flatMap(({ key, value }) => {
    const isShown = !asText(key).startsWith("_") && asText(value).trim() !== "";
    return isShown ? [`${asText(key)}: ${asText(value)}`] : [];
  });
}

const isPaidBack: readonly string[] = ["REFUNDED", "VOIDED", "EXPIRED"];

function statusOf(order: Json): string {
  if (order.cancelledAt) return "cancelled";
  if (order.displayFulfillmentStatus === "FULFILLED") return "shipped";
  const all = listOf(order.lineItems);
  const items = all.filter((item) => quantityOf(item) > 0);
  // All lines were removed: the order is cancelled, although Shopify does not say so.
  if (items.length === 0 && all.length > 0) return "cancelled";
  // Items that are not shipped, such as gift cards, are often fulfilled at once. No parcel has left then.
  const parcels = items.filter(needsShipping);
  const shipped = parcels.filter((item) => shippedOf(item) > 0);
  const isKnown = parcels.some(({ unfulfilledQuantity }) => Number.isInteger(unfulfilledQuantity));
  if (isKnown && shipped.length > 0) {
    return parcels.every((item) => shippedOf(item) === quantityOf(item)) ? "shipped" : "partially_shipped";
  }
  if (!isKnown && order.displayFulfillmentStatus === "PARTIALLY_FULFILLED") return "partially_shipped";
  if (order.displayFinancialStatus === "PENDING") return "awaiting_payment";
  // A user decides whether refunded items still ship, and what happens to an order without shippable items.
  const isOdd = isPaidBack.includes(asText(order.displayFinancialStatus)) || parcels.length === 0;
  return isOdd && all.length > 0 ? "review_required" : "new";
}

function needsShipping({ requiresShipping }: Json): boolean {
  return requiresShipping !== false;
}

const holdReasons = new Map([
  ["AWAITING_PAYMENT", "awaiting_payment"],
  ["AWAITING_RETURN_ITEMS", "awaiting_return_items"],
  ["HIGH_RISK_OF_FRAUD", "high_risk_of_fraud"],
  ["INCORRECT_ADDRESS", "incorrect_address"],
  ["INVENTORY_OUT_OF_STOCK", "inventory_out_of_stock"],
  ["ONLINE_STORE_POST_PURCHASE_CROSS_SELL", "upsell_window"],
  ["UNKNOWN_DELIVERY_DATE", "unknown_delivery_date"],
]);

function holdOf(order: Json): NonNullable<CanonicalOrder["hold"]> | null {
  const [first] = listOf(order.fulfillmentHolds);
  if (!first) return null;
  const reason = holdReasons.get(asText(first.reason)) ?? "other";
  return { reason, ...filled({ note: text(first.reasonNotes, 500) }) };
}

function toAddress(given: unknown) {
  const { countryCodeV2: countryCode, ...rest } = objectOf(given);
  return addressOf({ ...rest, countryCode });
}

/** The current quantity excludes removed items; for a cancelled order it would be zero. */
function quantityOf(item: Json, isCancelled = false): number {
  const quantity = Number(isCancelled ? item.quantity : (item.currentQuantity ?? item.quantity));
  return Number.isInteger(quantity) ? Math.max(0, quantity) : 0;
}

function shippedOf(item: Json): number {
  const { unfulfilledQuantity: left, requiresShipping } = item;
  if (requiresShipping === false || typeof left !== "number" || !Number.isInteger(left)) return 0;
  return Math.min(Math.max(0, quantityOf(item) - left), quantityOf(item));
}

function toLine(item: Json, isCancelled: boolean): { line: CanonicalLine; note?: string } {
  const quantity = quantityOf(item, isCancelled);
  const price = objectOf(objectOf(item.originalUnitPriceSet).shopMoney).amount;
  const shippedQuantity = Math.min(shippedOf(item), quantity);
  // The name as in Shopify's exports. A product without variants has one with this title.
  const variant = asText(item.variantTitle);
  const product = [asText(item.title), variant === "Default Title" ? "" : variant].filter((part) => part !== "");
  const title = line(product.join(" - "), 200);
  const { name, note } = nameWith(title, attributesOf(item));
  const made = lineOf({ id: idOf(item.id), sku: item.sku, spareSku: title, name, price, quantity });
  const weight = weightOf(item);
  const whole = { ...made, ...(weight ? { weight } : {}), ...(shippedQuantity === 0 ? {} : { shippedQuantity }) };
  return { line: whole, ...(note === undefined ? {} : { note }) };
}

/** Weight of one unit, from the product. */
function weightOf(item: Json): Weight | undefined {
  const { measurement } = objectOf(objectOf(item.variant).inventoryItem);
  const { value, unit } = objectOf(objectOf(measurement).weight);
  const known = readWeightUnit(asText(unit));
  const isWeight = typeof value === "number" && value > 0 && value <= maxWeight;
  return known && isWeight ? { value, unit: known } : undefined;
}
