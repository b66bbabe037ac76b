import { addressMembers, constant, customerNote, each, from, statusBy } from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

/** Amounts come as an integer and its divisor. */
const money = (target: string, member: string) =>
  from(target, `${member}.amount`, { divide: `$.${member}.divisor` }, { round: 2 });

const is = (path: string, value: unknown) => ({ path, op: "eq", value });
const isPersonalization = is("@.formatted_name", "Personalization");
const nameAndValue = [from("name", "@.formatted_name"), from("value", "@.formatted_value")];

/** Etsy's Open API v3. */
export const etsy: RestDefinition = {
  name: "etsy",
  title: "Etsy",
  description: "Orders (receipts) of an Etsy shop, and tracking numbers back to it.",
  docs: "docs/connect/etsy.md",
  requiredScopes: "A refresh token of the shop's owner with the scopes transactions_r and transactions_w.",
  variables: [
    { name: "shopId", label: "Shop ID", description: "A number", example: "12345678", pattern: "\\d+" },
    {
      name: "apiUrl",
      label: "URL of the API",
      example: "https://api.etsy.com",
      default: "https://api.etsy.com",
      format: "url",
    },
  ],
  credentials: [
    { name: "clientId", label: "Keystring", description: "Of your app", secret: false },
    {
      name: "headers.x-api-key",
      label: "API key",
      description: "Keystring and shared secret of your app, separated by a colon",
      secret: true,
    },
    { name: "refreshToken", label: "Refresh token", secret: true },
  ],
  settings: {
    baseUrl: "{{settings.apiUrl}}/v3",
    auth: {
      kind: "oauth2",
      grantType: "refresh_token",
      tokenUrl: "{{settings.apiUrl}}/v3/public/oauth/token",
      clientAuth: "client_secret_post",
    },
    test: { request: { path: "/application/shops/{{settings.shopId}}/receipts", query: { limit: "1" } } },
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: {
          path: "/application/shops/{{settings.shopId}}/receipts",
          query: { min_last_modified: "{{since}}", sort_on: "receipt_id", sort_order: "asc" },
        },
        recordsPath: "results",
        externalIdPath: "receipt_id",
        updatedAtPath: "updated_timestamp",
        totalPath: "count",
        updatedSince: { format: "unix", initial: "2000-01-01" },
        pagination: { kind: "offset", pageSize: 100 },
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: {
          method: "POST",
          path: "/application/shops/{{settings.shopId}}/receipts/{{record.receiptId}}/tracking",
          bodyFormat: "form",
          body: "{{record.shipment}}",
        },
        externalIdPath: "receipt_id",
        lookup: {
          request: { path: "/application/shops/{{settings.shopId}}/receipts/{{record.receiptId}}" },
          recordsPath: "shipments",
          match: { path: "tracking_code", value: "{{record.shipment.tracking_code}}" },
          externalIdPath: "receipt_shipping_id",
        },
      },
    ],
  },
  transformations: [
    {
      taskName: "orders.import",
      direction: "inbound",
      mappings: [
        from("externalId", "receipt_id", "string"),
        from("number", "receipt_id", "string"),
        constant("channel", "etsy"),
        statusBy("status", {
          open: "awaiting_payment",
          "payment processing": "awaiting_payment",
          paid: "new",
          "partially refunded": "new",
          completed: "shipped",
          canceled: "cancelled",
        }),
        constant("status", "shipped", {
          all: [is("is_shipped", true), { path: "status", op: "ne", value: "canceled" }],
        }),
        from("paymentStatus", "is_paid", { lookup: { map: { true: "paid" }, default: "pending" } }),
        constant("paymentStatus", "partially_refunded", { path: "refunds", op: "not_empty" }),
        constant("paymentStatus", "refunded", {
          all: [
            { path: "refunds", op: "not_empty" },
            { path: "status", op: "in", value: ["fully refunded", "canceled"] },
          ],
        }),
        from("currency", "grandtotal.currency_code"),
        from("orderedAt", "created_timestamp", { date: { from: "unix", to: "iso" } }),
        from("customer.id", "buyer_user_id", "string"),
        from("customer.name", "name"),
        from("customer.email", "buyer_email"),
        ...addressMembers("shippingAddress", "$", {
          name: "name",
          address1: "first_line",
          address2: "second_line",
          city: "city",
          province: "state",
          zip: "zip",
          countryCode: "country_iso",
        }),
        money("total", "grandtotal"),
        money("amounts.subtotal", "total_price"),
        money("amounts.discount", "discount_amt"),
        money("amounts.shipping", "total_shipping_cost"),
        money("amounts.tax", "total_tax_cost"),
        money("amounts.fees", "gift_wrap_price"),
        from(
          "amounts.refunded",
          "refunds",
          { map: { source: "@.amount.amount", transforms: [{ divide: "@.amount.divisor" }] } },
          "sum",
          { round: 2 },
        ),
        constant("amounts.taxIncluded", false),
        from("payment.method", "payment_method"),
        from("giftMessage", "gift_message", { concat: { paths: ["$.gift_sender"], separator: "\n" } }, "empty_to_null"),
        from("shipBy", "transactions[*].expected_ship_date", "min", { date: { from: "unix", to: "iso" } }),
        from("shipping.service", "transactions[0].shipping_upgrade", {
          coalesce: ["$.transactions[0].shipping_method"],
        }),
        ...customerNote("message_from_buyer"),
        each("lines", "transactions", [
          from("id", "@.transaction_id", "string"),
          from("sku", "@.sku", { coalesce: ["@.product_id", "@.listing_id"] }, "string"),
          from("name", "@.title", { truncate: 200 }),
          from("quantity", "@.quantity"),
          { ...from("shippedQuantity", "@.quantity"), when: { path: "@.shipped_timestamp", op: "not_empty" } },
          from("price", "@.price.amount", { divide: "@.price.divisor" }, { round: 2 }),
          from("productId", "@.listing_id", "string"),
          from("variantId", "@.product_id", "string"),
          constant("requiresShipping", false, is("@.is_digital", true)),
          each("options", "@.variations", nameAndValue, { not: isPersonalization }),
          each("properties", "@.variations", nameAndValue, isPersonalization),
        ]),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        from("receiptId", "externalId"),
        from("shipment.tracking_code", "shipments[0].trackingNumber"),
        from("shipment.carrier_name", "shipments[0].carrier", { default: "other" }, "lower"),
      ],
    },
  ],
  schedules: [
    { taskName: "orders.import", cron: "*/10 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
