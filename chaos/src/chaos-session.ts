import { rm } from "node:fs/promises";
import path from "node:path";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createChaosHub, withDatabase } from "./chaos-hub.ts";
import type { Plan, Strike, StrikeKind } from "./chaos-plan.ts";
import { createRandom } from "./chaos-plan.ts";
import type { Findings } from "./findings.ts";
import { check } from "./checker.ts";
import { makeGoods } from "./goods.ts";
import { openJournal, readJournal } from "./journal.ts";
import type { Watcher } from "./run-watcher.ts";
import { createWatcher } from "./run-watcher.ts";
import { passTime } from "./pass-time.ts";
import { until } from "./until.ts";
import type { Client, Counts, Shared, Size } from "./workload.ts";
import { createEditor, createRunner } from "./workload.ts";

type SessionOptions = {
  plan: Plan;
  size: Size;
  runners: { sync: number; async: number; editors: number; makers: number };
  withinMs: number;
  /** Expire leases of dead processes instead of waiting. */
  isTimePassed?: boolean;
  /** Data directory of the hub, removed by the caller; by default a new one beside the evidence. */
  dataDir?: string;
};

export type SessionResult = {
  seed: number;
  kills: Record<StrikeKind, number>;
  /** By type, without rejections. */
  acknowledgements: Record<string, number>;
  counts: Counts;
  observations: number;
  runs: number;
  recoveries: { any: number[]; interrupted: number[] };
  drainMs: number;
  findings: Findings;
  /** Folder with journal, logs and data; removed when nothing was found. */
  evidence: string;
};

const drainWithinMs = 120_000;
const lateWithinMs = 30_000;

/** Load under kills, then a drain, then the check. Keeps its folder only when something was found. */
export async function runSession(options: SessionOptions, log: (line: string) => void): Promise<SessionResult> {
  const folder = await makeOpenFolder("hub-chaos-");
  const hub = createChaosHub(options.dataDir ?? path.join(folder, "data"), path.join(folder, "hub.log"));
  const journalFile = path.join(folder, "journal.jsonl");
  const journal = openJournal(journalFile);
  const watcher = createWatcher(path.join(folder, "observations.jsonl"));
  log(`data and evidence in ${folder}`);
  try {
    await hub.start();
    const send = await signIn(hub);
    const orderIds = await makeOrders(send, options.size.orders);
    journal.append({ type: "orders", ids: orderIds });
    const goods = await makeGoods(send, journal, "goods", options.size.goods);
    const { id: setId } = await accepted(send, { method: "POST", path: "/condition-sets", body: { name: "chaos" } });
    let isOver = false;
    const counts: Counts = { lost: 0, repeated: 0, replayed: 0, parked: 0, made: 0, refused: {}, internalErrors: [] };
    const shared: Shared = {
      send,
      journal,
      watcher,
      orderIds,
      goods,
      setId: String(setId),
      size: options.size,
      isOver: () => isOver,
      counts,
    };
    const clients = createClients(options, shared);
    const working = [...clients.map((client) => client.work()), watcher.watch(send, () => isOver)];
    const failure = Promise.all(working).then(() => new Promise<never>(() => {}));
    failure.catch(() => {});
    const kills = await Promise.race([strike(hub, options, watcher, log), failure]).finally(() => (isOver = true));
    await Promise.all(working);
    const drainStarted = performance.now();
    if (options.isTimePassed) await withDatabase(hub.dataDir, passTime);
    await Promise.all(clients.map((client) => client.settle()));
    await drain(hub);
    const drainMs = performance.now() - drainStarted;
    const verification = await accepted(send, { method: "GET", path: "/audit/verification" });
    const findings = await withDatabase(hub.dataDir, (db) =>
      check(db, readJournal(journalFile), watcher.observations()),
    );
    if (verification.ok !== true) findings.broken.push(`the audit chain: ${JSON.stringify(verification)}`);
    findings.broken.push(...hub.unexpectedEnds().map((end) => `the hub ended by itself: ${end}`));
    findings.broken.push(...counts.internalErrors.map((reason) => `answered ${reason}`));
    await hub.stop();
    const { refused: _, ...acknowledgements } = journal.counts();
    const isClean = Object.values(findings).every((list) => list.length === 0);
    if (isClean) await rm(folder, { recursive: true, force: true });
    return {
      seed: options.plan.seed,
      kills,
      acknowledgements,
      counts,
      observations: watcher.observations().length,
      runs: new Set(watcher.observations().map(({ runId }) => runId)).size,
      recoveries: watcher.recoveries(),
      drainMs,
      findings,
      evidence: isClean ? "" : folder,
    };
  } finally {
    journal.close();
    await hub.stop();
  }
}

/** Some orders fail runs with the condition `gate = open`, so that there is something to retry. */
export async function makeOrders(send: Send, count: number): Promise<string[]> {
  const orders = Array.from({ length: count }, (_, i) => ({
    status: "ready",
    customFields: { gate: i % 10 === 0 ? "closed" : "open" },
  }));
  const { results } = await accepted(send, { method: "POST", path: "/orders/bulk", body: { orders } });
  return (results as { id: string }[]).map(({ id }) => id);
}

function createClients({ plan, runners }: SessionOptions, shared: Shared): Client[] {
  const seeds = [...plan.clientSeeds];
  const random = () => createRandom(seeds.shift()!);
  return [
    ...Array.from({ length: runners.sync }, (_, i) => createRunner(`sync${i}`, random(), shared, "sync")),
    ...Array.from({ length: runners.async }, (_, i) => createRunner(`async${i}`, random(), shared, "async")),
    ...Array.from({ length: runners.editors }, (_, i) => createEditor(`editor${i}`, random(), shared)),
    ...Array.from({ length: runners.makers }, (_, i) => createRunner(`maker${i}`, random(), shared, "maker")),
  ];
}

async function strike(
  hub: ChaosHub,
  { plan, withinMs }: SessionOptions,
  watcher: Watcher,
  log: (line: string) => void,
): Promise<Record<StrikeKind, number>> {
  const kills = { hub: 0, postgres: 0, both: 0 };
  const deadline = performance.now() + withinMs;
  for (const [i, planned] of plan.strikes.entries()) {
    if (performance.now() > deadline) break;
    await hub.url();
    if (planned.isLate)
      await until(
        () => watcher.interrupted() === 0,
        lateWithinMs,
        () => "",
      ).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, planned.afterMs));
    watcher.struck(performance.now());
    await execute(hub, planned);
    kills[planned.kind]++;
    if (i % 20 === 19) log(`${i + 1} kills, ${watcher.observations().length} observations`);
  }
  return kills;
}

async function execute(hub: ChaosHub, { kind }: Strike): Promise<void> {
  if (kind === "postgres") await hub.killPostgres();
  else if (kind === "both") await hub.killBoth();
  else await hub.killHub();
  if (kind !== "postgres") await hub.start();
}

async function drain(hub: ChaosHub): Promise<void> {
  await withDatabase(hub.dataDir, async (db) => {
    let left: unknown[] = [];
    const isDone = async (): Promise<boolean> => {
      const { rows } = await db.query(
        "select id, status, lease_owner, lease_until, tries from operation_runs where finished_at is null",
      );
      left = rows;
      return rows.length === 0;
    };
    // The check reports what is left; do not wait forever.
    await until(isDone, drainWithinMs, () => JSON.stringify(left), 100).catch(() => {});
  });
}
