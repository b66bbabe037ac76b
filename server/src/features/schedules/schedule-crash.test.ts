import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { checkSchedules, minuteMs } from "../../../../chaos/src/schedule-checker.ts";
import { runScheduleSession } from "../../../../chaos/src/schedule-session.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { fireDueSchedules } from "./fire-schedules.ts";

// The short form of `npm run chaos -- --schedules`: real processes, real kills.
test("two hubs that are killed during catch-up leave one execution for each occurrence", async () => {
  const session = { seed: 5, strikes: 5, nodes: 2, occurrences: 400, withinMs: 8_000, isTimePassed: true };
  const { findings, occurrences, struck } = await runScheduleSession(session, () => {});
  expect(findings).toEqual({ lost: [], doubled: [], unexpected: [], broken: [] });
  expect(occurrences).toBeGreaterThanOrEqual(400);
  expect(struck.kill).toBeGreaterThan(1);
});

test("the checker detects missing, duplicate and unexpected executions", async () => {
  const hub = await startTestHub({ taskSlots: 0 });
  const org = await hub.org();
  const bridgeId = (await org.post("/bridges", { name: "B", connector: "demo" })).body.id;
  const about = { bridgeId, taskName: "noop", cron: "*/2 * * * *", overlap: "allow", missed: "all" };
  const { id, nextRunAt } = (await org.post("/schedules", about)).body;
  const firstRunAt = Date.parse(nextRunAt) - 8 * minuteMs;
  const query = (text: string, values: unknown[] = []) => hub.world.db.query<Record<string, unknown>>(text, values);
  await query("update schedules set next_run_at = $1", [new Date(firstRunAt)]);
  await fireDueSchedules(hub.world);
  await query("update task_executions set status = 'succeeded', due_at = null");
  const db = new pg.Client(hub.connection);
  await db.connect();
  onTestFinished(() => db.end());
  const check = async () => await checkSchedules(db, [{ id, everyMinutes: 2, firstRunAt }], firstRunAt + 7 * minuteMs);
  const clean = { lost: [], doubled: [], unexpected: [], broken: [] };
  expect(await check()).toMatchObject({ findings: clean, occurrences: 4 });

  const [row] = await query("select id, scheduled_for as at from task_executions order by scheduled_for limit 1");
  const at = (row!["at"] as Date).toISOString();
  await query("update task_executions set scheduled_for = scheduled_for + interval '1 minute' where id = $1", [
    row!["id"],
  ]);
  const moved = new Date(firstRunAt + minuteMs).toISOString();
  expect((await check()).findings).toMatchObject({
    lost: [`schedule ${id} at ${at}`],
    unexpected: [`schedule ${id}: ${moved}`],
  });
  await query("update task_executions set scheduled_for = $2, status = 'queued' where id = $1", [row!["id"], at]);
  expect((await check()).findings.broken).toEqual([`execution ${String(row!["id"])} is queued`]);
  await query("drop index task_executions_occurrence");
  await query("update task_executions set scheduled_for = $2, status = 'succeeded' where scheduled_for <= $1", [
    new Date(firstRunAt + 2 * minuteMs),
    at,
  ]);
  expect((await check()).findings).toMatchObject({ doubled: [`schedule ${id} at ${at}: 2 executions`] });
  await query("update schedules set run_count = run_count + 1");
  expect((await check()).findings.broken).toEqual([`schedule ${id} counts 5 runs and has 4`]);
});
