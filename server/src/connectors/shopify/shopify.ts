import { Type } from "../../core/type.ts";
import { Strict } from "../../core/schema.ts";
import type { Connector } from "../connector.ts";
import { importSettings } from "../incremental.ts";
import { webhookSecret } from "../inbound-webhook.ts";
import { objectOf } from "../shape.ts";
import { connectionTest } from "../standard-tasks.ts";
import { urlProblems } from "../url-settings.ts";
import { fulfillmentsPush } from "./shopify-fulfillments.ts";
import { apiVersion, query, shopAddress, signIn, versionWarnings } from "./shopify-graphql.ts";
import { ordersHold, ordersReleaseHold } from "./shopify-holds.ts";
import { inventoryPull } from "./shopify-inventory.ts";
import { locationsPull } from "./shopify-locations.ts";
import { readWebhook } from "./shopify-webhooks.ts";
import { ordersImport } from "./shopify-orders.ts";
import { ordersRefund } from "./shopify-refunds.ts";
import { ordersCancel, ordersNote, ordersTag, ordersUntag } from "./shopify-write-back.ts";

const shopTest = connectionTest(async (call) => {
  const data = await query(call, "query HubShop { shop { name myshopifyDomain currencyCode } }");
  const { name, myshopifyDomain, currencyCode } = objectOf(data.shop);
  const warnings = versionWarnings(call);
  const shop = { shop: name, domain: myshopifyDomain, currency: currencyCode };
  return warnings.length === 0 ? shop : { ...shop, warnings };
});

const tasks = [
  shopTest,
  ordersImport,
  locationsPull,
  inventoryPull,
  fulfillmentsPush,
  ordersHold,
  ordersReleaseHold,
  ordersTag,
  ordersUntag,
  ordersNote,
  ordersCancel,
  ordersRefund,
];

export const shopify: Connector = {
  name: "shopify",
  title: "Shopify",
  description: "Orders, locations, fulfilments and holds of a Shopify shop, through the GraphQL Admin API.",
  settings: Strict(
    {
      shop: Type.String({
        title: "Shop",
        pattern: "^[a-zA-Z0-9][a-zA-Z0-9-]{0,60}(\\.myshopify\\.com)?$",
        description: "The name before .myshopify.com",
        examples: ["my-shop"],
      }),
      apiVersion: Type.Optional(
        Type.String({
          title: "API version",
          "x-advanced": true,
          pattern: "^20\\d\\d-(01|04|07|10)$",
          default: apiVersion,
          description: "Shopify supports each version for at least a year",
          examples: [apiVersion],
        }),
      ),
      ...importSettings,
      importProducts: Type.Optional(
        Type.Boolean({
          title: "Import product data",
          "x-advanced": true,
          default: true,
          description:
            "IDs of products and variants, options by name, pictures, customs codes and countries of origin: the app needs the " +
            "scope read_products too. Without it, orders are imported without these, and each import logs a warning",
        }),
      ),
      importWeights: Type.Optional(
        Type.Boolean({
          title: "Import weights",
          default: false,
          description:
            "Weights of the lines, which are those of their products: the app needs the scope read_products too",
        }),
      ),
      pageSize: Type.Optional(
        Type.Integer({
          title: "Page size",
          "x-advanced": true,
          minimum: 1,
          maximum: 50,
          default: 8,
          description: "Orders per request, at most 12: larger requests would exceed what Shopify allows for one",
        }),
      ),
      notifyCustomer: Type.Optional(
        Type.Boolean({
          title: "Notify the customer",
          default: false,
          description: "Whether Shopify writes to the customer when a shipment is reported",
        }),
      ),
      baseUrl: Type.Optional(
        Type.String({
          title: "Address",
          "x-advanced": true,
          format: "uri",
          maxLength: 500,
          description: "Only for a proxy or a test: used in place of https://<shop>.myshopify.com",
          examples: ["https://shopify-proxy.example.com"],
        }),
      ),
    },
    { examples: [{ shop: "my-shop" }] },
  ),
  credentials: Strict(
    {
      clientId: Type.Optional(
        Type.String({
          title: "Client id",
          minLength: 1,
          maxLength: 200,
          description:
            "Of an app from the Dev Dashboard that is installed in the shop, with the scopes read_orders, read_locations, " +
            "read_merchant_managed_fulfillment_orders and write_merchant_managed_fulfillment_orders; for customer IDs and " +
            "product data also read_customers and read_products",
          examples: ["8a6f..."],
        }),
      ),
      clientSecret: Type.Optional(
        Type.String({
          title: "Client secret",
          "x-widget": "password",
          minLength: 1,
          maxLength: 500,
          description: "Of the same app. It also shows that webhooks are Shopify's",
          examples: ["shpss_..."],
        }),
      ),
      accessToken: Type.Optional(
        Type.String({
          title: "Admin API access token",
          "x-widget": "password",
          minLength: 1,
          maxLength: 500,
          description: "In place of the client id: of a custom app that was made in the admin of the shop",
          examples: ["shpat_..."],
        }),
      ),
      webhookSecret: webhookSecret("Of webhooks that were made in the admin of the shop, which shows it below them"),
    },
    {
      examples: [{ clientId: "8a6f...", clientSecret: "shpss_..." }, { accessToken: "shpat_..." }],
      "x-one-of": [["clientId", "clientSecret"], ["accessToken"]],
    },
  ),
  check: (settings, limits) => urlProblems("/baseUrl", settings.baseUrl, limits),
  checkCredentials({ clientId, clientSecret, accessToken }) {
    if (clientId === undefined ? accessToken !== undefined : clientSecret !== undefined) return [];
    const message = "Give the client id and the client secret of the app, or an access token.";
    return [{ pointer: clientId === undefined ? "/accessToken" : "/clientSecret", code: "required", message }];
  },
  tasks: () => tasks,
  site: ["shop", "baseUrl"],
  sendsTo: (settings) => [{ at: "/baseUrl", url: shopAddress(settings) }],
  signIn,
  readWebhook,
  concurrency: 2,
  isShop: true,
};
