import fc from "fast-check";
import { expect, test } from "vitest";
import { isUuid } from "../core/ids.ts";
import { eventually } from "../testing/eventually.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { jobId } from "./task-queue.ts";

const hub = await startTestHub({ taskSlots: 0 });
const { db, queue } = hub.world;
const send = (lane: string, concurrency: number, priorities: number[], more: object = {}) =>
  db.transaction((tx) =>
    queue.send(
      tx,
      priorities.map((priority) => ({ executionId: crypto.randomUUID(), lane, concurrency, priority, ...more })),
    ),
  );
const hasReady = async (): Promise<unknown> =>
  (await db.query<{ is: boolean }>(`select ${queue.isReady} as is`))[0]?.is;
const takeAll = () => db.transaction((tx) => queue.take(tx, 50), queue.takeLock);

test("the last place of a lane is given away once, also when two nodes ask at the same moment", async () => {
  const lane = crypto.randomUUID();
  const ids = await send(lane, 1, [0, 0, 0, 0, 0, 0]);
  const hasTaken = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const first = db.transaction(async (tx) => {
    const jobs = await queue.take(tx, 2);
    hasTaken.resolve();
    await mayCommit.promise;
    return jobs;
  }, queue.takeLock);
  await hasTaken.promise;
  const second = takeAll();
  const waiting = () => db.query("select from pg_locks where locktype = 'advisory' and not granted");
  await Promise.race([second, eventually(waiting, ({ length }) => length > 0)]);
  mayCommit.resolve();
  expect([(await first).length, (await second).length]).toEqual([1, 0]);
  await queue.remove(db, ids);
});

test("a node that freezes while it takes does not keep the others from it", async () => {
  const ids = await send(crypto.randomUUID(), 5, [0]);
  const hasTaken = Promise.withResolvers<void>();
  const wakesUp = Promise.withResolvers<void>();
  const frozen = db.transaction(async (tx) => {
    await queue.take(tx, 5);
    hasTaken.resolve();
    await wakesUp.promise;
  }, queue.takeLock);
  await hasTaken.promise;
  expect((await takeAll()).map(({ id }) => id)).toEqual(ids);
  wakesUp.resolve();
  await expect(frozen).rejects.toThrow(/connection/i);
  await queue.remove(db, ids);
});

test("what is taken in a transaction that is rolled back can be taken again", async () => {
  const ids = await send(crypto.randomUUID(), 5, [0]);
  const rolledBack = db.transaction(async (tx) => {
    expect(await queue.take(tx, 5)).toHaveLength(1);
    throw new Error("the worker dies");
  });
  await expect(rolledBack).rejects.toThrow("dies");
  expect(await hasReady()).toBe(true);
  expect((await takeAll()).map(({ id }) => id)).toEqual(ids);
  expect(await hasReady()).toBe(false);
  await queue.remove(db, ids);
});

test("what is delayed is not ready before its time", async () => {
  const ids = await send(crypto.randomUUID(), 5, [0], { delayMs: 60_000 });
  expect([await hasReady(), await takeAll()]).toEqual([false, []]);
  await queue.remove(db, ids);
});

test("ids of jobs sort by priority, then by time", () => {
  const when = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2200) });
  fc.assert(
    fc.property(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -20, max: 20 }), when, when, (p, q, s, t) => {
      const [a, b] = [jobId(p, s), jobId(q, t)];
      expect(isUuid(a)).toBe(true);
      if (p !== q) expect(a < b).toBe(p > q);
      else if (s !== t) expect(a < b).toBe(s < t);
    }),
  );
});
