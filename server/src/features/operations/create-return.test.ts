import { expect, test } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import { workOff } from "../../queue/work.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { applyLabelResults } from "./operations.ts";

const hub = await startTestHub();
const org = await hub.org();
const script = scriptLabels();
const account = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id as string;
const location = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id as string;
const ground = { carrierAccountId: account, carrier: "demo", service: "NAT_GROUND" };
const line = { sku: "MUG-01", quantity: 3, weight: { value: 300, unit: "g" } };

const run = async (id: string, actions: object[]) =>
  (await org.post("/operations/run", { order_ids: [id], actions })).body;
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
async function settle(): Promise<void> {
  await workOff(hub.world, labelWork);
  await applyLabelResults(hub.world, new AbortController().signal);
}
async function shippedOrder(more: object = {}): Promise<{ id: string; lines: { id: string }[]; number: string }> {
  const given = { status: "ready", shippingAddress: aParcel.to, lines: [line], locationId: location, shipping: ground };
  const order = (await org.post("/orders", { ...given, ...more })).body;
  await run(order.id, [{ type: "mark_shipped", params: { tracking_number: `OUT-${order.number}` } }]);
  return order;
}
const back = (params: object = {}) => ({ type: "create_return", params });
const stepOf = (done: { results: { steps: Record<string, unknown>[] }[] }) => done.results[0]!.steps.at(-1)!;
const labelOf = async (done: Parameters<typeof stepOf>[0]) =>
  (await org.get(`/shipments/labels/${(stepOf(done).label_ids as string[])[0]}`)).body;
const errorOf = async (id: string, params: object = {}) => stepOf(await run(id, [back(params)])).error;

test("the preflight shows the price, the run buys the label for the way back, and the order stays as it is", async () => {
  const order = await shippedOrder();
  const before = await read(order.id);
  const check = (await org.post("/operations/preflight", { order_ids: [order.id], actions: [back()] })).body;
  expect(check.orders[0].steps[0]).toMatchObject({ verdict: "ok", price: { currency: "USD" } });
  const done = await run(order.id, [back()]);
  expect(done.status).toBe("running");
  await settle();
  const ended = (await org.get(`/operations/runs/${done.id}`)).body;
  expect(ended).toMatchObject({ status: "succeeded", labels: { requested: 1, bought: 1 } });
  const label = await labelOf(done);
  expect(label).toMatchObject({ status: "purchased", orderId: order.id, options: { isReturn: true } });
  expect([label.from.address1, label.to.address1]).toEqual([aParcel.to.address1, aParcel.from.address1]);
  expect(label.lines).toEqual([{ lineId: order.lines[0]!.id, quantity: 3 }]);
  expect(label.weight).toEqual({ value: 900, unit: "g" });
  const { lastRun: _last, ...after } = await read(order.id);
  expect(after).toMatchObject({ status: before.status, shipments: before.shipments, lines: before.lines });
  // The parcel is tracked, and is none of the order.
  const shipment = (await org.get(`/shipments/${label.shipmentId}`)).body;
  expect(shipment).toMatchObject({ orderId: null, trackingNumber: label.trackingNumber });
  // A second return of the same items needs no second label.
  expect((await run(order.id, [back()])).summary).toMatchObject({ no_change: 1 });
  const undo = (await org.post(`/operations/runs/${done.id}/undo/preflight`, {})).body;
  expect(JSON.stringify(undo)).toContain("void_label");
});

test("some of the items come back, and not more than have shipped", async () => {
  const order = await shippedOrder();
  const [{ id }] = order.lines as [{ id: string }];
  const items = (quantity: number) => ({ line_items: [{ id, quantity }] });
  expect(await errorOf(order.id, items(4))).toMatchObject({ code: "quantity_exceeds_shipped" });
  await run(order.id, [back(items(2))]);
  await settle();
  expect(await errorOf(order.id, items(2))).toMatchObject({ code: "quantity_exceeds_shipped" });
  const rest = await labelOf(await run(order.id, [back()]));
  expect(rest.lines).toEqual([{ lineId: id, quantity: 1 }]);
  await settle();
  expect(await errorOf(order.id, { line_items: [{ id: "none", quantity: 1 }] })).toMatchObject({
    code: "line_not_found",
  });
});

test("a voided return label can be bought again, and void_label leaves it alone unless it is named", async () => {
  const order = await shippedOrder();
  const done = await run(order.id, [back()]);
  await settle();
  const { trackingNumber } = await labelOf(done);
  expect((await run(order.id, [{ type: "void_label", params: {} }])).summary).toMatchObject({ no_change: 1 });
  await run(order.id, [{ type: "void_label", params: { tracking_number: trackingNumber } }]);
  await settle();
  expect((await labelOf(done)).status).toBe("voided");
  expect((await read(order.id)).status).toBe("shipped");
  const again = await run(order.id, [back()]);
  await settle();
  expect((await labelOf(again)).status).toBe("purchased");
});

test("a return does not stand in the way of a label for what is left to ship", async () => {
  const order = (
    await org.post("/orders", {
      status: "ready",
      shippingAddress: aParcel.to,
      lines: [line],
      locationId: location,
      shipping: ground,
    })
  ).body;
  const part = { tracking_number: "PART", line_items: [{ id: order.lines[0].id, quantity: 1 }] };
  await run(order.id, [{ type: "mark_shipped", params: part }]);
  await run(order.id, [back()]);
  await settle();
  const bought = await run(order.id, [{ type: "buy_label", params: {} }]);
  await settle();
  expect((await labelOf(bought)).lines).toEqual([{ lineId: order.lines[0].id, quantity: 2 }]);
  expect((await read(order.id)).status).toBe("shipped");
});

test("a carrier that refuses fails the order, and a retry asks again", async () => {
  const order = await shippedOrder();
  script.nextTurns.push({
    before: () => {
      throw new RemoteError("no_returns", "This account has no returns.");
    },
  });
  const done = await run(order.id, [back()]);
  await settle();
  const failed = (await org.get(`/operations/runs/${done.id}`)).body;
  expect(failed).toMatchObject({ status: "failed", summary: { failed: 1 } });
  expect(stepOf(failed).error).toMatchObject({ code: "no_returns" });
  const again = (await org.post(`/operations/runs/${done.id}/retry`, {})).body;
  await settle();
  expect((await labelOf(again)).status).toBe("purchased");
});

test("nothing comes back that has not shipped, without a location, or with nothing chosen", async () => {
  const unshipped = (await org.post("/orders", { status: "ready", lines: [line] })).body;
  expect(await errorOf(unshipped.id)).toMatchObject({ code: "invalid_state" });
  const nowhere = await shippedOrder({ locationId: undefined });
  expect(await errorOf(nowhere.id)).toMatchObject({ code: "required", message: expect.stringContaining("`to`") });
  await run(nowhere.id, [back({ location_id: location })]);
  await settle();
  const open = await shippedOrder({ shipping: {} });
  expect(await errorOf(open.id)).toMatchObject({ code: "no_rate_chosen" });
  const marked = await shippedOrder({ lines: [] });
  expect(await errorOf(marked.id)).toMatchObject({ code: "nothing_to_return" });
});

test("POST /shipments/labels with isReturn does the same", async () => {
  const order = await shippedOrder();
  const request = { carrierAccountId: account, service: "NAT_GROUND", orderId: order.id, options: { isReturn: true } };
  const { status, body } = await org.post("/shipments/labels", request);
  expect([status, body.label.from.address1]).toEqual([201, aParcel.to.address1]);
  expect((await read(order.id)).shipments).toHaveLength(1);
  expect((await org.post("/shipments/labels", request)).body.errors[0].code).toBe("nothing_to_return");
});
