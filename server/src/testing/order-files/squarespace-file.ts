import type { Cells, FileOfProgram } from "./file-of-program.ts";

const squareHeader =
  "Order ID,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Currency,Subtotal,Shipping,Taxes,Amount Refunded,Total,Discount Code,Discount Amount,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Lineitem variant,Lineitem requires shipping,Lineitem taxable,Lineitem fulfillment status,Billing Name,Billing Address1,Billing Address2,Billing City,Billing Zip,Billing Province,Billing Country,Billing Phone,Shipping Name,Shipping Address1,Shipping Address2,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Cancelled at,Private Notes,Channel Type,Channel Name,Channel Order Number,Payment Method,Payment Reference,Product Form: Engraving,Checkout Form: Delivery day".split(
    ",",
  );

const square = (number: string, cells: Cells = {}): Cells => ({
  "Order ID": number,
  Email: "bo@example.com",
  "Financial Status": "PAID",
  "Paid at": "2026-07-25 21:06:00 +0000",
  "Fulfillment Status": "PENDING",
  Currency: "USD",
  Subtotal: "20.00",
  Shipping: "10.00",
  Taxes: "0.00",
  "Amount Refunded": "0.00",
  Total: "30.00",
  "Discount Amount": "0.00",
  "Shipping Method": "Flat rate",
  "Created at": "2026-07-25 21:06:00 +0000",
  "Lineitem quantity": "2",
  "Lineitem name": "Coffee",
  "Lineitem price": "10.00",
  "Lineitem sku": "SQ05",
  "Lineitem variant": "200g",
  "Lineitem requires shipping": "TRUE",
  "Lineitem taxable": "TRUE",
  "Lineitem fulfillment status": "pending",
  "Billing Name": "Bo Diaz",
  "Billing Address1": "869 Lewis Ave",
  "Billing City": "Sunnyvale",
  "Billing Zip": "94086",
  "Billing Province": "CA",
  "Billing Country": "United States",
  "Shipping Name": "Bo Diaz",
  "Shipping Address1": "869 Lewis Ave",
  "Shipping City": "Sunnyvale",
  "Shipping Zip": "94086",
  "Shipping Province": "CA",
  "Shipping Country": "United States",
  "Payment Method": "Stripe",
  "Payment Reference": "ch_1Cs0",
  ...cells,
});

const bo = {
  name: "Bo Diaz",
  address1: "869 Lewis Ave",
  city: "Sunnyvale",
  zip: "94086",
  provinceCode: "CA",
  country: "United States",
  countryCode: "US",
};
const coffee = {
  sku: "SQ05",
  name: "Coffee",
  quantity: 2,
  price: 10,
  options: [{ name: "Variant", value: "200g" }],
  requiresShipping: true,
};
const squareOrder = (number: string, more: object = {}) => ({
  number,
  paymentStatus: "paid",
  currency: "USD",
  total: 30,
  amounts: { subtotal: 20, shipping: 10, tax: 0, discount: 0, refunded: 0 },
  payment: { method: "Stripe", reference: "ch_1Cs0" },
  orderedAt: "2026-07-25T21:06:00.000Z",
  customer: { name: "Bo Diaz", email: "bo@example.com" },
  shipping: { service: "Flat rate" },
  shippingAddress: bo,
  billingAddress: bo,
  lines: [coffee],
  ...more,
});

/** Ten orders of Squarespace, with a field of its product form and one of its checkout form. */
export const squarespaceFile: FileOfProgram = {
  preset: "squarespace",
  header: squareHeader,
  delimiter: ",",
  orders: [
    { rows: [square("1")], order: squareOrder("1") },
    {
      rows: [
        square("2", { "Product Form: Engraving": "To Ann, with love", "Checkout Form: Delivery day": "Friday" }),
        {
          "Order ID": "2",
          "Lineitem quantity": "1",
          "Lineitem name": "Tee",
          "Lineitem price": "0.00",
          "Lineitem variant": "Color: Blue, Size: L",
          "Lineitem requires shipping": "TRUE",
        },
      ],
      order: squareOrder("2", {
        notes: [{ text: "Delivery day: Friday" }],
        lines: [
          { ...coffee, properties: [{ name: "Engraving", value: "To Ann, with love" }] },
          {
            sku: "Tee / Blue / L",
            name: "Tee",
            quantity: 1,
            price: 0,
            options: [
              { name: "Color", value: "Blue" },
              { name: "Size", value: "L" },
            ],
            requiresShipping: true,
          },
        ],
      }),
    },
    {
      // Its subtotal is before the discount.
      rows: [square("3", { "Discount Code": "HELLO", "Discount Amount": "2.00", Total: "28.00" })],
      order: squareOrder("3", {
        total: 28,
        amounts: {
          subtotal: 20,
          shipping: 10,
          tax: 0,
          discount: 2,
          discounts: [{ code: "HELLO", amount: 2 }],
          refunded: 0,
        },
      }),
    },
    {
      rows: [square("4", { Taxes: "1.75", Total: "31.75" })],
      order: squareOrder("4", {
        total: 31.75,
        amounts: { subtotal: 20, shipping: 10, tax: 1.75, discount: 0, refunded: 0 },
      }),
    },
    {
      rows: [square("5", { "Amount Refunded": "30.00" })],
      order: squareOrder("5", {
        status: "review_required",
        paymentStatus: "refunded",
        amounts: { subtotal: 20, shipping: 10, tax: 0, discount: 0, refunded: 30 },
      }),
    },
    {
      rows: [square("6", { "Fulfillment Status": "FULFILLED", "Fulfilled at": "2026-07-26 09:00:00 +0000" })],
      order: squareOrder("6", { status: "shipped", lines: [{ ...coffee, shippedQuantity: 2 }] }),
    },
    {
      rows: [square("7", { "Fulfillment Status": "CANCELED", "Cancelled at": "2026-07-26 09:00:00 +0000" })],
      order: squareOrder("7", { status: "cancelled" }),
    },
    {
      rows: [square("8", { "Channel Type": "THIRD_PARTY", "Channel Name": "Etsy", "Channel Order Number": "99-1" })],
      order: squareOrder("8", { channel: "Etsy", customFields: { channel_order_number: "99-1" } }),
    },
    {
      rows: [square("9", { "Private Notes": "VIP, call first", "Lineitem requires shipping": "FALSE" })],
      order: squareOrder("9", {
        status: "review_required",
        notes: [{ text: "VIP, call first" }],
        lines: [{ ...coffee, requiresShipping: false }],
      }),
    },
    {
      rows: [
        square("10", {
          Currency: "EUR",
          "Shipping Country": "Germany",
          "Shipping Zip": "1067",
          "Shipping Province": "",
        }),
      ],
      order: squareOrder("10", {
        currency: "EUR",
        shippingAddress: {
          name: "Bo Diaz",
          address1: "869 Lewis Ave",
          city: "Sunnyvale",
          zip: "01067",
          country: "Germany",
          countryCode: "DE",
        },
      }),
    },
  ],
};
