import { readdir, readFile, writeFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

/** About a tenth of what others get, when there is not enough for all. */
const niceness = 10;
const tries = 20;

/**
 * Whoever works in this process leaves the processors to others, where we may say so. Linux schedules by terminal session
 * first, if nothing else groups its processes, and each process of PostgreSQL begins a session of its own: there its
 * niceness says nothing, and that of its session does.
 */
export async function yieldProcessors(pid: number): Promise<void> {
  try {
    setPriority(pid, niceness);
    await yieldSession(`/proc/${pid}/autogroup`);
  } catch {
    // Then it is as fast as all the others.
  }
}

/** Whoever is no administrator may do so ten times a second, all such processes of the machine together. */
async function yieldSession(file: string): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await writeFile(file, String(niceness));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || left <= 1) throw error;
      await delay(100 + Math.random() * 400);
    }
  }
}

const poolThread = "libuv-worker";

/**
 * Passwords and compressed answers take the processors for tens of milliseconds at a time, in threads of their own: the
 * one that answers everybody goes first. Linux knows the threads of a process like processes.
 */
export async function yieldPoolThreads(): Promise<void> {
  try {
    for (const thread of await readdir("/proc/self/task")) {
      const name = await readFile(`/proc/self/task/${thread}/comm`, "utf8");
      if (name.trim() === poolThread) setPriority(Number(thread), niceness);
    }
  } catch {
    // Elsewhere threads have no names or no priorities.
  }
}
