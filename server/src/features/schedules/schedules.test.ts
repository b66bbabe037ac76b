import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub({ environment: "preview" });
const org = await hub.org();
const bridgeId = await aBridge();

async function aBridge(): Promise<string> {
  return (await org.post("/bridges", { name: `Bridge ${randomUUID()}`, connector: "demo" })).body.id;
}

async function aSchedule(more: object = {}): Promise<string> {
  const { status, body } = await org.post("/schedules", { bridgeId, taskName: "noop", cron: "0 3 * * *", ...more });
  expect(status).toBe(201);
  return body.id;
}

async function setClock(now: string): Promise<void> {
  expect((await hub.operator.post("/preview/clock", { now, frozen: true })).status).toBe(200);
}

describe("the timeline", () => {
  test("has the runs of all active schedules with the effects of clock changes, and no others", async () => {
    await setClock("2027-03-14T00:00:00Z");
    const mine = await hub.org();
    const bridge = (await mine.post("/bridges", { name: "B", connector: "demo" })).body.id;
    const make = async (name: string, cron: string, more: object = {}): Promise<string> =>
      (await mine.post("/schedules", { name, cron, bridgeId: bridge, taskName: "noop", ...more })).body.id;
    await make("in the gap", "30 2 * * *", { timezone: "America/New_York" });
    const often = await make("often", "* * * * *");
    await make("paused", "0 5 * * *", { isActive: false });
    await make("next month", "0 5 1 4 *");
    const { body } = await mine.get("/schedules/timeline");
    expect(body).toMatchObject({ from: "2027-03-14T00:00:00.000Z", to: "2027-03-15T00:00:00.000Z", isCapped: false });
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["often", "in the gap"]);
    const [every, once] = body.data;
    expect(every).toMatchObject({ scheduleId: often, description: "Every minute, UTC", runsAreCapped: true });
    expect(every.runs).toHaveLength(100);
    expect(every.runs[0].runAt).toBe("2027-03-14T00:01:00.000Z");
    expect(once).toMatchObject({ runsAreCapped: false, timezone: "America/New_York" });
    expect(once.runs).toMatchObject([{ runAt: "2027-03-14T07:00:00.000Z", dstTransition: { kind: "shifted" } }]);
    const later = await mine.get("/schedules/timeline?from=2027-03-20T00:00:00Z&to=2027-03-27T00:00:00Z");
    expect(later.body.data[1].runs).toHaveLength(7);
    expect(later.body.data[0].runs[0].runAt).toBe("2027-03-20T00:00:00.000Z");
    expect((await mine.get(`/schedules/timeline?bridgeId=${bridgeId}`)).body.data).toEqual([]);
    expect((await (await hub.org()).get("/schedules/timeline")).body.data).toEqual([]);
  });

  test("covers at most a month, and not the past", async () => {
    const wrong = [
      "from=2027-03-02T00:00:00Z&to=2027-03-01T00:00:00Z",
      "from=2027-03-02T00:00:00Z&to=2027-05-01T00:00:00Z",
    ];
    for (const query of wrong) {
      const { status, body } = await org.get(`/schedules/timeline?${query}`);
      expect([status, body.errors[0].pointer]).toEqual([400, "/to"]);
    }
  });
});

describe("a schedule", () => {
  test("is created, read, changed and deleted", async () => {
    await setClock("2027-01-10T12:00:00Z");
    const created = await org.post("/schedules", {
      name: "Nightly",
      bridgeId,
      taskName: "noop",
      cron: "30  2 * * *",
      timezone: "america/new_york",
      input: { a: 1 },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "Nightly",
      bridgeId,
      taskName: "noop",
      cron: "30 2 * * *",
      timezone: "America/New_York",
      description: "At 02:30 every day, New York time",
      input: { a: 1 },
      isActive: true,
      overlap: "skip",
      missed: "once",
      nextRunAt: "2027-01-11T07:30:00.000Z",
      lastRunAt: null,
      lastExecution: null,
      counters: { runs: 0, failures: 0, skippedForOverlap: 0, missed: 0 },
      pausedAt: null,
      version: 1,
    });
    expect(created.body.upcoming).toHaveLength(5);
    expect(created.body.upcoming[0]).toEqual({
      runAt: "2027-01-11T07:30:00.000Z",
      localTime: "2027-01-11T02:30:00-05:00",
    });
    const path = `/schedules/${created.body.id}`;
    expect((await org.get(path)).body).toEqual(created.body);
    const changed = await org.patch(path, { name: null, cron: "@hourly", missed: "all" });
    expect(changed.body).toMatchObject({
      name: null,
      cron: "@hourly",
      missed: "all",
      timezone: "America/New_York",
      nextRunAt: "2027-01-10T13:00:00.000Z",
      version: 2,
    });
    expect((await org.delete(path)).body).toEqual({ id: created.body.id, deleted: true });
    expect((await org.get(path)).body.code).toBe("schedule_not_found");
    expect((await org.delete(path)).status).toBe(404);
  });

  test("is listed newest first and filtered", async () => {
    const mine = await hub.org();
    const bridge = (await mine.post("/bridges", { name: "B", connector: "demo" })).body.id;
    for (const name of ["a", "b", "c"]) {
      await mine.post("/schedules", {
        name,
        bridgeId: bridge,
        taskName: "noop",
        cron: "@daily",
        isActive: name !== "b",
      });
    }
    const names = async (query: string): Promise<string[]> =>
      (await mine.get(`/schedules?${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await names("")).toEqual(["c", "b", "a"]);
    expect(await names("isActive=false")).toEqual(["b"]);
    expect(await names(`bridgeId=${bridge}&limit=1&page=2`)).toEqual(["b"]);
    expect(await names("search=A")).toEqual(["a"]);
    expect(await names("taskName=sleep")).toEqual([]);
  });

  test("keeps its next run when fields other than its timing change", async () => {
    await setClock("2027-01-10T12:00:00Z");
    const id = await aSchedule({ cron: "*/10 * * * *" });
    await setClock("2027-01-10T12:25:00Z");
    expect((await org.patch(`/schedules/${id}`, { input: { b: 2 } })).body.nextRunAt).toBe("2027-01-10T12:10:00.000Z");
    expect((await org.patch(`/schedules/${id}`, { timezone: "Asia/Kolkata" })).body.nextRunAt).toBe(
      "2027-01-10T12:30:00.000Z",
    );
  });

  test("rejects a change that is based on an older version", async () => {
    const id = await aSchedule();
    const ifMatch = { headers: { "if-match": 'W/"v1"' } };
    expect((await org.patch(`/schedules/${id}`, { name: "x" }, ifMatch)).status).toBe(200);
    expect((await org.patch(`/schedules/${id}`, { name: "y" }, ifMatch)).status).toBe(412);
    expect((await org.patch(`/schedules/${id}`, {})).body.code).toBe("empty_patch");
  });
});

describe("mistakes are reported", () => {
  const post = (more: object) => org.post("/schedules", { bridgeId, taskName: "noop", cron: "@daily", ...more });

  test("of cron and time zone at once", async () => {
    const { status, body } = await post({ cron: "61 24 * * *", timezone: "America/NewYork" });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { pointer: "/cron", code: "cron_field_invalid" },
      { pointer: "/cron", code: "cron_field_invalid" },
      { pointer: "/timezone", code: "unknown_timezone", suggestion: "America/New_York" },
    ]);
  });

  test("of an expression that would never run", async () => {
    const { status, body } = await post({ cron: "0 0 31 2 *" });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: "/cron", code: "cron_never_fires" }]);
    const id = await aSchedule();
    expect((await org.patch(`/schedules/${id}`, { cron: "0 0 30 2 *" })).body.errors[0].code).toBe("cron_never_fires");
    expect((await org.get(`/schedules/${id}`)).body.cron).toBe("0 3 * * *");
  });

  test("of an unknown bridge, task or input", async () => {
    expect((await post({ bridgeId: randomUUID() })).body).toMatchObject({ status: 404, code: "bridge_not_found" });
    expect((await post({ taskName: "nop" })).body.errors).toMatchObject([
      { pointer: "/taskName", code: "unknown_task", suggestion: "noop" },
    ]);
    expect((await post({ taskName: "sleep", input: { ms: "long" } })).body).toMatchObject({ status: 400 });
    const id = await aSchedule();
    expect((await org.patch(`/schedules/${id}`, { taskName: "nop" })).status).toBe(400);
  });

  test("of an inactive or deleted bridge", async () => {
    const bridge = await aBridge();
    const id = await aSchedule({ bridgeId: bridge });
    await org.post(`/schedules/${id}/pause`);
    await org.patch(`/bridges/${bridge}`, { isActive: false });
    expect((await post({ bridgeId: bridge })).body).toMatchObject({ status: 409, code: "bridge_inactive" });
    expect((await org.post(`/schedules/${id}/trigger`)).body).toMatchObject({ status: 409, code: "bridge_inactive" });
    expect((await org.post(`/schedules/${id}/resume`)).body.code).toBe("bridge_inactive");
    await org.delete(`/bridges/${bridge}?force=true`);
    expect((await org.post(`/schedules/${id}/trigger`)).body).toMatchObject({ status: 409, code: "bridge_inactive" });
    expect((await org.get(`/schedules/${id}`)).body.counters.runs).toBe(0);
  });
});

describe("pause, resume and trigger", () => {
  test("repeated pausing and resuming change nothing, and report that", async () => {
    await setClock("2027-02-01T12:00:00Z");
    const id = await aSchedule({ cron: "*/10 * * * *" });
    const paused = await org.post(`/schedules/${id}/pause`);
    expect(paused.body).toMatchObject({ isActive: false, nextRunAt: null, upcoming: [], changed: true, version: 2 });
    expect(paused.body).toMatchObject({ pausedAt: "2027-02-01T12:00:00.000Z", pausedBy: { type: "api_key" } });
    expect((await org.post(`/schedules/${id}/pause`)).body).toMatchObject({
      isActive: false,
      changed: false,
      version: 2,
    });
    await setClock("2027-02-01T13:05:00Z");
    const resumed = await org.post(`/schedules/${id}/resume`);
    expect(resumed.body).toMatchObject({ isActive: true, pausedAt: null, pausedBy: null, changed: true });
    expect(resumed.body.nextRunAt).toBe("2027-02-01T13:10:00.000Z");
    expect((await org.post(`/schedules/${id}/resume`)).body).toMatchObject({ isActive: true, changed: false });
    expect((await org.patch(`/schedules/${id}`, { isActive: false })).body).toMatchObject({ nextRunAt: null });
    expect((await org.patch(`/schedules/${id}`, { isActive: true })).body.nextRunAt).toBe("2027-02-01T13:10:00.000Z");
  });

  test("triggering runs once, also while paused, and does not shift the schedule", async () => {
    const id = await aSchedule({ input: { hello: "world" } });
    const { nextRunAt } = (await org.get(`/schedules/${id}`)).body;
    const first = await org.post(`/schedules/${id}/trigger`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ scheduleId: id, status: "queued", nextRunAt });
    await org.post(`/schedules/${id}/pause`);
    const second = await org.post(`/schedules/${id}/trigger`);
    expect(second.body).toMatchObject({ status: "queued", nextRunAt: null });
    const execution = (await org.get(`/tasks/executions/${second.body.executionId}`)).body;
    expect(execution).toMatchObject({ trigger: "manual", scheduleId: id, input: { hello: "world" } });
    expect((await org.get(`/schedules/${id}`)).body).toMatchObject({
      isActive: false,
      counters: { runs: 2 },
      lastExecution: { id: second.body.executionId },
    });
    const listed = (await org.get(`/schedules/${id}/executions`)).body;
    expect(listed.data.map((one: { id: string }) => one.id)).toEqual([second.body.executionId, first.body.executionId]);
  });
});

describe("preview", () => {
  test("works for the first years too (protocol 9)", async () => {
    for (const year of ["0001", "0050", "0099", "0100"]) {
      const cron = { cron: "0 12 29 2 *", timezone: "UTC", count: 1, from: `${year}-01-01T00:00:00Z` };
      const [run] = (await org.post("/schedules/preview", cron)).body.upcoming;
      const leap = { "0001": "0004", "0050": "0052", "0099": "0104", "0100": "0104" }[year];
      expect(run.runAt).toBe(`${leap}-02-29T12:00:00.000Z`);
      const daily = await org.post("/schedules/preview", { ...cron, cron: "0 0 * * *" });
      expect(daily.body.upcoming[0].runAt).toBe(`${year}-01-02T00:00:00.000Z`);
    }
  });

  test("shows no run after the latest valid time", async () => {
    const cron = { cron: "0 0 29 2 *", timezone: "America/New_York", count: 3 };
    const late = await org.post("/schedules/preview", { ...cron, from: "9990-01-01T00:00:00Z" });
    const days = late.body.upcoming.map(({ localTime }: { localTime: string }) => localTime.slice(0, 10));
    expect(days).toEqual(["9992-02-29", "9996-02-29"]);
    expect((await org.post("/schedules/preview", { ...cron, from: "9999-12-31T00:00:00Z" })).body.upcoming).toEqual([]);
  });

  test("shows runs with the effects of clock changes", async () => {
    const { status, body } = await org.post("/schedules/preview", {
      cron: "30 2 * * *",
      timezone: "America/New_York",
      count: 2,
      from: "2026-03-07T12:00:00Z",
    });
    expect(status).toBe(200);
    expect(body.description).toBe("At 02:30 every day, New York time");
    expect(body.upcoming).toEqual([
      {
        runAt: "2026-03-08T07:00:00.000Z",
        localTime: "2026-03-08T03:00:00-04:00",
        dstTransition: {
          kind: "shifted",
          message: "The clock skips from 02:00 to 03:00: 02:30 does not exist that day and moves here.",
        },
      },
      { runAt: "2026-03-09T06:30:00.000Z", localTime: "2026-03-09T02:30:00-04:00" },
    ]);
    expect((await org.post("/schedules/preview", { cron: "* * *" })).body.errors[0].code).toBe("cron_field_count");
  });
});

describe("backfill", () => {
  test("queues missed runs once, and only lists them in a dry run", async () => {
    await setClock("2027-03-01T00:00:00Z");
    const id = await aSchedule({ cron: "0 */6 * * *" });
    await org.post(`/schedules/${id}/pause`);
    const range = { from: "2027-02-28T00:00:00Z", to: "2027-03-01T00:00:00Z" };
    const dry = (await org.post(`/schedules/${id}/backfill`, { ...range, dryRun: true })).body;
    expect(dry).toMatchObject({ dryRun: true, summary: { occurrences: 4, queued: 0, alreadyRan: 0 } });
    expect(dry.runs[1]).toEqual({
      scheduledFor: "2027-02-28T06:00:00.000Z",
      localTime: "2027-02-28T06:00:00+00:00",
      outcome: "to_be_queued",
      executionId: null,
    });
    expect((await org.get(`/schedules/${id}/executions`)).body.pagination.total).toBe(0);
    const done = (await org.post(`/schedules/${id}/backfill`, range)).body;
    expect(done.summary).toEqual({ occurrences: 4, queued: 4, alreadyRan: 0 });
    const again = (await org.post(`/schedules/${id}/backfill`, range)).body;
    expect(again.summary).toEqual({ occurrences: 4, queued: 0, alreadyRan: 4 });
    expect(again.runs[0].executionId).toBe(done.runs[0].executionId);
    const { data, pagination } = (await org.get(`/schedules/${id}/executions`)).body;
    expect(pagination.total).toBe(4);
    expect(data[0]).toMatchObject({ trigger: "backfill" });
  });

  test("rejects the future, a reversed range and too many runs", async () => {
    await setClock("2027-03-01T00:00:00Z");
    const id = await aSchedule({ cron: "* * * * *" });
    const codeOf = async (from: string, to: string): Promise<string> =>
      (await org.post(`/schedules/${id}/backfill`, { from, to })).body.errors[0].code;
    expect(await codeOf("2027-02-28T00:00:00Z", "2027-03-01T00:01:00Z")).toBe("date_in_future");
    expect(await codeOf("2027-02-28T00:00:00Z", "2027-02-28T00:00:00Z")).toBe("ends_before_start");
    expect(await codeOf("2027-02-01T00:00:00Z", "2027-02-28T00:00:00Z")).toBe("too_many_runs");
  });
});
