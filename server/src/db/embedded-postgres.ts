import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, openSync } from "node:fs";
import { access, chmod, chown, constants, lstat, mkdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { ClientConfig } from "pg";
import type { OsUser } from "./os-user.ts";
import { canReach, unprivilegedUser } from "./os-user.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { awaitExit, findPostmaster, isAlive, readPostmasterFile } from "./postmaster.ts";

export type EmbeddedPostgres = {
  connection(database: string): ClientConfig;
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  dataDir: string;
  settings?: Record<string, string>;
  log(message: string): void;
};

/** The superuser of the cluster; it is reachable only through a socket in a folder nobody else may enter. */
const superuser = "hub";
const socketPort = 5432;

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
  if (!existsSync(path.join(place.cluster, "PG_VERSION"))) await initialise(place);
  let stopping = false;
  let pid = await launch(place, options);

  function watch(): void {
    void awaitExit(pid, () => stopping).then(async () => {
      if (stopping) return;
      options.log("PostgreSQL stopped unexpectedly; starting it again");
      for (;;) {
        if (stopping) return;
        try {
          pid = await launch(place, options);
          return watch();
        } catch (error) {
          options.log(`PostgreSQL does not start: ${(error as Error).message}`);
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }
    });
  }
  watch();

  return {
    connection: (database) => ({ host: place.sockets, port: socketPort, user: superuser, database }),
    async stop() {
      stopping = true;
      await stopPostmaster(pid);
    },
  };
}

/** As root the cluster may have to live elsewhere: PostgreSQL's user cannot enter, say, a checkout under /root. */
async function findPlace(dataDir: string): Promise<Place> {
  await mkdir(dataDir, { recursive: true });
  await access(dataDir, constants.W_OK);
  const user = await unprivilegedUser();
  const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const home = !user || (await canReach(user, dataDir)) ? dataDir : path.join("/var/lib/order-operations-hub", id);
  await mkdir(home, { recursive: true });
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

async function ownFolder(folder: string, user: OsUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const info = await lstat(folder);
  const owners = [process.getuid?.() ?? info.uid, user?.uid];
  // In a shared temporary folder somebody else may have made it first, to listen in.
  if (!info.isDirectory() || !owners.includes(info.uid)) throw new Error(`${folder} belongs to somebody else`);
  await chmod(folder, 0o700);
  if (user) await chown(folder, user.uid, user.gid);
}

/** Made beside its final place and renamed, so that a half-made cluster is never mistaken for a whole one. */
async function initialise(place: Place): Promise<void> {
  const draft = `${place.cluster}.${process.pid}.new`;
  await rm(draft, { recursive: true, force: true });
  await ownFolder(draft, place.user);
  const args = ["-D", draft, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-instructions"];
  const locale = ["--locale-provider=builtin", "--locale=C.UTF-8", "--lc-collate=C", "--lc-ctype=C"];
  await promisify(execFile)(path.join(place.binaries, "bin/initdb"), [...args, ...locale], runAs(place)).catch(
    (error: Error & { stderr?: string }) => {
      throw new Error(`initdb failed: ${error.stderr?.trim() || error.message}`);
    },
  );
  await rename(draft, place.cluster).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

async function launch(place: Place, options: EmbeddedOptions): Promise<number> {
  const running = await findPostmaster(place.cluster);
  if (running) {
    options.log(`PostgreSQL already runs on this data directory (process ${running}); using it`);
    return await ready(place, running);
  }
  const settings = { ...defaultSettings, unix_socket_directories: place.sockets, ...options.settings };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = openSync(path.join(place.home, "postgres.log"), "a", 0o600);
  // Detached: Ctrl-C goes to the whole process group, and the hub still needs its database while it drains.
  const child = spawn(path.join(place.binaries, "bin/postgres"), ["-D", place.cluster, ...args], {
    ...runAs(place),
    detached: true,
    stdio: ["ignore", logFile, logFile],
  });
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  failed.catch(() => {});
  child.unref();
  if (child.pid === undefined) return await failed;
  return await ready(place, child.pid);
}

async function ready(place: Place, pid: number): Promise<number> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(place.cluster);
    if (file?.pid === pid && file.status === "ready") return pid;
    if (!isAlive(pid)) {
      // Another hub's PostgreSQL may have won the race for this folder.
      const other = await findPostmaster(place.cluster);
      if (other) return await ready(place, other);
      const log = await readFile(path.join(place.home, "postgres.log"), "utf8").catch(() => "");
      throw new Error(`PostgreSQL did not start: ${log.trim().split("\n").slice(-4).join(" | ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("PostgreSQL did not become ready within 60 s");
}

async function stopPostmaster(pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ["SIGINT", 5_000],
    ["SIGQUIT", 5_000],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + patienceMs;
    await awaitExit(pid, () => Date.now() > deadline);
  }
}

function runAs({ user, home }: Place): { cwd: string; uid?: number; gid?: number } {
  return user ? { cwd: home, uid: user.uid, gid: user.gid } : { cwd: home };
}
