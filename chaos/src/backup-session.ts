import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { checkBackup } from "../../server/src/db/backup/read-backup.ts";
import { launchHub, makeOpenFolder, postmasterOf, unattended } from "../../server/src/testing/launch-hub.ts";
import type { Call, Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createChaosHub, withDatabase } from "./chaos-hub.ts";
import type { Random } from "./chaos-plan.ts";
import { createRandom } from "./chaos-plan.ts";
import { until } from "./until.ts";

/** What is killed during a backup. */
const targets = ["nothing", "hub", "postgres", "both", "command"] as const;
type Target = (typeof targets)[number];

type BackupOptions = { seed: number; clients: number; withinMs: number };

export type BackupResult = {
  seed: number;
  strikes: Record<Target, number>;
  /** Commands that ended with a complete file, and those without a file. */
  backups: { whole: number; none: number };
  restores: { done: number; killed: number };
  acknowledgements: number;
  /** Acknowledgements checked in all restored databases. */
  checked: number;
  problems: string[];
  evidence: string;
};

/** An order with a unique number, or a note with a unique text, and when the hub acknowledged it. */
type Acknowledgement = { kind: "order" | "note"; name: string; at: number };

const env = { ...unattended, HUB_PREVIEW_PORT: "off" };

/** Backs up a busy hub while it, its database or the command is killed; each complete file is restored and compared with the journal. */
export async function runBackupSession(options: BackupOptions, log: (line: string) => void): Promise<BackupResult> {
  const { seed, clients, withinMs } = options;
  const random = createRandom(seed);
  const folder = await makeOpenFolder("hub-chaos-");
  const hub = createChaosHub(path.join(folder, "data"), path.join(folder, "hub.log"));
  const result: BackupResult = {
    seed,
    strikes: { nothing: 0, hub: 0, postgres: 0, both: 0, command: 0 },
    backups: { whole: 0, none: 0 },
    restores: { done: 0, killed: 0 },
    acknowledgements: 0,
    checked: 0,
    problems: [],
    evidence: folder,
  };
  log(`data and evidence in ${folder}`);
  const journal: Acknowledgement[] = [];
  const endAt = performance.now() + withinMs;
  let isOver = false;
  await hub.start();
  const send = await signIn(hub);
  const working = Array.from({ length: clients }, (_, index) => work(send, `c${index}`, journal, () => isOver));
  const failure = Promise.all(working).then(() => new Promise<never>(() => {}));
  failure.catch(() => {});
  try {
    for (let round = 1; performance.now() < endAt; round++) {
      const file = path.join(folder, `${round}.backup`);
      const struck = await Promise.race([backUpUnderFire(hub, file, random), failure]);
      result.strikes[struck]++;
      if (!existsSync(file)) result.backups.none++;
      else {
        result.backups.whole++;
        await restoreAndCheck(folder, file, { random, journal, result });
        await rm(file);
      }
      log(
        `${round}: ${struck} killed, ${result.backups.whole} whole files, ${result.checked} checked, ${result.problems.length} problems`,
      );
    }
  } finally {
    isOver = true;
    await Promise.allSettled(working);
    await hub.stop();
  }
  result.acknowledgements = journal.length;
  const ends = hub.unexpectedEnds();
  if (ends.length > 0) result.problems.push(...ends.map((end) => `the hub ended unasked: ${end}`));
  if (result.problems.length === 0) await rm(folder, { recursive: true, force: true });
  return result;
}

/** Sends one change after the other, each with an idempotency key, until the hub has acknowledged it. */
async function work(send: Send, name: string, journal: Acknowledgement[], isOver: () => boolean): Promise<void> {
  for (let count = 1; !isOver(); count++) {
    const number = `${name}-${count}`;
    const created = {
      method: "POST",
      path: "/orders",
      body: { number },
      headers: { "idempotency-key": `order-${number}` },
    };
    const order = await untilDone(send, created, isOver);
    if (!order) return;
    journal.push({ kind: "order", name: number, at: Date.now() });
    const text = `note-${number}`;
    const body = { order_ids: [order.id], actions: [{ type: "add_note", params: { text } }] };
    const run = { method: "POST", path: "/operations/run", body, headers: { "idempotency-key": text } };
    const done = await untilDone(send, run, isOver);
    // The next hub finishes a run that a killed one started; it is journalled only when its end was acknowledged.
    if (done?.status === "succeeded") journal.push({ kind: "note", name: text, at: Date.now() });
  }
}

async function untilDone(send: Send, call: Call, isOver: () => boolean): Promise<Record<string, unknown> | undefined> {
  while (!isOver()) {
    const reply = await send(call);
    if (reply.kind === "answer" && reply.status < 300) return reply.body;
    const isHeld = reply.kind === "answer" && reply.body.code === "idempotency_key_in_use";
    if (reply.kind === "answer" && !isHeld) throw new Error(`${call.path}: ${JSON.stringify(reply.body)}`);
    if (isHeld) await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return undefined;
}

async function backUpUnderFire(hub: ChaosHub, file: string, random: Random): Promise<Target> {
  const target = random.pick(targets);
  const afterMs = random.between(0, 2_500);
  const command = launchHub(hub.dataDir, { args: ["backup", file], env });
  const isEarly = await Promise.race([
    command.exited.then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(true), afterMs)),
  ]);
  if (target === "command" && isEarly) command.send("SIGKILL");
  if (target === "postgres") await hub.killPostgres();
  if (target === "hub" || target === "both") {
    await (target === "hub" ? hub.killHub() : hub.killBoth());
    await startAgain(hub);
  }
  await command.exited;
  return target;
}

/** After a kill of the hub, the command may have started PostgreSQL and hold the data directory until it ends. */
async function startAgain(hub: ChaosHub): Promise<void> {
  const isStarted = (): Promise<boolean> =>
    hub.start().then(
      () => true,
      (error: Error) => {
        if (/already uses this data directory/.test(error.message)) return false;
        throw error;
      },
    );
  await until(isStarted, 60_000, () => "the hub does not start beside the backup", 100);
}

type Check = { random: Random; journal: Acknowledgement[]; result: BackupResult };

async function restoreAndCheck(folder: string, file: string, { random, journal, result }: Check): Promise<void> {
  const { manifest } = await checkBackup(file);
  const mark = Date.parse(manifest.takenAt);
  const dataDir = path.join(folder, "restored");
  if (random.next() < 0.3) {
    result.restores.killed++;
    await restoreAndKill(dataDir, file, random.between(500, 6_000));
  }
  const restore = launchHub(dataDir, { args: ["restore", file], env });
  const code = await restore.exited;
  const problem = (text: string): number => result.problems.push(`${path.basename(file)}: ${text}`);
  if (code !== 0) return void problem(`the restore ended with ${code}: ${restore.stdout()}${restore.stderr()}`);
  result.restores.done++;
  const copy = createChaosHub(dataDir, path.join(folder, "restored.log"));
  await copy.start();
  try {
    const ready = (await (await fetch(`${await copy.url()}/readyz`)).json()) as { checks: { outbound: string } };
    if (ready.checks.outbound !== "paused") problem("the restored hub is not paused");
    const due = journal.filter(({ at }) => at < mark);
    for (const text of await compare(dataDir, due)) problem(text);
    result.checked += due.length;
    const token = await signIn(copy);
    const { ok } = await accepted(token, { method: "GET", path: "/audit/verification" });
    if (ok !== true) problem("the audit chain is broken");
  } finally {
    await copy.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function restoreAndKill(dataDir: string, file: string, afterMs: number): Promise<void> {
  const restore = launchHub(dataDir, { args: ["restore", file], env });
  await Promise.race([restore.exited, new Promise((resolve) => setTimeout(resolve, afterMs))]);
  restore.send("SIGKILL");
  await restore.exited;
  // A killed command leaves its PostgreSQL running; the next one takes it over, or it has ended too.
  const left = postmasterOf(dataDir);
  if (left !== undefined && afterMs % 2 === 0) process.kill(left, "SIGKILL");
  // A restore that completed before the kill is removed: its target must be unused.
  if (!existsSync(path.join(dataDir, "restoring"))) {
    if (left !== undefined) process.kill(left, "SIGQUIT");
    await until(
      () => postmasterOf(dataDir) === undefined,
      20_000,
      () => "PostgreSQL does not stop",
    );
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Reads the database directly: each acknowledged record exists exactly once. */
async function compare(dataDir: string, due: Acknowledgement[]): Promise<string[]> {
  return await withDatabase(dataDir, async (db) => {
    const names = {
      order: "select number as name, count(*)::integer as times from orders group by 1",
      note: `select note ->> 'text' as name, count(*)::integer as times
               from orders, jsonb_array_elements(notes) note group by 1`,
    };
    const problems: string[] = [];
    for (const kind of ["order", "note"] as const) {
      const { rows } = await db.query<{ name: string; times: number }>(names[kind]);
      const found = new Map(rows.map(({ name, times }) => [name, times]));
      for (const { name } of due.filter((one) => one.kind === kind)) {
        if (!found.has(name)) problems.push(`${kind} ${name} was acknowledged and is not there`);
      }
      for (const [name, times] of found) if (times > 1) problems.push(`${kind} ${name} is there ${times} times`);
    }
    return problems;
  });
}

export function describeBackupSession(result: BackupResult): string {
  const { seed, strikes, backups, restores, acknowledgements, checked, problems, evidence } = result;
  const killed = Object.entries(strikes).map(([target, count]) => `${target} ${count}`);
  return [
    `seed ${seed}; killed while a backup was written: ${killed.join(", ")}`,
    `${backups.whole} whole files, ${backups.none} commands that left none`,
    `${restores.done} restores, ${restores.killed} of them after one that was killed`,
    `${acknowledgements} acknowledgements; ${checked} looked for in restored databases`,
    problems.length === 0
      ? "0 problems"
      : `${problems.length} problems, evidence in ${evidence}:\n${problems.slice(0, 20).join("\n")}`,
  ].join("\n");
}
