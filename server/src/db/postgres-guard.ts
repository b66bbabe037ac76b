import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Stops PostgreSQL when the hub was killed (SIGKILL, out of memory) and no other hub takes its place. A shell that waits for the
 * end of its input, which is the end of the hub, then for the next hub, and then asks PostgreSQL to shut down in good order.
 */
export type PostgresGuard = { release(): void };

type GuardOptions = {
  cluster: string;
  /** A folder that the hub and PostgreSQL's user can write to. */
  folder: string;
  spawnOptions: { cwd: string; env: Record<string, string>; uid?: number; gid?: number };
};

/** A hub that is started again takes over what is there, without the seconds that a stop and a start of PostgreSQL take. */
const waitSeconds = 15;

/**
 * $1 seconds to wait, $2 the file that names the guard in charge, $3 this guard, $4 the cluster. The process is the one that works
 * on the cluster now: a file that a killed PostgreSQL left may name an unrelated process.
 */
const script = `
  read -r _
  sleep "$1"
  [ "$(cat "$2" 2>/dev/null)" = "$3" ] || exit
  pid=$(head -n 1 "$4/postmaster.pid" 2>/dev/null)
  [ -n "$pid" ] || exit
  [ ! -d /proc/self ] || [ "/proc/$pid/cwd" -ef "$4" ] || exit
  kill -INT "$pid"`;

/** Before PostgreSQL is started: the hub may be killed at any moment after that. */
export function guardPostgres({ cluster, folder, spawnOptions }: GuardOptions): PostgresGuard | undefined {
  const name = randomUUID();
  const inCharge = path.join(folder, "guard");
  const args = [String(waitSeconds), inCharge, name, cluster];
  const child = spawn("/bin/sh", ["-c", script, "hub-guard", ...args], {
    ...spawnOptions,
    // Not in the hub's process group: a signal to all of it must not end the guard as well.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell PostgreSQL is adopted by the next start, as it would be anyway.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  const release = (): void => void child.kill("SIGKILL");
  try {
    // Last: until here the guard before is in charge, from here on this one.
    writeFileSync(inCharge, name);
  } catch {
    // The disk is full, say: PostgreSQL runs all the same.
    release();
    return undefined;
  }
  return { release };
}
