import { addressMembers, constant, customerNote, each, firstOf, from, statusBy } from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

const addressFields =
  "firstName lastName companyName streetAddress1 streetAddress2 city countryArea postalCode country { code country } phone";
const amounts = "net { amount } gross { amount currency } tax { amount }";

const ordersQuery = `query Orders($first: Int, $after: String, $filter: OrderFilterInput) {
  orders(first: $first, after: $after, filter: $filter, sortBy: { field: NUMBER, direction: ASC }) {
    totalCount
    pageInfo { hasNextPage endCursor }
    edges {
      node {
        id number status created updatedAt userEmail chargeStatus authorizeStatus voucherCode customerNote shippingMethodName
        user { id }
        shippingAddress { ${addressFields} }
        billingAddress { ${addressFields} }
        total { ${amounts} }
        shippingPrice { net { amount } }
        totalCharged { amount }
        totalRefunded { amount }
        transactions { name pspReference authorizedAmount { amount } chargedAmount { amount } refundedAmount { amount } }
        lines {
          id productName variantName productSku productVariantId isShippingRequired quantity quantityFulfilled
          undiscountedUnitPrice { net { amount } }
          undiscountedTotalPrice { net { amount } }
          totalPrice { net { amount } tax { amount } }
          thumbnail { url }
          metadata { key value }
          allocations { warehouse { id } }
          variant { weight { value unit } product { id } attributes { attribute { name } values { name } } }
        }
      }
    }
  }
}`;

const fulfillMutation = `mutation Fulfill($order: ID!, $input: OrderFulfillInput!) {
  orderFulfill(order: $order, input: $input) { errors { field message code } fulfillments { id } }
}`;
const fulfillmentsQuery = `query Fulfillments($id: ID!) { order(id: $id) { fulfillments { id trackingNumber } } }`;

const graphqlErrors = { condition: { path: "errors", op: "not_empty" }, messagePath: "errors[0].message" };

const address = {
  company: "companyName",
  address1: "streetAddress1",
  address2: "streetAddress2",
  city: "city",
  province: "countryArea",
  zip: "postalCode",
  country: "country.country",
  countryCode: "country.code",
  phone: "phone",
};
const nameOf = (target: string, source: string) =>
  from(target, `${source}.firstName`, { concat: { paths: [`$.${source}.lastName`], separator: " " } });

const is = (path: string, value: unknown) => ({ path, op: "eq", value });
const round = { round: 2 };
const isRefunded = { path: "node.totalRefunded.amount", op: "gt", value: 0 };
const discount = [
  { map: { source: "@.undiscountedTotalPrice.net.amount", transforms: [{ subtract: "@.totalPrice.net.amount" }] } },
  "sum",
  round,
];

/** A refund is taken off the charged amount. */
const succeeded = {
  any: ["authorizedAmount", "chargedAmount", "refundedAmount"].map((name) => ({
    path: `@.${name}.amount`,
    op: "gt",
    value: 0,
  })),
};

/** Saleor 3.20 or later. Amounts are without tax; the tax is separate. */
export const saleor: RestDefinition = {
  name: "saleor",
  title: "Saleor",
  description: "Orders of a Saleor shop, and fulfillments back to it.",
  docs: "docs/connect/saleor.md",
  requiredScopes: "An app with the permissions MANAGE_ORDERS and MANAGE_PRODUCTS.",
  variables: [
    {
      name: "shopUrl",
      label: "URL of the Saleor API",
      description: "Without /graphql/",
      example: "https://shop.saleor.cloud",
      format: "url",
    },
  ],
  credentials: [{ name: "token", label: "App token", secret: true }],
  settings: {
    baseUrl: "{{settings.shopUrl}}",
    auth: { kind: "bearer" },
    test: {
      request: {
        method: "POST",
        path: "/graphql/",
        body: { query: "query Test($first: Int) { orders(first: $first) { totalCount } }", variables: { first: 1 } },
      },
      failsWhen: graphqlErrors,
    },
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: {
          method: "POST",
          path: "/graphql/",
          body: {
            query: ordersQuery,
            variables: {
              first: "{{page.size}}",
              after: "{{page.cursor}}",
              filter: { updatedAt: { gte: "{{since}}" } },
            },
          },
        },
        failsWhen: graphqlErrors,
        recordsPath: "data.orders.edges",
        externalIdPath: "node.id",
        updatedAtPath: "node.updatedAt",
        totalPath: "data.orders.totalCount",
        updatedSince: { initial: "2000-01-01" },
        pagination: {
          kind: "cursor",
          pageSize: 50,
          nextCursorPath: "data.orders.pageInfo.endCursor",
          hasNextPath: "data.orders.pageInfo.hasNextPage",
        },
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: {
          method: "POST",
          path: "/graphql/",
          body: { query: fulfillMutation, variables: { order: "{{record.orderId}}", input: "{{record.input}}" } },
        },
        externalIdPath: "data.orderFulfill.fulfillments[0].id",
        failsWhen: {
          condition: {
            any: [
              { path: "errors", op: "not_empty" },
              { path: "data.orderFulfill.errors", op: "not_empty" },
            ],
          },
          messagePath: "data.orderFulfill.errors[0].message",
        },
        lookup: {
          request: {
            method: "POST",
            path: "/graphql/",
            body: { query: fulfillmentsQuery, variables: { id: "{{record.orderId}}" } },
          },
          recordsPath: "data.order.fulfillments",
          match: { path: "trackingNumber", value: "{{record.input.trackingNumber}}" },
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
        from("externalId", "node.id"),
        from("number", "node.number"),
        constant("channel", "saleor"),
        statusBy("node.status", {
          UNFULFILLED: "new",
          PARTIALLY_FULFILLED: "partially_shipped",
          FULFILLED: "shipped",
          PARTIALLY_RETURNED: "shipped",
          RETURNED: "shipped",
          CANCELED: "cancelled",
          EXPIRED: "cancelled",
        }),
        constant("status", "awaiting_payment", {
          all: [is("node.status", "UNFULFILLED"), is("node.chargeStatus", "NONE"), is("node.authorizeStatus", "NONE")],
        }),
        constant("paymentStatus", "pending"),
        constant("paymentStatus", "authorized", is("node.authorizeStatus", "FULL")),
        constant("paymentStatus", "paid", { path: "node.chargeStatus", op: "in", value: ["FULL", "OVERCHARGED"] }),
        {
          ...from(
            "paymentStatus",
            "node.totalRefunded.amount",
            { subtract: "$.node.totalCharged.amount" },
            {
              lookup: { map: { "0": "refunded" }, default: "partially_refunded" },
            },
          ),
          when: isRefunded,
        },
        from("currency", "node.total.gross.currency"),
        from("orderedAt", "node.created", "date"),
        from("customer.id", "node.user.id"),
        nameOf("customer.name", "node.billingAddress"),
        from("customer.email", "node.userEmail"),
        from("customer.phone", "node.billingAddress.phone", "empty_to_null"),
        nameOf("shippingAddress.name", "node.shippingAddress"),
        ...addressMembers("shippingAddress", "node.shippingAddress", address),
        nameOf("billingAddress.name", "node.billingAddress"),
        ...addressMembers("billingAddress", "node.billingAddress", address),
        from("total", "node.total.gross.amount", round),
        from("amounts.subtotal", "node.lines", { map: "@.undiscountedTotalPrice.net.amount" }, "sum", round),
        from("amounts.discount", "node.lines", ...discount),
        from("amounts.shipping", "node.shippingPrice.net.amount", round),
        from("amounts.tax", "node.total.tax.amount", round),
        from("amounts.paid", "node.totalCharged.amount", round),
        from("amounts.refunded", "node.totalRefunded.amount", round),
        constant("amounts.taxIncluded", false),
        ...[
          from("amounts.discounts[0].code", "node.voucherCode"),
          from("amounts.discounts[0].amount", "node.lines", ...discount),
        ].map((mapping) => ({ ...mapping, when: { path: "node.voucherCode", op: "not_empty" } })),
        from("payment.method", "node.transactions", ...firstOf("@.name", succeeded)),
        from("payment.reference", "node.transactions", ...firstOf("@.pspReference", succeeded)),
        from("shipping.service", "node.shippingMethodName"),
        ...customerNote("node.customerNote"),
        // A fulfillment must name the warehouse that its stock is taken from.
        from("customFields.saleor_warehouse_id", "node.lines[*].allocations[*].warehouse.id", "first"),
        each("lines", "node.lines", [
          from("id", "@.id"),
          from("sku", "@.productSku", { coalesce: ["@.productVariantId", "@.productName"] }),
          from("name", "@.productName", { concat: { paths: ["@.variantName"], separator: " - " } }, { truncate: 200 }),
          from("quantity", "@.quantity"),
          from("shippedQuantity", "@.quantityFulfilled"),
          from("price", "@.undiscountedUnitPrice.net.amount", round),
          from("discount", "@.undiscountedTotalPrice.net.amount", { subtract: "@.totalPrice.net.amount" }, round),
          from("tax", "@.totalPrice.tax.amount", round),
          from("productId", "@.variant.product.id"),
          from("variantId", "@.productVariantId"),
          from("imageUrl", "@.thumbnail.url"),
          constant("requiresShipping", false, is("@.isShippingRequired", false)),
          ...[
            from("weight.value", "@.variant.weight.value"),
            from("weight.unit", "@.variant.weight.unit", "lower"),
          ].map((mapping) => ({
            ...mapping,
            when: { path: "@.variant.weight.unit", op: "in", value: ["G", "KG", "LB", "OZ"] },
          })),
          each("options", "@.variant.attributes", [
            from("name", "@.attribute.name"),
            from("value", "@.values[*].name", { join: ", " }),
          ]),
          each("properties", "@.metadata", [from("name", "@.key"), from("value", "@.value")]),
        ]),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        from("orderId", "externalId"),
        from("input.trackingNumber", "shipments[0].trackingNumber", { default: "" }),
        constant("input.notifyCustomer", true),
        each("input.lines", "shipments[0].lines", [
          from("orderLineId", "@.lineId"),
          from("stocks[0].quantity", "@.quantity"),
          from("stocks[0].warehouse", "$.customFields.saleor_warehouse_id"),
        ]),
      ],
    },
  ],
  schedules: [
    { taskName: "orders.import", cron: "*/10 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
