import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

let hub: TestHub;
let other: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  other = await hub.secondNode({ taskSlots: 0 });
  org = await hub.org();
});

let count = 0;
const aBridge = async (more: object = {}): Promise<string> =>
  (await org.post("/bridges", { name: `Shop ${++count}`, connector: "demo", ...more })).body.id;
const aSchedule = (bridgeId: string, more: object = {}) =>
  org.post("/schedules", { name: "Every year", bridgeId, taskName: "noop", cron: "@yearly", ...more });
const aTransformation = (bridgeId: string, more: object = {}) =>
  org.post("/transformations", {
    name: "Names",
    bridgeId,
    taskName: "noop",
    direction: "inbound",
    mappings: [{ source: "a", target: "b" }],
    ...more,
  });

describe("a bridge in use", () => {
  test("cannot be deleted, and everything that uses it is named", async () => {
    const bridgeId = await aBridge();
    const schedule = (await aSchedule(bridgeId)).body.id;
    const transformation = (await aTransformation(bridgeId, { isActive: false })).body.id;
    const actions = [{ type: "run_task", params: { bridge_id: bridgeId.toUpperCase(), task_name: "noop" } }];
    const pipeline = (await org.post("/operations/pipelines", { name: "Ask the shop", actions })).body.id;
    await org.post(`/locations/sync/${bridgeId}`);
    const execution = (await org.post("/tasks/execute", { bridgeId, taskName: "noop", delaySeconds: 600 })).body.id;
    const refused = await org.delete(`/bridges/${bridgeId}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "bridge_in_use", usedByCounts: { schedule: 1 } } });
    expect(refused.body.usedBy).toEqual(
      expect.arrayContaining([
        { type: "schedule", id: schedule, name: "Every year" },
        { type: "transformation", id: transformation, name: "Names" },
        { type: "pipeline", id: pipeline, name: "Ask the shop" },
        { type: "task_execution", id: execution, name: "noop" },
        expect.objectContaining({ type: "location" }),
      ]),
    );
    expect((await org.get(`/bridges/${bridgeId}`)).body).toMatchObject({ isActive: true, version: 1 });
    expect((await org.get(`/schedules/${schedule}`)).body.isActive).toBe(true);
  });

  test("with many users, the newest are named and all are counted", async () => {
    const bridgeId = await aBridge();
    await Promise.all(Array.from({ length: 23 }, () => aSchedule(bridgeId)));
    const { body } = await org.delete(`/bridges/${bridgeId}`);
    expect(body.usedBy).toHaveLength(20);
    expect(body.usedByCounts).toEqual({ schedule: 23 });
    expect(body.detail).toContain("23 use(s)");
  });

  test("can be deleted once nothing uses it", async () => {
    const bridgeId = await aBridge();
    const next = await aBridge();
    const schedule = (await aSchedule(bridgeId)).body.id;
    const transformation = (await aTransformation(bridgeId)).body.id;
    await org.patch(`/schedules/${schedule}`, { bridgeId: next });
    expect((await org.delete(`/bridges/${bridgeId}`)).body.usedByCounts).toEqual({ transformation: 1 });
    await org.delete(`/transformations/${transformation}`);
    expect((await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop" })).body.status).toBe("succeeded");
    expect(await org.delete(`/bridges/${bridgeId}`)).toMatchObject({ status: 200, body: { deleted: true } });
  });
});

describe("deletion with force", () => {
  test("pauses schedules and deactivates transformations; both can be moved to another bridge", async () => {
    const bridgeId = await aBridge();
    const schedule = (await aSchedule(bridgeId)).body.id;
    const transformation = (await aTransformation(bridgeId)).body.id;
    expect((await org.delete(`/bridges/${bridgeId}?force=true`)).status).toBe(200);
    const paused = (await org.get(`/schedules/${schedule}`)).body;
    expect(paused).toMatchObject({ isActive: false, nextRunAt: null, pausedBy: { type: "api_key" }, version: 2 });
    expect((await org.get(`/transformations/${transformation}`)).body).toMatchObject({ isActive: false, version: 2 });
    expect((await org.get(`/transformations/${transformation}/versions`)).body.data).toMatchObject([
      { version: 2, isActive: false },
      { version: 1, isActive: true },
    ]);
    const { data } = (await org.get("/audit?limit=5")).body;
    expect(data.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(["bridge.deleted", "schedule.paused", "transformation.updated"]),
    );
    expect((await org.post(`/schedules/${schedule}/resume`)).body.code).toBe("bridge_inactive");
    expect((await org.patch(`/transformations/${transformation}`, { isActive: true })).body).toMatchObject({
      status: 404,
      code: "bridge_not_found",
      errors: [{ pointer: "/bridgeId" }],
    });
    const next = await aBridge();
    expect((await org.patch(`/schedules/${schedule}`, { bridgeId: next, isActive: true })).body.isActive).toBe(true);
    const moved = await org.patch(`/transformations/${transformation}`, { bridgeId: next, isActive: true });
    expect(moved.body.isActive).toBe(true);
  });

  test("cancels running executions; waiting ones fail with the reason, unless they were just starting", async () => {
    const bridgeId = await aBridge({ concurrency: 1 });
    const about = { bridgeId, taskName: "sleep", input: { ms: 60_000 } };
    const look = (id: string) => async () => (await org.get(`/tasks/executions/${id}`)).body;
    const running = (await org.post("/tasks/execute", about)).body.id;
    await eventually(look(running), ({ status }) => status === "running");
    const waiting = (await org.post("/tasks/execute", about)).body.id;
    await org.delete(`/bridges/${bridgeId}?force=true`);
    expect((await look(running)()).status).toBe("cancelled");
    const ended = await eventually(look(waiting), ({ status }) => status === "failed" || status === "cancelled");
    if (ended.status === "failed") expect(ended.error.code).toBe("bridge_not_found");
  });

  test("an execution that starts during the deletion does not continue without the bridge", async () => {
    const bridgeId = await aBridge({ name: "Slowly deleted" });
    const { db } = hub.world;
    await db.query(`create function delete_slowly() returns trigger language plpgsql as $$ begin
      perform pg_sleep(3); return new; end $$`);
    await db.query(`create trigger delete_slowly before update of deleted_at on bridges for each row
      when (new.name = 'Slowly deleted') execute function delete_slowly()`);
    const deleting = org.delete(`/bridges/${bridgeId}`);
    await eventually(
      () => db.query("select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"),
      (held) => held.length === 1,
    );
    const about = { bridgeId, taskName: "sleep", input: { ms: 60_000 } };
    const { id } = (await org.post("/tasks/execute", about)).body;
    expect((await deleting).status).toBe(200);
    const ended = await eventually(
      async () => (await org.get(`/tasks/executions/${id}`)).body,
      ({ status }) => status === "cancelled" || status === "failed",
    );
    // Had it not begun by then, it finds no bridge.
    if (ended.status === "failed") expect(ended.error.code).toBe("bridge_not_found");
  });

  test("a stale version is still rejected", async () => {
    const bridgeId = await aBridge();
    await org.patch(`/bridges/${bridgeId}`, { name: `Renamed ${++count}` });
    const stale = await org.delete(`/bridges/${bridgeId}?force=true`, undefined, { headers: { "if-match": '"1"' } });
    expect(stale.status).toBe(412);
  });
});

describe("concurrent requests", () => {
  /** The answer of the deletion, and of what was made meanwhile on another node. */
  async function race(bridgeId: string, query: string, path: string, body: object) {
    const node = other.client(org.token);
    const [deleted, made] = await Promise.all([org.delete(`/bridges/${bridgeId}${query}`), node.post(path, body)]);
    return { deleted: deleted.status, made };
  }

  test.each(["/schedules", "/transformations"])("%s never stays on a deleted bridge", async (path) => {
    const seen = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const bridgeId = await aBridge();
      const about =
        path === "/schedules"
          ? { bridgeId, taskName: "noop", cron: "@yearly" }
          : { name: "N", bridgeId, taskName: "noop", direction: "inbound", mappings: [{ source: "a", target: "b" }] };
      const { deleted, made } = await race(bridgeId, "", path, about);
      seen.add(`${deleted} ${made.status}`);
    }
    expect([...seen].filter((outcome) => outcome !== "200 404" && outcome !== "409 201")).toEqual([]);
  });

  test("with force, new records are paused or rejected", async () => {
    for (let round = 0; round < 30; round++) {
      const bridgeId = await aBridge();
      const { deleted, made } = await race(bridgeId, "?force=true", "/schedules", {
        bridgeId,
        taskName: "noop",
        cron: "@yearly",
      });
      expect(deleted).toBe(200);
      if (made.status !== 201) expect(made.body.code).toBe("bridge_not_found");
      else expect((await org.get(`/schedules/${made.body.id}`)).body.isActive).toBe(false);
    }
  });

  test("a request that uses the bridge during its deletion waits, and then gets not found", async () => {
    const bridgeId = await aBridge();
    const schedule = (await aSchedule(await aBridge(), { isActive: false })).body.id;
    const waiting = await hub.world.db.transaction(async (tx) => {
      await tx.query("update bridges set deleted_at = now() where id = $1", [bridgeId]);
      const makers = [
        aSchedule(bridgeId),
        aTransformation(bridgeId),
        org.patch(`/schedules/${schedule}`, { bridgeId }),
      ];
      await lockWaits(hub.world.db, { count: makers.length });
      return makers;
    });
    for (const maker of waiting) expect(await maker).toMatchObject({ status: 404, body: { code: "bridge_not_found" } });
    expect((await org.get(`/schedules?bridgeId=${bridgeId}`)).body.data).toEqual([]);
  });
});
