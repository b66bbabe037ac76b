import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { startScheduler } from "../../scheduler/scheduler.ts";
import { naiveCron } from "../../testing/cron-oracle.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { fireDueSchedules } from "./fire-schedules.ts";

// No task runs here: an execution stays queued until it is cancelled, which is all that these tests need to know.
const hub = await startTestHub({ environment: "preview", taskSlots: 0 });
const org = await hub.org();
const bridgeId = await aBridge();
const minuteMs = 60_000;

async function aBridge(): Promise<string> {
  return (await org.post("/bridges", { name: `Bridge ${randomUUID()}`, connector: "demo" })).body.id;
}

async function aSchedule(more: object = {}): Promise<string> {
  const { body } = await org.post("/schedules", { bridgeId, taskName: "noop", cron: "*/5 * * * *", ...more });
  return body.id;
}

async function setClock(now: string | number): Promise<void> {
  const answer = await hub.operator.post("/preview/clock", { now: new Date(now).toISOString(), frozen: true });
  expect(answer.status).toBe(200);
}

/** The clock is set, and what is due by then is fired. */
async function fireAt(now: string | number): Promise<void> {
  await setClock(now);
  await fireDueSchedules(hub.world);
}

type Listed = { id: string; status: string; trigger: string; scheduledFor: string | null };

async function executionsOf(id: string): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let page = 1; ; page++) {
    const { body } = await org.get(`/schedules/${id}/executions?limit=100&page=${page}`);
    found.push(...body.data);
    if (!body.pagination.hasMore) return found;
  }
}

async function timesOf(id: string): Promise<(string | null)[]> {
  return (await executionsOf(id)).map(({ scheduledFor }) => scheduledFor).toSorted();
}

async function read(id: string) {
  return (await org.get(`/schedules/${id}`)).body;
}

async function cancelAll(id: string): Promise<void> {
  for (const { id: execution } of await executionsOf(id)) await org.post(`/tasks/executions/${execution}/cancel`);
}

describe("a schedule that is due", () => {
  test("runs once for its occurrence, and then waits for the next", async () => {
    await setClock("2027-01-01T00:01:00Z");
    const id = await aSchedule({ input: { from: "schedule" } });
    await fireAt("2027-01-01T00:04:59.999Z");
    expect(await timesOf(id)).toEqual([]);
    await fireAt("2027-01-01T00:05:00Z");
    await fireDueSchedules(hub.world);
    const [execution, ...others] = await executionsOf(id);
    expect(others).toEqual([]);
    expect(execution).toMatchObject({
      trigger: "schedule",
      scheduledFor: "2027-01-01T00:05:00.000Z",
      status: "queued",
    });
    expect(await read(id)).toMatchObject({
      nextRunAt: "2027-01-01T00:10:00.000Z",
      lastRunAt: "2027-01-01T00:05:00.000Z",
      lastExecution: { id: execution!.id, status: "queued" },
      counters: { runs: 1, missed: 0 },
      version: 1,
    });
    await org.delete(`/schedules/${id}`);
  });

  test("does not run while its bridge is inactive, shows the reason, and continues afterwards", async () => {
    const bridge = await aBridge();
    await setClock("2027-01-01T00:01:00Z");
    const id = await aSchedule({ bridgeId: bridge });
    await org.patch(`/bridges/${bridge}`, { isActive: false });
    await fireAt("2027-01-01T00:05:00Z");
    expect(await timesOf(id)).toEqual([]);
    expect(await read(id)).toMatchObject({
      nextRunAt: "2027-01-01T00:10:00.000Z",
      counters: { runs: 0, missed: 1 },
      lastSkippedRun: { scheduledFor: "2027-01-01T00:05:00.000Z", reason: "bridge_inactive" },
    });
    await org.patch(`/bridges/${bridge}`, { isActive: true });
    await fireAt("2027-01-01T00:10:00Z");
    expect(await timesOf(id)).toEqual(["2027-01-01T00:10:00.000Z"]);
    await org.delete(`/schedules/${id}`);
  });

  test.each([
    ["whose connector is not installed any more", "gone"],
    ["that the preview must not call", "rest"],
  ])("does not run on a bridge %s, shows the reason, and delays no other", async (_, connector) => {
    const bridge = await aBridge();
    await setClock("2027-01-01T00:01:00Z");
    const [id, other] = [await aSchedule({ bridgeId: bridge }), await aSchedule()];
    const settings = { baseUrl: "https://shop.example" };
    await hub.world.db.query("update bridges set connector = $2, settings = $3 where id = $1", [
      bridge,
      connector,
      settings,
    ]);
    await fireAt("2027-01-01T00:05:00Z");
    expect(await timesOf(other)).toEqual(["2027-01-01T00:05:00.000Z"]);
    expect(await timesOf(id)).toEqual([]);
    expect(await read(id)).toMatchObject({ counters: { missed: 1 }, lastSkippedRun: { reason: "bridge_inactive" } });
    for (const schedule of [id, other]) await org.delete(`/schedules/${schedule}`);
  });

  test("runs again for a repeated time when the clock of the preview is set back", async () => {
    const scheduler = startScheduler(hub.world);
    await setClock("2027-06-01T00:01:00Z");
    const id = await aSchedule();
    expect((await read(id)).nextRunAt).toBe("2027-06-01T00:05:00.000Z");
    await setClock("2027-05-01T00:01:00Z");
    await eventually(
      () => read(id),
      ({ nextRunAt }) => nextRunAt === "2027-05-01T00:05:00.000Z",
    );
    await scheduler.stop();
    await org.delete(`/schedules/${id}`);
  });
});

describe("when the hub was down for six hours", () => {
  test.each([
    ["once", 1],
    ["skip", 0],
    ["all", 72],
  ])("a schedule every five minutes with missed: %s runs %i times", async (missed, runs) => {
    await setClock("2027-01-02T00:00:00Z");
    const id = await aSchedule({ missed, overlap: "allow" });
    await fireAt("2027-01-02T06:02:00Z");
    const times = await timesOf(id);
    expect(times).toHaveLength(runs);
    if (runs > 0) expect(times.at(-1)).toBe("2027-01-02T06:00:00.000Z");
    expect(await read(id)).toMatchObject({ counters: { runs, missed: 72 }, nextRunAt: "2027-01-02T06:05:00.000Z" });
    await org.delete(`/schedules/${id}`);
  });

  test.each(["skip", "queue_one"])(
    "with overlap: %s missed runs are made one after the other, each once",
    async (overlap) => {
      await setClock("2027-01-02T00:00:00Z");
      const id = await aSchedule({ missed: "all", overlap });
      const at = (minutes: number): string =>
        new Date(Date.parse("2027-01-02T00:00:00Z") + minutes * minuteMs).toISOString();
      await fireAt("2027-01-02T00:17:00Z");
      const missed = [at(5), at(10), at(15)];
      for (const [index, deferredRunAt] of [at(10), at(15), null].entries()) {
        expect(await timesOf(id)).toEqual(missed.slice(0, index + 1));
        expect(await read(id)).toMatchObject({ deferredRunAt, counters: { runs: index + 1, skippedForOverlap: 0 } });
        // Nothing more while it runs.
        await fireDueSchedules(hub.world);
        expect(await timesOf(id)).toHaveLength(index + 1);
        await cancelAll(id);
        await fireDueSchedules(hub.world);
      }
      expect(await timesOf(id)).toEqual(missed);
      await fireAt(at(20));
      expect(await timesOf(id)).toEqual([...missed, at(20)]);
      await org.delete(`/schedules/${id}`);
    },
  );

  test("with overlap: cancel_running only the last of the missed runs is made", async () => {
    await setClock("2027-01-02T00:00:00Z");
    const id = await aSchedule({ missed: "all", overlap: "cancel_running" });
    await fireAt("2027-01-02T00:17:00Z");
    expect(await timesOf(id)).toEqual(["2027-01-02T00:15:00.000Z"]);
    expect((await read(id)).counters).toMatchObject({ runs: 1, skippedForOverlap: 2 });
    await org.delete(`/schedules/${id}`);
  });

  test("at most the last hundred missed runs are made", async () => {
    await setClock("2027-01-02T00:00:00Z");
    const id = await aSchedule({ cron: "* * * * *", missed: "all", overlap: "allow" });
    await fireAt("2029-01-02T00:00:30Z");
    const times = await timesOf(id);
    expect(times).toHaveLength(100);
    expect(times.at(-1)).toBe("2029-01-02T00:00:00.000Z");
    expect((await read(id)).nextRunAt).toBe("2029-01-02T00:01:00.000Z");
    await org.delete(`/schedules/${id}`);
  });
});

describe("when the previous run has not ended", () => {
  const start = Date.parse("2027-01-03T00:00:00Z");
  const at = (minutes: number): string => new Date(start + minutes * minuteMs).toISOString();

  async function started(overlap: string): Promise<string> {
    await setClock(start);
    const id = await aSchedule({ overlap });
    await fireAt(at(5));
    return id;
  }

  test("skip skips the due run, and counts it", async () => {
    const id = await started("skip");
    await fireAt(at(10));
    expect(await timesOf(id)).toEqual([at(5)]);
    expect(await read(id)).toMatchObject({
      counters: { runs: 1, skippedForOverlap: 1 },
      lastSkippedRun: { scheduledFor: at(10), reason: "overlap" },
    });
    await cancelAll(id);
    await fireAt(at(15));
    expect(await timesOf(id)).toEqual([at(5), at(15)]);
    await org.delete(`/schedules/${id}`);
  });

  test("queue_one keeps one run waiting, which starts as soon as possible", async () => {
    const id = await started("queue_one");
    await fireAt(at(10));
    await fireAt(at(15));
    expect(await timesOf(id)).toEqual([at(5)]);
    expect(await read(id)).toMatchObject({ deferredRunAt: at(10), counters: { runs: 1, skippedForOverlap: 1 } });
    await cancelAll(id);
    await fireDueSchedules(hub.world);
    expect(await timesOf(id)).toEqual([at(5), at(10)]);
    expect(await read(id)).toMatchObject({ deferredRunAt: null, nextRunAt: at(20) });
    await org.delete(`/schedules/${id}`);
  });

  test("a scheduler starts a waiting run as soon as possible, not when the next one is due", async () => {
    const id = await started("queue_one");
    await fireAt(at(10));
    expect((await read(id)).deferredRunAt).toBe(at(10));
    const scheduler = startScheduler(hub.world);
    onTestFinished(() => scheduler.stop());
    await cancelAll(id);
    await eventually(
      () => timesOf(id),
      (times) => times.length === 2,
    );
    expect(await read(id)).toMatchObject({ deferredRunAt: null, nextRunAt: at(15) });
    await org.delete(`/schedules/${id}`);
  });

  test("a pause discards the waiting run of queue_one", async () => {
    const id = await started("queue_one");
    await fireAt(at(10));
    expect((await org.post(`/schedules/${id}/pause`)).body.deferredRunAt).toBe(null);
    await cancelAll(id);
    await fireDueSchedules(hub.world);
    expect(await timesOf(id)).toEqual([at(5)]);
    await org.delete(`/schedules/${id}`);
  });

  test("allow runs them concurrently", async () => {
    const id = await started("allow");
    await fireAt(at(10));
    expect(await executionsOf(id)).toMatchObject([{ status: "queued" }, { status: "queued" }]);
    await org.delete(`/schedules/${id}`);
  });

  test("cancel_running ends it and runs the new one", async () => {
    const id = await started("cancel_running");
    await fireAt(at(10));
    const byTime = (await executionsOf(id)).toSorted((a, b) => (a.scheduledFor! < b.scheduledFor! ? -1 : 1));
    expect(byTime.map(({ status }) => status)).toEqual(["cancelled", "queued"]);
    await org.delete(`/schedules/${id}`);
  });
});

test("several nodes create exactly one execution for every occurrence, also when one of them is stopped", async () => {
  const node = await hub.secondNode({ taskSlots: 0 });
  const schedulers = [startScheduler(hub.world), startScheduler(node.world)];
  const start = Date.parse("2027-04-01T00:00:00Z");
  await setClock(start);
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push(await aSchedule({ cron: "* * * * *", overlap: "allow", missed: "all" }));
  const minutes = 12;
  for (let minute = 1; minute <= minutes; minute++) {
    // The first node dies with whatever it was about to fire.
    if (minute === minutes / 2) await schedulers[0]!.stop();
    await setClock(start + minute * minuteMs);
    if (minute % 3 === 0) await Promise.all([hub, node, hub, node].map(({ world }) => fireDueSchedules(world)));
  }
  const expected = Array.from({ length: minutes }, (_, n) => new Date(start + (n + 1) * minuteMs).toISOString());
  for (const id of ids) {
    await eventually(
      () => read(id),
      ({ counters }) => counters.runs >= minutes,
    );
    expect(await timesOf(id)).toEqual(expected);
  }
  await schedulers[1]!.stop();
  // Ten minutes without a running hub are counted once, by the first node.
  const missedBefore = new Map<string, number>();
  for (const id of ids) missedBefore.set(id, (await read(id)).counters.missed);
  await setClock(start + (minutes + 10.5) * minuteMs);
  await Promise.all([hub, node, hub, node].map(({ world }) => fireDueSchedules(world)));
  for (const id of ids) {
    expect((await read(id)).counters).toMatchObject({
      runs: minutes + 10,
      missed: missedBefore.get(id)! + 9,
    });
    await org.delete(`/schedules/${id}`);
  }
});

test("a node with a wrong clock starts nothing early and misses nothing", async () => {
  const live = await startTestHub({ taskSlots: 0 });
  const owner = await live.org();
  const bridge = (await owner.post("/bridges", { name: "B", connector: "demo" })).body.id;
  const schedule = { bridgeId: bridge, taskName: "noop", cron: "0 0 1 1 *" };
  const before = (await owner.post("/schedules", schedule)).body;
  live.advance(400 * 24 * 60 * minuteMs);
  await fireDueSchedules(live.world);
  const after = (await owner.get(`/schedules/${before.id}`)).body;
  expect(after).toMatchObject({ nextRunAt: before.nextRunAt, counters: { runs: 0, missed: 0 } });
  // What is made meanwhile follows the clock of the database as well.
  expect((await owner.post("/schedules", schedule)).body.nextRunAt).toBe(before.nextRunAt);
});

test("a scheduler wakes up when a schedule is due", async () => {
  const scheduler = startScheduler(hub.world);
  afterAll(() => scheduler.stop());
  const justBefore = "2027-05-01T00:00:58Z";
  await setClock(justBefore);
  const id = await aSchedule({ cron: "* * * * *" });
  expect((await read(id)).nextRunAt).toBe("2027-05-01T00:01:00.000Z");
  await hub.operator.post("/preview/clock", { now: justBefore, frozen: false });
  const [execution] = await eventually(
    () => executionsOf(id),
    (found) => found.length > 0,
  );
  expect(execution).toMatchObject({ trigger: "schedule", scheduledFor: "2027-05-01T00:01:00.000Z" });
  await scheduler.stop();
  await org.delete(`/schedules/${id}`);
});

describe("after any sequence of changes to a schedule", () => {
  // The long form: SCHEDULE_SEQUENCES=500 npm test -- fire-schedules
  const sequences = Number(process.env["SCHEDULE_SEQUENCES"] ?? 12);
  const timeout = 60_000 + sequences * 3_000;
  const crons = ["*/5 * * * *", "*/7 * * * *", "0 * * * *", "10,40 * * * *"];
  const command = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("advance" as const), minutes: fc.integer({ min: 1, max: 40 }) }),
    },
    fc.record({ do: fc.constantFrom("pause" as const, "resume" as const, "trigger" as const, "rename" as const) }),
    fc.record({ do: fc.constant("patch" as const), cron: fc.constantFrom(...crons) }),
    fc.record({ do: fc.constant("active" as const), isActive: fc.boolean() }),
  );

  /** Walks minute by minute and knows nothing but the promises. */
  function createModel(now: number) {
    let [cron, isActive] = [crons[0]!, true];
    const fired: string[] = [];
    const isNamed = (at: number): boolean => naiveCron(cron).isNamed(at);
    return {
      fired,
      triggered: 0,
      now: () => now,
      isActive: () => isActive,
      cron: () => cron,
      setCron: (next: string) => void (cron = next),
      setActive: (next: boolean) => void (isActive = next),
      advance(minutes: number) {
        for (const end = now + minutes * minuteMs; now < end;) {
          now += minuteMs;
          if (isActive && isNamed(now)) fired.push(new Date(now).toISOString());
        }
      },
      next(): string | null {
        let at = now + minuteMs;
        while (!isNamed(at)) at += minuteMs;
        return isActive ? new Date(at).toISOString() : null;
      },
    };
  }

  test(
    "it runs as its cron expression says while active, not during a pause, and a manual trigger does not shift it",
    { timeout },
    async () => {
      let day = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 15 }), async (commands) => {
          const model = createModel(Date.UTC(2030, 0, ++day));
          await setClock(model.now());
          const id = await aSchedule({ cron: model.cron(), overlap: "allow", missed: "all" });
          for (const step of commands) {
            if (step.do === "advance") {
              model.advance(step.minutes);
              await fireAt(model.now());
            } else if (step.do === "pause" || step.do === "resume") {
              const { body } = await org.post(`/schedules/${id}/${step.do}`);
              expect(body.changed).toBe(model.isActive() === (step.do === "pause"));
              model.setActive(step.do === "resume");
            } else if (step.do === "trigger") {
              expect((await org.post(`/schedules/${id}/trigger`)).status).toBe(200);
              model.triggered++;
            } else if (step.do === "patch") {
              await org.patch(`/schedules/${id}`, { cron: step.cron });
              model.setCron(step.cron);
            } else if (step.do === "active") {
              await org.patch(`/schedules/${id}`, { isActive: step.isActive });
              model.setActive(step.isActive);
            } else {
              await org.patch(`/schedules/${id}`, { name: "renamed" });
            }
            expect((await read(id)).nextRunAt).toBe(model.next());
          }
          const executions = await executionsOf(id);
          const scheduled = executions.flatMap(({ scheduledFor }) => scheduledFor ?? []);
          expect(scheduled.toSorted()).toEqual(model.fired);
          expect(executions.length - scheduled.length).toBe(model.triggered);
          await org.delete(`/schedules/${id}`);
        }),
        { numRuns: sequences },
      );
    },
  );
});
