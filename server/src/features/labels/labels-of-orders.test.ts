import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();
const desk = scriptLabels();
const accountId = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;

async function anOrder(more: object = {}) {
  const location = await org.post("/locations", { name: `Dock ${randomUUID()}`, address: aParcel.from });
  const { body } = await org.post("/orders", {
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [
      { sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } },
      { sku: "POT-01", quantity: 1, weight: { value: 1, unit: "kg" } },
    ],
    locationId: location.body.id,
    ...more,
  });
  return body;
}
const shippedOf = ({ lines }: { lines: { shippedQuantity: number }[] }): number[] =>
  lines.map(({ shippedQuantity }) => shippedQuantity);
const forOrder = (orderId: string, more: object = {}) =>
  org.post("/shipments/labels", { carrierAccountId: accountId, service: "NAT_GROUND", orderId, ...more });
const run = (orderId: string, type: string, params: object = {}) =>
  org.post("/operations/run", { order_ids: [orderId], actions: [{ type, params }] });

test("D2: a second label for the same units is refused, however it is asked for, unless it is wanted", async () => {
  const order = await anOrder();
  const [mug, pot] = order.lines.map(({ id }: { id: string }) => id);
  const asked = desk.asked.length;
  const first = await forOrder(order.id, { lines: [{ lineId: mug, quantity: 1 }] });
  expect(first.status).toBe(201);
  expect((await org.get(`/orders/${order.id}`)).body.status).toBe("partially_shipped");
  const tooMany = await forOrder(order.id, { lines: [{ lineId: mug, quantity: 2 }] });
  expect(tooMany.body.errors).toMatchObject([
    {
      pointer: "/lines/0/quantity",
      code: "quantity_exceeds_remaining",
      message: expect.stringContaining("1 are left"),
    },
  ]);
  const rest = await forOrder(order.id);
  expect(rest.body.label).toMatchObject({
    lines: [
      { lineId: mug, quantity: 1 },
      { lineId: pot, quantity: 1 },
    ],
    weight: { value: 1300, unit: "g" },
  });
  expect(shippedOf((await org.get(`/orders/${order.id}`)).body)).toEqual([2, 1]);
  const again = await forOrder(order.id);
  expect(again.body).toMatchObject({ status: 409, code: "label_exists", errors: [{ pointer: "/orderId" }] });
  expect(desk.asked.length).toBe(asked + 2);
  const spare = await forOrder(order.id, { allowDuplicate: true });
  expect(spare.body.label).toMatchObject({ status: "purchased", weight: { value: 1600, unit: "g" } });
  const after = (await org.get(`/orders/${order.id}`)).body;
  expect([after.status, shippedOf(after), after.shipments.length]).toEqual(["shipped", [2, 1], 3]);
  expect(after.shipments[2].lines).toEqual([]);
  const beyond = await forOrder(order.id, { allowDuplicate: true, lines: [{ lineId: pot, quantity: 2 }] });
  expect(beyond.body.errors).toMatchObject([{ code: "quantity_exceeds_ordered" }]);
});

test("D2: of ten that ask at once one gets it, while the carrier has not answered yet as well", async () => {
  const order = await anOrder();
  const answers = await Promise.all(Array.from({ length: 10 }, () => forOrder(order.id)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  const slow = await anOrder();
  desk.nextTurns.push({
    before: () => {
      throw new RemoteError("carrier_down", "Later.", { retryable: true });
    },
  });
  expect((await forOrder(slow.id)).status).toBe(202);
  expect((await forOrder(slow.id)).body.code).toBe("label_exists");
  const bare = await anOrder({ lines: [] });
  const weight = { value: 1, unit: "lb" };
  expect((await forOrder(bare.id, { weight })).status).toBe(201);
  expect((await forOrder(bare.id, { weight })).body.code).toBe("label_exists");
});

test("D2: given back, nothing of it has been shipped, and another one may be bought; delivered, the order is, too", async () => {
  const order = await anOrder();
  const first = (await forOrder(order.id)).body;
  expect((await org.delete(`/shipments/labels/${first.label.id}`)).status).toBe(200);
  const back = (await org.get(`/orders/${order.id}`)).body;
  expect([back.status, shippedOf(back), back.shipments]).toEqual(["ready", [0, 0], []]);
  const second = (await forOrder(order.id)).body;
  await run(order.id, "mark_unshipped");
  expect((await org.get(`/shipments/${second.shipment.id}`)).body.status).toBe("cancelled");
  const third = (await forOrder(order.id)).body;
  const event = { at: new Date().toISOString(), status: "delivered" };
  await org.post(`/shipments/${third.shipment.id}/events`, event);
  expect((await org.get(`/orders/${order.id}`)).body).toMatchObject({ status: "delivered" });
});

test("D2: one that is called off while the carrier sells stays called off, and the label says so", async () => {
  const order = await anOrder();
  desk.nextTurns.push({
    after: async (label) => {
      await run(order.id, "cancel", { reason: "customer" });
      return label;
    },
  });
  const { body } = await forOrder(order.id);
  expect(body.label).toMatchObject({ status: "purchased", failure: { code: "invalid_state" } });
  expect(body.shipment).toMatchObject({ orderId: order.id });
  expect((await org.get(`/orders/${order.id}`)).body).toMatchObject({ status: "cancelled", shipments: [] });
});

test("an address that is changed after the label was bought is told, however it is changed, until the label is void", async () => {
  const reno = { ...aParcel.to, address1: "5 Virginia St", city: "Reno", provinceCode: "NV", zip: "89501" };
  const open = async (orderId: string) =>
    (await org.get(`/exceptions?orderId=${orderId}`)).body.data.map(
      ({ kind, code }: { kind: string; code: string }) => [kind, code],
    );
  const order = await anOrder({ number: `ADDR-${randomUUID()}` });
  const { label } = (await forOrder(order.id)).body;
  // Another phone, or the same place in other letters, is where the parcel goes.
  await org.patch(`/orders/${order.id}`, {
    shippingAddress: { phone: "+1 555 0100", city: aParcel.to.city.toUpperCase() },
  });
  expect(await open(order.id)).toEqual([]);
  expect((await org.patch(`/orders/${order.id}`, { shippingAddress: reno })).status).toBe(200);
  expect(await open(order.id)).toEqual([["label", "address_changed"]]);
  const [exception] = (await org.get(`/exceptions?orderId=${order.id}`)).body.data;
  expect(exception.message).toContain("previous address");
  expect(exception.availableActions.map(({ action }: { action: string }) => action)).toEqual(["dismiss"]);
  // Where nothing has left yet, there is nothing to tell.
  const early = await anOrder();
  await org.patch(`/orders/${early.id}`, { shippingAddress: reno });
  expect(await open(early.id)).toEqual([]);
  // The action does not touch what was shipped.
  const refused = (await run(order.id, "update_address", { address: { city: "Elko" } })).body;
  expect(refused.results[0].status).toBe("failed");
  // A file is told of as well.
  const other = await anOrder({ number: `ADDR-${randomUUID()}` });
  await forOrder(other.id);
  const csv = `number,address1,city,state,zip\n${other.number},5 Virginia St,Reno,NV,89501\n`;
  expect((await org.post("/orders/import", { csv, onExisting: "update" })).body.summary.updated).toBe(1);
  expect(await open(other.id)).toEqual([["label", "address_changed"]]);
  // An action as well, of an order that goes on though a parcel of it has left.
  const third = await anOrder();
  await forOrder(third.id, { lines: [{ lineId: third.lines[0].id, quantity: 1 }] });
  await org.patch(`/orders/${third.id}`, { status: "ready" });
  expect((await run(third.id, "update_address", { address: reno })).body.results[0].status).toBe("succeeded");
  expect(await open(third.id)).toEqual([["label", "address_changed"]]);
  expect((await org.delete(`/shipments/labels/${label.id}`)).status).toBe(200);
  expect(await open(order.id)).toEqual([]);
});
