import { addressMembers, constant, each, from, shipmentLines, statusBy } from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

const address = {
  name: "name",
  company: "companyName",
  address1: "addressLine1",
  city: "city",
  province: "stateOrRegion",
  zip: "postalCode",
  countryCode: "countryCode",
  phone: "phone",
};
const amount = ["number", { round: 2 }];
/** Sum of the proceeds of these types. Discounts are negative. */
const proceeds = (target: string, source: string, ...types: string[]) =>
  from(
    target,
    source,
    { filter: { path: "@.type", op: "in", value: types } },
    { map: { source: "@.subtotal.amount", transforms: ["number"] } },
    "sum",
    "abs",
    { round: 2 },
  );

/** Amazon's Selling Partner API: Orders 2026-01-01, and confirmations of shipments as in v0, which has the only such operation. */
export const amazon: RestDefinition = {
  name: "amazon",
  title: "Amazon",
  description: "Orders that a seller on Amazon fulfills, and shipment confirmations back to it.",
  docs: "docs/connect/amazon.md",
  requiredScopes: "An application of the Selling Partner API with the role Direct-to-Consumer Delivery (Restricted).",
  variables: [
    {
      name: "marketplaceIds",
      label: "Marketplace IDs",
      description: "Separated by commas",
      example: "ATVPDKIKX0DER",
      pattern: "[A-Z0-9]+(,[A-Z0-9]+)*",
    },
    {
      name: "apiUrl",
      label: "Endpoint of the region",
      description: "North America: sellingpartnerapi-na, Europe: sellingpartnerapi-eu, Far East: sellingpartnerapi-fe",
      example: "https://sellingpartnerapi-na.amazon.com",
      default: "https://sellingpartnerapi-na.amazon.com",
      format: "url",
    },
    {
      name: "loginUrl",
      label: "URL of Login with Amazon",
      example: "https://api.amazon.com",
      default: "https://api.amazon.com",
      format: "url",
    },
  ],
  credentials: [
    { name: "clientId", label: "LWA client ID", secret: false },
    { name: "clientSecret", label: "LWA client secret", secret: true },
    { name: "refreshToken", label: "LWA refresh token", description: "Of the selling partner", secret: true },
  ],
  settings: {
    baseUrl: "{{settings.apiUrl}}",
    auth: {
      kind: "oauth2",
      grantType: "refresh_token",
      tokenUrl: "{{settings.loginUrl}}/auth/o2/token",
      clientAuth: "client_secret_post",
      paramName: "x-amz-access-token",
    },
    test: {
      request: {
        path: "/orders/2026-01-01/orders",
        query: { lastUpdatedAfter: "2030-01-01T00:00:00Z", marketplaceIds: "{{settings.marketplaceIds}}" },
      },
    },
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: {
          path: "/orders/2026-01-01/orders",
          query: {
            lastUpdatedAfter: "{{since}}",
            marketplaceIds: "{{settings.marketplaceIds}}",
            fulfilledBy: "MERCHANT",
            includedData: "BUYER,RECIPIENT,PROCEEDS,CANCELLATION,FULFILLMENT,PAYMENT",
            maxResultsPerPage: "{{page.size}}",
            paginationToken: "{{page.cursor}}",
          },
        },
        recordsPath: "orders",
        externalIdPath: "orderId",
        updatedAtPath: "lastUpdatedTime",
        updatedSince: { initial: "30d" },
        pagination: { kind: "cursor", pageSize: 100, nextCursorPath: "pagination.nextToken" },
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: {
          method: "POST",
          path: "/orders/v0/orders/{{record.orderId}}/shipmentConfirmation",
          body: { marketplaceId: "{{record.marketplaceId}}", packageDetail: "{{record.packageDetail}}" },
        },
        lookup: {
          request: {
            path: "/orders/2026-01-01/orders/{{record.orderId}}",
            query: { includedData: "PACKAGES" },
          },
          recordsPath: "order.packages",
          match: { path: "trackingNumber", value: "{{record.packageDetail.trackingNumber}}" },
          externalIdPath: "packageReferenceId",
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
        constant("channel", "amazon"),
        from("tags", "programs"),
        statusBy("fulfillment.fulfillmentStatus", {
          PENDING_AVAILABILITY: "awaiting_payment",
          PENDING: "awaiting_payment",
          UNSHIPPED: "new",
          PARTIALLY_SHIPPED: "partially_shipped",
          SHIPPED: "shipped",
          CANCELLED: "cancelled",
        }),
        from("paymentStatus", "fulfillment.fulfillmentStatus", {
          lookup: {
            map: { PENDING_AVAILABILITY: "pending", PENDING: "pending", CANCELLED: "voided" },
            default: "paid",
          },
        }),
        constant("hold", null),
        constant(
          "hold",
          { reason: "customer_request", note: "Cancellation requested at Amazon" },
          {
            all: [
              { path: "orderItems[*].cancellation.cancellationRequest.requester", op: "not_empty" },
              { path: "fulfillment.fulfillmentStatus", op: "eq", value: "UNSHIPPED" },
            ],
          },
        ),
        from("currency", "proceeds.grandTotal.currencyCode"),
        from("orderedAt", "createdTime"),
        from("customer.name", "buyer.buyerName"),
        from("customer.email", "buyer.buyerEmail"),
        ...addressMembers("shippingAddress", "recipient.deliveryAddress", address),
        from("shippingAddress.address2", "recipient.deliveryAddress.addressLine2", {
          concat: { paths: ["$.recipient.deliveryAddress.addressLine3"], separator: ", " },
        }),
        {
          ...from("shippingAddress.residential", "recipient.deliveryAddress.addressType", {
            equals: { value: "RESIDENTIAL" },
          }),
          when: { path: "recipient.deliveryAddress.addressType", op: "not_empty" },
        },
        from("poNumber", "buyer.buyerPurchaseOrderNumber"),
        from("total", "proceeds.grandTotal.amount", ...amount),
        ...[
          proceeds("amounts.subtotal", "proceeds.breakdowns", "ITEM"),
          proceeds("amounts.discount", "proceeds.breakdowns", "DISCOUNT"),
          proceeds("amounts.shipping", "proceeds.breakdowns", "SHIPPING"),
          proceeds("amounts.tax", "proceeds.breakdowns", "TAX"),
          proceeds("amounts.fees", "proceeds.breakdowns", "GIFT_WRAP", "COD_FEE", "DELIVERY_TIP", "OTHER"),
        ].map((mapping) => ({ ...mapping, when: { path: "proceeds.breakdowns", op: "not_empty" } })),
        from("payment.method", "payment.paymentExecutions[0].paymentMethod"),
        from("giftMessage", "orderItems[*].fulfillment.packing.giftOption.giftMessage", "first"),
        from("shipBy", "fulfillment.shipByWindow.latestDateTime"),
        from("deliverBy", "fulfillment.deliverByWindow.latestDateTime"),
        from("shipping.service", "fulfillment.fulfillmentServiceLevel"),
        // A confirmation must name the marketplace of the order.
        from("customFields.amazon_marketplace_id", "salesChannel.marketplaceId"),
        each("lines", "orderItems", [
          from("id", "@.orderItemId"),
          from("sku", "@.product.sellerSku", { coalesce: ["@.product.asin"] }),
          from("name", "@.product.title", { truncate: 200 }),
          from("quantity", "@.quantityOrdered"),
          from("shippedQuantity", "@.fulfillment.quantityFulfilled"),
          from("price", "@.product.price.unitPrice.amount", ...amount),
          proceeds("discount", "@.proceeds.breakdowns", "DISCOUNT"),
          proceeds("tax", "@.proceeds.breakdowns", "TAX"),
          from("productId", "@.product.asin"),
          {
            ...constant("properties[0].name", "Customization"),
            when: { path: "@.product.customization.customizedUrl", op: "not_empty" },
          },
          {
            ...from("properties[0].value", "@.product.customization.customizedUrl"),
            when: { path: "@.product.customization.customizedUrl", op: "not_empty" },
          },
        ]),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        from("orderId", "externalId"),
        from("marketplaceId", "customFields.amazon_marketplace_id"),
        // A positive number that identifies the parcel within the order: the last digits of its tracking number.
        from(
          "packageDetail.packageReferenceId",
          "shipments[0].trackingNumber",
          "digits",
          { substring: { start: -9 } },
          { regex_replace: { pattern: "^0+", to: "" } },
          { default: "1" },
        ),
        from("packageDetail.trackingNumber", "shipments[0].trackingNumber"),
        from(
          "packageDetail.carrierCode",
          "shipments[0].carrier",
          { default: "Other" },
          {
            lookup: {
              map: { ups: "UPS", usps: "USPS", fedex: "FedEx", dhl: "DHL", dpd: "DPD", gls: "GLS" },
              default: "Other",
            },
          },
        ),
        from("packageDetail.carrierName", "shipments[0].carrier", { default: "Other" }),
        from("packageDetail.shipDate", "shipments[0].shippedAt"),
        shipmentLines("packageDetail.orderItems", "orderItemId", "quantity"),
      ],
    },
  ],
  schedules: [
    // The API allows one request for orders every three minutes, with a reserve of 20.
    { taskName: "orders.import", cron: "*/15 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
