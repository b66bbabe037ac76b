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
  pid: number;
  cluster: string;
  /** A folder that the hub and PostgreSQL's user can write to. */
  folder: string;
  spawnOptions: { cwd: string; env: Record<string, string>; uid?: number; gid?: number };
};

/** A hub that is started again takes over what is there, without the seconds that a stop and a start of PostgreSQL take. */
const waitSeconds = 15;

/** $1 seconds to wait, $2 the file that names the guard in charge, $3 this guard, $4 PostgreSQL's own file, $5 its process. */
const script =
  'read -r _; sleep "$1"; ' +
  '[ "$(cat "$2" 2>/dev/null)" = "$3" ] && [ "$(head -n 1 "$4" 2>/dev/null)" = "$5" ] && kill -INT "$5"';

export function guardPostgres({ pid, cluster, folder, spawnOptions }: GuardOptions): PostgresGuard | undefined {
  const name = randomUUID();
  const inCharge = path.join(folder, "guard");
  try {
    // The one before, of a hub that was killed, finds another name here and leaves PostgreSQL alone.
    writeFileSync(inCharge, name);
  } catch {
    // The disk is full, say: PostgreSQL runs all the same.
    return undefined;
  }
  const files = [inCharge, name, path.join(cluster, "postmaster.pid")];
  const child = spawn("/bin/sh", ["-c", script, "hub-guard", String(waitSeconds), ...files, String(pid)], {
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
  return { release: () => void child.kill("SIGKILL") };
}
