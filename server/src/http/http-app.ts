import { randomUUID } from "node:crypto";
import { parse as parseQuery } from "node:querystring";
import cors from "@fastify/cors";
import type { RequestListener, Server } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify, { LogController } from "fastify";
import type { Principal } from "../core/actor.ts";
import { scopeTexts } from "../core/scopes.ts";
import type { World } from "../context.ts";
import type { Credential } from "../features/auth/auth.ts";
import { logRequest } from "../features/requests/requests.ts";
import type { Route } from "../route.ts";
import type { Admission, AdmissionLimits, AdmittedRequest } from "./admission.ts";
import { createAdmission } from "./admission.ts";
import type { Hook } from "./admission-hook.ts";
import { createAdmissionHook } from "./admission-hook.ts";
import { addBodyParsers } from "./body-parsers.ts";
import { answerClientError } from "./client-error.ts";
import type { ConsoleSite } from "./console-site.ts";
import { createHandler } from "./handle-request.ts";
import type { LiveStreams } from "./live-streams.ts";
import { createLiveStreams } from "./live-streams.ts";
import type { Metrics } from "./metrics-registry.ts";
import type { Mount } from "./mount.ts";
import { answerOddExpectations, findOddFraming, methodsInUse } from "./odd-requests.ts";
import type { Offload } from "./offload.ts";
import type { OffloadThreshold } from "./offload-threshold.ts";
import { toHubError } from "./problem.ts";
import type { RateLimits, SharedCounts } from "./rate-limit.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { newRequestId } from "./request-id.ts";
import { createPublicNames } from "./public-names.ts";
import type { NameOptions, PublicNames } from "./public-names.ts";
import { createRequestLog } from "./request-log.ts";
import { securityHeaders, transportSecurity } from "./security-headers.ts";
import { cutStalledReaders } from "./stalled-readers.ts";
import { notServed } from "./not-served.ts";
import { sendError } from "./send-error.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** What the caller was authenticated by, for checking it again later. */
    credential: Credential | undefined;
    bodyDigest: string;
    /** The code of the problem in the response. */
    problemCode: string | null;
    admitted: AdmittedRequest | undefined;
    /** A body that reaches this threshold is left unparsed for a worker process. */
    offloadFrom: OffloadThreshold | undefined;
    isOffloaded: boolean;
    /** How long a stream took to begin; its whole duration says nothing about the hub. */
    streamedAfterMs: number | undefined;
    /** The origin of the hub, as the client addresses it. */
    publicOrigin: string;
    /** The bytes of the body, in the pieces in which they arrived. */
    sentBody: Buffer[] | undefined;
  }
}

type HttpOptions = {
  server: Server;
  mounts: Mount[];
  /** Routes outside of the API: health, documentation. They need no token; `admit` limits those that need not always answer. */
  pages: (app: FastifyInstance, limits: PageLimits) => void;
  /** The console: answers paths that no route has. */
  site?: ConsoleSite | undefined;
  metrics: Metrics;
  rateLimits: RateLimits | undefined;
  sharedCounts?: SharedCounts | undefined;
  admission: AdmissionLimits;
  corsOrigins: string[];
  trustedProxies: string[];
  /** Absent in a worker process, which is not called by a host name. */
  names?: NameOptions;
  /** Absent in a worker process, which runs every request itself. */
  offload?: Offload;
  /** All requests come from an HTTP process of the hub, which knows this token and has authenticated the caller. */
  innerToken?: string;
};

export type PageLimits = {
  /** For a route outside of the API that needs a token. */
  admitTo(route: Route, bodyLimit: number): Hook;
  /** Marks requests that tools of MCP send. */
  mcpToken: string;
  admit(request: FastifyRequest, reply: FastifyReply): void;
  /** For metrics, which are served even while other requests are rejected. */
  limitScraper(request: FastifyRequest): void;
};

/** Per address. Prometheus scrapes four times a minute. */
const scrapesPerSecond = 20;

export type HttpApp = {
  app: FastifyInstance;
  admission: Admission;
  streams: LiveStreams;
  /** When the routes are ready, `attach` receives the handler of the server's requests. */
  start(attach: (handler: RequestListener) => void): Promise<void>;
  drain(): void;
};

const defaultBodyBytes = 10 * 1024 * 1024;
/** Anonymous requests, such as sign-ins, are short. */
const publicBodyBytes = 4 * 1024;

/** The application of one port: everything that applies to every route is here, in the order in which it happens. */
export function createHttpApp(world: World, options: HttpOptions): HttpApp {
  const names = options.names && createPublicNames(options.names);
  const { app, handler } = createFastify(world, options, names);
  const admission = createAdmission(options.admission);
  const limit = createRateLimiter(options.rateLimits, () => world.clock.real().getTime(), options.sharedCounts);
  const streams = createLiveStreams(world);
  const requestLog = createRequestLog(world.log);
  const mcpToken = randomUUID();
  const admitTo = createAdmissionHook(world, { ...options, admission, limit, mcpToken });
  let isDraining = false;

  app.decorateRequest("principal", undefined);
  app.decorateRequest("credential", undefined);
  app.decorateRequest("bodyDigest", "");
  app.decorateRequest("problemCode", null);
  app.decorateRequest("admitted", undefined);
  app.decorateRequest("offloadFrom", undefined);
  app.decorateRequest("isOffloaded", false);
  app.decorateRequest("streamedAfterMs", undefined);
  app.decorateRequest("sentBody", undefined);
  app.decorateRequest("publicOrigin", "");

  if (options.corsOrigins.length > 0) {
    app.register(cors, {
      origin: options.corsOrigins,
      methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      exposedHeaders: ["etag", "link", "location", "x-request-id", "ratelimit", "retry-after", "idempotency-replayed"],
    });
  }

  app.addHook("onRequest", (request, reply, done) => {
    setOwnHeaders(world, names, request, reply);
    if (isDraining) reply.header("connection", "close");
    // Before its body is read, which would be for nothing.
    const isServed = !request.is404 || options.site?.takes(request) === true;
    const wrongHost = probes.has(request.routeOptions.url ?? "") ? undefined : names?.findWrongHost(request);
    if (wrongHost) done(wrongHost);
    else if (!isServed || !methodsInUse.has(request.method)) done(notServed(options.mounts, request));
    else done(findOddFraming(request.raw));
  });

  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unknown";
    const durationMs = request.streamedAfterMs ?? reply.elapsedTime;
    options.metrics.observe(request.method, route, reply.statusCode, durationMs);
    // A worker process leaves both logs to the HTTP process, which the client reached.
    const isOwn = options.innerToken === undefined;
    if (isOwn) requestLog.note(request, reply);
    // MCP leaves it to the requests of its tools.
    const { isLogged = true } = request.routeOptions.config as { isLogged?: boolean };
    if (request.principal && isOwn && isLogged) {
      const { id: requestId, method, params, problemCode: code } = request;
      const { statusCode: status } = reply;
      logRequest(world, request.principal, { requestId, method, route, params, status, code, durationMs });
    }
    done();
  });

  addBodyParsers(app);
  answerOddExpectations(app.server);

  app.setErrorHandler((error, request, reply) => {
    const known = toHubError(error);
    if (known?.status === 503) options.metrics.refused(known.code);
    return sendError(options.mounts, error, request, reply);
  });
  app.setNotFoundHandler(consoleOrNotFound(options, admission));

  for (const mount of options.mounts) {
    for (const route of mount.routes) {
      requireDeclaredScope(route);
      const handle = createHandler(world, mount, route, streams);
      const bodyLimit = route.bodyLimitBytes ?? (route.scope === "public" ? publicBodyBytes : defaultBodyBytes);
      app.route({
        method: route.method,
        url: `${mount.prefix}${route.path}`,
        bodyLimit,
        config: { takesCsv: route.takesCsv ?? false, takesAnyBody: route.takesAnyBody ?? false },
        onRequest: admitTo(route, bodyLimit),
        handler: (request, reply) =>
          options.offload && isOffloaded(route, request)
            ? options.offload.forward(request, reply)
            : request.admitted!.run(() => handle(request, reply)),
      });
    }
  }
  options.pages(app, {
    admitTo,
    mcpToken,
    admit(request, reply) {
      limit.anonymous(request.ip);
      admission.admit({ kind: "anonymous", address: request.ip }, reply.raw);
    },
    limitScraper: ({ ip }) => limit.anonymous(ip, "metrics ", scrapesPerSecond),
  });
  const readers = cutStalledReaders(app.server, { everyMs: 5_000, patienceMs: 30_000 });
  app.addHook("onClose", () => {
    admission.stop();
    limit.stop();
    streams.stop();
    readers.stop();
    requestLog.stop();
  });

  return {
    app,
    admission,
    streams,
    async start(attach) {
      await app.ready();
      attach(handler);
    },
    drain() {
      isDraining = true;
      // First: streams never end on their own, and their clients reconnect to another node at once.
      streams.stop();
    },
  };
}

/** For paths that no route has: a file of the console, or a problem. */
function consoleOrNotFound({ mounts, site }: HttpOptions, admission: Admission) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (site?.takes(request) !== true) return sendError(mounts, notServed(mounts, request), request, reply);
    // Without a rate limit: a page is a dozen files, and they cost next to nothing.
    admission.admit({ kind: "anonymous", address: request.ip }, reply.raw);
    return site.answer(request, reply);
  };
}

/** By the size of its body, or by its content. */
function isOffloaded(route: Route, { isOffloaded: isLarge, body }: FastifyRequest): boolean {
  const given = typeof body === "object" && body !== null ? body : {};
  return isLarge || (route.needsOffload?.(given) ?? false);
}

/** Probes use the address of the machine, whatever host names the hub has. */
const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** For every response, also to requests for which no route was looked up. */
function setOwnHeaders(
  { environment }: World,
  names: PublicNames | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.headers(securityHeaders);
  reply.header("x-request-id", request.id);
  reply.header("hub-environment", environment);
  request.publicOrigin = names?.originOf(request) ?? "";
  if (request.protocol === "https" || request.publicOrigin.startsWith("https:")) reply.headers(transportSecurity);
}

function createFastify(
  world: World,
  { mounts, trustedProxies, server }: HttpOptions,
  names: PublicNames | undefined,
): { app: FastifyInstance; handler: RequestListener } {
  let handler: RequestListener | undefined;
  const app = Fastify({
    // Listens already, and answers that the hub is starting.
    serverFactory: (given) => {
      handler = given;
      return server;
    },
    loggerInstance: withoutChildren(world.log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: defaultBodyBytes,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, querystringParser: (text) => parseQuery(text) as Record<string, string> },
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      // For a path that cannot be decoded: no hook has run.
      setOwnHeaders(world, names, request, reply);
      void sendError(mounts, error, request, reply);
    },
  });
  return { app, handler: handler! };
}

/**
 * Log lines name the request themselves, so a child logger for each request would mostly be discarded unused. (The framework's
 * option for this validates the logger with each request.)
 */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const single = Object.create(logger) as FastifyBaseLogger;
  single.child = () => single;
  return single;
}

/** A route without a scope must not start, even if the type checker was bypassed. */
function requireDeclaredScope(route: Route): void {
  const { scope } = route as { scope?: string };
  if (scope === "public" || scope === "any" || (scope !== undefined && scope in scopeTexts)) return;
  throw new Error(`${route.method} ${route.path} names no scope`);
}
