import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The receipts of the stand-in as the hub has to answer them, written by hand from their fields. */

const albany = {
  name: "Ann Lee",
  address1: "12 Main Street",
  city: "Albany",
  province: "NY",
  provinceCode: "NY",
  zip: "12207",
  countryCode: "US",
};

/** One mug of 18.50 and shipping of 5.00, without tax. */
const oneMug = { subtotal: 18.5, discount: 0, shipping: 5, tax: 0, fees: 0, refunded: 0, taxIncluded: false };

export const etsyId = (number: number): string => String(2_000_000 + number);
const line = (id: number, more: object) => ({
  id: String(3_000_000 + id),
  sku: `SKU-${id}`,
  quantity: 1,
  productId: String(900 + id),
  variantId: String(5000 + id),
  options: [],
  properties: [],
  ...more,
});
const mug = (id: number, more: object = {}) => line(id, { name: "Handmade mug", price: 18.5, ...more });

/** Paid, with one mug. */
const order = (id: number, more: object = {}): ExpectedOrder => ({
  number: etsyId(id),
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "paid",
  channel: "etsy",
  currency: "USD",
  customer: { id: String(40 + id), name: "Ann Lee", email: "ann@example.com" },
  shippingAddress: albany,
  total: 23.5,
  amounts: oneMug,
  payment: { method: "cc" },
  shipping: {},
  // 1772614800 seconds.
  shipBy: "2026-03-04T09:00:00.000Z",
  lines: [mug(id + 1)],
  ...more,
});
const unpaid = { status: "awaiting_payment", paymentStatus: "pending" };

export const expectedEtsyOrders: Record<string, ExpectedOrder> = {
  [etsyId(1)]: order(1, {
    total: 104.53,
    amounts: { ...oneMug, subtotal: 98.5, discount: 9.85, tax: 7.88, fees: 3 },
    giftMessage: "Happy birthday\nBob",
    notes: [{ text: "Please pack well", visibility: "customer" }],
    lines: [
      line(1, {
        name: "Engraved ring",
        quantity: 2,
        price: 40,
        options: [{ name: "Ring size", value: "7 US" }],
        properties: [{ name: "Personalization", value: "To Ann" }],
      }),
      mug(2, { sku: "5002" }),
    ],
  }),
  [etsyId(2)]: order(2, unpaid),
  [etsyId(3)]: order(3, unpaid),
  [etsyId(4)]: order(4, {
    status: "shipped",
    shipping: { service: "Standard" },
    lines: [mug(5, { shippedQuantity: 1 })],
  }),
  [etsyId(5)]: order(5, { status: "cancelled", paymentStatus: "refunded", amounts: { ...oneMug, refunded: 23.5 } }),
  [etsyId(6)]: order(6, {
    paymentStatus: "partially_refunded",
    total: 42,
    amounts: { ...oneMug, subtotal: 37, refunded: 18.5 },
    lines: [mug(7, { quantity: 2 })],
  }),
  [etsyId(7)]: order(7, {
    status: "review_required",
    paymentStatus: "refunded",
    amounts: { ...oneMug, refunded: 23.5 },
  }),
  [etsyId(8)]: order(8, {
    total: 6,
    amounts: { ...oneMug, subtotal: 6, shipping: 0 },
    lines: [line(9, { name: "Pattern (PDF)", price: 6, requiresShipping: false })],
  }),
  [etsyId(9)]: order(9, {
    customer: { id: "49", name: "Jörg Müller" },
    shippingAddress: {
      name: "Jörg Müller",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
    },
    shipping: { service: "Express" },
  }),
  [etsyId(10)]: order(10, {
    status: "shipped",
    paymentStatus: "partially_refunded",
    amounts: { ...oneMug, refunded: 5 },
    lines: [mug(11, { shippedQuantity: 1 })],
  }),
  [etsyId(11)]: order(11, { status: "review_required" }),
};
