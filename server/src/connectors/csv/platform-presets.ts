import type { SheetPreset } from "../../core/csv/csv-columns.ts";
import { addressColumns, notRead, paymentsByStatus } from "./preset-columns.ts";

/** Orders > Export, the default template. All items of an order are in one cell. */
export const bigcommerce: SheetPreset = {
  name: "bigcommerce",
  title: "BigCommerce: orders export",
  signatures: [["Order ID", "Order Status", "Product Details"]],
  columns: {
    "Order ID": "number",
    "Order Status": "status",
    "Order Date": "orderedAt",
    "Order Currency Code": "currency",
    "Subtotal (ex tax)": "amounts.subtotal",
    "Tax Total": "amounts.tax",
    "Shipping Cost (ex tax)": "amounts.shipping",
    "Handling Cost (ex tax)": "amounts.fees",
    "Order Total (inc tax)": "total",
    "Refund Amount": "amounts.refunded",
    "Coupon Details": "discountCode",
    "Payment Method": "payment.method",
    "Ship Method": "shipping.service",
    "Order Notes": "note",
    "Customer Message": "note",
    "Customer ID": "customer.id",
    "Customer Name": "customer.name",
    "Customer Email": "customer.email",
    "Customer Phone": "customer.phone",
    "Product Details": "lines",
    "Billing Purchase Order #": "poNumber",
    "Shipping Purchase Order #": "poNumber",
    ...bigcommerceAddress("shippingAddress", "Shipping"),
    ...bigcommerceAddress("billingAddress", "Billing"),
    // Amounts with tax, which follow from those without; payments with credit; the time, which belongs to the date.
    ...notRead("Subtotal (inc tax)", "Shipping Cost (inc tax)", "Handling Cost (inc tax)", "Order Total (ex tax)"),
    ...notRead(
      "Order Time",
      "Total Quantity",
      "Total Shipped",
      "Date Shipped",
      "Exchange Rate",
      "Tax Rate",
      "Tax Name",
    ),
    ...notRead("Store Credit Redeemed", "Gift Certificate Amount Redeemed", "Gift Certificate Code"),
    ...notRead("Gift Certificate Expiration Date", "Combined Product Weight", "Shipping Form Fields"),
    ...notRead("Billing Form Fields", "Billing Suburb + State + Zip", "Shipping Suburb + State + Zip"),
  },
  values: {
    status: {
      pending: "awaiting_payment",
      awaitingpayment: "awaiting_payment",
      incomplete: "draft",
      awaitingfulfillment: "new",
      awaitingshipment: "new",
      awaitingpickup: "new",
      shipped: "shipped",
      completed: "shipped",
      cancelled: "cancelled",
      declined: "cancelled",
      refunded: "cancelled",
      // The file does not tell which items were shipped or refunded.
      partiallyshipped: "review_required",
      partiallyrefunded: "review_required",
      disputed: "review_required",
      manualverificationrequired: "review_required",
    },
  },
  otherwise: { status: "review_required" },
  implied: {
    status: paymentsByStatus({
      pending: ["pending", "awaitingpayment", "incomplete"],
      paid: ["awaitingfulfillment", "awaitingshipment", "awaitingpickup", "shipped", "completed", "partiallyshipped"],
      partially_refunded: ["partiallyrefunded"],
      refunded: ["refunded"],
      voided: ["cancelled", "declined"],
    }),
  },
};

function bigcommerceAddress(field: string, side: string): Record<string, string> {
  return addressColumns(field, {
    [`${side} First Name`]: "firstName",
    [`${side} Last Name`]: "lastName",
    [`${side} Company`]: "company",
    [`${side} Street 1`]: "address1",
    [`${side} Street 2`]: "address2",
    [`${side} Suburb`]: "city",
    [`${side} State`]: "province",
    [`${side} State Abbreviation`]: "provinceCode",
    [`${side} Zip`]: "zip",
    [`${side} Country`]: "country",
    [`${side} Phone`]: "phone",
    [`${side} Email`]: "email",
  });
}

/**
 * Sales > Orders > Export: the grid, with all columns shown. It has no items and no country, so open orders need a review. Amounts are
 * in the base currency, the purchased total in that of the customer.
 */
export const magento: SheetPreset = {
  name: "magento",
  title: "Magento: grid of orders",
  signatures: [["ID", "Purchase Point", "Grand Total (Purchased)"]],
  columns: {
    ID: "number",
    "Purchase Point": "channel",
    "Purchase Date": "orderedAt",
    "Bill-to Name": "billingAddress.name",
    "Ship-to Name": "shippingAddress.name",
    "Grand Total (Base)": "total",
    "Grand Total (Purchased)": "amounts.presentmentTotal",
    Status: "status",
    "Billing Address": "billingAddress.text",
    "Shipping Address": "shippingAddress.text",
    "Shipping Information": "shipping.service",
    "Customer Email": "customer.email",
    "Customer Group": "customFields.customer_group",
    Subtotal: "amounts.subtotal",
    "Shipping and Handling": "amounts.shipping",
    "Customer Name": "customer.name",
    "Payment Method": "payment.method",
    "Total Refunded": "amounts.refunded",
    "Pickup Location Code": "customFields.pickup_location",
    "Coupon Code": "discountCode",
    ...notRead("Action", "Allocated sources", "Braintree Transaction Source", "Dispute State"),
  },
  values: {
    status: {
      pending: "awaiting_payment",
      pendingpayment: "awaiting_payment",
      pendingpaypal: "awaiting_payment",
      paymentreview: "awaiting_payment",
      processing: "review_required",
      complete: "shipped",
      closed: "cancelled",
      canceled: "cancelled",
      onhold: "review_required",
      holded: "review_required",
      suspectedfraud: "review_required",
      fraud: "review_required",
    },
  },
  otherwise: { status: "review_required" },
  implied: {
    status: {
      ...paymentsByStatus({
        pending: ["pending", "pendingpayment", "pendingpaypal", "paymentreview"],
        paid: ["processing", "complete"],
        refunded: ["closed"],
        voided: ["canceled"],
      }),
      suspectedfraud: { riskLevel: "high" },
      fraud: { riskLevel: "high" },
    },
  },
};
