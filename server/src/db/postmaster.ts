import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** PostgreSQL's postmaster.pid: process ID on line 1, status on line 8. */
export async function readPostmasterFile(cluster: string): Promise<{ pid: number; status: string } | undefined> {
  const text = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, status: (lines[7] ?? "").trim() } : undefined;
}

const stopTimeoutMs = 30_000;

/** Process ID of the PostgreSQL that runs on this cluster, if any. Waits for one that is shutting down. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const file = await readPostmasterFile(cluster);
  // PostgreSQL itself handles the file of a process that no longer exists.
  if (!file || !exists(file.pid)) return undefined;
  if (isAlive(file.pid) && (await runsOn(file.pid, cluster))) {
    if (file.status !== "stopping") return file.pid;
    const deadline = Date.now() + stopTimeoutMs;
    await awaitExit(file.pid, () => Date.now() > deadline);
    return undefined;
  }
  // After a reboot or in a new container the ID may belong to another process, and a zombie keeps its ID. PostgreSQL would
  // refuse to start.
  await rm(path.join(cluster, "postmaster.pid"), { force: true });
  return undefined;
}

/** Whether a process listens on the socket, even one that is not visible in this container. */
export async function isListening(socketFile: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(socketFile);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

export function isAlive(pid: number): boolean {
  return exists(pid) && !isZombie(pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A dead process whose parent has not reaped it, such as an adopted PostgreSQL in a container without an init process. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

export async function awaitExit(pid: number, giveUp: () => boolean): Promise<void> {
  while (isAlive(pid) && !giveUp()) await new Promise((resolve) => setTimeout(resolve, 25));
}

const pollIntervalMs = 250;

/** Resolves when the process exits or the signal aborts. Polls rarely, so that an idle hub stays idle. */
export async function watchUntilExit(pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && isAlive(pid)) await delay(pollIntervalMs, undefined, { signal }).catch(() => {});
}

/** The working directory of PostgreSQL is its cluster, however the path was spelled at the start. */
async function runsOn(pid: number, cluster: string): Promise<boolean> {
  const current = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (current !== undefined) return current === (await realpath(cluster));
  return (await commandOf(pid)).includes(cluster);
}

async function commandOf(pid: number): Promise<string> {
  const fromProc = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  if (fromProc !== undefined) return fromProc;
  const { stdout } = await promisify(execFile)("ps", ["-p", String(pid), "-o", "command="], {
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
  }).catch(() => ({
    stdout: "",
  }));
  return stdout;
}
