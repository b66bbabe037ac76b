import { expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { removeWhatIsOld } from "./retention.ts";

const dayMs = 86_400_000;
const never = new AbortController().signal;
const hub = await startTestHub({ settings: { keepDays: { runs: 365, executions: 90 } } });
const org = await hub.org();
const { body: bridge } = await org.post("/bridges", { name: "Shop", connector: "demo" });
const bridgeId = bridge.id as string;

async function makeRun(): Promise<string> {
  const order = await org.post("/orders", { status: "ready" });
  const { status, body } = await org.post("/operations/run", {
    order_ids: [order.body.id],
    actions: [{ type: "add_tags", params: { tags: ["old"] } }],
  });
  expect(status).toBe(201);
  return body.id as string;
}

async function statusOf(path: string): Promise<number> {
  return (await org.get(path)).status;
}

test("what has ended is removed when its time is over, with all that belongs to it, and that is recorded (reliability R9)", async () => {
  const executed = await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: {} });
  expect(executed.status).toBe(200);
  const execution = executed.body.id as string;
  const [alone, chained] = [await makeRun(), await makeRun()];

  hub.advance(89 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await statusOf(`/tasks/executions/${execution}`)).toBe(200);
  hub.advance(2 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await statusOf(`/tasks/executions/${execution}`)).toBe(404);
  expect(await statusOf(`/operations/runs/${alone}`)).toBe(200);

  // An undo is part of what it takes back: both are kept until the undo is old.
  const undo = await org.post(`/operations/runs/${chained}/undo`, {});
  expect(undo.status).toBe(201);
  hub.advance(280 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await statusOf(`/operations/runs/${alone}`)).toBe(404);
  expect(await statusOf(`/operations/runs/${chained}`)).toBe(200);
  const again = await org.post(`/operations/runs/${undo.body.id}/undo`, {});
  expect(again.body).toMatchObject({ status: "succeeded" });
  hub.advance(366 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await statusOf(`/operations/runs/${chained}`)).toBe(404);
  expect(await statusOf(`/operations/runs/${again.body.id}`)).toBe(404);

  const left = await hub.world.db.query(
    "select from operation_results where run_id = any($1::uuid[]) union all select from task_logs where execution_id = $2",
    [[alone, chained, undo.body.id, again.body.id], execution],
  );
  expect(left).toEqual([]);
  const listRemoved = async (): Promise<string[]> => {
    const { body } = await org.get("/audit?type=retention.removed");
    const entries = body.data as { data: { kind: string; count: number } }[];
    return entries.map(({ data }) => `${data.count} ${data.kind}`).toSorted();
  };
  await expect.poll(listRemoved, { timeout: 10_000 }).toEqual(["1 executions", "1 runs", "3 runs"]);
});

test("what has sent something outside is kept, since it must not be sent again (reliability R9)", async () => {
  const { db } = hub.world;
  const executed = await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: {} });
  await db.query(
    `insert into task_effects (org_id, effect_key, execution_id, bridge_id, task_name, opened_by, status, created_at, updated_at)
       values ($1, 'sent once', $2, $3, 'noop', $2, 'done', now(), now())`,
    [org.id, executed.body.id, bridgeId],
  );
  hub.advance(100 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await statusOf(`/tasks/executions/${executed.body.id}`)).toBe(200);
});
