import { decodeEntities, plainText } from "../../core/html-text.ts";
import { roundToCents } from "../../core/money.ts";
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
  objectOf,
} from "../shape.ts";

const statuses = new Map<string, [status: string, payment: string]>([
  ["pending", ["awaiting_payment", "pending"]],
  ["on-hold", ["awaiting_payment", "pending"]],
  ["processing", ["new", "paid"]],
  ["completed", ["shipped", "paid"]],
  ["cancelled", ["cancelled", "voided"]],
  ["refunded", ["cancelled", "refunded"]],
  ["failed", ["cancelled", "voided"]],
  ["checkout-draft", ["draft", "pending"]],
  ["trash", ["cancelled", "voided"]],
]);

/** WordPress stores statuses with the prefix `wc-`, and some extensions return them so. */
function statusWord(order: Json): string {
  return asText(order.status).replace(/^wc-/, "");
}

/** A status that an extension has added; its meaning is unknown. */
export function isUnknownStatus(order: Json): boolean {
  return !statuses.has(statusWord(order));
}

export function canonicalOf(order: Json): CanonicalOrder {
  const billing = objectOf(order.billing);
  const name = [billing.first_name, billing.last_name].map(asText).join(" ");
  const [shippingLine] = listOf(order.shipping_lines);
  const service = line(decoded(shippingLine?.method_title), 100);
  const { status, paymentStatus, total, refundedOf } = settleRefunds(order);
  const items = withoutBundles(listOf(order.line_items)).map((item) => toLine(item, refundedOf(item)));
  const notes = items.flatMap(({ note }) => (note === undefined ? [] : [{ text: note }]));
  return {
    externalId: asText(order.id),
    status,
    paymentStatus,
    ...(order.status === "trash" ? { deleted: true } : {}),
    ...filled({
      number: line(order.number, 100),
      currency: currencyOf(order.currency),
      orderedAt: instantOf(order.date_created_gmt),
      channel: "woocommerce",
      tags: isPickup(shippingLine) ? ["pickup"] : undefined,
      customer: customerOf({ name, email: billing.email, phone: billing.phone }),
      shippingAddress: toAddress(order.shipping) ?? toAddress(billing),
      billingAddress: toAddress(billing),
      lines: items.flatMap(({ isLeft, ...item }) => (isLeft ? [item.line] : [])),
      total,
      shipping: filledOrNothing({ service }),
      notes: joinNotes(buyerNotes(order.customer_note), notes),
    }),
  };
}

type Settled = {
  status: string;
  paymentStatus: string;
  total: number | undefined;
  refundedOf(item: Json): number;
};

/** Subtracts refunds from the total, and refunded quantities from the lines if they were not shipped yet. */
function settleRefunds(order: Json): Settled {
  const [status, payment] = statuses.get(statusWord(order)) ?? ["review_required", isPaid(order) ? "paid" : "pending"];
  const refunds = listOf(order.refunds);
  const refunded = refunds.reduce((sum, refund) => sum + Math.abs(Number(refund.amount ?? refund.total) || 0), 0);
  const price = amount(order.total);
  const total = price === undefined ? undefined : Math.max(0, roundToCents(price - refunded));
  const paid = status === "new" && isPaid(order) === false ? "pending" : payment;
  const isBack = refunded > 0 && paid !== "voided";
  const paymentStatus = isBack ? (total === 0 ? "refunded" : "partially_refunded") : paid;
  const quantities = refundedQuantities(order, refunds);
  const refundedOf = (item: Json): number => quantities.get(asText(item.id)) ?? 0;
  const isNothingLeft =
    quantities.size > 0 && listOf(order.line_items).every((item) => Number(item.quantity) <= refundedOf(item));
  if (status !== "cancelled" && !isNothingLeft) return { status, paymentStatus, total, refundedOf };
  // A cancelled order keeps its original quantities.
  return { status: "cancelled", paymentStatus, total, refundedOf: () => 0 };
}

/** Undefined if the shop does not report it. Orders with cash on delivery have no date of payment. */
function isPaid({ date_paid: local, date_paid_gmt: gmt }: Json): boolean | undefined {
  if (local === undefined && gmt === undefined) return undefined;
  return Boolean(gmt ?? local);
}

/** Refunded quantities by line. Items refunded after the order was completed have been shipped, so they do not count. */
function refundedQuantities(order: Json, refunds: Json[]): Map<string, number> {
  const completedAt = instantOf(order.date_completed_gmt);
  const quantities = new Map<string, number>();
  for (const refund of refunds) {
    const at = instantOf(refund.date_created_gmt);
    if (completedAt !== undefined && at !== undefined && at >= completedAt) continue;
    for (const item of listOf(refund.line_items)) {
      const of = listOf(item.meta_data).find(({ key }) => key === "_refunded_item_id");
      const id = asText(of?.value);
      quantities.set(id, (quantities.get(id) ?? 0) + Math.abs(Number(item.quantity) || 0));
    }
  }
  return new Map([...quantities].filter(([, quantity]) => quantity > 0));
}

/** A bundle has its own line beside the lines of its items. Only the items are picked. */
function withoutBundles(items: Json[]): Json[] {
  const ids = new Set(items.map(({ id }) => asText(id)));
  const partsOf = ({ bundled_items: bundled, composite_children: children }: Json): unknown[] =>
    [bundled, children].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return items.filter((item) => !partsOf(item).some((id) => ids.has(asText(id))));
}

function isPickup(shippingLine: Json | undefined): boolean {
  return /^(local_pickup|pickup_location)\b/.test(asText(shippingLine?.method_id));
}

/** An order without shipping has an address of empty texts. */
function toAddress(given: unknown) {
  const { first_name: first, last_name: last, company, address_1: address1, ...rest } = objectOf(given);
  const { address_2: address2, city, state: provinceCode, postcode: zip, country: countryCode, phone } = rest;
  if (!address1 && !city && !zip) return undefined;
  const name = [first, last].map(asText).join(" ");
  return addressOf({ name, company, address1, address2, city, provinceCode, zip, countryCode, phone });
}

function decoded(value: unknown): unknown {
  return typeof value === "string" ? decodeEntities(value) : value;
}

/** `isLeft`: not all of it was refunded. A quantity that is not a whole number is kept, so that the order is rejected. */
function toLine(item: Json, refunded: number): { line: CanonicalLine; isLeft: boolean; note?: string } {
  const quantity = (refunded === 0 ? item.quantity : Number(item.quantity) - refunded) as number;
  const [variation, product] = [item.variation_id, item.product_id].map((id) => Number(id));
  const spareSku = variation ? `variation-${variation}` : product ? `product-${product}` : undefined;
  const { name, note } = nameWith(line(decoded(item.name), 200), chosenIn(item));
  const made = lineOf({ id: item.id, sku: item.sku, spareSku, name, price: item.price, quantity });
  return { line: made, isLeft: !(quantity <= 0), ...(note === undefined ? {} : { note }) };
}

/** Options and engravings of the buyer. Names that start with `_` are internal to the shop. */
function chosenIn({ name, meta_data: meta }: Json): string[] {
  return listOf(meta).flatMap(({ key, value, display_key: label, display_value: shown }) => {
    const text = plainText(asText(shown ?? value));
    const isShown = !asText(key).startsWith("_") && text !== "" && !asText(decoded(name)).includes(text);
    return isShown ? [`${plainText(asText(label ?? key))}: ${text}`] : [];
  });
}
