import { once } from "node:events";
import { createServer } from "node:http";
import { getHeapStatistics } from "node:v8";
import { createSecrets } from "../core/secrets.ts";
import { followOutboundPause } from "../features/outbound-pause/outbound-pause.ts";
import { followPreviewClock } from "../features/preview/preview.ts";
import { createHttpApp } from "../http/http-app.ts";
import { httpServerOptions } from "../http/http-server.ts";
import { plainFormat } from "../http/mount.ts";
import { apiPrefix, routesOf } from "../http/routes.ts";
import type { WorkerPong, WorkerTask } from "./worker-process.ts";
import { createHubLog } from "./hub-log.ts";
import { openWorld } from "./world.ts";

const maxConnections = 4;

/** Serves the routes of one surface on a local socket, and answers pings. */
export async function runWorkerProcess(task: WorkerTask): Promise<void> {
  const { environment, connection, settings, socketPath } = task;
  const { world } = await openWorld({
    environment,
    connection,
    settings,
    maxConnections,
    rowSecurity: task.rowSecurity,
    // The files may have been upgraded since the hub started, which uses the database as it is.
    mayMigrate: false,
    secrets: createSecrets(...task.secretKeys),
    log: createHubLog(task),
  });
  if (environment === "preview") await followPreviewClock(world);
  await followOutboundPause(world);
  const server = createServer(httpServerOptions);
  const { start, admission } = createHttpApp(world, {
    server,
    mounts: [{ prefix: apiPrefix, routes: routesOf(environment), format: plainFormat }],
    pages() {},
    // The HTTP process counts the request.
    metrics: {
      observe() {},
      refused() {},
      bytes: () => Promise.resolve(Buffer.alloc(0)),
      ownText: () => Promise.resolve(""),
    },
    rateLimits: undefined,
    admission: { maxOpenRequests: 64, slots: maxConnections, maxEventLoopDelayMs: 60_000 },
    corsOrigins: [],
    trustedProxies: [],
    innerToken: task.token,
  });
  await start((handler) => server.on("request", handler));
  server.listen(socketPath);
  await once(server, "listening");
  // From now on every message is a ping.
  process.on("message", () => {
    const heapMegabytes = getHeapStatistics().used_heap_size / 1024 ** 2;
    process.send!({ unfinished: admission.openRequests(), heapMegabytes } satisfies WorkerPong);
  });
  process.send!("ready");
}
