import type { Send } from "../chaos-client.ts";
import { accepted } from "../chaos-client.ts";
import type { PartnerName, ShopName } from "./story-plan.ts";
import { prefixes, shopNames, tokenOf } from "./story-plan.ts";

export type PartnerUrls = Record<PartnerName, string>;
/** Webhook secret of a shop. */
export const webhookSecretOf = (shop: ShopName): string => (shop === "woo" ? "woo-webhooks" : tokenOf(shop));

/** IDs of the created records. */
export type Setup = {
  bridges: Record<PartnerName, string>;
  imports: string[];
  pushes: string[];
  tracking: string;
  automation: string;
};

/** Connects three shops and a warehouse, through the API alone. */
export async function setUp(send: Send, urls: PartnerUrls): Promise<Setup> {
  const post = async (path: string, body: object): Promise<string> =>
    String((await accepted(send, { method: "POST", path, body })).id);
  const bridges = {} as Setup["bridges"];
  for (const shop of shopNames) bridges[shop] = await post("/bridges", shopBridge(shop, urls[shop]));
  bridges.warehouse = await post("/bridges", warehouseBridge(urls.warehouse));
  for (const one of transformations) await post("/transformations", { ...one, bridgeId: bridges.warehouse });
  await accepted(send, { method: "POST", path: `/locations/sync/${bridges.warehouse}` });
  const { data } = await accepted(send, { method: "GET", path: "/locations" });
  const [{ id: locationId } = { id: "" }] = data as { id: string }[];

  const pipeline = await post("/operations/pipelines", {
    name: "To the warehouse",
    actions: [
      { type: "assign_location", params: { location_id: locationId } },
      { type: "set_status", params: { status: "ready" } },
      { type: "send_to_fulfillment", params: {} },
    ],
  });
  const automation = await post("/automations", {
    name: "Paid orders go to the warehouse",
    trigger: { types: ["order.created", "order.updated"], filter: { status: ["new"] } },
    when: {
      all: [
        { path: "paymentStatus", op: "eq", value: "paid" },
        { path: "onHold", op: "eq", value: false },
      ],
    },
    pipeline_id: pipeline,
    mode: "run",
    max_orders_per_hour: 100_000,
  });
  const everyMinute = { cron: "* * * * *", timezone: "UTC" };
  const schedule = async (bridgeId: string, taskName: string): Promise<string> =>
    await post("/schedules", { name: `${taskName} ${bridgeId}`, bridgeId, taskName, ...everyMinute });
  const each = async (taskName: string): Promise<string[]> =>
    await Promise.all(shopNames.map((shop) => schedule(bridges[shop], taskName)));
  return {
    bridges,
    imports: await each("orders.import"),
    pushes: await each("fulfillments.push"),
    tracking: await schedule(bridges.warehouse, "tracking.pull"),
    automation,
  };
}

function shopBridge(shop: ShopName, url: string): object {
  const orderNumberPrefix = prefixes[shop] === "" ? {} : { orderNumberPrefix: prefixes[shop] };
  // The clocks of these shops advance a second with every change.
  const common = { lookbackMinutes: 1 };
  if (shop !== "woo") {
    const credentials = { clientId: "client", clientSecret: tokenOf(shop) };
    const settings = { shop, baseUrl: url, ...common };
    return { name: `Shop ${shop}`, connector: "shopify", settings, credentials, ...orderNumberPrefix };
  }
  const keys = { consumerKey: "ck_test", consumerSecret: tokenOf(shop), webhookSecret: webhookSecretOf(shop) };
  return { name: `Shop ${shop}`, connector: "woocommerce", settings: { url, ...common }, credentials: keys };
}

function warehouseBridge(url: string): object {
  const tasks = [
    {
      name: "orders.export",
      mode: "push",
      request: { path: "/orders" },
      externalIdPath: "id",
      idempotencyHeader: "Idempotency-Key",
      lookup: {
        request: { path: "/orders", query: { reference: "{{record.reference}}" } },
        externalIdPath: "data[0].id",
      },
    },
    {
      name: "orders.recall",
      mode: "push",
      request: { path: "/recalls", body: { reference: "{{record.number}}" } },
      externalIdPath: "id",
      idempotencyHeader: "Idempotency-Key",
      lookup: {
        request: { path: "/recalls", query: { reference: "{{record.number}}" } },
        externalIdPath: "data[0].id",
      },
    },
    {
      name: "locations.pull",
      mode: "pull",
      recordType: "locations",
      request: { path: "/places" },
      recordsPath: "data",
      externalIdPath: "code",
    },
    {
      name: "tracking.pull",
      mode: "pull",
      recordType: "tracking",
      request: { path: "/parcels" },
      recordsPath: "data",
      externalIdPath: "id",
      updatedAtPath: "changed_at",
      updatedSince: { param: "since" },
      pagination: { kind: "cursor", param: "after", nextCursorPath: "next", pageSize: 50 },
    },
  ];
  const settings = { baseUrl: `${url}/warehouse`, auth: { kind: "bearer" }, tasks };
  return { name: "Warehouse", connector: "rest", settings, credentials: { token: tokenOf("warehouse") } };
}

/** Mappings to the warehouse's vocabulary. */
const transformations = [
  {
    name: "Orders for the warehouse",
    taskName: "orders.export",
    direction: "outbound",
    mappings: [
      { source: "number", target: "reference" },
      { source: "shippingAddress.address1", target: "ship_to.street" },
      { source: "shippingAddress.name", target: "ship_to.name" },
      {
        target: "items",
        each: "lines",
        mappings: [
          { source: "@.id", target: "line" },
          { source: "@.sku", target: "sku" },
          { source: "@.quantity", target: "quantity" },
        ],
      },
    ],
  },
  {
    name: "Places of the warehouse",
    taskName: "locations.pull",
    direction: "inbound",
    mappings: [
      { source: "title", target: "name" },
      { value: "third_party", target: "type" },
      { source: "city", target: "address.city" },
    ],
  },
  {
    name: "Parcels of the warehouse",
    taskName: "tracking.pull",
    direction: "inbound",
    mappings: [
      { source: "tracking", target: "trackingNumber" },
      { source: "state", target: "status" },
      { source: "changed_at", target: "statusAt" },
    ],
  },
];
