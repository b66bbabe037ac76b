import type { SheetPreset } from "../../core/csv/csv-columns.ts";
import { amazon, ebay, etsy } from "./market-presets.ts";
import { addressColumns, notRead } from "./preset-columns.ts";
import { presetPlugins } from "./preset-plugins.ts";
import { bigcommerce, magento } from "./platform-presets.ts";
import { shopify, squarespace } from "./shopify-presets.ts";
import { woocommerce } from "./woocommerce-preset.ts";

/** Order exports; columns as in "Order - Number" and "Item - Qty". */
const shipstation: SheetPreset = {
  name: "shipstation",
  title: "ShipStation: order export",
  signatures: [
    ["Order - Number", "Item - Qty"],
    ["Order - Number", "Ship To - Name"],
  ],
  columns: {
    "Order - Number": "number",
    "Order - Status": "status",
    "Date - Order Date": "orderedAt",
    "Date - Paid Date": "paidAt",
    "Date - Ship By Date": "shipBy",
    "Date - Deliver By Date": "deliverBy",
    "Date - Shipped Date": "shippedAt",
    "Item - SKU": "line.sku",
    "Item - Name": "line.name",
    "Item - Qty": "line.quantity",
    "Item - Price": "line.price",
    "Item - Unit Price": "line.price",
    "Item - Options": "line.options",
    "Item - Image URL": "line.imageUrl",
    "Item - Line Item ID": "line.id",
    "Amount - Order Total": "total",
    "Amount - Order Subtotal": "amounts.subtotal",
    "Amount - Order Tax": "amounts.tax",
    "Amount - Order Shipping": "amounts.shipping",
    "Amount - Paid by Customer": "amounts.paid",
    "Payment - Method": "payment.method",
    "Customer Name": "customer.name",
    "Customer - Name": "customer.name",
    "Customer Email": "customer.email",
    "Customer - Email": "customer.email",
    "Customer - Username": "customer.id",
    "Customer - ID": "customer.id",
    "Carrier - Service Requested": "shipping.service",
    "Carrier - Service Selected": "shipping.service",
    "Service - Package Type": "shipping.packageType",
    "Market - Store Name": "channel",
    "Notes - From Buyer": "note",
    "Notes - Internal": "note",
    "Notes - Gift Message": "giftMessage",
    "Gift - Message": "giftMessage",
    "Order - Gift Message": "giftMessage",
    "Custom - Field 1": "customFields.custom_field_1",
    "Custom - Field 2": "customFields.custom_field_2",
    "Custom - Field 3": "customFields.custom_field_3",
    Tags: "tags",
    ...shipstationAddress("shippingAddress", "Ship To"),
    ...shipstationAddress("billingAddress", "Bill To"),
    // The cost of the label, weights without a unit, and what the shipment is about.
    ...notRead("Amount - Shipping Cost", "Tracking Number", "Shipment - Tracking Number", "Source", "Gift - Flag"),
    ...notRead("Market - Markeplace Name", "Market - Marketplace Name", "Count - Number of Items", "Item - Weight"),
    ...notRead("Item - Warehouse Location", "Item - Fulfillment SKU", "Item - UPC", "Item - Marketplace ID"),
    ...notRead("Shipment - Weight", "Shipment - Zone", "Carrier - Name", "Carrier - Account", "Date - Hold Until"),
  },
  values: {
    status: {
      awaitingshipment: "new",
      onhold: "new",
      pending: "new",
      pendingfulfillment: "new",
      awaitingpayment: "awaiting_payment",
      shipped: "shipped",
      cancelled: "cancelled",
    },
  },
  otherwise: { status: "review_required" },
  dateOrder: "mdy",
};

function shipstationAddress(field: string, side: string): Record<string, string> {
  return addressColumns(field, {
    [`${side} - Name`]: "name",
    [`${side} - Company`]: "company",
    [`${side} - Address 1`]: "address1",
    [`${side} - Address 2`]: "address2",
    [`${side} - Address 3`]: "address3",
    [`${side} - City`]: "city",
    [`${side} - State`]: "province",
    [`${side} - Postal Code`]: "zip",
    [`${side} - Country`]: "country",
    [`${side} - Phone`]: "phone",
    [`${side} - Email`]: "email",
  });
}

/** The format of GET /orders/export.csv: read without any cleaning. */
const hub: SheetPreset = {
  name: "hub",
  title: "This hub: orders export",
  signatures: [["number", "shippingAddress.address1", "line.sku", "line.shippedQuantity", "version"]],
  // The other columns are matched by name.
  columns: { notes: "note", ...notRead("id", "onHold", "createdAt", "updatedAt", "version") },
};

export const orderPresets: readonly SheetPreset[] = [
  hub,
  shopify,
  squarespace,
  woocommerce,
  bigcommerce,
  magento,
  amazon,
  shipstation,
  etsy,
  ebay,
  ...presetPlugins.parts(),
];
