import { addressMembers, constant, customerNote, each, from, statusBy } from "./mapping-parts.ts";
import type { RestDefinition } from "./rest-definition.ts";

const dateFormat = "'YYYY-MM-DD HH24:MI:SS'";

/** Times are in the zone of the account, on both sides of the comparison. */
const ordersQuery =
  "SELECT t.id, t.tranid, t.status, t.entity, c.symbol AS currency, " +
  `TO_CHAR(t.createddate, ${dateFormat}) AS created, TO_CHAR(t.lastmodifieddate, ${dateFormat}) AS modified ` +
  "FROM transaction t LEFT JOIN currency c ON c.id = t.currency " +
  `WHERE t.type = 'SalesOrd' AND t.lastmodifieddate >= TO_DATE('{{since}}', ${dateFormat}) ORDER BY t.id`;

const address = {
  name: "addressee",
  company: "attention",
  address1: "addr1",
  address2: "addr2",
  city: "city",
  province: "state",
  zip: "zip",
  country: "country.refName",
  countryCode: "country.id",
  phone: "addrPhone",
};
const round = { round: 2 };
/** Discounts, subtotals, descriptions and returns are lines too. Their amounts are part of the subtotal of the order. */
const isItem = {
  all: [{ path: "@.quantity", op: "gt", value: 0 }, { not: { path: "@.rate", op: "lt", value: 0 } }],
};

/** What is open of a line that was closed is not shipped any more. Lines of orders that are cancelled or closed are closed as well. */
const isClosedEarly = {
  all: [
    { path: "@.isClosed", op: "eq", value: true },
    { path: "$.status", op: "not_in", value: ["C", "H"] },
  ],
};

/** NetSuite's REST services: sales orders by SuiteQL, with one request for the record of each. */
export const netsuite: RestDefinition = {
  name: "netsuite",
  title: "NetSuite",
  description: "Sales orders of a NetSuite account, and item fulfillments back to it.",
  docs: "docs/connect/netsuite.md",
  requiredScopes:
    "An integration with the scope REST Web Services, and a role with Sales Order (view), Item Fulfillment (create), " +
    "SuiteAnalytics Workbook and REST Web Services.",
  variables: [
    {
      name: "apiUrl",
      label: "SuiteTalk URL",
      description: "Setup > Company > Company Information > Company URLs",
      example: "https://1234567.suitetalk.api.netsuite.com",
      format: "url",
    },
    {
      name: "certificateId",
      label: "Certificate ID",
      description: "Of OAuth 2.0 client credentials",
      example: "custcert_x",
    },
  ],
  credentials: [
    { name: "clientId", label: "Consumer key", description: "Client ID of the integration record", secret: false },
    {
      name: "privateKey",
      label: "Private key",
      description: "PEM, of the certificate; RSA with at least 3072 bits",
      secret: true,
    },
  ],
  settings: {
    baseUrl: "{{settings.apiUrl}}",
    auth: {
      kind: "oauth2",
      grantType: "client_credentials",
      tokenUrl: "{{settings.apiUrl}}/services/rest/auth/oauth2/v1/token",
      clientAuth: "private_key_jwt",
      assertionAlgorithm: "PS256",
      keyId: "{{settings.certificateId}}",
      scope: "rest_webservices",
    },
    test: {
      request: {
        method: "POST",
        path: "/services/rest/query/v1/suiteql",
        query: { limit: "1" },
        headers: { Prefer: "transient" },
        body: { q: "SELECT t.id FROM transaction t WHERE t.type = 'SalesOrd'" },
      },
    },
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: {
          method: "POST",
          path: "/services/rest/query/v1/suiteql",
          query: { limit: "{{page.size}}", offset: "{{page.offset}}" },
          headers: { Prefer: "transient" },
          body: { q: ordersQuery },
        },
        recordsPath: "items",
        updatedAtPath: "modified",
        totalPath: "totalResults",
        updatedSince: { format: "datetime", initial: "2000-01-01" },
        pagination: { kind: "offset", pageSize: 100, hasNextPath: "hasMore" },
        details: [
          {
            request: {
              path: "/services/rest/record/v1/salesOrder/{{record.id}}",
              query: { expandSubResources: "true" },
            },
            mergeAs: "record",
          },
        ],
      },
      {
        name: "fulfillments.push",
        mode: "push",
        request: {
          method: "POST",
          path: "/services/rest/record/v1/salesOrder/{{record.orderId}}/!transform/itemFulfillment",
          body: { shipStatus: { id: "C" }, package: { items: "{{record.packages}}" } },
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
        from("number", "tranid"),
        constant("channel", "netsuite"),
        statusBy("status", {
          A: "review_required",
          B: "new",
          C: "cancelled",
          D: "partially_shipped",
          E: "partially_shipped",
          F: "shipped",
          G: "shipped",
          H: "cancelled",
        }),
        // NetSuite bills sales orders after shipping.
        from("paymentStatus", "status", { lookup: { map: { G: "paid", C: "voided" }, default: "pending" } }),
        from("currency", "currency"),
        from("orderedAt", "created", { date: { to: "iso" } }),
        from("customer.id", "entity", "string"),
        from("customer.name", "record.entity.refName"),
        from("customer.email", "record.email", "empty_to_null"),
        from("customer.phone", "record.billingAddress.addrPhone", "empty_to_null"),
        ...addressMembers("shippingAddress", "record.shippingAddress", address),
        ...addressMembers("billingAddress", "record.billingAddress", address),
        from("total", "record.total", round),
        from("amounts.subtotal", "record.subtotal", round),
        from("amounts.discount", "record.discountTotal", { default: 0 }, "abs", round),
        from("amounts.shipping", "record.shippingCost", { default: 0 }, round),
        from("amounts.tax", "record.taxTotal", { default: 0 }, round),
        constant("amounts.taxIncluded", false),
        from("payment.method", "record.paymentMethod.refName"),
        from("poNumber", "record.otherRefNum", "empty_to_null"),
        from("shipBy", "record.shipDate", { date: { to: "iso" } }),
        from("shipping.service", "record.shipMethod.refName"),
        ...customerNote("record.memo"),
        each(
          "lines",
          "record.item.items",
          [
            from("id", "@.line", "string"),
            from("sku", "@.item.refName"),
            from("name", "@.description", { coalesce: ["@.item.refName"] }, { truncate: 200 }),
            from("quantity", "@.quantity"),
            { ...from("quantity", "@.quantityFulfilled", { default: 0 }), when: isClosedEarly },
            { ...from("refundedQuantity", "@.quantity", { subtract: "@.quantityFulfilled" }), when: isClosedEarly },
            from("shippedQuantity", "@.quantityFulfilled"),
            from("price", "@.rate", round),
            from("tax", "@.tax1Amt", round),
            from("productId", "@.item.id"),
          ],
          isItem,
        ),
      ],
    },
    {
      taskName: "fulfillments.push",
      direction: "outbound",
      mappings: [
        {
          // NetSuite fulfills all open lines of the order unless each other line is excluded by name: an order that is shipped in
          // part would be fulfilled whole.
          ...from(
            "isWhole",
            "lines",
            { map: { source: "@.quantity", transforms: [{ subtract: "@.shippedQuantity" }] } },
            "sum",
            { null_if: 0 },
            { default: "yes" },
            { lookup: { yes: true } },
          ),
          note: "Only orders whose lines are all shipped are sent",
        },
        from("orderId", "externalId"),
        each("packages", "shipments", [
          from("packageTrackingNumber", "@.trackingNumber"),
          from("packageDescr", "@.carrier", { default: "Parcel" }),
        ]),
      ],
    },
  ],
  schedules: [
    { taskName: "orders.import", cron: "*/15 * * * *" },
    { taskName: "fulfillments.push", cron: "5,20,35,50 * * * *" },
  ],
};
