import type { CanonicalOrder } from "../canonical.ts";
import type { Json } from "../shape.ts";
import {
  addressOf,
  asText,
  buyerNotes,
  currencyOf,
  customerOf,
  filled,
  filledOrNothing,
  instantOf,
  joinNotes,
  line,
  listOf,
  objectOf,
  tagsOf,
  text,
} from "../shape.ts";
import { fieldsOfAttributes } from "../shop-attributes.ts";
import { deliveryTags, isCollected, locationOf } from "./shopify-deliveries.ts";
import { idOf } from "./shopify-graphql.ts";
import { attributesOf, needsShipping, quantityOf, shippedOf, toLine } from "./shopify-lines.ts";
import { amountsOf, paymentOf, riskLevelOf, totalOf } from "./shopify-money.ts";

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
  const isCancelled = status === "cancelled";
  const { title: service } = objectOf(order.shippingLine);
  const { id: customerId, displayName } = objectOf(order.customer);
  const unitsOf = (item: Json): number => quantityOf(item, isCancelled);
  const collected = isCollected(order);
  const lines = listOf(order.lineItems)
    .filter((item) => unitsOf(item) > 0)
    .map((item) => toLine(item, { isCancelled, isCollected: collected(idOf(item.id)) }));
  const { notes, ...attributes } = fieldsOfAttributes(attributesOf(order));
  const ownTags: unknown[] = Array.isArray(order.tags) ? order.tags : [];
  return {
    externalId: idOf(order.id),
    status,
    hold: holdOf(order),
    ...attributes,
    ...filled({
      number: line(order.name, 100),
      paymentStatus: payments.get(asText(order.displayFinancialStatus)) ?? "pending",
      currency: currencyOf(order.currencyCode),
      orderedAt: instantOf(order.createdAt),
      channel: "shopify",
      tags: tagsOf([...deliveryTags(order), ...ownTags]),
      customer: customerOf({
        id: idOf(customerId),
        name: shipTo.name ?? objectOf(order.billingAddress).name ?? displayName,
        email: order.email,
        phone: order.phone ?? shipTo.phone,
      }),
      shippingAddress: toAddress(order.shippingAddress),
      billingAddress: toAddress(order.billingAddress),
      lines,
      total: totalOf(order, isCancelled),
      amounts: filledOrNothing(amountsOf(order, isCancelled, unitsOf)),
      payment: paymentOf(order),
      riskLevel: riskLevelOf(order),
      poNumber: line(order.poNumber, 100) ?? attributes.poNumber,
      locationExternalId: locationOf(order),
      shipping: filledOrNothing({ service: line(service, 100) }),
      notes: joinNotes(buyerNotes(order.note), notes),
    }),
  };
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
