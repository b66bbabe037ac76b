import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { freePort } from "./hub-process.ts";
import { peerOptions, race } from "./peer-options.ts";

/** With its own Redis which, like PostgreSQL, answers only after data is on disk. */
const options = peerOptions();
const folder = await mkdtemp(path.join(tmpdir(), "hub-bench-redis-"));
const port = await freePort();
const redis = spawn(
  "redis-server",
  ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--appendfsync", "always"],
  { stdio: "ignore" },
);
// The bench ends this process once it has read the rate; Redis must not outlive it.
process.once("SIGTERM", () => process.exit(0));
process.once("exit", () => {
  redis.kill();
  rmSync(folder, { recursive: true, force: true });
});
const connection = new Redis(port, { maxRetriesPerRequest: null });
const name = "bench";
const all = Promise.withResolvers<void>();
let ran = 0;
const worker = new Worker(
  name,
  () => {
    if (++ran >= options.count) all.resolve();
    return Promise.resolve({ hello: "world" });
  },
  { connection, concurrency: 32 },
);
await worker.waitUntilReady();
const queue = new Queue(name, { connection });
await race(options, (n) => queue.add("noop", { hello: "world", n }), all.promise);
process.exit(0);
