import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { ClientConfig } from "pg";
import type { ClusterFiles } from "./cluster-files.ts";
import { findClusterFiles } from "./cluster-files.ts";
import { createCluster, runAs, superuser } from "./create-cluster.ts";
import type { PostgresGuard } from "./postgres-guard.ts";
import { guardPostgres } from "./postgres-guard.ts";
import { trimPostgresLog } from "./postgres-log.ts";
import { awaitExit, findPostmaster, isAlive, isListening, readPostmasterFile, watchUntilExit } from "./postmaster.ts";

export type EmbeddedPostgres = {
  connection(database: string): ClientConfig & { host: string };
  /**
   * Fast shutdown: rolls back open transactions. If that takes longer than `timeoutMs`, for example on a full disk, shuts down
   * immediately and recovers at the next start.
   */
  stop(timeoutMs?: number): Promise<void>;
  /** Stops supervising it without stopping it, since another hub uses it. */
  leave(): void;
  /** Makes this hub responsible: if the hub is killed, PostgreSQL is stopped shortly after. */
  guard(): void;
};

type EmbeddedOptions = {
  dataDir: string;
  settings?: Record<string, string>;
  log(message: string): void;
  /** Why no new cluster may be created here; an existing one is started. */
  whyNotEmpty?: string | undefined;
  /** Called while PostgreSQL works in its own process. */
  meanwhile?(): void;
  /** Aborts the start and ends the processes it has started. */
  stopping?: AbortSignal | undefined;
};

const socketPort = 5432;
const trimEveryMs = 600_000;
const stopTimeoutMs = 5_000;

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

/** Starts PostgreSQL on the data directory, or adopts one that a killed hub has left running there. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const files = await findClusterFiles(path.resolve(options.dataDir));
  if (!existsSync(path.join(files.cluster, "PG_VERSION"))) {
    if (options.whyNotEmpty !== undefined) throw new Error(options.whyNotEmpty);
    await createCluster(files, options);
  }
  options.stopping?.throwIfAborted();
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const supervision = superviseWith(files);
  let pid = await launchFirst(files, options, supervision);
  if (options.stopping?.aborted && supervision.has(pid)) {
    await supervision.stop(stopTimeoutMs);
    throw options.stopping.reason;
  }

  async function keepRunning(): Promise<void> {
    for (;;) {
      await watchUntilExit(pid, stopping.signal);
      if (isStopping()) return;
      options.log("PostgreSQL stopped unexpectedly; starting it again");
      await launch(files, options, { isStopping, supervision }).then(
        (next) => (pid = next),
        async (error: Error) => {
          options.log(`starting PostgreSQL failed: ${error.message}`);
          await new Promise((resolve) => setTimeout(resolve, 500));
        },
      );
    }
  }
  const keeping = keepRunning();
  const trimming = setInterval(() => {
    trimPostgresLog(logOf(files)).catch((error: Error) =>
      options.log(`trimming postgres.log failed: ${error.message}`),
    );
  }, trimEveryMs).unref();

  return {
    connection: (database) => ({ host: files.sockets, port: socketPort, user: superuser, database }),
    async stop(timeoutMs = stopTimeoutMs) {
      stopping.abort();
      clearInterval(trimming);
      // It may be restarting at this moment.
      await keeping;
      await stopPostmaster(pid, timeoutMs);
      supervision.end();
    },
    leave() {
      stopping.abort();
      clearInterval(trimming);
      supervision.end();
    },
    guard() {
      // Even if started here: the guard of another hub that started at the same moment may be the active one.
      supervision.take();
      supervision.setPid(pid);
    },
  };
}

/**
 * Ends PostgreSQL with this process: by a signal at `process.exit` and after an uncaught error, by the guard after a SIGKILL.
 */
type Supervision = {
  /** Starts supervising a PostgreSQL that is about to be started or was adopted. */
  take(): void;
  setPid(pid: number): void;
  has(pid: number): boolean;
  stop(timeoutMs: number): Promise<void>;
  /** Stops supervising without stopping PostgreSQL. */
  end(): void;
};

function superviseWith(files: ClusterFiles): Supervision {
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
      const { cluster, sockets: folder } = files;
      const guard = guardPostgres({ cluster, folder, spawnOptions: runAs(files) });
      end();
      current = { guard };
      process.on("exit", endWithHub);
    },
    setPid(pid) {
      if (current) current.pid = pid;
    },
    has: (pid) => current?.pid === pid,
    async stop(timeoutMs) {
      if (current?.pid !== undefined) await stopPostmaster(current.pid, timeoutMs);
      end();
    },
    end,
  };
}

/** Processes of a killed PostgreSQL may exist for a moment, during which it cannot start again. */
async function launchFirst(files: ClusterFiles, options: EmbeddedOptions, supervision: Supervision): Promise<number> {
  const deadline = Date.now() + 15_000;
  const isStopping = (): boolean => options.stopping?.aborted ?? false;
  for (;;) {
    try {
      return await launch(files, options, { isStopping, supervision });
    } catch (error) {
      // It runs but did not become ready.
      await supervision.stop(stopTimeoutMs);
      if (!/pre-existing shared memory/.test((error as Error).message) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Process ID of a PostgreSQL that accepts connections, or of one that is being stopped. */
async function launch(
  files: ClusterFiles,
  options: EmbeddedOptions,
  { isStopping, supervision }: { isStopping(): boolean; supervision: Supervision },
): Promise<number> {
  const socket = path.join(files.sockets, `.s.PGSQL.${socketPort}`);
  let running = await findPostmaster(files.cluster);
  if (running === undefined && (await isListening(socket))) {
    running = await findPostmaster(files.cluster);
    if (running === undefined) {
      throw new Error(
        `A PostgreSQL that is not visible here, for example in another container, already uses ${files.cluster}.`,
      );
    }
  }
  if (running !== undefined && (await isReady(files, running, isStopping))) {
    options.log(`PostgreSQL already runs on this data directory (process ${running}); using it`);
    return running;
  }
  // No process listens, so the lock file is stale; its process ID may belong to another process by now.
  await rm(`${socket}.lock`, { force: true });
  const log = logOf(files);
  await trimPostgresLog(log);
  const { size: before } = await stat(log).catch(() => ({ size: 0 }));
  options.log("starting PostgreSQL");
  supervision.take();
  const pid = await spawnPostmaster(files, options.settings);
  supervision.setPid(pid);
  options.meanwhile?.();
  if (await isReady(files, pid, isStopping)) return pid;
  // Another hub may have started PostgreSQL on this folder first.
  const other = await findPostmaster(files.cluster);
  if (other !== undefined && (await isReady(files, other, isStopping))) {
    supervision.end();
    return other;
  }
  const output = (await readFile(log)).subarray(before).toString().trim().split("\n");
  throw new Error(`PostgreSQL did not start: ${output.slice(-8).join(" | ")}`);
}

const logOf = ({ home }: ClusterFiles): string => path.join(home, "postgres.log");

async function spawnPostmaster(files: ClusterFiles, overrides: EmbeddedOptions["settings"]): Promise<number> {
  const settings = { ...defaultSettings, unix_socket_directories: quoted(files.sockets), ...overrides };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = openSync(logOf(files), "a", 0o600);
  try {
    // Detached: Ctrl-C signals the whole process group, and the hub needs its database while it drains.
    const child = spawn(path.join(files.binaries, "bin/postgres"), ["-D", files.cluster, ...args], {
      ...runAs(files),
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

/** Quoted as one entry of a list. */
const quoted = (folder: string): string => `"${folder.replaceAll('"', '""')}"`;

/** Returns false if it exited before it was ready. */
async function isReady(files: ClusterFiles, pid: number, isStopping: () => boolean): Promise<boolean> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(files.cluster);
    if (isStopping() || (file?.pid === pid && file.status === "ready")) return true;
    if (!isAlive(pid)) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("PostgreSQL did not become ready within 60 s");
}

async function stopPostmaster(pid: number, fastMs: number): Promise<void> {
  for (const [signal, timeoutMs] of [
    ["SIGINT", fastMs],
    // PostgreSQL kills remaining processes after 5 s.
    ["SIGQUIT", 6_000],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + timeoutMs;
    await awaitExit(pid, () => Date.now() > deadline);
  }
}
