import {
  addressMembers,
  constant,
  customerNote,
  each,
  firstOf,
  from,
  shipmentLines,
  statusBy,
} from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

const shipTo = "fulfillmentStartInstructions[0].shippingStep.shipTo";
const amount = ["number", { round: 2 }];
/** Sum of the amounts of a list of objects, each with an `amount`, or another member with a value. */
const sumAmounts = (member: string) => [
  { map: { source: `${member}.value`, transforms: ["number"] } },
  "sum",
  { round: 2 },
];

const isFulfillment = (value: string) => ({ path: "orderFulfillmentStatus", op: "eq", value });
const isPayment = (...value: string[]) => ({ path: "orderPaymentStatus", op: "in", value });
const isPaid = { path: "@.paymentStatus", op: "eq", value: "PAID" };
const isCancel = (value: string) => ({ path: "cancelStatus.cancelState", op: "eq", value });
const isConverted = { path: "pricingSummary.total.convertedFromCurrency", op: "not_empty" };

/** eBay's Fulfillment API. Amounts are those of the seller's account; tax that eBay collects itself is part of the tax. */
export const ebay: RestDefinition = {
  name: "ebay",
  title: "eBay",
  description: "Orders of an eBay seller account, and tracking numbers back to it.",
  docs: "docs/connect/ebay.md",
  requiredScopes: "A user refresh token with the scope https://api.ebay.com/oauth/api_scope/sell.fulfillment.",
  variables: [
    {
      name: "apiUrl",
      label: "URL of the API",
      description: "https://api.sandbox.ebay.com for the sandbox",
      example: "https://api.ebay.com",
      default: "https://api.ebay.com",
      format: "url",
    },
  ],
  credentials: [
    { name: "clientId", label: "App ID (client ID)", secret: false },
    { name: "clientSecret", label: "Cert ID (client secret)", secret: true },
    { name: "refreshToken", label: "Refresh token of the seller", secret: true },
  ],
  settings: {
    baseUrl: "{{settings.apiUrl}}",
    auth: {
      kind: "oauth2",
      grantType: "refresh_token",
      tokenUrl: "{{settings.apiUrl}}/identity/v1/oauth2/token",
      scope: "https://api.ebay.com/oauth/api_scope/sell.fulfillment",
    },
    testPath: "/sell/fulfillment/v1/order?limit=1",
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: {
          path: "/sell/fulfillment/v1/order",
          query: { filter: "lastmodifieddate:[{{since}}..]", fieldGroups: "TAX_BREAKDOWN" },
        },
        recordsPath: "orders",
        externalIdPath: "orderId",
        updatedAtPath: "lastModifiedDate",
        totalPath: "total",
        updatedSince: { initial: "90d" },
        pagination: { kind: "offset", pageSize: 200 },
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: {
          method: "POST",
          path: "/sell/fulfillment/v1/order/{{record.orderId}}/shipping_fulfillment",
          body: "{{record.fulfillment}}",
        },
        lookup: {
          request: {
            path: "/sell/fulfillment/v1/order/{{record.orderId}}/shipping_fulfillment/{{record.fulfillmentId}}",
          },
          externalIdPath: "fulfillmentId",
        },
      },
    ],
  },
  transformations: [
    {
      taskName: "orders.import",
      direction: "inbound",
      mappings: [
        from("externalId", "orderId"),
        from("number", "orderId"),
        constant("channel", "ebay"),
        statusBy("orderFulfillmentStatus", {
          NOT_STARTED: "new",
          IN_PROGRESS: "partially_shipped",
          FULFILLED: "shipped",
        }),
        constant("status", "awaiting_payment", { all: [isFulfillment("NOT_STARTED"), isPayment("PENDING")] }),
        // Nothing has been shipped, and the money is gone: a person decides.
        constant("status", "review_required", {
          all: [isFulfillment("NOT_STARTED"), isPayment("FAILED", "FULLY_REFUNDED")],
        }),
        constant("status", "cancelled", isCancel("CANCELED")),
        constant("hold", null, { not: isCancel("IN_PROGRESS") }),
        constant(
          "hold",
          { reason: "customer_request", note: "Cancellation requested at eBay" },
          isCancel("IN_PROGRESS"),
        ),
        from("paymentStatus", "orderPaymentStatus", {
          lookup: {
            map: {
              PAID: "paid",
              PARTIALLY_REFUNDED: "partially_refunded",
              FULLY_REFUNDED: "refunded",
              FAILED: "voided",
            },
            default: "pending",
          },
        }),
        from("currency", "pricingSummary.total.currency"),
        from("orderedAt", "creationDate"),
        from("customer.id", "buyer.username"),
        from("customer.name", `${shipTo}.fullName`),
        from("customer.email", `${shipTo}.email`),
        from("customer.phone", `${shipTo}.primaryPhone.phoneNumber`),
        ...addressMembers("shippingAddress", shipTo, {
          name: "fullName",
          company: "companyName",
          phone: "primaryPhone.phoneNumber",
          email: "email",
          address1: "contactAddress.addressLine1",
          address2: "contactAddress.addressLine2",
          city: "contactAddress.city",
          province: "contactAddress.stateOrProvince",
          zip: "contactAddress.postalCode",
          countryCode: "contactAddress.countryCode",
        }),
        from("total", "pricingSummary.total.value", ...amount),
        from("amounts.subtotal", "pricingSummary.priceSubtotal.value", ...amount),
        from("amounts.discount", "pricingSummary.priceDiscount.value", { default: 0 }, "number", "abs", { round: 2 }),
        from("amounts.shipping", "pricingSummary.deliveryCost.value", ...amount),
        {
          // The discount is negative.
          ...from("amounts.shipping", "pricingSummary.deliveryCost.value", "number", {
            add: "$.pricingSummary.deliveryDiscount.value",
          }),
          when: { path: "pricingSummary.deliveryDiscount.value", op: "not_empty" },
        },
        from("amounts.tax", "pricingSummary.tax.value", { default: 0 }, ...amount),
        from("amounts.refunded", "paymentSummary.refunds", ...sumAmounts("@.amount")),
        from("amounts.paid", "paymentSummary.payments", { filter: isPaid }, ...sumAmounts("@.amount")),
        constant("amounts.taxIncluded", false),
        { ...from("amounts.presentmentCurrency", "pricingSummary.total.convertedFromCurrency"), when: isConverted },
        {
          ...from("amounts.presentmentTotal", "pricingSummary.total.convertedFromValue", ...amount),
          when: isConverted,
        },
        each("amounts.discounts", "lineItems[*].appliedPromotions[*]", [
          from("code", "@.promotionId"),
          from("title", "@.description"),
          from("amount", "@.discountAmount.value", ...amount),
        ]),
        from("payment.method", "paymentSummary.payments", ...firstOf("@.paymentMethod", isPaid)),
        from("payment.reference", "paymentSummary.payments", ...firstOf("@.paymentReferenceId", isPaid)),
        // Messages and cases of eBay still name orders by it.
        from("customFields.ebay_legacy_order_id", "legacyOrderId"),
        from("giftMessage", "lineItems[*].giftDetails.message", "first"),
        from("shipBy", "lineItems[*].lineItemFulfillmentInstructions.shipByDate", "sort", "first"),
        from("deliverBy", "lineItems[*].lineItemFulfillmentInstructions.maxEstimatedDeliveryDate", "sort", "first"),
        from("shipping.carrier", "fulfillmentStartInstructions[0].shippingStep.shippingCarrierCode", "lower"),
        from("shipping.service", "fulfillmentStartInstructions[0].shippingStep.shippingServiceCode"),
        ...customerNote("buyerCheckoutNotes"),
        each("lines", "lineItems", [
          from("id", "@.lineItemId"),
          from("sku", "@.sku", { coalesce: ["@.legacyVariationId", "@.legacyItemId"] }),
          from("name", "@.title", { truncate: 200 }),
          from("quantity", "@.quantity"),
          {
            ...from("shippedQuantity", "@.quantity"),
            when: { path: "@.lineItemFulfillmentStatus", op: "eq", value: "FULFILLED" },
          },
          from("price", "@.lineItemCost.value", "number", { divide: "@.quantity" }, { round: 2 }),
          from("discount", "@.appliedPromotions", ...sumAmounts("@.discountAmount")),
          from("tax", "@.taxes", ...sumAmounts("@.amount")),
          from("productId", "@.legacyItemId"),
          from("variantId", "@.legacyVariationId"),
          constant("requiresShipping", false, {
            path: "$.fulfillmentStartInstructions[0].fulfillmentInstructionsType",
            op: "eq",
            value: "DIGITAL",
          }),
          each("options", "@.variationAspects", [from("name", "@.name"), from("value", "@.value")]),
        ]),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        from("orderId", "externalId"),
        // The ID of a fulfillment is its tracking number, letters and digits only; 999 without one.
        from(
          "fulfillmentId",
          "shipments[0].trackingNumber",
          { default: "999" },
          { regex_replace: { pattern: "[^A-Za-z0-9]", to: "" } },
        ),
        shipmentLines("fulfillment.lineItems", "lineItemId", "quantity"),
        from("fulfillment.shippedDate", "shipments[0].shippedAt"),
        from("fulfillment.trackingNumber", "shipments[0].trackingNumber"),
        {
          ...from(
            "fulfillment.shippingCarrierCode",
            "shipments[0].carrier",
            { default: "Other" },
            {
              lookup: { map: { ups: "UPS", usps: "USPS", fedex: "FedEx", dhl: "DHL" }, default: "$keep" },
            },
          ),
          when: { path: "shipments[0].trackingNumber", op: "not_empty" },
        },
      ],
    },
  ],
  schedules: [
    { taskName: "orders.import", cron: "*/10 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
