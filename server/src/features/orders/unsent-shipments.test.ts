import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { db } = hub.world;

type Queued = { order_version: number; bridge_id: string; tries: number };

async function takeQueued(orderId: string): Promise<Queued | undefined> {
  const [row] = await db.query<Queued>(
    "delete from unsent_shipments where order_id = $1 returning order_version, bridge_id, tries",
    [orderId],
  );
  return row;
}

test("an order is queued for its shop whenever its shipments change, and for nothing else", async () => {
  const bridgeId = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  const lines = [{ sku: "MUG", quantity: 2, price: 5 }];
  const order = (await org.post("/orders", { bridgeId, status: "ready", lines })).body;
  expect(await takeQueued(order.id)).toBe(undefined);

  const run = async (...actions: object[]) =>
    (await org.post("/operations/run", { order_ids: [order.id], actions })).body;
  const read = async () => (await org.get(`/orders/${order.id}`)).body;
  await run({ type: "add_tags", params: { tags: ["gift"] } });
  expect(await takeQueued(order.id)).toBe(undefined);

  await run({ type: "mark_shipped", params: { tracking_number: "1Z1", carrier: "ups" } });
  const shipped = await read();
  expect(shipped.shipments).toHaveLength(1);
  await db.query("update unsent_shipments set tries = 3 where order_id = $1", [order.id]);

  // A correction starts over, with the version that has it.
  await org.patch(`/shipments/${shipped.shipments[0].id}`, { trackingNumber: "1Z2" });
  const corrected = await read();
  expect(corrected.shipments[0].trackingNumber).toBe("1Z2");
  expect(await takeQueued(order.id)).toEqual({ order_version: corrected.version, bridge_id: bridgeId, tries: 0 });

  await run({ type: "add_note", params: { text: "Fragile" } });
  expect(await takeQueued(order.id)).toBe(undefined);
});

test("an order without a bridge is not queued", async () => {
  const { id } = (await org.post("/orders", { status: "ready", lines: [{ sku: "MUG", quantity: 1 }] })).body;
  const actions = [{ type: "mark_shipped", params: { tracking_number: "1Z3", carrier: "ups" } }];
  await org.post("/operations/run", { order_ids: [id], actions });
  expect(await takeQueued(id)).toBe(undefined);
});
