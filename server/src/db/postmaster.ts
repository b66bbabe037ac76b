import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** What PostgreSQL writes about itself into its data directory: process id on line 1, state on line 8. */
export async function readPostmasterFile(cluster: string): Promise<{ pid: number; status: string } | undefined> {
  const text = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, status: (lines[7] ?? "").trim() } : undefined;
}

/** The process id of the PostgreSQL that runs on this cluster, if one does. Clears away a dead one's file. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const file = await readPostmasterFile(cluster);
  if (!file) return undefined;
  if (isAlive(file.pid) && (await commandOf(file.pid)).includes(cluster)) {
    if (file.status !== "stopping") return file.pid;
    await awaitExit(file.pid, () => false);
    return undefined;
  }
  // After a reboot or in a new container the id can belong to any other process; PostgreSQL would refuse to start.
  await rm(path.join(cluster, "postmaster.pid"), { force: true });
  return undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export async function awaitExit(pid: number, giveUp: () => boolean): Promise<void> {
  while (isAlive(pid) && !giveUp()) await new Promise((resolve) => setTimeout(resolve, 25));
}

async function commandOf(pid: number): Promise<string> {
  const fromProc = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  if (fromProc !== undefined) return fromProc;
  const { stdout } = await promisify(execFile)("ps", ["-p", String(pid), "-o", "command="]).catch(() => ({
    stdout: "",
  }));
  return stdout;
}
