import type { Hub } from "../../sdk/src/hub.ts";

type Trigger = {
  summary: string;
  /** Makes the changes, with records that have this name, and returns the ID of the object that the event is about. */
  run(hub: Hub, name: string): Promise<string>;
};

/** Event types that can be caused by API calls alone. */
export const triggers: Readonly<Record<string, Trigger>> = {
  "order.created": {
    summary: "Create an order",
    run: async (hub, name) => (await createOrder(hub, name)).id,
  },
  "order.updated": {
    summary: "Create an order and change its priority",
    async run(hub, name) {
      const { id } = await createOrder(hub, name);
      await hub.orders.update(id, { priority: "high" });
      return id;
    },
  },
  "order.deleted": {
    summary: "Create a draft order and delete it",
    async run(hub, name) {
      const { id } = await hub.orders.create({ number: name, status: "draft" });
      await hub.orders.delete(id);
      return id;
    },
  },
  "orders.created": {
    summary: "Create two orders at once",
    async run(hub, name) {
      const orders = [1, 2].map((at) => ({ number: `${name}-${at}`, tags: [name] }));
      await hub.orders.createMany({ orders });
      return (await hub.orders.get(`${name}-1`)).id;
    },
  },
  "orders.updated": {
    summary: "Tag an order in a run",
    async run(hub, name) {
      const { id } = await createOrder(hub, name);
      await tag(hub, id);
      return id;
    },
  },
  "operation_run.created": { summary: "Tag an order in a run", run: runOnNewOrder },
  "operation_run.succeeded": { summary: "Tag an order in a run", run: runOnNewOrder },
  "operation_run.failed": {
    summary: "Run an action that an order refuses",
    async run(hub, name) {
      const { id } = await hub.orders.create({ number: name, status: "shipped" });
      const actions = [{ type: "hold" as const, params: { reason: "operator" as const } }];
      return (await hub.operations.run({ order_ids: [id], actions })).id;
    },
  },
  "shipment.created": {
    summary: "Create a shipment",
    run: async (hub, name) => (await createShipment(hub, name)).id,
  },
  "shipment.status_changed": {
    summary: "Create a shipment and report it as delivered",
    async run(hub, name) {
      const { id } = await createShipment(hub, name);
      await hub.shipments.events.create(id, { at: new Date().toISOString(), status: "delivered" });
      return id;
    },
  },
  "location.created": {
    summary: "Create a location",
    run: async (hub, name) => (await hub.locations.create({ name })).id,
  },
  "condition_set.created": {
    summary: "Create a condition set",
    run: async (hub, name) => (await hub.conditionSets.create({ name })).id,
  },
};

async function createOrder(hub: Hub, name: string): Promise<{ id: string }> {
  return await hub.orders.create({ number: name, status: "ready" });
}

async function createShipment(hub: Hub, name: string): Promise<{ id: string }> {
  return await hub.shipments.create({ trackingNumber: name, carrier: "demo" });
}

async function tag(hub: Hub, id: string): Promise<string> {
  const actions = [{ type: "add_tags" as const, params: { tags: ["triggered"] } }];
  return (await hub.operations.run({ order_ids: [id], actions })).id;
}

async function runOnNewOrder(hub: Hub, name: string): Promise<string> {
  const { id } = await createOrder(hub, name);
  return await tag(hub, id);
}
