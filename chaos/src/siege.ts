import { fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startFloor } from "../../bench/src/floor-process.ts";
import type { Launched } from "../../server/src/testing/launch-hub.ts";
import { adminPassword, isServing, launchHub, makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { AttackTask } from "./siege-attackers.ts";
import type { Attacker, SiegeSize } from "./siege-prepare.ts";
import { prepareOrganizations } from "./siege-prepare.ts";
import type { Quiet, QuietReplies, Reply } from "./siege-quiet.ts";
import { startQuietClient } from "./siege-quiet.ts";
import type { Tally } from "./siege-tally.ts";
import type { Hold, Sightings } from "./siege-watch.ts";
import { readHolds, watchHub } from "./siege-watch.ts";
import { until } from "./until.ts";

export type SiegeOptions = {
  size: SiegeSize;
  seconds: SiegeSeconds;
  /** Of a hub that was never used, instead of a new one. */
  dataDir?: string;
  /** `small`: only small requests that cause much work, besides the slow sockets. */
  kind: "all" | "small";
  /** Settings of the hub that differ from the defaults. */
  env?: Record<string, string>;
};

/** How long each phase takes. `unloaded`: without an attack. */
type SiegeSeconds = { warmUp: number; unloaded: number; siege: number; after: number };

export type SiegeResult = {
  seconds: number;
  unloaded: QuietReplies;
  besieged: QuietReplies;
  after: { endedAt: number; replies: Reply[] };
  attacks: Tally;
  /** Unloaded, and under siege. */
  holds: { before: Hold[]; during: Hold[] };
  sightings: Sightings;
  /** Why the hub ended, if it did. */
  died: string | undefined;
  evidence: string;
};

const startWithinMs = 60_000;

/**
 * A hub with its default settings, a quiet organization, and an organization that attacks with the most costly requests while
 * 600 anonymous sockets trickle. Beside the hub runs the floor: a bare Fastify route with the same query on the same database.
 * The quiet client calls both, so that whatever the attack takes from the machine is taken from both.
 */
export async function runSiege(options: SiegeOptions, log: (line: string) => void): Promise<SiegeResult> {
  const { size, seconds, kind, env } = options;
  const folder = await makeOpenFolder("hub-siege-");
  log(`data and evidence in ${folder}`);
  const dataDir = options.dataDir ?? path.join(folder, "data");
  const loopFile = path.join(folder, "loop.jsonl");
  const hubLog = createWriteStream(path.join(folder, "hub.log"));
  const filesDir = path.join(folder, "files");
  const own = { CHAOS_LOOP_FILE: loopFile, HUB_FILES_DIR: filesDir };
  const hub = await startHub(dataDir, { ...env, ...own }, (text) => hubLog.write(text));
  try {
    const { quiet: organization, attacker } = await prepareOrganizations(hub.url, size, filesDir);
    const floor = await startFloor("floor-orders-server.ts", dataDir, organization.id);
    try {
      const quiet: Quiet = { ...organization, hubUrl: hub.url, floorUrl: floor.url };
      await runQuietClient(quiet, seconds.warmUp);
      const [unloaded, before] = await timed(() => runQuietClient(quiet, seconds.unloaded));
      log(`unloaded: ${unloaded.hub.length} requests of the quiet organization`);

      const watch = watchHub(hub.pid, hub.url);
      const client = startQuietClient(quiet);
      const [attacks, siege] = await timed(() =>
        attack({ hubUrl: hub.url, floorUrl: floor.url, attacker, kind, seconds: seconds.siege }),
      );
      await delay(seconds.after * 1000);
      await client.stop();
      const sightings = await watch.stop();
      const died = hub.hasExited() ? `code ${await hub.exited}: ${hub.stderr().slice(-2_000)}` : undefined;
      const isDuring = ({ at }: Reply): boolean => at < siege.endedAt;
      const { replies } = client;
      return {
        seconds: seconds.siege,
        unloaded,
        besieged: {
          hub: replies.hub.filter(isDuring),
          floor: replies.floor.filter(isDuring),
          changes: replies.changes.filter(isDuring),
        },
        after: { endedAt: siege.endedAt, replies: replies.hub.filter((reply) => !isDuring(reply)) },
        attacks,
        holds: {
          before: await readHolds(loopFile, before.from, before.to),
          during: await readHolds(loopFile, siege.from, siege.to),
        },
        sightings,
        died,
        evidence: folder,
      };
    } finally {
      await floor.stop();
    }
  } finally {
    if (!hub.hasExited()) await hub.stop();
    hubLog.end();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runQuietClient(quiet: Quiet, seconds: number): Promise<QuietReplies> {
  const client = startQuietClient(quiet);
  await delay(seconds * 1000);
  await client.stop();
  return client.replies;
}

async function startHub(
  dataDir: string,
  env: Record<string, string>,
  listener: (text: string) => void,
): Promise<Launched> {
  const preload = path.join(import.meta.dirname, "watch-loop.ts");
  const hub = launchHub(dataDir, { env: { HUB_ADMIN_PASSWORD: adminPassword, ...env }, preload, listener });
  await hub.printed(/^live +http:/m, startWithinMs);
  await until(
    () => isServing(hub.url),
    startWithinMs,
    () => `not ready: ${hub.stdout()}${hub.stderr()}`,
  );
  return hub;
}

type Span = { from: number; to: number; endedAt: number };

/** `from` and `to` by the wall clock, `endedAt` by the clock of the replies. */
async function timed<T>(work: () => Promise<T>): Promise<[T, Span]> {
  const from = Date.now();
  const result = await work();
  return [result, { from, to: Date.now(), endedAt: performance.now() }];
}

type AttackOptions = {
  hubUrl: string;
  floorUrl: string;
  attacker: Attacker;
  kind: SiegeOptions["kind"];
  seconds: number;
};

/** The floor gets the slow sockets, too; the costly requests are for routes that only the hub has. */
async function attack({ hubUrl, floorUrl, attacker, kind, seconds }: AttackOptions): Promise<Tally> {
  const common = { attacker, seconds };
  const [tally] = await Promise.all([
    runAttackers({ ...common, target: targetOf(hubUrl), kind }),
    runAttackers({ ...common, target: targetOf(floorUrl), kind: "slow sockets" }),
  ]);
  return tally;
}

function targetOf(url: string): AttackTask["target"] {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** In a process of its own; resolves when it has ended. */
async function runAttackers(task: AttackTask): Promise<Tally> {
  const child = fork(path.join(import.meta.dirname, "siege-attackers.ts"));
  const ended = once(child, "exit");
  child.send(task);
  const [tally] = (await Promise.race([
    once(child, "message"),
    ended.then(([code]) => Promise.reject(new Error(`the attackers ended with ${String(code)}`))),
  ])) as [Tally];
  await ended;
  return tally;
}
