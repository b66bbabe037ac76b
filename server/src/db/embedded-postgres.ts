import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { access, chmod, constants, mkdir, open, readdir, readFile, realpath } from "node:fs/promises";
import { rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ClientConfig } from "pg";
import type { OsUser } from "./os-user.ts";
import { canReach, unprivilegedUser } from "./os-user.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import type { PostgresGuard } from "./postgres-guard.ts";
import { guardPostgres } from "./postgres-guard.ts";
import { trimPostgresLog } from "./postgres-log.ts";
import { answers, awaitExit, findPostmaster, isAlive, readPostmasterFile, watchUntilExit } from "./postmaster.ts";

export type EmbeddedPostgres = {
  connection(database: string): ClientConfig & { host: string };
  /**
   * Fast shutdown: open transactions are rolled back, everything committed is on disk. If that takes longer than
   * `patienceMs` (a full disk, say) it ends at once instead, and goes through its log at the next start.
   */
  stop(patienceMs?: number): Promise<void>;
  /** Looks after it no longer and lets it run: another hub uses it. */
  leave(): void;
  /** It is this hub's alone: should the hub be killed, PostgreSQL does not outlive it for long. */
  guard(): void;
};

type EmbeddedOptions = {
  dataDir: string;
  settings?: Record<string, string>;
  log(message: string): void;
  /** Why no new cluster may be made here; one that exists is started all the same. */
  whyNotEmpty?: string | undefined;
  /** Called while PostgreSQL is at work in its own process and there is nothing to do but wait for it. */
  meanwhile?(): void;
  /** Ends the start, wherever it is, and what it has started. */
  stopping?: AbortSignal | undefined;
};

/** The superuser of the cluster; it is reachable only through a socket in a folder nobody else may enter. */
const superuser = "hub";
const sharedFolder = "/var/lib/order-operations-hub";
const socketPort = 5432;
const trimEveryMs = 600_000;
const stopPatienceMs = 5_000;

const defaultSettings = {
  listen_addresses: "",
  max_connections: "120",
  shared_buffers: "128MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "2GB",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

type Place = { user: OsUser | undefined; home: string; cluster: string; sockets: string; binaries: string };

/** Starts PostgreSQL on the data directory, or adopts the one that a killed hub left running there. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await findPlace(path.resolve(options.dataDir));
  if (!existsSync(path.join(place.cluster, "PG_VERSION"))) {
    if (options.whyNotEmpty !== undefined) throw new Error(options.whyNotEmpty);
    await initialise(place, options);
  }
  options.stopping?.throwIfAborted();
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const charge = takeCharge(place);
  let pid = await launchFirst(place, options, charge);
  if (options.stopping?.aborted && charge.has(pid)) {
    await charge.stop(stopPatienceMs);
    throw options.stopping.reason;
  }

  async function keepRunning(): Promise<void> {
    for (;;) {
      await watchUntilExit(pid, stopping.signal);
      if (isStopping()) return;
      options.log("PostgreSQL stopped unexpectedly; starting it again");
      await launch(place, options, { isStopping, charge }).then(
        (next) => (pid = next),
        async (error: Error) => {
          options.log(`PostgreSQL does not start: ${error.message}`);
          await new Promise((resolve) => setTimeout(resolve, 500));
        },
      );
    }
  }
  const keeping = keepRunning();
  const trimming = setInterval(() => {
    trimPostgresLog(logOf(place)).catch((error: Error) =>
      options.log(`postgres.log was not trimmed: ${error.message}`),
    );
  }, trimEveryMs).unref();

  return {
    connection: (database) => ({ host: place.sockets, port: socketPort, user: superuser, database }),
    async stop(patienceMs = stopPatienceMs) {
      stopping.abort();
      clearInterval(trimming);
      // It may be starting again at this very moment.
      await keeping;
      await stopPostmaster(pid, patienceMs);
      charge.end();
    },
    leave() {
      stopping.abort();
      clearInterval(trimming);
      charge.end();
    },
    guard() {
      // Also if it was started here: another hub that tried the same at that moment may be in charge by its guard.
      charge.take();
      charge.of(pid);
    },
  };
}

/**
 * Whatever way this process ends, the PostgreSQL in its charge ends with it: at `process.exit` and after an uncaught error
 * by a signal from here, after a SIGKILL by the guard.
 */
type Charge = {
  /** Of the PostgreSQL that is about to be started, or was taken over. */
  take(): void;
  of(pid: number): void;
  has(pid: number): boolean;
  stop(patienceMs: number): Promise<void>;
  /** Lets it run. */
  end(): void;
};

function takeCharge(place: Place): Charge {
  let current: { pid?: number; guard: PostgresGuard | undefined } | undefined;
  function endWithHub(): void {
    if (current?.pid !== undefined && isAlive(current.pid)) process.kill(current.pid, "SIGINT");
  }
  function end(): void {
    process.off("exit", endWithHub);
    current?.guard?.release();
    current = undefined;
  }
  return {
    take() {
      const { cluster, sockets: folder } = place;
      const guard = guardPostgres({ cluster, folder, spawnOptions: runAs(place) });
      end();
      current = { guard };
      process.on("exit", endWithHub);
    },
    of(pid) {
      if (current) current.pid = pid;
    },
    has: (pid) => current?.pid === pid,
    async stop(patienceMs) {
      if (current?.pid !== undefined) await stopPostmaster(current.pid, patienceMs);
      end();
    },
    end,
  };
}

/** As root the cluster may have to live elsewhere: PostgreSQL's user cannot enter, say, a checkout under /root. */
async function findPlace(givenDir: string): Promise<Place> {
  await mkdir(givenDir, { recursive: true });
  await access(givenDir, constants.W_OK);
  // One directory has one name here: by two names it would look like two clusters.
  const dataDir = await realpath(givenDir);
  const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const { home, user } = await findHome(dataDir, path.join(sharedFolder, id));
  const near = path.join(home, "run");
  // A socket path holds at most 107 bytes; past that the folder has to be somewhere short.
  const sockets = Buffer.byteLength(near) <= 85 ? near : path.join(tmpdir(), `order-operations-hub-${id}`);
  await ownFolder(sockets, user);
  return {
    user,
    home,
    cluster: path.join(home, "postgres"),
    sockets,
    binaries: await findPostgresBinaries(user, home),
  };
}

/** Where there is a cluster already, there it stays, with its owner; whoever may enter which folder by now. */
async function findHome(dataDir: string, elsewhere: string): Promise<Pick<Place, "home" | "user">> {
  const fallback = await unprivilegedUser();
  if (!fallback) return { home: dataDir, user: undefined };
  for (const home of [dataDir, elsewhere]) {
    const owner = await stat(path.join(home, "postgres")).catch(() => undefined);
    if (!owner) continue;
    const user = owner.uid === 0 ? fallback : { uid: owner.uid, gid: owner.gid };
    if (await canReach(user, home)) return { home, user };
    throw new Error(`PostgreSQL's user (${user.uid}) may no longer enter ${home}, where its data is. Allow it again.`);
  }
  if (await canReach(fallback, dataDir)) return { home: dataDir, user: fallback };
  await mkdir(elsewhere, { recursive: true });
  // Whatever the umask is: PostgreSQL's user must get through to its own folder.
  for (const folder of [sharedFolder, elsewhere]) await chmod(folder, 0o755);
  return { home: elsewhere, user: fallback };
}

async function ownFolder(folder: string, user: OsUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const refusal = new Error(`${folder} belongs to somebody else`);
  // Held open from the look at its owner to the change of it: in a shared temporary folder its name may be a link to
  // something else by then, and root would give that away.
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      throw ["ENOTDIR", "ELOOP", "EACCES"].includes(error.code ?? "") ? refusal : error;
    },
  );
  try {
    const { uid } = await handle.stat();
    // Somebody else may have made it first, to listen in.
    if (![process.getuid?.() ?? uid, user?.uid].includes(uid)) throw refusal;
    await handle.chmod(0o700);
    if (user) await handle.chown(user.uid, user.gid);
  } finally {
    await handle.close();
  }
}

/** Made beside its final place and renamed, so that a half-made cluster is never mistaken for a whole one. */
async function initialise(place: Place, { meanwhile, stopping, log }: EmbeddedOptions): Promise<void> {
  log(`creating the database in ${place.cluster}`);
  await removeDrafts(place.home);
  const draft = `${place.cluster}.${process.pid}.new`;
  await ownFolder(draft, place.user);
  const args = ["-D", draft, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-instructions"];
  const locale = ["--locale-provider=builtin", "--locale=C.UTF-8", "--lc-collate=C", "--lc-ctype=C"];
  const made = runInitdb(place, [...args, ...locale], stopping);
  meanwhile?.();
  try {
    await made;
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
  await rename(draft, place.cluster).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

/** In a process group of its own: of a signal to all of the hub's it would make a panic of its own. */
async function runInitdb(place: Place, args: string[], stopping: AbortSignal | undefined): Promise<void> {
  stopping?.throwIfAborted();
  const child = spawn(path.join(place.binaries, "bin/initdb"), args, {
    ...runAs(place),
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const end = (): void => {
    // With the processes that it has started.
    if (child.pid !== undefined && isAlive(child.pid)) process.kill(-child.pid, "SIGKILL");
  };
  stopping?.addEventListener("abort", end, { once: true });
  process.on("exit", end);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    stopping?.throwIfAborted();
    if (code !== 0) throw new Error(`initdb failed: ${said.trim() || `exit code ${code}`}`);
  } finally {
    stopping?.removeEventListener("abort", end);
    process.off("exit", end);
  }
}

/** Those of hubs that were killed at work. */
async function removeDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = Number(/^postgres\.(\d+)\.new$/.exec(name)?.[1]);
    const isLeft = pid === process.pid || (pid > 0 && !isAlive(pid));
    if (isLeft) await rm(path.join(home, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Processes of a killed PostgreSQL may still be at work for a moment; it does not start beside them. */
async function launchFirst(place: Place, options: EmbeddedOptions, charge: Charge): Promise<number> {
  const deadline = Date.now() + 15_000;
  const isStopping = (): boolean => options.stopping?.aborted ?? false;
  for (;;) {
    try {
      return await launch(place, options, { isStopping, charge });
    } catch (error) {
      // One that runs and does not get ready.
      await charge.stop(stopPatienceMs);
      if (!/pre-existing shared memory/.test((error as Error).message) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The process id of a PostgreSQL that takes connections, or of one that has just been asked to stop. */
async function launch(
  place: Place,
  options: EmbeddedOptions,
  { isStopping, charge }: { isStopping(): boolean; charge: Charge },
): Promise<number> {
  const socket = path.join(place.sockets, `.s.PGSQL.${socketPort}`);
  let running = await findPostmaster(place.cluster);
  if (running === undefined && (await answers(socket))) {
    running = await findPostmaster(place.cluster);
    if (running === undefined) {
      throw new Error(`A PostgreSQL that cannot be seen, say in another container, already uses ${place.cluster}.`);
    }
  }
  if (running !== undefined && (await isReady(place, running, isStopping))) {
    options.log(`PostgreSQL already runs on this data directory (process ${running}); using it`);
    return running;
  }
  // Nobody listens, so its lock is a dead one's, and the process id in it may be a stranger's by now.
  await rm(`${socket}.lock`, { force: true });
  const log = logOf(place);
  await trimPostgresLog(log);
  const { size: before } = await stat(log).catch(() => ({ size: 0 }));
  options.log("starting PostgreSQL");
  charge.take();
  const pid = await spawnPostmaster(place, options.settings);
  charge.of(pid);
  options.meanwhile?.();
  if (await isReady(place, pid, isStopping)) return pid;
  // Another hub's PostgreSQL may have won the race for this folder.
  const other = await findPostmaster(place.cluster);
  if (other !== undefined && (await isReady(place, other, isStopping))) {
    charge.end();
    return other;
  }
  const said = (await readFile(log)).subarray(before).toString().trim().split("\n");
  throw new Error(`PostgreSQL did not start: ${said.slice(-8).join(" | ")}`);
}

const logOf = ({ home }: Place): string => path.join(home, "postgres.log");

async function spawnPostmaster(place: Place, wanted: EmbeddedOptions["settings"]): Promise<number> {
  const settings = { ...defaultSettings, unix_socket_directories: quoted(place.sockets), ...wanted };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = openSync(logOf(place), "a", 0o600);
  try {
    // Detached: Ctrl-C goes to the whole process group, and the hub still needs its database while it drains.
    const child = spawn(path.join(place.binaries, "bin/postgres"), ["-D", place.cluster, ...args], {
      ...runAs(place),
      detached: true,
      stdio: ["ignore", logFile, logFile],
    });
    const failed = new Promise<never>((_, reject) => child.once("error", reject));
    failed.catch(() => {});
    child.unref();
    return child.pid ?? (await failed);
  } finally {
    closeSync(logFile);
  }
}

/** As one entry of a list, whatever is in its name. */
const quoted = (folder: string): string => `"${folder.replaceAll('"', '""')}"`;

/** False when it ended before it was ready. */
async function isReady(place: Place, pid: number, isStopping: () => boolean): Promise<boolean> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(place.cluster);
    if (isStopping() || (file?.pid === pid && file.status === "ready")) return true;
    if (!isAlive(pid)) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("PostgreSQL did not become ready within 60 s");
}

async function stopPostmaster(pid: number, fastMs: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ["SIGINT", fastMs],
    // After 5 s it kills those of its processes that do not end.
    ["SIGQUIT", 6_000],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + patienceMs;
    await awaitExit(pid, () => Date.now() > deadline);
  }
}

/** Not with the hub's own environment, which has passwords and keys: every process of that user could read them there. */
function runAs({ user, home }: Place) {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  return user ? { cwd: home, env, uid: user.uid, gid: user.gid } : { cwd: home, env };
}
