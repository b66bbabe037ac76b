import type { ServerResponse } from "node:http";
import type { Environment, World } from "../context.ts";
import { flushKeyUsage } from "../features/api-keys/key-authentication.ts";
import { flushRequests } from "../features/requests/requests.ts";
import { flushSessionUsage } from "../features/users/live-sessions.ts";
import { stopWaiting } from "../features/tasks/tasks.ts";
import { followOutboundPause } from "../features/outbound-pause/outbound-pause.ts";
import { followPreviewClock } from "../features/preview/preview.ts";
import { envelopeFormat } from "../gateway/envelope.ts";
import { createGatewayRoutes, gatewayPrefix } from "../gateway/gateway-routes.ts";
import type { Health } from "../http/health.ts";
import type { ReadConsole } from "../http/console-files.ts";
import { createConsoleSite } from "../http/console-site.ts";
import { createHealth } from "../http/health.ts";
import type { HttpApp } from "../http/http-app.ts";
import { createHttpApp } from "../http/http-app.ts";
import { createMetrics } from "../http/metrics.ts";
import type { Metrics, Peers } from "../http/metrics-registry.ts";
import type { Mount } from "../http/mount.ts";
import { plainFormat } from "../http/mount.ts";
import { createOffload } from "../http/offload.ts";
import { addPages } from "../http/pages.ts";
import type { SharedCounts, WindowCounts } from "../http/rate-limit.ts";
import { apiPrefix, routesOf } from "../http/routes.ts";
import type { WorkerProcess } from "../http/worker-slots.ts";
import { addMcp } from "../mcp/mcp-endpoint.ts";
import { readBacklog } from "../worker/backlog.ts";
import type { Config } from "./config.ts";
import type { PortListener } from "./port-listener.ts";
import { createPortListener } from "./port-listener.ts";
import type { ProcessGroup } from "./process-group.ts";
import { singleProcess } from "./process-group.ts";
import { hubVersion } from "../core/hub-version.ts";

export type Surface = {
  environment: Environment;
  /** Where it listens: the main address first, the gateway's own second if it has one. */
  urls: string[];
  mounts: Mount[];
  health: Health;
  /** Of its main port; in a process that serves no requests, of its background work alone. */
  metrics: Metrics;
  /** Completes accepted requests, then closes. */
  stop(): Promise<void>;
};

export type SurfaceOptions = {
  config: Pick<
    Config,
    | "host"
    | "roles"
    | "rateLimit"
    | "maxInFlight"
    | "maxConnections"
    | "maxEventLoopDelayMs"
    | "shutdownDrainMs"
    | "corsOrigins"
    | "trustedProxies"
    | "metricsAccess"
    | "publicUrls"
  >;
  group?: ProcessGroup;
  port: number;
  gatewayPort: number | undefined;
  /** Listeners that were opened before the surface was ready. */
  listeners?: { main?: PortListener | undefined; gateway?: PortListener | undefined };
  /** The console to serve beside the API. */
  console?: ReadConsole | undefined;
  /** For costly requests; without it (in tests) they run in this process. */
  startWorkerProcess?: () => Promise<WorkerProcess>;
};

type PortName = "PORT" | "GATEWAY_PORT";

export function portSetting(environment: Environment, name: PortName): string {
  return `${environment === "live" ? "HUB_" : "HUB_PREVIEW_"}${name}`;
}

/** Part of the database connections that requests may use at a time; authentication and flushing use the others. */
const slotsPart = 0.8;
/** The limit of an address without a valid token, as a part of that of an organization. */
const anonymousDivisor = 10;
/** Several users behind one address who have just signed in are anonymous for a moment. */
const leastPerAddress = 20;
// Leaves two seconds of the promised ten for flushing buffers and stopping PostgreSQL.
const drainMs = 7_000;
/** Requests that wait for a task are then answered that it goes on: tasks have this long to end. */
const waitersMs = 5_000;
const keyUsageMs = 30_000;
const requestsMs = 5_000;

export async function openSurface(world: World, options: SurfaceOptions): Promise<Surface> {
  if (world.environment === "preview") await followPreviewClock(world);
  await followOutboundPause(world);
  const { group = singleProcess } = options;
  const { roles, host } = options.config;
  const health = createHealth(world, () => isDraining);
  let isDraining = false;

  const main: Mount = { prefix: apiPrefix, routes: routesOf(world.environment), format: plainFormat };
  const gateway: Mount = {
    prefix: gatewayPrefix,
    routes: createGatewayRoutes({ main: { ...main, isServed: roles.has("api") }, checkHealth: () => health.check() }),
    format: envelopeFormat,
  };
  const served = [...(roles.has("api") ? [main] : []), ...(roles.has("gateway") ? [gateway] : [])];

  const { startWorkerProcess: start } = options;
  const offload = start && createOffload({ start, log: world.log });
  const responses = new Set<ServerResponse>();
  /** Shared: a closure for each request would be work for the garbage collector. */
  function forget(this: ServerResponse): void {
    responses.delete(this);
  }
  const measured: Metrics[] = [];
  const none = (): number => 0;
  const measure = (name: PortName, inFlight: () => number, streams: () => number): Metrics => {
    const peers = peersOf(group, `metrics ${world.environment} ${name}`);
    return createMetrics(world, { inFlight, streams, readBacklog: () => readBacklog(world), peers });
  };
  const apps: { http: HttpApp; listener: PortListener }[] = [];

  async function listen(name: PortName, mounts: Mount[], port: number, early?: PortListener): Promise<void> {
    const setting = portSetting(world.environment, name);
    const listener = early ?? createPortListener({ host, port, setting, startChecks: () => ({}) });
    const http = createApp(name, mounts, listener);
    apps.push({ http, listener });
    await http.start((handler) => listener.handOver(handler));
    if (!early) await listener.listen();
    world.log.info(`serving requests at ${listener.url()}`);
  }

  function createApp(name: PortName, mounts: Mount[], { server }: PortListener): HttpApp {
    const metrics = measure(
      name,
      () => http.admission.openRequests(),
      () => http.streams.count(),
    );
    measured.push(metrics);
    const { config } = options;
    const site = options.console && mounts.includes(main) ? createConsoleSite(options.console) : undefined;
    const http: HttpApp = createHttpApp(world, {
      server,
      mounts,
      site,
      metrics,
      pages: (app, limits) => {
        if (mounts.includes(main)) addMcp(app, world, { limits, api: main, corsOrigins: config.corsOrigins });
        addPages(app, world, {
          limits,
          health,
          metrics,
          // Loaded on demand: most processes never need it.
          openApi: async () => (await import("../http/openapi.ts")).writeOpenApi(mounts, hubVersion),
          metricsAccess: config.metricsAccess,
          site,
        });
      },
      rateLimits: rateLimitsOf(config),
      sharedCounts: sharedCountsOf(group, `rate limits ${world.environment} ${name}`),
      admission: {
        maxOpenRequests: config.maxInFlight,
        slots: Math.max(2, Math.floor(config.maxConnections * slotsPart)),
        maxEventLoopDelayMs: config.maxEventLoopDelayMs,
      },
      ...(offload ? { offload } : {}),
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
      names: { publicUrls: config.publicUrls, host: config.host },
    });
    server.on("request", (_request: unknown, response: ServerResponse) => {
      responses.add(response);
      response.on("close", forget);
    });
    return http;
  }

  const { port, gatewayPort, listeners } = options;
  try {
    if (served.length > 0) await listen("PORT", served, port, listeners?.main);
    if (gatewayPort !== undefined && roles.has("gateway"))
      await listen("GATEWAY_PORT", [gateway], gatewayPort, listeners?.gateway);
  } catch (error) {
    await Promise.all(apps.map(({ http, listener }) => close(http, listener)));
    throw error;
  }
  const timers = [
    flushEvery(keyUsageMs, world, "the last use of keys was", flushUsage),
    flushEvery(requestsMs, world, "some entries of the request log were", flushRequests),
  ];

  return {
    environment: world.environment,
    urls: apps.map(({ listener }) => listener.url()),
    mounts: served,
    health,
    metrics: measured[0] ?? measure("PORT", none, none),
    async stop() {
      isDraining = true;
      for (const timer of timers) clearInterval(timer);
      const timeout = setTimeout(() => stopWaiting(world), waitersMs);
      const { shutdownDrainMs } = options.config;
      await Promise.all(apps.map(({ http, listener }) => drain(http, listener, responses, shutdownDrainMs)));
      clearTimeout(timeout);
      await offload?.stop();
      await Promise.all([flushUsage(world), flushRequests(world)]).catch(() => {});
    },
  };
}

function peersOf(group: ProcessGroup, topic: string): Peers {
  return {
    process: group.size === 1 ? undefined : group.number,
    ask: async () => (await group.askOthers(topic)).map(({ data }) => String(data)),
    onQuestion: (answer) => group.onQuestion(topic, answer),
  };
}

function sharedCountsOf(group: ProcessGroup, topic: string): SharedCounts | undefined {
  if (group.size === 1) return undefined;
  return {
    broadcast: (counts) => group.broadcast(topic, counts),
    onBroadcast: (listener) => group.onBroadcast(topic, (data) => listener(data as WindowCounts)),
  };
}

function rateLimitsOf({ rateLimit }: Pick<Config, "rateLimit">) {
  if (rateLimit === undefined) return undefined;
  const perAddress = Math.max(leastPerAddress, Math.ceil(rateLimit / anonymousDivisor));
  return { perOrganization: rateLimit, perCaller: rateLimit, perAddress };
}

function flushEvery(ms: number, world: World, what: string, write: (world: World) => Promise<void>): NodeJS.Timeout {
  return setInterval(() => {
    write(world).catch((error: unknown) => world.log.warn({ err: error }, `${what} not written`));
  }, ms).unref();
}

/**
 * For a moment connections are still accepted while every response says `Connection: close`: clients move to another node without
 * a reset. Then no new ones, and idle connections are closed until none is left.
 */
async function drain(
  http: HttpApp,
  listener: PortListener,
  responses: ReadonlySet<ServerResponse>,
  shutdownDrainMs: number,
): Promise<void> {
  http.drain();
  // Requests that began before: their responses have to say it too.
  for (const response of responses) response.shouldKeepAlive = false;
  await new Promise((resolve) => setTimeout(resolve, shutdownDrainMs));
  await close(http, listener);
}

async function close({ app }: HttpApp, { server }: PortListener): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const sweeper = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweeper);
  clearTimeout(deadline);
  await app.close();
}

/** Writes when keys and sessions were last used. */
async function flushUsage(world: World): Promise<void> {
  await Promise.all([flushKeyUsage(world), flushSessionUsage(world)]);
}
