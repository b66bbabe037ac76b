import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The orders of the stand-in as the hub has to answer them, written by hand from their fields. */

const austin = {
  name: "Jane Doe",
  address1: "555 East Street",
  city: "Austin",
  province: "Texas",
  provinceCode: "TX",
  zip: "78108",
  country: "United States",
  countryCode: "US",
  phone: "1234567890",
  email: "janedoe@example.com",
};
const sanAntonio = { ...austin, address1: "666 Sussex St", city: "San Antonio", zip: "78251" };

/** One towel of 56.00 and shipping of 10.00, without tax. */
const oneTowel = { subtotal: 56, discount: 0, shipping: 10, tax: 0, fees: 0, refunded: 0, taxIncluded: false };

const line = (id: number, more: object) => ({
  id: String(id),
  quantity: 1,
  refundedQuantity: 0,
  discount: 0,
  tax: 0,
  productId: String(70 + id),
  variantId: String(170 + id),
  options: [],
  properties: [],
  ...more,
});
const towel = (id: number, more: object = {}) =>
  line(id, { sku: "S-ORAN", name: "Fog Linen Chambray Towel", price: 56, ...more });

/** Captured, with one towel. */
const order = (id: number, more: object = {}): ExpectedOrder => ({
  number: String(id),
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "paid",
  channel: "bigcommerce",
  currency: "USD",
  customer: { id: "11", name: "Jane Doe", email: "janedoe@example.com", phone: "1234567890" },
  shippingAddress: sanAntonio,
  billingAddress: austin,
  total: 66,
  amounts: oneTowel,
  payment: { method: "Credit Card" },
  shipping: { service: "Flat Rate" },
  customFields: { bigcommerce_address_id: 500 + id },
  lines: [towel(id + 1)],
  ...more,
});

export const expectedBigcommerceOrders: Record<string, ExpectedOrder> = {
  "1": order(1, {
    total: 135.24,
    amounts: { ...oneTowel, subtotal: 112, tax: 9.24, fees: 4 },
    payment: { method: "Credit Card", reference: "ch_1" },
    giftMessage: "With love",
    notes: [{ text: "Leave at the door", visibility: "customer" }],
    lines: [
      towel(1, {
        quantity: 2,
        tax: 9.24,
        options: [
          { name: "Size", value: "S" },
          { name: "Color", value: "Orange" },
        ],
        properties: [{ name: "Add Letters", value: "A.B." }],
      }),
      line(2, { sku: "ABS", name: "Able Brewing System", price: 0, parentLineId: "1" }),
    ],
  }),
  "2": order(2, {
    status: "awaiting_payment",
    paymentStatus: "pending",
    payment: { method: "Bank Deposit" },
  }),
  "3": order(3, {
    status: "partially_shipped",
    total: 178,
    amounts: { ...oneTowel, subtotal: 168 },
    lines: [towel(4, { quantity: 3, shippedQuantity: 1 })],
  }),
  "4": order(4, { status: "shipped", lines: [towel(5, { shippedQuantity: 1 })] }),
  "5": order(5, { status: "cancelled", paymentStatus: "voided" }),
  // Refunded items are no part of the quantity, and lines without a quantity are left out.
  "6": order(6, {
    status: "cancelled",
    paymentStatus: "refunded",
    amounts: { ...oneTowel, refunded: 66 },
    lines: [],
  }),
  "7": order(7, {
    paymentStatus: "partially_refunded",
    total: 122,
    amounts: { ...oneTowel, subtotal: 112, refunded: 56 },
    lines: [towel(8, { refundedQuantity: 1 })],
  }),
  // A coupon of 5.60 and 2.00 that an employee took off.
  "8": order(8, {
    total: 58.4,
    amounts: { ...oneTowel, discount: 7.6, discounts: [{ code: "SPRING", amount: 5.6 }] },
    lines: [towel(9, { discount: 5.6 })],
  }),
  "9": order(9, {
    status: "shipped",
    shippingAddress: null,
    total: 9,
    amounts: { ...oneTowel, subtotal: 9, shipping: 0 },
    shipping: {},
    customFields: {},
    lines: [line(10, { sku: "EBOOK", name: "Guide (PDF)", price: 9, requiresShipping: false })],
  }),
  "10": order(10, { status: "review_required", paymentStatus: "pending" }),
  // In euro at a rate of 0.9, bought without an account.
  "11": order(11, {
    customer: { name: "Jane Doe", email: "janedoe@example.com", phone: "1234567890" },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      country: "Germany",
      countryCode: "DE",
      email: "janedoe@example.com",
    },
    billingAddress: { ...austin, company: "Doe Ltd", address2: "Floor 2" },
    amounts: { ...oneTowel, presentmentCurrency: "EUR", presentmentTotal: 59.4 },
    lines: [towel(12, { sku: "Fog Linen Chambray Towel" })],
  }),
  "12": order(12, { status: "draft", paymentStatus: "pending" }),
  "13": order(13, { status: "review_required" }),
};
