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
    const actions = [{ type: "mark_shipped", params }];
    const { body } = await org.post("/operations/run", { order_ids: [order.id], actions });
    expect(body.summary).toMatchObject({ succeeded: 1 });
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

  test("go by the same number when the order gets another one", async () => {
    const { id } = await shipped(["1ZNAMED"]);
    const number = `Renamed-${id}`;
    expect((await org.patch(`/orders/${id}`, { number })).body.number).toBe(number);
    const { data } = (await org.get(`/shipments?search=${number}`)).body;
    expect(data).toMatchObject([{ orderId: id, orderNumber: number, trackingNumber: "1ZNAMED", version: 2 }]);
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

  test("D4: an order is on its way again when the delivery of its parcel is taken back or corrected", async () => {
    const { id } = await shipped(["1ZFALSE"]);
    const [listed] = (await orderOf(id)).shipments;
    const tell = (status: string, at = "2026-01-03T10:00:00Z") =>
      org.post("/shipments/events", { events: [{ trackingNumber: "1ZFALSE", key: "door/1", at, status }] });
    await tell("delivered");
    expect((await orderOf(id)).status).toBe("delivered");
    const { body: taken } = await org.delete(`/shipments/${listed.id}/events/door%2F1`);
    expect(taken).toMatchObject({ status: "pre_transit", deliveredAt: null, events: [{ key: "door/1" }] });
    expect(taken.events[0].retractedAt).toEqual(expect.any(String));
    expect(await orderOf(id)).toMatchObject({ status: "shipped", lines: [{ shippedQuantity: 4 }] });
    // Doing it again, and hearing the same again, change nothing.
    expect((await org.delete(`/shipments/${listed.id}/events/door%2F1`)).body).toEqual(taken);
    expect((await tell("delivered")).body.summary).toMatchObject({ duplicate: 1 });
    expect((await orderOf(id)).status).toBe("shipped");
    // A correction counts, in either direction, and the sums of the overview follow.
    await tell("delivered", "2026-01-03T14:00:00Z");
    expect((await orderOf(id)).status).toBe("delivered");
    await tell("attempt_failed", "2026-01-03T08:00:00Z");
    expect((await orderOf(id)).status).toBe("shipped");
    await tell("delivered", "2026-01-03T08:00:00Z");
    expect((await org.get(`/shipments/${listed.id}`)).body).toMatchObject({
      status: "delivered",
      deliveredAt: "2026-01-03T08:00:00.000Z",
      events: [{ key: "door/1" }],
    });
    const gone = await org.delete(`/shipments/${listed.id}/events/unheard`);
    expect(gone.body).toMatchObject({ status: 404, code: "tracking_event_not_found" });
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

describe("a parcel that is recorded by itself and listed by an order", () => {
  const ofOrder = async (id: string): Promise<{ id: string; status: string }[]> =>
    (await org.get(`/shipments?orderId=${id}`)).body.data;
  const ship = (id: string, params: object) =>
    org.post("/operations/run", { order_ids: [id], actions: [{ type: "mark_shipped", params }] });
  const readyOrder = async (): Promise<string> =>
    (await org.post("/orders", { status: "ready", lines: [{ sku: "MUG", quantity: 3 }] })).body.id;

  test("is one shipment when the label was there before the order was marked as shipped", async () => {
    const id = await readyOrder();
    const label = { orderId: id, carrier: "UPS", service: "ground", trackingNumber: "1Z LABEL", cost: 9.5 };
    const { body: recorded } = await org.post("/shipments", { ...label, shippedAt: "2026-01-01T10:00:00.000Z" });
    const { body: run } = await ship(id, { tracking_number: "1zlabel", carrier: "ups" });
    const [listed] = (await orderOf(id)).shipments;
    const { trackingNumber, carrier, service, shippedAt } = recorded;
    expect(listed).toMatchObject({ id: recorded.id, trackingNumber, carrier, service, shippedAt });
    expect(run.results[0].steps[0].changes.find(({ path }: { path: string }) => path === "/shipments").to).toEqual([
      listed,
    ]);
    expect(await ofOrder(id)).toMatchObject([{ id: recorded.id, status: "pre_transit", cost: 9.5 }]);
    const { body: undo } = await org.post(`/operations/runs/${run.id}/undo`);
    expect(await ofOrder(id)).toMatchObject([{ id: recorded.id, status: "cancelled" }]);
    await org.post(`/operations/runs/${undo.id}/undo`);
    expect(await ofOrder(id)).toMatchObject([{ id: recorded.id, status: "pre_transit" }]);
  });

  test("delivers the order that is marked as shipped after it has arrived", async () => {
    const id = await readyOrder();
    await org.post("/shipments", { orderId: id, trackingNumber: "1ZEARLY", deliveredAt: "2026-01-02T10:00:00Z" });
    expect((await orderOf(id)).status).toBe("ready");
    await ship(id, { tracking_number: "1ZEARLY" });
    expect((await orderOf(id)).status).toBe("delivered");
    const kinds = (await org.get(`/orders/${id}/timeline`)).body.data.map(({ kind }: { kind: string }) => kind);
    expect(kinds.toSorted()).toEqual(["created", "delivered", "run_step"]);
  });

  test("is another one when the carrier differs, and two parts of an order in it are two", async () => {
    const id = await readyOrder();
    await org.post("/shipments", { orderId: id, carrier: "dhl", trackingNumber: "1ZPARTS" });
    const line = (await orderOf(id)).lines[0].id;
    const half = { tracking_number: "1ZPARTS", carrier: "ups", line_items: [{ id: line, quantity: 1 }] };
    await ship(id, half);
    await ship(id, { tracking_number: "1ZPARTS" });
    const ids = (await orderOf(id)).shipments.map((listed: { id: string }) => listed.id);
    expect(new Set(ids).size).toBe(2);
    const all = await ofOrder(id);
    for (const listed of ids) expect(all.map((shipment) => shipment.id)).toContain(listed);
  });

  test("is refused when the order lists it already, in a dry run of an import and in earnest", async () => {
    const id = await readyOrder();
    await ship(id, { tracking_number: "1ZTWICE", carrier: "ups" });
    const [{ id: existingId }] = (await orderOf(id)).shipments;
    const request = { orderId: id, carrier: "UPS", trackingNumber: "1ztwice" };
    expect(await org.post("/shipments", request)).toMatchObject({
      status: 409,
      body: { code: "shipment_exists", existingId },
    });
    const { number } = await orderOf(id);
    const csv = `order number,carrier,tracking number\n${number},ups,1ZTWICE\n`;
    const dry = (await org.post("/shipments/import", { csv, dryRun: true })).body;
    const real = (await org.post("/shipments/import", { csv })).body;
    expect(real.summary).toMatchObject({ created: 0, failed: 1 });
    expect({ ...real, dryRun: true }).toEqual(dry);
    expect(await ofOrder(id)).toHaveLength(1);
  });
});
