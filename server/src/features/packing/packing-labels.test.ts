import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import { workOff } from "../../queue/work.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { applyLabelResults, runWork } from "../operations/operations.ts";

const hub = await startTestHub();
const org = await hub.org();
const script = scriptLabels();
const account = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id as string;
const locationId = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id as string;
const chosen = { shipping: { carrierAccountId: account, carrier: "demo", service: "NAT_GROUND" } };
const box = { name: "Box L", dimensions: { length: 16, width: 12, height: 10, unit: "in" } };

async function packAll(more: object = chosen) {
  const { body: order } = await org.post("/orders", {
    number: `L-${randomUUID()}`,
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [{ id: "mug", sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
    locationId,
    ...more,
  });
  const { session } = (await org.post("/packing/scans", { code: order.number, station: "Station 3" })).body;
  const id = session.id as string;
  for (const _ of [1, 2]) await org.post("/packing/scans", { code: "MUG-01", sessionId: id });
  return { order, id };
}
const confirm = async (id: string) => (await org.post(`/packing/sessions/${id}/confirm`, { buyLabel: true })).body;
const runOf = async (id: string) => {
  await workOff(hub.world, runWork);
  await workOff(hub.world, labelWork);
  await applyLabelResults(hub.world, new AbortController().signal);
  return (await org.get(`/operations/runs/${id}`)).body;
};

test("the label is bought by a run with box and weight as the package; the shipment has what was packed", async () => {
  const { order, id } = await packAll();
  await org.patch(`/packing/sessions/${id}`, { box, weight: { value: 2.35, unit: "lb" } });
  const twice = await Promise.all([confirm(id), confirm(id)]);
  const { labelRunId } = twice[0];
  expect(twice.map((one) => one.code ?? one.labelRunId)).toContain(labelRunId);
  expect(await confirm(id)).toMatchObject({ status: 409, code: "run_not_finished" });
  const run = await runOf(labelRunId);
  expect((await org.get(`/operations/runs?order_id=${order.id}`)).body.data).toHaveLength(1);
  expect(run).toMatchObject({ status: "succeeded", note: "Packed at Station 3", labels: { bought: 1 } });
  expect(run.actions.map(({ type }: { type: string }) => type)).toEqual(["set_package", "set_shipping", "buy_label"]);
  const [labelId] = run.results[0].steps[2].label_ids;
  const label = (await org.get(`/shipments/labels/${labelId}`)).body;
  expect(label).toMatchObject({
    status: "purchased",
    weight: { value: 2.35, unit: "lb" },
    dimensions: box.dimensions,
    lines: [{ lineId: "mug", quantity: 2 }],
  });
  const after = (await org.get(`/orders/${order.id}`)).body;
  expect(after).toMatchObject({ status: "shipped", shipping: { packageType: "Box L" } });
  // A second confirmation buys nothing, also while the first is at the carrier.
  expect(await confirm(id)).toMatchObject({ status: 409, code: "label_exists" });
  // Voided: the same session buys another one.
  await org.delete(`/shipments/labels/${labelId}`);
  const again = await confirm(id);
  expect(again.status).toBe("packed");
  expect((await runOf(again.labelRunId)).status).toBe("succeeded");
  const labels = (await org.get(`/shipments/labels?orderId=${order.id}`)).body.data as { status: string }[];
  expect(labels.map(({ status }) => status).toSorted()).toEqual(["purchased", "voided"]);
});

test("a refused label leaves the order packed, says why, and is bought by the next confirmation", async () => {
  const { id } = await packAll();
  script.nextTurns.push({
    before: () => {
      throw new RemoteError("bad_address", "No such street.");
    },
  });
  const first = await runOf((await confirm(id)).labelRunId);
  expect(first).toMatchObject({ status: "failed", results: [{ error: { code: "bad_address" } }] });
  const [labelId] = first.results[0].steps[0].label_ids;
  const { failure } = (await org.get(`/shipments/labels/${labelId}`)).body;
  expect(failure.message).toContain("No such street.");
  expect((await org.get(`/packing/sessions/${id}`)).body).toMatchObject({ status: "packed", packedCount: 2 });
  expect((await runOf((await confirm(id)).labelRunId)).status).toBe("succeeded");
});

test("an order without a service gets the cheapest rate", async () => {
  const { order, id } = await packAll({});
  const run = await runOf((await confirm(id)).labelRunId);
  expect(run.actions.map(({ type }: { type: string }) => type)).toEqual(["choose_rate", "buy_label"]);
  expect(run.status).toBe("succeeded");
  expect((await org.get(`/orders/${order.id}`)).body.shipping.carrierAccountId).toBe(account);
});

test("buying needs shipments:write: without it the session stays open", async () => {
  const { id } = await packAll();
  const packer = await org.withScopes(["orders:read", "orders:write"]);
  const code = (await org.get(`/packing/sessions/${id}`)).body.orderNumber;
  await packer.post("/packing/scans", { code, takeOver: true });
  const refused = await packer.post(`/packing/sessions/${id}/confirm`, { buyLabel: true });
  expect(refused.body).toMatchObject({ status: 403, code: "insufficient_scope", required: ["shipments:write"] });
  expect((await org.get(`/packing/sessions/${id}`)).body.status).toBe("open");
  expect((await packer.post(`/packing/sessions/${id}/confirm`, {})).body.status).toBe("packed");
});

test("a missing item places the order on hold by a run that can be undone, and ends the session", async () => {
  const { order, id } = await packAll();
  const hold = { reason: "inventory_out_of_stock", note: "1 of MUG-01 is missing" };
  const stopped = await org.post(`/packing/sessions/${id}/cancel`, { hold });
  expect(stopped.body.status).toBe("stopped");
  await workOff(hub.world, runWork);
  const after = (await org.get(`/orders/${order.id}`)).body;
  expect(after.holds).toMatchObject([hold]);
  const scanned = await org.post("/packing/scans", { code: order.number });
  expect(scanned.body).toMatchObject({
    code: "invalid_state",
    detail: expect.stringContaining("inventory_out_of_stock"),
  });
  const [run] = (await org.get(`/operations/runs?order_id=${order.id}`)).body.data;
  expect((await org.post(`/operations/runs/${run.id}/undo`)).status).toBeLessThan(300);
  const reopened = await org.post("/packing/scans", { code: order.number });
  expect(reopened.body).toMatchObject({ outcome: "opened", session: { packedCount: 0 } });
});
