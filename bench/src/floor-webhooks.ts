import { parseArgs } from "node:util";
import { PgBoss } from "pg-boss";
import { Agent, request } from "undici";
import { clusterOf } from "./hub-process.ts";

/*
 * Raw pg-boss and undici: each job is a request with a body like that of a delivery. No signature, no log of attempts, no
 * guard, no limit for an endpoint. As many at a time as made it fastest here.
 */
const { values } = parseArgs({
  options: {
    "data-dir": { type: "string" },
    count: { type: "string" },
    urls: { type: "string" },
    "warm-ups": { type: "string" },
  },
});
const count = Number(values.count);
const urls = values.urls!.split(",");
const queue = "bench_webhooks";
const boss = new PgBoss({
  ...clusterOf(values["data-dir"]!),
  schema: "bench_pg_boss",
  max: 20,
  supervise: false,
  schedule: false,
});
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue(queue);
const dispatcher = new Agent({ connections: 100 });
const body = JSON.stringify({
  type: "order.updated",
  data: { items: [{ id: crypto.randomUUID(), version: 2 }] },
  pad: "x".repeat(400),
});
let sent = 0;
let all = Promise.withResolvers<void>();

await boss.work<{ n: number }>(
  queue,
  { batchSize: 100, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true, localConcurrency: 2 },
  async (jobs) => {
    await Promise.all(
      jobs.map(async ({ data: { n } }) => {
        const headers = { "content-type": "application/json" };
        const answer = await request(urls[n % urls.length]!, { method: "POST", headers, body, dispatcher });
        await answer.body.dump();
        if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`);
      }),
    );
    sent += jobs.length;
    if (sent >= count) all.resolve();
  },
);

/** Seconds from the first insert until the last was answered. */
async function sendAll(): Promise<number> {
  all = Promise.withResolvers<void>();
  sent = 0;
  const started = performance.now();
  for (let n = 0; n < count; n += 1_000) {
    await boss.insert(
      queue,
      Array.from({ length: Math.min(1_000, count - n) }, (_, i) => ({ data: { n: n + i } })),
    );
  }
  await all.promise;
  return (performance.now() - started) / 1000;
}

for (let round = 0; round < Number(values["warm-ups"]); round++) await sendAll();
console.log(`${(count / (await sendAll())).toFixed(1)} per second`);
await boss.stop({ graceful: false });
process.exit(0);
