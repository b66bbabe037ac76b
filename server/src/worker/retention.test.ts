import { beforeAll, describe, expect, test } from "vitest";
import type { RetainedKind } from "../context.ts";
import { aParcel } from "../features/labels/labels.schemas.ts";
import { deleteChainsAcrossOrgs, lockOldChainsAcrossOrgs } from "../features/operations/run/old-runs.store.ts";
import { deleteOldRunsAcrossOrgs } from "../features/operations/operations.ts";
import { automationWork } from "../features/automations/automations.ts";
import { deleteUnneededAcrossOrgs } from "../features/tasks/old-executions.store.ts";
import { deleteOldExecutionsAcrossOrgs } from "../features/tasks/tasks.ts";
import type { Tx } from "../db/database.ts";
import { anItem, comparisonFixture } from "../testing/comparison-fixture.ts";
import { workOff } from "../queue/work.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { readBacklog } from "./backlog.ts";
import { purgeExpired } from "./retention.ts";
import { lockWaits } from "../testing/lock-waits.ts";

const dayMs = 86_400_000;
const never = new AbortController().signal;
const retentionDays: Record<RetainedKind, number> = {
  runs: 365,
  executions: 90,
  exceptions: 180,
  comparisons: 365,
  pickups: 730,
  labelFiles: 180,
  deliveries: 30,
  deliveryResponses: 7,
  invocations: 90,
  requests: 7,
};
const hub = await startTestHub({ settings: { retentionDays } });
const org = await hub.org();
const { db } = hub.world;
const { body: bridge } = await org.post("/bridges", { name: "Shop", connector: "demo" });
const bridgeId = bridge.id as string;

async function makeRun(type = "add_tags"): Promise<string> {
  const order = await org.post("/orders", { status: "ready" });
  const params = type === "add_tags" ? { tags: ["old"] } : {};
  const { status, body } = await org.post("/operations/run", {
    order_ids: [order.body.id],
    actions: [{ type, params }],
  });
  expect(status).toBe(201);
  return body.id as string;
}

async function execute(taskName = "noop"): Promise<string> {
  const { status, body } = await org.post("/tasks/execute-sync", { bridgeId, taskName, input: {} });
  expect(status).toBe(200);
  return body.id as string;
}

async function statusOf(path: string): Promise<number> {
  return (await org.get(path)).status;
}

async function listRemoved(): Promise<string[]> {
  const { body } = await org.get("/audit?type=retention.removed&limit=100");
  const entries = body.data as { data: { kind: string; count: number } }[];
  return entries.map(({ data }) => `${data.count} ${data.kind}`).toSorted();
}

test("ended records are deleted after their retention, with all their parts, and this is recorded (reliability R9)", async () => {
  const execution = await execute();
  const [alone, chained] = [await makeRun(), await makeRun()];

  hub.advance(89 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await statusOf(`/tasks/executions/${execution}`)).toBe(200);
  hub.advance(2 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await statusOf(`/tasks/executions/${execution}`)).toBe(404);
  expect(await statusOf(`/operations/runs/${alone}`)).toBe(200);

  // An undo is part of what it takes back: both are kept until the undo is old.
  const undo = await org.post(`/operations/runs/${chained}/undo`, {});
  expect(undo.status).toBe(201);
  hub.advance(280 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await statusOf(`/operations/runs/${alone}`)).toBe(404);
  expect(await statusOf(`/operations/runs/${chained}`)).toBe(200);
  const again = await org.post(`/operations/runs/${undo.body.id}/undo`, {});
  expect(again.body).toMatchObject({ status: "succeeded" });
  hub.advance(366 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await statusOf(`/operations/runs/${chained}`)).toBe(404);
  expect(await statusOf(`/operations/runs/${again.body.id}`)).toBe(404);

  const left = await db.query(
    "select from operation_results where run_id = any($1::uuid[]) union all select from task_logs where execution_id = $2",
    [[alone, chained, undo.body.id, again.body.id], execution],
  );
  expect(left).toEqual([]);
  await expect.poll(listRemoved, { timeout: 10_000 }).toEqual(["1 executions", "1 runs", "3 runs"]);
});

test("the audit log has one entry per kind and day, for any number of records and passes", async () => {
  const told = async () => (await listRemoved()).filter((text) => text.endsWith(" executions"));
  const before = await told();
  hub.advance(dayMs - (hub.world.clock.now().getTime() % dayMs));
  const first = await execute();
  await db.query(
    `insert into task_executions select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
       from task_executions e, generate_series(1, 1500) where e.id = $1`,
    [first],
  );
  hub.advance(3_600_000);
  await execute();
  hub.advance(90 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await told()).toEqual(before);
  hub.advance(dayMs);
  for (let look = 0; look < 3; look++) {
    await purgeExpired(hub.world, never);
    hub.advance(600_000);
  }
  await expect.poll(told, { timeout: 10_000 }).toEqual([...before, "1502 executions"].toSorted());
});

test("deletions by a process that died are recorded by the next one", async () => {
  await db.query("insert into removals values ($1, 'pickups', '2020-01-01', 7)", [org.id]);
  await purgeExpired(hub.world, never);
  await expect.poll(listRemoved, { timeout: 10_000 }).toContain("7 pickups");
});

test("an unread event makes an automation waiting work; its invocations are deleted after their retention, with a record", async () => {
  const waiting = async () =>
    (await readBacklog(hub.world)).queues.find(({ queue }) => queue === "automations")?.waiting;
  const actions = [{ type: "add_tags", params: { tags: ["seen"] } }];
  const pipeline = (await org.post("/operations/pipelines", { name: "Tag", actions })).body;
  const automation = { name: "Tag", trigger: { types: ["order.created"] }, pipeline_id: pipeline.id, mode: "run" };
  const { id } = (await org.post("/automations", automation)).body;
  await hub.world.sealer.sealNow();
  expect(await waiting()).toBe(0);
  await org.post("/orders", {});
  await hub.world.sealer.sealNow();
  expect(await waiting()).toBe(1);
  expect(await workOff(hub.world, automationWork)).toBe(1);
  expect(await waiting()).toBe(0);
  expect((await org.post(`/automations/${id}/pause`)).status).toBe(200);
  const invocations = async () => (await org.get(`/automations/${id}/invocations`)).body.data;
  hub.advance(89 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await invocations()).toHaveLength(1);
  hub.advance(2 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await invocations()).toEqual([]);
  await expect.poll(listRemoved, { timeout: 10_000 }).toContain("1 invocations");
});

test("an execution that sent something is kept, since it must not be sent again (reliability R9)", async () => {
  const execution = await execute();
  await db.query(
    `insert into task_effects (org_id, effect_key, execution_id, bridge_id, task_name, opened_by, status, created_at, updated_at)
       values ($1, 'sent once', $2, $3, 'noop', $2, 'done', now(), now())`,
    [org.id, execution, bridgeId],
  );
  hub.advance(100 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await statusOf(`/tasks/executions/${execution}`)).toBe(200);
});

test("a comparison is deleted with its items a year after its last change (reliability R9)", async () => {
  const fixture = await comparisonFixture(hub, org);
  const [old, renamed] = [await fixture.processed([anItem(), anItem()]), await fixture.aComparison([anItem()])];
  hub.advance(200 * dayMs);
  await purgeExpired(hub.world, never);
  expect([await statusOf(old), await statusOf(renamed)]).toEqual([200, 200]);
  const young = await fixture.aComparison([anItem()]);
  // One that waits for a worker is not old, however long it does.
  const waiting = await fixture.aComparison([anItem()]);
  expect((await org.post(`${waiting}/process`, {})).status).toBeLessThan(300);
  await db.query("update rate_comparisons set updated_at = '2001-01-01' where id = $1", [waiting.split("/").at(-1)]);
  hub.advance(166 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await Promise.all([old, renamed, young, waiting].map(statusOf))).toEqual([404, 404, 200, 200]);
  const id = old.split("/").at(-1);
  for (const table of ["rate_items", "rate_results", "rate_item_kinds"]) {
    expect(await db.query(`select from ${table} where comparison_id = $1`, [id]), table).toEqual([]);
  }
  await expect.poll(listRemoved, { timeout: 10_000 }).toContain("2 comparisons");
});

test("a pickup is deleted two years after its end, a future one is not (reliability R9)", async () => {
  const { body: account } = await org.post("/carrier-accounts", { name: "Driver", carrier: "rate-card" });
  const pickupAddress = { address1: "1 Port Street", city: "Newark", zip: "07114", countryCode: "US" };
  const wanted = {
    carrierAccountId: account.id,
    pickupAddress,
    packageCount: 1,
    readyTime: "12:00",
    closeTime: "16:00",
  };
  const tomorrow = new Date(hub.world.clock.now().getTime() + dayMs).toISOString().slice(0, 10);
  const { nextAvailable } = (await org.post("/pickups/check", { ...wanted, pickupDate: tomorrow })).body;
  const book = async (): Promise<string> =>
    (await org.post("/pickups", { ...wanted, ...nextAvailable, allowDuplicate: true })).body.id as string;
  const [ended, open] = [await book(), await book()];
  expect((await org.delete(`/pickups/${ended}`)).body).toMatchObject({ status: "cancelled" });
  hub.advance(729 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await statusOf(`/pickups/${ended}`)).toBe(200);
  hub.advance(2 * dayMs);
  await purgeExpired(hub.world, never);
  expect([await statusOf(`/pickups/${ended}`), await statusOf(`/pickups/${open}`)]).toEqual([404, 200]);
  await expect.poll(listRemoved, { timeout: 10_000 }).toContain("1 pickups");
});

test("the file of a label is deleted after half a year, which reading it reports; the label stays (reliability R9)", async () => {
  const { body: account } = await org.post("/carrier-accounts", { name: "Printer", carrier: "demo" });
  const { body } = await org.post("/shipments/labels", { ...aParcel, carrierAccountId: account.id });
  const path = `/shipments/labels/${body.label.id}`;
  hub.advance(179 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await statusOf(`${path}/content`)).toBe(200);
  const before = (await org.get(path)).body;
  hub.advance(2 * dayMs);
  await purgeExpired(hub.world, never);
  const gone = await org.get(`${path}/content`);
  expect([gone.status, gone.body.code]).toEqual([409, "invalid_state"]);
  expect(gone.body.detail).toMatch(/retention period/);
  expect((await org.get(path)).body).toEqual(before);
  await expect.poll(listRemoved, { timeout: 10_000 }).toContain("1 labelFiles");
});

test("an exception is deleted half a year after it was closed, or last occurred if it is open (reliability R9)", async () => {
  const { body: account } = await org.post("/carrier-accounts", { name: "Refuses", carrier: "demo" });
  const refused = { ...aParcel, service: "by_balloon", carrierAccountId: account.id };
  for (const reference of ["closed", "open", "young"]) {
    if (reference === "young") hub.advance(100 * dayMs);
    expect((await org.post("/shipments/labels", { ...refused, reference })).status).toBe(409);
  }
  const { data } = (await org.get("/exceptions?kind=label")).body as { data: { id: string }[] };
  expect(data).toHaveLength(3);
  const [young, open, closed] = data.map(({ id }) => `/exceptions/${id}`) as [string, string, string];
  expect((await org.post(`${closed}/resolve`, { action: "dismiss" })).status).toBe(200);
  hub.advance(81 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await Promise.all([young, open, closed].map(statusOf))).toEqual([200, 404, 200]);
  hub.advance(100 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await Promise.all([young, open, closed].map(statusOf))).toEqual([404, 404, 404]);
  await expect.poll(listRemoved, { timeout: 10_000 }).toContain("1 exceptions");
});

test("records with retention forever are kept (reliability R9)", async () => {
  const [execution, run] = [await execute(), await makeRun()];
  hub.advance(1_000 * dayMs);
  const settings = { ...hub.world.settings, retentionDays: { runs: 365 } };
  await purgeExpired({ ...hub.world, settings }, never);
  expect([await statusOf(`/tasks/executions/${execution}`), await statusOf(`/operations/runs/${run}`)]).toEqual([
    200, 404,
  ]);
});

describe("concurrent retries and undos of records that are being deleted (reliability R9)", () => {
  const after = new Date("2999-01-01T00:00:00Z");
  /** The request is sent when everything is removed and nothing of it is committed, and waits for the end of that. */
  async function answerMeanwhile(path: string, remove: (tx: Tx) => Promise<unknown>) {
    let answer: ReturnType<typeof org.post> | undefined;
    await db.transaction(async (tx) => {
      await remove(tx);
      answer = org.post(path, {});
      await lockWaits(db);
    });
    return await answer!;
  }
  /** Everything older than this file's own records is left alone by being young. */
  beforeAll(() => purgeExpired(hub.world, never));

  test.each([
    ["undo", "add_tags"],
    ["retry", "approve"],
  ])("a deleted run is not found by %s", async (verb, type) => {
    const run = await makeRun(type);
    const answer = await answerMeanwhile(`/operations/runs/${run}/${verb}`, (tx) => deleteOldRunsAcrossOrgs(tx, after));
    expect([answer.status, answer.body.code]).toEqual([404, "operation_run_not_found"]);
    expect(await db.query("select from operation_runs where root_run_id = $1", [run])).toEqual([]);
  });

  test("a deleted execution is not retried", async () => {
    const execution = await execute("fail");
    const path = `/tasks/executions/${execution}/retry`;
    const answer = await answerMeanwhile(path, (tx) => deleteOldExecutionsAcrossOrgs(tx, after));
    expect([answer.status, answer.body.code]).toEqual([404, "execution_not_found"]);
  });

  test("a run that is being undone, or was just undone, is kept", async () => {
    const run = await makeRun();
    const before = new Date(hub.world.clock.now().getTime() + dayMs);
    // The undo holds the lock of the chain.
    await db.transaction(async (undoing) => {
      await undoing.query("select from operation_runs where id = $1 for update", [run]);
      expect(await db.transaction((tx) => lockOldChainsAcrossOrgs(tx, before))).not.toContain(run);
    });
    const seen = await db.transaction((tx) => lockOldChainsAcrossOrgs(tx, before));
    expect(seen).toContain(run);
    hub.advance(2 * dayMs);
    const undo = await org.post(`/operations/runs/${run}/undo`, {});
    expect(undo.status).toBe(201);
    expect(await db.transaction((tx) => deleteChainsAcrossOrgs(tx, [run], before))).toEqual([]);
    expect([await statusOf(`/operations/runs/${run}`), await statusOf(`/operations/runs/${undo.body.id}`)]).toEqual([
      200, 200,
    ]);
  });

  test("an execution that was just retried is kept", async () => {
    const execution = await execute("fail");
    expect((await org.post(`/tasks/executions/${execution}/retry`, {})).status).toBeLessThan(300);
    expect(await db.transaction((tx) => deleteUnneededAcrossOrgs(tx, [execution]))).toEqual([]);
    expect(await statusOf(`/tasks/executions/${execution}`)).toBe(200);
  });
});
