import { parse as parseQuery } from "node:querystring";
import cors from "@fastify/cors";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify, { LogController } from "fastify";
import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import { scopeTexts } from "../core/scopes.ts";
import type { World } from "../context.ts";
import type { Credential } from "../features/auth/auth.ts";
import { logRequest } from "../features/requests/requests.ts";
import type { Route } from "../route.ts";
import type { Admission, AdmissionLimits, Visit } from "./admission.ts";
import { createAdmission } from "./admission.ts";
import { addBodyParsers } from "./body-parsers.ts";
import { answerClientError } from "./client-error.ts";
import type { ConsoleSite } from "./console-site.ts";
import type { WorkBounds } from "./count-work.ts";
import { createHandler } from "./handle-request.ts";
import type { HeavyWork } from "./heavy-work.ts";
import { putGateBefore } from "./gate.ts";
import { createDoor, createRecognised } from "./let-in.ts";
import type { LiveStreams } from "./live-streams.ts";
import { createLiveStreams } from "./live-streams.ts";
import type { Metrics } from "./metrics-registry.ts";
import type { Mount } from "./mount.ts";
import { formatFor } from "./mount.ts";
import { answerOddExpectations, findOddFraming, methodsInUse } from "./odd-requests.ts";
import { problemHeaders, toHubError, toProblem } from "./problem.ts";
import type { RateLimits } from "./rate-limit.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { newRequestId } from "./request-id.ts";
import { createPublicNames } from "./public-names.ts";
import type { NameOptions, PublicNames } from "./public-names.ts";
import { createRequestLog } from "./request-log.ts";
import { securityHeaders, transportSecurity } from "./security-headers.ts";
import { cutStalledReaders } from "./stalled-readers.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** What they were recognised by, for asking again later. */
    credential: Credential | undefined;
    bodyDigest: string;
    /** Of the problem that it is answered with. */
    problemCode: string | null;
    visit: Visit | undefined;
    /** A body with as much work in it is left as it is, for the process that will do the request. */
    heavyFrom: WorkBounds | undefined;
    isHeavy: boolean;
    /** How long a stream took to begin; how long it goes on is no measure of anything. */
    streamedAfterMs: number | undefined;
    /** Of the hub, as whoever asks calls it. */
    publicOrigin: string;
    /** The bytes that `body` was parsed from, or that were left as they are; in pieces, as they came. */
    sentBody: Buffer[] | undefined;
  }
}

type HttpOptions = {
  mounts: Mount[];
  /** Routes outside of the API: health, documentation. They need no token; `admit` is asked for those that need not answer always. */
  pages: (app: FastifyInstance, gates: PageGates) => void;
  /** Answers what no route takes, for people. */
  site?: ConsoleSite | undefined;
  metrics: Metrics;
  rateLimits: RateLimits | undefined;
  admission: AdmissionLimits;
  corsOrigins: string[];
  trustedProxies: string[];
  /** Left out by the process that does heavy requests, which is not called by a host name. */
  names?: NameOptions;
  /** Where heavy requests are done; without it, here. */
  heavy?: HeavyWork;
  /** All requests come from another process of the hub, which knows this token and has checked who asks. */
  innerToken?: string;
};

export type PageGates = {
  admit(request: FastifyRequest, reply: FastifyReply): void;
  /** For metrics, which are served even while other requests are refused. */
  limitScraper(request: FastifyRequest): void;
};

/** Of one address. Prometheus asks four times a minute. */
const scrapesPerSecond = 20;

export type HttpApp = { app: FastifyInstance; admission: Admission; streams: LiveStreams; drain(): void };

const defaultBodyBytes = 10 * 1024 * 1024;
/** Whoever has not said who they are has little to say. */
const publicBodyBytes = 4 * 1024;

/** One listening surface: everything that holds for every route is here, in the order in which it happens. */
export function createHttpApp(world: World, options: HttpOptions): HttpApp {
  const names = options.names && createPublicNames(options.names);
  const app = createFastify(world, options, names);
  const admission = createAdmission(options.admission);
  const limit = createRateLimiter(options.rateLimits, () => world.clock.real().getTime());
  const streams = createLiveStreams(world);
  const requestLog = createRequestLog(world.log);
  const recognised = createRecognised();
  const letInto = createDoor(world, { ...options, admission, recognised, limit });
  let isDraining = false;

  app.decorateRequest("principal", undefined);
  app.decorateRequest("credential", undefined);
  app.decorateRequest("bodyDigest", "");
  app.decorateRequest("problemCode", null);
  app.decorateRequest("visit", undefined);
  app.decorateRequest("heavyFrom", undefined);
  app.decorateRequest("isHeavy", false);
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
    // Before its body is read: nobody will look at it.
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
    requestLog.note(request, reply);
    // Another process has heard it first, and notes it.
    if (request.principal && options.innerToken === undefined) {
      const { id: requestId, method, params, problemCode: code } = request;
      const { statusCode: status } = reply;
      logRequest(world, request.principal, { requestId, method, route, params, status, code, durationMs });
    }
    done();
  });

  addBodyParsers(app);
  // Pages of other origins have to be told more than the gate knows.
  if (options.corsOrigins.length === 0 && options.innerToken === undefined) {
    const { environment } = world;
    const headers = { ...securityHeaders, "hub-environment": environment };
    putGateBefore(app.server, { ...options, admission, recognised, environment, headers, requestLog });
  }
  answerOddExpectations(app.server);

  app.setErrorHandler((error, request, reply) => {
    const known = toHubError(error);
    if (known?.status === 503) options.metrics.refused(known.code);
    return sendError(options.mounts, error, request, reply);
  });
  app.setNotFoundHandler(forPeople(options, admission));

  for (const mount of options.mounts) {
    for (const route of mount.routes) {
      refuseMissingScope(route);
      const handle = createHandler(world, mount, route, streams);
      const bodyLimit = route.bodyLimitBytes ?? (route.scope === "public" ? publicBodyBytes : defaultBodyBytes);
      app.route({
        method: route.method,
        url: `${mount.prefix}${route.path}`,
        bodyLimit,
        config: { takesCsv: route.takesCsv ?? false, takesAnyBody: route.takesAnyBody ?? false },
        onRequest: letInto(route, bodyLimit),
        handler: (request, reply) =>
          options.heavy && isHeavy(route, request)
            ? options.heavy.forward(request, reply)
            : request.visit!.work(() => handle(request, reply)),
      });
    }
  }
  options.pages(app, {
    admit(request, reply) {
      limit.strangers(request.ip);
      admission.arrive({ address: request.ip, as: "stranger" }, reply.raw);
    },
    limitScraper: ({ ip }) => limit.strangers(ip, "metrics ", scrapesPerSecond),
  });
  const readers = cutStalledReaders(app.server, { everyMs: 5_000, patienceMs: 30_000 });
  app.addHook("onClose", () => {
    admission.stop();
    streams.stop();
    readers.stop();
    requestLog.stop();
  });

  return {
    app,
    admission,
    streams,
    drain() {
      isDraining = true;
      // First: they would never end by themselves, and whoever reads one finds another node at once.
      streams.stop();
    },
  };
}

/** What no route takes: a page, if there are any, or a problem. */
function forPeople({ mounts, site }: HttpOptions, admission: Admission) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (site?.takes(request) !== true) return sendError(mounts, notServed(mounts, request), request, reply);
    // Not counted like other requests of strangers: a page is a dozen files, and they cost next to nothing.
    admission.arrive({ address: request.ip, as: "stranger" }, reply.raw);
    return site.answer(request, reply);
  };
}

/** By the size of its body, or by what it asks for. */
function isHeavy(route: Route, { isHeavy: isLarge, body }: FastifyRequest): boolean {
  const asked = typeof body === "object" && body !== null ? body : {};
  return isLarge || (route.isHeavy?.(asked) ?? false);
}

/** Asked by their address, whatever the hub is called. */
const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** Every answer has these, also to what no route was looked for. */
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
  { mounts, trustedProxies }: HttpOptions,
  names: PublicNames | undefined,
): FastifyInstance {
  return Fastify({
    loggerInstance: withoutChildren(world.log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: defaultBodyBytes,
    // A request has to arrive whole within this time, or a few slow senders would hold every connection.
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    http: {
      headersTimeout: 10_000,
      // All that ran out of time since the last look are answered in one turn.
      connectionsCheckingInterval: 500,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, querystringParser: (text) => parseQuery(text) as Record<string, string> },
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      // Of an address that cannot be decoded: no hook has run.
      setOwnHeaders(world, names, request, reply);
      void sendError(mounts, error, request, reply);
    },
  });
}

/**
 * Log lines name the request themselves; a logger made for each request would mostly be thrown away unused. (The framework's
 * own option for this checks with each request that what it was given is a logger.)
 */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const single = Object.create(logger) as FastifyBaseLogger;
  single.child = () => single;
  return single;
}

/** A route that forgot its scope must not start, whatever the type checker was told. */
function refuseMissingScope(route: Route): void {
  const { scope } = route as { scope?: string };
  if (scope === "public" || scope === "any" || (scope !== undefined && scope in scopeTexts)) return;
  throw new Error(`${route.method} ${route.path} names no scope`);
}

/** There is no such address, or it has other methods. */
function notServed(mounts: Mount[], { method, url, server }: FastifyRequest): HubError {
  const isPage = server.hasRoute({ method: "GET", url: url.split("?", 1)[0]! });
  const allow = allowedMethods(mounts, url).join(", ") || (isPage ? "GET, HEAD" : "");
  if (allow === "" && !methodsInUse.has(method))
    return new HubError("not_implemented", `No route has the method ${method}.`);
  if (allow === "") return new HubError("route_not_found", `There is no ${method} ${url.split("?")[0]}.`);
  return new HubError("method_not_allowed", `${method} is not allowed here. Allowed: ${allow}.`, {
    headers: { allow },
  });
}

/** The methods that a path does have, for a 405 with Allow. Runs only for requests that matched no route. */
function allowedMethods(mounts: Mount[], url: string): string[] {
  const path = url.split("?", 1)[0]!;
  const methods = new Set<string>();
  for (const { prefix, routes } of mounts) {
    if (!path.startsWith(prefix)) continue;
    for (const route of routes) {
      if (matches(`${prefix}${route.path}`, path)) methods.add(route.method);
    }
  }
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted();
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((part, i) => part.startsWith(":") || part === given[i]);
}

function sendError(mounts: Mount[], error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toHubError(error);
  if (!known)
    request.log.error({ err: error, route: request.routeOptions?.url, requestId: request.id }, "unexpected error");
  const answer =
    known ?? new HubError("internal_error", "The request failed; the log has the reason under this request id.");
  request.problemCode = answer.code;
  // Who is still sending would only see that the connection is gone. The rest is read and dropped.
  if (answer.code === "body_too_large") reply.removeHeader("connection");
  const format = formatFor(mounts, request.url);
  return reply
    .code(answer.status)
    .headers({ ...problemHeaders(answer), "content-type": format.errorType })
    .send(JSON.stringify(format.error(toProblem(answer, request.id))));
}
