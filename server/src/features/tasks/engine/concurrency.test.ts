import { describe, expect, test } from "vitest";
import type { Call } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { eventually } from "../../../testing/eventually.ts";
import { installConnector, scriptedCall, scriptedShop } from "../../../testing/scripted-connector.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { change, systemContext } from "../../../context.ts";
import { enqueueExecutions, requireTask } from "../tasks.ts";

/** How many of one bridge are at work, and how many were at the most. The first wait until as many are as should be. */
class Lane {
  now = 0;
  most = 0;
  readonly met = Promise.withResolvers<void>();
}
const atWork = new Map<string, Lane>();
const order: string[] = [];
const begun = new Map<string, Call>();

const connector = installConnector([
  scriptedCall("count", true, async ({ input }) => {
    const lane = atWork.get(String(input.lane)) ?? new Lane();
    atWork.set(String(input.lane), lane);
    lane.most = Math.max(lane.most, ++lane.now);
    if (lane.now === input.together) lane.met.resolve();
    await lane.met.promise;
    await new Promise((resolve) => setTimeout(resolve, 20));
    lane.now--;
    return {};
  }),
  scriptedCall("mark", true, ({ input }) => {
    order.push(String(input.mark));
    return Promise.resolve({});
  }),
  scriptedCall("wait", true, async (call) => {
    begun.set(String(call.input.mark), call);
    await new Promise<void>((_resolve, reject) => {
      call.signal.addEventListener("abort", () => reject(new RemoteError("cancelled", "Left.")));
    });
    return {};
  }),
]);

async function addBridge(org: TestOrg, name: string, more: object = {}): Promise<string> {
  return (await org.post("/bridges", { name, connector, ...more })).body.id;
}

async function openCount(org: TestOrg, query = ""): Promise<number> {
  return (await org.get(`/tasks/executions?status=queued,running&limit=1${query}`)).body.pagination.total;
}

describe("concurrency", () => {
  test("is limited per bridge across all nodes, and a full bridge does not delay another", async () => {
    const hub = await startTestHub({ taskSlots: 8 });
    await hub.secondNode({ taskSlots: 8 });
    const org = await hub.org();
    const [narrow, wide] = [await addBridge(org, "Narrow", { concurrency: 3 }), await addBridge(org, "Wide")];
    const queue = async (bridgeId: string, lane: string, together: number): Promise<unknown> =>
      org.post("/tasks/execute", { bridgeId, taskName: "count", input: { lane, together } });
    await Promise.all(Array.from({ length: 60 }, () => queue(narrow, "narrow", 3)));
    await Promise.all(Array.from({ length: 30 }, () => queue(wide, "wide", 4)));
    await eventually(
      () => openCount(org, `&bridgeId=${wide}`),
      (count) => count === 0,
    );
    await eventually(
      () => openCount(org),
      (count) => count === 0,
    );
    expect(atWork.get("narrow")).toMatchObject({ now: 0, most: 3 });
    expect(atWork.get("wide")!.most).toBeGreaterThan(3);
  });

  test("executions with a waiting caller go first, also with a long queue on the same bridge", async () => {
    const hub = await startTestHub({ taskSlots: 0 });
    const org = await hub.org();
    const bridgeId = await addBridge(org, "One", { concurrency: 1 });
    order.length = 0;
    const queue = (mark: string) => org.post("/tasks/execute", { bridgeId, taskName: "mark", input: { mark } });
    await Promise.all(Array.from({ length: 40 }, (_, i) => queue(`later ${i}`)));
    const now = org.post("/tasks/execute-sync", { bridgeId, taskName: "mark", input: { mark: "now" } });
    await eventually(
      () => openCount(org),
      (count) => count === 41,
    );
    await hub.secondNode({ taskSlots: 8 });
    expect((await now).body.status).toBe("succeeded");
    await eventually(
      () => openCount(org),
      (count) => count === 0,
    );
    expect(order.indexOf("now")).toBeLessThan(3);
    expect(order.length).toBe(41);
  });

  test("an organization with 2,000 waiting tasks does not delay the single task of another", async () => {
    const hub = await startTestHub({ taskSlots: 0 });
    const [crowd, single] = [await hub.org(), await hub.org()];
    const [theirs, mine] = [await addBridge(crowd, "Crowd"), await addBridge(single, "Single")];
    // As a schedule or a run queues them: all at once.
    const ctx = systemContext(hub.world, crowd.id, "test");
    const checked = await requireTask(ctx, { bridgeId: theirs, taskName: "mark", input: {} });
    const requests = Array.from(
      { length: 2_000 },
      (_, i) => ({ ...checked, trigger: "system", input: { mark: i } }) as const,
    );
    await change(ctx, (tx) => enqueueExecutions(tx, ctx, requests));
    order.length = 0;
    await single.post("/tasks/execute", { bridgeId: mine, taskName: "mark", input: { mark: "single" } });
    await hub.secondNode({ taskSlots: 2 });
    await eventually(
      async () => order.includes("single"),
      (isThere) => isThere,
    );
    expect(order.indexOf("single")).toBeLessThan(10);
  });
});

describe("cancelling on another node", () => {
  test("responds when the task has stopped, and nothing of it starts afterwards", async () => {
    const hub = await startTestHub({ taskSlots: 0 });
    await hub.secondNode({ taskSlots: 8 });
    const org = await hub.org();
    const bridgeId = await addBridge(org, "Far");
    for (let round = 0; round < 10; round++) {
      const mark = `far ${round}`;
      const { id } = (await org.post("/tasks/execute", { bridgeId, taskName: "wait", input: { mark } })).body;
      await eventually(
        async () => begun.has(mark),
        (hasBegun) => hasBegun,
      );
      expect((await org.post(`/tasks/executions/${id}/cancel`)).body.status).toBe("cancelled");
      expect(begun.get(mark)!.signal.aborted).toBe(true);
    }
  });

  test("at any moment: no call starts after the response", async () => {
    const hub = await startTestHub({ taskSlots: 0 });
    await hub.secondNode({ taskSlots: 16 });
    const org = await hub.org();
    const bridgeId = await addBridge(org, "Far");
    const marks = Array.from({ length: 60 }, (_, i) => `moment ${i}`);
    const begunAfter: string[] = [];
    await Promise.all(
      marks.map(async (mark, i) => {
        const { id } = (await org.post("/tasks/execute", { bridgeId, taskName: "wait", input: { mark } })).body;
        await new Promise((resolve) => setTimeout(resolve, (i % 12) * 2));
        await org.post(`/tasks/executions/${id}/cancel`);
        if (!begun.has(mark)) begunAfter.push(mark);
      }),
    );
    // Whatever had not begun by then never does; a later task proves that the worker has gone on.
    await org.post("/tasks/execute-sync", { bridgeId, taskName: "connection.test" });
    expect(begunAfter.filter((mark) => begun.has(mark))).toEqual([]);
    expect(await openCount(org)).toBe(0);
  });

  test("of a task that sends orders one by one: no further order is sent", async () => {
    const sending = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { task, applied } = scriptedShop({
      honoursKeys: true,
      canFind: false,
      onSend: async () => {
        if (applied.size === 2) {
          sending.resolve();
          await goOn.promise;
        }
      },
    });
    const hub = await startTestHub({ taskSlots: 0 });
    await hub.secondNode({ taskSlots: 2 });
    const org = await hub.org();
    const body = { name: "Shop", connector: installConnector([task]) };
    const bridgeId = (await org.post("/bridges", body)).body.id;
    const orders = await Promise.all([1, 2, 3, 4, 5].map(async () => (await org.post("/orders", {})).body.id));
    const request = { bridgeId, taskName: "orders.export", input: { orderIds: orders } };
    const { id } = (await org.post("/tasks/execute", request)).body;
    await sending.promise;
    expect((await org.post(`/tasks/executions/${id}/cancel`)).status).toBe(200);
    goOn.resolve();
    await org.post("/tasks/execute-sync", { bridgeId, taskName: "connection.test" });
    // The third was under way; the fourth and fifth were not, and a retry sends just those.
    expect(applied.size).toBe(3);
    const retry = (await org.post(`/tasks/executions/${id}/retry`)).body;
    const done = await eventually(
      async () => (await org.get(`/tasks/executions/${retry.id}`)).body,
      ({ status }) => status === "succeeded",
    );
    expect(done.result.summary).toMatchObject({ total: 5, sent: 2, alreadySent: 3 });
    expect([...applied.values()]).toEqual([1, 1, 1, 1, 1]);
  });
});
