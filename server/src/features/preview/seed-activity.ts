import { demoProducts } from "../../connectors/demo/demo-shop.ts";
import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { systemContext } from "../../context.ts";
import { createAutomation } from "../automations/automations.ts";
import { createBridge, listBridges } from "../bridges/bridges.ts";
import { createCarrierAccount, listCarrierAccounts } from "../carrier-accounts/carrier-accounts.ts";
import { addValues, createConditionSet } from "../condition-sets/condition-sets.ts";
import { buyLabel } from "../labels/labels.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { createLocation, listLocations } from "../locations/locations.ts";
import { createManifest } from "../manifests/manifests.ts";
import type { ActionRequest } from "../operations/operations.schemas.ts";
import { createPipeline, startRun, undoRun } from "../operations/operations.ts";
import type { OrderStatus } from "../orders/orders.states.ts";
import { listOrders } from "../orders/orders.ts";
import { createSchedule, triggerSchedule } from "../schedules/schedules.ts";
import { replaceStock } from "../stock/stock.ts";
import { executeTask } from "../tasks/tasks.ts";
import { createTransformation } from "../transformations/transformations.ts";
import { createPreset } from "../import-presets/import-presets.ts";
import { createView } from "../views/views.ts";
import { createWebhook, listWebhooks } from "../webhooks/webhooks.ts";
import * as store from "./preview.store.ts";

/** Typical activity of users, created through the verbs of each feature, in this order. */
const steps: Record<string, (ctx: Ctx) => Promise<void>> = {
  places: seedLocations,
  stock: seedStock,
  tasks: seedTasks,
  labels: seedLabels,
  exceptions: seedExceptions,
  // Before the runs, whose changes trigger them.
  automations: seedAutomations,
  webhooks: seedWebhooks,
  runs: seedRuns,
};

export const activitySteps: readonly string[] = Object.keys(steps);

/**
 * Fills the lists that the demo data leaves empty. Each verb commits its own transaction, so progress is stored per step and
 * the next start continues an interrupted one. Records deleted since are not created again.
 */
export async function seedActivity(caller: Ctx, signal?: AbortSignal): Promise<void> {
  // Runs as the hub, independent of the caller's scopes, and must not store responses under the caller's Idempotency-Key.
  const { keepAnswer: _, withoutSlot: __, ...world } = caller;
  const ctx = systemContext(world, caller.orgId, "demo data");
  let remaining = await store.findRemainingSteps(ctx.db);
  while (remaining.length > 0) {
    signal?.throwIfAborted();
    const [name, ...rest] = remaining;
    await unlessExists(() => steps[name!]?.(ctx) ?? Promise.resolve());
    await store.saveRemainingSteps(ctx.db, rest);
    remaining = rest;
  }
}

/** Ignores records that an interrupted start or another node has already created. */
async function unlessExists(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "name_taken") throw error;
  }
}

async function seedLocations(ctx: Ctx): Promise<void> {
  const newark = { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
  const reno = { address1: "80 Depot Way", city: "Reno", provinceCode: "NV", zip: "89502", countryCode: "US" };
  const boston = { address1: "12 Beacon Street", city: "Boston", provinceCode: "MA", zip: "02108", countryCode: "US" };
  const all = [
    { name: "Newark", type: "warehouse", address: newark },
    { name: "Reno", type: "warehouse", address: reno },
    { name: "Boston shop", type: "store", address: boston },
  ] as const;
  for (const location of all) await unlessExists(() => createLocation(ctx, location));
  const settings = { filter: { status: ["ready"], tag: "rush" }, sort: "shipBy" };
  const reading = { dateOrder: "dmy", currency: "EUR", mapping: { Bestellnummer: "number" } } as const;
  await unlessExists(() => createPreset(ctx, { name: "German warehouse CSV", settings: reading }));
  await unlessExists(() => createView(ctx, { list: "orders", name: "Rush orders", settings, isShared: true }));
  const { id } = await createConditionSet(ctx, {
    name: "Remote states",
    description: "States and territories where ground takes long",
  });
  await addValues(ctx, id, ["HI", "AK", "PR"]);
}

/**
 * Each location lacks some of the products, so that some orders can be fulfilled from one location only. None has the blue mug, the
 * notebook and the plant pot: such an order has to be split.
 */
async function seedStock(ctx: Ctx): Promise<void> {
  const { data } = await listLocations(ctx, { page: 1, limit: 100 });
  const levels = data.flatMap(({ id: locationId }, place) =>
    demoProducts.map(([sku], index) => {
      const isLacking = index === place || (place > 0 && index === 3 * place);
      return { sku, locationId, available: isLacking ? 0 : 20 + ((index * 17 + place * 31) % 60) };
    }),
  );
  if (levels.length > 0) await replaceStock(ctx, { levels });
}

async function demoBridge(ctx: Ctx): Promise<string | undefined> {
  const { data } = await listBridges(ctx, { page: 1, limit: 100 });
  return data.find(({ connector }) => connector === "demo")?.id;
}

async function seedTasks(ctx: Ctx): Promise<void> {
  const bridgeId = await demoBridge(ctx);
  if (bridgeId === undefined) return;
  await executeTask(ctx, { bridgeId, taskName: "connection.test" });
  const mappings = [
    { source: "order_number", target: "number", transform: "to_string" },
    { source: "shipping.zip", target: "shippingAddress.zip", transform: "trim" },
  ];
  const about = { name: "Shop orders", bridgeId, taskName: "orders.import", direction: "inbound" } as const;
  // Not active: an example to open. Orders of the demo shop need no mapping.
  await createTransformation(ctx, { ...about, mappings, isActive: false }, false);
  const timing = { cron: "30 2 * * *", timezone: "America/New_York" };
  const schedule = await createSchedule(ctx, {
    name: "Nightly connection check",
    bridgeId,
    taskName: "connection.test",
    ...timing,
  });
  await triggerSchedule(ctx, schedule.id);
}

async function seedLabels(ctx: Ctx): Promise<void> {
  const { id: carrierAccountId } = await createCarrierAccount(ctx, { name: "Label carrier", carrier: "demo" });
  const sale = await buyLabel(ctx, { ...aParcel, weight: { value: 2.5, unit: "lb" }, carrierAccountId });
  const shipDate = "label" in sale ? sale.label.shipDate : null;
  if (shipDate !== null) await createManifest(ctx, { carrierAccountId, from: aParcel.from, shipDate });
}

/** What goes wrong in every hub: records that cannot be read, an order that does not arrive, a carrier that says no. */
async function seedExceptions(ctx: Ctx): Promise<void> {
  const { id: bridgeId } = await createBridge(ctx, { name: "Outlet", connector: "demo", settings: { seed: 7 } });
  const about = { bridgeId, taskName: "tracking.pull" };
  // Only some of the statuses that the outlet uses: the others are rejected, as in a mapping that is not finished.
  const transforms = [{ lookup: { map: { exception: "exception", in_transit: "in_transit" } } }];
  const mappings = [{ source: "state", target: "status", transforms, required: true }];
  const mapping = {
    ...about,
    name: "Outlet tracking statuses",
    direction: "inbound",
    mode: "extend",
    mappings,
  } as const;
  await createTransformation(ctx, mapping, false);
  await executeTask(ctx, { ...about, input: { count: 12 } });
  await executeTask(ctx, { bridgeId, taskName: "orders.export", input: { orderIds: ["OUT-1"] } });
  const { data } = await listCarrierAccounts(ctx, { page: 1, limit: 100 });
  const account = data.find(({ carrier }) => carrier === "demo");
  if (!account) return;
  const weight = { value: 1, unit: "lb" } as const;
  const refused = buyLabel(ctx, { ...aParcel, weight, service: "freight", carrierAccountId: account.id });
  await refused.catch((error: unknown) => {
    if (!(error instanceof HubError) || error.code !== "label_rejected") throw error;
  });
}

const tagged = "spring-sale";

async function seedAutomations(ctx: Ctx): Promise<void> {
  const trigger = { types: ["order.updated"] };
  const first: ActionRequest[] = [{ type: "set_priority", params: { priority: "high" } }];
  const urgent = await createPipeline(ctx, { name: "Raise priority", actions: first });
  await createAutomation(ctx, {
    name: "Prioritize spring sale orders",
    description: "Orders tagged spring-sale are packed first",
    trigger,
    when: { path: "tags", op: "has_tag", value: tagged },
    pipeline_id: urgent.id,
    mode: "run",
  });
  const cheap: ActionRequest[] = [
    { type: "set_shipping", params: { carrier: "usps", service: "ground_advantage" } },
    { type: "add_tags", params: { tags: ["light"] } },
  ];
  const light = await createPipeline(ctx, { name: "Ship light parcels by USPS", actions: cheap });
  await createAutomation(ctx, {
    name: "Light parcels by USPS",
    description: "Test mode: records what it would do, and changes nothing",
    trigger,
    when: { path: "totalWeight.lb", op: "lt", value: 5 },
    pipeline_id: light.id,
    mode: "preflight",
  });
}

/** To the echo of the preview: one that takes everything, and one that fails as those of others do now and then. */
async function seedWebhooks(ctx: Ctx): Promise<void> {
  const { pagination } = await listWebhooks(ctx, { page: 1, limit: 1 });
  if (pagination.total > 0) return;
  await createWebhook(ctx, { url: "echo:200", types: ["order.*", "operation_run.*"], description: "Warehouse system" });
  await createWebhook(ctx, { url: "echo:503", types: ["operation_run.*"], description: "Reporting (endpoint down)" });
}

async function seedRuns(ctx: Ctx): Promise<void> {
  const idsOf = async (status: OrderStatus, limit: number): Promise<string[]> =>
    (await listOrders(ctx, { page: 1, limit, status })).data.map(({ id }) => id);
  const run = async (note: string, order_ids: string[], ...actions: ActionRequest[]) =>
    await startRun(ctx, { order_ids, actions, note }, false);
  const [ready, fresh, cancelled] = [await idsOf("ready", 40), await idsOf("new", 12), await idsOf("cancelled", 6)];
  await run("Tag spring sale orders", ready, { type: "add_tags", params: { tags: [tagged] } });
  const held = { type: "hold", params: { reason: "inventory_out_of_stock", duration_days: 3 } };
  // The cancelled orders fail, as they cannot be placed on hold.
  await run("Hold orders waiting for stock", [...fresh.slice(0, 6), ...cancelled], held);
  const mistake = await run("Switch to express", fresh, { type: "set_shipping", params: { service: "express" } });
  await undoRun(ctx, mistake.id, false);
}
