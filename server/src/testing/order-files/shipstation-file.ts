import type { Cells, FileOfProgram } from "./file-of-program.ts";

const shipHeader =
  "Order - Number,Order - Status,Date - Order Date,Date - Paid Date,Date - Ship By Date,Date - Shipped Date,Item - SKU,Item - Name,Item - Qty,Item - Price,Item - Options,Item - Image URL,Amount - Order Subtotal,Amount - Order Tax,Amount - Order Shipping,Amount - Paid by Customer,Amount - Order Total,Amount - Shipping Cost,Customer Name,Customer Email,Customer - Username,Ship To - Name,Ship To - Company,Ship To - Address 1,Ship To - Address 2,Ship To - City,Ship To - State,Ship To - Postal Code,Ship To - Country,Ship To - Phone,Bill To - Name,Carrier - Service Requested,Market - Store Name,Market - Markeplace Name,Notes - From Buyer,Notes - Internal,Gift - Message,Custom - Field 1,Custom - Field 2,Custom - Field 3,Tags,Payment - Method,Count - Number of Items,Tracking Number".split(
    ",",
  );
const shipRow = (number: string, cells: Cells = {}): Cells => ({
  "Order - Number": number,
  "Order - Status": "Awaiting Shipment",
  "Date - Order Date": "3/2/2026 1:05:09 PM",
  "Date - Paid Date": "3/2/2026",
  "Date - Ship By Date": "3/4/2026",
  "Item - SKU": "MUG",
  "Item - Name": "Mug",
  "Item - Qty": "4",
  "Item - Price": "9.50",
  "Amount - Order Subtotal": "38.00",
  "Amount - Order Tax": "3.04",
  "Amount - Order Shipping": "6.00",
  "Amount - Paid by Customer": "47.04",
  "Amount - Order Total": "47.04",
  "Amount - Shipping Cost": "4.11",
  "Customer Name": "Amy Poe",
  "Customer Email": "amy@example.com",
  "Customer - Username": "amyp",
  "Ship To - Name": "Amy Poe",
  "Ship To - Address 1": "1 High St",
  "Ship To - City": "Albany",
  "Ship To - State": "NY",
  "Ship To - Postal Code": "12207",
  "Ship To - Country": "US",
  "Bill To - Name": "Amy Poe",
  "Carrier - Service Requested": "Ground",
  "Market - Store Name": "My Store",
  ...cells,
});
const amy = {
  name: "Amy Poe",
  address1: "1 High St",
  city: "Albany",
  provinceCode: "NY",
  zip: "12207",
  countryCode: "US",
};
const cup = { sku: "MUG", name: "Mug", quantity: 4, price: 9.5 };
const shipOrder = (number: string, more: object = {}) => ({
  number,
  status: "new",
  paymentStatus: "paid",
  orderedAt: "2026-03-02T13:05:09.000Z",
  shipBy: "2026-03-04T00:00:00.000Z",
  total: 47.04,
  amounts: { subtotal: 38, tax: 3.04, shipping: 6, paid: 47.04 },
  channel: "My Store",
  customer: { id: "amyp", name: "Amy Poe", email: "amy@example.com" },
  shipping: { service: "Ground" },
  shippingAddress: amy,
  billingAddress: { name: "Amy Poe" },
  lines: [cup],
  ...more,
});

/** Ten orders of ShipStation: the columns of an order are filled in each of its rows. */
export const shipstationFile: FileOfProgram = {
  preset: "shipstation",
  header: shipHeader,
  delimiter: ",",
  orders: [
    { rows: [shipRow("S-1")], order: shipOrder("S-1") },
    {
      rows: [
        shipRow("S-2"),
        shipRow("S-2", { "Item - SKU": "TEE", "Item - Name": "Tee", "Item - Qty": "1", "Item - Price": "0" }),
      ],
      order: shipOrder("S-2", { lines: [cup, { sku: "TEE", name: "Tee", quantity: 1, price: 0 }] }),
    },
    {
      rows: [
        shipRow("S-3", { "Item - Options": "Color: Blue, Size: L", "Item - Image URL": "https://img.example/m.png" }),
      ],
      order: shipOrder("S-3", {
        lines: [
          {
            ...cup,
            options: [
              { name: "Color", value: "Blue" },
              { name: "Size", value: "L" },
            ],
            imageUrl: "https://img.example/m.png",
          },
        ],
      }),
    },
    {
      rows: [
        shipRow("S-4", { "Gift - Message": "For you", "Notes - From Buyer": "Hurry", "Notes - Internal": "Gläser" }),
      ],
      order: shipOrder("S-4", { giftMessage: "For you", notes: [{ text: "Hurry" }, { text: "Gläser" }] }),
    },
    {
      rows: [shipRow("S-5", { "Order - Status": "Shipped", "Date - Shipped Date": "3/3/2026" })],
      order: shipOrder("S-5", { status: "shipped", lines: [{ ...cup, shippedQuantity: 4 }] }),
    },
    {
      rows: [shipRow("S-6", { "Order - Status": "Cancelled" })],
      order: shipOrder("S-6", { status: "cancelled" }),
    },
    {
      rows: [
        shipRow("S-7", {
          "Order - Status": "Awaiting Payment",
          "Date - Paid Date": "",
          "Amount - Paid by Customer": "0.00",
        }),
      ],
      order: {
        ...shipOrder("S-7", { status: "awaiting_payment", amounts: { subtotal: 38, tax: 3.04, shipping: 6, paid: 0 } }),
        paymentStatus: undefined,
      },
    },
    {
      rows: [shipRow("S-8", { "Custom - Field 1": "Dock 4", "Custom - Field 3": "x", Tags: "Rush, Wholesale" })],
      order: shipOrder("S-8", {
        customFields: { custom_field_1: "Dock 4", custom_field_3: "x" },
        tags: ["Rush", "Wholesale"],
      }),
    },
    {
      // A total that its parts do not make.
      rows: [shipRow("S-9", { "Amount - Order Total": "50.00" })],
      order: shipOrder("S-9", { total: 50 }),
    },
    {
      rows: [
        shipRow("S-10", { "Ship To - Postal Code": "2108", "Ship To - State": "MA", "Payment - Method": "PayPal" }),
      ],
      order: shipOrder("S-10", {
        payment: { method: "PayPal" },
        shippingAddress: { ...amy, zip: "02108", provinceCode: "MA" },
      }),
    },
  ],
};
