import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

async function shipped(numbers: (string | undefined)[], quantity = 4): Promise<{ id: string; lineId: string }> {
  const { body: order } = await org.post("/orders", { status: "ready", lines: [{ sku: "MUG", quantity }] });
  const lineId = order.lines[0].id;
  for (const tracking_number of numbers) {
    const line_items = [{ id: lineId, quantity: quantity / numbers.length }];
    const params = { tracking_number, carrier: "ups", line_items };
    await org.post("/operations/run", { order_ids: [order.id], actions: [{ type: "mark_shipped", params }] });
  }
  return { id: order.id, lineId };
}
const orderOf = async (id: string) => (await org.get(`/orders/${id}`)).body;
const newest = async (id: string) => (await org.get(`/orders/${id}/timeline?limit=1`)).body.data[0];
const deliver = (trackingNumber: string) =>
  org.post("/shipments/events", { events: [{ trackingNumber, at: "2026-01-03T00:00:00Z", status: "delivered" }] });

describe("an order and the shipments it lists", () => {
  test("say the same after a shipment was corrected", async () => {
    const { id } = await shipped(["1ZTYPO"]);
    const [listed] = (await orderOf(id)).shipments;
    const right = {
      trackingNumber: "1ZRIGHT",
      carrier: "FedEx",
      service: "2Day",
      shippedAt: "2026-01-02T10:00:00.000Z",
    };
    expect((await org.patch(`/shipments/${listed.id}`, right)).status).toBe(200);
    const after = await orderOf(id);
    expect(after.shipments).toEqual([{ ...listed, ...right }]);
    expect(await newest(id)).toMatchObject({ kind: "shipment", changes: [{ path: "/shipments" }] });
    await org.patch(`/shipments/${listed.id}`, { metadata: { claim: "C-1" } });
    expect((await orderOf(id)).version).toBe(after.version);
  });

  test("agree that nothing was shipped once the only shipment is voided, and it can be shipped again", async () => {
    const { id, lineId } = await shipped(["1ZVOID"]);
    const [listed] = (await orderOf(id)).shipments;
    await org.post(`/shipments/${listed.id}/void`);
    expect(await orderOf(id)).toMatchObject({
      status: "ready",
      shipments: [],
      lines: [{ id: lineId, quantity: 4, shippedQuantity: 0 }],
    });
    expect(await newest(id)).toMatchObject({ kind: "shipment" });
    const actions = [{ type: "mark_shipped", params: { tracking_number: "1ZAGAIN" } }];
    expect((await org.post("/operations/run", { order_ids: [id], actions })).body.summary).toMatchObject({
      succeeded: 1,
      no_change: 0,
    });
    const { data } = (await org.get(`/shipments?orderId=${id}`)).body;
    expect(data.map(({ status }: { status: string }) => status).toSorted()).toEqual(["cancelled", "pre_transit"]);
  });

  test("agree on what is left when one of two parcels is voided", async () => {
    const { id } = await shipped(["1ZONE", "1ZTWO"]);
    const [one] = (await orderOf(id)).shipments;
    await org.post(`/shipments/${one.id}/void`);
    expect(await orderOf(id)).toMatchObject({
      status: "partially_shipped",
      shipments: [{ trackingNumber: "1ZTWO" }],
      lines: [{ shippedQuantity: 2 }],
    });
    await deliver("1ZTWO");
    expect((await orderOf(id)).status).toBe("partially_shipped");
  });

  test("the order is delivered when the last parcel that was waited for is voided", async () => {
    const { id } = await shipped(["1ZHERE"]);
    const { body: extra } = await org.post("/shipments", { orderId: id, trackingNumber: "1ZNEVER" });
    await deliver("1ZHERE");
    expect((await orderOf(id)).status).toBe("shipped");
    await org.post(`/shipments/${extra.id}/void`);
    expect((await orderOf(id)).status).toBe("delivered");
  });

  test("an undo of the run finds what a voided shipment has taken back already", async () => {
    const { body: order } = await org.post("/orders", { status: "ready", lines: [{ sku: "MUG", quantity: 1 }] });
    const { body: run } = await org.post("/operations/run", {
      order_ids: [order.id],
      actions: [{ type: "mark_shipped", params: { tracking_number: "1ZUNDO" } }],
    });
    await org.post(`/shipments/${(await orderOf(order.id)).shipments[0].id}/void`);
    const { body: undo } = await org.post(`/operations/runs/${run.id}/undo`);
    expect(undo.summary).toMatchObject({ succeeded: 1, no_change: 1 });
    expect((await orderOf(order.id)).status).toBe("ready");
  });
});
