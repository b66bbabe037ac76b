import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub({ taskSlots: 0 });
const org = await hub.org();

test("executions are listed by the run that queued them", async () => {
  const { body: bridge } = await org.post("/bridges", { name: "Of a run", connector: "demo" });
  const { body: order } = await org.post("/orders", {});
  const actions = [{ type: "run_task", params: { bridge_id: bridge.id, task_name: "noop" } }];
  const runs = [];
  for (let i = 0; i < 2; i++) {
    const { body } = await org.post("/operations/run", { order_ids: [order.id], actions });
    runs.push({ id: body.id, executionId: body.results[0].steps[0].execution_id });
  }
  for (const { id, executionId } of runs) {
    const { data } = (await org.get(`/tasks/executions?runId=${id}`)).body;
    expect(data.map((one: { id: string }) => one.id)).toEqual([executionId]);
  }
  hub.advance(25 * 3_600_000);
});

test("executions are counted by status and by task, within a time and of one bridge", async () => {
  const bridge = async (name: string) => (await org.post("/bridges", { name, connector: "demo" })).body.id as string;
  const [one, two] = [await bridge("One"), await bridge("Two")];
  const execute = async (bridgeId: string) =>
    (await org.post("/tasks/execute", { bridgeId, taskName: "noop" })).body.id as string;
  const first = await execute(one);
  await execute(one);
  await execute(two);
  await org.post(`/tasks/executions/${first}/cancel`);
  const stats = async (query = "") => (await org.get(`/tasks/executions/counts${query}`)).body;
  expect(await stats()).toMatchObject({
    total: 3,
    byStatus: { queued: 2, cancelled: 1, failed: 0 },
    byTask: [
      { bridgeId: one, taskName: "noop", total: 2, byStatus: { queued: 1, cancelled: 1 }, lastFailedAt: null },
      { bridgeId: two, total: 1 },
    ],
  });
  expect((await stats(`?bridgeId=${two}`)).total).toBe(1);
  hub.advance(25 * 3_600_000);
  expect(await stats()).toMatchObject({ total: 0, byTask: [] });
  expect((await stats("?from=2000-01-01T00:00:00Z")).total).toBe(5);
  expect((await (await hub.org()).get("/tasks/executions/counts?from=2000-01-01T00:00:00Z")).body.total).toBe(0);
});
