import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import type { Signals } from "../db/signals.ts";
import { openSignals } from "../db/signals.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import { eventually } from "../testing/eventually.ts";
import { waitsAtFirst } from "../testing/waits-at-first.ts";
import type { LeasedRow } from "./leases.ts";
import { leasesOn } from "./leases.ts";
import type { TimeSlice, WorkerContext, WorkKind } from "./work-kind.ts";
import type { Worker } from "./work.ts";
import { startWork, workOff } from "./work.ts";

type Job = LeasedRow & { name: string; tries: number };
type Spec = { name: string; org?: string; queue?: string; slots?: number; dueInMs?: number };

let db: Database;
let signals: Signals;
let drop: () => Promise<void>;
let world: WorkerContext;
const workers: Worker[] = [];

const isFailing = "t.name like 'failing%'";
const leases = leasesOn<Job>({
  table: "test_jobs",
  columns: `t.id, t.org_id, t.name, t.tries, ${isFailing} as "isFailing"`,
  attempts: "tries",
  queue: { column: "queue", limit: () => "t.slots", isFailing },
  clock: "database",
  leaseMs: 600,
});

beforeAll(async () => {
  const database = await cloneDatabase();
  db = openDatabase({ connection: database.connection, maxConnections: 10, onError: () => {} });
  signals = await openSignals(database.connection, { onError: () => {} });
  world = { db, signals, clock: { now: () => new Date() }, log: pino({ level: "silent" }) };
  await db.query(`create table test_jobs (id uuid primary key, org_id uuid not null, queue uuid not null, slots int not null,
    name text not null, due_at timestamptz, lease_owner uuid, lease_until timestamptz, tries int not null default 0)`);
  await db.query("create index on test_jobs (queue, due_at, id) where due_at is not null");
  await db.query("create index on test_jobs (queue) where lease_owner is not null");
  drop = database.drop;
});

beforeEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await db.query("truncate test_jobs");
});

afterAll(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await signals.close();
  await db.close();
  await drop();
});

async function add(...specs: Spec[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, org = orgA, queue = org, slots = 100, dueInMs = 0 } of specs) {
    const id = randomUUID();
    await db.query(
      "insert into test_jobs (id, org_id, queue, slots, name, due_at) values ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms')",
      [id, org, queue, slots, name, dueInMs],
    );
    ids.push(id);
  }
  return ids;
}

const [orgA, orgB, orgC] = [randomUUID(), randomUUID(), randomUUID()];

async function finish(row: Job): Promise<"done"> {
  await db.query("update test_jobs set due_at = null, lease_owner = null, lease_until = null where id = $1", [row.id]);
  return "done";
}

function workOf(
  run: (row: Job, slice: TimeSlice) => Promise<"done" | "yield">,
  more: Partial<WorkKind<WorkerContext, Job>> = {},
) {
  const givenUp: { row: Job; error: unknown }[] = [];
  const work: WorkKind<WorkerContext, Job> = {
    name: "test jobs",
    leases,
    wakeOn: ["operation_run"],
    pollIntervalMs: 100,
    maxAttempts: 3,
    run: (_world, row, slice) => run(row, slice),
    async giveUp(_world, row, error) {
      givenUp.push({ row, error });
      await finish(row);
    },
    ...more,
  };
  return { work, givenUp };
}

function start(work: WorkKind<WorkerContext, Job>, slots = 4, at: WorkerContext = world): Worker {
  const worker = startWork(at, work, { slots });
  workers.push(worker);
  return worker;
}

const openCount = async (): Promise<number> =>
  (await db.query<{ count: number }>("select count(*) as count from test_jobs where due_at is not null"))[0]!.count;
const isZero = (count: number): boolean => count === 0;
const unlimited = { byOrg: new Map<string, number>(), others: 100 };

describe("a claim", () => {
  // A lease of these tests ends after 0.6 s, which two claims in a row can take on a busy machine.
  const claim = (limit: number, owner = randomUUID(), more = {}) =>
    leases.claimAcrossOrgs(db, { owner, limit, quotas: unlimited, mayTakeOver: false, now: new Date(), ...more });

  test("takes one row of every organization before a second one of any", async () => {
    await add(...Array.from({ length: 50 }, (_, i) => ({ name: `a${i}` })));
    await add({ name: "b0", org: orgB }, { name: "b1", org: orgB }, { name: "c0", org: orgC });
    const { rows } = await claim(4);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(["a0", "a1", "b0", "c0"]);
  });

  test("takes no more rows of an organization than its quota", async () => {
    await add(...Array.from({ length: 9 }, (_, i) => ({ name: `a${i}` })), { name: "b", org: orgB });
    const { rows } = await claim(9, randomUUID(), { quotas: { byOrg: new Map([[orgA, 2]]), others: 5 } });
    expect(rows.map(({ name }) => name).toSorted()).toEqual(["a0", "a1", "b"]);
  });

  test("takes rows of failing queues for half of the quota, at least one, so that other queues go on", async () => {
    const failing = Array.from({ length: 10 }, (_, i) => ({ name: `failing${i}`, queue: randomUUID() }));
    await add(...failing, ...Array.from({ length: 10 }, (_, i) => ({ name: `a${i}` })));
    const take = async (most: number) => {
      const { rows } = await claim(20, randomUUID(), { quotas: { byOrg: new Map([[orgA, most]]), others: 100 } });
      return [rows.filter((row) => row.isFailing).length, rows.filter((row) => !row.isFailing).length];
    };
    expect([await take(6), await take(1), await take(5)]).toEqual([
      [3, 3],
      [1, 0],
      [2, 3],
    ]);
  });

  test("never leases more rows of a queue than its limit, with any number of concurrent claims", async () => {
    const queue = randomUUID();
    await add(...Array.from({ length: 40 }, (_, i) => ({ name: `n${i}`, queue, slots: 3 })));
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(5)));
    expect(claims.flatMap(({ rows }) => rows)).toHaveLength(3);
    expect((await claim(5)).rows).toEqual([]);
  });

  test("skips rows that are not due, leased, or not yet to be taken over", async () => {
    await add({ name: "later", dueInMs: 60_000 });
    await add({ name: "taken" });
    expect((await claim(5)).rows.map(({ name }) => name)).toEqual(["taken"]);
    expect((await claim(5)).rows).toEqual([]);
    await db.query("update test_jobs set lease_until = now() where lease_owner is not null");
    expect((await claim(5)).rows).toEqual([]);
    const { rows } = await claim(5, randomUUID(), { mayTakeOver: true });
    expect(rows).toMatchObject([{ name: "taken", taken_over: true, tries: 2 }]);
  });

  test("continues where it stopped when there are more queues than one claim examines", async () => {
    await add(...Array.from({ length: 130 }, (_, i) => ({ name: `${i}`, queue: randomUUID(), slots: 0 })));
    const [id] = await add({ name: "last", queue: "ffffffff-ffff-4fff-bfff-ffffffffffff" });
    const first = await claim(5);
    expect(first.rows).toEqual([]);
    const second = await claim(5, randomUUID(), { after: first.after });
    expect(second).toMatchObject({ rows: [{ id }], after: undefined });
  });
});

test("renewing locks rows in the order of their ids, as settling does", async () => {
  const owner = randomUUID();
  const [high, low] = ["ffffffff-ffff-4fff-bfff-ffffffffffff", "00000000-0000-4000-8000-000000000000"] as const;
  for (const id of [high, low]) {
    await db.query(
      `insert into test_jobs (id, org_id, queue, slots, name, due_at, lease_owner, lease_until)
       values ($1, $2, $2, 9, 'job', now(), $3, now() + interval '1 minute')`,
      [id, orgA, owner],
    );
  }
  const renew = () =>
    leases.renewAcrossOrgs(
      db,
      [high, low].map((id) => ({ id, owner })),
    );
  expect(await waitsAtFirst(db, "test_jobs", [high, low], renew)).toBe(true);
  expect(await renew()).toHaveLength(2);
});

describe("work", () => {
  test("of a dead worker is processed by another one", async () => {
    await add({ name: "one" });
    await leases.claimAcrossOrgs(db, {
      owner: randomUUID(),
      limit: 1,
      quotas: unlimited,
      mayTakeOver: true,
      now: new Date(),
    });
    const seen: Job[] = [];
    const { work } = workOf(async (row) => {
      seen.push(row);
      return await finish(row);
    });
    start(work);
    await eventually(openCount, isZero);
    expect(seen).toMatchObject([{ taken_over: true, tries: 2 }]);
  });

  test("that takes longer than its lease stays with its worker", async () => {
    await add({ name: "long" });
    const held = Promise.withResolvers<void>();
    const owners: string[] = [];
    const { work } = workOf(async (row, slice) => {
      owners.push(slice.owner);
      await held.promise;
      expect(slice.isFresh()).toBe(true);
      return await finish(row);
    });
    start(work);
    start(work);
    // Twice its lease, as the database counts it.
    await eventually(
      async () =>
        (
          await db.query<{ lapsed: boolean }>(
            "select clock_timestamp() > min(due_at) + interval '1300 ms' as lapsed from test_jobs",
          )
        )[0]!.lapsed,
      (lapsed) => lapsed,
    );
    held.resolve();
    await eventually(openCount, isZero);
    expect(owners).toHaveLength(1);
  });

  test("that always fails is given up after maxAttempts and delays no other row", async () => {
    const [poisoned] = await add({ name: "poison" });
    await add(...Array.from({ length: 5 }, (_, i) => ({ name: `good ${i}` })));
    let tries = 0;
    const { work, givenUp } = workOf(async (row) => {
      if (row.name !== "poison") return await finish(row);
      tries++;
      // Its time has come at once, not in a second.
      setImmediate(
        () => void db.query("update test_jobs set due_at = now() where id = $1 and due_at is not null", [row.id]),
      );
      throw new Error("no good");
    });
    start(work);
    const expedite = (): Promise<unknown> => db.query("update test_jobs set due_at = now() where due_at > now()");
    await eventually(async () => (await expedite(), await openCount()), isZero);
    expect(tries).toBe(3);
    expect(givenUp).toMatchObject([{ row: { id: poisoned }, error: { message: "no good" } }]);
  });

  test("that kills its process each time is given up, too", async () => {
    await add({ name: "deadly" });
    for (let death = 0; death < 3; death++) {
      await leases.claimAcrossOrgs(db, {
        owner: randomUUID(),
        limit: 1,
        quotas: unlimited,
        mayTakeOver: true,
        now: new Date(),
      });
      await leases.endAllAcrossOrgs(db);
    }
    const { work, givenUp } = workOf(() => {
      throw new Error("it was tried once more");
    });
    await workOff(world, work);
    expect(givenUp).toMatchObject([{ error: { message: "every process that worked on it ended" } }]);
    expect(await openCount()).toBe(0);
  });

  test("of one organization never uses all slots: a row of another one starts at once", async () => {
    const held = Promise.withResolvers<void>();
    let running = 0;
    const { work } = workOf(async (row) => {
      if (row.org_id === orgA) running++;
      if (row.org_id === orgA) await held.promise;
      return await finish(row);
    });
    await add(...Array.from({ length: 20 }, (_, i) => ({ name: `a${i}` })));
    const worker = start(work, 4);
    await eventually(
      async () => running,
      (count) => count === 3,
    );
    const [id] = await add({ name: "b", org: orgB });
    worker.wake();
    const isDone = async (): Promise<boolean> =>
      (await db.query("select from test_jobs where id = $1 and due_at is null", [id])).length === 1;
    await eventually(isDone, (done) => done);
    expect(running).toBe(3);
    held.resolve();
    await eventually(openCount, isZero);
  });

  test("that was locked for a moment is claimed soon after, without a signal", async () => {
    const [id] = await add({ name: "locked" });
    const [locked, unlock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const others = db.transaction(async (tx) => {
      await tx.query("select from test_jobs where id = $1 for update", [id]);
      locked.resolve();
      await unlock.promise;
    });
    await locked.promise;
    const asked = Promise.withResolvers<void>();
    const claimAcrossOrgs: typeof leases.claimAcrossOrgs = async (...claim) => {
      const claimed = await leases.claimAcrossOrgs(...claim);
      asked.resolve();
      return claimed;
    };
    // The poll runs once, at the start.
    const hour = 3_600_000;
    start(workOf(finish, { pollIntervalMs: hour, leases: { ...leases, claimAcrossOrgs } }).work);
    await asked.promise;
    unlock.resolve();
    await others;
    expect(await eventually(openCount, isZero)).toBe(0);
  });

  test("that yields lets other rows run first", async () => {
    const order: string[] = [];
    const { work } = workOf(async (row) => {
      order.push(row.name);
      if (order.filter((name) => name === row.name).length === 3) return await finish(row);
      return "yield";
    });
    await add({ name: "long" }, { name: "other" });
    await workOff(world, work);
    expect(order).toEqual(["long", "other", "long", "other", "long", "other"]);
  });

  test("that was lost and claimed again by its worker is not ended by the time slice that lost it", async () => {
    await add({ name: "twice" });
    const begun: { slice: TimeSlice; end: PromiseWithResolvers<"yield"> }[] = [];
    const { work } = workOf(async (_row, slice) => {
      const end = Promise.withResolvers<"yield">();
      begun.push({ slice, end });
      return await end.promise;
    });
    const worker = start(work);
    const count = async (): Promise<number> => begun.length;
    await eventually(count, (slices) => slices === 1);
    // Another worker has taken it over and released it.
    await db.query("update test_jobs set lease_owner = null, lease_until = null");
    worker.wake();
    await eventually(count, (slices) => slices === 2);
    begun[0]!.end.resolve("yield");
    // The first time slice has written its end by the time its worker has claimed another row.
    await add({ name: "next" });
    worker.wake();
    await eventually(count, (slices) => slices === 3);
    const [first, second] = begun.map(({ slice }) => slice);
    expect(await db.query("select lease_owner, tries from test_jobs where name = 'twice'")).toEqual([
      { lease_owner: second!.owner, tries: 2 },
    ]);
    expect(first!.signal.aborted).toBe(true);
    expect(second!.signal.aborted).toBe(false);
    await db.query("update test_jobs set due_at = null");
    for (const { end } of begun) end.resolve("yield");
  });

  test("is released when the process stops, and does not count as an attempt", async () => {
    await add({ name: "long" });
    const begun = Promise.withResolvers<void>();
    const { work } = workOf(async (_row, slice) => {
      begun.resolve();
      await new Promise<void>((resolve) => slice.signal.addEventListener("abort", () => resolve()));
      throw new Error("cut short");
    });
    const worker = start(work);
    await begun.promise;
    await worker.stop();
    const [row] = await db.query<{ tries: number; lease_owner: string | null }>(
      "select tries, lease_owner from test_jobs",
    );
    expect(row).toEqual({ tries: 0, lease_owner: null });
  });
});
