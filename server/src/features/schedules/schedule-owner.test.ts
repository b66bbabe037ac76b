import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { fireDueSchedules } from "./fire-schedules.ts";

// No task runs here: that an execution was queued is all that these tests need to know.
const hub = await startTestHub({ environment: "preview", taskSlots: 0 });

async function setUp() {
  const org = await hub.org();
  const bridgeId: string = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  const request = { bridgeId, taskName: "noop", cron: "*/5 * * * *" };
  return { org, request };
}

let time = Date.parse("2027-05-01T00:01:00Z");

/** Moves the clock to the next run of every schedule here, and fires what is due. */
async function nextRun(): Promise<void> {
  time += 5 * 60_000;
  await hub.operator.post("/preview/clock", { now: new Date(time).toISOString(), frozen: true });
  await fireDueSchedules(hub.world);
}

async function runsOf(org: TestOrg, id: string): Promise<number> {
  return (await org.get(`/schedules/${id}/executions`)).body.data.length;
}

describe("a caller who may write schedules but not execute tasks", () => {
  test("cannot execute a task through a schedule", async () => {
    const { org, request } = await setUp();
    const { id } = (await org.post("/schedules", { ...request, name: "Import" })).body;
    const narrow = await org.withScopes(["schedules:write", "schedules:read"]);
    const answers = [
      await narrow.post("/schedules", request),
      await narrow.patch(`/schedules/${id}`, { input: { a: 1 } }),
      await narrow.patch(`/schedules/${id}`, { cron: "* * * * *" }),
      await narrow.patch(`/schedules/${id}`, { isActive: true }),
      await narrow.post(`/schedules/${id}/resume`),
      await narrow.post(`/schedules/${id}/trigger`),
      await narrow.post(`/schedules/${id}/backfill`, { from: "2026-01-01T00:00:00Z", to: "2026-01-01T01:00:00Z" }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.code, body.required]).toEqual([403, "insufficient_scope", ["tasks:execute"]]);
    }
    expect(await runsOf(org, id)).toBe(0);
    expect((await org.get(`/schedules/${id}`)).body).toMatchObject({ version: 1, isActive: true });
  });

  test("can rename, pause and delete schedules without becoming their owner", async () => {
    const { org, request } = await setUp();
    const { id } = (await org.post("/schedules", request)).body;
    const narrow = await org.withScopes(["schedules:write", "schedules:read"]);
    expect((await narrow.patch(`/schedules/${id}`, { name: "Nightly" })).status).toBe(200);
    const paused = await narrow.patch(`/schedules/${id}`, { isActive: false });
    expect(paused.body).toMatchObject({ isActive: false, owner: { name: "everything" }, pauseReason: null });
    expect((await narrow.post(`/schedules/${id}/pause`)).body.changed).toBe(false);
    const missed = { from: "2026-01-01T00:00:00Z", to: "2026-01-01T01:00:00Z", dryRun: true };
    expect((await narrow.post(`/schedules/${id}/backfill`, missed)).status).toBe(200);
    expect((await narrow.delete(`/schedules/${id}`)).status).toBe(200);
  });
});

describe("a schedule runs with the permissions of its owner", () => {
  test("it is paused instead of its next run when the owner is disabled, and runs for the user who resumes it", async () => {
    const { org, request } = await setUp();
    const operator = await org.withRole("operator");
    const { id, owner } = (await operator.post("/schedules", request)).body;
    expect(owner).toMatchObject({ type: "user", id: operator.userId });
    await nextRun();
    expect(await runsOf(org, id)).toBe(1);
    await org.patch(`/users/${operator.userId}`, { status: "disabled" });
    await nextRun();
    expect(await runsOf(org, id)).toBe(1);
    const { body: paused } = await org.get(`/schedules/${id}`);
    expect(paused).toMatchObject({
      isActive: false,
      nextRunAt: null,
      pausedBy: { type: "system", name: "scheduler" },
      pauseReason: { code: "owner_inactive" },
    });
    const { body: log } = await org.get(`/audit?objectId=${id}&type=schedule.paused`);
    expect(log.data).toMatchObject([{ data: { reason: "owner_inactive", version: paused.version } }]);
    const { body: resumed } = await org.post(`/schedules/${id}/resume`);
    expect(resumed).toMatchObject({ isActive: true, pauseReason: null, owner: { name: "everything" } });
    await org.post(`/tasks/executions/${paused.lastExecution.id}/cancel`);
    await nextRun();
    expect(await runsOf(org, id)).toBe(2);
  });

  test("it is paused when the owner loses tasks:execute, is deleted, or was a key that has ended", async () => {
    const { org, request } = await setUp();
    const reduced = await org.withRole("operator");
    const deleted = await org.withRole("operator");
    const { body: key } = await org.post("/api-keys", {
      name: "Integration",
      scopes: ["schedules:write", "tasks:execute"],
    });
    const make = async (client: Pick<TestOrg, "post">): Promise<string> =>
      (await client.post("/schedules", { ...request, overlap: "allow" })).body.id;
    const ids = [await make(reduced), await make(deleted), await make(hub.client(key.key))];
    await nextRun();
    expect(await Promise.all(ids.map((id) => runsOf(org, id)))).toEqual([1, 1, 1]);
    await org.patch(`/users/${reduced.userId}`, { role: "viewer" });
    await org.delete(`/users/${deleted.userId}`);
    await org.delete(`/api-keys/${key.id}`);
    await nextRun();
    expect(await Promise.all(ids.map((id) => runsOf(org, id)))).toEqual([1, 1, 1]);
    const reasons = await Promise.all(ids.map(async (id) => (await org.get(`/schedules/${id}`)).body.pauseReason.code));
    expect(reasons).toEqual(["insufficient_scope", "owner_inactive", "owner_inactive"]);
  });

  test("a rotated key stays the owner", async () => {
    const { org, request } = await setUp();
    const { body: key } = await org.post("/api-keys", {
      name: "Integration",
      scopes: ["schedules:write", "tasks:execute"],
    });
    const { id } = (await hub.client(key.key).post("/schedules", { ...request, overlap: "allow" })).body;
    const { body: second } = await org.post(`/api-keys/${key.id}/rotate`, { graceSeconds: 0 });
    await nextRun();
    expect(await runsOf(org, id)).toBe(1);
    await org.delete(`/api-keys/${second.id}`);
    await nextRun();
    expect(await runsOf(org, id)).toBe(1);
  });

  test("one from before owners existed keeps running until it is changed", async () => {
    const { org, request } = await setUp();
    const { id } = (await org.post("/schedules", { ...request, overlap: "allow" })).body;
    await hub.world.db.query("update schedules set owner = null where id = $1", [id]);
    await nextRun();
    expect(await runsOf(org, id)).toBe(1);
    expect((await org.get(`/schedules/${id}`)).body.owner).toBeNull();
    expect((await org.patch(`/schedules/${id}`, { cron: "*/10 * * * *" })).body.owner).toMatchObject({
      name: "everything",
    });
  });
});
