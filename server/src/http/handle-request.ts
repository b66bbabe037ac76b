import { unescape } from "node:querystring";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../core/actor.ts";
import type { FieldError } from "../core/errors.ts";
import { badField, HubError, validationFailed } from "../core/errors.ts";
import { isUuid } from "../core/ids.ts";
import { notFound } from "../core/resources.ts";
import { Strict } from "../core/schema.ts";
import type { Scope } from "../core/scopes.ts";
import { operatorOnlyScopes } from "../core/scopes.ts";
import { textProblem } from "../core/strict-json.ts";
import type { Ctx, World } from "../context.ts";
import { findTimeZone } from "../features/organizations/organizations.ts";
import type { Route, RouteInput } from "../route.ts";
import { Live, Streamed, Unfinished, WithCookies } from "../route.ts";
import { encodeBody, isLong } from "./compress-answers.ts";
import { headersOf, parseIfMatch, satisfiesIfNoneMatch } from "./answer-headers.ts";
import type { Attempt } from "./idempotency.ts";
import { startAttempt } from "./idempotency.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { Mount } from "./mount.ts";
import { dayPlacesOf, resolveDays } from "./named-days.ts";
import { toProblem } from "./problem.ts";
import { homeOf } from "./record-homes.ts";
import { createSerializer } from "./serializer.ts";
import { browserOf, writeCookies } from "./session-cookie.ts";
import { createValidator } from "../core/validation.ts";

const noQuery = Strict({});
const notKept = { headers: {}, body: Buffer.alloc(0) };
const anonymous: Principal = {
  orgId: "",
  isHubOperator: false,
  actor: { type: "system", name: "anonymous" },
  scopes: new Set(),
};

/** From a parsed request to a response: ids, query, body, idempotency, verb, serialization. */
export function createHandler(world: World, mount: Mount, route: Route, streams: LiveStreams) {
  const readInput = createInputReader(world, route);
  const [status, schema] = route.answer;
  const serialize = createSerializer(mount.format.wrapSchema(schema));
  const path = homeOf(route, mount.routes);
  const home = path === undefined ? undefined : mount.prefix + path;

  const toText = (answer: unknown, ctx: Ctx): string => serialize(mount.format.wrap(answer, ctx));

  async function answerIdempotently(
    ctx: Ctx,
    attempt: Attempt,
    input: never,
  ): Promise<{ status: number; text: string }> {
    let kept: { status: number; text: string } | undefined;
    ctx.keepAnswer = async (tx, given) => {
      const { status: provisional, answer } = statusOf(given, status);
      kept =
        given instanceof HubError
          ? { status: given.status, text: JSON.stringify(toProblem(given, ctx.requestId)) }
          : { status: provisional, text: toText(answer, ctx) };
      await attempt.keep(tx, kept.status, kept.text);
    };
    try {
      const { status: answered, answer } = statusOf(await route.handle(ctx, input), status);
      const text = toText(answer, ctx);
      // The transaction may have stored a provisional response, such as a run that was only queued by then.
      if (text !== kept?.text || answered !== kept.status) await attempt.keep(ctx.db, answered, text);
      return { status: answered, text };
    } catch (error) {
      // Only an error that the verb threw on purpose is its response: the database may have failed after the commit.
      const refusal = error instanceof HubError ? error : undefined;
      if (!refusal || refusal.status >= 500 || refusal.status === 429 || refusal.code === "idempotency_key_in_use") {
        await attempt
          .release()
          .catch((cause: unknown) => world.log.warn({ err: cause }, "idempotency key not released"));
      } else {
        await attempt.keep(ctx.db, refusal.status, JSON.stringify(toProblem(refusal, ctx.requestId)));
      }
      throw error;
    }
  }

  // Anonymous callers have no organization, and operators see all of them.
  const seesAll = route.scope === "public" || operatorOnlyScopes.has(route.scope as Scope);

  const [daysOfQuery, daysOfBody] = [dayPlacesOf(route.query), dayPlacesOf(route.body)];

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = readInput(request);
    const ctx = contextOf(world, request, reply, seesAll);
    const findZone = (): Promise<string> => findTimeZone(world, ctx.orgId);
    if (daysOfQuery.length > 0) await resolveDays(read.query, daysOfQuery, findZone);
    if (daysOfBody.length > 0) await resolveDays(read.body, daysOfBody, findZone);
    const input = read as never;
    const key = request.headers["idempotency-key"];
    if (key !== undefined && route.method === "POST" && route.idempotency !== "none") {
      const attempt = await startAttempt(ctx, {
        key: String(key),
        method: request.method,
        url: request.url,
        bodyDigest: request.bodyDigest,
        isSealed: route.idempotency === "sealed",
      });
      if (attempt.replay) {
        reply.header("idempotency-replayed", "true");
        return send(request, reply, mount, attempt.replay.status, attempt.replay.answer, home);
      }
      const { status: answered, text } = await answerIdempotently(ctx, attempt, input);
      return send(request, reply, mount, answered, text, home);
    }
    const made = await route.handle(ctx, input);
    if (made instanceof WithCookies) writeCookies(request, reply, world.environment, made.cookies);
    const given: unknown = made instanceof WithCookies ? made.answer : made;
    if (given instanceof Live) return streams.open({ request, reply, toText: serialize }, given);
    if (given instanceof Streamed) return await stream(request, reply, status, given);
    const { status: answered, answer: plain } = statusOf(given, status);
    const answer = mount.format.wrap(plain, ctx);
    const headers = headersOf(request, answer, { status: answered, home });
    if (route.method === "GET" && isKnown(request, headers.etag)) return reply.code(304).headers(headers).send();
    return await sendText(request, reply.code(answered).headers(headers), route, serialize(answer));
  };
}

/** Validates a request: nothing that the route does not declare reaches the verb. */
function createInputReader(world: World, route: Route) {
  const checkQuery = createValidator(route.query ?? noQuery, "query");
  const checkBody = route.body && createValidator(route.body, "body");
  const ids = Object.entries(route.ids ?? {});

  function readBody(request: FastifyRequest): unknown {
    if (route.takesAnyBody) return undefined;
    if (!checkBody) {
      // Many clients send {} with every POST.
      if (request.body !== undefined && !isEmptyObject(request.body))
        throw badField("", "unexpected_body", "This route takes no body.");
      return undefined;
    }
    const body = request.body ?? (route.bodyIsOptional ? {} : undefined);
    if (body === undefined) throw badField("", "required", missingBodyHint(route));
    checkBody(body);
    return body;
  }

  return (request: FastifyRequest): RouteInput<string, never, never> => {
    const { headers } = request;
    const params = request.params as Record<string, string>;
    for (const [name, kind] of route.takesNames ? [] : ids) if (!isUuid(params[name] ?? "")) throw notFound(kind);
    const query = request.query as Record<string, unknown>;
    if (route.query || Object.keys(query).length > 0) {
      rejectInvalidText(request.url, query);
      checkQuery(query);
    }
    return {
      params,
      query: query as never,
      body: readBody(request) as never,
      ifMatch: parseIfMatch(headers["if-match"]),
      prefersAsync: headers.prefer !== undefined && /(^|[\s,])respond-async([\s,;]|$)/i.test(String(headers.prefer)),
      organizationHeader: headers["x-organization-id"]?.toString(),
      lastEventId: headers["last-event-id"]?.toString(),
      address: request.ip,
      sent: route.takesAnyBody ? { headers, body: Buffer.concat(request.sentBody ?? []) } : notKept,
      userAgent: (headers["user-agent"] ?? "").slice(0, 200),
      browser: route.setsCookie ? browserOf(request, world.environment) : undefined,
    };
  };
}

function contextOf(
  world: World,
  { principal = anonymous, admitted, id: requestId }: FastifyRequest,
  reply: FastifyReply,
  seesAll: boolean,
): Ctx {
  const { orgId, actor } = principal;
  return {
    ...world,
    db: seesAll ? world.db : world.db.forOrg(orgId),
    orgId,
    actor,
    principal,
    requestId,
    untilDisconnect: () => untilClosed(reply),
    ...(admitted ? { withoutSlot: (wait) => admitted.releaseSlotWhile(wait) } : {}),
  };
}

function untilClosed({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  if (raw.destroyed) closed.abort();
  else raw.once("close", () => closed.abort());
  return closed.signal;
}

/** The client has this version already. */
function isKnown({ headers }: FastifyRequest, etag: string | undefined): boolean {
  return etag !== undefined && satisfiesIfNoneMatch(headers["if-none-match"], etag);
}

async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  text: string,
): Promise<FastifyReply> {
  // The length of a compressed response would reveal something about the secret in it.
  const isPlain = route.idempotency === "sealed" || !isLong(text);
  return reply.send(isPlain ? text : await encodeBody(request, reply, text));
}

function statusOf(given: unknown, status: number): { status: number; answer: unknown } {
  if (given instanceof Unfinished) return { status: 202, answer: given.answer };
  // A dry run created nothing.
  const isDry = typeof given === "object" && given !== null && "dryRun" in given && given.dryRun === true;
  return { status: isDry ? 200 : status, answer: given };
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  mount: Mount,
  status: number,
  text: string,
  home: string | undefined,
): FastifyReply {
  const headers = headersOf(request, JSON.parse(text), { status, home });
  if (status >= 400) headers["content-type"] = mount.format.errorType;
  return reply.code(status).headers(headers).send(text);
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  answer: Streamed,
): Promise<FastifyReply> {
  reply.code(status).headers({
    "content-type": answer.contentType.startsWith("text/")
      ? `${answer.contentType}; charset=utf-8`
      : answer.contentType,
    "content-disposition": `attachment; filename="${answer.fileName}"`,
    ...answer.headers,
  });
  return reply.send(request.method === "HEAD" ? "" : await encodeBody(request, reply, Readable.from(answer.body)));
}

function rejectInvalidText(url: string, query: Record<string, unknown>): void {
  rejectInvalidEscapes(url);
  rejectUnstorableText(query);
}

/** Escapes that are not valid UTF-8 would be decoded as U+FFFD and searched for. A lone percent sign is a percent sign. */
function rejectInvalidEscapes(url: string): void {
  if (!/%[89a-f]/i.test(url)) return;
  const errors = url
    .slice(url.indexOf("?") + 1)
    .split("&")
    .flatMap((pair): FieldError[] => {
      const escaped = pair.replaceAll(/%(?![\da-f]{2})/gi, "%25");
      if (isDecodable(escaped)) return [];
      const name = unescape(pair.split("=", 1)[0]!);
      return [{ pointer: `query/${name}`, code: "not_utf8", message: "The escapes are not valid UTF-8." }];
    });
  if (errors.length > 0) throw validationFailed(errors);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function rejectUnstorableText(query: Record<string, unknown>): void {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(query)) {
    // A repeated parameter has a list of values.
    const texts = [value].flat().filter((text) => typeof text === "string");
    const problem = [...texts, name].map(textProblem).find((found) => found !== undefined);
    if (problem) errors.push({ pointer: `query/${name.toWellFormed()}`, ...problem });
  }
  if (errors.length > 0) throw validationFailed(errors);
}

function missingBodyHint(route: Route): string {
  const hint = route.method === "DELETE" ? ", with Content-Length (or use POST on the path ending in /remove)" : "";
  return `A JSON body is needed${hint}.`;
}

function isEmptyObject(body: unknown): boolean {
  return typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}
