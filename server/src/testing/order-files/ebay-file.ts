import type { Cells, FileOfProgram } from "./file-of-program.ts";

const ebayHeader =
  "Sales Record Number,Order Number,Buyer Username,Buyer Name,Buyer Email,Buyer Note,Buyer Address 1,Buyer Address 2,Buyer City,Buyer State,Buyer Zip,Buyer Country,Ship To Name,Ship To Phone,Ship To Address 1,Ship To Address 2,Ship To City,Ship To State,Ship To Zip,Ship To Country,Item Number,Item Title,Custom Label,Sold Via Promoted Listings,Quantity,Sold For,Shipping And Handling,Seller Collected Tax,eBay Collected Tax,Total Price,eBay Collected Tax Included in Total,Payment Method,Sale Date,Paid On Date,Ship By Date,Minimum Estimated Delivery Date,Maximum Estimated Delivery Date,Shipped On Date,Feedback Left,Feedback Received,My Item Note,PayPal Transaction ID,Shipping Service,Tracking Number,Transaction ID,Variation Details,Global Shipping Program,Global Shipping Reference ID,Click And Collect,Click And Collect Reference Number,eBay Plus".split(
    ",",
  );
const ebayOrderCells = (record: string, number: string): Cells => ({
  "Sales Record Number": record,
  "Order Number": number,
  "Buyer Username": "joe_d",
  "Buyer Name": "Joe Doe",
  "Buyer Email": "joe@example.com",
  "Buyer Address 1": "1 Oak St",
  "Buyer City": "Reno",
  "Buyer State": "NV",
  "Buyer Zip": "89501",
  "Buyer Country": "United States",
  "Ship To Name": "Joe Doe",
  "Ship To Phone": "775 555 0100",
  "Ship To Address 1": "1 Oak St",
  "Ship To City": "Reno",
  "Ship To State": "NV",
  "Ship To Zip": "89501",
  "Ship To Country": "United States",
  "Shipping And Handling": "$12.00",
  "Seller Collected Tax": "$0.00",
  "eBay Collected Tax": "$4.00",
  "Total Price": "$61.99",
  "eBay Collected Tax Included in Total": "Yes",
  "Payment Method": "eBay",
  "Sale Date": "Jul-21-26",
  "Paid On Date": "Jul-21-26",
  "Ship By Date": "Jul-23-26",
  "Shipping Service": "USPS Ground Advantage",
});
const ebayRow = (record: string, number: string, cells: Cells = {}): Cells => ({
  ...ebayOrderCells(record, number),
  "Item Number": "335001",
  "Item Title": "Lamp, brass",
  "Custom Label": "LAMP-1",
  "Sold Via Promoted Listings": "No",
  Quantity: "1",
  "Sold For": "$45.99",
  "Transaction ID": `77${record}`,
  ...cells,
});
const joe = {
  address1: "1 Oak St",
  city: "Reno",
  provinceCode: "NV",
  zip: "89501",
  country: "United States",
  countryCode: "US",
};
const brass = (record: string, more: object = {}) => ({
  id: `77${record}`,
  sku: "LAMP-1",
  name: "Lamp, brass",
  productId: "335001",
  quantity: 1,
  price: 45.99,
  ...more,
});
const ebayOrder = (record: string, number: string, more: object = {}) => ({
  number,
  paymentStatus: "paid",
  orderedAt: "2026-07-21T00:00:00.000Z",
  shipBy: "2026-07-23T00:00:00.000Z",
  total: 61.99,
  amounts: { shipping: 12, tax: 4 },
  payment: { method: "eBay" },
  customer: { id: "joe_d", name: "Joe Doe", email: "joe@example.com" },
  shipping: { service: "USPS Ground Advantage" },
  shippingAddress: { ...joe, name: "Joe Doe", phone: "775 555 0100" },
  billingAddress: joe,
  lines: [brass(record)],
  ...more,
});

/** Ten orders of eBay: orders with several items begin with a row of their own. */
export const ebayFile: FileOfProgram = {
  preset: "ebay",
  header: ebayHeader,
  delimiter: ",",
  orders: [
    { rows: [ebayRow("101", "E-1")], order: ebayOrder("101", "E-1") },
    {
      rows: [
        { ...ebayOrderCells("102", "E-2"), "eBay Collected Tax": "$5.00", "Total Price": "$74.99", Quantity: "3" },
        ebayRow("102", "E-2", { "eBay Collected Tax": "$4.00", "Total Price": "$61.99" }),
        ebayRow("102", "E-2", {
          "Item Title": "Shade",
          "Custom Label": "SHADE",
          Quantity: "2",
          "Sold For": "$6.00",
          "Shipping And Handling": "",
          "eBay Collected Tax": "$1.00",
          "Total Price": "$13.00",
          "Transaction ID": "9",
        }),
      ],
      order: ebayOrder("102", "E-2", {
        total: 74.99,
        amounts: { shipping: 12, tax: 5 },
        lines: [brass("102"), brass("102", { id: "9", sku: "SHADE", name: "Shade", quantity: 2, price: 6 })],
      }),
    },
    {
      rows: [ebayRow("103", "E-3", { "Variation Details": "[Color:Black,Size:L]", "Custom Label": "" })],
      order: ebayOrder("103", "E-3", {
        lines: [
          brass("103", {
            sku: "Lamp, brass / Black / L",
            options: [
              { name: "Color", value: "Black" },
              { name: "Size", value: "L" },
            ],
          }),
        ],
      }),
    },
    {
      rows: [ebayRow("104", "", {})],
      order: ebayOrder("104", "104"),
    },
    {
      rows: [ebayRow("105", "E-5", { "Shipped On Date": "Jul-22-26", "Tracking Number": "9400 1" })],
      order: ebayOrder("105", "E-5", { status: "shipped", lines: [brass("105", { shippedQuantity: 1 })] }),
    },
    {
      rows: [ebayRow("106", "E-6", { "Buyer Note": "Grüße", "My Item Note": "Shelf 4" })],
      order: ebayOrder("106", "E-6", { notes: [{ text: "Grüße" }, { text: "Shelf 4" }] }),
    },
    {
      rows: [ebayRow("107", "E-7", { "PayPal Transaction ID": "5VT01", "Payment Method": "PayPal" })],
      order: ebayOrder("107", "E-7", { payment: { method: "PayPal", reference: "5VT01" } }),
    },
    {
      rows: [
        ebayRow("108", "E-8", {
          "Sold For": "£45.99",
          "Shipping And Handling": "£12.00",
          "eBay Collected Tax": "£4.00",
          "Seller Collected Tax": "£0.00",
          "Total Price": "£61.99",
        }),
      ],
      order: ebayOrder("108", "E-8", { currency: "GBP" }),
    },
    {
      rows: [ebayRow("109", "E-9", { "Paid On Date": "", "Maximum Estimated Delivery Date": "Jul-30-26" })],
      order: { ...ebayOrder("109", "E-9", { deliverBy: "2026-07-30T00:00:00.000Z" }), paymentStatus: undefined },
    },
    {
      rows: [ebayRow("110", "E-10", { "Seller Collected Tax": "$1.00", "Total Price": "$62.99" })],
      order: ebayOrder("110", "E-10", { total: 62.99, amounts: { shipping: 12, tax: 5 } }),
    },
  ],
};
