import { PgBoss } from "pg-boss";
import { peerOptions, race } from "./peer-options.ts";

const options = peerOptions();
const queue = "bench";
// The hub's default number of connections.
const boss = new PgBoss({ ...options.connection, schema: "bench_pg_boss", max: 20, supervise: false, schedule: false });
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue(queue);
const all = Promise.withResolvers<void>();
let ran = 0;
await boss.work(
  queue,
  { batchSize: 100, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true, localConcurrency: 2 },
  (jobs) => {
    ran += jobs.length;
    if (ran >= options.count) all.resolve();
    return Promise.resolve();
  },
);
await race(options, (n) => boss.send(queue, { hello: "world", n }), all.promise);
await boss.stop({ graceful: false });
process.exit(0);
