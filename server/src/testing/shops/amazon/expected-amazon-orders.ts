import type { ExpectedOrder } from "../expected-orders.ts";
import { placedOn } from "../expected-orders.ts";

/** The orders of the stand-in as the hub has to answer them, written by hand from their fields. */

const seattle = {
  name: "John Smith",
  address1: "123 Main Street",
  address2: "Suite 456",
  city: "Seattle",
  province: "WA",
  provinceCode: "WA",
  zip: "98101",
  countryCode: "US",
  phone: "555-123-4567",
  residential: true,
};

/** One mug of 10.00. */
const oneMug = { subtotal: 10, discount: 0, shipping: 0, tax: 0, fees: 0 };

export const amazonId = (number: number): string => `123-45678${String(number).padStart(2, "0")}-1234567`;
const line = (id: number, more: object) => ({
  id: `1234567890${id}`,
  quantity: 1,
  discount: 0,
  tax: 0,
  productId: `B08N5WRW${id}`,
  ...more,
});
const mug = (id: number, more: object = {}) => line(id, { sku: "MUG-01", name: "Enamel mug", price: 10, ...more });

/** With one mug, to Seattle. */
const order = (id: number, more: object = {}): ExpectedOrder => ({
  number: amazonId(id),
  orderedAt: placedOn(id),
  status: "new",
  paymentStatus: "paid",
  channel: "amazon",
  currency: "USD",
  customer: { name: "John Smith", email: `buyer${id}@marketplace.amazon.com` },
  shippingAddress: seattle,
  total: 10,
  amounts: oneMug,
  payment: { method: "CreditCard" },
  shipping: { service: "STANDARD" },
  shipBy: "2026-03-28T23:59:59.000Z",
  deliverBy: "2026-03-31T23:59:59.000Z",
  customFields: { amazon_marketplace_id: "ATVPDKIKX0DER" },
  lines: [mug(id + 1)],
  ...more,
});
const pending = { status: "awaiting_payment", paymentStatus: "pending", shippingAddress: null, amounts: {} };

export const expectedAmazonOrders: Record<string, ExpectedOrder> = {
  [amazonId(1)]: order(1, {
    tags: ["PRIME", "AMAZON_BUSINESS"],
    poNumber: "PO-2026-1",
    giftMessage: "Happy Holidays!",
    total: 117.67,
    amounts: { subtotal: 109.98, discount: 10, shipping: 5.99, tax: 8.2, fees: 3.5 },
    lines: [
      line(1, {
        sku: "ECHO-4",
        name: "Smart speaker | Charcoal",
        quantity: 2,
        price: 49.99,
        discount: 10,
        tax: 8.2,
      }),
      mug(2, { properties: [{ name: "Customization", value: "https://amazon.com/custom/view/12345" }] }),
    ],
  }),
  // Without a total of Amazon's, that of the lines.
  [amazonId(2)]: order(2, { ...pending, payment: {} }),
  [amazonId(3)]: order(3, {
    status: "partially_shipped",
    total: 20,
    amounts: { ...oneMug, subtotal: 20 },
    lines: [mug(4, { quantity: 2, shippedQuantity: 1 })],
  }),
  [amazonId(4)]: order(4, { status: "shipped", lines: [mug(5, { shippedQuantity: 1 })] }),
  // Cancelled items have the quantity 0, and lines without a quantity are left out.
  [amazonId(5)]: order(5, { status: "cancelled", paymentStatus: "voided", total: 0, amounts: {}, lines: [] }),
  [amazonId(6)]: order(6, {
    onHold: true,
    holds: [{ reason: "customer_request", note: "Cancellation requested at Amazon" }],
  }),
  [amazonId(7)]: order(7, { status: "review_required" }),
  [amazonId(8)]: order(8, { ...pending, total: 0 }),
  [amazonId(9)]: order(9, {
    currency: "EUR",
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof, 3. Stock",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
      residential: false,
    },
    customFields: { amazon_marketplace_id: "A1PA6795UKMFR9" },
  }),
  [amazonId(10)]: order(10, {
    total: 30,
    amounts: { ...oneMug, subtotal: 30 },
    lines: [mug(11, { quantity: 3 })],
  }),
  [amazonId(11)]: order(11, { status: "review_required" }),
};
