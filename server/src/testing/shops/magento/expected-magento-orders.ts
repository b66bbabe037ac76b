import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The orders of the stand-in as the hub has to answer them, written by hand from their fields. */

const calder = {
  name: "Veronica Costello",
  address1: "6146 Honey Bluff Parkway",
  city: "Calder",
  province: "Michigan",
  provinceCode: "MI",
  zip: "49628-7978",
  countryCode: "US",
  phone: "(555) 229-3326",
  email: "roni@example.com",
};

/** One bag of 34.00 and shipping of 5.00, without tax. */
const oneBag = { subtotal: 34, discount: 0, shipping: 5, tax: 0, paid: 39, refunded: 0, taxIncluded: false };

const line = (id: number, more: object) => ({
  id: String(id),
  quantity: 1,
  refundedQuantity: 0,
  discount: 0,
  tax: 0,
  productId: String(1000 + id),
  ...more,
});
const bag = (id: number, more: object = {}) =>
  line(id, { sku: "24-MB01", name: "Joust Duffle Bag", price: 34, ...more });

/** Paid, with one bag. */
const order = (id: number, more: object): ExpectedOrder => ({
  number: `0000000${String(id).padStart(2, "0")}`,
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "paid",
  channel: "magento",
  currency: "USD",
  customer: { id: "1", name: "Veronica Costello", email: "roni@example.com", phone: "(555) 229-3326" },
  shippingAddress: calder,
  billingAddress: { ...calder, company: "Costello Ltd" },
  total: 39,
  amounts: oneBag,
  payment: { method: "checkmo" },
  shipping: { service: "Flat Rate - Fixed" },
  lines: [],
  ...more,
});
const unpaid = { paymentStatus: "pending", amounts: { ...oneBag, paid: 0 } };

export const expectedMagentoOrders: Record<string, ExpectedOrder> = {
  "1": order(1, {
    total: 134.9,
    amounts: { ...oneBag, subtotal: 120, tax: 9.9, paid: 134.9 },
    payment: { method: "braintree", reference: "8xk2" },
    lines: [
      bag(1, { quantity: 2, tax: 5.61 }),
      line(2, {
        sku: "MH01-L-Blue",
        name: "Chaz Kangeroo Hoodie",
        price: 52,
        tax: 4.29,
        productId: "67",
        properties: [{ name: "Option 5", value: "For Ann" }],
      }),
    ],
  }),
  // A part of it is paid.
  "2": order(2, { ...unpaid, status: "awaiting_payment", amounts: { ...oneBag, paid: 10 }, lines: [bag(4)] }),
  "3": order(3, { ...unpaid, payment: { method: "cashondelivery" }, lines: [bag(5)] }),
  "4": order(4, { ...unpaid, status: "awaiting_payment", paymentStatus: "authorized", lines: [bag(6)] }),
  "5": order(5, { status: "shipped", lines: [bag(7, { shippedQuantity: 1 })] }),
  // Cancelled and refunded items are no part of the quantity, and lines without a quantity are left out.
  "6": order(6, {
    status: "cancelled",
    paymentStatus: "voided",
    total: 73,
    amounts: { ...oneBag, subtotal: 68, paid: 0 },
  }),
  "7": order(7, { status: "cancelled", paymentStatus: "refunded", amounts: { ...oneBag, refunded: 39 } }),
  "8": order(8, {
    status: "partially_shipped",
    paymentStatus: "partially_refunded",
    total: 96.8,
    amounts: {
      ...oneBag,
      subtotal: 102,
      discount: 10.2,
      discounts: [{ code: "H20", title: "H20, Luma water bottle", amount: 10.2 }],
      paid: 96.8,
      refunded: 30.6,
    },
    lines: [bag(10, { quantity: 2, shippedQuantity: 1, refundedQuantity: 1, discount: 10.2 })],
  }),
  "9": order(9, {
    ...unpaid,
    onHold: true,
    holds: [{ reason: "other", note: "On hold in Magento" }],
    lines: [bag(11)],
  }),
  "10": order(10, {
    status: "review_required",
    paymentStatus: "pending",
    total: 66,
    amounts: { ...oneBag, subtotal: 61, paid: 0 },
    lines: [
      line(12, { sku: "24-WG080-24-WG081", name: "Sprite Yoga Companion Kit", price: 61 }),
      line(13, {
        sku: "24-WG081",
        name: "Sprite Stasis Ball",
        price: 0,
        parentLineId: "12",
        requiresShipping: false,
      }),
      line(14, {
        sku: "24-WG085",
        name: "Sprite Yoga Strap",
        quantity: 2,
        price: 0,
        parentLineId: "12",
        requiresShipping: false,
      }),
    ],
  }),
  // Nothing is left to ship: downloads do not count.
  "11": order(11, {
    status: "shipped",
    total: 45,
    amounts: { ...oneBag, subtotal: 40, paid: 45 },
    payment: { method: "purchaseorder" },
    poNumber: "PO-4711",
    giftMessage: "Happy birthday, Ann",
    notes: [{ text: "Please ring twice", visibility: "customer" }],
    lines: [
      bag(15, { shippedQuantity: 1 }),
      line(16, { sku: "240-LV04", name: "Beginner's Yoga", price: 6, requiresShipping: false }),
    ],
  }),
  // In euro at half the rate, bought without an account.
  "12": order(12, {
    customer: { name: "Veronica Costello", email: "roni@example.com", phone: "(555) 229-3326" },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
      phone: "(555) 229-3326",
      email: "roni@example.com",
    },
    billingAddress: { ...calder, company: "Costello Ltd", address2: "Suite 2" },
    amounts: { ...oneBag, presentmentCurrency: "EUR", presentmentTotal: 19.5 },
    lines: [bag(17)],
  }),
  "13": order(13, { ...unpaid, status: "review_required", lines: [bag(18)] }),
};
