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

const anOrder = async (): Promise<string> =>
  (
    await org.post("/orders", {
      status: "ready",
      shippingAddress: aParcel.to,
      lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
      locationId: location,
      shipping: { carrierAccountId: account, carrier: "demo", service: "NAT_GROUND" },
    })
  ).body.id;
const orders = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, anOrder));
const start = async (order_ids: string[], type = "buy_label") =>
  (await org.post("/operations/run", { order_ids, actions: [{ type }] })).body;
const readRun = async (id: string) => (await org.get(`/operations/runs/${id}`)).body;
const listed = async (id: string) =>
  (await org.get("/operations/runs?limit=100")).body.data.find((one: { id: string }) => one.id === id);
const eventsOf = async (id: string) =>
  (await org.get(`/audit?objectId=${id}`)).body.data.toReversed() as { type: string; data: object }[];
const send = (): Promise<unknown> => workOff(hub.world, labelWork);
const tell = (): Promise<void> => applyLabelResults(hub.world, new AbortController().signal);
const refuse = (): never => {
  throw new RemoteError("bad_address", "No such street.");
};
const fallSilent = (): never => {
  throw new RemoteError("carrier_down", "Later.", { retryable: true });
};

test("a run is running until the last carrier has responded, and its events count its labels", async () => {
  const started = await start(await orders(3));
  const open = { requested: 3, bought: 0, failed: 0, refunds_pending: 0 };
  expect(started).toMatchObject({ status: "running", finished_at: null, labels: open, open_label_requests: 3 });
  script.nextTurns.push({ before: refuse }, {}, { after: fallSilent });
  await send();
  // Carriers have responded, and the run has not been told yet.
  expect(await readRun(started.id)).toMatchObject({ status: "running", labels: { bought: 1, failed: 1 } });
  await tell();
  const waiting = { requested: 3, bought: 1, failed: 1, refunds_pending: 0 };
  const states = [await readRun(started.id), await listed(started.id)];
  for (const state of states) {
    expect(state).toMatchObject({ status: "running", finished_at: null, labels: waiting, open_label_requests: 1 });
  }
  expect((await eventsOf(started.id)).map(({ type }) => type)).toEqual([
    "operation_run.created",
    "operation_run.carrier_rejected",
  ]);

  hub.advance(2 * 60_000);
  await send();
  await tell();
  const ended = { requested: 3, bought: 2, failed: 1 };
  expect(await readRun(started.id)).toMatchObject({
    status: "partially_failed",
    finished_at: expect.any(String),
    summary: { succeeded: 2, failed: 1 },
    labels: ended,
    open_label_requests: 0,
  });
  const last = (await eventsOf(started.id)).at(-1)!;
  expect(last).toMatchObject({
    type: "operation_run.partially_failed",
    data: { labels: ended, succeeded: 2, failed: 1 },
  });
  // A response that was applied is not applied again.
  await tell();
  expect((await eventsOf(started.id)).length).toBe(3);
});

test("a run whose labels all fail has failed; one whose labels are all bought has succeeded", async () => {
  const [good, bad] = [await start(await orders(1)), await start(await orders(1))];
  script.nextTurns.push({}, { before: refuse });
  await send();
  await tell();
  expect((await readRun(good.id)).status).toBe("succeeded");
  expect((await readRun(bad.id)).status).toBe("failed");
});

test("failed orders whose label was bought, or may have been, are counted apart from those without one", async () => {
  // The first step fails and the purchase goes on: such an order has failed, and has a label.
  const check = {
    type: "assert",
    params: { when: { path: "tags", op: "has_tag", value: "never" } },
    on_error: "continue",
  };
  const order_ids = await orders(3);
  const { id } = (await org.post("/operations/run", { order_ids, actions: [check, { type: "buy_label" }] })).body;
  const failed = async () => (await org.get(`/operations/runs/${id}/result-groups`)).body.labels;
  // The carrier has not responded yet.
  expect(await failed()).toEqual({ bought: 0, unknown: 3 });
  script.nextTurns.push({ before: refuse });
  await send();
  await tell();
  expect(await readRun(id)).toMatchObject({ status: "failed", labels: { bought: 2, failed: 1 } });
  expect(await failed()).toEqual({ bought: 2, unknown: 0 });
});

test("another process ends the run when the one that started it is gone", async () => {
  const started = await start(await orders(2));
  await send();
  const node = await hub.secondNode();
  await applyLabelResults(node.world, new AbortController().signal);
  await node.stop();
  expect(await readRun(started.id)).toMatchObject({ status: "succeeded", labels: { requested: 2, bought: 2 } });
});

test("two processes that apply the last responses at the same time end the run once", async () => {
  const started = await start(await orders(6));
  await send();
  const node = await hub.secondNode();
  await Promise.all([tell(), applyLabelResults(node.world, new AbortController().signal)]);
  await tell();
  await node.stop();
  expect((await readRun(started.id)).status).toBe("succeeded");
  const ends = (await eventsOf(started.id)).filter(({ type }) => type === "operation_run.succeeded");
  expect(ends).toHaveLength(1);
});

test("a run with open labels can be retried and undone, but not cancelled", async () => {
  const started = await start(await orders(2));
  const cancelled = await org.post(`/operations/runs/${started.id}/cancel`, {});
  expect(cancelled.body).toMatchObject({ code: "run_finished", detail: expect.stringContaining("waits for carriers") });
  script.nextTurns.push({ before: refuse }, { after: fallSilent });
  await send();
  await tell();
  expect((await readRun(started.id)).status).toBe("running");
  const retried = (await org.post(`/operations/runs/${started.id}/retry`, {})).body;
  expect(retried).toMatchObject({ order_count: 1, labels: { requested: 1 } });
  expect((await org.post(`/operations/runs/${started.id}/undo/preflight`, {})).status).toBe(200);
  hub.advance(2 * 60_000);
  await send();
  await tell();
  expect((await readRun(started.id)).status).toBe("partially_failed");
  expect((await readRun(retried.id)).status).toBe("succeeded");
});

test("a run that was cancelled half way does not wait for its labels", async () => {
  const ids = await orders(2);
  const started = await start(ids);
  await hub.world.db.query(`update operation_results set status = 'cancelled' where run_id = $1 and position = 1`, [
    started.id,
  ]);
  await hub.world.db.query("update operation_runs set succeeded = 1, cancel_requested = true where id = $1", [
    started.id,
  ]);
  script.nextTurns.push({}, { after: fallSilent });
  await send();
  await tell();
  expect(await readRun(started.id)).toMatchObject({ status: "cancelled", open_label_requests: 1 });
  hub.advance(2 * 60_000);
  await send();
  await tell();
});

test("an order that is deleted while its label is open does not keep the run from ending", async () => {
  const [id] = await orders(1);
  const started = await start([id!]);
  await hub.world.db.query("delete from orders where id = $1", [id]);
  await send();
  await tell();
  expect(await readRun(started.id)).toMatchObject({ finished_at: expect.any(String), labels: { failed: 1 } });
});

test("a repeated request gets the run that waits, and a run without labels ends at once", async () => {
  const order_ids = await orders(1);
  const headers = { "idempotency-key": "labels-once" };
  const body = { order_ids, actions: [{ type: "buy_label" }] };
  const first = (await org.post("/operations/run", body, { headers })).body;
  const again = (await org.post("/operations/run", body, { headers })).body;
  expect([first.status, again]).toEqual(["running", first]);
  await send();
  await tell();
  const unchanged = await start(order_ids);
  expect(unchanged).toMatchObject({ status: "succeeded", labels: { requested: 0 }, summary: { no_change: 1 } });
});

test("a void is shown with its pending refund, in the step and in the count of the run", async () => {
  const ids = await orders(2);
  await start(ids);
  await send();
  await tell();
  const started = await start(ids, "void_label");
  expect(started).toMatchObject({ status: "running", open_label_requests: 2, labels: { refunds_pending: 0 } });
  script.nextVoids.push(() => ({ state: "submitted" }));
  await send();
  await tell();
  const ended = await readRun(started.id);
  expect(ended).toMatchObject({ status: "succeeded", labels: { requested: 0, refunds_pending: 1 } });
  const warnings = ended.results.map(
    ({ steps }: { steps: { warning?: { code: string } }[] }) => steps[0]!.warning?.code,
  );
  expect(warnings.toSorted()).toEqual(["refund_pending", undefined]);
  script.nextRefunds.push(() => ({ state: "voided" }));
  hub.advance(25 * 3_600_000);
  await send();
  expect((await readRun(started.id)).labels.refunds_pending).toBe(0);
});

test("a run sums up what its labels cost, by currency and by service, without voided ones", async () => {
  const ids = await orders(3);
  const started = await start(ids);
  expect(started).toMatchObject({ labels: { costs: [], printed: 0, voided: 0 }, label_services: [] });
  await send();
  await tell();
  const { data: bought } = (await org.get("/shipments/labels?limit=100")).body;
  const own = bought.filter(({ orderId }: { orderId: string }) => ids.includes(orderId)) as {
    id: string;
    cost: number;
    orderId: string;
    trackingNumber: string;
  }[];
  expect(own).toHaveLength(3);
  const sumOf = (labels: { cost: number }[]): number =>
    labels.reduce((cents, { cost }) => cents + Math.round(cost * 100), 0) / 100;
  const ended = await readRun(started.id);
  expect(ended.labels.costs).toEqual([{ currency: "USD", total: sumOf(own), labels: 3 }]);
  expect(ended.label_services).toEqual([
    {
      carrier_account_id: account,
      carrier: "demo",
      service: "NAT_GROUND",
      currency: "USD",
      labels: 3,
      cost: sumOf(own),
      voidable: 3,
    },
  ]);
  expect((await listed(started.id)).labels.costs).toEqual(ended.labels.costs);
  for (const { order_id, labels, recipient, destination } of ended.results) {
    const label = own.find(({ orderId }) => orderId === order_id)!;
    expect(labels).toMatchObject([
      { id: label.id, status: "purchased", tracking_number: label.trackingNumber, cost: label.cost, print_count: 0 },
    ]);
    expect([recipient, destination]).toEqual(["Ada Byron", "Albany, NY, US"]);
  }

  const [first, ...rest] = own;
  expect((await org.delete(`/shipments/labels/${first!.id}`)).status).toBe(200);
  await hub.world.db.query("update shipments set accepted_at = now() where tracking_number = $1", [
    rest[0]!.trackingNumber,
  ]);
  const later = await readRun(started.id);
  expect(later.labels).toMatchObject({ bought: 3, voided: 1, costs: [{ total: sumOf(rest), labels: 2 }] });
  expect(later.label_services).toMatchObject([{ labels: 2, voidable: 1 }]);

  const csv = (await org.get(`/operations/runs/${started.id}/results.csv`)).text;
  const [header, ...rows] = csv
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  const at = header!.indexOf("tracking_number");
  expect(header!.slice(at, at + 3)).toEqual(["tracking_number", "label_cost", "label_currency"]);
  expect(rows.map((row) => row[at]).toSorted()).toEqual(own.map(({ trackingNumber }) => trackingNumber).toSorted());
});

test("results show where orders go, and the name only with pii:read", async () => {
  const started = await start(await orders(1), "archive");
  const results = (client: Pick<typeof org, "get">) => client.get(`/operations/runs/${started.id}/results`);
  expect((await results(org)).body.data[0]).toMatchObject({ recipient: "Ada Byron", destination: "Albany, NY, US" });
  const viewer = await org.withScopes(["operations:read"]);
  expect((await results(viewer)).body.data[0]).toMatchObject({ recipient: "***", destination: "Albany, NY, US" });
});
