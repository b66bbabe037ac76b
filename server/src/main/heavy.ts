import { once } from "node:events";
import { rmSync } from "node:fs";
import { setPriority } from "node:os";
import { getHeapStatistics } from "node:v8";
import { createSecrets } from "../core/secrets.ts";
import { followOutboundPause } from "../features/outbound-pause/outbound-pause.ts";
import { followPreviewClock } from "../features/preview/preview.ts";
import { createHttpApp } from "../http/http-app.ts";
import { plainFormat } from "../http/mount.ts";
import { apiPrefix, routesOf } from "../http/routes.ts";
import type { HeavyPong, HeavyTask } from "./heavy-process.ts";
import { createHubLog } from "./hub-log.ts";
import { openWorld } from "./world.ts";

const maxConnections = 4;
/** Whoever asks for such work knows that it takes a while; all others do not. */
const niceness = 10;
setPriority(niceness);

// It ends with the process that has started it, and not before: a signal from the terminal reaches both. That one may have
// been killed: then nobody else is left to tidy up.
let folder: string | undefined;
process.once("disconnect", () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});

const [task] = (await once(process, "message")) as [HeavyTask];
const { environment, connection, settings, socketPath } = task;
folder = task.folder;
const { world } = await openWorld({
  environment,
  connection,
  settings,
  maxConnections,
  isBackground: true,
  // Its files may have been upgraded since the hub started, which is at work on the database as it is.
  mayMigrate: false,
  secrets: createSecrets(...task.secretKeys),
  log: createHubLog(task),
});
if (environment === "preview") await followPreviewClock(world);
await followOutboundPause(world);
const { app, admission } = createHttpApp(world, {
  mounts: [{ prefix: apiPrefix, routes: routesOf(environment), format: plainFormat }],
  pages() {},
  // Whoever forwards a request counts it.
  metrics: { observe() {}, refused() {}, bytes: () => Promise.resolve(Buffer.alloc(0)) },
  rateLimits: undefined,
  admission: { maxInFlight: 64, maxAtWork: maxConnections, maxEventLoopDelayMs: 60_000 },
  corsOrigins: [],
  trustedProxies: [],
  innerToken: task.token,
});
await app.listen({ path: socketPath });
// From now on every message is a ping.
process.on("message", () => {
  const heapMegabytes = getHeapStatistics().used_heap_size / 1024 ** 2;
  process.send!({ unfinished: admission.open(), heapMegabytes } satisfies HeavyPong);
});
process.send!("ready");
