import { rm } from "node:fs/promises";
import path from "node:path";
import { describeFindings } from "./chaos-report.ts";
import { accepted, signIn } from "./chaos-client.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createRandom } from "./chaos-plan.ts";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { TaskCluster } from "./task-cluster.ts";
import { startCluster } from "./task-cluster.ts";
import type { TaskFindings } from "./task-checker.ts";
import { checkTasks } from "./task-checker.ts";
import { readShopJournal, startTaskShop } from "./task-shop.ts";
import type { TaskShared } from "./task-workload.ts";
import { createTaskClient, makeBridges } from "./task-workload.ts";
import { until } from "./until.ts";

type TaskStrike = { kind: "kill" | "freeze" | "database" | "cut"; node: number; afterMs: number; more: number };

type TaskOptions = {
  seed: number;
  strikes: number;
  nodes: number;
  clients: number;
  withinMs: number;
  /** Expire the lease of a frozen node instead of waiting. */
  isTimePassed?: boolean;
};

type TaskResult = {
  seed: number;
  nodes: number;
  struck: Record<TaskStrike["kind"], number>;
  cuts: number;
  accepted: number;
  cancelled: number;
  effects: number;
  observations: number;
  ends: Record<string, number>;
  unknown: number;
  recovered: number;
  counts: TaskShared["counts"];
  findings: TaskFindings;
  evidence: string;
};

const drainWithinMs = 180_000;

function planStrikes(seed: number, count: number, nodes: number): TaskStrike[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const dice = random.next();
    const kind = dice < 0.45 ? "kill" : dice < 0.65 ? "freeze" : dice < 0.8 ? "database" : "cut";
    const node = random.between(0, nodes - 1);
    return { kind, node, afterMs: random.between(100, 2_500), more: random.next() };
  });
}

/** Tasks with external effects under kills, freezes, database restarts and lost COMMIT responses. */
export async function runTaskSession(options: TaskOptions, log: (line: string) => void): Promise<TaskResult> {
  const folder = await makeOpenFolder("hub-chaos-");
  log(`data and evidence in ${folder}`);
  const random = createRandom(options.seed ^ 0x5eed);
  const shop = await startTaskShop({ journalFile: path.join(folder, "shop.jsonl"), seed: options.seed, faults: true });
  const cluster = await startCluster(folder, options.nodes, random);
  let isClean = false;
  try {
    const send = await signIn(cluster);
    let isOver = false;
    const shared: TaskShared = {
      send,
      bridges: await makeBridges(send, shop.url),
      entries: [],
      seen: [],
      journalFile: path.join(folder, "accepted.jsonl"),
      isOver: () => isOver,
      counts: { lost: 0, repeated: 0, internalErrors: [], refused: {} },
    };
    const clients = Array.from({ length: options.clients }, (_, i) =>
      createTaskClient(`c${i}`, createRandom(random.between(0, 2 ** 32 - 1)), shared),
    );
    const working = Promise.all(clients.map((client) => client.work()));
    working.catch(() => {});
    const failure = working.then(() => new Promise<never>(() => {}));
    const struck = await Promise.race([strikeAll(cluster, options, log), failure]).finally(() => (isOver = true));
    await working;
    await drain(cluster, options);
    const findings = await cluster.withDatabase((db) =>
      checkTasks(db, shared.entries, shared.seen, readShopJournal(shop.journalFile)),
    );
    const verification = await accepted(send, { method: "GET", path: "/audit/verification" });
    if (verification.ok !== true) findings.broken.push(`the audit chain: ${JSON.stringify(verification)}`);
    for (const node of cluster.nodes)
      findings.broken.push(...node.unexpectedEnds().map((end) => `a hub ended: ${end}`));
    findings.broken.push(...shared.counts.internalErrors.map((reason) => `answered ${reason}`));
    isClean = Object.values(findings).every((list) => list.length === 0);
    return {
      seed: options.seed,
      nodes: options.nodes,
      struck,
      cuts: cluster.cutter.cuts(),
      ...(await tally(cluster, shared)),
      effects: readShopJournal(shop.journalFile).length,
      observations: shared.seen.length,
      counts: shared.counts,
      findings,
      evidence: isClean ? "" : folder,
    };
  } finally {
    await cluster.stop();
    await shop.close();
    if (isClean) await rm(folder, { recursive: true, force: true });
  }
}

async function strikeAll(
  cluster: TaskCluster,
  { seed, strikes, nodes, withinMs, isTimePassed }: TaskOptions,
  log: (line: string) => void,
): Promise<TaskResult["struck"]> {
  const struck = { kill: 0, freeze: 0, database: 0, cut: 0 };
  const deadline = performance.now() + withinMs;
  for (const strike of planStrikes(seed, strikes, nodes)) {
    if (performance.now() > deadline) break;
    await new Promise((resolve) => setTimeout(resolve, strike.afterMs));
    await execute(cluster, strike, isTimePassed ?? false);
    struck[strike.kind]++;
    const total = Object.values(struck).reduce((sum, n) => sum + n, 0);
    if (total % 10 === 0) log(`${total} strikes: ${JSON.stringify(struck)}`);
  }
  return struck;
}

async function execute(cluster: TaskCluster, { kind, node, more }: TaskStrike, isTimePassed: boolean): Promise<void> {
  const hub = cluster.nodes[node]!;
  if (kind === "cut") return cluster.cutter.cutNext(3 + Math.floor(more * 8));
  if (kind === "database") return await cluster.restartPostgres(more < 0.5 ? "SIGKILL" : "SIGINT");
  if (kind === "freeze") return await freeze(cluster, hub, more, isTimePassed);
  await hub.killHub();
  await hub.start();
}

/** Half of the freezes outlast the lease, so that another hub has taken over when it resumes. */
async function freeze(cluster: TaskCluster, hub: ChaosHub, more: number, isTimePassed: boolean): Promise<void> {
  hub.freeze();
  if (isTimePassed) {
    await cluster.withDatabase((db) =>
      db.query("update task_executions set lease_until = now() - interval '1 second' where status = 'running'"),
    );
    await new Promise((resolve) => setTimeout(resolve, 9_000));
  } else await new Promise((resolve) => setTimeout(resolve, more < 0.5 ? 1_000 + more * 8_000 : 18_000 + more * 4_000));
  hub.thaw();
}

async function drain(cluster: TaskCluster, { isTimePassed }: TaskOptions): Promise<void> {
  let left: unknown[] = [];
  const isDone = async (): Promise<boolean> =>
    await cluster.withDatabase(async (db) => {
      if (isTimePassed) await db.query("update idempotency_keys set claimed_until = now() where status is null");
      const text = "select id, status, lease_until from task_executions where status in ('queued', 'running')";
      left = (await db.query(text)).rows;
      return left.length === 0;
    });
  // The check reports what is left; do not wait forever.
  await until(isDone, drainWithinMs, () => JSON.stringify(left), 250).catch(() => {});
}

async function tally(cluster: TaskCluster, { entries }: TaskShared) {
  return await cluster.withDatabase(async (db) => {
    const { rows } = await db.query<{ status: string; n: number }>(
      "select status, count(*)::int as n from task_executions group by status order by status",
    );
    const { rows: more } = await db.query<{ unknown: number; recovered: number }>(
      `select (select count(*)::int from task_effects where status in ('unknown', 'intent')) as unknown,
              (select count(*)::int from task_executions where attempts @> '[{"status":"worker_lost"}]') as recovered`,
    );
    return {
      ends: Object.fromEntries(rows.map(({ status, n }) => [status, n])),
      accepted: entries.filter(({ type }) => type === "execution").length,
      cancelled: entries.filter(({ type }) => type === "cancelled").length,
      unknown: more[0]!.unknown,
      recovered: more[0]!.recovered,
    };
  });
}

export const isTaskClean = ({ findings }: TaskResult): boolean =>
  Object.values(findings).every((list) => list.length === 0);

export function describeTaskSession(result: TaskResult): string {
  const list = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, times]) => `${name} ${times}`)
      .join(", ");
  const { findings } = result;
  return [
    `seed                 ${result.seed}, ${result.nodes} hubs on one PostgreSQL`,
    `strikes              ${list(result.struck)}; COMMIT answers cut ${result.cuts}`,
    `executions accepted  ${result.accepted}, cancelled ${result.cancelled}; ends: ${list(result.ends)}`,
    `taken up from lost   ${result.recovered}; effects whose outcome is unknown ${result.unknown}`,
    `effects at the shop  ${result.effects}`,
    `answers lost         ${result.counts.lost}; asked again ${result.counts.repeated}; observations ${result.observations}`,
    `lost                 ${findings.lost.length}`,
    `done twice           ${findings.doubled.length}`,
    `illegal transitions  ${findings.illegalTransitions.length}`,
    `begun after a cancel ${findings.afterCancel.length}`,
    `other violations     ${findings.broken.length}`,
    ...describeFindings(findings, result.evidence),
  ].join("\n");
}
