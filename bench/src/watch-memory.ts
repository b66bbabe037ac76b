import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Peak memory of the hub and its offload process above their initial memory. */
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

/** Memory of the process and its Node children, which excludes the database. */
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
