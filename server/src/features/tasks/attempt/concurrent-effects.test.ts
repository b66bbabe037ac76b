import { describe, expect, test } from "vitest";
import { RemoteError } from "../../../core/remote-error.ts";
import { pushFixture } from "../../../testing/push-fixture.ts";
import { installConnector, scriptedShop } from "../../../testing/scripted-connector.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const { org, shop, aBridge, journalOf, anOrder, shippedOrder, ended } = await pushFixture(hub);

await hub.secondNode({ taskSlots: 4 });

describe("several executions at the same time", () => {
  test.each([
    ["that is new", "blind"],
    ["with an unknown outcome", "findable"],
  ] as const)("on two nodes send each order %s once", async (_name, way) => {
    const { bridgeId, push } = await aBridge(way);
    await org.patch(`/bridges/${bridgeId}`, { concurrency: 8 });
    const orders = [];
    for (const n of [1, 2, 3, 4]) orders.push(await shippedOrder(`C-${n}`));
    const orderIds = orders.map(({ id }) => id);
    shop.calm();
    if (way === "findable") {
      shop.inject({ kind: "drop_before", match: "POST /rest/plain", times: 4 });
      expect((await push(orderIds)).result.summary).toMatchObject({ outcomeUnknown: 4 });
    }
    shop.inject({ kind: "slow", match: "POST /rest/plain", times: 20 });
    const queued = await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        const input = { orderIds: i % 2 === 0 ? orderIds : orderIds.toReversed() };
        return org.post("/tasks/execute", { bridgeId, taskName: "fulfillments.push", input });
      }),
    );
    const ends = await Promise.all(queued.map(({ body: execution }) => ended(execution.id)));
    for (const end of ends) {
      expect(end).toMatchObject({ status: "succeeded", result: { summary: { failed: 0, outcomeUnknown: 0 } } });
      expect(end.result.summary.sent + end.result.summary.alreadySent).toBe(4);
    }
    expect(ends.reduce((sum, end) => sum + end.result.summary.sent, 0)).toBe(4);
    for (const { number } of orders) expect(journalOf(number)).toHaveLength(1);
  });

  test("the second one waits for the first, and reports in_progress if that takes long", async () => {
    const sending = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { task, applied } = scriptedShop({
      honoursKeys: false,
      canFind: false,
      async onSend() {
        sending.resolve();
        await goOn.promise;
      },
    });
    const given = { name: "Slow", connector: installConnector([task]) };
    const bridgeId = (await org.post("/bridges", given)).body.id;
    const request = { bridgeId, taskName: "orders.export", input: { orderIds: [(await anOrder()).id] } };
    const first = (await org.post("/tasks/execute", request)).body;
    await sending.promise;
    const late = (await org.post("/tasks/execute-sync", request)).body;
    expect(late).toMatchObject({ status: "failed", error: { code: "in_progress", retryable: true } });
    expect(late.result).toMatchObject({ summary: { inProgress: 1 }, results: [{ status: "in_progress" }] });
    const waiting = org.post("/tasks/execute-sync", request);
    goOn.resolve();
    expect((await waiting).body.result.summary).toMatchObject({ sent: 0, alreadySent: 1 });
    expect((await ended(first.id)).result.summary).toMatchObject({ sent: 1 });
    expect([...applied.values()]).toEqual([1]);
  });

  test.each([
    ["asks the shop", { honoursKeys: false, canFind: true }, "succeeded"],
    ["uses the same key", { honoursKeys: true, canFind: false }, "succeeded"],
    ["leaves it alone where neither is possible", { honoursKeys: false, canFind: false }, "failed"],
  ])("after the death of a worker that has sent, another execution %s", async (name, parts, status) => {
    const gone = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    let sends = 0;
    const { task, applied } = scriptedShop({
      ...parts,
      async onSent() {
        if (++sends > 1) return;
        gone.resolve();
        await never;
      },
    });
    const given = { name: `Shop that ${name}`, connector: installConnector([task]) };
    const bridgeId = (await org.post("/bridges", given)).body.id;
    const request = { bridgeId, taskName: "orders.export", input: { orderIds: [(await anOrder()).id] } };
    const { id } = (await org.post("/tasks/execute", { ...request, maxAttempts: 1 })).body;
    await gone.promise;
    await hub.world.db.query(
      "update task_executions set lease_owner = gen_random_uuid(), lease_until = now() - interval '1 ms' where id = $1",
      [id],
    );
    expect(await ended(id)).toMatchObject({ status: "failed", error: { code: "worker_lost" } });
    const next = (await org.post("/tasks/execute-sync", request)).body;
    expect(next.status).toBe(status);
    if (status === "failed") expect(next.error.code).toBe("outcome_unknown");
    expect([...applied.values()]).toEqual([1]);
  });
});

test("after a definite rejection another execution sends with a new key", async () => {
  const keys: string[] = [];
  const { task } = scriptedShop({
    honoursKeys: true,
    canFind: false,
    onSend(_call, key) {
      keys.push(key);
      return keys.length < 3 ? Promise.reject(new RemoteError("no_such_sku", "Unknown article.")) : Promise.resolve();
    },
  });
  const given = { name: "Refusing", connector: installConnector([task]) };
  const bridgeId = (await org.post("/bridges", given)).body.id;
  const request = { bridgeId, taskName: "orders.export", input: { orderIds: [(await anOrder()).id] } };
  const first = (await org.post("/tasks/execute-sync", request)).body;
  expect(first.status).toBe("failed");
  await ended((await org.post(`/tasks/executions/${first.id}/retry`)).body.id);
  expect((await org.post("/tasks/execute-sync", request)).body.status).toBe("succeeded");
  expect([keys[1] === keys[0], keys[2] === keys[0]]).toEqual([true, false]);
});
