import {
  addressMembers,
  constant,
  each,
  firstOf,
  from,
  minorUnits,
  shipmentLines,
  statusBy,
  sumOf,
} from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

const addressFields =
  "fullName company streetLine1 streetLine2 city province postalCode country countryCode phoneNumber";

const ordersQuery = `query Orders($options: OrderListOptions) {
  orders(options: $options) {
    totalItems
    items {
      id code state updatedAt orderPlacedAt currencyCode totalWithTax couponCodes
      customer { id firstName lastName emailAddress phoneNumber }
      shippingAddress { ${addressFields} }
      billingAddress { ${addressFields} }
      discounts { description amount }
      surcharges { price }
      taxSummary { taxTotal }
      shippingLines { price shippingMethod { name } }
      payments { method amount state transactionId refunds { total state } }
      lines {
        id quantity orderPlacedQuantity unitPrice linePrice lineTax
        discounts { amount }
        featuredAsset { preview }
        productVariant { id sku name product { id } options { name group { name } } }
        fulfillmentLines { quantity fulfillment { state } }
      }
    }
  }
}`;

const fulfillMutation = `mutation Fulfill($input: FulfillOrderInput!) {
  addFulfillmentToOrder(input: $input) {
    ... on Fulfillment { id }
    ... on ErrorResult { errorCode message }
  }
}`;

const fulfillmentsQuery = `query Fulfillments($id: ID!) { order(id: $id) { fulfillments { id trackingCode } } }`;

const graphqlErrors = { condition: { path: "errors", op: "not_empty" }, messagePath: "errors[0].message" };

const address = {
  name: "fullName",
  company: "company",
  address1: "streetLine1",
  address2: "streetLine2",
  city: "city",
  province: "province",
  zip: "postalCode",
  country: "country",
  countryCode: "countryCode",
  phone: "phoneNumber",
};

const settled = { path: "@.state", op: "eq", value: "Settled" };
const succeeded = { path: "@.state", op: "in", value: ["Authorized", "Settled"] };
const isPayment = (state: string) => ({ path: "payments[*].state", op: "eq", value: state });

/** Vendure 2 and 3, admin API. Amounts are in minor units and without tax; the tax is separate. */
export const vendure: RestDefinition = {
  name: "vendure",
  title: "Vendure",
  description: "Orders of a Vendure shop, and fulfillments back to it.",
  docs: "docs/connect/vendure.md",
  requiredScopes: "An administrator whose role has the permissions ReadOrder and UpdateOrder.",
  variables: [
    {
      name: "shopUrl",
      label: "URL of the Vendure server",
      description: "Without /admin-api",
      example: "https://vendure.example.com",
      format: "url",
    },
    {
      name: "fulfillmentHandler",
      label: "Code of the fulfillment handler",
      description: "A handler that takes the arguments method and trackingCode",
      example: "manual-fulfillment",
      default: "manual-fulfillment",
    },
  ],
  credentials: [
    {
      name: "token",
      label: "Session token",
      description: "The header vendure-auth-token of the response to a login with bearer tokens",
      secret: true,
    },
  ],
  settings: {
    baseUrl: "{{settings.shopUrl}}",
    auth: { kind: "bearer" },
    test: {
      request: {
        method: "POST",
        path: "/admin-api",
        body: { query: "{ orders(options: { take: 1 }) { totalItems } }" },
      },
      failsWhen: graphqlErrors,
    },
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: {
          method: "POST",
          path: "/admin-api",
          body: {
            query: ordersQuery,
            variables: {
              options: {
                skip: "{{page.offset}}",
                take: "{{page.size}}",
                // Stable while orders change; by time, a changed order would move the others to earlier pages.
                sort: { id: "ASC" },
                filter: { orderPlacedAt: { isNull: false }, updatedAt: { after: "{{since}}" } },
              },
            },
          },
        },
        failsWhen: graphqlErrors,
        recordsPath: "data.orders.items",
        totalPath: "data.orders.totalItems",
        updatedAtPath: "updatedAt",
        updatedSince: { initial: "2000-01-01" },
        pagination: { kind: "offset", pageSize: 100 },
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: {
          method: "POST",
          path: "/admin-api",
          body: {
            query: fulfillMutation,
            variables: {
              input: {
                lines: "{{record.lines}}",
                handler: {
                  code: "{{settings.fulfillmentHandler}}",
                  arguments: [
                    { name: "method", value: "{{record.method}}" },
                    { name: "trackingCode", value: "{{record.trackingCode}}" },
                  ],
                },
              },
            },
          },
        },
        externalIdPath: "data.addFulfillmentToOrder.id",
        failsWhen: {
          condition: {
            any: [
              { path: "errors", op: "not_empty" },
              { path: "data.addFulfillmentToOrder.errorCode", op: "not_empty" },
            ],
          },
          messagePath: "data.addFulfillmentToOrder.message",
        },
        lookup: {
          request: {
            method: "POST",
            path: "/admin-api",
            body: { query: fulfillmentsQuery, variables: { id: "{{record.orderId}}" } },
          },
          recordsPath: "data.order.fulfillments",
          match: { path: "trackingCode", value: "{{record.trackingCode}}" },
          externalIdPath: "id",
          failsWhen: graphqlErrors,
        },
      },
    ],
  },
  transformations: [
    {
      taskName: "orders.import",
      direction: "inbound",
      mappings: [
        from("externalId", "id"),
        from("number", "code"),
        constant("channel", "vendure"),
        statusBy("state", {
          ArrangingPayment: "awaiting_payment",
          ArrangingAdditionalPayment: "awaiting_payment",
          PaymentAuthorized: "new",
          PaymentSettled: "new",
          PartiallyShipped: "partially_shipped",
          Shipped: "shipped",
          PartiallyDelivered: "shipped",
          Delivered: "delivered",
          Cancelled: "cancelled",
        }),
        constant("paymentStatus", "pending"),
        constant("paymentStatus", "authorized", isPayment("Authorized")),
        constant("paymentStatus", "paid", isPayment("Settled")),
        {
          // What is left of each successful payment after its refunds, with a negative sign.
          ...from(
            "paymentStatus",
            "payments",
            { filter: succeeded },
            { map: { source: "@.refunds", transforms: [...sumOf("@.total", settled), { subtract: "@.amount" }] } },
            "sum",
            { lookup: { map: { "0": "refunded" }, default: "partially_refunded" } },
          ),
          when: { path: "payments[*].refunds[*].state", op: "eq", value: "Settled" },
        },
        from("currency", "currencyCode"),
        from("orderedAt", "orderPlacedAt"),
        from("customer.id", "customer.id"),
        from("customer.name", "customer.firstName", { concat: { paths: ["$.customer.lastName"], separator: " " } }),
        from("customer.email", "customer.emailAddress"),
        from("customer.phone", "customer.phoneNumber", { coalesce: ["$.shippingAddress.phoneNumber"] }),
        ...addressMembers("shippingAddress", "shippingAddress", address),
        // Without an own billing address, all its fields are null.
        ...addressMembers("billingAddress", "billingAddress", address).map((mapping) => ({
          when: { path: "billingAddress.streetLine1", op: "not_empty" },
          ...mapping,
        })),
        from("total", "totalWithTax", minorUnits),
        from("amounts.subtotal", "lines", ...sumOf("@.linePrice"), minorUnits),
        from("amounts.discount", "discounts", ...sumOf("@.amount"), "abs", minorUnits),
        from("amounts.shipping", "shippingLines", ...sumOf("@.price"), minorUnits),
        from("amounts.tax", "taxSummary", ...sumOf("@.taxTotal"), minorUnits),
        from("amounts.fees", "surcharges", ...sumOf("@.price"), minorUnits),
        from("amounts.paid", "payments", ...sumOf("@.amount", settled), minorUnits),
        from("amounts.refunded", "payments[*].refunds[*]", ...sumOf("@.total", settled), { default: 0 }, minorUnits),
        constant("amounts.taxIncluded", false),
        each("amounts.discounts", "discounts", [
          // Which code led to which discount is not known if there are several.
          { ...from("code", "$.couponCodes[0]"), when: { path: "$.discounts[1]", op: "empty" } },
          from("title", "@.description"),
          from("amount", "@.amount", "abs", minorUnits),
        ]),
        from("payment.method", "payments", ...firstOf("@.method", succeeded)),
        from("payment.reference", "payments", ...firstOf("@.transactionId", succeeded)),
        from("shipping.service", "shippingLines[0].shippingMethod.name"),
        each("lines", "lines", [
          from("id", "@.id"),
          from("sku", "@.productVariant.sku", { coalesce: ["@.productVariant.name"] }),
          from("name", "@.productVariant.name", { truncate: 200 }),
          from("quantity", "@.quantity"),
          from("refundedQuantity", "@.orderPlacedQuantity", { subtract: "@.quantity" }, { clamp: { min: 0 } }),
          from(
            "shippedQuantity",
            "@.fulfillmentLines",
            ...sumOf("@.quantity", { path: "@.fulfillment.state", op: "in", value: ["Shipped", "Delivered"] }),
          ),
          from("price", "@.unitPrice", minorUnits),
          from("discount", "@.discounts", ...sumOf("@.amount"), "abs", minorUnits),
          from("tax", "@.lineTax", minorUnits),
          from("productId", "@.productVariant.product.id"),
          from("variantId", "@.productVariant.id"),
          from("imageUrl", "@.featuredAsset.preview"),
          each("options", "@.productVariant.options", [from("name", "@.group.name"), from("value", "@.name")]),
        ]),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        from("orderId", "externalId"),
        shipmentLines("lines", "orderLineId", "quantity"),
        from("method", "shipments[0].carrier", { default: "other" }),
        from("trackingCode", "shipments[0].trackingNumber", { default: "" }),
      ],
    },
  ],
  schedules: [
    { taskName: "orders.import", cron: "*/10 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
