import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The most that the hub and the process that helps it hold, beyond what they held in the beginning. */
export function watchMemory(pid: number): { stop(): Promise<number> } {
  const samples: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      samples.push(await residentOfAll(pid));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return Math.max(...samples) - samples[0]!;
    },
  };
}

/** Of the process and of those of its children that are Node: the database is none of them. */
async function residentOfAll(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid=,rss=,comm="]);
  const all = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const isOurs = ([own, parent, , name]: string[]): boolean =>
    own === String(pid) || (parent === String(pid) && /node|MainThread/.test(name ?? ""));
  return all.filter(isOurs).reduce((sum, [, , rss]) => sum + Number(rss) / 1024, 0);
}
