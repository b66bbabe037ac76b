import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { Environment } from "../context.ts";
import { HubError } from "../core/errors.ts";
import type { Health } from "../http/health.ts";
import type { Metrics } from "../http/metrics-registry.ts";
import type { MetricsAccess } from "../http/pages.ts";
import { requireMetricsAccess } from "../http/pages.ts";

type Watched = { environment: Environment; health: Health; metrics: Metrics };

type ListenerOptions = {
  host: string;
  port: number;
  metricsAccess: MetricsAccess;
  watched: () => Watched[];
  /** Surfaces that are not up yet. */
  starting: () => { environment: Environment; checks: Record<string, string> }[];
};

/**
 * Health, readiness and metrics of the process on a port of their own: the only one of a process that serves no requests,
 * and one that can be kept from the outside for those that do.
 */
export async function startHealthListener(options: ListenerOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { host, port } = options;
  const server = createServer((request, response) => {
    answer(options, request.url ?? "/", request.headers.authorization, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, error instanceof HubError ? error.status : 500, { error: (error as Error).message });
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") throw error;
      throw new Error(`Port ${port} on ${host} is taken. Set HUB_HEALTH_PORT to another one.`, { cause: error });
    },
  );
  return { url: urlOf(server, host), stop: () => stop(server) };
}

async function answer(
  { watched, starting, metricsAccess }: ListenerOptions,
  path: string,
  authorization: string | undefined,
  response: ServerResponse,
): Promise<void> {
  if (path === "/healthz") return send(response, 200, { status: "ok" });
  if (path === "/readyz") {
    const found = await Promise.all(
      watched().map(async ({ environment, health }) => ({ environment, ...(await health.check()) })),
    );
    const pending = starting();
    const isReady = pending.length === 0 && found.every((one) => one.isReady);
    const checks = Object.fromEntries([...found, ...pending].map(({ environment, checks }) => [environment, checks]));
    return send(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not_ready", checks });
  }
  const environment = { "/metrics": "live", "/preview/metrics": "preview" }[path];
  const surface = watched().find((one) => one.environment === environment);
  if (!surface) return send(response, 404, { error: "There are /healthz, /readyz, /metrics and /preview/metrics." });
  requireMetricsAccess(authorization, metricsAccess);
  response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
  response.end(await surface.metrics.bytes());
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", ...(status === 503 ? { "retry-after": "1" } : {}) });
  response.end(JSON.stringify(body));
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
