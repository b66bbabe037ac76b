import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
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
import type { HeavyProcess } from "../http/heavy-slots.ts";
import { createHeavyWork } from "../http/heavy-work.ts";
import type { HttpApp } from "../http/http-app.ts";
import { createHttpApp } from "../http/http-app.ts";
import { createMetrics } from "../http/metrics.ts";
import type { Metrics } from "../http/metrics-registry.ts";
import type { Mount } from "../http/mount.ts";
import { plainFormat } from "../http/mount.ts";
import { addPages } from "../http/pages.ts";
import { apiPrefix, routesOf } from "../http/routes.ts";
import { readBacklog } from "../worker/backlog.ts";
import type { Config } from "./config.ts";
import type { Doors } from "./doors.ts";
import { canShare, explainListening, openDoors, refuseTaken } from "./doors.ts";
import type { HeldPort } from "./held-port.ts";
import { hubVersion } from "../core/hub-version.ts";

export type Surface = {
  environment: Environment;
  /** Where it listens: the main address first, the gateway's own second if it has one. */
  urls: string[];
  mounts: Mount[];
  health: Health;
  /** Of its main port; of a process that serves no requests, of its work alone. */
  metrics: Metrics;
  /** Answers what was accepted, then closes. */
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
  port: number;
  gatewayPort: number | undefined;
  /** What answers on these ports until the surface does. */
  held?: { main?: HeldPort | undefined; gateway?: HeldPort | undefined };
  /** The console to serve beside the API. */
  console?: ReadConsole | undefined;
  /** Starts a process for heavy requests; without it they are done here. */
  startHeavyProcess?: () => Promise<HeavyProcess>;
};

type ListenOn = { port: number; setting: string; held: HeldPort | undefined };

/** Of the connections to the database: the others are for what is done in the background. */
const requestsPart = 0.8;
/** Whoever has not said who they are may ask so many times less often. */
const strangersPart = 10;
/** Several people behind one address, who have just signed in, are strangers for a moment. */
const leastOfStrangers = 20;
// Leaves two seconds of the promised ten for writing down what is in memory and stopping PostgreSQL.
const drainMs = 7_000;
/** Whoever still waits for a task then is told that it goes on: tasks have this long to end by themselves. */
const waitersMs = 5_000;
const keyUsageMs = 30_000;
const requestsMs = 5_000;

export async function openSurface(world: World, options: SurfaceOptions): Promise<Surface> {
  if (world.environment === "preview") await followPreviewClock(world);
  await followOutboundPause(world);
  const { roles } = options.config;
  const health = createHealth(world, () => isDraining);
  let isDraining = false;

  const main: Mount = { prefix: apiPrefix, routes: routesOf(world.environment), format: plainFormat };
  const gateway: Mount = {
    prefix: gatewayPrefix,
    routes: createGatewayRoutes({ main: { ...main, isServed: roles.has("api") }, checkHealth: () => health.check() }),
    format: envelopeFormat,
  };
  const served = [...(roles.has("api") ? [main] : []), ...(roles.has("gateway") ? [gateway] : [])];

  const { startHeavyProcess: start } = options;
  const heavy = start && createHeavyWork({ start, log: world.log });
  const answers = new Set<ServerResponse>();
  /** One for all: a closure for each request would be work for the garbage collector. */
  function forget(this: ServerResponse): void {
    answers.delete(this);
  }
  const setting = world.environment === "live" ? "HUB_" : "HUB_PREVIEW_";
  const measured: Metrics[] = [];
  const none = (): number => 0;
  const measure = (inFlight: () => number, streams: () => number): Metrics =>
    createMetrics(world, { inFlight, streams, readBacklog: () => readBacklog(world) });
  const apps: (ListenOn & { app: HttpApp; doors?: Doors })[] = [];
  const { port, gatewayPort, held } = options;
  if (served.length > 0) apps.push({ app: createApp(served), port, setting: `${setting}PORT`, held: held?.main });
  if (gatewayPort !== undefined && roles.has("gateway")) {
    const where = { port: gatewayPort, setting: `${setting}GATEWAY_PORT`, held: held?.gateway };
    apps.push({ app: createApp([gateway]), ...where });
  }

  function createApp(mounts: Mount[]): HttpApp {
    const metrics = measure(
      () => http.admission.open(),
      () => http.streams.count(),
    );
    measured.push(metrics);
    const { config } = options;
    const site = options.console && mounts.includes(main) ? createConsoleSite(options.console) : undefined;
    const http: HttpApp = createHttpApp(world, {
      mounts,
      site,
      metrics,
      pages: (app, gates) =>
        addPages(app, world, {
          gates,
          health,
          metrics,
          // Loaded when somebody asks for it: most processes never need it.
          openApi: async () => (await import("../http/openapi.ts")).writeOpenApi(mounts, hubVersion),
          metricsAccess: config.metricsAccess,
          site,
        }),
      rateLimits: rateLimitsOf(config),
      admission: {
        maxInFlight: config.maxInFlight,
        maxAtWork: Math.max(2, Math.floor(config.maxConnections * requestsPart)),
        maxEventLoopDelayMs: config.maxEventLoopDelayMs,
      },
      ...(heavy ? { heavy } : {}),
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
      names: { publicUrls: config.publicUrls, host: config.host },
    });
    http.app.server.on("request", (_request: unknown, response: ServerResponse) => {
      answers.add(response);
      // It is told of its end once; that this is heard once need not be seen to.
      response.on("close", forget);
    });
    return http;
  }

  const urls: string[] = [];
  try {
    for (const one of apps) {
      urls.push(await listen(one.app, options.config.host, one));
      one.doors = await openDoors(one.app.app.server, options.config.host);
    }
  } catch (error) {
    await Promise.all(apps.map(({ app, doors }) => Promise.all([app.app.close(), doors?.close()])));
    throw error;
  }
  const timers = [
    flushEvery(keyUsageMs, world, "the use of keys was", flushUsage),
    flushEvery(requestsMs, world, "some requests were", flushRequests),
  ];

  return {
    environment: world.environment,
    urls,
    mounts: served,
    health,
    metrics: measured[0] ?? measure(none, none),
    async stop() {
      isDraining = true;
      for (const timer of timers) clearInterval(timer);
      const patience = setTimeout(() => stopWaiting(world), waitersMs);
      await Promise.all(apps.map(({ app, doors }) => drain(app, doors, answers, options.config.shutdownDrainMs)));
      clearTimeout(patience);
      await heavy?.stop();
      await Promise.all([flushUsage(world), flushRequests(world)]).catch(() => {});
    },
  };
}

function rateLimitsOf({ rateLimit }: Pick<Config, "rateLimit">) {
  if (rateLimit === undefined) return undefined;
  const perAddress = Math.max(leastOfStrangers, Math.ceil(rateLimit / strangersPart));
  return { perOrganization: rateLimit, perCaller: rateLimit, perAddress };
}

function flushEvery(ms: number, world: World, what: string, write: (world: World) => Promise<void>): NodeJS.Timeout {
  return setInterval(() => {
    write(world).catch((error: unknown) => world.log.warn({ err: error }, `${what} not written`));
  }, ms).unref();
}

async function listen({ app }: HttpApp, host: string, given: ListenOn): Promise<string> {
  const { port, setting, held } = given;
  try {
    // Where ports can be shared, the one that answered meanwhile goes on until this one listens.
    if (held && !canShare) await held.release();
    if (!held && canShare && port !== 0) await refuseTaken(host, port);
    const listening = { host, port: held?.port ?? port, reusePort: canShare };
    await app.listen(listening);
    await held?.release();
  } catch (error) {
    throw explainListening(error, { host, port, setting });
  }
  const address = app.server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

/**
 * For a moment connections still come in while every answer says `Connection: close`: clients move elsewhere without a
 * reset. Then no new ones, and those that are idle are closed until none is left.
 */
async function drain(
  { app, drain: announce }: HttpApp,
  doors: Doors | undefined,
  answers: ReadonlySet<ServerResponse>,
  shutdownDrainMs: number,
): Promise<void> {
  announce();
  // Requests that began before: their answers have to say it too.
  for (const answer of answers) answer.shouldKeepAlive = false;
  await new Promise((resolve) => setTimeout(resolve, shutdownDrainMs));
  const closed = Promise.all([app.close(), doors?.close()]);
  const sweeper = setInterval(() => app.server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => app.server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweeper);
  clearTimeout(deadline);
}

/** When keys and sessions were last used. */
async function flushUsage(world: World): Promise<void> {
  await Promise.all([flushKeyUsage(world), flushSessionUsage(world)]);
}
