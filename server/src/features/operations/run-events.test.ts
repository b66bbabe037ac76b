import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();

type Item = { id: string; number: string; version: number };
type Entry = {
  objectType: string;
  requestId: string;
  data: { runId: string; count: number; items: Item[]; fields?: string[] };
};
type Org = Awaited<ReturnType<typeof hub.org>>;

const eventsOf = async (org: Org, type: string, runId: string): Promise<Entry[]> =>
  (await org.get(`/audit?type=${type}&limit=100`)).body.data
    .filter(({ data }: Entry) => data.runId === runId)
    .toReversed();
const itemsOf = (entries: Entry[]): Item[] => entries.flatMap(({ data }) => data.items);
const byId = (items: Item[]): Item[] => items.toSorted((one, other) => (one.id < other.id ? -1 : 1));

test("the events of a run name every changed order with its new version, and no other", async () => {
  const org = await hub.org();
  const orders = Array.from({ length: 1_000 }, (_, i) => ({ status: "ready", tags: i % 3 === 0 ? ["vip"] : [] }));
  const { results } = (await org.post("/orders/bulk", { orders })).body as { results: Item[] };
  const ids = results.map(({ id }) => id);
  expect((await org.patch(`/orders/${ids[1]}`, { channel: "phone" })).status).toBe(200);
  const tag = [{ type: "add_tags", params: { tags: ["vip"] } }];
  const { body: run } = await org.post(
    "/operations/run",
    { order_ids: ids, actions: tag },
    { headers: { "x-request-id": "r1" } },
  );
  expect(run.status).toBe("succeeded");

  const entries = await eventsOf(org, "orders.updated", run.id);
  const changed = results.filter((_, i) => i % 3 !== 0);
  expect(byId(itemsOf(entries))).toEqual(
    byId(changed.map(({ id, number }) => ({ id, number, version: id === ids[1] ? 3 : 2 }))),
  );
  for (const { objectType, requestId, data } of entries) {
    expect({ objectType, requestId }).toEqual({ objectType: "order_batch", requestId: "r1" });
    expect(data).toMatchObject({ source: "run", fields: ["tags"], count: data.items.length });
    expect(data.count).toBeLessThanOrEqual(200);
  }
  expect(await eventsOf(org, "orders.created", run.id)).toEqual([]);
});

test("orders that a run creates, and that its undo deletes, are named too", async () => {
  const org = await hub.org();
  const lines = [
    { sku: "A", quantity: 2 },
    { sku: "B", quantity: 1 },
  ];
  const { id } = (await org.post("/orders", { status: "ready", lines })).body;
  const { lines: made } = (await org.get(`/orders/${id}`)).body;
  const split = { type: "split", params: { by: "items", line_items: [{ id: made[1].id, quantity: 1 }] } };
  const { body: run } = await org.post("/operations/run", { order_ids: [id], actions: [split] });
  expect(run.status).toBe("succeeded");
  const [child] = itemsOf(await eventsOf(org, "orders.created", run.id));
  expect((await org.get(`/orders/${child!.id}`)).body).toMatchObject(child!);
  expect(itemsOf(await eventsOf(org, "orders.updated", run.id))).toMatchObject([{ id, version: 2 }]);

  const { body: undo } = await org.post(`/operations/runs/${run.id}/undo`);
  expect(itemsOf(await eventsOf(org, "orders.deleted", undo.id))).toEqual([child]);
  expect(itemsOf(await eventsOf(org, "orders.updated", undo.id))).toMatchObject([{ id, version: 3 }]);
});

test("shipments that a run records, its undo voids, and an undo of that restores, are named too", async () => {
  const org = await hub.org();
  const { id } = (await org.post("/orders", { status: "ready", lines: [{ sku: "A", quantity: 1 }] })).body;
  const ship = { type: "mark_shipped", params: { tracking_number: "1Z999AA10123456784", carrier: "ups" } };
  const { body: run } = await org.post("/operations/run", { order_ids: [id], actions: [ship] });
  expect(run.status).toBe("succeeded");
  const { data } = (await org.get("/audit?type=shipments.created")).body;
  const { items } = data[0].data;
  expect(items).toEqual([{ id: expect.any(String), trackingNumber: "1Z999AA10123456784", version: 1 }]);

  const { body: undo } = await org.post(`/operations/runs/${run.id}/undo`);
  expect((await org.post(`/operations/runs/${undo.id}/undo`)).body.status).toBe("succeeded");
  const { body: shipment } = await org.get(`/shipments/${items[0].id}`);
  const told = (await org.get(`/audit?objectId=${shipment.id}`)).body.data.toReversed();
  expect(told).toMatchObject([
    { type: "shipment.voided", data: { version: 2 } },
    { type: "shipment.status_changed", data: { version: 3, status: shipment.status } },
  ]);
  expect(shipment.version).toBe(3);
});
