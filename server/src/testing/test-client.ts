import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:http";
import { text as readAll } from "node:stream/consumers";
import type { OpenApiCheck } from "./openapi-check.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely; their shape is checked against OpenAPI
export type Answer<Body = any> = { status: number; headers: Headers; body: Body; text: string };

type CallOptions = { headers?: Record<string, string>; rawBody?: string | Buffer };

/** HTTP client of a hub; every response is validated against the OpenAPI document. */
export type TestClient = {
  token: string | undefined;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
};

/** Paths are relative to the main API ("/condition-sets") unless they start with /v1/, or with ! for pages ("!/healthz"). */
export function createClient(
  baseUrl: string,
  token: string | undefined,
  check: () => Promise<OpenApiCheck>,
): TestClient {
  async function call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const url = path.startsWith("!") ? path.slice(1) : path.startsWith("/v1/") ? path : `/api/v1${path}`;
    const hasBody = body !== undefined || options.rawBody !== undefined;
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...options.headers,
    };
    const sent = hasBody ? (options.rawBody ?? JSON.stringify(body)) : undefined;
    const response = await ask(baseUrl + url, method, headers, sent);
    const status = response.statusCode!;
    const type = response.headers["content-type"] ?? "";
    const text = type.startsWith("text/event-stream") ? await readBegin(response) : await readAll(response);
    const parsed: unknown = /json/.test(type) && text !== "" ? JSON.parse(text) : undefined;
    (await check())(method, url, status, type, /json/.test(type) ? parsed : text);
    return { status, headers: headersOf(response), body: parsed, text };
  }
  return {
    token,
    call,
    get: (path, options) => call("GET", path, undefined, options),
    post: (path, body, options) => call("POST", path, body, options),
    patch: (path, body, options) => call("PATCH", path, body, options),
    delete: (path, body, options) => call("DELETE", path, body, options),
  };
}

const agent = new Agent({ keepAlive: true });

/** Node's http client, since `fetch` would take a considerable part of the test time. */
async function ask(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Set explicitly: a DELETE would have a body without a known length.
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  request(url, { method, headers: { ...length, ...headers }, agent }, resolve)
    .once("error", reject)
    .end(body);
  return await promise;
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  return headers;
}

/** Reads only the first chunk of a stream, which would not end. Stream tests use `stream-reader.ts`. */
async function readBegin(response: IncomingMessage): Promise<string> {
  for await (const chunk of response) return String(chunk);
  return "";
}
