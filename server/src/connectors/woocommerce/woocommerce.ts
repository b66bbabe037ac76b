import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { readJson } from "../../core/outbound/ask-remote.ts";
import type { CanonicalLocation } from "../canonical.ts";
import type { Call, Connector, Page } from "../connector.ts";
import { importSettings } from "../incremental.ts";
import { webhookSecret } from "../inbound-webhook.ts";
import { addressOf, asText, line, listOf, objectOf } from "../shape.ts";
import { connectionTest, pullTask } from "../standard-tasks.ts";
import { urlProblems } from "../url-settings.ts";
import { askWoo } from "./woocommerce-api.ts";
import { inventoryPull } from "./woocommerce-inventory.ts";
import { readWebhook } from "./woocommerce-webhooks.ts";
import { ordersImport } from "./woocommerce-orders.ts";
import { fulfillmentsPush } from "./woocommerce-shipments.ts";
import { statusMapping } from "./woocommerce-statuses.ts";
import { ordersCancel, ordersHold, ordersNote, ordersRefund, ordersReleaseHold } from "./woocommerce-write-back.ts";

const shopTest = connectionTest(async (call) => {
  const body = readJson(
    await askWoo(call, { path: "/wc/v3/system_status", query: { _fields: "environment,settings" } }),
  );
  const { environment, settings } = objectOf(body);
  return { version: objectOf(environment).version ?? null, currency: objectOf(settings).currency ?? null };
});

/** WooCommerce has one address, that of the store. */
async function* pullLocations(call: Call): AsyncGenerator<Page> {
  const settings = listOf(readJson(await askWoo(call, { path: "/wc/v3/settings/general" })));
  const valueOf = (id: string): unknown => settings.find((setting) => setting.id === id)?.value;
  const [countryCode, provinceCode] = asText(valueOf("woocommerce_default_country")).split(":");
  const raw = {
    address1: valueOf("woocommerce_store_address"),
    address2: valueOf("woocommerce_store_address_2"),
    city: valueOf("woocommerce_store_city"),
    zip: valueOf("woocommerce_store_postcode"),
    countryCode,
    provinceCode,
  };
  const name = line(raw.city, 90) === undefined ? "Store" : `Store ${line(raw.city, 90)}`;
  const canonical: CanonicalLocation = { name, type: "store", address: addressOf(raw) ?? {}, is_active: true };
  yield { records: [{ externalId: "store", raw, canonical }], cursor: {}, total: 1 };
}

const locationsPull = pullTask("locations.pull", {
  description: "Reads the address of the store from its general settings.",
  input: Strict({}),
  isIncremental: false,
  pull: pullLocations,
});

const tasks = [
  shopTest,
  ordersImport,
  locationsPull,
  inventoryPull,
  fulfillmentsPush,
  ordersHold,
  ordersReleaseHold,
  ordersNote,
  ordersCancel,
  ordersRefund,
];

export const woocommerce: Connector = {
  name: "woocommerce",
  title: "WooCommerce",
  description: "Orders, the store address and shipments of a WooCommerce shop, through its REST API v3.",
  settings: Strict(
    {
      url: Type.String({
        title: "Shop address",
        format: "uri",
        maxLength: 500,
        description: "Where WordPress runs; https, since the keys travel with every request",
        examples: ["https://shop.example.com"],
      }),
      ...importSettings,
      pageSize: Type.Optional(
        Type.Integer({
          title: "Page size",
          "x-advanced": true,
          minimum: 1,
          maximum: 100,
          default: 50,
          description: "Orders per request",
        }),
      ),
      statuses: statusMapping,
      importProducts: Type.Optional(
        Type.Boolean({
          title: "Recognise virtual products",
          "x-advanced": true,
          default: true,
          description: "Asks for the products of imported orders: lines of virtual products need no shipping",
        }),
      ),
      trackingMethod: Type.Optional(
        OneOf(["auto", "fulfillments", "shipment_tracking", "note"], {
          title: "How shipments are reported",
          "x-advanced": true,
          default: "auto",
          description: "auto: the first of the others that the shop offers",
        }),
      ),
      stockLocationId: Type.Optional(
        Type.String({
          title: "Stock location",
          "x-advanced": true,
          format: "uuid",
          description:
            "ID of the location in the hub whose stock the shop counts; default: the imported location of the store",
          examples: ["0199f0a0-0000-7000-8000-000000000002"],
        }),
      ),
      completeOrders: Type.Optional(
        Type.Boolean({
          title: "Complete orders",
          default: true,
          description: "Whether an order that is shipped as a whole becomes completed at the shop",
        }),
      ),
      notifyCustomer: Type.Optional(
        Type.Boolean({
          title: "Notify the customer",
          default: false,
          description: "Whether the shop writes to the customer when a shipment is reported",
        }),
      ),
    },
    { examples: [{ url: "https://shop.example.com" }] },
  ),
  credentials: Strict(
    {
      consumerKey: Type.String({
        title: "Consumer key",
        "x-widget": "password",
        minLength: 1,
        maxLength: 200,
        description: "From WooCommerce > Settings > Advanced > REST API, with read and write permission",
        examples: ["ck_..."],
      }),
      consumerSecret: Type.String({
        title: "Consumer secret",
        "x-widget": "password",
        minLength: 1,
        maxLength: 200,
        description: "Shown once, together with the key",
        examples: ["cs_..."],
      }),
      webhookSecret: webhookSecret(
        "As in WooCommerce > Settings > Advanced > Webhooks; the same for each that is sent here",
      ),
    },
    { examples: [{ consumerKey: "ck_...", consumerSecret: "cs_..." }] },
  ),
  check(settings, limits) {
    const problems = urlProblems("/url", settings.url, limits);
    const isPlain = String(settings.url).startsWith("http:") && !limits.allowPrivate;
    if (problems.length > 0 || !isPlain) return problems;
    return [{ pointer: "/url", code: "https_required", message: "The keys travel with every request: use https." }];
  },
  tasks: () => tasks,
  site: ["url"],
  readWebhook,
  sendsTo: ({ url }) => [{ at: "/url", url: String(url) }],
  concurrency: 2,
  isShop: true,
};
