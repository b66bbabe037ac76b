import type { SheetPreset } from "../../core/csv/csv-columns.ts";
import { addressColumns, notRead } from "./preset-columns.ts";

/** Prices at Amazon include the tax, except in the United States and Canada. */
const pricesWithTax = Object.fromEntries(
  "eur gbp sek pln try jpy aud sgd aed sar egp inr mxn brl"
    .split(" ")
    .map((code) => [code, { "amounts.taxIncluded": true }]),
);

/**
 * Order reports of Seller Central, tab-delimited; fields as in its help ("The following fields are available in the Order
 * Report"). Amounts are for all units of a line. The report of unshipped orders has the same names, without amounts.
 */
export const amazon: SheetPreset = {
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
    "buyer-company-name": "billingAddress.company",
    sku: "line.sku",
    asin: "line.productId",
    "product-name": "line.name",
    "item-name": "line.name",
    "quantity-purchased": "line.quantity",
    "quantity-shipped": "line.shippedQuantity",
    currency: "currency",
    "item-price": "line.total",
    "item-tax": "line.tax",
    "item-promotion-discount": "line.discount",
    "item-promotion-id": "discountCode",
    "shipping-price": "row.shipping",
    "shipping-tax": "row.tax",
    "ship-promotion-discount": "row.discount",
    "ship-promotion-id": "discountCode",
    "gift-wrap-price": "row.fees",
    "gift-wrap-tax": "row.tax",
    "gift-wrap-type": "line.properties.Gift wrap",
    "gift-message-text": "giftMessage",
    "payment-method": "payment.method",
    "payment-method-fee": "row.fees",
    "ship-service-level": "shipping.service",
    "promise-date": "shipBy",
    "latest-ship-date": "shipBy",
    "delivery-start-date": "requestedDeliveryDate",
    "delivery-end-date": "deliverBy",
    "latest-delivery-date": "deliverBy",
    "sales-channel": "channel",
    "delivery-Instructions": "note",
    "purchase-order-number": "poNumber",
    "is-business-order": "businessOrder",
    "customized-url": "line.properties.Customization",
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
    // Times are written with their offset; the others are about Amazon's own deadlines and reports.
    ...notRead("delivery-time-zone", "reporting-date", "days-past-promise", "quantity-to-ship", "earliest-ship-date"),
    ...notRead("earliest-delivery-date", "price-designation", "is-iba", "is-prime", "is-sold-by-ab", "shipment-status"),
    ...notRead("verge-of-cancellation", "verge-of-lateShipment", "number-of-items", "customized-page"),
    ...notRead("signature-confirmation-recommended", "cpf"),
  },
  implied: { currency: pricesWithTax },
  dateOrder: "mdy",
  isUnquoted: true,
};

/** Shop Manager > Settings > Download data > Order items ("EtsySoldOrderItems"). Dates are written 08/14/25. */
export const etsy: SheetPreset = {
  name: "etsy",
  title: "Etsy: sold order items",
  signatures: [["Sale Date", "Item Name", "Transaction ID", "Order ID"]],
  columns: {
    "Order ID": "number",
    "Transaction ID": "line.id",
    "Sale Date": "orderedAt",
    "Item Name": "line.name",
    SKU: "line.sku",
    "Listing ID": "line.productId",
    Buyer: "customer.id",
    Quantity: "line.quantity",
    Price: "line.price",
    Variations: "line.variations",
    Currency: "currency",
    "Date Paid": "paidAt",
    "Date Shipped": "shippedAt",
    "Coupon Code": "discountCode",
    "Coupon Details": "discountTitle",
    "Discount Amount": "line.discount",
    "Shipping Discount": "row.discount",
    "InPerson Discount": "row.discount",
    "Order Shipping": "row.shipping",
    "Order Sales Tax": "row.tax",
    "Payment Type": "payment.method",
    ...addressColumns("shippingAddress", {
      "Ship Name": "name",
      "Ship Address1": "address1",
      "Ship Address2": "address2",
      "Ship City": "city",
      "Ship State": "province",
      "Ship Zipcode": "zip",
      "Ship Country": "country",
    }),
    // The item total is price times quantity; Etsy keeps the VAT that it collects.
    ...notRead("Item Total", "Order Type", "Listings Type", "InPerson Location", "VAT Paid by Buyer"),
  },
  dateOrder: "mdy",
};

/**
 * Seller Hub > Orders > Download report. An order with several items starts with a row for the order, and the file ends with
 * totals. Dates are written Jul-21-25. In Britain, columns are named "Post to" instead of "Ship To".
 */
export const ebay: SheetPreset = {
  name: "ebay",
  title: "eBay: orders report",
  signatures: [["Order Number", "Item Title", "Sold For"]],
  columns: {
    "Order Number": "number",
    "Sales Record Number": "fallbackNumber",
    "Buyer Username": "customer.id",
    "Buyer Name": "customer.name",
    "Buyer Email": "customer.email",
    "Buyer Note": "note",
    "My Item Note": "note",
    "Item Number": "line.productId",
    "Item Title": "line.name",
    "Variation Details": "line.variations",
    "Custom Label": "line.sku",
    Quantity: "line.quantity",
    "Sold For": "line.price",
    "Transaction ID": "line.id",
    "Shipping And Handling": "row.shipping",
    "Postage And Packaging": "row.shipping",
    "Seller Collected Tax": "row.tax",
    "eBay Collected Tax": "row.tax",
    "Total Price": "row.total",
    "Payment Method": "payment.method",
    "PayPal Transaction ID": "payment.reference",
    "Sale Date": "orderedAt",
    "Paid On Date": "paidAt",
    "Ship By Date": "shipBy",
    "Dispatch By Date": "shipBy",
    "Maximum Estimated Delivery Date": "deliverBy",
    "Shipped On Date": "shippedAt",
    "Dispatched On Date": "shippedAt",
    "Shipping Service": "shipping.service",
    "Delivery Service": "shipping.service",
    ...ebayAddress("Ship To"),
    ...ebayAddress("Post To"),
    ...addressColumns("billingAddress", {
      "Buyer Address 1": "address1",
      "Buyer Address 2": "address2",
      "Buyer City": "city",
      "Buyer State": "province",
      "Buyer County": "province",
      "Buyer Zip": "zip",
      "Buyer Postcode": "zip",
      "Buyer Country": "country",
    }),
    ...notRead("Sold Via Promoted Listings", "eBay Collected Tax Included in Total", "Minimum Estimated Delivery Date"),
    ...notRead("Feedback Left", "Feedback Received", "Tracking Number", "Global Shipping Program", "eBay Plus"),
    ...notRead("Global Shipping Reference ID", "Click And Collect", "Click And Collect Reference Number"),
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
