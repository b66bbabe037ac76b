import { constant, customerNote, each, from, members, statusBy } from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

const address = {
  company: "company",
  address1: "street[0]",
  address2: "street[1]",
  city: "city",
  province: "region",
  provinceCode: "region_code",
  zip: "postcode",
  countryCode: "country_id",
  phone: "telephone",
  email: "email",
};
const shippingAddress = "extension_attributes.shipping_assignments[0].shipping.address";
const nameOf = (target: string, source: string) =>
  from(target, `${source}.firstname`, { concat: { paths: [`$.${source}.lastname`], separator: " " } });

const isState = (state: string) => ({ path: "state", op: "eq", value: state });
const some = (path: string) => ({ path, op: "gt", value: 0 });
const isDiscounted = { path: "base_discount_amount", op: "lt", value: 0 };
const isForeign = { path: "base_to_order_rate", op: "ne", value: 1 };

/** Items that leave in a parcel by themselves: no components, nothing virtual. */
const ships = {
  all: [
    { path: "@.parent_item_id", op: "empty" },
    { path: "@.product_type", op: "not_in", value: ["virtual", "downloadable"] },
  ],
};

/** A configurable product has a second item for the chosen variant, with the same SKU and no price. */
const isNoVariant = { not: { path: "@.parent_item.product_type", op: "eq", value: "configurable" } };

/** Magento 2 and Adobe Commerce 2.3 or later. Amounts are those of the base currency, without tax. */
export const magento: RestDefinition = {
  name: "magento",
  title: "Magento 2",
  description: "Orders of a Magento 2 or Adobe Commerce shop, and shipments back to it.",
  docs: "docs/connect/magento.md",
  requiredScopes: "An integration with access to the resources Sales > Operations > Orders and > Shipments.",
  variables: [
    {
      name: "shopUrl",
      label: "URL of the shop",
      description: "Without /rest",
      example: "https://shop.example.com",
      format: "url",
    },
  ],
  credentials: [
    { name: "consumerKey", label: "Consumer key", secret: false },
    { name: "consumerSecret", label: "Consumer secret", secret: true },
    { name: "token", label: "Access token", secret: true },
    { name: "tokenSecret", label: "Access token secret", secret: true },
  ],
  settings: {
    baseUrl: "{{settings.shopUrl}}",
    auth: { kind: "oauth1", signatureMethod: "HMAC-SHA256" },
    test: { request: { path: "/rest/V1/orders", query: { "searchCriteria[pageSize]": "1", fields: "total_count" } } },
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: {
          path: "/rest/V1/orders",
          query: {
            "searchCriteria[filter_groups][0][filters][0][field]": "updated_at",
            "searchCriteria[filter_groups][0][filters][0][condition_type]": "gteq",
            "searchCriteria[filter_groups][0][filters][0][value]": "{{since}}",
            // Stable while orders change; by time, a changed order would move the others to earlier pages.
            "searchCriteria[sortOrders][0][field]": "entity_id",
            "searchCriteria[sortOrders][0][direction]": "ASC",
            "searchCriteria[currentPage]": "{{page.number}}",
            "searchCriteria[pageSize]": "{{page.size}}",
          },
        },
        recordsPath: "items",
        externalIdPath: "entity_id",
        updatedAtPath: "updated_at",
        totalPath: "total_count",
        updatedSince: { format: "datetime", initial: "2000-01-01" },
        pagination: { kind: "page", pageSize: 100 },
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: {
          method: "POST",
          path: "/rest/V1/order/{{record.orderId}}/ship",
          body: { items: "{{record.items}}", notify: true, tracks: "{{record.tracks}}" },
        },
        // The response is the bare ID.
        externalIdPath: "$",
        lookup: {
          request: {
            path: "/rest/V1/shipments",
            query: {
              "searchCriteria[filter_groups][0][filters][0][field]": "order_id",
              "searchCriteria[filter_groups][0][filters][0][value]": "{{record.orderId}}",
              "searchCriteria[pageSize]": "100",
            },
          },
          recordsPath: "items",
          match: { path: "tracks[0].track_number", value: "{{record.tracks[0].track_number}}" },
          externalIdPath: "entity_id",
        },
      },
    ],
  },
  transformations: [
    {
      taskName: "orders.import",
      direction: "inbound",
      mappings: [
        from("externalId", "entity_id", "string"),
        from("number", "increment_id"),
        constant("channel", "magento"),
        statusBy("state", {
          new: "awaiting_payment",
          pending_payment: "awaiting_payment",
          processing: "new",
          holded: "new",
          complete: "shipped",
          closed: "cancelled",
          canceled: "cancelled",
        }),
        constant("status", "new", {
          all: [isState("new"), { path: "payment.method", op: "eq", value: "cashondelivery" }],
        }),
        {
          // What is left to ship decides whether a processing order is shipped in part or whole.
          ...from(
            "status",
            "items",
            { filter: ships },
            {
              map: {
                source: "@.qty_ordered",
                transforms: [
                  { subtract: "@.qty_canceled" },
                  { subtract: "@.qty_refunded" },
                  { subtract: "@.qty_shipped" },
                ],
              },
            },
            "sum",
            { lookup: { map: { "0": "shipped" }, default: "partially_shipped" } },
          ),
          when: { all: [isState("processing"), some("items[*].qty_shipped")] },
        },
        constant("hold", { reason: "other", note: "On hold in Magento" }, isState("holded")),
        constant("hold", null, { not: isState("holded") }),
        constant("paymentStatus", "pending"),
        constant("paymentStatus", "authorized", some("payment.amount_authorized")),
        constant("paymentStatus", "paid", {
          all: [some("base_total_paid"), { path: "base_total_due", op: "eq", value: 0 }],
        }),
        constant("paymentStatus", "partially_refunded", some("base_total_refunded")),
        constant("paymentStatus", "refunded", { all: [isState("closed"), some("base_total_refunded")] }),
        constant("paymentStatus", "voided", isState("canceled")),
        from("currency", "base_currency_code"),
        from("orderedAt", "created_at", { date: { to: "iso", tz: "UTC" } }),
        from("customer.id", "customer_id", "string"),
        nameOf("customer.name", "billing_address"),
        from("customer.email", "customer_email"),
        from("customer.phone", "billing_address.telephone"),
        nameOf("shippingAddress.name", shippingAddress),
        ...members("shippingAddress", shippingAddress, address),
        nameOf("billingAddress.name", "billing_address"),
        ...members("billingAddress", "billing_address", address),
        from("total", "base_grand_total", { round: 2 }),
        from("amounts.subtotal", "base_subtotal", { round: 2 }),
        from("amounts.discount", "base_discount_amount", "abs", { round: 2 }),
        from("amounts.shipping", "base_shipping_amount", { round: 2 }),
        from("amounts.tax", "base_tax_amount", { round: 2 }),
        from("amounts.paid", "base_total_paid", { default: 0 }, { round: 2 }),
        from("amounts.refunded", "base_total_refunded", { default: 0 }, { round: 2 }),
        constant("amounts.taxIncluded", false),
        { ...from("amounts.presentmentCurrency", "order_currency_code"), when: isForeign },
        { ...from("amounts.presentmentTotal", "grand_total", { round: 2 }), when: isForeign },
        { ...from("amounts.discounts[0].code", "coupon_code"), when: isDiscounted },
        { ...from("amounts.discounts[0].title", "discount_description"), when: isDiscounted },
        { ...from("amounts.discounts[0].amount", "base_discount_amount", "abs", { round: 2 }), when: isDiscounted },
        from("payment.method", "payment.method"),
        from("payment.reference", "payment.last_trans_id"),
        from("poNumber", "payment.po_number"),
        from("giftMessage", "extension_attributes.gift_message.message"),
        from("shipping.service", "shipping_description"),
        ...customerNote("customer_note"),
        each(
          "lines",
          "items",
          [
            from("id", "@.item_id", "string"),
            from("sku", "@.sku", { coalesce: ["@.name"] }),
            from("name", "@.name", { truncate: 200 }),
            from("quantity", "@.qty_ordered", { subtract: "@.qty_canceled" }, { subtract: "@.qty_refunded" }),
            from("shippedQuantity", "@.qty_shipped"),
            from("refundedQuantity", "@.qty_refunded"),
            from("price", "@.base_price", { round: 2 }),
            from("discount", "@.base_discount_amount", { round: 2 }),
            from("tax", "@.base_tax_amount", { round: 2 }),
            from("productId", "@.product_id", "string"),
            from("parentLineId", "@.parent_item_id", "string"),
            constant("requiresShipping", false, { not: ships }),
            each("properties", "@.product_option.extension_attributes.custom_options", [
              { target: "name", template: "Option {{@.option_id}}" },
              from("value", "@.option_value", "string"),
            ]),
          ],
          isNoVariant,
        ),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        from("orderId", "externalId"),
        each("items", "shipments[0].lines", [from("order_item_id", "@.lineId", "integer"), from("qty", "@.quantity")]),
        {
          ...each("tracks", "shipments", [
            from("track_number", "@.trackingNumber"),
            from("title", "@.carrier", { default: "Carrier" }),
            from("carrier_code", "@.carrier", {
              lookup: { map: { ups: "ups", usps: "usps", fedex: "fedex", dhl: "dhl" }, default: "custom" },
            }),
          ]),
          where: { path: "@.trackingNumber", op: "not_empty" },
        },
      ],
    },
  ],
  schedules: [
    { taskName: "orders.import", cron: "*/10 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
