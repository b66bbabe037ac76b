import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../../server/src/testing/after-file.ts";
import type { TestHub, TestOrg } from "../../server/src/testing/test-hub.ts";
import { startTestHub } from "../../server/src/testing/test-hub.ts";
import type { ClientOptions, Exchange, HubClient } from "./client.ts";
import { createClient, randomId, urlOf } from "./client.ts";
import { readEventStream } from "./event-stream.ts";
import { HubApiError, HubConnectionError } from "./problem.ts";

let hub: TestHub;
let org: TestOrg;
let client: HubClient;
const exchanges: Exchange[] = [];

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  const { body } = await org.post("/api-keys", { name: "sdk", scopes: ["admin"] });
  const headers = { authorization: `Bearer ${body.key}` };
  client = createClient({ baseUrl: hub.url, headers, onExchange: (exchange) => exchanges.push(exchange) });
});

/** A proxy that fails the first requests, then forwards them. */
async function faultyProxy(
  fail: (request: number, respond: (status: number) => void, hangUp: () => void) => boolean,
  options: Partial<ClientOptions> = {},
) {
  let requests = 0;
  const keys: Array<string | undefined> = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"] as string | undefined);
    const isFailed = fail(
      ++requests,
      (status) => response.writeHead(status, { "retry-after": "0", "content-type": "text/html" }).end("<h1>no</h1>"),
      () => request.socket.destroy(),
    );
    if (isFailed) return;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      void fetch(hub.url + request.url!, { method: request.method!, headers: headers as never, ...body }).then(
        async (answer) => {
          response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
          response.end(await answer.text());
        },
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterFile(async () => {
    server.close();
  });
  const { port } = server.address() as { port: number };
  const { body } = await org.post("/api-keys", { name: "behind a proxy", scopes: ["admin"] });
  const behind = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    headers: { authorization: `Bearer ${body.key}` },
    ...options,
  });
  return { client: behind, keys, count: () => requests };
}

test("an operation is called by its method and path, with typed parts", async () => {
  const order = await client.call("POST /api/v1/orders", { body: { number: "SDK 1/2", tags: ["vip"] } });
  expect(order).toMatchObject({ number: "SDK 1/2", status: "new" });
  const read = await client.call("GET /api/v1/orders/{id}", { path: { id: "SDK 1/2" } });
  expect(read.id).toBe(order.id);
  const page = await client.call("GET /api/v1/orders", { query: { tagsAny: ["vip", "rush"], limit: 10 } });
  expect(page.data.map(({ id }) => id)).toEqual([order.id]);
  expect(exchanges.at(-1)).toMatchObject({ method: "GET", status: 200, attempt: 1, error: undefined });
});

test("a problem is thrown as an error with code, fields and request", async () => {
  const refused = await client.call("POST /api/v1/orders", { body: { number: "" } }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(HubApiError);
  expect(refused).toMatchObject({ status: 400, code: "validation_failed", errors: [{ pointer: "/number" }] });
  expect((refused as HubApiError).requestId).not.toBe("");
  expect(exchanges.at(-1)!.error).toBe(refused);
});

test("a change of an older version is rejected", async () => {
  const order = await client.call("POST /api/v1/orders", { body: {} });
  const path = { id: order.id };
  await client.call("PATCH /api/v1/orders/{id}", { path, body: { priority: "high" }, ifMatch: order.version });
  const late = client.call("PATCH /api/v1/orders/{id}", { path, body: { priority: "low" }, ifMatch: order.version });
  await expect(late).rejects.toMatchObject({ status: 412, code: "version_mismatch" });
});

test("a POST whose response is lost is repeated with the same key, and applied once", async () => {
  const proxy = await faultyProxy((request, respond, hangUp) => {
    if (request === 1) hangUp();
    if (request === 2) respond(503);
    return request <= 2;
  });
  const order = await proxy.client.call("POST /api/v1/orders", { body: { number: "ONCE-1" } });
  expect(order.number).toBe("ONCE-1");
  expect(proxy.count()).toBe(3);
  expect(new Set(proxy.keys).size).toBe(1);
});

test("a change waits for an unreachable hub if configured, and is applied once", async () => {
  const proxy = await faultyProxy(
    (request, respond, hangUp) => {
      if (request <= 3) hangUp();
      else if (request <= 5) respond(503);
      return request <= 5;
    },
    { maxRetries: 1, maxOutageMs: 60_000 },
  );
  const order = await proxy.client.call("POST /api/v1/orders", { body: { number: "ONCE-2" } });
  expect([order.number, proxy.count(), new Set(proxy.keys).size]).toEqual(["ONCE-2", 6, 1]);
  await expect(proxy.client.call("POST /api/v1/orders", { body: { number: "ONCE-2" } })).rejects.toMatchObject({
    status: 409,
  });
});

test("a repeated call after a lost response is applied once; after a response it is a new request", async () => {
  const proxy = await faultyProxy(
    (request, _respond, hangUp) => {
      if (request === 1) hangUp();
      return request === 1;
    },
    { maxRetries: 0 },
  );
  const create = () => proxy.client.call("POST /api/v1/orders", { body: { tags: ["lost"] } });
  await expect(create()).rejects.toBeInstanceOf(HubConnectionError);
  await create();
  await create();
  const [lost, again, other] = proxy.keys;
  expect(again).toBe(lost);
  expect(other).not.toBe(lost);
});

test.each([
  {
    name: "the rate limit of the hub",
    type: "application/problem+json",
    body: `{"code":"rate_limited","status":429}`,
    requests: 2,
  },
  {
    name: "too many streams",
    type: "application/problem+json",
    body: `{"code":"too_many_streams","status":429}`,
    requests: 1,
  },
  { name: "the limit of a proxy", type: "text/html", body: "<h1>no</h1>", requests: 1 },
])("a change without a key after 429, $name: sent $requests times", async ({ type, body, requests }) => {
  let received = 0;
  const server = createServer((_request, response) => {
    const isFirst = ++received === 1;
    response.writeHead(isFirst ? 429 : 204, { "content-type": type, "retry-after": "0" }).end(isFirst ? body : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterFile(() => server.close());
  const { port } = server.address() as { port: number };
  const limited = createClient({ baseUrl: `http://127.0.0.1:${port}` });
  const outcome = await limited.call("DELETE /api/v1/orders/{id}", { path: { id: "1" } }).then(
    () => "applied",
    (error: HubApiError) => error.status,
  );
  expect([outcome, received]).toEqual([requests === 2 ? "applied" : 429, requests]);
});

test("a call is repeated on Node 20, which lacks newer features", async () => {
  // In a process of its own: the hub in this one needs the globals that are removed.
  const script = `
    for (const [owner, name] of [[Promise, "withResolvers"], [Promise, "try"], [Array, "fromAsync"], [Object, "groupBy"],
      [Map, "groupBy"], [URL, "parse"], [RegExp, "escape"], [Set.prototype, "union"], [Set.prototype, "difference"],
      [Map.prototype, "getOrInsert"], [Map.prototype, "getOrInsertComputed"], [Uint8Array, "fromBase64"],
      [Uint8Array.prototype, "toBase64"], [Iterator.prototype, "map"], [Iterator.prototype, "toArray"]]) delete owner[name];
    let requests = 0;
    // Node's own implementations use some of the removed globals.
    const headers = new Headers({ "content-type": "application/json", "retry-after": "0", "x-request-id": "r" });
    globalThis.fetch = async () => {
      const status = ++requests === 1 ? 503 : 200;
      return { ok: status === 200, status, headers, body: null, json: async () => ({}), text: async () => "{}" };
    };
    const { createClient } = await import(${JSON.stringify(new URL("client.ts", import.meta.url).href)});
    const client = createClient({ baseUrl: "http://127.0.0.1" });
    const outcome = await client.call("GET /api/v1/me").then(() => "answered", (error) => error.message);
    console.log(outcome + " after " + requests);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  expect(stdout.trim()).toBe("answered after 2");
});

test("a request without a key that may have been applied is not repeated", async () => {
  const proxy = await faultyProxy((_request, _respond, hangUp) => {
    hangUp();
    return true;
  });
  const signIn = proxy.client.call("POST /api/v1/auth/token", { body: { email: "a@b.example", password: "x" } });
  await expect(signIn).rejects.toBeInstanceOf(HubConnectionError);
  expect(proxy.count()).toBe(1);
});

test("a response that is not from the hub is reported as such", async () => {
  const proxy = await faultyProxy((_request, respond) => {
    respond(502);
    return true;
  });
  const call = proxy.client.call("GET /api/v1/me");
  await expect(call).rejects.toMatchObject({ status: 502, code: "not_from_the_hub" });
  await expect(call).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+ answered 502 Bad Gateway, .* address may be wrong/);
  expect(proxy.count()).toBe(4);
});

test("an unreachable hub is reported with its address and the reason", async () => {
  const errorAt = (baseUrl: string) =>
    createClient({ baseUrl, maxRetries: 0 })
      .call("GET /api/v1/me")
      .catch((error: HubConnectionError) => [error.url, error.message]);
  // A port that was free a moment ago.
  const closed = createServer().listen(0);
  await once(closed, "listening");
  const { port } = closed.address() as { port: number };
  closed.close();
  await once(closed, "close");
  const [address, name] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  expect(await errorAt(address)).toEqual([
    address,
    `The hub at ${address} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
  ]);
  // The error of a name with two addresses has only a code.
  expect(await errorAt(name)).toEqual([name, expect.stringMatching(/: .*ECONNREFUSED/)]);
  const secure = hub.url.replace("http:", "https:");
  expect(await errorAt(secure)).toEqual([
    secure,
    `The hub at ${secure} cannot be reached: ERR_SSL_WRONG_VERSION_NUMBER`,
  ]);
  expect(await errorAt("127.0.0.1:9")).toEqual(["127.0.0.1:9", expect.stringContaining("Invalid URL")]);
});

test("a run is watched to its end", async () => {
  const { id } = await client.call("POST /api/v1/orders", { body: {} });
  const actions = [{ type: "add_tags" as const, params: { tags: ["seen"] } }];
  const run = await client.call("POST /api/v1/operations/run", { body: { order_ids: [id], actions } });
  const seen: string[] = [];
  for await (const { event, data } of client.stream("GET /api/v1/operations/runs/{id}/watch", {
    path: { id: run.id },
  })) {
    seen.push(event);
    expect(JSON.parse(data)).toMatchObject({ id: run.id });
  }
  expect(seen.at(-1)).toBe("end");
});

test("stream blocks are read for any chunks", async () => {
  const text = ": hello\n\nid: 4\nevent: order.updated\ndata: {\ndata: }\n\nid: 5\n\ndata: é\r\n\r\n";
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 7, bytes.length]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    expect(await Array.fromAsync(readEventStream(body))).toEqual([
      { event: "order.updated", id: "4", data: "{\n}" },
      { event: "message", id: "5", data: "" },
      { event: "message", id: undefined, data: "é" },
    ]);
  }
});

test("addresses are filled and encoded", () => {
  expect(urlOf("/orders/{id}", { id: "A/1 #2" }, { tag: ["a", "b&c"], q: undefined })).toBe(
    "/orders/A%2F1%20%232?tag=a&tag=b%26c",
  );
  expect(randomId()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test("a rejected call is repeated once when its obstacle was removed", async () => {
  const { body } = await org.post("/api-keys", { name: "sdk, refused" });
  const headers = { authorization: `Bearer ${body.key}` };
  let asked = 0;
  const lifting = createClient({
    baseUrl: hub.url,
    headers,
    onRefused: async ({ code }) => {
      asked++;
      if (asked === 1) await org.post("/orders", { number: "LATE-1" });
      return code === "order_not_found";
    },
  });
  expect(await lifting.call("GET /api/v1/orders/{id}", { path: { id: "LATE-1" } })).toMatchObject({ number: "LATE-1" });
  await expect(lifting.call("GET /api/v1/orders/{id}", { path: { id: "NEVER" } })).rejects.toMatchObject({
    status: 404,
  });
  expect(asked).toBe(2);
  await expect(lifting.call("POST /api/v1/orders", { body: { number: "" } })).rejects.toMatchObject({ status: 400 });
  expect(asked).toBe(3);
});
