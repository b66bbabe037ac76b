import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from "fastify";
import { HubError } from "../core/errors.ts";
import { makeOnce } from "../core/make-once.ts";
import type { World } from "../context.ts";
import type { ConsoleSite } from "./console-site.ts";
import { findReferenceFile, findSiteFile, missingPage, sendMadeFile } from "./docs/docs-files.ts";
import type { Health } from "./health.ts";
import type { PageLimits } from "./http-app.ts";
import type { Metrics } from "./metrics-registry.ts";
import { renderPage } from "./render-page.ts";

/** Who may read the metrics: callers with this token, all, or none until a token is set. */
export type MetricsAccess = { token: string } | "open" | "closed";

type PageOptions = {
  limits: PageLimits;
  health: Health;
  metrics: Metrics;
  /** The text of the document. */
  openApi: () => Promise<string>;
  metricsAccess: MetricsAccess;
  /** What is at "/" instead of the front page. */
  site: ConsoleSite | undefined;
};

/** Scripts only from files of this origin, without inline scripts and eval. The API reference needs inline styles. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
} as const;

/** Everything from the hub itself; pictures of the documents too. */
const siteHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
} as const;

/** What is not part of the API: health, metrics, the API's description, a front page. No token needed. */
export function addPages(app: FastifyInstance, world: World, options: PageOptions): void {
  app.get("/healthz", async () => ({ status: "ok" }));

  app.get("/readyz", async (_request, reply) => {
    const { isReady, checks } = await options.health.check();
    if (!isReady) reply.code(503).header("retry-after", "1");
    return { status: isReady ? "ready" : "not_ready", checks };
  });

  app.get("/metrics", async (request, reply) => {
    options.limits.limitScraper(request);
    requireMetricsAccess(request.headers.authorization, options.metricsAccess);
    return reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await options.metrics.bytes());
  });

  const onRequest: onRequestHookHandler = (request, reply, done) => {
    options.limits.admit(request, reply);
    done();
  };
  const openApi = makeOnce(async () => Buffer.from(await options.openApi()));
  app.get("/openapi.json", { onRequest }, async (_request, reply) => {
    return reply.header("content-type", "application/json; charset=utf-8").send(await openApi());
  });

  app.get("/", { onRequest }, async (request, reply) => {
    if (options.site) return await options.site.answer(request, reply);
    const links = [
      `<li><a href="/docs/">Documentation</a>, <a href="/docs/api/">API reference</a> (<a href="/openapi.json">openapi.json</a>)</li>`,
      `<li><a href="/readyz">Is it ready?</a></li>`,
      `<li><a href="/metrics">Metrics</a></li>`,
    ];
    const body = `<p>This is the <strong>${world.environment}</strong> surface.</p><ul>${links.join("")}</ul>`;
    return reply.headers(pageHeaders).send(renderPage("Order Operations Hub", body));
  });

  // The written documents; `type` of every problem is the address of a page.
  app.get("/docs", { onRequest }, async (_request, reply) => reply.redirect("/docs/"));
  for (const path of ["/docs/*", "/llms.txt"]) {
    app.get(path, { onRequest }, async (request, reply) => {
      const file = await findSiteFile(pathOf(request));
      if (file) return sendMadeFile(request, reply.headers(siteHeaders), file);
      const missing = request.headers.accept?.includes("text/html") ? await findSiteFile(missingPage) : undefined;
      if (!missing) throw new HubError("route_not_found", "There is no such page; /llms.txt lists all pages.");
      return sendMadeFile(request, reply.code(404).headers(siteHeaders), missing);
    });
  }

  // The page loads its script by a relative address, which only works below "/docs/api/".
  app.get("/docs/api", { onRequest }, async (_request, reply) => reply.redirect("/docs/api/"));
  app.get("/docs/api/*", { onRequest }, async (request, reply) => {
    const file = await findReferenceFile(pathOf(request));
    if (!file) throw new HubError("route_not_found", "There is no such part of the reference.");
    return sendMadeFile(request, reply.headers(pageHeaders), file);
  });
}

const pathOf = ({ url }: FastifyRequest): string => url.split("?", 1)[0]!;

export function requireMetricsAccess(header: string | undefined, access: MetricsAccess): void {
  if (access === "open") return;
  const detail =
    "Metrics need the token of HUB_METRICS_TOKEN. Without a token they are served only while the hub listens on loopback; `off` opens them.";
  if (access === "closed") throw new HubError("invalid_token", detail);
  const expected = Buffer.from(`Bearer ${access.token}`);
  const given = Buffer.from(header ?? "");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new HubError("invalid_token", "Metrics need the token of HUB_METRICS_TOKEN.");
  }
}
