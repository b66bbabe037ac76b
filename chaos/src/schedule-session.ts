import { rm } from "node:fs/promises";
import { describeFindings } from "./chaos-report.ts";
import type { Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createRandom } from "./chaos-plan.ts";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { KnownSchedule, ScheduleCheck } from "./schedule-checker.ts";
import { checkSchedules, minuteMs } from "./schedule-checker.ts";
import type { TaskCluster } from "./task-cluster.ts";
import { startCluster } from "./task-cluster.ts";
import { until } from "./until.ts";

type ScheduleOptions = {
  seed: number;
  strikes: number;
  nodes: number;
  /** Target number; the number of schedules follows from the duration. */
  occurrences: number;
  withinMs: number;
  /** Backdates the schedules, so that all occurrences fire at once. */
  isTimePassed?: boolean;
};

/** `afterMs`: counted from when all schedules exist. */
type ScheduleStrike = { kind: "kill" | "freeze"; node: number; afterMs: number; forMs: number };

type ScheduleResult = ScheduleCheck & {
  seed: number;
  nodes: number;
  schedules: number;
  struck: Record<ScheduleStrike["kind"], number>;
  /** Executions that another hub took over from a killed one. */
  recovered: number;
  latenessMs: { median: number; longest: number };
  evidence: string;
};

const drainWithinMs = 240_000;
const clients = 8;
/** Three of five schedules fire every minute, one every two and one every three minutes. */
const intervals = [1, 1, 1, 2, 3];
const perMinute = intervals.reduce((sum, every) => sum + 1 / every, 0) / intervals.length;

/**
 * Times and targets of the strikes. Most come in the seconds after a full minute, when schedules fire; `startsAt` is the offset
 * of the session within its minute.
 */
function planScheduleStrikes(options: ScheduleOptions, startsAt: number): ScheduleStrike[] {
  const { seed, strikes, nodes, withinMs, isTimePassed } = options;
  const random = createRandom(seed);
  const firstMinuteMs = minuteMs - (startsAt % minuteMs);
  const minutes = Math.max(1, Math.floor((withinMs - firstMinuteMs) / minuteMs) + 1);
  const moment = (): number => {
    if (isTimePassed) return random.between(0, withinMs);
    const fullMinute = firstMinuteMs + random.between(0, minutes - 1) * minuteMs;
    return random.next() < 0.7 ? fullMinute + random.between(0, 4_000) : random.between(0, withinMs);
  };
  return Array.from({ length: strikes }, (): ScheduleStrike => {
    const kind = random.next() < 0.85 ? "kill" : "freeze";
    return { kind, node: random.between(0, nodes - 1), afterMs: moment(), forMs: random.between(1_000, 15_000) };
  }).toSorted((a, b) => a.afterMs - b.afterMs);
}

/** Several hubs on one PostgreSQL with many schedules: each occurrence has exactly one execution, whichever hub dies when. */
export async function runScheduleSession(
  options: ScheduleOptions,
  log: (line: string) => void,
): Promise<ScheduleResult> {
  const folder = await makeOpenFolder("hub-chaos-");
  log(`data and evidence in ${folder}`);
  const cluster = await startCluster(folder, options.nodes, createRandom(options.seed ^ 0x5eed));
  let isClean = false;
  try {
    const send = await signIn(cluster);
    const count = options.isTimePassed
      ? Math.ceil(options.occurrences / passedMinutes / perMinute)
      : Math.ceil(options.occurrences / (options.withinMs / minuteMs) / perMinute);
    const bridge = { name: "Bridge of the schedules", connector: "demo", concurrency: 50 };
    const bridgeId = String((await accepted(send, { method: "POST", path: "/bridges", body: bridge })).id);
    if (options.isTimePassed) await leaveTimeInMinute();
    const schedules = await makeSchedules(send, bridgeId, count);
    log(`${count} schedules, up to ${options.strikes} strikes`);
    if (options.isTimePassed) await passMinutes(cluster, send, bridgeId, schedules);
    const struck = await strikeAll(cluster, options, log);
    const end = await endOf(cluster);
    await drain(cluster, end);
    const check = await cluster.withDatabase((db) => checkSchedules(db, schedules, end));
    const { broken } = check.findings;
    const verification = await accepted(send, { method: "GET", path: "/audit/verification" });
    if (verification.ok !== true) broken.push(`the audit chain: ${JSON.stringify(verification)}`);
    for (const node of cluster.nodes) broken.push(...node.unexpectedEnds().map((ended) => `a hub ended: ${ended}`));
    isClean = Object.values(check.findings).every((list) => list.length === 0);
    const { seed, nodes } = options;
    const evidence = isClean ? "" : folder;
    return { ...check, seed, nodes, schedules: count, struck, ...(await tally(cluster)), evidence };
  } finally {
    await cluster.stop();
    if (isClean) await rm(folder, { recursive: true, force: true });
  }
}

async function makeSchedules(send: Send, bridgeId: string, count: number): Promise<KnownSchedule[]> {
  const made: KnownSchedule[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < count) {
      const everyMinutes = intervals[next++ % intervals.length]!;
      const timing = { cron: `*/${everyMinutes} * * * *`, timezone: "UTC", overlap: "allow", missed: "all" };
      const body = { bridgeId, taskName: "noop", ...timing };
      const { id, nextRunAt } = await accepted(send, { method: "POST", path: "/schedules", body });
      made.push({ id: String(id), everyMinutes, firstRunAt: Date.parse(String(nextRunAt)) });
    }
  }
  await Promise.all(Array.from({ length: clients }, work));
  return made;
}

const passedMinutes = 12;
const enoughMs = 20_000;

/** Waits, so that none fires before it is backdated: its acknowledged first run would be in the past. */
async function leaveTimeInMinute(): Promise<void> {
  const leftMs = minuteMs - (Date.now() % minuteMs);
  if (leftMs < enoughMs) await new Promise((resolve) => setTimeout(resolve, leftMs));
}

/** Backdates all schedules, as if no hub had been running. */
async function passMinutes(
  cluster: TaskCluster,
  send: Send,
  bridgeId: string,
  schedules: KnownSchedule[],
): Promise<void> {
  const back = passedMinutes * minuteMs;
  const { rows } = await cluster.withDatabase((db) =>
    db.query<{ fired: number }>(
      `with put_back as (update schedules set next_run_at = next_run_at - make_interval(secs => $1) returning run_count)
       select coalesce(sum(run_count), 0)::int as fired from put_back`,
      [back / 1000],
    ),
  );
  if (rows[0]!.fired > 0) throw new Error("schedules fired while others were still made: the machine is too busy");
  for (const schedule of schedules) schedule.firstRunAt -= back;
  // A new schedule wakes the schedulers.
  await accepted(send, { method: "POST", path: "/schedules", body: { bridgeId, taskName: "noop", cron: "@yearly" } });
}

/** Strikes of one hub run one after the other; they wait while it is still starting. */
async function strikeAll(
  cluster: TaskCluster,
  options: ScheduleOptions,
  log: (line: string) => void,
): Promise<ScheduleResult["struck"]> {
  const began = performance.now();
  const struck = { kill: 0, freeze: 0 };
  const strikes = planScheduleStrikes(options, Date.now());
  const sleepUntil = (afterMs: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, Math.max(0, began + afterMs - performance.now())));
  async function strikeNode(node: ChaosHub, ofNode: ScheduleStrike[]): Promise<void> {
    for (const { kind, afterMs, forMs } of ofNode) {
      await sleepUntil(afterMs);
      if (performance.now() - began > options.withinMs) return;
      if (kind === "kill") {
        await node.killHub();
        await node.start();
      } else {
        node.freeze();
        await new Promise((resolve) => setTimeout(resolve, forMs));
        node.thaw();
      }
      struck[kind]++;
      if ((struck.kill + struck.freeze) % 20 === 0) log(`${struck.kill} kills, ${struck.freeze} freezes`);
    }
  }
  const byNode = Map.groupBy(strikes, ({ node }) => node);
  await Promise.all(cluster.nodes.map((node, index) => strikeNode(node, byNode.get(index) ?? [])));
  await sleepUntil(options.withinMs);
  return struck;
}

/** Occurrences up to this time are over by the database clock. */
async function endOf(cluster: TaskCluster): Promise<number> {
  const { rows } = await cluster.withDatabase((db) => db.query<{ now: Date }>("select clock_timestamp() as now"));
  return Math.floor(rows[0]!.now.getTime() / minuteMs) * minuteMs;
}

async function drain(cluster: TaskCluster, end: number): Promise<void> {
  let left: unknown;
  const isDone = async (): Promise<boolean> =>
    await cluster.withDatabase(async (db) => {
      const { rows } = await db.query<{ due: number; open: number }>(
        `select (select count(*)::int from schedules where next_run_at <= $1) as due,
                (select count(*)::int from task_executions where status in ('queued', 'running')) as open`,
        [new Date(end)],
      );
      left = rows[0];
      if (rows[0]!.due > 0) return false;
      // Stop firing: occurrences during the drain are not part of the check.
      await db.query("update schedules set next_run_at = null where next_run_at is not null");
      return rows[0]!.open === 0;
    });
  // The check reports what is left; do not wait forever.
  await until(isDone, drainWithinMs, () => JSON.stringify(left), 250).catch(() => {});
}

async function tally(cluster: TaskCluster): Promise<Pick<ScheduleResult, "recovered" | "latenessMs">> {
  const { rows } = await cluster.withDatabase((db) =>
    db.query<{ recovered: number; median: number; longest: number }>(
      `select count(*) filter (where attempts @> '[{"status":"worker_lost"}]')::int as recovered,
              coalesce(percentile_cont(0.5) within group (order by late), 0)::float8 as median,
              coalesce(max(late), 0)::float8 as longest
         from (select attempts, extract(epoch from created_at - scheduled_for) * 1000 as late from task_executions
                where scheduled_for is not null) e`,
    ),
  );
  const { recovered, median, longest } = rows[0]!;
  return { recovered, latenessMs: { median: Math.round(median), longest: Math.round(longest) } };
}

export const isScheduleClean = ({ findings }: ScheduleResult): boolean =>
  Object.values(findings).every((list) => list.length === 0);

export function describeScheduleSession(result: ScheduleResult): string {
  const { findings, struck, latenessMs } = result;
  return [
    `seed                 ${result.seed}, ${result.nodes} hubs on one PostgreSQL, ${result.schedules} schedules`,
    `strikes              kills ${struck.kill}, freezes ${struck.freeze}`,
    `occurrences          ${result.occurrences}; later than a minute, and made up for ${result.madeUpFor}`,
    `queued after         median ${latenessMs.median} ms, longest ${latenessMs.longest} ms`,
    `taken up from lost   ${result.recovered}`,
    `lost                 ${findings.lost.length}`,
    `done twice           ${findings.doubled.length}`,
    `no occurrence        ${findings.unexpected.length}`,
    `other violations     ${findings.broken.length}`,
    ...describeFindings(findings, result.evidence),
  ].join("\n");
}
