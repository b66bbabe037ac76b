import { parseArgs } from "node:util";
import { clusterOf } from "./hub-process.ts";

/** Command-line options of a peer process. */
export function peerOptions() {
  const { values } = parseArgs({
    options: { "data-dir": { type: "string" }, count: { type: "string" }, clients: { type: "string" } },
  });
  return { connection: clusterOf(values["data-dir"]!), count: Number(values.count), clients: Number(values.clients) };
}

/** Queues all jobs, one per call and `clients` at a time, and prints the rate when `done` reports that all have run. */
export async function race(
  { count, clients }: { count: number; clients: number },
  send: (n: number) => Promise<unknown>,
  done: Promise<void>,
): Promise<void> {
  const started = performance.now();
  let next = 0;
  const queueOn = async (): Promise<void> => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: clients }, queueOn));
  await done;
  console.log(`${(count / ((performance.now() - started) / 1000)).toFixed(1)} per second`);
}
