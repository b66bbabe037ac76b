import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database, Queryable } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import type { Signals } from "../db/signals.ts";
import { openSignals } from "../db/signals.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import { eventually } from "../testing/eventually.ts";
import { waitsAtFirst } from "../testing/waits-at-first.ts";
import type { LeasedRow } from "./leases.ts";
import { leasesOn } from "./leases.ts";
import { lookTogether } from "./look-together.ts";
import type { Turn, Work, Worker, Workplace } from "./work.ts";
import { startWork, workOff } from "./work.ts";

type Job = LeasedRow & { name: string; tries: number };
type Spec = { name: string; org?: string; lane?: string; most?: number; dueInMs?: number };

let db: Database;
let signals: Signals;
let drop: () => Promise<void>;
let world: Workplace;
const workers: Worker[] = [];

const leases = leasesOn<Job>({
  table: "test_jobs",
  columns: "t.id, t.org_id, t.name, t.tries",
  attempts: "tries",
  lane: { column: "lane", limit: () => "t.most" },
  clock: "database",
  leaseMs: 600,
});

beforeAll(async () => {
  const database = await cloneDatabase();
  db = openDatabase({ connection: database.connection, maxConnections: 10, onError: () => {} });
  signals = await openSignals(database.connection, { onError: () => {} });
  world = { db, signals, clock: { now: () => new Date() }, log: pino({ level: "silent" }) };
  await db.query(`create table test_jobs (id uuid primary key, org_id uuid not null, lane uuid not null, most int not null,
    name text not null, due_at timestamptz, lease_owner uuid, lease_until timestamptz, tries int not null default 0)`);
  await db.query("create index on test_jobs (lane, due_at, id) where due_at is not null");
  await db.query("create index on test_jobs (lane) where lease_owner is not null");
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

test("looks of one moment are one query: each gets its own answers, and all of them what went wrong", async () => {
  let asked = 0;
  const counting: Queryable = {
    query: async (statement, values) => {
      asked++;
      return await db.query(statement, values);
    },
  };
  const now = new Date("2026-03-01T00:00:00Z");
  const look = (...conditions: string[]) => lookTogether(counting, now, conditions);
  const exists = "exists (select from test_jobs where name = 'there')";
  await add({ name: "there" });
  expect(await Promise.all([look(exists, "false"), look("$1 < '2026-02-01'"), look(`not ${exists}`, "true")])).toEqual([
    [true, false],
    [false],
    [false, true],
  ]);
  expect(asked).toBe(1);
  const failed = await Promise.allSettled([look("true"), look("exists (select from no_such_table)")]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([await look("true"), asked]).toEqual([[true], 3]);
});

async function add(...specs: Spec[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, org = orgA, lane = org, most = 100, dueInMs = 0 } of specs) {
    const id = randomUUID();
    await db.query(
      "insert into test_jobs (id, org_id, lane, most, name, due_at) values ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms')",
      [id, org, lane, most, name, dueInMs],
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

function workOf(run: (row: Job, turn: Turn) => Promise<"done" | "again">, more: Partial<Work<Workplace, Job>> = {}) {
  const givenUp: { row: Job; error: unknown }[] = [];
  const work: Work<Workplace, Job> = {
    name: "test jobs",
    leases,
    wakeOn: ["operation_run"],
    everyMs: 100,
    maxAttempts: 3,
    run: (_world, row, turn) => run(row, turn),
    async giveUp(_world, row, error) {
      givenUp.push({ row, error });
      await finish(row);
    },
    ...more,
  };
  return { work, givenUp };
}

function start(work: Work<Workplace, Job>, slots = 4, at: Workplace = world): Worker {
  const worker = startWork(at, work, { slots });
  workers.push(worker);
  return worker;
}

const openCount = async (): Promise<number> =>
  (await db.query<{ count: number }>("select count(*) as count from test_jobs where due_at is not null"))[0]!.count;
const isZero = (count: number): boolean => count === 0;
const everyone = { byOrg: new Map<string, number>(), others: 100 };

describe("a claim", () => {
  const claim = (limit: number, owner = randomUUID(), more = {}) =>
    leases.claimAcrossOrgs(db, { owner, limit, rooms: everyone, mayTakeOver: true, now: new Date(), ...more });

  test("takes one of every organization before it takes another one of any", async () => {
    await add(...Array.from({ length: 50 }, (_, i) => ({ name: `a${i}` })));
    await add({ name: "b0", org: orgB }, { name: "b1", org: orgB }, { name: "c0", org: orgC });
    const { rows } = await claim(4);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(["a0", "a1", "b0", "c0"]);
  });

  test("takes no more of an organization than it has room for", async () => {
    await add(...Array.from({ length: 9 }, (_, i) => ({ name: `a${i}` })), { name: "b", org: orgB });
    const { rows } = await claim(9, randomUUID(), { rooms: { byOrg: new Map([[orgA, 2]]), others: 5 } });
    expect(rows.map(({ name }) => name).toSorted()).toEqual(["a0", "a1", "b"]);
  });

  test("never has more of a lane out than its limit, however many claim at the same time", async () => {
    const lane = randomUUID();
    await add(...Array.from({ length: 40 }, (_, i) => ({ name: `n${i}`, lane, most: 3 })));
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(5)));
    expect(claims.flatMap(({ rows }) => rows)).toHaveLength(3);
    expect((await claim(5)).rows).toEqual([]);
  });

  test("leaves what is not due, what is taken, and what nobody may take over yet", async () => {
    await add({ name: "later", dueInMs: 60_000 });
    await add({ name: "taken" });
    expect((await claim(5)).rows.map(({ name }) => name)).toEqual(["taken"]);
    expect((await claim(5)).rows).toEqual([]);
    await db.query("update test_jobs set lease_until = now() where lease_owner is not null");
    expect((await claim(5, randomUUID(), { mayTakeOver: false })).rows).toEqual([]);
    const { rows } = await claim(5);
    expect(rows).toMatchObject([{ name: "taken", taken_over: true, tries: 2 }]);
  });

  test("goes on where it stopped when there are more lanes than it looks at", async () => {
    await add(...Array.from({ length: 130 }, (_, i) => ({ name: `${i}`, lane: randomUUID(), most: 0 })));
    const [id] = await add({ name: "last", lane: "ffffffff-ffff-4fff-bfff-ffffffffffff" });
    const first = await claim(5);
    expect(first.rows).toEqual([]);
    const second = await claim(5, randomUUID(), { after: first.after });
    expect(second).toMatchObject({ rows: [{ id }], after: undefined });
  });
});

test("renewing locks in the order of the ids, as everybody does", async () => {
  const owner = randomUUID();
  const [high, low] = ["ffffffff-ffff-4fff-bfff-ffffffffffff", "00000000-0000-4000-8000-000000000000"] as const;
  for (const id of [high, low]) {
    await db.query(
      `insert into test_jobs (id, org_id, lane, most, name, due_at, lease_owner, lease_until)
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
  test("of a worker that died is done by another one", async () => {
    await add({ name: "one" });
    await leases.claimAcrossOrgs(db, {
      owner: randomUUID(),
      limit: 1,
      rooms: everyone,
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
    const { work } = workOf(async (row, turn) => {
      owners.push(turn.owner);
      await held.promise;
      expect(turn.isFresh()).toBe(true);
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

  test("that is poisoned ends after so many tries, and holds up nobody", async () => {
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

  test("that takes its process down each time ends too", async () => {
    await add({ name: "deadly" });
    for (let death = 0; death < 3; death++) {
      await leases.claimAcrossOrgs(db, {
        owner: randomUUID(),
        limit: 1,
        rooms: everyone,
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

  test("of one organization never fills all places: another one's begins at once", async () => {
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

  test("that somebody had locked for a moment is taken soon after, though nobody says so", async () => {
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
    // By the clock it is asked for once, at the beginning.
    const hour = 3_600_000;
    start(workOf(finish, { everyMs: hour, leases: { ...leases, claimAcrossOrgs } }).work);
    await asked.promise;
    unlock.resolve();
    await others;
    expect(await eventually(openCount, isZero)).toBe(0);
  });

  test("that says again lets the others have their turn first", async () => {
    const order: string[] = [];
    const { work } = workOf(async (row) => {
      order.push(row.name);
      if (order.filter((name) => name === row.name).length === 3) return await finish(row);
      return "again";
    });
    await add({ name: "long" }, { name: "other" });
    await workOff(world, work);
    expect(order).toEqual(["long", "other", "long", "other", "long", "other"]);
  });

  test("that was lost and has come back to its worker is not ended by the turn that lost it", async () => {
    await add({ name: "twice" });
    const begun: { turn: Turn; end: PromiseWithResolvers<"again"> }[] = [];
    const { work } = workOf(async (_row, turn) => {
      const end = Promise.withResolvers<"again">();
      begun.push({ turn, end });
      return await end.promise;
    });
    const worker = start(work);
    const count = async (): Promise<number> => begun.length;
    await eventually(count, (turns) => turns === 1);
    // Another worker has taken it over meanwhile, and given it back.
    await db.query("update test_jobs set lease_owner = null, lease_until = null");
    worker.wake();
    await eventually(count, (turns) => turns === 2);
    begun[0]!.end.resolve("again");
    // What the first turn wrote when it ended is there as soon as its worker has taken something new.
    await add({ name: "next" });
    worker.wake();
    await eventually(count, (turns) => turns === 3);
    const [first, second] = begun.map(({ turn }) => turn);
    expect(await db.query("select lease_owner, tries from test_jobs where name = 'twice'")).toEqual([
      { lease_owner: second!.owner, tries: 2 },
    ]);
    expect(first!.signal.aborted).toBe(true);
    expect(second!.signal.aborted).toBe(false);
    await db.query("update test_jobs set due_at = null");
    for (const { end } of begun) end.resolve("again");
  });

  test("is given back when the process stops, and does not count as a try", async () => {
    await add({ name: "long" });
    const begun = Promise.withResolvers<void>();
    const { work } = workOf(async (_row, turn) => {
      begun.resolve();
      await new Promise<void>((resolve) => turn.signal.addEventListener("abort", () => resolve()));
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
