import { aSmallCard } from "../features/carrier-accounts/carrier-accounts.schemas.ts";
import { aParcel } from "../features/labels/labels.schemas.ts";
import type { ResourceKind } from "../core/resources.ts";
import type { TestOrg } from "./test-hub.ts";

/** A closed port on loopback. */
const closedUrl = "http://127.0.0.1:9/hooks";

/** Creates one record of every kind that an ID can refer to. A new resource kind does not compile until it is listed here. */
const builders: Record<ResourceKind, (org: TestOrg) => Promise<string>> = {
  organization: async (org) => org.id,
  session: async (org) => {
    const { userId } = await org.withRole("viewer");
    return (await org.get(`/sessions?userId=${userId}`)).body.data[0].id;
  },
  invitation: async (org) => {
    const email = `${crypto.randomUUID()}@shop.example`;
    return (await org.post("/invitations", { email, role: "viewer" })).body.id;
  },
  comment: async (org) => {
    const exception = await builders.exception(org);
    return (await org.post(`/exceptions/${exception}/comments`, { text: "Looked at it" })).body.id;
  },
  user: async (org) => (await org.withRole("viewer")).userId,
  api_key: async (org) => (await org.post("/api-keys", { name: "spare" })).body.id,
  condition_set: async (org) => {
    const { body } = await org.post("/condition-sets", { name: `Set ${crypto.randomUUID()}` });
    await org.post(`/condition-sets/${body.id}/values`, { values: ["10001", "10002"] });
    return body.id;
  },
  order: async (org) => (await org.post("/orders", { lines: [{ sku: "MUG-01", quantity: 1 }] })).body.id,
  operation_run: async (org) => {
    const order = await org.post("/orders", {});
    const actions = [{ type: "add_tags", params: { tags: ["built"] } }];
    return (await org.post("/operations/run", { order_ids: [order.body.id], actions })).body.id;
  },
  selection: async (org) => {
    await org.post("/orders", {});
    return (await org.post("/operations/selections", { filter: {} })).body.id;
  },
  pipeline: async (org) => {
    const actions = [{ type: "add_tags", params: { tags: ["built"] } }];
    return (await org.post("/operations/pipelines", { name: `Pipeline ${crypto.randomUUID()}`, actions })).body.id;
  },
  automation: async (org) => {
    const about = { trigger: { types: ["order.created"] }, pipeline_id: await builders.pipeline(org) };
    return (await org.post("/automations", { name: `Automation ${crypto.randomUUID()}`, ...about })).body.id;
  },
  import_preset: async (org) => {
    const preset = { name: `Preset ${crypto.randomUUID()}`, settings: { dateOrder: "dmy" } };
    return (await org.post("/import-presets", preset)).body.id;
  },
  view: async (org) => {
    const view = { list: "orders", name: `View ${crypto.randomUUID()}`, settings: {}, isShared: true };
    return (await org.post("/views", view)).body.id;
  },
  bridge: async (org) =>
    (await org.post("/bridges", { name: `Bridge ${crypto.randomUUID()}`, connector: "demo" })).body.id,
  execution: async (org) => {
    const bridge = await org.post("/bridges", { name: `Bridge ${crypto.randomUUID()}`, connector: "demo" });
    return (await org.post("/tasks/execute", { bridgeId: bridge.body.id, taskName: "noop" })).body.id;
  },
  transformation: async (org) => {
    const bridge = await org.post("/bridges", { name: `Bridge ${crypto.randomUUID()}`, connector: "demo" });
    const about = { bridgeId: bridge.body.id, taskName: "noop", direction: "inbound" };
    const mappings = [{ source: "a", target: "b" }];
    return (await org.post("/transformations", { name: "Built", ...about, mappings })).body.id;
  },
  schedule: async (org) => {
    const bridge = await org.post("/bridges", { name: `Bridge ${crypto.randomUUID()}`, connector: "demo" });
    // Soon, so that it is in the lists of upcoming runs.
    return (await org.post("/schedules", { bridgeId: bridge.body.id, taskName: "noop", cron: "@hourly" })).body.id;
  },
  shipment: async (org) => (await org.post("/shipments", { trackingNumber: crypto.randomUUID() })).body.id,
  label: async (org) => {
    const account = await org.post("/carrier-accounts", { name: `Carrier ${crypto.randomUUID()}`, carrier: "demo" });
    return (await org.post("/shipments/labels", { ...aParcel, carrierAccountId: account.body.id })).body.label.id;
  },
  manifest: async (org) => {
    const account = await org.post("/carrier-accounts", { name: `Carrier ${crypto.randomUUID()}`, carrier: "demo" });
    const carrierAccountId: string = account.body.id;
    await org.post("/shipments/labels", { ...aParcel, carrierAccountId });
    return (await org.post("/shipments/manifests", { carrierAccountId, from: aParcel.from })).body.id;
  },
  exception: async (org) => {
    const account = await org.post("/carrier-accounts", { name: `Carrier ${crypto.randomUUID()}`, carrier: "demo" });
    // Rejected, so that an exception is opened.
    await org.post("/shipments/labels", { ...aParcel, service: "by_balloon", carrierAccountId: account.body.id });
    return (await org.get("/exceptions?kind=label&limit=1")).body.data[0].id;
  },
  pickup: async (org) => {
    const carrierAccountId = await builders.carrier_account(org);
    const pickupAddress = { address1: "1 Port Street", city: "Newark", zip: "07114", countryCode: "US" };
    const wanted = { carrierAccountId, pickupAddress, packageCount: 1, readyTime: "12:00", closeTime: "16:00" };
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const { nextAvailable } = (await org.post("/pickups/check", { ...wanted, pickupDate: tomorrow })).body;
    return (await org.post("/pickups", { ...wanted, ...nextAvailable })).body.id;
  },
  webhook: async (org) => {
    const types = ["order.*"];
    const { status, body } = await org.post("/webhooks", { url: closedUrl, types });
    // The preview makes no outbound requests, not even to loopback.
    return status === 201 ? body.id : (await org.post("/webhooks", { url: "echo:200", types })).body.id;
  },
  webhook_delivery: async (org) => {
    const { data } = (await org.get("/webhooks?limit=1")).body;
    const webhook = data[0]?.id ?? (await builders.webhook(org));
    await org.post("/orders", {});
    return (await org.get(`/webhooks/${webhook}/deliveries`)).body.data[0].id;
  },
  packing_session: async (org) => {
    const order = await org.post("/orders", { status: "ready", lines: [{ sku: "MUG-01", quantity: 1 }] });
    return (await org.post("/packing/scans", { code: order.body.number })).body.session.id;
  },
  location: async (org) => {
    const address = { address1: "1 Dock Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
    return (await org.post("/locations", { name: `Location ${crypto.randomUUID()}`, address })).body.id;
  },
  carrier_account: async (org) => {
    const { body } = await org.post("/carrier-accounts", {
      name: `Carrier ${crypto.randomUUID()}`,
      carrier: "rate-card",
    });
    return body.id;
  },
  rate_card: async (org) => {
    const account = await builders.carrier_account(org);
    return (await org.post(`/carrier-accounts/${account}/rate-cards`, { card: aSmallCard })).body.id;
  },
  invoice: async (org) => {
    const csv = `invoice number,tracking number,net amount\nI-${crypto.randomUUID()},RP1,9.80\n`;
    return (await org.post("/invoices/import", { carrier: "Regional Parcel", csv })).body.invoices[0].id;
  },
  finding: async (org) => {
    const row = `F-${crypto.randomUUID()},RP1,9.80`;
    const csv = `invoice number,tracking number,net amount\n${row}\n${row}\n`;
    const { invoices } = (await org.post("/invoices/import", { carrier: "Regional Parcel", csv })).body;
    await org.post(`/invoices/${invoices[0].id}/audit`, {});
    return (await org.get(`/invoices/${invoices[0].id}/findings`)).body.data[0].id;
  },
  rate_comparison: async (org) => {
    const carrierAccountId = await builders.carrier_account(org);
    const items = [
      { trackingNumber: "1Z1", netCost: 10, serviceType: "Ground", originZip: "07114", destinationZip: "10001" },
    ];
    return (await org.post("/rate-comparisons", { name: "Built", carrierAccountId, items })).body.id;
  },
  rate_scenario: async (org) => {
    const targets = [{ carrierAccountId: await builders.carrier_account(org) }];
    const { body } = await org.post("/rate-comparisons", { name: "Built", targets });
    return (await org.post(`/rate-comparisons/${body.id}/scenarios`, { name: "Built" })).body.id;
  },
};

export const buildOne = (org: TestOrg, kind: ResourceKind): Promise<string> => builders[kind](org);

type OneOfEverything = Record<ResourceKind, string>;

export async function buildOneOfEverything(org: TestOrg): Promise<OneOfEverything> {
  const made: Partial<OneOfEverything> = {};
  for (const kind of Object.keys(builders) as ResourceKind[]) made[kind] = await builders[kind](org);
  return made as OneOfEverything;
}
