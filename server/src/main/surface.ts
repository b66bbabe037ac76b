import type { AddressInfo } from "node:net";
import type { Environment, World } from "../context.ts";
import { flushKeyUsage } from "../features/api-keys/key-authentication.ts";
import { followPreviewClock } from "../features/preview/preview.ts";
import { envelopeFormat } from "../gateway/envelope.ts";
import { createGatewayRoutes, gatewayPrefix } from "../gateway/gateway-routes.ts";
import { createHealth } from "../http/health.ts";
import type { HttpApp } from "../http/http-app.ts";
import { createHttpApp } from "../http/http-app.ts";
import { createMetrics } from "../http/metrics.ts";
import type { Mount } from "../http/mount.ts";
import { plainFormat } from "../http/mount.ts";
import { createOpenApi } from "../http/openapi.ts";
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
    "host" | "roles" | "rateLimit" | "maxInFlight" | "corsOrigins" | "trustedProxies" | "metricsToken"
  >;
  port: number;
  gatewayPort: number | undefined;
};

const lameDuckMs = 500;
const drainMs = 8_000;
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

  const apps: { app: HttpApp; port: number }[] = [];
  if (served.length > 0) apps.push({ app: createApp(served), port: options.port });
  if (options.gatewayPort !== undefined && roles.has("gateway")) {
    apps.push({ app: createApp([gateway]), port: options.gatewayPort });
  }

  function createApp(mounts: Mount[]): HttpApp {
    const metrics = createMetrics(world, () => http.admission.inFlight());
    const { config } = options;
    const http: HttpApp = createHttpApp(world, {
      mounts,
      metrics,
      pages: (app) =>
        addPages(app, world, {
          health,
          metrics,
          openApi: () => createOpenApi(mounts, hubVersion),
          metricsToken: config.metricsToken,
        }),
      rateLimits:
        config.rateLimit === undefined ? undefined : { perOrganization: config.rateLimit, perCaller: config.rateLimit },
      admission: { maxInFlight: config.maxInFlight, maxWaitingForDatabase: 256, maxLoopDelayMs: 500 },
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
    });
    return http;
  }

  const urls: string[] = [];
  for (const { app, port } of apps) urls.push(await listen(app, options.config.host, port));
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
      await Promise.all(apps.map(({ app }) => drain(app)));
      await flushKeyUsage(world).catch(() => {});
    },
  };
}

async function listen({ app }: HttpApp, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new Error(`Port ${port} on ${host} is taken. Set HUB_PORT, HUB_PREVIEW_PORT or HUB_GATEWAY_PORT.`, {
        cause: error,
      });
    if (code === "EACCES")
      throw new Error(`Port ${port} on ${host} needs more rights than this user has.`, { cause: error });
    throw error;
  }
  const address = app.server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

/**
 * For a moment connections still come in while every answer says `Connection: close`: clients move elsewhere without a
 * reset. Then no new ones, and those that are idle are closed until none is left.
 */
async function drain({ app, drain: announce }: HttpApp): Promise<void> {
  announce();
  await new Promise((resolve) => setTimeout(resolve, lameDuckMs));
  const closed = app.close();
  const sweeper = setInterval(() => app.server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => app.server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweeper);
  clearTimeout(deadline);
}
