import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { removeOldSamples } from "../tasks/tasks.ts";

const hub = await startTestHub();
const org = await hub.org();
const query = (text: string) => hub.world.db.query<Record<string, unknown>>(text);

let bridges = 0;
const aBridge = async (): Promise<string> =>
  (await org.post("/bridges", { name: `Shop ${++bridges}`, connector: "demo", settings: { seed: bridges } })).body.id;

type Task = { bridgeId: string; taskName: "orders.import" | "orders.export" };

async function transformation(task: Task, mappings: object[], isActive = false): Promise<string> {
  const direction = task.taskName === "orders.import" ? "inbound" : "outbound";
  const { status, body } = await org.post("/transformations", { name: "T", ...task, direction, mappings, isActive });
  expect(status).toBe(201);
  return body.id;
}

async function execute(task: Task, input: object): Promise<void> {
  expect((await org.post("/tasks/execute-sync", { ...task, input })).body.status).toBe("succeeded");
}

const replay = async (id: string, more: object = {}) => (await org.post(`/transformations/${id}/replay`, more)).body;

async function imported(count: number): Promise<Task> {
  const task: Task = { bridgeId: await aBridge(), taskName: "orders.import" };
  await execute(task, { count });
  return task;
}

test("a changed mapping is replayed on the first pulled records and compared with the former output", async () => {
  const task: Task = { bridgeId: await aBridge(), taskName: "orders.import" };
  const active = await transformation(task, [{ source: "order_no", target: "number" }], true);
  await execute(task, { count: 8 });
  const same = await replay(active);
  expect(same.summary).toEqual({ executions: 1, unchanged: 1, changed: 0, failed: 0, notRecorded: 0 });
  expect(same.results).toMatchObject([{ status: "unchanged", records: 5 }]);

  const prefixed = await transformation(task, [
    { source: "order_no", target: "number", transforms: [{ prefix: "X-" }] },
  ]);
  const [changed] = (await replay(prefixed)).results;
  expect(changed).toMatchObject({ status: "changed", records: 5 });
  expect(changed.differences).toHaveLength(5);
  const { path, before, after } = changed.differences[0];
  expect([path, after]).toEqual(["/0/number", `X-${before}`]);

  const strict = await transformation(task, [{ source: "order_no", target: "number", type: "boolean" }]);
  const [failed] = (await replay(strict)).results;
  expect(failed).toMatchObject({ status: "failed", records: 5, differences: [] });
  expect(failed.errors.map(({ code, record }: { code: string; record: number }) => `${record} ${code}`)).toEqual(
    [0, 1, 2, 3, 4].map((record) => `${record} type_mismatch`),
  );
});

test("without a transformation, the replay is compared with the output of the connector", async () => {
  const task = await imported(2);
  const draft = await transformation(task, [{ value: "X-1", target: "number" }]);
  const [result] = (await replay(draft)).results;
  expect(result).toMatchObject({ status: "changed", records: 2 });
  expect(result.differences).toContainEqual(expect.objectContaining({ path: "/0/number", after: "X-1" }));
});

test("sent orders are replayed as they were at that time", async () => {
  const task: Task = { bridgeId: await aBridge(), taskName: "orders.export" };
  const { id } = (await org.post("/orders", { number: "SENT-1", tags: ["then"] })).body;
  const active = await transformation(task, [{ source: "tags", target: "labels" }], true);
  await execute(task, { orderIds: [id] });
  await org.patch(`/orders/${id}`, { tags: ["now"] });
  expect((await replay(active)).results).toMatchObject([{ status: "unchanged", records: 1 }]);
  const draft = await transformation(task, [{ source: "tags[0]", target: "labels" }]);
  expect((await replay(draft)).results[0].differences).toEqual([
    { path: "/0/labels", before: ["then"], after: "then" },
  ]);
});

test("without pii:read a replay is rejected, since a mapping could read personal data (security 9)", async () => {
  const task = await imported(1);
  const draft = await transformation(task, [{ source: "buyer.last_name", target: "number" }]);
  const seen = (await replay(draft)).results[0].differences.find(({ path }: { path: string }) => path === "/0/number");
  const name = seen.after as string;
  expect(name).toMatch(/^[A-Z]/);
  // Whether the number is set tells whether the guess is right, though every value would be masked.
  const when = { path: "buyer.last_name", op: "starts_with", value: name.slice(0, 2) };
  const guess = await transformation(task, [{ target: "number", value: "yes", when }]);
  const blind = await org.withScopes(["transformations:read", "transformations:write", "tasks:read"]);
  for (const id of [draft, guess]) {
    const { status, body } = await blind.post(`/transformations/${id}/replay`, {});
    expect([status, body.code, body.required]).toEqual([403, "insufficient_scope", ["pii:read"]]);
  }
});

test("a few records of the newest executions are stored encrypted for a short time", async () => {
  const task = await imported(1);
  for (let round = 0; round < 51; round++) await execute(task, { count: 1 });
  const kept = `from task_samples where bridge_id = '${task.bridgeId}'`;
  expect(await query(`select count(*) as n ${kept}`)).toEqual([{ n: 50 }]);
  const plain = "select count(*) as n from task_samples s, orders o where s.sealed like '%' || o.number || '%'";
  expect(await query(plain)).toEqual([{ n: 0 }]);

  const draft = await transformation(task, [{ source: "order_no", target: "number" }]);
  expect((await replay(draft, { limit: 50 })).summary).toMatchObject({ executions: 50, notRecorded: 0 });
  await query(`update task_samples set sealed = (select sealed from task_samples where bridge_id <> '${task.bridgeId}' limit 1)
     where execution_id = (select execution_id ${kept} order by created_at desc limit 1)`);
  expect((await replay(draft, { limit: 1 })).results).toMatchObject([
    { status: "not_recorded", reason: expect.stringContaining("encrypted") },
  ]);

  hub.advance(8 * 86_400_000);
  await removeOldSamples(hub.world);
  expect(await query("select count(*) as n from task_samples")).toEqual([{ n: 0 }]);
  const gone = await replay(draft, { limit: 3 });
  expect(gone.summary).toMatchObject({ executions: 3, notRecorded: 3 });
  expect(gone.results[0].reason).toContain("7 days");
});

test("records that are too large are not stored, the others are", async () => {
  const task: Task = { bridgeId: await aBridge(), taskName: "orders.export" };
  const lines = Array.from({ length: 200 }, (_, i) => ({ sku: `S-${i}`, name: "long ".repeat(40), quantity: 1 }));
  const large = await org.post("/orders", { number: "LARGE-1", lines });
  expect(large.status).toBe(201);
  const small = (await org.post("/orders", { number: "SMALL-1" })).body.id;
  await execute(task, { orderIds: [large.body.id, small] });
  const draft = await transformation(task, [{ source: "number", target: "number" }]);
  const [result] = (await replay(draft)).results;
  expect(result).toMatchObject({ status: "changed", records: 1 });
});
