import { readFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import autocannon from "autocannon";
import pg from "pg";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { startChild } from "./child.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import type { HubProcess } from "./hub-process.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";

/*
 * What is compared: 10,000 tasks that do nothing, queued one per call by the same number of clients, from the first call
 * until the last one is done and its history can be read.
 *
 * Ours goes through HTTP, authentication, validation and the event log, with the clients in this process and everything
 * else in the hub. pg-boss and graphile-worker are called directly, clients and worker in one process of their own,
 * on the same PostgreSQL; BullMQ, where a redis-server is installed, on a Redis that writes to the disk before it answers.
 * pg-boss keeps its finished jobs, as it does by default; graphile-worker deletes them. All are
 * given the settings that made them fastest here: pg-boss has up to 200 at a time, ours 128. A bridge may have 50 of them, so
 * that the tasks queued in bulk are spread over several. All of them take turns, and the ratio is the median of the rounds.
 */
const executions = 10_000;
const clients = 32;
const rounds = 3;
const paced = 400;
const paceMs = 25;
const idleSeconds = 40;
const settleSeconds = 20;
const doneWithinMs = 120_000;
const perBulkCall = 1_000;
const slots = 128;
const bridges = 4;

export const tasksBench: Bench = {
  name: "tasks",
  bar: "10,000 noop executions >= 80 % of raw pg-boss, in bulk >= 2x; start p50 <= 15 ms, p99 <= 60 ms; idle <= 2 queries/s",
  run: () => withDataDir(measure),
};

async function measure(dataDir: string): Promise<Figure[]> {
  const countFile = path.join(dataDir, "query-count");
  const preload = path.join(import.meta.dirname, "count-queries.ts");
  const env = {
    NODE_OPTIONS: `--import file://${preload}`,
    BENCH_QUERY_COUNT_FILE: countFile,
    HUB_TASK_CONCURRENCY: String(slots),
  };
  const hub = await startHub(path.join(dataDir, "data"), env);
  const db = new pg.Client(clusterOf(path.join(dataDir, "data")));
  try {
    await db.connect();
    const client = await signInWithKey(hub.url);
    const tasks: object[] = [];
    for (let n = 0; n < bridges; n++) {
      const request = { name: `Bench ${n}`, connector: "demo", concurrency: 50 };
      const { id } = await client.post<{ id: string }>("/bridges", request);
      tasks.push({ bridgeId: id, taskName: "noop", input: { hello: "world" } });
    }
    const body = JSON.stringify(tasks[0]);
    // Warm-up: the first request is slower.
    await runOurs(hub, client, db, body, 1_000);
    const latencies = await measureStarts(client, db, body);
    const figures = await compareThroughput(hub, client, db, path.join(dataDir, "data"), tasks);
    return [...figures, ...latencies, await measureIdle(countFile)];
  } finally {
    await db.end();
    await hub.stop();
  }
}

async function compareThroughput(
  hub: HubProcess,
  client: HubClient,
  db: pg.Client,
  dataDir: string,
  tasks: object[],
): Promise<Figure[]> {
  type Rates = { single: number; bulk: number; boss: number; graphile: number; bull: number };
  const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
  const results: Rates[] = [];
  for (let round = 0; round < rounds; round++) {
    results.push({
      single: await runOurs(hub, client, db, JSON.stringify(tasks[0]), executions),
      bulk: await runInBulk(client, db, tasks),
      boss: await runPeer("floor-pg-boss.ts", dataDir),
      graphile: await runPeer("floor-graphile-worker.ts", dataDir),
      bull: hasRedis ? await runPeer("floor-bullmq.ts", dataDir) : NaN,
    });
  }
  const figure = (what: string, ours: "single" | "bulk", peer: "boss" | "graphile" | "bull"): Figure => ({
    what,
    unit: "tasks/s",
    ours: median(results.map((result) => result[ours])),
    floor: median(results.map((result) => result[peer])),
    ratio: median(results.map((result) => result[ours] / result[peer])),
  });
  return [
    {
      ...figure("10,000 noop, queued and run, beside pg-boss", "single", "boss"),
      limit: { on: "ratio", atLeast: 0.8 },
    },
    { ...figure("queued 1,000 a call, beside pg-boss one by one", "bulk", "boss"), limit: { on: "ratio", atLeast: 2 } },
    figure("one by one beside graphile-worker, which keeps no history", "single", "graphile"),
    ...(hasRedis ? [figure("one by one beside BullMQ with fsync always", "single", "bull")] : []),
  ];
}

async function runInBulk(client: HubClient, db: pg.Client, some: object[]): Promise<number> {
  const tasks = Array.from({ length: perBulkCall }, (_, n) => some[n % some.length]);
  const before = await countEnded(db);
  const started = performance.now();
  for (let queued = 0; queued < executions; queued += perBulkCall) await client.post("/tasks/bulk", { tasks });
  await untilEnded(db, before + executions);
  return executions / ((performance.now() - started) / 1000);
}

async function untilEnded(db: pg.Client, count: number): Promise<void> {
  const deadline = performance.now() + doneWithinMs;
  while ((await countEnded(db)) < count) {
    if (performance.now() > deadline) throw new Error("the executions did not end in time");
    // Poll rarely: counting takes database time from the tasks.
    await delay(100);
  }
}

async function runOurs(hub: HubProcess, client: HubClient, db: pg.Client, body: string, amount: number) {
  const before = await countEnded(db);
  const started = performance.now();
  const load = autocannon({
    url: `${hub.url}/api/v1/tasks/execute`,
    method: "POST",
    headers: { ...client.headers, "content-type": "application/json" },
    body,
    connections: clients,
    amount,
  });
  await untilEnded(db, before + amount);
  const seconds = (performance.now() - started) / 1000;
  // autocannon checks the clock once a second, so its own end would be measured too late.
  const { non2xx, errors, timeouts } = await load;
  if (non2xx + errors + timeouts > 0) throw new Error(`${non2xx + errors + timeouts} of ${amount} requests failed`);
  return amount / seconds;
}

async function countEnded(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    "select count(*)::int as n from task_executions where status = 'succeeded'",
  );
  return rows[0]!.n;
}

/** Runs a peer once in a process of its own, which prints its rate. */
async function runPeer(file: string, dataDir: string): Promise<number> {
  const args = ["--data-dir", dataDir, "--count", String(executions), "--clients", String(clients)];
  const child = await startChild(path.join(import.meta.dirname, file), args, {}, /^(\d+(?:\.\d+)?) per second$/m);
  await child.stop();
  return Number(child.match[1]);
}

/** Latency on a hub with free slots: from sending the request until the task starts, and until it has ended. */
async function measureStarts(client: HubClient, db: pg.Client, body: string): Promise<Figure[]> {
  const request = JSON.parse(body) as unknown;
  const sent: Promise<{ id: string; at: number }>[] = [];
  for (let n = 0; n < paced; n++) {
    const at = Date.now();
    sent.push(client.post<{ id: string }>("/tasks/execute", request).then(({ id }) => ({ id, at })));
    await delay(paceMs);
  }
  const asked = await Promise.all(sent);
  const ids = asked.map(({ id }) => id);
  const deadline = performance.now() + doneWithinMs;
  let rows: { id: string; began: Date; ended: Date }[] = [];
  while (rows.length < paced && performance.now() < deadline) {
    await delay(100);
    const text = `select id, started_at as began, finished_at as ended from task_executions
                   where id = any($1::uuid[]) and finished_at is not null`;
    rows = (await db.query<{ id: string; began: Date; ended: Date }>(text, [ids])).rows;
  }
  const sentAt = new Map(asked.map(({ id, at }) => [id, at]));
  const quantile = (times: number[], share: number): number =>
    times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  const starts = rows.map(({ id, began }) => began.getTime() - sentAt.get(id)!);
  const ends = rows.map(({ id, ended }) => ended.getTime() - sentAt.get(id)!);
  return [
    { what: "from request to start, p50", unit: "ms", ours: quantile(starts, 0.5), limit: { on: "ours", atMost: 15 } },
    { what: "from request to start, p99", unit: "ms", ours: quantile(starts, 0.99), limit: { on: "ours", atMost: 60 } },
    { what: "from request to end, p50", unit: "ms", ours: quantile(ends, 0.5) },
    { what: "from request to end, p99", unit: "ms", ours: quantile(ends, 0.99) },
  ];
}

/** Both surfaces without requests: counts every statement, including BEGIN and COMMIT. */
async function measureIdle(countFile: string): Promise<Figure> {
  await delay(settleSeconds * 1000);
  const before = Number(await readFile(countFile, "utf8"));
  await delay(idleSeconds * 1000);
  const after = Number(await readFile(countFile, "utf8"));
  const ours = (after - before) / idleSeconds;
  return { what: "idle, both surfaces", unit: "queries/s", ours, limit: { on: "ours", atMost: 2 } };
}
