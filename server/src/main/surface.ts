import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Environment, World } from "../context.ts";
import { flushKeyUsage } from "../features/api-keys/key-authentication.ts";
import { stopWaiting } from "../features/tasks/tasks.ts";
import { followPreviewClock } from "../features/preview/preview.ts";
import { envelopeFormat } from "../gateway/envelope.ts";
import { createGatewayRoutes, gatewayPrefix } from "../gateway/gateway-routes.ts";
import { createHealth } from "../http/health.ts";
import type { HeavyProcess } from "../http/heavy-work.ts";
import { createHeavyWork } from "../http/heavy-work.ts";
import type { HttpApp } from "../http/http-app.ts";
import { createHttpApp } from "../http/http-app.ts";
import { createMetrics } from "../http/metrics.ts";
import type { Mount } from "../http/mount.ts";
import { plainFormat } from "../http/mount.ts";
import { addPages } from "../http/pages.ts";
import { apiPrefix, routesOf } from "../http/routes.ts";
import type { Config } from "./config.ts";
import { hubVersion } from "./version.ts";

export type Surface = {
  environment: Environment;
  /** Where it listens: the main address first, the gateway's own second if it has one. */
  urls: string[];
  mounts: Mount[];
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
    | "maxLoopDelayMs"
    | "corsOrigins"
    | "trustedProxies"
    | "metricsToken"
  >;
  port: number;
  gatewayPort: number | undefined;
  /** Starts a process for heavy requests; without it they are done here. */
  startHeavyProcess?: () => Promise<HeavyProcess>;
};

/** Of the connections to the database: the others are for what is done in the background. */
const requestsPart = 0.6;
const lameDuckMs = 500;
// Leaves two seconds of the promised ten for writing down what is in memory and stopping PostgreSQL.
const drainMs = 7_000;
/** Whoever still waits for a task then is told that it goes on: tasks have this long to end by themselves. */
const waitersMs = 5_000;
const keyUsageMs = 30_000;

export async function openSurface(world: World, options: SurfaceOptions): Promise<Surface> {
  if (world.environment === "preview") await followPreviewClock(world);
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
  const setting = world.environment === "live" ? "HUB_" : "HUB_PREVIEW_";
  const apps: { app: HttpApp; port: number; setting: string }[] = [];
  if (served.length > 0) apps.push({ app: createApp(served), port: options.port, setting: `${setting}PORT` });
  if (options.gatewayPort !== undefined && roles.has("gateway")) {
    apps.push({ app: createApp([gateway]), port: options.gatewayPort, setting: `${setting}GATEWAY_PORT` });
  }

  function createApp(mounts: Mount[]): HttpApp {
    const metrics = createMetrics(world, () => http.admission.open());
    const { config } = options;
    const http: HttpApp = createHttpApp(world, {
      mounts,
      metrics,
      pages: (app) =>
        addPages(app, world, {
          health,
          metrics,
          // Loaded when somebody asks for it: most processes never need it.
          openApi: async () => (await import("../http/openapi.ts")).createOpenApi(mounts, hubVersion),
          metricsToken: config.metricsToken,
        }),
      rateLimits:
        config.rateLimit === undefined ? undefined : { perOrganization: config.rateLimit, perCaller: config.rateLimit },
      admission: {
        maxInFlight: config.maxInFlight,
        maxAtWork: Math.max(2, Math.floor(config.maxConnections * requestsPart)),
        maxLoopDelayMs: config.maxLoopDelayMs,
      },
      ...(heavy ? { heavy } : {}),
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
    });
    http.app.server.on("request", (_request: unknown, response: ServerResponse) => {
      answers.add(response);
      response.once("close", () => answers.delete(response));
    });
    return http;
  }

  const urls: string[] = [];
  try {
    for (const { app, port, setting } of apps) urls.push(await listen(app, options.config.host, port, setting));
  } catch (error) {
    await Promise.all(apps.map(({ app }) => app.app.close()));
    throw error;
  }
  const usageTimer = setInterval(() => {
    flushKeyUsage(world).catch((error: unknown) => world.log.warn({ err: error }, "key usage not written"));
  }, keyUsageMs).unref();

  return {
    environment: world.environment,
    urls,
    mounts: served,
    async stop() {
      isDraining = true;
      clearInterval(usageTimer);
      const patience = setTimeout(() => stopWaiting(world), waitersMs);
      await Promise.all(apps.map(({ app }) => drain(app, answers)));
      clearTimeout(patience);
      await heavy?.stop();
      await flushKeyUsage(world).catch(() => {});
    },
  };
}

async function listen({ app }: HttpApp, host: string, port: number, setting: string): Promise<string> {
  const advice: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Set ${setting} to another one.`,
    EACCES: `Port ${port} on ${host} needs more rights than this user has. Set ${setting} to another one.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set HUB_HOST to one that is.`,
    ENOTFOUND: `${host} is not an address of this machine. Set HUB_HOST to one that is.`,
  };
  try {
    await app.listen({ host, port });
  } catch (error) {
    const message = advice[(error as NodeJS.ErrnoException).code ?? ""];
    throw message === undefined ? error : new Error(message, { cause: error });
  }
  const address = app.server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

/**
 * For a moment connections still come in while every answer says `Connection: close`: clients move elsewhere without a
 * reset. Then no new ones, and those that are idle are closed until none is left.
 */
async function drain({ app, drain: announce }: HttpApp, answers: ReadonlySet<ServerResponse>): Promise<void> {
  announce();
  // Requests that began before: their answers have to say it too.
  for (const answer of answers) answer.shouldKeepAlive = false;
  await new Promise((resolve) => setTimeout(resolve, lameDuckMs));
  const closed = app.close();
  const sweeper = setInterval(() => app.server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => app.server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweeper);
  clearTimeout(deadline);
}
