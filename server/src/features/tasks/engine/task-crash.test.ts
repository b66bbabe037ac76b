import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { runImportStory } from "../../../../../chaos/src/import-story.ts";
import { checkTasks } from "../../../../../chaos/src/task-checker.ts";
import { runTaskSession } from "../../../../../chaos/src/task-session.ts";
import { readyDataDir } from "../../../testing/ready-data-dir.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

// The short forms of `npm run chaos -- --tasks` and `-- --import`: real processes, real kills.
const quietly = (): void => {};

test("two hubs under kills, a freeze and cut connections lose nothing, send nothing twice and end everything", async () => {
  const session = { seed: 4, strikes: 4, nodes: 2, clients: 3, withinMs: 25_000, isTimePassed: true };
  const { findings, struck, accepted } = await runTaskSession(session, quietly);
  expect(findings).toEqual({ lost: [], doubled: [], illegalTransitions: [], afterCancel: [], broken: [] });
  expect(Object.values(struck).reduce((sum, n) => sum + n, 0)).toBeGreaterThan(1);
  expect(accepted).toBeGreaterThan(5);
});

test("an import of a schedule survives the death of its hubs, and every order exists once", async () => {
  const story = await runImportStory(
    { seed: 3, orders: 300, kills: 2, withinMs: 60_000, isTriggered: true, dataDir: await readyDataDir() },
    quietly,
  );
  expect(story.problems).toEqual([]);
  expect(story.kills).toBe(2);
  expect(story.executions[0]).toMatchObject({ status: "succeeded", trigger: "manual" });
  expect(story.executions[0]!.attempts).toContain("worker_lost");
});

test("the checker detects lost, duplicate and contradicting effects", async () => {
  const hub = await startTestHub({ taskSlots: 0 });
  const org = await hub.org();
  const bridgeId = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  const queue = async (token: string): Promise<string> =>
    (await org.post("/tasks/execute", { bridgeId, taskName: "noop", input: { token } })).body.id;
  const [open, gone, twin] = [await queue("a"), crypto.randomUUID(), await queue("a")];
  const at = Date.now();
  const effect = { kind: "blind", number: "n-1", key: "", at: at + 5 } as const;
  const db = new pg.Client(hub.connection);
  await db.connect();
  onTestFinished(() => db.end());
  const findings = await checkTasks(
    db,
    [
      { type: "execution", key: "k", id: open, numbers: ["n-1"] },
      { type: "execution", key: "k", id: gone, numbers: [] },
      { type: "cancelled", id: twin, numbers: ["n-1"], at },
    ],
    [
      { id: open, status: "succeeded", sentAt: 1, at: 2 },
      { id: open, status: "running", sentAt: 3, at: 4 },
    ],
    [effect, { ...effect, at }],
  );
  const text = JSON.stringify(findings);
  expect(findings.lost).toEqual([`execution ${gone} is not there`]);
  expect(findings.doubled).toHaveLength(3);
  expect(findings.illegalTransitions).toEqual([`${open}: succeeded -> running`]);
  expect(findings.afterCancel).toEqual([`n-1 arrived 5 ms after the cancel of ${twin}`]);
  for (const said of [
    "is still queued",
    "was cancelled and is queued",
    "no intent is written down",
    "are still queued or leased",
  ]) {
    expect(text).toContain(said);
  }
});
