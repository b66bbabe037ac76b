import { expect } from "vitest";
import { afterFile } from "./after-file.ts";
import { eventually } from "./eventually.ts";
import { startStandInShop } from "./stand-in-shop.ts";
import type { StandInShop } from "./stand-in-shop.ts";
import type { TestHub } from "./test-hub.ts";

const body = { number: "{{record.number}}", tracking: "{{record.shipments[0].trackingNumber}}" };
const query = { reference: "{{record.number}}", tracking: "{{record.shipments[0].trackingNumber}}" };

/** Ways to configure a shop behind the rest connector. */
const ways = {
  blind: {},
  findable: { lookup: { request: { path: "/plain", query }, externalIdPath: "data[0].id" } },
  keyed: { idempotencyHeader: "Idempotency-Key", request: { path: "/keyed", body } },
  correctable: { update: { request: { path: "/plain/{{existing.externalId}}", body } } },
};
export type Way = keyof typeof ways;

let bridges = 0;
let orders = 0;

/** An organization that pushes its shipments to a shop, and everything the shop has received. */
export async function pushFixture(hub: TestHub) {
  const org = await hub.org();
  const shop = await startStandInShop({ orders: 1 });
  afterFile(shop.close);

  async function aBridge(way: Way, more: object = {}, name = "fulfillments.push") {
    const task = { name, mode: "push", request: { path: "/plain", body }, externalIdPath: "id", ...ways[way], ...more };
    const settings = { baseUrl: `${shop.url}/rest`, auth: { kind: "bearer" }, tasks: [task] };
    const given = { name: `Shop ${++bridges}`, connector: "rest", settings, credentials: { token: shop.token } };
    const bridgeId: string = (await org.post("/bridges", given)).body.id;
    const execute = async (input: object) =>
      (await org.post("/tasks/execute-sync", { bridgeId, taskName: name, input })).body;
    const push = async (orderIds: string[], input: object = {}) => await execute({ orderIds, ...input });
    return { bridgeId, settings, push, pushUnsent: async () => await execute({}) };
  }

  /** All POST and PUT requests about an order that the shop accepted. */
  const journalOf = (number: string, at: StandInShop = shop): string[] =>
    at.data.journal
      .filter(({ detail }) => (detail as { number?: string } | undefined)?.number === number)
      .map(({ kind, detail }) => `${kind} ${(detail as { tracking?: string }).tracking}`);

  /** `bridgeId`: creates an order imported through this bridge. */
  async function anOrder(status = "ready", bridgeId?: string): Promise<{ id: string; number: string }> {
    const from = bridgeId === undefined ? {} : { bridgeId, externalId: `E-${++orders}` };
    return (await org.post("/orders", { status, lines: [{ sku: "A", quantity: 3 }], ...from })).body;
  }

  async function ship(id: string, trackingNumber: string, quantity?: number): Promise<void> {
    const [line] = (await org.get(`/orders/${id}`)).body.lines;
    const items = quantity === undefined ? {} : { line_items: [{ id: line.id, quantity }] };
    const actions = [{ type: "mark_shipped", params: { tracking_number: trackingNumber, carrier: "ups", ...items } }];
    const run = await org.post("/operations/run", { order_ids: [id], actions });
    expect(run.body.results[0].error).toBeNull();
  }

  async function shippedOrder(trackingNumber: string, bridgeId?: string): Promise<{ id: string; number: string }> {
    const order = await anOrder("ready", bridgeId);
    await ship(order.id, trackingNumber);
    return order;
  }

  /** The first shipment of the order. */
  async function correct(id: string, trackingNumber: string): Promise<void> {
    const [{ id: shipmentId }] = (await org.get(`/orders/${id}`)).body.shipments;
    expect((await org.patch(`/shipments/${shipmentId}`, { trackingNumber })).status).toBe(200);
    expect((await org.get(`/orders/${id}`)).body.shipments[0].trackingNumber).toBe(trackingNumber);
  }

  async function ended(id: string) {
    const look = async () => (await org.get(`/tasks/executions/${id}`)).body;
    return await eventually(look, ({ status }) => status !== "queued" && status !== "running");
  }

  return { org, shop, aBridge, journalOf, anOrder, ship, shippedOrder, correct, ended };
}
