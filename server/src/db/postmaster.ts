import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** What PostgreSQL writes about itself into its data directory: process id on line 1, state on line 8. */
export async function readPostmasterFile(cluster: string): Promise<{ pid: number; status: string } | undefined> {
  const text = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, status: (lines[7] ?? "").trim() } : undefined;
}

const stoppingPatienceMs = 30_000;

/** The process id of the PostgreSQL that runs on this cluster, if one does. Waits for one that is just stopping. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const file = await readPostmasterFile(cluster);
  // PostgreSQL itself knows what to do with the file of a process that is no more.
  if (!file || !exists(file.pid)) return undefined;
  if (isAlive(file.pid) && (await worksOn(file.pid, cluster))) {
    if (file.status !== "stopping") return file.pid;
    const deadline = Date.now() + stoppingPatienceMs;
    await awaitExit(file.pid, () => Date.now() > deadline);
    return undefined;
  }
  // After a reboot or in a new container the id can belong to any other process, and a killed process whose parent does
  // not look keeps its id; PostgreSQL would refuse to start.
  await rm(path.join(cluster, "postmaster.pid"), { force: true });
  return undefined;
}

/** Whether anybody answers there, be it a process that cannot be seen from inside this container. */
export async function answers(socketFile: string): Promise<boolean> {
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

/** Dead, but its parent has not looked: an adopted PostgreSQL in a container whose first process never looks. */
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

const watchEveryMs = 250;

/** As long as it runs, which may be for months: seldom enough that an idle hub sleeps. Ends at once with the signal. */
export async function watchUntilExit(pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && isAlive(pid)) await delay(watchEveryMs, undefined, { signal }).catch(() => {});
}

/** PostgreSQL's current directory is its cluster, however that was spelled when it was started. */
async function worksOn(pid: number, cluster: string): Promise<boolean> {
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
