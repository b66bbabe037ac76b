import { addressMembers, constant, customerNote, each, from, statusBy } from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

const address = {
  company: "company",
  address1: "street_1",
  address2: "street_2",
  city: "city",
  province: "state",
  zip: "zip",
  country: "country",
  countryCode: "country_iso2",
  phone: "phone",
  email: "email",
};
const nameOf = (target: string, source: string) =>
  from(target, `${source}.first_name`, { concat: { paths: [`$.${source}.last_name`], separator: " " } });

/** Amounts come as texts with four decimals. */
const amount = ["number", { round: 2 }];

/** Texts and dates that the buyer entered, in contrast to a choice among variants. */
const enteredTypes = [
  "Text field",
  "Multi-line text field",
  "Numbers only text field",
  "Date field",
  "File upload field",
  "Checkbox",
];
const isEntered = { path: "@.type", op: "in", value: enteredTypes };
const isForeign = { path: "currency_exchange_rate", op: "ne", value: "1.0000000000" };
const isCoupon = { path: "applied_coupons", op: "not_empty" };
const detail = (name: string, mergeAs: string) => ({
  request: { path: `/v2/orders/{{record.id}}/${name}` },
  mergeAs,
  pagination: { kind: "page" as const, pageSize: 250 },
});

/** BigCommerce's v2 orders; products, addresses and coupons take one request each per order. */
export const bigcommerce: RestDefinition = {
  name: "bigcommerce",
  title: "BigCommerce",
  description: "Orders of a BigCommerce store, and shipments back to it.",
  docs: "docs/connect/bigcommerce.md",
  requiredScopes: "A store-level API account with the scope Orders: modify.",
  variables: [
    {
      name: "storeHash",
      label: "Store hash",
      description: "The part of the API path between /stores/ and /v3",
      example: "abc123",
      pattern: "[a-z0-9]+",
    },
    {
      name: "apiUrl",
      label: "URL of the API",
      example: "https://api.bigcommerce.com",
      default: "https://api.bigcommerce.com",
      format: "url",
    },
  ],
  credentials: [{ name: "token", label: "Access token", description: "Of the API account", secret: true }],
  settings: {
    baseUrl: "{{settings.apiUrl}}/stores/{{settings.storeHash}}",
    auth: { kind: "header", paramName: "X-Auth-Token" },
    headers: { Accept: "application/json" },
    testPath: "/v2/orders?limit=1",
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: { path: "/v2/orders", query: { min_date_modified: "{{since}}", sort: "id:asc" } },
        updatedAtPath: "date_modified",
        updatedSince: { initial: "2000-01-01" },
        pagination: { kind: "page", pageSize: 50 },
        details: [
          // Under other names: where the list is empty, the record keeps its links under the names of the API.
          detail("products", "order_products"),
          detail("shipping_addresses", "addresses"),
          detail("coupons", "applied_coupons"),
        ],
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: { method: "POST", path: "/v2/orders/{{record.orderId}}/shipments", body: "{{record.shipment}}" },
        externalIdPath: "id",
        lookup: {
          request: { path: "/v2/orders/{{record.orderId}}/shipments", query: { limit: "250" } },
          match: { path: "tracking_number", value: "{{record.shipment.tracking_number}}" },
          externalIdPath: "id",
        },
      },
    ],
  },
  transformations: [
    {
      taskName: "orders.import",
      direction: "inbound",
      mappings: [
        from("externalId", "id", "string"),
        from("number", "id", "string"),
        constant("channel", "bigcommerce"),
        // Names can be changed in the control panel, IDs cannot.
        statusBy("status_id", {
          "0": "draft",
          "1": "awaiting_payment",
          "2": "shipped",
          "3": "partially_shipped",
          "4": "cancelled",
          "5": "cancelled",
          "6": "cancelled",
          "7": "awaiting_payment",
          "8": "new",
          "9": "new",
          "10": "shipped",
          "11": "new",
          "14": "new",
        }),
        from("paymentStatus", "payment_status", {
          lookup: {
            map: {
              authorized: "authorized",
              "capture pending": "authorized",
              captured: "paid",
              paid: "paid",
              "partially refunded": "partially_refunded",
              refunded: "refunded",
              void: "voided",
              "void pending": "voided",
              declined: "voided",
            },
            default: "pending",
          },
        }),
        from("currency", "default_currency_code"),
        from("orderedAt", "date_created", { date: { from: "EEE, dd MMM yyyy HH:mm:ss XXX", to: "iso" } }),
        from("customer.id", "customer_id", { null_if: 0 }, "string"),
        nameOf("customer.name", "billing_address"),
        from("customer.email", "billing_address.email"),
        from("customer.phone", "billing_address.phone", "empty_to_null"),
        nameOf("shippingAddress.name", "addresses[0]"),
        ...addressMembers("shippingAddress", "addresses[0]", address),
        nameOf("billingAddress.name", "billing_address"),
        ...addressMembers("billingAddress", "billing_address", address),
        from("total", "total_inc_tax", ...amount),
        from("amounts.subtotal", "subtotal_ex_tax", ...amount),
        from("amounts.discount", "discount_amount", "number", { add: "$.coupon_discount" }, { round: 2 }),
        from("amounts.shipping", "shipping_cost_ex_tax", ...amount),
        from("amounts.tax", "total_tax", ...amount),
        from("amounts.fees", "handling_cost_ex_tax", "number", { add: "$.wrapping_cost_ex_tax" }, { round: 2 }),
        from("amounts.refunded", "refunded_amount", ...amount),
        constant("amounts.taxIncluded", false),
        {
          ...each("amounts.discounts", "applied_coupons", [
            from("code", "@.code"),
            from("amount", "@.discount", "number", { round: 2 }),
          ]),
          when: isCoupon,
        },
        { ...from("amounts.presentmentCurrency", "currency_code"), when: isForeign },
        {
          ...from(
            "amounts.presentmentTotal",
            "total_inc_tax",
            "number",
            { multiply: "$.currency_exchange_rate" },
            { round: 2 },
          ),
          when: isForeign,
        },
        from("payment.method", "payment_method", "empty_to_null"),
        from("payment.reference", "payment_provider_id", "empty_to_null"),
        from("giftMessage", "order_products[*].wrapping_message", "compact", "first"),
        from("shipping.service", "addresses[0].shipping_method"),
        ...customerNote("customer_message"),
        // A shipment must name the address that it goes to.
        from("customFields.bigcommerce_address_id", "addresses[0].id"),
        each("lines", "order_products", [
          from("id", "@.id", "string"),
          from("sku", "@.sku", "empty_to_null", { coalesce: ["@.name"] }),
          from("name", "@.name", { truncate: 200 }),
          from("quantity", "@.quantity", { subtract: "@.quantity_refunded" }),
          from("shippedQuantity", "@.quantity_shipped"),
          from("refundedQuantity", "@.quantity_refunded"),
          from("price", "@.price_ex_tax", ...amount),
          from("discount", "@.applied_discounts", { map: { source: "@.amount", transforms: ["number"] } }, "sum", {
            round: 2,
          }),
          from("tax", "@.total_tax", ...amount),
          from("productId", "@.product_id", { null_if: 0 }, "string"),
          from("variantId", "@.variant_id", { null_if: 0 }, "string"),
          from("parentLineId", "@.parent_order_product_id", "string"),
          constant("requiresShipping", false, { path: "@.type", op: "ne", value: "physical" }),
          each(
            "options",
            "@.product_options",
            [from("name", "@.display_name"), from("value", "@.display_value", "string")],
            { not: isEntered },
          ),
          each(
            "properties",
            "@.product_options",
            [from("name", "@.display_name"), from("value", "@.display_value", "string")],
            isEntered,
          ),
        ]),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        from("orderId", "externalId"),
        from("shipment.order_address_id", "customFields.bigcommerce_address_id", "integer"),
        from("shipment.tracking_number", "shipments[0].trackingNumber", { default: "" }),
        from("shipment.shipping_provider", "shipments[0].carrier", {
          lookup: {
            map: { ups: "ups", usps: "usps", fedex: "fedex", royalmail: "royalmail", auspost: "auspost" },
            default: "",
          },
        }),
        from("shipment.tracking_carrier", "shipments[0].carrier", { default: "" }),
        each("shipment.items", "shipments[0].lines", [
          from("order_product_id", "@.lineId", "integer"),
          from("quantity", "@.quantity"),
        ]),
      ],
    },
  ],
  schedules: [
    { taskName: "orders.import", cron: "*/10 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
