import type { SheetPreset } from "../../core/csv/csv-columns.ts";

/** Address columns for both addresses. */
function addressColumns(field: string, names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([column, member]) => [column, `${field}.${member}`]));
}

function unused(...columns: string[]): Record<string, null> {
  return Object.fromEntries(columns.map((column) => [column, null]));
}

/** Admin > Orders > Export. The columns of an order are filled in its first row only. */
const shopify: SheetPreset = {
  name: "shopify",
  title: "Shopify: orders export",
  signatures: [["Name", "Lineitem name", "Lineitem quantity"]],
  columns: {
    Name: "number",
    Id: "externalId",
    Email: "customer.email",
    Phone: "customer.phone",
    "Billing Name": "billingAddress.name",
    "Financial Status": "paymentStatus",
    "Fulfillment Status": "fulfillmentStatus",
    "Cancelled at": "cancelledAt",
    Currency: "currency",
    Total: "total",
    "Shipping Method": "shipping.service",
    "Created at": "orderedAt",
    Notes: "note",
    Tags: "tags",
    Source: "channel",
    "Lineitem quantity": "line.quantity",
    "Lineitem name": "line.name",
    "Lineitem price": "line.price",
    "Lineitem sku": "line.sku",
    "Lineitem fulfillment status": "line.fulfillmentStatus",
    "Lineitem requires shipping": "line.requiresShipping",
    "Note Attributes": "note",
    "Risk Level": "customFields.risk_level",
    "Refunded Amount": "refundedAmount",
    ...addressColumns("shippingAddress", {
      "Shipping Name": "name",
      "Shipping Company": "company",
      "Shipping Address1": "address1",
      "Shipping Address2": "address2",
      "Shipping City": "city",
      "Shipping Zip": "zip",
      "Shipping Province": "provinceCode",
      "Shipping Province Name": "province",
      "Shipping Country": "country",
      "Shipping Phone": "phone",
    }),
    ...addressColumns("billingAddress", {
      "Billing Company": "company",
      "Billing Address1": "address1",
      "Billing Address2": "address2",
      "Billing City": "city",
      "Billing Zip": "zip",
      "Billing Province": "provinceCode",
      "Billing Province Name": "province",
      "Billing Country": "country",
      "Billing Phone": "phone",
    }),
    // Combined address lines, amounts the hub does not store, and internal columns of Shopify.
    ...unused(
      "Shipping Street",
      "Billing Street",
      "Paid at",
      "Fulfilled at",
      "Accepts Marketing",
      "Subtotal",
      "Shipping",
    ),
    ...unused("Taxes", "Discount Code", "Discount Amount", "Lineitem compare at price"),
    ...unused("Lineitem taxable", "Lineitem discount", "Payment Method", "Payment Reference"),
    ...unused("Vendor", "Outstanding Balance", "Employee", "Location", "Device ID"),
    ...unused("Tax 1 Name", "Tax 1 Value", "Tax 2 Name", "Tax 2 Value", "Tax 3 Name", "Tax 3 Value", "Tax 4 Name"),
    ...unused(
      "Tax 4 Value",
      "Tax 5 Name",
      "Tax 5 Value",
      "Receipt Number",
      "Duties",
      "Payment ID",
      "Payment Terms Name",
    ),
    ...unused("Next Payment Due At", "Payment References"),
  },
  values: { paymentStatus: { partiallypaid: "pending", expired: "voided", unpaid: "pending" } },
};

const wooStatuses = {
  pendingpayment: "awaiting_payment",
  pending: "awaiting_payment",
  onhold: "awaiting_payment",
  processing: "new",
  completed: "shipped",
  refunded: "cancelled",
  failed: "cancelled",
  trash: "cancelled",
  draft: "draft",
  checkoutdraft: "draft",
  cancelled: "cancelled",
};

/** The same statuses as in the connector. */
const wooPayments = Object.fromEntries(
  Object.entries({
    pending: ["pendingpayment", "pending", "onhold", "draft", "checkoutdraft"],
    paid: ["processing", "completed"],
    refunded: ["refunded"],
    voided: ["cancelled", "failed", "trash"],
  }).flatMap(([paymentStatus, words]) => words.map((word) => [word, { paymentStatus }])),
);

/**
 * The columns of the two most used extensions, since WooCommerce has no export: "Advanced Order Export" with Postcode (Shipping),
 * and "Customer/Order/Coupon Export" with one row per item and shipping_postcode.
 */
const woocommerce: SheetPreset = {
  name: "woocommerce",
  title: "WooCommerce: Advanced Order Export, or Customer/Order/Coupon Export",
  signatures: [
    ["Order Number", "Order Status", "First Name (Billing)"],
    ["order_number", "billing_first_name", "item_sku", "item_quantity"],
  ],
  columns: {
    "Order Number": "number",
    order_number: "number",
    order_id: "externalId",
    "Order Status": "status",
    status: "status",
    "Order Date": "orderedAt",
    order_date: "orderedAt",
    date: "orderedAt",
    "Customer Note": "note",
    customer_note: "note",
    "Order Total Amount": "total",
    order_total: "total",
    order_currency: "currency",
    "Shipping Method Title": "shipping.service",
    shipping_method: "shipping.service",
    SKU: "line.sku",
    item_sku: "line.sku",
    "Item Name": "line.name",
    item_name: "line.name",
    "Quantity (- Refund)": "line.quantity",
    Quantity: "line.quantity",
    item_quantity: "line.quantity",
    "Item Cost": "line.price",
    item_total: "line.total",
    item_id: "line.id",
    "Email (Billing)": "customer.email",
    billing_email: "customer.email",
    "Phone (Billing)": "customer.phone",
    billing_phone: "customer.phone",
    ...wooAddress("shippingAddress", "Shipping"),
    ...wooAddress("billingAddress", "Billing"),
    "Payment Method Title": "paymentMethod",
    payment_method: "paymentMethod",
    "Order Refund Amount": "refundedAmount",
    ...unused("Cart Discount Amount", "Order Subtotal Amount", "Order Shipping Amount"),
    ...unused("Order Total Tax Amount", "Item #", "Coupon Code", "Discount Amount"),
    ...unused("Discount Amount Tax", "shipping_total", "tax_total", "discount_total", "customer_id"),
  },
  values: { status: wooStatuses },
  otherwise: { status: "review_required" },
  implied: { status: wooPayments },
};

function wooAddress(field: string, side: "Shipping" | "Billing"): Record<string, string> {
  const key = side.toLowerCase();
  return addressColumns(field, {
    [`First Name (${side})`]: "firstName",
    [`Last Name (${side})`]: "lastName",
    [`Company (${side})`]: "company",
    [`Address 1&2 (${side})`]: "address1",
    [`Address 1 (${side})`]: "address1",
    [`Address 2 (${side})`]: "address2",
    [`City (${side})`]: "city",
    [`State Code (${side})`]: "provinceCode",
    [`State (${side})`]: "province",
    [`Postcode (${side})`]: "zip",
    [`Country Code (${side})`]: "countryCode",
    [`Country (${side})`]: "country",
    [`${key}_first_name`]: "firstName",
    [`${key}_last_name`]: "lastName",
    [`${key}_company`]: "company",
    [`${key}_address_1`]: "address1",
    [`${key}_address_2`]: "address2",
    [`${key}_city`]: "city",
    [`${key}_state_code`]: "provinceCode",
    [`${key}_state`]: "province",
    [`${key}_postcode`]: "zip",
    [`${key}_country`]: "country",
  });
}

/**
 * Order reports of Seller Central, tab-delimited; fields as in its help ("The following fields are available in the Order
 * Report"). Amounts are for all units of a line. The report of unshipped orders has the same names, without amounts.
 */
const amazon: SheetPreset = {
  name: "amazon",
  title: "Amazon: order report",
  signatures: [["order-id", "order-item-id", "quantity-purchased"]],
  columns: {
    "order-id": "number",
    "order-item-id": "line.id",
    "purchase-date": "orderedAt",
    "payments-date": "paidAt",
    "buyer-email": "customer.email",
    "buyer-name": "customer.name",
    "buyer-phone-number": "customer.phone",
    sku: "line.sku",
    "product-name": "line.name",
    "item-name": "line.name",
    "quantity-purchased": "line.quantity",
    "quantity-shipped": "line.shippedQuantity",
    currency: "currency",
    "item-price": "line.total",
    "ship-service-level": "shipping.service",
    "promise-date": "shipBy",
    "sales-channel": "channel",
    "delivery-Instructions": "note",
    "gift-message-text": "giftMessage",
    "purchase-order-number": "customFields.po_number",
    ...addressColumns("shippingAddress", {
      "recipient-name": "name",
      "ship-address-1": "address1",
      "ship-address-2": "address2",
      "ship-address-3": "address3",
      "ship-city": "city",
      "ship-state": "province",
      "ship-postal-code": "zip",
      "ship-country": "countryCode",
      "ship-phone-number": "phone",
    }),
    ...unused("item-tax", "shipping-price", "shipping-tax", "gift-wrap-price", "gift-wrap-tax"),
    ...unused("gift-wrap-type", "item-promotion-discount", "item-promotion-id", "ship-promotion-discount"),
    ...unused("ship-promotion-id", "delivery-start-date", "delivery-end-date", "delivery-time-zone", "reporting-date"),
    ...unused("days-past-promise", "quantity-to-ship", "is-business-order"),
    ...unused("price-designation", "is-iba", "verge-of-cancellation", "verge-of-lateShipment"),
  },
  dateOrder: "mdy",
  isUnquoted: true,
};

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
    "Date - Shipped Date": "shippedAt",
    "Item - SKU": "line.sku",
    "Item - Name": "line.name",
    "Item - Qty": "line.quantity",
    "Item - Price": "line.price",
    "Item - Unit Price": "line.price",
    "Amount - Order Total": "total",
    "Customer Name": "customer.name",
    "Customer - Name": "customer.name",
    "Customer Email": "customer.email",
    "Customer - Email": "customer.email",
    "Carrier - Service Requested": "shipping.service",
    "Carrier - Service Selected": "shipping.service",
    "Service - Package Type": "shipping.packageType",
    "Market - Store Name": "channel",
    "Notes - From Buyer": "note",
    "Notes - Internal": "note",
    ...addressColumns("shippingAddress", {
      "Ship To - Name": "name",
      "Ship To - Company": "company",
      "Ship To - Address 1": "address1",
      "Ship To - Address 2": "address2",
      "Ship To - Address 3": "address3",
      "Ship To - City": "city",
      "Ship To - State": "province",
      "Ship To - Postal Code": "zip",
      "Ship To - Country": "country",
      "Ship To - Phone": "phone",
      "Ship To - Email": "email",
    }),
    ...addressColumns("billingAddress", { "Bill To - Name": "name" }),
    ...unused("Amount - Shipping Cost", "Amount - Order Shipping", "Tracking Number", "Source"),
  },
  values: {
    status: { awaitingshipment: "new", onhold: "new", pending: "new", awaitingpayment: "awaiting_payment" },
  },
  dateOrder: "mdy",
};

/** Shop Manager > Settings > Download data > Order items ("EtsySoldOrderItems"). Dates are written 08/14/25. */
const etsy: SheetPreset = {
  name: "etsy",
  title: "Etsy: sold order items",
  signatures: [["Sale Date", "Item Name", "Transaction ID", "Order ID"]],
  columns: {
    "Order ID": "number",
    "Transaction ID": "line.id",
    "Sale Date": "orderedAt",
    "Item Name": "line.name",
    SKU: "line.sku",
    Buyer: "customer.name",
    Quantity: "line.quantity",
    Price: "line.price",
    Variations: "line.properties",
    Currency: "currency",
    "Date Paid": "paidAt",
    "Date Shipped": "shippedAt",
    ...addressColumns("shippingAddress", {
      "Ship Name": "name",
      "Ship Address1": "address1",
      "Ship Address2": "address2",
      "Ship City": "city",
      "Ship State": "province",
      "Ship Zipcode": "zip",
      "Ship Country": "country",
    }),
    ...unused("Coupon Code", "Coupon Details", "Discount Amount", "Shipping Discount", "Order Shipping"),
    ...unused("Order Sales Tax", "Item Total", "Listing ID", "Order Type", "Listings Type", "Payment Type"),
    ...unused("InPerson Discount", "InPerson Location", "VAT Paid by Buyer"),
  },
  dateOrder: "mdy",
};

/**
 * Seller Hub > Orders > Download report. An order with several items starts with a row for the order, and the file ends with
 * totals. Dates are written Jul-21-25. In Britain, columns are named "Post to" instead of "Ship To".
 */
const ebay: SheetPreset = {
  name: "ebay",
  title: "eBay: orders report",
  signatures: [["Order Number", "Item Title", "Sold For"]],
  columns: {
    "Order Number": "number",
    "Buyer Name": "customer.name",
    "Buyer Email": "customer.email",
    "Buyer Note": "note",
    "Sales Record Number": "fallbackNumber",
    "Item Title": "line.name",
    "Variation Details": "line.properties",
    "Custom Label": "line.sku",
    Quantity: "line.quantity",
    "Sold For": "line.price",
    "Transaction ID": "line.id",
    "Sale Date": "orderedAt",
    "Paid On Date": "paidAt",
    "Ship By Date": "shipBy",
    "Dispatch By Date": "shipBy",
    "Shipped On Date": "shippedAt",
    "Dispatched On Date": "shippedAt",
    "Shipping Service": "shipping.service",
    "Delivery Service": "shipping.service",
    ...ebayAddress("Ship To"),
    ...ebayAddress("Post To"),
    ...unused("Buyer Username", "Buyer Address 1", "Buyer Address 2", "Buyer City", "Buyer State"),
    ...unused(
      "Buyer County",
      "Buyer Zip",
      "Buyer Postcode",
      "Buyer Country",
      "Item Number",
      "Sold Via Promoted Listings",
    ),
    ...unused("Shipping And Handling", "Postage And Packaging", "Seller Collected Tax", "eBay Collected Tax"),
    ...unused(
      "eBay Collected Tax Included in Total",
      "Total Price",
      "Payment Method",
      "Minimum Estimated Delivery Date",
    ),
    ...unused("Maximum Estimated Delivery Date", "Feedback Left", "Feedback Received", "My Item Note"),
    ...unused("PayPal Transaction ID", "Tracking Number", "Global Shipping Program", "eBay Plus"),
    ...unused("Global Shipping Reference ID", "Click And Collect", "Click And Collect Reference Number"),
  },
  dateOrder: "mdy",
  notData: /record\(s\) downloaded|^Seller ID\s*:/i,
};

function ebayAddress(side: string): Record<string, string> {
  return addressColumns("shippingAddress", {
    [`${side} Name`]: "name",
    [`${side} Phone`]: "phone",
    [`${side} Address 1`]: "address1",
    [`${side} Address 2`]: "address2",
    [`${side} City`]: "city",
    [`${side} State`]: "province",
    [`${side} County`]: "province",
    [`${side} Zip`]: "zip",
    [`${side} Postcode`]: "zip",
    [`${side} Country`]: "country",
  });
}

/** The format of GET /orders/export.csv: read without any cleaning. */
const hub: SheetPreset = {
  name: "hub",
  title: "This hub: orders export",
  signatures: [["number", "shippingAddress.address1", "line.sku", "line.shippedQuantity", "version"]],
  // The other columns are matched by name.
  columns: { notes: "note", ...unused("id", "onHold", "createdAt", "updatedAt", "version") },
};

export const orderPresets: readonly SheetPreset[] = [hub, shopify, woocommerce, amazon, shipstation, etsy, ebay];
