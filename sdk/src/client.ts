import type { Operations } from "./api-types.ts";
import { unkeyedPosts } from "./api-types.ts";
import type { StreamMessage } from "./event-stream.ts";
import { readEventStream } from "./event-stream.ts";
import { HubApiError, HubConnectionError, readProblem } from "./problem.ts";
import { wait } from "./wait.ts";

export type OperationKey = keyof Operations;
export type Answer<Key extends OperationKey> = Operations[Key]["answer"];

type Part<Key extends OperationKey, Name extends string> = Name extends keyof Operations[Key]
  ? Operations[Key][Name]
  : undefined;
type Given<Key extends OperationKey, Name extends "path" | "query" | "body"> =
  Part<Key, Name> extends undefined
    ? { [K in Name]?: undefined }
    : Record<string, never> extends Part<Key, Name>
      ? { [K in Name]?: Part<Key, Name> }
      : { [K in Name]: Part<Key, Name> };

export type CallOptions = {
  /** Expected version of the record; the hub answers 412 if it has changed. */
  ifMatch?: number;
  idempotencyKey?: string;
  /** Start the run and return without waiting for its end. */
  prefer?: "respond-async";
  signal?: AbortSignal;
};
export type Input<Key extends OperationKey> = Given<Key, "path"> &
  Given<Key, "query"> &
  Given<Key, "body"> &
  CallOptions;
/** The input is optional where every part of it is. */
export type Args<Key extends OperationKey> =
  Record<string, never> extends Input<Key> ? [input?: Input<Key>] : [input: Input<Key>];

/** A file as the body. Its `type` is sent as the Content-Type and may include a charset. */
type FileInput<Key extends OperationKey> = Omit<Input<Key>, "body"> & { file: Blob };

/** A request and its response; `status` is 0 without a response. */
export type Exchange = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  status: number;
  startedAt: number;
  ms: number;
  attempt: number;
  requestId: string | undefined;
  error: HubApiError | HubConnectionError | undefined;
};

export type ClientOptions = {
  /** Origin of the hub; "" for that of the page. */
  baseUrl: string;
  headers?: Record<string, string>;
  maxRetries?: number;
  /** How long writes are retried with the same idempotency key while the hub is unreachable. Default 0. */
  maxOutageMs?: number;
  onExchange?(exchange: Exchange): void;
  /** Called once for a rejected call. Return true after resolving the cause, and the call is sent again. */
  onRefused?(error: HubApiError): Promise<boolean>;
};

export type HubClient = {
  call<Key extends OperationKey>(key: Key, ...args: Args<Key>): Promise<Answer<Key>>;
  /** For operations that take a file as the body, such as text/csv. */
  upload<Key extends OperationKey>(key: Key, input: FileInput<Key>): Promise<Answer<Key>>;
  /** Messages of a stream; `after` is sent as Last-Event-ID. */
  stream<Key extends OperationKey>(key: Key, input: Input<Key> & { after?: string }): AsyncGenerator<StreamMessage>;
};

type Anything = CallOptions & { path?: object; query?: object; body?: unknown; file?: Blob; after?: string };
type Sent = { method: string; url: string; headers: Record<string, string>; body: unknown; signal?: AbortSignal };

const passing = new Set([408, 429, 502, 503, 504]);
const firstWaitMs = 250;
const longestWaitMs = 5_000;
const maxLostKeys = 50;
/** Streams have a message or a comment at least every 15 seconds; a longer silence is a dead connection. */
const maxSilenceMs = 45_000;

export function createClient(options: ClientOptions): HubClient {
  const { baseUrl, headers = {}, maxRetries = 3, maxOutageMs = 0, onExchange, onRefused } = options;
  /** Keys of requests that got no answer: an identical request reuses its key, so that it is applied once. */
  const lostKeys = new Map<string, string>();
  const prepare = (key: string, input: Anything): Sent => {
    const [method = "", template = ""] = key.split(" ", 2);
    const sent: Record<string, string> = { accept: "application/json", ...headers };
    if (input.file) sent["content-type"] = input.file.type;
    else if (input.body !== undefined) sent["content-type"] = "application/json";
    if (input.ifMatch !== undefined) sent["if-match"] = `"${input.ifMatch}"`;
    if (input.prefer) sent["prefer"] = input.prefer;
    const request = { method, url: baseUrl + urlOf(template, input.path, input.query), body: input.file ?? input.body };
    if (method === "POST" && !unkeyedPosts.has(key))
      sent["idempotency-key"] = input.idempotencyKey ?? lostKeys.get(nameOf(request)) ?? randomId();
    return { ...request, headers: sent, ...(input.signal ? { signal: input.signal } : {}) };
  };

  const once = async (sent: Sent, attempt: number): Promise<Response> => {
    const { method, url, headers, body } = sent;
    const startedAt = Date.now();
    const from = performance.now();
    const tell = (status: number, requestId: string | undefined, error: Exchange["error"]): void =>
      onExchange?.({
        method,
        url,
        headers,
        body,
        status,
        startedAt,
        ms: performance.now() - from,
        attempt,
        requestId,
        error,
      });
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
        ...(sent.signal ? { signal: sent.signal } : {}),
      });
    } catch (error) {
      if (sent.signal?.aborted) throw error;
      const lost = new HubConnectionError(error, baseUrl);
      tell(0, undefined, lost);
      throw lost;
    }
    const requestId = response.headers.get("x-request-id") ?? undefined;
    if (response.ok) {
      tell(response.status, requestId, undefined);
      return response;
    }
    const problem = await readProblem(response);
    tell(response.status, problem.requestId || requestId, problem);
    throw problem;
  };

  const send = async (sent: Sent): Promise<Response> => {
    const from = performance.now();
    const key = sent.headers["idempotency-key"];
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await once(sent, attempt);
        if (key) lostKeys.delete(nameOf(sent));
        return response;
      } catch (error) {
        const isWaitedFor = sent.method !== "GET" && isAway(error) && performance.now() - from < maxOutageMs;
        if ((attempt > maxRetries && !isWaitedFor) || !mayRepeat(sent, error)) {
          if (key && error instanceof HubConnectionError) keepLost(lostKeys, nameOf(sent), key);
          throw error;
        }
        const askedMs = error instanceof HubApiError ? error.retryAfterMs : undefined;
        await wait(askedMs ?? Math.min(firstWaitMs * 2 ** (attempt - 1), longestWaitMs), sent.signal);
      }
    }
  };

  return {
    async call(key, ...args) {
      const sent = prepare(key, (args[0] ?? {}) as Anything);
      const response = await send(sent).catch(async (error: unknown) => {
        if (error instanceof HubApiError && (await onRefused?.(error))) return await send(sent);
        throw error;
      });
      return (await readAnswer(response)) as never;
    },
    async upload(key, input) {
      return (await readAnswer(await send(prepare(key, input as Anything)))) as never;
    },
    async *stream(key, input) {
      const sent = prepare(key, input as Anything);
      sent.headers["accept"] = "text/event-stream";
      if (input.after) sent.headers["last-event-id"] = input.after;
      const response = await send(sent);
      if (response.body) yield* readEventStream(response.body, maxSilenceMs);
    },
  };
}

const isAway = (error: unknown): boolean =>
  error instanceof HubConnectionError || (error instanceof HubApiError && [502, 503, 504].includes(error.status));

/** Files are not compared: every upload is a new request. */
const nameOf = ({ method, url, body }: Pick<Sent, "method" | "url" | "body">): string =>
  body instanceof Blob ? `${method} ${url} ${randomId()}` : `${method} ${url} ${JSON.stringify(body)}`;

function keepLost(lost: Map<string, string>, name: string, key: string): void {
  lost.set(name, key);
  const [oldest] = lost.keys();
  if (lost.size > maxLostKeys && oldest !== undefined) lost.delete(oldest);
}

/** Only idempotent requests: reads, requests with an idempotency key, and changes of one version. */
function mayRepeat({ method, headers }: Sent, error: unknown): boolean {
  const isSafe = method === "GET" || "idempotency-key" in headers || "if-match" in headers;
  if (error instanceof HubConnectionError) return isSafe;
  if (!(error instanceof HubApiError)) return false;
  // Rejected before anything was done.
  if (error.status === 429) return error.code === "rate_limited";
  return isSafe && passing.has(error.status);
}

async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("json")) return response.json();
  return type.startsWith("text/") ? response.text() : response.blob();
}

export function urlOf(template: string, path: object = {}, query: object = {}): string {
  const values = path as Record<string, unknown>;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) params.append(name, String(one));
  }
  return params.size === 0 ? filled : `${filled}?${params.toString()}`;
}

/** crypto.randomUUID is missing on pages without HTTPS. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
