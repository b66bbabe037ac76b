import { beforeAll, describe, expect, test } from "vitest";
import { RemoteError } from "../../../core/remote-error.ts";
import { eventually } from "../../../testing/eventually.ts";
import { pushTask } from "../../../connectors/standard-tasks.ts";
import { installConnector, scriptedShop } from "../../../testing/scripted-connector.ts";
import type { TestHub, TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

let bridges = 0;
type Shop = ReturnType<typeof scriptedShop>;

async function prepare({ task }: Shop, count: number) {
  const body = { name: `Shop ${++bridges}`, connector: installConnector([task]) };
  const bridgeId = (await org.post("/bridges", body)).body.id as string;
  const orders = Array.from({ length: count }, async () => (await org.post("/orders", {})).body.id as string);
  return { bridgeId, taskName: "orders.export", input: { orderIds: await Promise.all(orders) } };
}

async function ended(id: string) {
  const ask = async () => (await org.get(`/tasks/executions/${id}`)).body;
  return await eventually(ask, ({ status }) => status !== "queued" && status !== "running");
}

/** The worker is gone at the moment when the shop has applied the n-th effect and the hub has not heard of it. */
function dieAfter(nth: number, parts: { honoursKeys: boolean; canFind: boolean }) {
  const gone = Promise.withResolvers<void>();
  const never = new Promise<void>(() => {});
  let seen = 0;
  const shop = scriptedShop({
    ...parts,
    async onSent() {
      if (++seen !== nth) return;
      gone.resolve();
      await never;
    },
  });
  return { ...shop, gone: gone.promise };
}

async function loseWorker(id: string): Promise<void> {
  await hub.world.db.query(
    "update task_executions set lease_owner = gen_random_uuid(), lease_until = now() - interval '1 ms' where id = $1",
    [id],
  );
}

describe("a worker that dies between request and response", () => {
  test.each([
    ["a shop that can be asked is asked", { honoursKeys: false, canFind: true }],
    ["a shop that knows keys gets the same key again", { honoursKeys: true, canFind: false }],
  ])("%s: everything arrives once", async (_name, parts) => {
    const shop = dieAfter(2, parts);
    const { id } = (await org.post("/tasks/execute", await prepare(shop, 4))).body;
    await shop.gone;
    await loseWorker(id);
    const done = await ended(id);
    expect(done).toMatchObject({ status: "succeeded", attempt: 2, result: { summary: { total: 4, failed: 0 } } });
    expect([...shop.applied.values()]).toEqual([1, 1, 1, 1]);
    expect(done.result.summary.outcomeUnknown).toBe(0);
  });

  test("a shop without lookups and keys: the effect is outcome_unknown, also in every retry", async () => {
    const shop = dieAfter(2, { honoursKeys: false, canFind: false });
    const { id } = (await org.post("/tasks/execute", await prepare(shop, 4))).body;
    await shop.gone;
    await loseWorker(id);
    const done = await ended(id);
    expect(done.result.summary).toMatchObject({ total: 4, alreadySent: 1, outcomeUnknown: 1, sent: 2 });
    expect(done.result.results[1]).toMatchObject({ status: "outcome_unknown", error: { code: "outcome_unknown" } });
    expect([...shop.applied.values()]).toEqual([1, 1, 1, 1]);
  });
});

test("after a lost response the effect is looked up before anything is sent again", async () => {
  let isBroken = true;
  const shop = scriptedShop({
    honoursKeys: false,
    canFind: true,
    onSent: () =>
      isBroken
        ? Promise.reject(new RemoteError("connection_lost", "Cut.", { mayHaveHappened: true, retryable: true }))
        : Promise.resolve(),
  });
  const request = await prepare(shop, 2);
  const { id } = (await org.post("/tasks/execute", { ...request, maxAttempts: 2, retryDelaySeconds: 1 })).body;
  await eventually(
    async () => shop.applied.size,
    (size) => size === 2,
  );
  isBroken = false;
  expect(await ended(id)).toMatchObject({ status: "succeeded", result: { summary: { total: 2, alreadySent: 2 } } });
  expect([...shop.applied.values()]).toEqual([1, 1]);
});

test("a short database outage during a push fails nothing, and everything arrives once", async () => {
  let isAway = true;
  const shop = scriptedShop({
    honoursKeys: true,
    canFind: false,
    onSend() {
      if (!isAway) return Promise.resolve();
      isAway = false;
      // As what the hub looks up by itself on the way out fails then.
      return Promise.reject(Object.assign(new Error("terminating connection"), { code: "57P01" }));
    },
  });
  const { id } = (await org.post("/tasks/execute", await prepare(shop, 2))).body;
  const done = await ended(id);
  expect(done).toMatchObject({ status: "succeeded", result: { summary: { sent: 2, failed: 0 } } });
  expect(done.attempts.map(({ status }: { status: string }) => status)).toEqual(["interrupted", "succeeded"]);
  expect([...shop.applied.values()]).toEqual([1, 1]);
});

test("a partly sent shipment is completed with its original tracking number, and then corrected", async () => {
  const told: string[] = [];
  let isCut = true;
  const numberIn = ({ shipments }: Record<string, unknown>): string =>
    (shipments as { trackingNumber: string }[])[0]!.trackingNumber;
  const task = pushTask("fulfillments.push", {
    description: "What a test says.",
    idempotent: true,
    async send(_call, record) {
      told.push(numberIn(record));
      if (isCut) throw new RemoteError("connection_lost", "Cut.", { mayHaveHappened: true, retryable: true });
      return { externalId: "x" };
    },
    find: async () => "in part",
    async update(_call, record) {
      told.push(`now ${numberIn(record)}`);
      return { externalId: "x" };
    },
  });
  const connector = installConnector([task]);
  const { id: bridgeId } = (await org.post("/bridges", { name: `Shop ${++bridges}`, connector })).body;
  const order = (await org.post("/orders", { status: "ready", lines: [{ sku: "A", quantity: 1 }] })).body;
  const run = async (type: string, params: object): Promise<void> => {
    const { body } = await org.post("/operations/run", { order_ids: [order.id], actions: [{ type, params }] });
    expect(body).toMatchObject({ status: "succeeded" });
  };
  const push = async () => {
    const request = { bridgeId, taskName: "fulfillments.push", input: { orderIds: [order.id] }, maxAttempts: 1 };
    return await ended((await org.post("/tasks/execute", request)).body.id);
  };
  await run("mark_shipped", { tracking_number: "T-1", carrier: "ups" });
  expect((await push()).status).toBe("failed");
  await run("correct_tracking", { current_tracking_number: "T-1", tracking_number: "T-2" });
  isCut = false;
  expect(await push()).toMatchObject({ status: "succeeded", result: { summary: { updated: 1 } } });
  expect(told).toEqual(["T-1", "T-1", "now T-2"]);
});

test("without a lookup, a lost response is outcome_unknown, and a retry does not send it again", async () => {
  const shop = scriptedShop({
    honoursKeys: false,
    canFind: false,
    onSent: () =>
      Promise.reject(new RemoteError("connection_lost", "Cut.", { mayHaveHappened: true, retryable: true })),
  });
  const { id } = (await org.post("/tasks/execute", await prepare(shop, 1))).body;
  expect(await ended(id)).toMatchObject({ status: "failed", attempt: 1, error: { code: "outcome_unknown" } });
  const retry = (await org.post(`/tasks/executions/${id}/retry`)).body;
  expect(await ended(retry.id)).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
  expect([...shop.applied.values()]).toEqual([1]);
});

test("a retry sends rejected orders again, and not those that arrived", async () => {
  const refused = new Set<string>();
  const shop = scriptedShop({
    honoursKeys: false,
    canFind: false,
    onSend: (_call, key) => {
      if (refused.has(key) || refused.size > 0) return Promise.resolve();
      refused.add(key);
      return Promise.reject(new RemoteError("invalid_address", "No such street."));
    },
  });
  const { id } = (await org.post("/tasks/execute", await prepare(shop, 3))).body;
  expect(await ended(id)).toMatchObject({
    status: "completed_with_errors",
    result: { summary: { sent: 2, failed: 1 } },
  });
  expect([...shop.applied.values()]).toEqual([1, 1]);
  const retry = (await org.post(`/tasks/executions/${id}/retry`)).body;
  expect((await ended(retry.id)).result.summary).toMatchObject({ total: 1, sent: 1 });
  expect([...shop.applied.values()]).toEqual([1, 1, 1]);
});

test("the outcome of each order is reported also if none was sent, and if another attempt follows", async () => {
  let count = 0;
  const shop = scriptedShop({
    honoursKeys: false,
    canFind: false,
    onSend: () =>
      Promise.reject(
        ++count === 2 ? new RemoteError("cut", "Cut.", { mayHaveHappened: true }) : new RemoteError("refused", "No."),
      ),
  });
  const request = await prepare(shop, 3);
  const done = await ended((await org.post("/tasks/execute", request)).body.id);
  expect(done).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
  expect(done.error.message).toContain("whether 1 of 3 orders arrived");
  expect(done.result).toMatchObject({
    summary: { total: 3, sent: 0, failed: 2, outcomeUnknown: 1 },
    results: [{ error: { code: "refused" } }, { status: "outcome_unknown" }, { status: "failed" }],
  });

  let isBusy = true;
  const busy = scriptedShop({
    honoursKeys: false,
    canFind: true,
    onSend: () => (isBusy ? Promise.reject(new RemoteError("busy", "Later.", { retryable: true })) : Promise.resolve()),
  });
  const { id } = (await org.post("/tasks/execute", { ...(await prepare(busy, 1)), retryDelaySeconds: 1 })).body;
  const look = async () => (await org.get(`/tasks/executions/${id}`)).body;
  const waiting = await eventually(look, ({ status, attempt }) => status === "queued" && attempt === 1);
  expect(waiting).toMatchObject({ error: { code: "busy" }, result: { results: [{ error: { code: "busy" } }] } });
  isBusy = false;
  expect(await ended(id)).toMatchObject({ status: "succeeded", error: null, result: { summary: { sent: 1 } } });
});

test("an effect that another attempt has completed is not reopened", async () => {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let sends = 0;
  const shop = scriptedShop({
    honoursKeys: true,
    canFind: false,
    async onSent() {
      if (++sends > 1) return;
      reached.resolve();
      await goOn.promise;
    },
  });
  const { id } = (await org.post("/tasks/execute", await prepare(shop, 1))).body;
  await reached.promise;
  await loseWorker(id);
  expect(await ended(id)).toMatchObject({ status: "succeeded", attempt: 2 });
  goOn.resolve();
  const rows = await eventually(
    () => hub.world.db.query<{ status: string }>("select status from task_effects where execution_id = $1", [id]),
    ([row]) => row?.status === "done",
  );
  expect(rows).toEqual([{ status: "done" }]);
  expect([...shop.applied.values()]).toEqual([1]);
});
