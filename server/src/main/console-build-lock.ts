import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

export type BuildLock = { release(): Promise<void> };

const lookMs = 250;
/** Longer than a build may take: whoever has it so long is gone, on a machine whose processes we cannot see. */
const staleMs = 10 * 60_000;

/** Locks that this process has: another one of it must not think that a predecessor with its number left them. */
const held = new Set<string>();

/** Waits for its turn among all processes that use the folder. Undefined: told to stop before. */
export async function takeBuildLock(file: string, signal: AbortSignal): Promise<BuildLock | undefined> {
  const own = `${hostname()} ${process.pid}`;
  while (!signal.aborted) {
    try {
      await writeFile(file, own, { flag: "wx" });
      held.add(file);
      return {
        async release() {
          held.delete(file);
          await rm(file, { force: true });
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const leftBehind = await findLeftBehind(file);
    if (leftBehind === undefined) await sleep(lookMs, undefined, { signal }).catch(() => {});
    else await removeLeftBehind(file, own, leftBehind);
  }
  return undefined;
}

/** What is in it, if whoever had it is gone. */
async function findLeftBehind(file: string): Promise<string | undefined> {
  const [text, found] = await Promise.all([readFile(file, "utf8"), stat(file)]).catch(() => []);
  if (text === undefined || found === undefined) return undefined;
  const [host, pid] = text.split(" ");
  const isOurs = Number(pid) === process.pid;
  const isGone = host === hostname() && (isOurs ? !held.has(file) : !isAlive(Number(pid)));
  return isGone || Date.now() - found.mtimeMs > staleMs ? text : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Moved aside first, and looked at again: of several who find it, a slow one would else remove the lock that follows. */
async function removeLeftBehind(file: string, own: string, leftBehind: string): Promise<void> {
  const aside = `${file}.${own.replaceAll(/\W/g, "-")}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, "utf8")) === leftBehind) await rm(aside, { force: true });
    else await rename(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
