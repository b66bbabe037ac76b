import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The orders of the stand-in as the hub has to answer them, written by hand from their fields, with 20 % tax on goods, shipping and fees. */

const manchester = {
  name: "Hayden Zieme",
  address1: "12 Main Street",
  city: "Manchester",
  province: "Greater Manchester",
  zip: "M1 2AB",
  country: "United Kingdom",
  countryCode: "GB",
  phone: "+44 161 496 0000",
};
const inCountry = (countryCode: string, province: string, provinceCode?: string) => ({
  ...manchester,
  country: undefined,
  countryCode,
  province,
  provinceCode,
});

/** One mug of 9.50 and shipping of 5.00, paid. */
const oneMug = {
  subtotal: 9.5,
  discount: 0,
  discounts: [],
  shipping: 5,
  tax: 2.9,
  taxIncluded: false,
  fees: 0,
  refunded: 0,
  paid: 17.4,
};
const twoMugs = { ...oneMug, subtotal: 19, tax: 4.8, paid: 28.8 };

const line = (id: number, more: object) => ({
  id: String(id),
  quantity: 1,
  refundedQuantity: 0,
  discount: 0,
  productId: String(40 + id),
  variantId: String(400 + id),
  ...more,
});
const mug = (id: number, more: object = {}) =>
  line(id, { sku: "MUG-01", name: "Mug", price: 9.5, tax: 1.9, options: [], ...more });
const laptop = (id: number, more: object) =>
  line(id, {
    sku: "L2201308",
    name: "Laptop 13 inch 8GB",
    price: 1299,
    options: [
      { name: "screen size", value: "13 inch" },
      { name: "RAM", value: "8GB" },
    ],
    ...more,
  });

/** Paid, with one mug and to Manchester. */
const order = (id: number, more: object = {}): ExpectedOrder => ({
  number: `T_${1000 + id}`,
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "paid",
  channel: "vendure",
  currency: "GBP",
  customer: { id: "21", name: "Hayden Zieme", email: "hayden@example.com", phone: "+44 161 496 0000" },
  shippingAddress: manchester,
  total: 17.4,
  amounts: oneMug,
  payment: { method: "stripe", reference: `pi_${id}` },
  shipping: { service: "Standard Shipping" },
  lines: [mug(id + 1)],
  ...more,
});

export const expectedVendureOrders: Record<string, ExpectedOrder> = {
  "1": order(1, {
    total: 1599,
    amounts: { ...oneMug, subtotal: 1327.5, tax: 266.5, paid: 1599 },
    lines: [
      laptop(1, { tax: 259.8, imageUrl: "https://shop.example.com/assets/preview/laptop.jpg" }),
      mug(2, { quantity: 3, tax: 5.7 }),
    ],
  }),
  "2": order(2, {
    paymentStatus: "authorized",
    total: 28.8,
    amounts: { ...twoMugs, paid: 0 },
    lines: [mug(3, { quantity: 2, tax: 3.8 })],
  }),
  "3": order(3, {
    status: "partially_shipped",
    total: 28.8,
    amounts: twoMugs,
    lines: [mug(4, { quantity: 2, shippedQuantity: 1, tax: 3.8 })],
  }),
  "4": order(4, { status: "shipped", lines: [mug(5, { shippedQuantity: 1 })] }),
  "5": order(5, { status: "delivered", lines: [mug(6, { shippedQuantity: 1 })] }),
  // A declined payment came before. Its only line is cancelled, so that it has no quantity.
  "6": order(6, {
    status: "cancelled",
    paymentStatus: "refunded",
    total: 0,
    amounts: { ...oneMug, subtotal: 0, shipping: 0, tax: 0, refunded: 28.8, paid: 28.8 },
    lines: [],
  }),
  "7": order(7, {
    total: 2813.04,
    amounts: {
      ...oneMug,
      subtotal: 2598,
      discount: 259.8,
      discounts: [{ code: "SPRING10", title: "10% off", amount: 259.8 }],
      tax: 468.84,
      fees: 1,
      paid: 2813.04,
    },
    lines: [laptop(8, { quantity: 2, discount: 259.8, tax: 467.64 })],
  }),
  "8": order(8, {
    paymentStatus: "partially_refunded",
    total: 28.8,
    amounts: { ...twoMugs, refunded: 11.4, paid: 40.2 },
    lines: [mug(9, { quantity: 2, refundedQuantity: 1, tax: 3.8 })],
  }),
  "9": order(9, {
    currency: "EUR",
    customer: { id: "22", name: "Jörg Müller", email: "joerg@example.de", phone: "+49 30 901820" },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      country: "Germany",
      countryCode: "DE",
    },
    billingAddress: {
      name: "Buchhaltung",
      company: "Müller GmbH",
      address1: "Torstraße 1",
      address2: "Aufgang B",
      city: "Berlin",
      zip: "10117",
      country: "Germany",
      countryCode: "DE",
      phone: "+49 30 901820",
    },
  }),
  "10": order(10, {
    status: "review_required",
    shippingAddress: inCountry("US", "New York", "NY"),
    billingAddress: inCountry("US", "NY", "NY"),
  }),
  "11": order(11, {
    status: "awaiting_payment",
    shippingAddress: inCountry("CA", "Ontario", "ON"),
    billingAddress: inCountry("AU", "Victoria", "VIC"),
  }),
  // No state has this name.
  "12": order(12, { status: "review_required", shippingAddress: inCountry("US", "Upstate") }),
};
