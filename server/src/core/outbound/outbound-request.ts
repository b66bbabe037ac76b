import type { Socket } from "node:net";
import { setTimeout as sleepFor } from "node:timers/promises";
import type { RequestBody } from "./outbound-body.ts";
import { decodeBytes, encodeBody } from "./outbound-body.ts";
import { RemoteError } from "../remote-error.ts";
import type { Resolve } from "./outbound-guard.ts";
import { checkUrl, refuseUnlistedHost } from "./outbound-guard.ts";
import { refuseOtherServer } from "./credential-address.ts";
import type { BreakerOptions } from "./outbound-breaker.ts";
import { throughBreaker } from "./outbound-breaker.ts";
import { backoffMs, isRetryableStatus, readRetryAfter } from "./outbound-retry.ts";

export type HttpRequest = {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string | URL;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: RequestBody;
  /** Total time, including all attempts and the delays between them. */
  timeoutMs?: number;
  signal?: AbortSignal;
  maxBytes?: number;
  /**
   * For requests of which only the status matters: keeps this many bytes of the response and does not wait for the rest. A
   * long response is no failure.
   */
  keepBytes?: number;
  /** "safe": may be repeated. Default: GET and HEAD are safe; others are sent once. */
  retry?: "never" | "safe";
  /**
   * A GET without headers and body, such as of a label file in a public store: it may go to another server than those that the
   * credentials belong to. All other guards apply.
   */
  withoutCredentials?: true;
  /** Adds headers to each attempt, for signatures with a time and nonce that a server accepts only once. */
  sign?: (method: string, url: URL) => Record<string, string>;
  /** Called just before the first byte of an unsafe request is sent; false cancels the request. */
  mayStart?: () => boolean;
};

/** A response with any status; the caller interprets it. */
export type HttpResponse = {
  status: number;
  /** Names in lower case; several of one name are joined by commas. */
  headers: Record<string, string>;
  text: string;
  /** The body as received, decompressed: for files. */
  bytes: Buffer;
  json(): unknown;
  /** From `Retry-After`. */
  retryAfterMs: number | undefined;
  /** An unsafe request was sent: a failure status leaves open whether it took effect. */
  mayHaveHappened: boolean;
};

export type HttpClient = { request(request: HttpRequest): Promise<HttpResponse> };

export type ClientOptions = {
  /** The hub's own machine and network may be called; link-local and metadata addresses never. */
  allowPrivate: boolean;
  /**
   * Requests carry credentials that belong to these addresses. They are sent only to these servers, and without TLS only if
   * the servers have private addresses.
   */
  credentialsFor?: readonly string[] | undefined;
  /** Read before each request: the allowed hosts, `*.example.com` for all subdomains. Without it every host is allowed. */
  findAllowedHosts?: () => Promise<readonly string[]>;
  /** Failures are counted per key and origin, over all clients of this process. */
  breakerKey: string;
  /** "none": the caller handles failing hosts itself. */
  breaker?: BreakerOptions | "none";
  /** Maximum connections to one server, shared by all clients with the same value. Default 32. */
  connections?: number;
  timeoutMs?: number;
  attemptTimeoutMs?: number;
  attempts?: number;
  /** A `Retry-After` longer than this is left to the caller. */
  maxWaitMs?: number;
  resolve?: Resolve;
  connect?: Connect;
  sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
  random?: () => number;
};

export type Target = { address: string; port: string; protocol: string; hostname: string };
export type Connect = (target: Target) => Promise<Socket>;

const maxRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Headers that the transport sets. Values of a caller could split one request into two. */
export const ownHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "expect",
  "te",
]);

export type Plan = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | undefined;
  isSafe: boolean;
  maxBytes: number;
  keepBytes: number | undefined;
  signal: AbortSignal | undefined;
  mayStart: () => boolean;
  sign: HttpRequest["sign"];
  endsAt: number;
};

export async function runRequest(
  exchange: Exchange,
  options: ClientOptions,
  request: HttpRequest,
): Promise<HttpResponse> {
  const plan = planRequest(options, request);
  refuseUnlistedHost(plan.url, (await options.findAllowedHosts?.()) ?? []);
  const attempts = plan.isSafe ? (options.attempts ?? 3) : 1;
  const sleep = options.sleep ?? defaultSleep;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(exchange, options, plan).catch(keepRemoteError);
    const waitMs = outcome.retryAfterMs ?? backoffMs(attempt, options.random ?? Math.random);
    const isInTime = waitMs <= (options.maxWaitMs ?? 10_000) && performance.now() + waitMs < plan.endsAt;
    if (attempt < attempts && isInTime && mayRepeat(outcome)) {
      await sleep(waitMs, plan.signal).catch(() => Promise.reject(cancelled(false)));
    } else if (outcome instanceof RemoteError) throw outcome;
    else return outcome;
  }
}

async function defaultSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, { signal });
}

function mayRepeat(outcome: RemoteError | HttpResponse): boolean {
  if (outcome instanceof RemoteError) return isPassing(outcome);
  return isRetryableStatus(outcome.status) || breaksOff(outcome);
}

/** Without a Content-Length, a broken connection looks like the end of the response. */
function breaksOff({ headers, text, json }: HttpResponse): boolean {
  if (text === "" || !/\bjson\b/i.test(headers["content-type"] ?? "")) return false;
  try {
    json();
    return false;
  } catch {
    return true;
  }
}

/** An open circuit fails at once instead of waiting, so that the worker is free for other tasks. */
function isPassing(error: RemoteError): boolean {
  return error.retryable && error.code !== "circuit_open";
}

function keepRemoteError(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  throw error;
}

function planRequest(options: ClientOptions, request: HttpRequest): Plan {
  const method = request.method ?? "GET";
  let url = checkUrl(request.url, options.allowPrivate);
  if (request.withoutCredentials) refuseUnlessBare(request);
  else if (options.credentialsFor !== undefined) refuseOtherServer(url, options.credentialsFor);
  if (request.query) url = withQuery(url, request.query);
  const body = request.body && encodeBody(request.body);
  const accept = request.withoutCredentials ? "*/*" : "application/json";
  const headers: Record<string, string> = { accept, "accept-encoding": "gzip" };
  headers["user-agent"] = "order-operations-hub";
  if (body) headers["content-type"] = body.type;
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!ownHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  const isRead = method === "GET" || method === "HEAD";
  return {
    method,
    url,
    headers,
    body: body?.text,
    isSafe: request.retry === undefined ? isRead : request.retry === "safe",
    maxBytes: request.maxBytes ?? 10 * 1024 * 1024,
    keepBytes: request.keepBytes,
    signal: request.signal,
    mayStart: request.mayStart ?? (() => true),
    sign: request.sign,
    endsAt: performance.now() + (request.timeoutMs ?? options.timeoutMs ?? 30_000),
  };
}

/** Headers and bodies could carry the credentials to a server they do not belong to. */
function refuseUnlessBare({ method = "GET", headers, body, sign }: HttpRequest): void {
  if (method === "GET" && headers === undefined && body === undefined && sign === undefined) return;
  throw new RemoteError("invalid_request", "A request without credentials is a GET without headers and body.");
}

function withQuery(given: URL, query: NonNullable<HttpRequest["query"]>): URL {
  const url = new URL(given);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url;
}

/** One attempt, redirects within the same origin included. */
async function attemptOnce(exchange: Exchange, options: ClientOptions, plan: Plan): Promise<HttpResponse> {
  let { url } = plan;
  for (let hop = 0; ; hop++) {
    const here = { ...plan, url, headers: { ...plan.headers, ...plan.sign?.(plan.method, url) } };
    // A request that is sent only once gets all the remaining time: giving up early would only make its outcome unknown.
    const limitMs = plan.isSafe ? (options.attemptTimeoutMs ?? 15_000) : Infinity;
    const leftMs = Math.min(plan.endsAt - performance.now(), limitMs);
    const key = `${options.breakerKey} ${url.origin}`;
    const breaker = options.breaker ?? { failures: 5, openMs: 10_000 };
    const ask = async (): Promise<Answer> => await exchange(here, leftMs);
    const answer = breaker === "none" ? await ask() : await throughBreaker(key, breaker, ask);
    const { location } = answer.headers;
    if (!redirects.has(answer.status) || location === undefined) return await readAnswer(answer, plan);
    url = nextHop(here, answer.status, location, options.allowPrivate, hop);
  }
}

function nextHop(plan: Plan, status: number, location: string, allowPrivate: boolean, hop: number): URL {
  const isRead = plan.method === "GET" || plan.method === "HEAD";
  const next = URL.canParse(location, plan.url) ? new URL(location, plan.url) : undefined;
  // With 302 and 303 the other system may have applied the request and redirects to the result.
  const mayHaveHappened = !plan.isSafe && (status === 302 || status === 303);
  if (!next || !isRead || next.origin !== plan.url.origin || hop >= maxRedirects) {
    const where = next ? `${next.origin}${next.pathname}` : "an address that cannot be read";
    const message = `${nameOf(plan)} redirects to ${where}, which is not followed. Use the final address.`;
    throw new RemoteError("redirect_not_allowed", message, { mayHaveHappened });
  }
  return checkUrl(next, allowPrivate);
}

/** Sends the request once and reads the whole response. */
export type Exchange = (plan: Plan, timeoutMs: number) => Promise<Answer>;

export type Answer = { status: number; headers: Record<string, string>; bytes: Buffer };

const decoder = new TextDecoder();

async function readAnswer(answer: Answer, plan: Plan): Promise<HttpResponse> {
  const mayHaveHappened = !plan.isSafe;
  const encoding = plan.keepBytes === undefined ? (answer.headers["content-encoding"] ?? "") : "";
  const bytes = await decodeBytes(answer.bytes, encoding, plan.maxBytes, { mayHaveHappened });
  const text = bytes.length === 0 ? "" : decoder.decode(bytes);
  let parsed: { body: unknown } | undefined;
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    bytes,
    json() {
      try {
        parsed ??= { body: JSON.parse(text) as unknown };
        return parsed.body;
      } catch (cause) {
        const message = `${nameOf(plan)} answered ${answer.status} with something that is not JSON.`;
        throw new RemoteError("invalid_json", message, { retryable: true, mayHaveHappened, cause });
      }
    },
    retryAfterMs: readRetryAfter(answer.headers["retry-after"], new Date()),
    mayHaveHappened,
  };
}

export function cancelled(mayHaveHappened: boolean): RemoteError {
  return new RemoteError("cancelled", "The call was cancelled.", { mayHaveHappened });
}

/** Without the query, which may contain a key. */
export function nameOf({ method, url }: Plan): string {
  return `${method} ${url.origin}${url.pathname}`;
}
