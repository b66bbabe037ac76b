import { shopifyHeader } from "../shopify-export.ts";
import type { Cells, FileOfProgram } from "./file-of-program.ts";

const ann = {
  name: "Ann Lee",
  company: "Lee & Co",
  address1: "1 High St",
  address2: "Flat 2",
  city: "Boston",
  zip: "02108",
  provinceCode: "MA",
  province: "Massachusetts",
  countryCode: "US",
  phone: "+1 617 555 0101",
};

const address = (side: string): Cells => ({
  [`${side} Name`]: "Ann Lee",
  [`${side} Street`]: "1 High St, Flat 2",
  [`${side} Address1`]: "1 High St",
  [`${side} Address2`]: "Flat 2",
  [`${side} Company`]: "Lee & Co",
  [`${side} City`]: "Boston",
  [`${side} Zip`]: "'02108",
  [`${side} Province`]: "MA",
  [`${side} Province Name`]: "Massachusetts",
  [`${side} Country`]: "US",
  [`${side} Phone`]: "+1 617 555 0101",
});

const first = (number: string, cells: Cells = {}): Cells => ({
  Name: number,
  Email: "ann@example.com",
  "Financial Status": "paid",
  "Paid at": "2026-05-14 11:24:02 +0100",
  "Fulfillment Status": "unfulfilled",
  "Accepts Marketing": "no",
  Currency: "USD",
  Subtotal: "30.00",
  Shipping: "5.00",
  Taxes: "0.00",
  Total: "35.00",
  "Discount Amount": "0.00",
  "Shipping Method": "Standard",
  "Created at": "2026-05-14 11:23:45 +0100",
  "Lineitem quantity": "2",
  "Lineitem name": "Mug",
  "Lineitem price": "15.00",
  "Lineitem sku": "MUG-1",
  "Lineitem requires shipping": "true",
  "Lineitem taxable": "true",
  "Lineitem fulfillment status": "pending",
  "Lineitem discount": "0.00",
  ...address("Billing"),
  ...address("Shipping"),
  "Payment Method": "Shopify Payments",
  "Payment Reference": "pi_3Nabc",
  "Refunded Amount": "0.00",
  Vendor: "Potters",
  "Outstanding Balance": "0.00",
  Id: `55${number.slice(1)}`,
  Tags: "vip, gift",
  "Risk Level": "Low",
  Source: "web",
  Phone: "+1 617 555 0199",
  ...cells,
});

const mug = { sku: "MUG-1", name: "Mug", quantity: 2, price: 15, discount: 0, requiresShipping: true };

const order = (number: string, more: object = {}) => ({
  number,
  externalId: `55${number.slice(1)}`,
  paymentStatus: "paid",
  currency: "USD",
  total: 35,
  amounts: { subtotal: 30, shipping: 5, tax: 0, discount: 0, refunded: 0 },
  payment: { method: "Shopify Payments", reference: "pi_3Nabc" },
  riskLevel: "low",
  orderedAt: "2026-05-14T10:23:45.000Z",
  tags: ["vip", "gift"],
  channel: "web",
  customer: { name: "Ann Lee", email: "ann@example.com", phone: "+1 617 555 0199" },
  shipping: { service: "Standard" },
  shippingAddress: ann,
  billingAddress: ann,
  lines: [mug],
  ...more,
});

/** Ten orders of Shopify: the columns of an order are filled in its first row only. */
export const shopifyFile: FileOfProgram = {
  preset: "shopify",
  header: shopifyHeader.split(","),
  delimiter: ",",
  orders: [
    { rows: [first("#1001")], order: order("#1001") },
    {
      // Several items, one without a SKU, one that is no parcel.
      rows: [
        first("#1002", { Subtotal: "65.00", Total: "70.00" }),
        {
          Name: "#1002",
          "Lineitem quantity": "1",
          "Lineitem name": "Tee - Blue / L",
          "Lineitem price": "10.00",
          "Lineitem requires shipping": "true",
          "Lineitem discount": "0.00",
        },
        {
          Name: "#1002",
          "Lineitem quantity": "1",
          "Lineitem name": "Gift card",
          "Lineitem price": "25.00",
          "Lineitem sku": "GC",
          "Lineitem requires shipping": "false",
        },
      ],
      order: order("#1002", {
        total: 70,
        amounts: { subtotal: 65, shipping: 5, tax: 0, discount: 0, refunded: 0 },
        lines: [
          mug,
          {
            sku: "Tee - Blue / L",
            name: "Tee - Blue / L",
            quantity: 1,
            price: 10,
            discount: 0,
            requiresShipping: true,
          },
          { sku: "GC", name: "Gift card", quantity: 1, price: 25, requiresShipping: false },
        ],
      }),
    },
    {
      // A discount: the subtotal of the file is what remains.
      rows: [
        first("#1003", {
          "Discount Code": "SPRING10",
          "Discount Amount": "3.00",
          Subtotal: "27.00",
          Total: "32.00",
          "Lineitem discount": "3.00",
        }),
      ],
      order: order("#1003", {
        total: 32,
        amounts: {
          subtotal: 30,
          shipping: 5,
          tax: 0,
          discount: 3,
          discounts: [{ code: "SPRING10", amount: 3 }],
          refunded: 0,
        },
        lines: [{ ...mug, discount: 3 }],
      }),
    },
    {
      // Taxes that are added.
      rows: [
        first("#1004", { Taxes: "2.80", "Tax 1 Name": "MA State Tax 6.25%", "Tax 1 Value": "2.80", Total: "37.80" }),
      ],
      order: order("#1004", {
        total: 37.8,
        amounts: { subtotal: 30, shipping: 5, tax: 2.8, discount: 0, refunded: 0 },
      }),
    },
    {
      // Taxes that the prices include.
      rows: [first("#1005", { Currency: "GBP", Taxes: "5.83", Total: "35.00" })],
      order: order("#1005", {
        currency: "GBP",
        amounts: { subtotal: 30, shipping: 5, tax: 5.83, taxIncluded: true, discount: 0, refunded: 0 },
      }),
    },
    {
      rows: [first("#1006", { "Financial Status": "partially_refunded", "Refunded Amount": "-15.00" })],
      order: order("#1006", {
        paymentStatus: "partially_refunded",
        amounts: { subtotal: 30, shipping: 5, tax: 0, discount: 0, refunded: 15 },
      }),
    },
    {
      rows: [
        first("#1007", {
          Notes: "Ring twice",
          "Note Attributes": "Gift: yes\nDelivery date: 2026-06-01",
          "Risk Level": "High",
          Duties: "4.00",
          Total: "39.00",
        }),
      ],
      order: order("#1007", {
        total: 39,
        riskLevel: "high",
        amounts: { subtotal: 30, shipping: 5, tax: 0, discount: 0, refunded: 0, fees: 4 },
        notes: [{ text: "Ring twice" }, { text: "Gift: yes\nDelivery date: 2026-06-01" }],
      }),
    },
    {
      rows: [
        first("#1008", {
          "Fulfillment Status": "fulfilled",
          "Fulfilled at": "2026-05-15 09:00:00 +0100",
          "Lineitem fulfillment status": "fulfilled",
        }),
      ],
      order: order("#1008", { status: "shipped", lines: [{ ...mug, shippedQuantity: 2 }] }),
    },
    {
      rows: [
        first("#1009", {
          "Cancelled at": "2026-05-15 08:00:00 +0100",
          "Financial Status": "voided",
          "Paid at": "",
          "Risk Level": "Pending",
        }),
      ],
      order: { ...order("#1009", { status: "cancelled", paymentStatus: "voided" }), riskLevel: undefined },
    },
    {
      rows: [
        first("#1010", { "Financial Status": "pending", "Paid at": "", "Payment Method": "Cash on Delivery (COD)" }),
      ],
      order: order("#1010", {
        status: "awaiting_payment",
        paymentStatus: "pending",
        payment: { method: "Cash on Delivery (COD)", reference: "pi_3Nabc" },
      }),
    },
  ],
};
