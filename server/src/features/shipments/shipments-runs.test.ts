import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const lines = [{ sku: "MUG", quantity: 2 }];

type Listed = { trackingNumber: string | null; status: string; orderNumber: string; version: number };

async function orders(count: number, more: object = {}): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({ status: "ready", lines, ...more }));
  const { body } = await org.post("/orders/bulk", { orders: rows });
  return body.results.map(({ id }: { id: string }) => id);
}
const run = (order_ids: string[], type: string, params: object = {}) =>
  org.post("/operations/run", { order_ids, actions: [{ type, params }] });
const ofOrder = async (id: string): Promise<Listed[]> => (await org.get(`/shipments?orderId=${id}`)).body.data;

describe("a run that marks orders as shipped", () => {
  test("records their shipments, and its undo voids them", async () => {
    const [id] = await orders(1, {
      deliverBy: "2026-05-01T12:00:00Z",
      shipping: { carrier: "ups", service: "ground" },
    });
    const { body } = await run([id!], "mark_shipped", { tracking_number: "1ZRUN1", ship_date: "2026-04-28T10:00:00Z" });
    const [shipment] = await ofOrder(id!);
    expect(shipment).toMatchObject({
      orderId: id,
      source: "run",
      carrier: "ups",
      service: "ground",
      trackingNumber: "1ZRUN1",
      shippedAt: "2026-04-28T10:00:00.000Z",
      promisedDate: "2026-05-01",
      promiseSource: "order",
      status: "pre_transit",
    });
    const [listed] = (await org.get(`/orders/${id}`)).body.shipments;
    expect((await org.get(`/shipments/${listed.id}`)).status).toBe(200);
    await org.post(`/operations/runs/${body.id}/undo`);
    expect(await ofOrder(id!)).toMatchObject([{ status: "cancelled", version: 2 }]);
  });

  test("mark_unshipped voids them, and its undo makes them valid again with all that was heard of them", async () => {
    const [id] = await orders(1);
    await run([id!], "mark_shipped", { tracking_number: "1ZRUN2" });
    await org.post("/shipments/events", {
      events: [{ trackingNumber: "1ZRUN2", at: "2026-01-02T00:00:00Z", status: "in_transit" }],
    });
    const { body } = await run([id!], "mark_unshipped");
    expect(await ofOrder(id!)).toMatchObject([{ status: "cancelled" }]);
    await org.post(`/operations/runs/${body.id}/undo`);
    expect(await ofOrder(id!)).toMatchObject([{ status: "in_transit" }]);
  });

  test("records one for each order of a parcel, and an event reaches all of them", async () => {
    const ids = await orders(3);
    await run(ids, "mark_shipped", { tracking_number: "1ZSHARED" });
    const event = { trackingNumber: "1ZSHARED", at: "2026-01-03T00:00:00Z", status: "delivered" };
    const { body } = await org.post("/shipments/events", { events: [event] });
    expect(body.results[0].shipmentIds).toHaveLength(3);
    for (const id of ids) expect((await org.get(`/orders/${id}`)).body.status).toBe("delivered");
  });

  test("two parcels of an order that arrive at the same moment deliver it", async () => {
    for (let round = 0; round < 5; round++) {
      const [id] = await orders(1);
      await run([id!], "mark_shipped", { tracking_number: `1ZBOTH${round}` });
      await org.post("/shipments", { orderId: id, trackingNumber: `1ZALSO${round}` });
      const arrive = (trackingNumber: string) =>
        org.post("/shipments/events", {
          events: [{ trackingNumber, at: "2026-01-03T00:00:00Z", status: "delivered" }],
        });
      await Promise.all([arrive(`1ZBOTH${round}`), arrive(`1ZALSO${round}`)]);
      expect((await org.get(`/orders/${id}`)).body.status).toBe("delivered");
    }
  });

  test("counts stay true when many write at once", async () => {
    const own = await hub.org();
    const numbers = Array.from({ length: 20 }, (_, i) => `PAR-${i}`);
    await own.post("/shipments/bulk", { shipments: numbers.map((trackingNumber) => ({ trackingNumber })) });
    const statuses = ["picked_up", "in_transit", "exception", "delivered"];
    await Promise.all(
      statuses.map((status, hour) => {
        const at = new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
        const mixed = hour % 2 === 0 ? numbers : numbers.toReversed();
        return own.post("/shipments/events", {
          events: mixed.map((trackingNumber) => ({ trackingNumber, at, status })),
        });
      }),
    );
    const counts = (await own.get("/shipments/counts")).body;
    expect(counts).toMatchObject({ delivered: 20, pre_transit: 0, in_transit: 0, exception: 0, total: 20 });
  });

  test("preflight records nothing", async () => {
    const ids = await orders(1);
    await org.post("/operations/preflight", { order_ids: ids, actions: [{ type: "mark_shipped", params: {} }] });
    expect(await ofOrder(ids[0]!)).toEqual([]);
  });

  test("of hundreds of orders asks the database no more often than one of a few", async () => {
    const count = async (ids: string[]): Promise<number> => {
      let queries = 0;
      const { db } = hub.world;
      const { transaction, forOrg } = db;
      db.forOrg = () => db;
      // Counted, not replaced: every statement still runs.
      db.transaction = (work) =>
        transaction((tx) =>
          work({
            ...tx,
            query: (statement, values) => {
              if (/shipment_?(s|counts|days)\b/.test(typeof statement === "string" ? statement : statement.text))
                queries++;
              return tx.query(statement, values);
            },
          }),
        );
      try {
        expect((await run(ids, "mark_shipped")).body.summary.succeeded).toBe(ids.length);
      } finally {
        Object.assign(db, { transaction, forOrg });
      }
      return queries;
    };
    const [few, many] = [await count(await orders(5)), await count(await orders(400))];
    expect(many).toBe(few);
    expect(few).toBeGreaterThan(2);
    expect((await org.get("/shipments/counts")).body.total).toBeGreaterThanOrEqual(405);
  });
});
