import { parse as parseQuery } from "node:querystring";
import cors from "@fastify/cors";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify, { LogController } from "fastify";
import type { Principal } from "../core/actor.ts";
import { badField, HubError } from "../core/errors.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import type { World } from "../context.ts";
import { authenticate } from "../features/auth/authenticate.ts";
import type { Admission, AdmissionLimits } from "./admission.ts";
import { createAdmission } from "./admission.ts";
import { answerClientError } from "./client-error.ts";
import { digestBody } from "./body-digest.ts";
import { createHandler } from "./handle-request.ts";
import type { Metrics } from "./metrics-registry.ts";
import type { Mount } from "./mount.ts";
import { formatFor } from "./mount.ts";
import type { Place } from "./place.ts";
import { holdPlace } from "./place.ts";
import { problemHeaders, toHubError, toProblem } from "./problem.ts";
import type { RateLimits } from "./rate-limit.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { allowedMethods } from "./allowed-methods.ts";
import { refuseMissingScope } from "./route-rules.ts";
import { newRequestId } from "./request-id.ts";
import { securityHeaders } from "./security-headers.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
    bodyDigest: string;
    place: Place | undefined;
  }
}

export type HttpOptions = {
  mounts: Mount[];
  /** Routes outside of the API: health, documentation. They need no token and are never shed. */
  pages: (app: FastifyInstance) => void;
  metrics: Metrics;
  rateLimits: RateLimits | undefined;
  admission: AdmissionLimits;
  corsOrigins: string[];
  trustedProxies: string[];
};

export type HttpApp = { app: FastifyInstance; admission: Admission; drain(): void };

const defaultBodyBytes = 10 * 1024 * 1024;

/** One listening surface: everything that holds for every route is here, in the order in which it happens. */
export function createHttpApp(world: World, options: HttpOptions): HttpApp {
  const logger: FastifyBaseLogger = world.log;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Log lines name the request themselves; a logger made for each request would mostly be thrown away unused.
    childLoggerFactory: (parent) => parent,
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: defaultBodyBytes,
    // A request has to arrive whole within this time, or a few slow senders would hold every connection.
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384 },
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, querystringParser: (text) => parseQuery(text) as Record<string, string> },
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      void sendError(error, request as FastifyRequest, reply as unknown as FastifyReply);
    },
  });
  const admission = createAdmission(world.db, options.admission);
  const limit = createRateLimiter(options.rateLimits, () => world.clock.real().getTime());
  let isDraining = false;

  app.decorateRequest("principal", undefined);
  app.decorateRequest("bodyDigest", "");
  app.decorateRequest("place", undefined);

  if (options.corsOrigins.length > 0) {
    app.register(cors, {
      origin: options.corsOrigins,
      methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      exposedHeaders: ["etag", "link", "x-request-id", "ratelimit", "retry-after", "idempotency-replayed"],
    });
  }

  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(securityHeaders);
    reply.header("x-request-id", request.id);
    reply.header("hub-environment", world.environment);
    if (isDraining) reply.header("connection", "close");
    done();
  });

  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unknown";
    options.metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime);
    logRequest(request, reply);
    done();
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ["application/json", "application/merge-patch+json"],
    { parseAs: "buffer" },
    (request, body: Buffer, done) => {
      try {
        refuseForeignCharset(request.headers["content-type"]);
        request.bodyDigest = request.headers["idempotency-key"] === undefined ? "" : digestBody(body);
        done(null, body.length === 0 ? undefined : parseStrictJson(body));
      } catch (error) {
        done(error as Error);
      }
    },
  );

  app.addContentTypeParser("text/csv", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    try {
      if (!(request.routeOptions.config as { takesCsv?: boolean }).takesCsv) {
        throw new HubError("unsupported_media_type", "This route takes application/json.");
      }
      refuseForeignCharset(request.headers["content-type"]);
      request.bodyDigest = request.headers["idempotency-key"] === undefined ? "" : digestBody(body);
      done(null, body.length === 0 ? undefined : { csv: decodeText(body) });
    } catch (error) {
      done(error as Error);
    }
  });

  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const allow = allowedMethods(options.mounts, request.url);
    if (allow.length > 0) {
      const message = `${request.method} is not allowed here. Allowed: ${allow.join(", ")}.`;
      return sendError(
        new HubError("method_not_allowed", message, { headers: { allow: allow.join(", ") } }),
        request,
        reply,
      );
    }
    return sendError(
      new HubError("route_not_found", `There is no ${request.method} ${request.url.split("?")[0]}.`),
      request,
      reply,
    );
  });

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const known = toHubError(error);
    if (!known)
      request.log.error({ err: error, route: request.routeOptions?.url, requestId: request.id }, "unexpected error");
    const answer =
      known ?? new HubError("internal_error", "The request failed; the log has the reason under this request id.");
    const format = formatFor(options.mounts, request.url);
    return reply
      .code(answer.status)
      .headers({ ...problemHeaders(answer), "content-type": format.errorType })
      .send(JSON.stringify(format.error(toProblem(answer, request.id))));
  }

  for (const mount of options.mounts) {
    for (const route of mount.routes) {
      refuseMissingScope(route);
      const handle = createHandler(world, mount, route);
      app.route({
        method: route.method,
        url: `${mount.prefix}${route.path}`,
        bodyLimit: route.bodyLimitBytes ?? defaultBodyBytes,
        config: { takesCsv: route.takesCsv ?? false },
        onRequest: async (request, reply) => {
          if (!admission.enter()) throw new HubError("overloaded", undefined, { retryAfterSeconds: 1 });
          request.place = holdPlace(admission, reply.raw);
          if (route.scope === "public") return;
          request.principal = await request.place.work(() => authenticate(world, request.headers.authorization));
          limit(request.principal, reply);
        },
        handler: (request, reply) => request.place!.work(() => handle(request, reply)),
      });
    }
  }
  options.pages(app);
  app.addHook("onClose", () => admission.stop());

  return {
    app,
    admission,
    drain() {
      isDraining = true;
    },
  };
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badField("/csv", "not_utf8", "The file is not valid UTF-8.");
  }
}

function refuseForeignCharset(contentType = ""): void {
  const charset = /charset="?([^";\s]+)/i.exec(contentType)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== "utf-8") {
    throw new HubError("unsupported_media_type", `Bodies are UTF-8; ${charset} is not read.`);
  }
}

/** Changes, failures and slow requests are worth a line; the many successful reads only when debugging. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const durationMs = Math.round(reply.elapsedTime);
  const isQuiet = request.method === "GET" && reply.statusCode < 400 && durationMs < 1_000;
  const level = reply.statusCode >= 500 ? "warn" : isQuiet ? "debug" : "info";
  request.log[level](
    {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      durationMs,
      orgId: request.principal?.orgId,
    },
    "request",
  );
}
