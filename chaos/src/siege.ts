import { fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Launched } from "../../server/src/testing/launch-hub.ts";
import { adminPassword, isServing, launchHub, makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { CampReport, CampTask } from "./siege-camp.ts";
import type { Besieged, SiegeSize } from "./siege-prepare.ts";
import { prepareOrganizations } from "./siege-prepare.ts";
import type { Quiet, Reply } from "./siege-quiet.ts";
import { goAboutBusiness } from "./siege-quiet.ts";
import type { Tally } from "./siege-tally.ts";
import { addUp } from "./siege-tally.ts";
import type { Hold, Sightings } from "./siege-watch.ts";
import { readHolds, watchHub } from "./siege-watch.ts";
import { until } from "./until.ts";

export type SiegeOptions = {
  size: SiegeSize;
  seconds: SiegeSeconds;
  /** Reads a second that the hub is believed to answer; without it, they are measured. */
  capacity?: number;
  mostOpen?: number;
  /** Of a hub that nobody has used yet, in place of a new one. */
  dataDir?: string;
  /** How many times the measured capacity is offered. */
  overload: number;
  /** Only small requests with much work in them, and no flood; by default everything. */
  isSmall?: boolean;
  /** Settings of the hub that differ from what its users have. */
  env?: Record<string, string>;
};

/** How long each part takes. `unloaded`: before the siege, when nobody else is there. */
type SiegeSeconds = { capacity: number; warmUp: number; unloaded: number; siege: number; after: number };

export type SiegeResult = {
  /** Reads a second that the hub answers without limits, asked for as fast as it answers. */
  capacity: number;
  offered: number;
  seconds: number;
  /** Of the quiet organization. */
  unloaded: Reply[];
  besieged: Reply[];
  /** Of all three when the besiegers have gone: each organization does what the quiet one does. */
  after: { endedAt: number; replies: Reply[][] };
  floods: Tally;
  attacks: Tally;
  /** Unloaded, and under siege. */
  holds: { before: Hold[]; during: Hold[] };
  sightings: Sightings;
  /** Why the hub ended, if it did. */
  died: string | undefined;
  evidence: string;
};

const patienceMs = 60_000;
/** Of the flood; each organization has half of the rest. */
const strangersPart = 0.2;

/**
 * A hub as its users have it, an organization that goes about its business, and two others with strangers who want twice as
 * much of it as it can do, and whatever is known to be costly besides.
 */
export async function runSiege(options: SiegeOptions, say: (line: string) => void): Promise<SiegeResult> {
  const { size, seconds, overload, mostOpen = Infinity, isSmall = false, env: given } = options;
  const folder = await makeOpenFolder("hub-siege-");
  say(`data and evidence in ${folder}`);
  const dataDir = options.dataDir ?? path.join(folder, "data");
  const loopFile = path.join(folder, "loop.jsonl");
  const log = createWriteStream(path.join(folder, "hub.log"));
  const filesDir = path.join(folder, "files");
  const ours = { CHAOS_LOOP_FILE: loopFile, HUB_FILES_DIR: filesDir };
  const start = (env: Record<string, string>): Promise<Launched> =>
    startHub(dataDir, { ...given, ...env, ...ours }, (text) => log.write(text));

  let hub = await start(options.capacity === undefined ? { HUB_RATE_LIMIT_PER_SECOND: "off" } : {});
  try {
    const besieged = await prepareOrganizations(hub.url, size, filesDir);
    const capacity = options.capacity ?? (await measureCapacity(hub.url, besieged, seconds.capacity));
    say(`capacity: ${Math.round(capacity)} reads a second`);
    if (options.capacity === undefined) {
      await hub.stop();
      hub = await start({});
    }
    const quiet = { ...besieged.quiet, url: hub.url, mostOpen };
    await businessFor(quiet, seconds.warmUp);
    const [unloaded, before] = await during(() => businessFor(quiet, seconds.unloaded));
    say(`unloaded: ${unloaded.length} requests of the quiet organization`);

    const watch = watchHub(hub.pid, hub.url);
    const business = goAboutBusiness(quiet);
    const offered = capacity * overload;
    const [reports, siege] = await during(() =>
      besiege(hub.url, besieged, { offered, seconds: seconds.siege, isSmall }),
    );
    const others = besieged.noisy.map(({ token, orderIds }) => goAboutBusiness({ url: hub.url, token, orderIds }));
    await delay(seconds.after * 1000);
    await Promise.all([business, ...others].map(({ stop }) => stop()));
    const sightings = await watch.stop();
    const died = hub.hasExited() ? `code ${await hub.exited}: ${hub.stderr().slice(-2_000)}` : undefined;
    const isInSiege = ({ at }: Reply): boolean => at < siege.endedAt;
    return {
      capacity,
      offered,
      seconds: seconds.siege,
      unloaded,
      besieged: business.replies.filter(isInSiege),
      after: {
        endedAt: siege.endedAt,
        replies: [business.replies.filter((reply) => !isInSiege(reply)), ...others.map(({ replies }) => replies)],
      },
      ...reports,
      holds: {
        before: await readHolds(loopFile, before.from, before.to),
        during: await readHolds(loopFile, siege.from, siege.to),
      },
      sightings,
      died,
      evidence: folder,
    };
  } finally {
    if (!hub.hasExited()) await hub.stop();
    log.end();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function businessFor(quiet: Quiet, seconds: number): Promise<Reply[]> {
  const business = goAboutBusiness(quiet);
  await delay(seconds * 1000);
  await business.stop();
  return business.replies;
}

async function startHub(
  dataDir: string,
  env: Record<string, string>,
  listener: (text: string) => void,
): Promise<Launched> {
  const preload = path.join(import.meta.dirname, "watch-loop.ts");
  const hub = launchHub(dataDir, { env: { HUB_ADMIN_PASSWORD: adminPassword, ...env }, preload, listener });
  await hub.printed(/^live +http:/m, patienceMs);
  await until(
    () => isServing(hub.url),
    patienceMs,
    () => `not ready: ${hub.stdout()}${hub.stderr()}`,
  );
  return hub;
}

type Span = { from: number; to: number; endedAt: number };

/** With the times by the clock on the wall, and the end by the one that replies go by. */
async function during<T>(work: () => Promise<T>): Promise<[T, Span]> {
  const from = Date.now();
  const result = await work();
  return [result, { from, to: Date.now(), endedAt: performance.now() }];
}

const placeOf = (url: string): CampTask["place"] => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
};

async function measureCapacity(url: string, { noisy }: Besieged, seconds: number): Promise<number> {
  const report = await sendOut({ does: "measure capacity", place: placeOf(url), orgs: noisy, seconds });
  if (!("capacity" in report)) throw new Error("the capacity was not measured");
  return report.capacity;
}

async function besiege(
  url: string,
  { noisy }: Besieged,
  { offered, seconds, isSmall }: { offered: number; seconds: number; isSmall: boolean },
): Promise<{ floods: Tally; attacks: Tally }> {
  const common = { place: placeOf(url), orgs: noisy, seconds };
  const [attacks, ...floods] = await Promise.all([
    sendOut({ ...common, does: "attack", kind: isSmall ? "small" : "all" }),
    ...(isSmall
      ? []
      : [
          sendOut({ ...common, does: "flood", perSecond: offered * (1 - strangersPart) }),
          sendOut({ ...common, does: "flood as strangers", perSecond: offered * strangersPart }),
        ]),
  ]);
  const talliesOf = (reports: CampReport[]): Tally[] => reports.flatMap((one) => ("tally" in one ? [one.tally] : []));
  return { floods: addUp(talliesOf(floods)), attacks: addUp(talliesOf([attacks])) };
}

/** In a process of its own; resolves when it has ended. */
async function sendOut(task: CampTask): Promise<CampReport> {
  const camp = fork(path.join(import.meta.dirname, "siege-camp.ts"));
  const ended = once(camp, "exit");
  camp.send(task);
  const report = (await Promise.race([
    once(camp, "message"),
    ended.then(([code]) => Promise.reject(new Error(`besiegers ended with ${String(code)}`))),
  ])) as [CampReport];
  await ended;
  return report[0];
}
