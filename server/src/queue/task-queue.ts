import { randomBytes } from "node:crypto";
import type { ClientConfig } from "pg";
import type { PgBoss } from "pg-boss";
import type { Prepared, Queryable, Tx } from "../db/database.ts";
import { openDatabase, throughIndexes } from "../db/database.ts";

/** Points at an execution, which is the truth; a job that points nowhere is harmless. */
type NewJob = {
  executionId: string;
  /** At most `concurrency` jobs with the same lane are out at a time, on all nodes together. */
  lane: string;
  concurrency: number;
  /** Higher goes first. */
  priority: number;
  delayMs?: number;
};

export type TaskQueue = {
  /** Brings its tables up to date; whatever needs them waits for it. */
  prepare(): Promise<void>;
  /** In the caller's transaction: the job exists exactly when the execution does. Returns the ids of the jobs. */
  send(tx: Tx, jobs: NewJob[]): Promise<string[]>;
  /** A condition in SQL: whether anything could start now, should its lane have room. */
  isReady: string;
  /** Opens a transaction that takes: two nodes that count at the same time would both take the last place of a lane. */
  takeLock: string;
  /** What may start now, in a transaction that was opened with `takeLock`; a rollback gives the jobs back. */
  take(tx: Tx, limit: number): Promise<{ id: string; executionId: string }[]>;
  /** Done with, whatever became of them: the history is kept by the executions. */
  remove(tx: Queryable, jobIds: string[]): Promise<void>;
  close(): Promise<void>;
};

const schema = "queue";
const queueName = "tasks";
const maxConcurrency = 50;
const yearSeconds = 365 * 24 * 3600;
/** One tier for each allowed number: pg-boss knows limits per tier, not per group. */
const tiers = Object.fromEntries(Array.from({ length: maxConcurrency }, (_, i) => [`c${i + 1}`, i + 1]));

/**
 * A node that freezes with the lock in its hands keeps all others from their work: PostgreSQL takes it away from it. Jobs
 * come in the order of an index, without sorting all that wait.
 */
const takeLock = `set local idle_in_transaction_session_timeout = '5s'; ${throughIndexes}; set local enable_sort = off;
  select pg_advisory_xact_lock(hashtextextended('task queue', 0))`;

const isReady = `exists (select from ${schema}.job
    where name = '${queueName}' and state < 'active' and not blocked and start_after <= now())`;

/** The number is part of the statement: with few of them, each is planned once and not every time. */
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 100];

const names = new Map<string, string>();
const maxNames = 50;

/** What pg-boss asks for again and again is prepared like our own statements. */
function preparedOf(text: string, values: unknown[] | undefined): string | Prepared {
  if (values === undefined || values.length === 0) return text;
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= maxNames) return text;
    names.set(text, (name = `task_queue_${names.size}`));
  }
  return { name, text };
}

/** Of one lane, pg-boss hands out what has the smallest id: higher priority first, then what came first. */
export function jobId(priority: number, atMs: number): string {
  const rank = Math.min(Math.max(128 - priority, 0), 255)
    .toString(16)
    .padStart(2, "0");
  const order = rank + atMs.toString(16).padStart(12, "0");
  const random = randomBytes(8).toString("hex");
  // Version 8: a UUID of one's own making.
  const hex = `${order.slice(0, 12)}8${order.slice(12)}${random[0]}a${random.slice(1)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const through = (connection: Queryable) => ({
  executeSql: async (text: string, values?: unknown[]) => ({
    rows: (await connection.query<unknown>(preparedOf(text, values), values ?? [])) ?? [],
  }),
});

/**
 * The one place that knows pg-boss. It speaks through our own connections: no pool and no listener besides them. It is
 * loaded and started when it is first needed, so that a hub answers before.
 */
export function openTaskQueue(db: Queryable, connection: ClientConfig, onError: (error: Error) => void): TaskQueue {
  let starting: Promise<PgBoss> | undefined;
  const ready = async (): Promise<PgBoss> => {
    starting ??= startBoss(db, connection, onError);
    try {
      return await starting;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  };
  return {
    takeLock,
    async prepare() {
      await ready();
    },
    async send(tx, jobs) {
      if (jobs.length === 0) return [];
      const inserts = jobs.map(({ executionId, lane, concurrency, priority, delayMs }) => ({
        id: jobId(priority, Date.now()),
        data: { executionId },
        priority,
        group: { id: lane, tier: `c${Math.min(concurrency, maxConcurrency)}` },
        ...(delayMs === undefined ? {} : { startAfter: Math.ceil(delayMs / 1000) }),
      }));
      await (await ready()).insert(queueName, inserts, { db: through(tx) });
      return inserts.map(({ id }) => id);
    },
    isReady,
    async take(tx, limit) {
      const jobs = await (
        await ready()
      ).fetch<{ executionId: string }>(queueName, {
        db: through(tx),
        batchSize: batchSizes.findLast((size) => size <= limit)!,
        groupConcurrency: { default: maxConcurrency, tiers },
      });
      return jobs.map(({ id, data }) => ({ id, executionId: data.executionId }));
    },
    async remove(tx, jobIds) {
      if (jobIds.length > 0) await (await ready()).deleteJob(queueName, jobIds, { db: through(tx) });
    },
    async close() {
      const boss = await starting?.catch(() => undefined);
      await boss?.stop({ graceful: false });
    },
  };
}

async function startBoss(db: Queryable, connection: ClientConfig, onError: (error: Error) => void): Promise<PgBoss> {
  const { PgBoss: Boss } = await import("pg-boss");
  // A connection of its own until it has started: all others may be held by transactions that wait for just that.
  const first = openDatabase({ connection, maxConnections: 1, isPatient: true, onError });
  let current: Queryable = first;
  const asked = new Set<Promise<unknown>>();
  // No schedules: the hub has its own, since those of pg-boss lose or double runs when clocks change.
  const boss = new Boss({
    db: {
      async executeSql(text, values) {
        const answer = through(current).executeSql(text, values);
        asked.add(answer);
        return await answer.finally(() => asked.delete(answer));
      },
    },
    schema,
    schedule: false,
    supervise: true,
    maintenanceIntervalSeconds: 600,
    monitorIntervalSeconds: 600,
    superviseIntervalSeconds: 300,
    queueCacheIntervalSeconds: 600,
    bamIntervalSeconds: 600,
    flowIntervalSeconds: 600,
  });
  boss.on("error", onError);
  try {
    await boss.start();
    await boss.createQueue(queueName, {
      // An execution that is taken has a lease of its own; pg-boss is not to second-guess it.
      retryLimit: 0,
      expireInSeconds: 24 * 3600 - 1,
      retentionSeconds: yearSeconds,
    });
    return boss;
  } finally {
    current = db;
    // It goes on asking in the background when it has started; closed under it, the connection would never answer.
    await Promise.allSettled(asked);
    await first.close();
  }
}
