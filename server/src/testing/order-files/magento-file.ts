import type { Cells, FileOfProgram } from "./file-of-program.ts";

const magentoHeader =
  "ID,Purchase Point,Purchase Date,Bill-to Name,Ship-to Name,Grand Total (Base),Grand Total (Purchased),Status,Billing Address,Shipping Address,Shipping Information,Customer Email,Customer Group,Subtotal,Shipping and Handling,Customer Name,Payment Method,Total Refunded,Allocated sources,Pickup Location Code,Braintree Transaction Source,Dispute State".split(
    ",",
  );
const magentoRow = (number: string, cells: Cells = {}): Cells => ({
  ID: number,
  "Purchase Point": "Main Website\n    Main Store\n        English",
  "Purchase Date": "2026-05-31 09:15:00",
  "Bill-to Name": "Sara Moss",
  "Ship-to Name": "Tom Moss",
  "Grand Total (Base)": "219.4000",
  "Grand Total (Purchased)": "219.4000",
  Status: "Processing",
  "Billing Address": "1 Elm Rd, Austin, Texas, 78701",
  "Shipping Address": "12 Oak St\nApt 4,Reno,Nevada,89501",
  "Shipping Information": "Flat Rate - Fixed",
  "Customer Email": "sara@example.com",
  "Customer Group": "General",
  Subtotal: "209.4000",
  "Shipping and Handling": "10.0000",
  "Customer Name": "Sara Moss",
  "Payment Method": "checkmo",
  ...cells,
});
const magentoOrder = (number: string, more: object = {}) => ({
  number,
  channel: "Main Website / Main Store / English",
  status: "review_required",
  paymentStatus: "paid",
  orderedAt: "2026-05-31T09:15:00.000Z",
  total: 219.4,
  amounts: { subtotal: 209.4, shipping: 10 },
  payment: { method: "checkmo" },
  customer: { name: "Sara Moss", email: "sara@example.com" },
  customFields: { customer_group: "General" },
  shipping: { service: "Flat Rate - Fixed" },
  shippingAddress: {
    name: "Tom Moss",
    address1: "12 Oak St",
    address2: "Apt 4",
    city: "Reno",
    province: "Nevada",
    zip: "89501",
  },
  billingAddress: { name: "Sara Moss", address1: "1 Elm Rd", city: "Austin", province: "Texas", zip: "78701" },
  ...more,
});

/** Ten orders of Magento's grid: it has no items. */
export const magentoFile: FileOfProgram = {
  preset: "magento",
  header: magentoHeader,
  delimiter: ",",
  orders: [
    { rows: [magentoRow("000000301")], order: magentoOrder("000000301") },
    {
      rows: [magentoRow("000000302", { Status: "Complete" })],
      order: magentoOrder("000000302", { status: "shipped" }),
    },
    {
      rows: [magentoRow("000000303", { Status: "Pending" })],
      order: magentoOrder("000000303", { status: "awaiting_payment", paymentStatus: "pending" }),
    },
    {
      rows: [magentoRow("000000304", { Status: "Canceled" })],
      order: magentoOrder("000000304", { status: "cancelled", paymentStatus: "voided" }),
    },
    {
      rows: [magentoRow("000000305", { Status: "Closed", "Total Refunded": "219.4000" })],
      order: magentoOrder("000000305", {
        status: "cancelled",
        paymentStatus: "refunded",
        amounts: { subtotal: 209.4, shipping: 10, refunded: 219.4 },
      }),
    },
    {
      rows: [magentoRow("000000306", { Status: "Suspected Fraud" })],
      order: { ...magentoOrder("000000306", { riskLevel: "high" }), paymentStatus: undefined },
    },
    {
      // Bought in another currency.
      rows: [magentoRow("000000307", { "Grand Total (Base)": "$219.40", "Grand Total (Purchased)": "€201.85" })],
      order: magentoOrder("000000307", {
        amounts: { subtotal: 209.4, shipping: 10, presentmentTotal: 201.85, presentmentCurrency: "EUR" },
      }),
    },
    {
      rows: [magentoRow("000000308", { "Shipping Address": "Somewhere", "Pickup Location Code": "store-2" })],
      order: magentoOrder("000000308", {
        customFields: { customer_group: "General", pickup_location: "store-2" },
        shippingAddress: { name: "Tom Moss", address1: "Somewhere" },
      }),
    },
    {
      rows: [magentoRow("000000309", { Status: "Packing at the store" })],
      order: { ...magentoOrder("000000309"), paymentStatus: undefined },
    },
    {
      rows: [magentoRow("000000310", { "Total Refunded": "9.4000" })],
      order: magentoOrder("000000310", {
        paymentStatus: "partially_refunded",
        amounts: { subtotal: 209.4, shipping: 10, refunded: 9.4 },
      }),
    },
  ],
};
