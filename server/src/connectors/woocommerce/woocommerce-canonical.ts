import { plainText } from "../../core/html-text.ts";
import type { CanonicalOrder, NamedValue } from "../canonical.ts";
import type { Settings } from "../connector.ts";
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
  listOf,
  numberOf,
  objectOf,
} from "../shape.ts";
import { fieldsOfAttributes } from "../shop-attributes.ts";
import { decoded, linesOf } from "./woocommerce-lines.ts";
import { amountsOf, refundedAmount, refundedQuantities } from "./woocommerce-money.ts";
import { statusesOf } from "./woocommerce-statuses.ts";

export function canonicalOf(order: Json, settings: Settings): CanonicalOrder {
  const billing = objectOf(order.billing);
  const name = [billing.first_name, billing.last_name].map(asText).join(" ");
  const [shippingLine] = listOf(order.shipping_lines);
  const isPickup = /^(local_pickup|pickup_location)\b/.test(asText(shippingLine?.method_id));
  const service = line(decoded(shippingLine?.method_title), 100);
  const { status, paymentStatus, refundedOf } = settleRefunds(order, settings);
  const items = linesOf(order, refundedOf, isPickup);
  const lines = items.flatMap(({ isLeft, ...item }) => (isLeft ? [item.line] : []));
  const { notes, ...attributes } = fieldsOfAttributes(attributesOf(order));
  const customerId = numberOf(order.customer_id);
  return {
    externalId: asText(order.id),
    status: status === "new" && !isPickup && isNothingShipped(lines) ? "review_required" : status,
    paymentStatus,
    ...(order.status === "trash" ? { deleted: true } : {}),
    ...attributes,
    ...filled({
      number: line(order.number, 100),
      currency: currencyOf(order.currency),
      orderedAt: instantOf(order.date_created_gmt),
      channel: "woocommerce",
      tags: isPickup ? ["pickup"] : undefined,
      customer: customerOf({
        id: customerId > 0 ? customerId : undefined,
        name: decoded(name),
        email: billing.email,
        phone: billing.phone,
      }),
      shippingAddress: toAddress(order.shipping) ?? toAddress(billing),
      billingAddress: toAddress(billing),
      lines,
      total: amount(order.total),
      amounts: filledOrNothing(amountsOf(order)),
      payment: paymentOf(order),
      shipping: filledOrNothing({ service }),
      notes: joinNotes(buyerNotes(order.customer_note), notes),
    }),
  };
}

/** Virtual items alone: a user decides what happens to the order. */
function isNothingShipped(lines: { requiresShipping?: boolean }[]): boolean {
  return lines.length > 0 && lines.every(({ requiresShipping }) => requiresShipping === false);
}

type Settled = { status: string; paymentStatus: string; refundedOf(item: Json): number };

/** Subtracts refunded quantities from the lines if they were not shipped yet. */
function settleRefunds(order: Json, settings: Settings): Settled {
  const { status, payment } = statusesOf(order, settings);
  const isBack = refundedAmount(order) > 0 && payment !== "voided";
  const paymentStatus = isBack
    ? refundedAmount(order) >= (amount(order.total) ?? 0)
      ? "refunded"
      : "partially_refunded"
    : payment;
  const quantities = refundedQuantities(order);
  const refundedOf = (item: Json): number => quantities.get(asText(item.id)) ?? 0;
  const isNothingLeft =
    quantities.size > 0 && listOf(order.line_items).every((item) => numberOf(item.quantity) <= refundedOf(item));
  if (status !== "cancelled" && !isNothingLeft) return { status, paymentStatus, refundedOf };
  // A cancelled order keeps its original quantities.
  return { status: "cancelled", paymentStatus, refundedOf: () => 0 };
}

/** Card numbers were masked when the order was read. */
function paymentOf(order: Json): CanonicalOrder["payment"] {
  const title = line(plainText(asText(order.payment_method_title)), 100);
  return filledOrNothing({
    method: title ?? line(order.payment_method, 100),
    reference: line(order.transaction_id, 200),
  });
}

/** Names that start with `_` are internal to the shop. These are read all the same, because checkout extensions use them. */
const hiddenButRead: ReadonlySet<string> = new Set([
  "_po_number",
  "_billing_po_number",
  "_purchase_order_number",
  "_delivery_date",
  "_gift_message",
]);

function attributesOf(order: Json): NamedValue[] {
  return listOf(order.meta_data).flatMap(({ key, value, display_key: label, display_value: shown }) => {
    const name = asText(key);
    const given = [shown, value].find((one) => typeof one === "string" || typeof one === "number");
    const text = plainText(asText(given)).trim();
    const isRead = hiddenButRead.has(name) || (name !== "" && !name.startsWith("_"));
    return isRead && text !== "" ? [{ name: plainText(asText(label ?? key)), value: text }] : [];
  });
}

/** An order without shipping has an address of empty texts. */
function toAddress(given: unknown) {
  const { first_name: first, last_name: last, company, address_1: address1, ...rest } = objectOf(given);
  const { address_2: address2, city, state: provinceCode, postcode: zip, country: countryCode, phone } = rest;
  if (!address1 && !city && !zip) return undefined;
  const name = [first, last].map(asText).join(" ");
  const texts = { name, company, address1, address2, city, provinceCode, zip, countryCode, phone };
  return addressOf(Object.fromEntries(Object.entries(texts).map(([field, value]) => [field, decoded(value)])));
}
