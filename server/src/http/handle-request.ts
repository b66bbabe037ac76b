import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../core/actor.ts";
import type { FieldError } from "../core/errors.ts";
import { badField, HubError, validationFailed } from "../core/errors.ts";
import { isUuid } from "../core/ids.ts";
import { notFound } from "../core/resources.ts";
import { Strict } from "../core/schema.ts";
import { hasScope } from "../core/scopes.ts";
import { textProblem } from "../core/strict-json.ts";
import type { Ctx, World } from "../context.ts";
import type { Route, RouteInput } from "../route.ts";
import { Streamed, Unfinished } from "../route.ts";
import { headersOf, parseIfMatch, satisfiesIfNoneMatch } from "./answer-headers.ts";
import type { Attempt } from "./idempotency.ts";
import { startAttempt } from "./idempotency.ts";
import type { Mount } from "./mount.ts";
import { toProblem } from "./problem.ts";
import { createSerializer } from "./serializer.ts";
import { createValidator } from "../core/validation.ts";

const noQuery = Strict({});
const anonymous: Principal = {
  orgId: "",
  isOperator: false,
  actor: { type: "system", name: "anonymous" },
  scopes: new Set(),
};

/** From a parsed request to an answer: scope, ids, query, body, idempotency, verb, serialisation. */
export function createHandler(world: World, mount: Mount, route: Route) {
  const checkQuery = createValidator(route.query ?? noQuery, "query");
  const checkBody = route.body && createValidator(route.body, "body");
  const ids = Object.entries(route.ids ?? {});
  const [status, schema] = route.answer;
  const serialize = createSerializer(mount.format.wrapSchema(schema));

  const toText = (answer: unknown, ctx: Ctx): string => serialize(mount.format.wrap(answer, ctx));

  function readInput(request: FastifyRequest): RouteInput<string, never, never> {
    const params = request.params as Record<string, string>;
    for (const [name, kind] of route.takesNames ? [] : ids) if (!isUuid(params[name] ?? "")) throw notFound(kind);
    readQuery(request.query as Record<string, unknown>);
    return {
      params,
      query: request.query as never,
      body: readBody(request) as never,
      ifMatch: parseIfMatch(request.headers["if-match"]),
      prefersAsync: /(^|[\s,])respond-async([\s,;]|$)/i.test(String(request.headers.prefer ?? "")),
      organizationHeader: request.headers["x-organization-id"]?.toString(),
      address: request.ip,
    };
  }

  function readQuery(query: Record<string, unknown>): void {
    if (!route.query && Object.keys(query).length === 0) return;
    refuseUnstorableText(query);
    checkQuery(query);
  }

  function readBody(request: FastifyRequest): unknown {
    if (!checkBody) {
      // Many clients send {} with every POST; it asks for nothing that could be ignored.
      if (request.body !== undefined && !isEmptyObject(request.body))
        throw badField("", "unexpected_body", "This route takes no body.");
      return undefined;
    }
    const body = request.body ?? (route.bodyIsOptional ? {} : undefined);
    if (body === undefined) throw badField("", "required", missingBodyHint(route));
    checkBody(body);
    return body;
  }

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
      // What a transaction kept may have been provisional, such as a run that had only been queued by then.
      if (text !== kept?.text || answered !== kept.status) await attempt.keep(ctx.db, answered, text);
      return { status: answered, text };
    } catch (error) {
      // Only what a verb said on purpose is its answer: the database may have failed after the change was committed.
      const said = error instanceof HubError ? error : undefined;
      if (!said || said.status >= 500 || said.status === 429 || said.code === "idempotency_in_progress") {
        await attempt
          .release()
          .catch((cause: unknown) => world.log.warn({ err: cause }, "idempotency key not released"));
      } else {
        await attempt.keep(ctx.db, said.status, JSON.stringify(toProblem(said, ctx.requestId)));
      }
      throw error;
    }
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const principal = request.principal ?? anonymous;
    const input = readInput(request) as never;
    const ctx: Ctx = {
      ...world,
      orgId: principal.orgId,
      actor: principal.actor,
      principal,
      requestId: request.id,
      ...(request.visit ? { aside: request.visit.aside } : {}),
    };
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
        return send(request, reply, mount, attempt.replay.status, attempt.replay.answer);
      }
      const { status: answered, text } = await answerIdempotently(ctx, attempt, input);
      return send(request, reply, mount, answered, text);
    }
    const given = await route.handle(ctx, input);
    if (given instanceof Streamed) return stream(request, reply, status, given);
    const { status: answered, answer: plain } = statusOf(given, status);
    const answer = mount.format.wrap(plain, ctx);
    const headers = headersOf(request, answer);
    const isRead = route.method === "GET";
    if (isRead && headers.etag !== undefined && satisfiesIfNoneMatch(request.headers["if-none-match"], headers.etag)) {
      return reply.code(304).headers(headers).send();
    }
    return reply.code(answered).headers(headers).send(serialize(answer));
  };
}

function statusOf(given: unknown, status: number): { status: number; answer: unknown } {
  return given instanceof Unfinished ? { status: 202, answer: given.answer } : { status, answer: given };
}

function send(request: FastifyRequest, reply: FastifyReply, mount: Mount, status: number, text: string): FastifyReply {
  const headers = headersOf(request, JSON.parse(text));
  if (status >= 400) headers["content-type"] = mount.format.errorType;
  return reply.code(status).headers(headers).send(text);
}

function stream(request: FastifyRequest, reply: FastifyReply, status: number, answer: Streamed): FastifyReply {
  reply.code(status).headers({
    "content-type": answer.contentType.startsWith("text/")
      ? `${answer.contentType}; charset=utf-8`
      : answer.contentType,
    "content-disposition": `attachment; filename="${answer.fileName}"`,
  });
  return reply.send(request.method === "HEAD" ? "" : Readable.from(answer.body));
}

export function requireScope(route: Route, principal: Principal): void {
  const { scope } = route;
  if (scope === "public" || scope === "any" || hasScope(principal.scopes, scope)) return;
  if (scope === "admin") throw new HubError("admin_required");
  throw new HubError("insufficient_scope", `The token lacks the scope ${scope}.`, {
    extra: { required: [scope], granted: [...principal.scopes] },
  });
}

function refuseUnstorableText(query: Record<string, unknown>): void {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(query)) {
    const problem = typeof value === "string" ? (textProblem(value) ?? textProblem(name)) : undefined;
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
