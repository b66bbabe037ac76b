import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
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
const anOrder = async (more: object = {}) =>
  (
    await org.post("/orders", {
      status: "ready",
      shippingAddress: aParcel.to,
      lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
      locationId: location,
      shipping: ground,
      ...more,
    })
  ).body;
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const readRun = async (id: string) => (await org.get(`/operations/runs/${id}`)).body;
const stepOf = (run: { results: { steps: object[] }[] }) => run.results[0]!.steps.at(-1)! as Record<string, unknown>;
const labelOf = async (run: { results: { steps: object[] }[] }) => {
  const [id] = stepOf(run).label_ids as string[];
  return (await org.get(`/shipments/labels/${id}`)).body;
};
const buy = { type: "buy_label", params: {} };
const giveBack = { type: "void_label", params: {} };
const preflight = async (id: string, actions: object[]) =>
  (await org.post("/operations/preflight", { order_ids: [id], actions })).body;
const run = async (id: string, actions: object[]) =>
  (await org.post("/operations/run", { order_ids: [id], actions })).body;
/** Asks the carriers for all that is due, and tells the runs. */
async function settle(): Promise<void> {
  await workOff(hub.world, labelWork);
  await applyLabelResults(hub.world, new AbortController().signal);
}
const refuse = (): never => {
  throw new RemoteError("bad_address", "Ada Byron does not live there.");
};
const fallSilent = (): never => {
  throw new RemoteError("carrier_down", "Later.", { retryable: true });
};

describe("choose_rate and buy_label", () => {
  test("the preflight shows the price, the run buys at that price, and the order is shipped after the purchase", async () => {
    const { id } = await anOrder({ shipping: {} });
    const actions = [
      { type: "choose_rate", params: { max_transit_days: 5 } },
      buy,
      { type: "add_tags", params: { tags: ["bought"] } },
    ];
    const asked = script.asked.length;
    const report = await preflight(id, actions);
    const [chosen, bought] = report.orders[0].steps;
    expect(chosen).toMatchObject({
      verdict: "ok",
      changes: [{ path: "/shipping", from: {}, to: { carrierAccountId: account, carrier: "demo" } }],
      price: { carrier_account_id: account, carrier_account: "Demo", currency: "USD" },
    });
    expect(chosen.price.transit_days).toBeLessThanOrEqual(5);
    expect(bought).toMatchObject({ verdict: "ok", price: chosen.price });
    expect(report.pipeline[1].prices).toEqual([{ currency: "USD", total: chosen.price.total, orders: 1 }]);
    expect([script.asked.length, (await read(id)).shipping]).toEqual([asked, {}]);

    const done = await run(id, actions);
    expect(done).toMatchObject({ status: "running", finished_at: null, summary: { succeeded: 1 } });
    const steps = done.results[0].steps;
    expect(steps[0]).toMatchObject({ status: "applied", changes: chosen.changes, price: chosen.price });
    expect(steps[1]).toMatchObject({ status: "applied", price: chosen.price, warning: { code: "pending" } });
    // The request is stored and no carrier was called yet: the order has only the changes of the other steps.
    expect(script.asked.length).toBe(asked);
    expect(await read(id)).toMatchObject({ status: "ready", tags: ["bought"] });

    await settle();
    const order = await read(id);
    expect(order).toMatchObject({ status: "shipped", lines: [{ shippedQuantity: 2 }] });
    const label = await org.get(`/shipments/labels/${steps[1].label_ids[0]}`);
    expect(label.body).toMatchObject({ status: "purchased", cost: chosen.price.total, orderId: id });
    const told = await readRun(done.id);
    expect(told.status).toBe("succeeded");
    expect(told.results[0].steps[1]).not.toHaveProperty("warning");
    expect(script.asked.length).toBe(asked + 1);

    // All has a label: nothing more is bought.
    expect((await run(id, [buy])).summary).toMatchObject({ no_change: 1 });
  });

  test("a label that cannot be bought is rejected by preflight and run alike, before the carrier is called", async () => {
    const paper = (await org.post("/carrier-accounts", { name: "Paper", carrier: "rate-card" })).body.id;
    const cases: [order: object, params: object, code: string][] = [
      [{ shipping: {} }, {}, "no_rate_chosen"],
      [{ shipping: {} }, { carrier_account_id: paper, service: "GROUND" }, "no_labels"],
      [{}, { service: "NO_SUCH" }, "unknown_service"],
      [{ locationId: undefined }, {}, "origin_missing"],
      [{ shippingAddress: { ...aParcel.to, zip: "9" } }, {}, "invalid_zip"],
      [{ lines: [{ sku: "MUG", quantity: 1 }] }, {}, "weight_missing"],
      [{ status: "new" }, {}, "invalid_state"],
    ];
    for (const [more, params, code] of cases) {
      const { id } = await anOrder(more);
      const actions = [{ type: "buy_label", params }];
      expect((await preflight(id, actions)).orders[0].steps[0].error, code).toMatchObject({ code });
      expect((await run(id, actions)).results[0].error, code).toMatchObject({ code });
    }
    // Digits of another country are no ZIP.
    const paris = { ...aParcel.to, city: "Paris", provinceCode: "", zip: "75008", countryCode: "FR" };
    const { id } = await anOrder({ shippingAddress: paris });
    const abroad = await run(id, [{ type: "choose_rate", params: {} }]);
    expect(abroad.results[0].error).toMatchObject({ code: "no_rate" });
  });

  test("a label that the carrier refuses fails the order in the run; a retry requests another one", async () => {
    const { id } = await anOrder();
    const done = await run(id, [buy]);
    script.nextTurns.push({ before: refuse });
    await settle();
    const told = await readRun(done.id);
    expect(told).toMatchObject({
      status: "failed",
      summary: { succeeded: 0, failed: 1 },
      errors_by_code: { bad_address: 1 },
      results: [{ status: "failed", resume_from_step: 0, error: { code: "bad_address" } }],
    });
    // Who gets it stays with the label, where only those see it who may.
    expect(JSON.stringify(told)).not.toContain("does not live there");
    expect((await labelOf(told)).failure.message).toContain("does not live there");
    expect((await org.get(`/audit?type=operation_run.carrier_rejected&limit=5`)).body.data).toMatchObject([
      { objectId: done.id, data: { rejected: 1, failed: 1 } },
    ]);

    const retried = (await org.post(`/operations/runs/${done.id}/retry`, {})).body;
    await settle();
    expect(await readRun(retried.id)).toMatchObject({ status: "succeeded" });
    expect(await read(id)).toMatchObject({ status: "shipped", shipments: [{ carrier: "demo" }] });
  });

  test("a request without a response is repeated with the same key on any node, and paid once", async () => {
    const { id } = await anOrder();
    const done = await run(id, [buy]);
    const [labelId] = stepOf(done).label_ids as string[];
    script.nextTurns.push({ after: fallSilent });
    await settle();
    expect(stepOf(await readRun(done.id)).warning).toMatchObject({ code: "pending" });
    // What waits for its answer is a label that the order has.
    expect((await run(id, [buy])).summary).toMatchObject({ no_change: 1 });
    hub.advance(2 * 60_000);
    const node = await hub.secondNode();
    await workOff(node.world, labelWork);
    await applyLabelResults(node.world, new AbortController().signal);
    await node.stop();
    expect([...script.sold.keys()].filter((key) => key.includes(labelId!))).toEqual([`label:${labelId}`]);
    expect(stepOf(await readRun(done.id))).not.toHaveProperty("warning");
    expect(await read(id)).toMatchObject({ status: "shipped" });
  });

  test("an order that is cancelled before the carrier is called gets no label", async () => {
    const { id } = await anOrder();
    const done = await run(id, [buy]);
    await run(id, [{ type: "cancel", params: { reason: "customer" } }]);
    const asked = script.asked.length;
    await settle();
    expect(script.asked.length).toBe(asked);
    expect(await readRun(done.id)).toMatchObject({ status: "failed", errors_by_code: { invalid_state: 1 } });
    expect(await read(id)).toMatchObject({ status: "cancelled", shipments: [] });
  });

  test("while the outcome of a label is unknown, no other is bought", async () => {
    const { id } = await anOrder();
    const done = await run(id, [buy]);
    const [labelId] = stepOf(done).label_ids as string[];
    await hub.world.db.query(
      `update shipment_labels set status = 'failed', due_at = null, failure = '{"code": "outcome_unknown", "message": "?"}' where id = $1`,
      [labelId],
    );
    await settle();
    expect(await readRun(done.id)).toMatchObject({ status: "failed", errors_by_code: { outcome_unknown: 1 } });
    const retried = (await org.post(`/operations/runs/${done.id}/retry`, {})).body;
    expect(retried.results[0].error).toMatchObject({ code: "outcome_unknown", fix: expect.stringContaining(labelId!) });
  });

  test("a purchase cannot be undone; the undo names the alternative", async () => {
    const { id } = await anOrder();
    const done = await run(id, [buy]);
    await settle();
    const undo = (await org.post(`/operations/runs/${done.id}/undo`, {})).body;
    expect(undo.results[0].steps[0]).toMatchObject({
      status: "undo_failed",
      error: { code: "irreversible", message: expect.stringContaining("void_label") },
    });
    expect((await read(id)).status).toBe("shipped");
  });

  test("only organizing steps may follow, and the scope to buy labels is required", async () => {
    const { id } = await anOrder();
    const wrong = await org.post("/operations/preflight", {
      order_ids: [id],
      actions: [buy, { type: "cancel", params: { reason: "customer" } }],
    });
    expect(wrong.body.errors).toMatchObject([{ pointer: "/actions/1/type", code: "not_allowed_after_carrier_step" }]);
    const clerk = await org.withScopes(["operations:run", "operations:read", "orders:read"]);
    const refused = await clerk.post("/operations/run", { order_ids: [id], actions: [buy] });
    expect(refused.body).toMatchObject({ code: "insufficient_scope", required: ["shipments:write"] });
  });
});

describe("void_label", () => {
  const anOrderWithLabel = async () => {
    const order = await anOrder();
    await run(order.id, [buy]);
    await settle();
    return await read(order.id);
  };

  test("voids the label before the first scan; its items can be shipped again", async () => {
    const { id, shipments } = await anOrderWithLabel();
    expect((await preflight(id, [giveBack])).orders[0]).toMatchObject({ verdict: "ok" });
    const done = await run(id, [giveBack]);
    expect(stepOf(done)).toMatchObject({ status: "applied", warning: { code: "pending" } });
    expect((await read(id)).status).toBe("shipped");
    await settle();
    expect(await read(id)).toMatchObject({ status: "ready", shipments: [], lines: [{ shippedQuantity: 0 }] });
    expect(script.voided).toContain(shipments[0].trackingNumber);
    expect(stepOf(await readRun(done.id))).not.toHaveProperty("warning");
    expect((await run(id, [giveBack])).summary).toMatchObject({ no_change: 1 });
    const named = await run(id, [{ type: "void_label", params: { tracking_number: shipments[0].trackingNumber } }]);
    expect(stepOf(named)).toMatchObject({ status: "no_change", warning: { code: "no_label" } });
    const undo = (await org.post(`/operations/runs/${done.id}/undo`, {})).body;
    expect(undo.results[0].steps[0].error).toMatchObject({ code: "irreversible" });
  });

  test("is rejected once the carrier has the parcel, by preflight and run", async () => {
    const { id, shipments } = await anOrderWithLabel();
    const scan = { status: "in_transit", at: hub.world.clock.now().toISOString() };
    expect((await org.post(`/shipments/${shipments[0].id}/events`, scan)).status).toBeLessThan(300);
    const wanted = { code: "label_not_voidable", message: expect.stringContaining("in_transit") };
    expect((await preflight(id, [giveBack])).orders[0].steps[0].error).toMatchObject(wanted);
    expect((await run(id, [giveBack])).results[0].error).toMatchObject(wanted);
  });

  test("if the carrier refuses, the order fails and stays shipped", async () => {
    const { id } = await anOrderWithLabel();
    const done = await run(id, [giveBack]);
    script.nextVoids.push(refuse);
    await settle();
    expect(await readRun(done.id)).toMatchObject({ status: "failed", errors_by_code: { bad_address: 1 } });
    expect((await read(id)).status).toBe("shipped");
  });
});

test("the outcomes of all labels of a step are applied together, not while one of them is locked", async () => {
  const { id, lines } = await anOrder();
  for (let parcel = 0; parcel < 2; parcel++) {
    const wanted = { carrierAccountId: account, service: "NAT_GROUND", orderId: id };
    await org.post("/shipments/labels", { ...wanted, lines: [{ lineId: lines[0].id, quantity: 1 }] });
  }
  const done = await run(id, [giveBack]);
  const labelIds = stepOf(done).label_ids as string[];
  expect(labelIds).toHaveLength(2);
  await workOff(hub.world, labelWork);
  const tell = () => applyLabelResults(hub.world, new AbortController().signal);
  await hub.world.db.transaction(async (tx) => {
    await tx.query("select from shipment_labels where id = $1 for update", [labelIds[1]]);
    await tell();
    expect(stepOf(await readRun(done.id)).warning).toMatchObject({ code: "pending" });
  });
  await tell();
  expect(stepOf(await readRun(done.id))).toEqual({
    index: 0,
    type: "void_label",
    status: "applied",
    label_ids: labelIds,
  });
  expect((await read(id)).status).toBe("ready");
});

test("the outcomes for a run of many orders are applied one by one; other orders stay as they are", async () => {
  const ids = await Promise.all(Array.from({ length: 3 }, async () => (await anOrder()).id as string));
  const done = (await org.post("/operations/run", { order_ids: ids, actions: [buy], note: randomUUID() })).body;
  script.nextTurns.push({ before: refuse });
  await settle();
  expect(await readRun(done.id)).toMatchObject({ status: "partially_failed", summary: { succeeded: 2, failed: 1 } });
  const statuses = await Promise.all(ids.map(async (id) => (await read(id)).status));
  expect(statuses.toSorted()).toEqual(["ready", "shipped", "shipped"]);
});

test("N15: a run counts its labels without a carrier response", async () => {
  const orders = await Promise.all([anOrder(), anOrder()]);
  const started = await org.post("/operations/run", { order_ids: orders.map(({ id }) => id), actions: [buy] });
  const { id } = started.body;
  const listed = async () =>
    (await org.get("/operations/runs?limit=100")).body.data.find((one: { id: string }) => one.id === id)
      .open_label_requests;
  expect([started.body.open_label_requests, (await readRun(id)).open_label_requests, await listed()]).toEqual([
    2, 2, 2,
  ]);
  await settle();
  expect([(await readRun(id)).open_label_requests, await listed()]).toEqual([0, 0]);
});
