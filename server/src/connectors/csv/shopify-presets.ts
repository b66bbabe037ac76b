import type { SheetPreset } from "../../core/csv/csv-columns.ts";
import { addressColumns, notRead } from "./preset-columns.ts";

/** Columns that Shopify and Squarespace have in common. */
const lineitems = {
  Email: "customer.email",
  "Financial Status": "paymentStatus",
  "Paid at": "paidAt",
  "Fulfillment Status": "fulfillmentStatus",
  "Cancelled at": "cancelledAt",
  "Canceled at": "cancelledAt",
  Currency: "currency",
  Subtotal: "amounts.subtotal",
  Shipping: "amounts.shipping",
  Taxes: "amounts.tax",
  Total: "total",
  "Discount Code": "discountCode",
  "Discount Amount": "amounts.discount",
  "Shipping Method": "shipping.service",
  "Created at": "orderedAt",
  "Lineitem quantity": "line.quantity",
  "Lineitem name": "line.name",
  "Lineitem price": "line.price",
  "Lineitem sku": "line.sku",
  "Lineitem fulfillment status": "line.fulfillmentStatus",
  "Lineitem requires shipping": "line.requiresShipping",
  "Payment Method": "payment.method",
  ...addressColumns("shippingAddress", lineitemAddress("Shipping")),
  ...addressColumns("billingAddress", lineitemAddress("Billing")),
};

function lineitemAddress(side: string): Record<string, string> {
  return {
    [`${side} Name`]: "name",
    [`${side} Company`]: "company",
    [`${side} Address1`]: "address1",
    [`${side} Address2`]: "address2",
    [`${side} City`]: "city",
    [`${side} Zip`]: "zip",
    [`${side} Province`]: "provinceCode",
    [`${side} Province Name`]: "province",
    [`${side} Country`]: "country",
    [`${side} Phone`]: "phone",
  };
}

/** Admin > Orders > Export. The columns of an order are filled in its first row only. */
export const shopify: SheetPreset = {
  name: "shopify",
  title: "Shopify: orders export",
  signatures: [["Name", "Lineitem name", "Lineitem quantity"]],
  columns: {
    ...lineitems,
    Name: "number",
    Id: "externalId",
    Phone: "customer.phone",
    Notes: "note",
    "Note Attributes": "note",
    Tags: "tags",
    Source: "channel",
    "Risk Level": "riskLevel",
    "Lineitem discount": "line.discount",
    "Refunded Amount": "amounts.refunded",
    Duties: "amounts.fees",
    "Payment References": "payment.reference",
    "Payment Reference": "payment.reference",
    "Payment Reference (deprecated)": "payment.reference",
    "Payment ID": "payment.reference",
    // Texts that are in other columns in parts, parts of `Taxes`, and internals of Shopify.
    ...notRead("Shipping Street", "Billing Street", "Fulfilled at", "Accepts Marketing", "Lineitem compare at price"),
    ...notRead("Lineitem compare-at price", "Lineitem taxable", "Vendor", "Outstanding Balance", "Employee"),
    ...notRead("Location", "Device ID", "Tax 1 Name", "Tax 1 Value", "Tax 2 Name", "Tax 2 Value", "Tax 3 Name"),
    ...notRead("Tax 3 Value", "Tax 4 Name", "Tax 4 Value", "Tax 5 Name", "Tax 5 Value", "Receipt Number"),
    ...notRead("Payment Terms Name", "Payment terms", "Next Payment Due At"),
  },
  values: { paymentStatus: { partiallypaid: "pending", expired: "voided", unpaid: "pending" } },
};

/** Orders > Download CSV. As Shopify's, with variants and the forms of the shop in columns of their own. */
export const squarespace: SheetPreset = {
  name: "squarespace",
  title: "Squarespace: orders export",
  signatures: [["Order ID", "Lineitem name", "Lineitem quantity", "Lineitem variant"]],
  columns: {
    ...lineitems,
    "Order ID": "number",
    "Lineitem variant": "line.variations",
    "Amount Refunded": "amounts.refunded",
    "Payment Reference": "payment.reference",
    "Private Notes": "note",
    "Channel Name": "channel",
    "Channel Order Number": "customFields.channel_order_number",
    ...notRead("Fulfilled at", "Lineitem taxable", "Channel Type"),
  },
  prefixes: { "Product Form: ": "line.properties.", "Checkout Form: ": "note." },
  values: {
    paymentStatus: { partiallypaid: "pending", unpaid: "pending", failed: "voided" },
    fulfillmentStatus: {
      canceled: "cancelled",
      cancelled: "cancelled",
      pending: "unfulfilled",
      fulfilled: "fulfilled",
    },
  },
};
