import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The orders of the stand-in as the hub has to answer them, written by hand from their fields. */

const sanJose = {
  name: "John Smith",
  address1: "2025 Hamilton Ave",
  city: "San Jose",
  province: "CA",
  provinceCode: "CA",
  zip: "95125",
  countryCode: "US",
  phone: "408 555 0100",
  email: "john@members.ebay.com",
};

/** One mug of 9.50 and delivery of 4.50, paid, without tax. */
const oneMug = {
  subtotal: 9.5,
  discount: 0,
  shipping: 4.5,
  tax: 0,
  refunded: 0,
  paid: 14,
  taxIncluded: false,
};

export const ebayId = (number: number): string => `12-3456${String(number).padStart(2, "0")}-90123`;
const line = (id: number, more: object) => ({
  id: `1000${id}`,
  quantity: 1,
  discount: 0,
  tax: 0,
  productId: `11055${id}`,
  ...more,
});
const mug = (id: number, more: object = {}) => line(id, { sku: "MUG-01", name: "Enamel mug", price: 9.5, ...more });

/** Paid, to San Jose. */
const order = (id: number, more: object): ExpectedOrder => ({
  number: ebayId(id),
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "paid",
  channel: "ebay",
  currency: "USD",
  customer: { id: `buyer${id}`, name: "John Smith", email: "john@members.ebay.com", phone: "408 555 0100" },
  shippingAddress: sanJose,
  total: 14,
  amounts: oneMug,
  payment: { method: "EBAY", reference: `ref-${id}` },
  shipping: { carrier: "usps", service: "USPSPriority" },
  shipBy: "2026-03-18T06:59:59.000Z",
  deliverBy: "2026-03-24T07:00:00.000Z",
  customFields: { ebay_legacy_order_id: `1105500${String(id).padStart(2, "0")}-1` },
  lines: [],
  ...more,
});

export const expectedEbayOrders: Record<string, ExpectedOrder> = {
  // A payment with a gift card failed before.
  [ebayId(1)]: order(1, {
    total: 92.3,
    amounts: {
      ...oneMug,
      subtotal: 89.5,
      discount: 8,
      discounts: [{ code: "P1", title: "10% off", amount: 8 }],
      tax: 6.3,
      paid: 92.3,
    },
    giftMessage: "Enjoy!",
    notes: [{ text: "Please leave at the door", visibility: "customer" }],
    lines: [
      line(1, {
        sku: "HOOD-BLU-L",
        name: "Hoodie",
        quantity: 2,
        price: 40,
        discount: 8,
        tax: 6.3,
        variantId: "551",
        options: [
          { name: "Color", value: "Blue" },
          { name: "Size", value: "L" },
        ],
      }),
      mug(2),
    ],
  }),
  [ebayId(2)]: order(2, {
    status: "awaiting_payment",
    paymentStatus: "pending",
    amounts: { ...oneMug, paid: 0 },
    payment: {},
    lines: [mug(3)],
  }),
  [ebayId(3)]: order(3, {
    status: "partially_shipped",
    total: 33,
    amounts: { ...oneMug, subtotal: 28.5, paid: 33 },
    lines: [mug(4, { quantity: 2, shippedQuantity: 2 }), mug(5)],
  }),
  // 1.50 of the delivery is taken off.
  [ebayId(4)]: order(4, {
    status: "shipped",
    total: 12.5,
    amounts: { ...oneMug, shipping: 3, paid: 12.5 },
    lines: [mug(6, { shippedQuantity: 1 })],
  }),
  [ebayId(5)]: order(5, {
    status: "cancelled",
    paymentStatus: "refunded",
    amounts: { ...oneMug, refunded: 14 },
    lines: [mug(7)],
  }),
  [ebayId(6)]: order(6, {
    onHold: true,
    holds: [{ reason: "customer_request", note: "Cancellation requested at eBay" }],
    lines: [mug(8)],
  }),
  [ebayId(7)]: order(7, {
    paymentStatus: "partially_refunded",
    total: 23.5,
    amounts: { ...oneMug, subtotal: 19, refunded: 9.5, paid: 23.5 },
    lines: [mug(9, { quantity: 2 })],
  }),
  [ebayId(8)]: order(8, {
    status: "review_required",
    paymentStatus: "refunded",
    amounts: { ...oneMug, refunded: 14 },
    lines: [mug(10)],
  }),
  // Without an address there is no name either.
  [ebayId(9)]: order(9, {
    customer: { id: "buyer9" },
    shippingAddress: null,
    total: 9.5,
    amounts: { ...oneMug, subtotal: 5, paid: 9.5 },
    shipping: {},
    lines: [line(11, { sku: "1105511", name: "Print at home pattern", price: 5, requiresShipping: false })],
  }),
  [ebayId(10)]: order(10, {
    customer: { id: "buyer10", name: "Jörg Müller", email: "john@members.ebay.com" },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
      email: "john@members.ebay.com",
    },
    amounts: { ...oneMug, presentmentCurrency: "EUR", presentmentTotal: 12.89 },
    lines: [mug(12)],
  }),
  [ebayId(11)]: order(11, { status: "review_required", paymentStatus: "voided", lines: [mug(13)] }),
  [ebayId(12)]: order(12, { status: "review_required", lines: [mug(14)] }),
};
