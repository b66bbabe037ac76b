import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Stops PostgreSQL after the hub was killed (SIGKILL, out of memory) unless another hub takes over. A shell process waits for the
 * end of its input, which is the end of the hub, then for `waitSeconds`, and then requests a fast shutdown.
 */
export type PostgresGuard = { release(): void };

type GuardOptions = {
  cluster: string;
  /** A folder that the hub and PostgreSQL's user can write to. */
  folder: string;
  spawnOptions: { cwd: string; env: Record<string, string>; uid?: number; gid?: number };
};

/** A restarted hub takes over the running PostgreSQL, which is faster than a stop and a start. */
const waitSeconds = 15;

/**
 * $1 seconds to wait, $2 file with the active guard, $3 this guard, $4 cluster. Checks the working directory of the process, since
 * the PID file of a killed PostgreSQL may name an unrelated process.
 */
const script = `
  read -r _
  sleep "$1"
  [ "$(cat "$2" 2>/dev/null)" = "$3" ] || exit
  pid=$(head -n 1 "$4/postmaster.pid" 2>/dev/null)
  [ -n "$pid" ] || exit
  [ ! -d /proc/self ] || [ "/proc/$pid/cwd" -ef "$4" ] || exit
  kill -INT "$pid"`;

/** Call it before starting PostgreSQL, since the hub may be killed at any moment after that. */
export function guardPostgres({ cluster, folder, spawnOptions }: GuardOptions): PostgresGuard | undefined {
  const name = randomUUID();
  const activeGuardFile = path.join(folder, "guard");
  const args = [String(waitSeconds), activeGuardFile, name, cluster];
  const child = spawn("/bin/sh", ["-c", script, "hub-guard", ...args], {
    ...spawnOptions,
    // A process group of its own: a signal to the hub's group must not end the guard.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell, PostgreSQL keeps running until the next hub adopts it.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  const release = (): void => void child.kill("SIGKILL");
  try {
    // Last: from here on this guard is active instead of the previous one.
    writeFileSync(activeGuardFile, name);
  } catch {
    // For example, the disk is full. PostgreSQL runs without a guard.
    release();
    return undefined;
  }
  return { release };
}
