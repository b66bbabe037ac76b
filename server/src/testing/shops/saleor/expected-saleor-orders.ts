import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The orders of the stand-in as the hub has to answer them, written by hand from their fields. */

const springfield = {
  name: "Leslie Wade",
  address1: "1234 Elm Street",
  city: "SPRINGFIELD",
  province: "IL",
  provinceCode: "IL",
  zip: "62701",
  country: "United States of America",
  countryCode: "US",
  phone: "+12175550100",
};

/** One mug of 10.00 and shipping of 5.00, charged, without tax. */
const oneMug = { subtotal: 10, discount: 0, shipping: 5, tax: 0, paid: 15, refunded: 0, taxIncluded: false };

export const saleorId = (number: number): string => `T3JkZXI6${number}`;
export const saleorLineId = (number: number): string => `T3JkZXJMaW5lOj${number}`;

/** An item whose variant is gone keeps its names and prices. */
const goneMug = (id: number) => ({
  id: saleorLineId(id),
  sku: "MUG-01",
  name: "Mug",
  quantity: 1,
  price: 10,
  discount: 0,
  tax: 0,
  properties: [],
});
const mug = (id: number, more: object = {}) => ({
  ...goneMug(id),
  productId: `UHJvZHVjdDo${id}`,
  variantId: `VmFyaWFudDo${id}`,
  imageUrl: `https://shop.example.com/thumbnail/${id}`,
  weight: { value: 0.4, unit: "kg" },
  options: [],
  ...more,
});

/** Charged, with one mug that is allocated in the only warehouse. */
const order = (id: number, more: object = {}): ExpectedOrder => ({
  number: String(id),
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "paid",
  channel: "saleor",
  currency: "USD",
  customer: { id: "VXNlcjox", name: "Leslie Wade", email: "leslie@example.com", phone: "+12175550100" },
  shippingAddress: springfield,
  billingAddress: springfield,
  total: 15,
  amounts: oneMug,
  payment: { method: "Credit card", reference: `psp-${id}` },
  shipping: { service: "Default" },
  customFields: { saleor_warehouse_id: "V2FyZWhvdXNlOjE=" },
  lines: [mug(id + 1)],
  ...more,
});
const uncharged = { paymentStatus: "pending", amounts: { ...oneMug, paid: 0 } };
const fulfilled = (id: number) => ({
  status: "shipped",
  customFields: {},
  lines: [mug(id + 1, { shippedQuantity: 1 })],
});

export const expectedSaleorOrders: Record<string, ExpectedOrder> = {
  [saleorId(1)]: order(1, {
    total: 64.5,
    amounts: {
      ...oneMug,
      subtotal: 60,
      discount: 5,
      discounts: [{ code: "SPRING10", amount: 5 }],
      tax: 4.5,
      paid: 64.5,
    },
    notes: [{ text: "Ring twice", visibility: "customer" }],
    lines: [
      mug(1, {
        sku: "TEE-BLU-L",
        name: "T-shirt - Blue / L",
        quantity: 2,
        price: 25,
        discount: 5,
        tax: 4.5,
        options: [
          { name: "Color", value: "Blue" },
          { name: "Size", value: "L" },
        ],
        properties: [{ name: "engraving", value: "To Ann" }],
      }),
      mug(2),
    ],
  }),
  [saleorId(2)]: order(2, { ...uncharged, status: "awaiting_payment", payment: {} }),
  [saleorId(3)]: order(3, { ...uncharged, paymentStatus: "authorized" }),
  [saleorId(4)]: order(4, {
    status: "partially_shipped",
    total: 25,
    amounts: { ...oneMug, subtotal: 20, paid: 25 },
    lines: [mug(5, { quantity: 2, shippedQuantity: 1 })],
  }),
  [saleorId(5)]: order(5, fulfilled(5)),
  [saleorId(6)]: order(6, {
    status: "cancelled",
    paymentStatus: "refunded",
    amounts: { ...oneMug, refunded: 15 },
  }),
  [saleorId(7)]: order(7, {
    paymentStatus: "partially_refunded",
    total: 25,
    amounts: { ...oneMug, subtotal: 20, paid: 25, refunded: 10 },
    lines: [mug(8, { quantity: 2 })],
  }),
  [saleorId(8)]: order(8, { ...fulfilled(8), paymentStatus: "refunded", amounts: { ...oneMug, refunded: 15 } }),
  [saleorId(9)]: order(9, { status: "review_required" }),
  [saleorId(10)]: order(10, {
    status: "shipped",
    shippingAddress: null,
    total: 9,
    amounts: { ...oneMug, subtotal: 9, shipping: 0, paid: 9 },
    shipping: {},
    customFields: {},
    lines: [
      {
        id: saleorLineId(11),
        sku: "VmFyaWFudDo11",
        name: "E-book - PDF",
        quantity: 1,
        shippedQuantity: 1,
        requiresShipping: false,
        price: 9,
        discount: 0,
        tax: 0,
        productId: "UHJvZHVjdDo11",
        variantId: "VmFyaWFudDo11",
        imageUrl: "https://shop.example.com/thumbnail/11",
        options: [],
        properties: [],
      },
    ],
  }),
  [saleorId(11)]: order(11, {
    // Bought without an account.
    customer: { name: "Leslie Wade", email: "leslie@example.com", phone: "+12175550100" },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "BERLIN",
      zip: "10115",
      country: "Germany",
      countryCode: "DE",
    },
    billingAddress: { ...springfield, company: "Wade Inc.", address2: "Suite 5" },
    lines: [goneMug(12)],
  }),
  [saleorId(12)]: order(12, { ...uncharged, status: "cancelled", payment: {} }),
  [saleorId(13)]: order(13, { status: "review_required" }),
};
