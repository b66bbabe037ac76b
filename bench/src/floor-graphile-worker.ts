import { Logger, makeWorkerUtils, run, runMigrations } from "graphile-worker";
import pg from "pg";
import { peerOptions, race } from "./peer-options.ts";

const options = peerOptions();
const pgPool = new pg.Pool({ ...options.connection, max: 20 });
// graphile-worker warns without these handlers.
pgPool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
const shared = { pgPool, schema: "bench_graphile", logger: new Logger(() => () => {}) };
await runMigrations(shared);
const all = Promise.withResolvers<void>();
let ran = 0;
const runner = await run({
  ...shared,
  concurrency: 32,
  noHandleSignals: true,
  taskList: {
    noop() {
      if (++ran >= options.count) all.resolve();
    },
  },
});
const utils = await makeWorkerUtils(shared);
await race(options, (n) => utils.addJob("noop", { hello: "world", n }), all.promise);
await runner.stop();
process.exit(0);
