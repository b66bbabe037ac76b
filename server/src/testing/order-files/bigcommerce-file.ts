import type { Cells, FileOfProgram } from "./file-of-program.ts";

const bigHeader =
  "Order ID,Customer ID,Customer Name,Customer Email,Customer Phone,Order Date,Order Status,Subtotal (inc tax),Subtotal (ex tax),Tax Total,Shipping Cost (inc tax),Shipping Cost (ex tax),Ship Method,Handling Cost (inc tax),Handling Cost (ex tax),Order Total (inc tax),Order Total (ex tax),Payment Method,Total Quantity,Total Shipped,Date Shipped,Order Currency Code,Exchange Rate,Order Notes,Customer Message,Billing First Name,Billing Last Name,Billing Company,Billing Street 1,Billing Street 2,Billing Suburb,Billing State,Billing Zip,Billing Country,Billing Phone,Billing Email,Billing Purchase Order #,Shipping First Name,Shipping Last Name,Shipping Company,Shipping Street 1,Shipping Street 2,Shipping Suburb,Shipping State,Shipping Zip,Shipping Country,Shipping Phone,Shipping Email,Shipping Purchase Order #,Product Details,Store Credit Redeemed,Gift Certificate Amount Redeemed,Gift Certificate Code,Gift Certificate Expiration Date,Coupon Details,Refund Amount".split(
    ",",
  );

const product = (id: string, quantity: string, sku: string, name: string, options: string, price: string): string =>
  `Product ID: ${id}, Product Qty: ${quantity}, Product SKU: ${sku}, Product Name: ${name}, Product Weight: 0.5000, Product Variation Details: ${options}, Product Unit Price: ${price}, Product Total Price: ${price}`;

const bigRow = (number: string, cells: Cells = {}): Cells => ({
  "Order ID": number,
  "Customer ID": "54",
  "Customer Name": "Dawn Hill",
  "Customer Email": "dawn@example.com",
  "Customer Phone": "907-555-0175",
  "Order Date": "26/04/2026",
  "Order Status": "Awaiting Fulfillment",
  "Subtotal (inc tax)": "65.00",
  "Subtotal (ex tax)": "65.00",
  "Tax Total": "0.00",
  "Shipping Cost (inc tax)": "5.00",
  "Shipping Cost (ex tax)": "5.00",
  "Ship Method": "Ground",
  "Handling Cost (inc tax)": "0.0000",
  "Handling Cost (ex tax)": "0.0000",
  "Order Total (inc tax)": "70.00",
  "Order Total (ex tax)": "70.00",
  "Payment Method": "Credit Card",
  "Total Quantity": "1",
  "Order Currency Code": "USD",
  "Exchange Rate": "1.0000000000",
  "Billing First Name": "Dawn",
  "Billing Last Name": "Hill",
  "Billing Street 1": "PO Box 7",
  "Billing Suburb": "Eagle River",
  "Billing State": "Alaska",
  "Billing Zip": "99577",
  "Billing Country": "United States",
  "Shipping First Name": "Dawn",
  "Shipping Last Name": "Hill",
  "Shipping Company": "Hill Yoga",
  "Shipping Street 1": "PO Box 7",
  "Shipping Suburb": "Eagle River",
  "Shipping State": "AK",
  "Shipping Zip": "99577",
  "Shipping Country": "United States",
  "Shipping Phone": "907-555-0175",
  "Product Details": product("115", "1", "CAP-S", "Yoga capri", "Size: S (4)", "65.00"),
  ...cells,
});

const dawn = {
  name: "Dawn Hill",
  address1: "PO Box 7",
  city: "Eagle River",
  zip: "99577",
  provinceCode: "AK",
  country: "United States",
  countryCode: "US",
};
const capri = {
  productId: "115",
  sku: "CAP-S",
  name: "Yoga capri",
  quantity: 1,
  price: 65,
  options: [{ name: "Size", value: "S (4)" }],
};
const bigOrder = (number: string, more: object = {}) => ({
  number,
  status: "new",
  paymentStatus: "paid",
  orderedAt: "2026-04-26T00:00:00.000Z",
  currency: "USD",
  total: 70,
  amounts: { subtotal: 65, tax: 0, shipping: 5, fees: 0 },
  payment: { method: "Credit Card" },
  customer: { id: "54", name: "Dawn Hill", email: "dawn@example.com", phone: "907-555-0175" },
  shipping: { service: "Ground" },
  shippingAddress: { ...dawn, company: "Hill Yoga", phone: "907-555-0175" },
  billingAddress: { ...dawn, province: "Alaska" },
  lines: [capri],
  ...more,
});

/** Ten orders of BigCommerce: all items of an order are in one cell. */
export const bigcommerceFile: FileOfProgram = {
  preset: "bigcommerce",
  header: bigHeader,
  delimiter: ",",
  orders: [
    { rows: [bigRow("186")], order: bigOrder("186") },
    {
      // Names with commas, colons, entities and a bar.
      rows: [
        bigRow("187", {
          "Product Details": [
            product("115", "1", "CAP-S", "Yoga capri", "Size: S (4)", "65.00"),
            product(
              "84",
              "2",
              "",
              "Wedge: foam, 12&quot; | soft",
              "Size: Large - 5&#039; 9&quot;, Reason for Purchase: Shoulder, Return policy: Yes",
              "29.60",
            ),
          ].join("|"),
        }),
      ],
      order: bigOrder("187", {
        lines: [
          capri,
          {
            productId: "84",
            sku: `Wedge: foam, 12" | soft / Large - 5' 9" / Shoulder / Yes`,
            name: 'Wedge: foam, 12" | soft',
            quantity: 2,
            price: 29.6,
            options: [
              { name: "Size", value: `Large - 5' 9"` },
              { name: "Reason for Purchase", value: "Shoulder" },
              { name: "Return policy", value: "Yes" },
            ],
          },
        ],
      }),
    },
    {
      rows: [
        bigRow("188", { "Tax Total": "5.20", "Order Total (inc tax)": "77.20", "Handling Cost (ex tax)": "2.0000" }),
      ],
      order: bigOrder("188", { total: 77.2, amounts: { subtotal: 65, tax: 5.2, shipping: 5, fees: 2 } }),
    },
    {
      rows: [
        bigRow("189", {
          "Coupon Details": "Coupon Code: SAVE10, Coupon Value: 10.00",
          "Order Total (inc tax)": "60.00",
        }),
      ],
      order: bigOrder("189", {
        total: 60,
        amounts: {
          subtotal: 65,
          tax: 0,
          shipping: 5,
          fees: 0,
          discount: 10,
          discounts: [{ code: "SAVE10", amount: 10 }],
        },
      }),
    },
    {
      rows: [bigRow("190", { "Order Status": "Refunded", "Refund Amount": "70.00" })],
      order: bigOrder("190", {
        status: "cancelled",
        paymentStatus: "refunded",
        amounts: { subtotal: 65, tax: 0, shipping: 5, fees: 0, refunded: 70 },
      }),
    },
    {
      rows: [
        bigRow("191", {
          "Billing Purchase Order #": "PO-7781",
          "Order Notes": "Dock 4",
          "Customer Message": "Thanks!",
        }),
      ],
      order: bigOrder("191", { poNumber: "PO-7781", notes: [{ text: "Dock 4" }, { text: "Thanks!" }] }),
    },
    {
      rows: [bigRow("192", { "Shipping Purchase Order #": "PO-2", "Customer ID": "0" })],
      order: bigOrder("192", {
        poNumber: "PO-2",
        customer: { name: "Dawn Hill", email: "dawn@example.com", phone: "907-555-0175" },
      }),
    },
    {
      rows: [bigRow("193", { "Order Status": "Shipped", "Total Shipped": "1", "Date Shipped": "29/04/2026" })],
      order: bigOrder("193", { status: "shipped", lines: [{ ...capri, shippedQuantity: 1 }] }),
    },
    {
      rows: [bigRow("194", { "Order Status": "Partially Shipped" })],
      order: bigOrder("194", { status: "review_required" }),
    },
    {
      rows: [bigRow("195", { "Order Status": "Awaiting Payment", "Order Currency Code": "AUD" })],
      order: bigOrder("195", { status: "awaiting_payment", paymentStatus: "pending", currency: "AUD" }),
    },
  ],
};
