import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The sales orders of the stand-in as the hub has to answer them, written by hand from their fields. */

const albany = {
  name: "Ada Byron",
  company: "Purchasing",
  address1: "12 Main Street",
  city: "Albany",
  province: "NY",
  provinceCode: "NY",
  zip: "12207",
  country: "United States",
  countryCode: "US",
  phone: "(518) 555-0100",
};

/** One mug of 9.50 and shipping of 8.00, without tax. */
const oneMug = { subtotal: 9.5, discount: 0, shipping: 8, tax: 0, taxIncluded: false };

export const netsuiteId = (number: number): string => String(7000 + number);
const mug = (more: object = {}) => ({
  id: "1",
  sku: "MUG-01",
  name: "Enamel mug",
  quantity: 1,
  price: 9.5,
  tax: 0,
  productId: "201",
  ...more,
});
const shirt = (more: object = {}) => ({
  id: "2",
  sku: "TEE-BLU-L",
  name: "TEE-BLU-L",
  quantity: 1,
  price: 20,
  tax: 0,
  productId: "202",
  ...more,
});

/** To be billed, with one mug. */
const order = (id: number, more: object = {}): ExpectedOrder => ({
  number: `SO${1000 + id}`,
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "pending",
  channel: "netsuite",
  currency: "USD",
  customer: { id: "55", name: "55 Byron Ltd", email: "ada@example.com", phone: "(518) 555-0100" },
  shippingAddress: albany,
  billingAddress: { ...albany, name: "Byron Ltd", address2: "Floor 2" },
  total: 17.5,
  amounts: oneMug,
  payment: { method: "Invoice" },
  shipping: { service: "UPS Ground" },
  shipBy: "2026-03-20T00:00:00.000Z",
  lines: [mug()],
  ...more,
});

export const expectedNetsuiteOrders: Record<string, ExpectedOrder> = {
  [netsuiteId(1)]: order(1, {
    poNumber: "PO-4711",
    total: 63.34,
    amounts: { ...oneMug, subtotal: 58, discount: 5.8, tax: 3.14 },
    notes: [{ text: "Deliver to dock 4", visibility: "customer" }],
    lines: [mug({ quantity: 4, tax: 3.14 }), shirt()],
  }),
  [netsuiteId(2)]: order(2, { status: "review_required" }),
  [netsuiteId(3)]: order(3, { status: "cancelled", paymentStatus: "voided" }),
  [netsuiteId(4)]: order(4, {
    status: "partially_shipped",
    total: 36.5,
    amounts: { ...oneMug, subtotal: 28.5 },
    lines: [mug({ quantity: 3, shippedQuantity: 1 })],
  }),
  [netsuiteId(5)]: order(5, {
    status: "partially_shipped",
    total: 27,
    amounts: { ...oneMug, subtotal: 19 },
    lines: [mug({ quantity: 2, shippedQuantity: 1 })],
  }),
  [netsuiteId(6)]: order(6, { status: "shipped", lines: [mug({ shippedQuantity: 1 })] }),
  [netsuiteId(7)]: order(7, { status: "shipped", paymentStatus: "paid", lines: [mug({ shippedQuantity: 1 })] }),
  [netsuiteId(8)]: order(8, { status: "cancelled" }),
  [netsuiteId(9)]: order(9, {
    currency: "EUR",
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
  }),
  [netsuiteId(10)]: order(10, {
    total: 27,
    amounts: { ...oneMug, subtotal: 19 },
    lines: [mug({ quantity: 2 })],
  }),
  [netsuiteId(11)]: order(11, { status: "review_required" }),
  // Its discount, subtotal, description and negative charges are no lines to ship.
  [netsuiteId(12)]: order(12, {
    total: 35.2,
    amounts: { ...oneMug, subtotal: 27.2 },
    lines: [mug({ quantity: 4 })],
  }),
  // What is open of a closed line is not shipped any more: one of three shirts was, none of the caps.
  [netsuiteId(13)]: order(13, {
    status: "partially_shipped",
    total: 92.5,
    amounts: { ...oneMug, subtotal: 84.5 },
    lines: [mug(), shirt({ shippedQuantity: 1, refundedQuantity: 2 })],
  }),
};
