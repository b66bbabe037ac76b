import type { OpenApiCheck } from "./openapi-check.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely; their shape is checked against OpenAPI
export type Answer<Body = any> = { status: number; headers: Headers; body: Body; text: string };

type CallOptions = { headers?: Record<string, string>; rawBody?: string | Buffer };

/** Speaks HTTP to a hub as a user does; every answer is held against the OpenAPI document. */
export type TestClient = {
  token: string | undefined;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
};

/** Paths are those of the main service ("/condition-sets") unless they start with /v1/ or name a page ("!/healthz"). */
export function createClient(
  baseUrl: string,
  token: string | undefined,
  check: () => Promise<OpenApiCheck>,
): TestClient {
  async function call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const url = path.startsWith("!") ? path.slice(1) : path.startsWith("/v1/") ? path : `/api/v1${path}`;
    const hasBody = body !== undefined || options.rawBody !== undefined;
    const response = await fetch(baseUrl + url, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(hasBody ? { "content-type": "application/json" } : {}),
        ...options.headers,
      },
      ...(hasBody ? { body: options.rawBody ?? JSON.stringify(body) } : {}),
    });
    const type = response.headers.get("content-type") ?? "";
    const text = type.startsWith("text/event-stream") ? await readBegin(response) : await response.text();
    const parsed: unknown = /json/.test(type) && text !== "" ? JSON.parse(text) : undefined;
    (await check())(method, url, response.status, type, /json/.test(type) ? parsed : text);
    return { status: response.status, headers: response.headers, body: parsed, text };
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

/** It would never end: the first that comes is enough. Tests of streams read them in their own way. */
async function readBegin(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}
