import { beforeAll, describe, expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { eventually } from "../../testing/eventually.ts";
import type { StandInShop } from "../../testing/stand-in-shop.ts";
import { startStandInShop } from "../../testing/stand-in-shop.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;
let partner: StandInShop;
let bridgeId: string;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  partner = await startStandInShop({ orders: 1 });
  afterFile(() => partner.close());
  const push = (name: string, query: object) => ({
    name,
    mode: "push",
    request: { method: "POST", path: "/plain", query },
    externalIdPath: "id",
  });
  // A partner that knows no keys and cannot be asked.
  const tasks = [push("orders.export", {}), push("orders.recall", { reason: "{{input.reason}}" })];
  const settings = { baseUrl: `${partner.url}/rest`, auth: { kind: "bearer" }, tasks };
  const bridge = { name: "Partner", connector: "rest", settings, credentials: { token: partner.token } };
  bridgeId = (await org.post("/bridges", bridge)).body.id;
});

const anOrder = async (): Promise<string> =>
  (await org.post("/orders", { status: "ready", lines: [{ sku: "A", quantity: 1 }] })).body.id;
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;

async function ended(id: string) {
  const look = async () => (await org.get(`/tasks/executions/${id}`)).body;
  return await eventually(look, ({ status }) => status !== "queued" && status !== "running");
}

/** The execution that the step queued, when it has ended. */
async function run(orderId: string, type: string, params: object = { bridge_id: bridgeId }) {
  const { body } = await org.post("/operations/run", { order_ids: [orderId], actions: [{ type, params }] });
  expect(body.results[0].error).toBeNull();
  const [{ execution_id: executionId }] = body.results[0].steps;
  return executionId === undefined ? undefined : await ended(executionId);
}

test("an order is sent, recalled with a reason for the partner, and sent again", async () => {
  const id = await anOrder();
  expect(await run(id, "send_to_fulfillment")).toMatchObject({ status: "succeeded", result: { summary: { sent: 1 } } });
  expect((await read(id)).status).toBe("sent");
  const recall = await run(id, "recall_fulfillment", { bridge_id: bridgeId, reason: "Customer moved" });
  expect(recall).toMatchObject({ status: "succeeded", input: { reason: "Customer moved" } });
  expect((await read(id)).status).toBe("ready");
  expect(await run(id, "send_to_fulfillment")).toMatchObject({ result: { summary: { sent: 1 } } });
  const { number } = await read(id);
  expect(partner.data.journal.filter(({ key }) => key === number)).toHaveLength(3);
});

test("a user can set either outcome of an order whose outcome is unknown", async () => {
  const id = await anOrder();
  partner.inject({ kind: "drop_after", match: "/rest/plain" });
  const lost = await run(id, "send_to_fulfillment");
  expect(lost).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
  expect(lost.error.message).toContain("a retry does not send it again");
  const held = await read(id);
  expect(held).toMatchObject({ status: "sent", holds: [{ handle: "fulfillment" }] });
  // A retry finds out no more than that, and leaves the order as it is.
  const retried = await ended((await org.post(`/tasks/executions/${lost.id}/retry`)).body.id);
  expect(retried).toMatchObject({ status: "failed", result: { results: [{ status: "outcome_unknown" }] } });
  expect(await read(id)).toEqual(held);
  // It is not there.
  await org.patch(`/orders/${id}`, { status: "ready" });
  await run(id, "release_hold", {});
  expect(await run(id, "send_to_fulfillment")).toMatchObject({ status: "succeeded" });
  expect(await read(id)).toMatchObject({ status: "sent", holds: [] });
});

const byHand = async (taskName: string, orderId: string) =>
  (
    await org.post("/tasks/execute-sync", {
      bridgeId,
      taskName,
      input: { orderIds: [orderId], ...(taskName === "orders.recall" ? { reason: "By hand" } : {}) },
    })
  ).body;

async function arrivedAt(orderId: string): Promise<number> {
  const { number } = await read(orderId);
  return partner.data.journal.filter(({ key }) => key === number).length;
}

test("an order at the partner is not sent again by hand; after a manual recall it is", async () => {
  const id = await anOrder();
  await run(id, "send_to_fulfillment");
  expect((await byHand("orders.export", id)).result.summary).toMatchObject({ sent: 0, alreadySent: 1 });
  expect(await arrivedAt(id)).toBe(1);
  expect((await byHand("orders.recall", id)).result.summary.sent).toBe(1);
  expect((await byHand("orders.recall", id)).result.summary).toMatchObject({ sent: 0, alreadySent: 1 });
  expect((await byHand("orders.export", id)).result.summary.sent).toBe(1);
  expect((await byHand("orders.recall", id)).result.summary.sent).toBe(1);
  expect(await arrivedAt(id)).toBe(4);
});

test("two concurrent runs that recall an order send one recall", async () => {
  const id = await anOrder();
  await run(id, "send_to_fulfillment");
  const params = { bridge_id: bridgeId, reason: "Twice" };
  await Promise.all([run(id, "recall_fulfillment", params), run(id, "recall_fulfillment", params)]);
  expect((await read(id)).status).toBe("ready");
  expect(await arrivedAt(id)).toBe(2);
});

test("a retry of an earlier run does not send an order that was sent again since", async () => {
  const id = await anOrder();
  partner.inject({ kind: "unauthorized", match: "/rest/plain" });
  const refused = await run(id, "send_to_fulfillment");
  expect(refused).toMatchObject({ status: "failed", error: { code: "unauthorized" } });
  expect(await read(id)).toMatchObject({ status: "ready", holds: [{ handle: "fulfillment" }] });
  await run(id, "release_hold", {});
  expect(await run(id, "send_to_fulfillment")).toMatchObject({ status: "succeeded" });
  const retried = await ended((await org.post(`/tasks/executions/${refused.id}/retry`)).body.id);
  expect(retried).toMatchObject({ status: "succeeded", result: { results: [{ status: "already_sent" }] } });
  expect(await read(id)).toMatchObject({ status: "sent", holds: [] });
  expect(await arrivedAt(id)).toBe(1);
});

describe("an order that was recalled while the response to its export was missing", () => {
  let keyedId: string;
  const sendTo = async (id: string) => {
    const actions = [{ type: "send_to_fulfillment", params: { bridge_id: keyedId } }];
    const { body } = await org.post("/operations/run", { order_ids: [id], actions });
    return body.results[0].steps[0].execution_id as string;
  };
  const isWaiting = async (id: string) =>
    await eventually(
      async () => (await org.get(`/tasks/executions/${id}`)).body,
      ({ status, attempts }) => status === "queued" && attempts.length === 1,
    );
  /** As if its next attempt were due. */
  const goOn = async (id: string) => {
    await hub.world.db.query("update task_executions set due_at = now() where id = $1", [id]);
    return await ended(id);
  };
  const arrivals = async (id: string) => {
    const { number } = await read(id);
    return partner.data.journal.filter(({ detail }) => (detail as { number?: string } | undefined)?.number === number);
  };

  beforeAll(async () => {
    const push = (name: string) => ({
      name,
      mode: "push",
      request: { method: "POST", path: "/keyed" },
      externalIdPath: "id",
      idempotencyHeader: "Idempotency-Key",
    });
    const tasks = [push("orders.export"), push("orders.recall")];
    const settings = { baseUrl: `${partner.url}/rest`, auth: { kind: "bearer" }, tasks };
    const given = { name: "Keyed", connector: "rest", settings, credentials: { token: partner.token } };
    keyedId = (await org.post("/bridges", given)).body.id;
  });

  test("is not sent again by the remaining attempts", async () => {
    const id = await anOrder();
    partner.inject({ kind: "drop_after", match: "/rest/keyed" });
    const first = await sendTo(id);
    await isWaiting(first);
    expect(await run(id, "recall_fulfillment", { bridge_id: keyedId })).toMatchObject({ status: "succeeded" });
    await run(id, "cancel", { reason: "customer" });
    const late = await goOn(first);
    expect(late.result.results).toMatchObject([{ status: "skipped", reason: "recalled" }]);
    expect(await arrivals(id)).toHaveLength(2);
    expect(await read(id)).toMatchObject({ status: "cancelled", holds: [] });
  });

  test("can be sent by other means; the old attempts do not affect it", async () => {
    const id = await anOrder();
    partner.inject({ kind: "drop_after", match: "/rest/keyed" });
    const first = await sendTo(id);
    await isWaiting(first);
    await run(id, "recall_fulfillment", { bridge_id: keyedId });
    await run(id, "set_status", { status: "sent" });
    await goOn(first);
    expect(await read(id)).toMatchObject({ status: "sent", holds: [] });
  });
});
