import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ClientOptions } from "./outbound-request.ts";
import { readRetryAfter } from "./outbound-retry.ts";
import { createHttpClient } from "./outbound.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let answers: Handler[] = [];
let seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    (answers.shift() ?? answer(200, "{}"))(request, response);
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeEach(() => {
  answers = [];
  seen = [];
});

let clients = 0;
function client(options: Partial<ClientOptions> = {}) {
  const waits: number[] = [];
  const made = createHttpClient({
    allowPrivate: true,
    breakerKey: `test-${++clients}`,
    random: () => 1,
    sleep: (ms) => Promise.resolve(waits.push(ms)),
    ...options,
  });
  return { ...made, waits };
}

function answer(status: number, body: string | Buffer, headers: Record<string, string> = {}): Handler {
  return (_request, response) => response.writeHead(status, headers).end(body);
}
const hang: Handler = () => {};
const drop: Handler = (request) => request.socket.destroy();
const dropInBody: Handler = (request, response) => {
  response.writeHead(200, { "content-length": "100" });
  response.write('{"half":');
  setImmediate(() => request.socket.destroy());
};
/** Nothing tells it from a whole answer. */
const endInBody: Handler = (_request, response) => {
  response.shouldKeepAlive = false;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end('{"half":');
};

test("a request has its query, headers and body, and the response can be read", async () => {
  answers = [answer(201, '{"id":7}', { "X-Thing": "a" })];
  const response = await client().request({
    method: "POST",
    url: `${origin}/orders?a=1`,
    query: { b: "x y", c: undefined },
    headers: { "X-Key": "k", Host: "other.example", "Content-Length": "3" },
    body: { json: { name: "Zoë" } },
  });
  expect(response).toMatchObject({ status: 201, headers: { "x-thing": "a" }, text: '{"id":7}' });
  expect(response.json()).toEqual({ id: 7 });
  expect(seen[0]).toMatchObject({
    method: "POST",
    url: "/orders?a=1&b=x+y",
    body: '{"name":"Zoë"}',
    headers: { "x-key": "k", "content-type": "application/json", host: new URL(origin).host },
  });
});

test("the given URL is kept, with any query", async () => {
  const url = new URL(`${origin}/orders?a=1`);
  for (const b of ["1", "2"]) await client().request({ url, query: { b } });
  expect(seen.map((request) => request.url)).toEqual(["/orders?a=1&b=1", "/orders?a=1&b=2"]);
  expect(url.search).toBe("?a=1");
});

test("a form and a text can be sent", async () => {
  const { request } = client();
  await request({ method: "POST", url: origin, body: { form: { a: "1&2", b: "ü" } } });
  await request({ method: "PUT", url: origin, body: { text: "<a/>", type: "application/xml" } });
  expect(seen.map(({ body, headers }) => [body, headers["content-type"]])).toEqual([
    ["a=1%262&b=%C3%BC", "application/x-www-form-urlencoded"],
    ["<a/>", "application/xml"],
  ]);
});

test.each<[string, Handler]>([
  ["an error status", answer(500, "oops")],
  ["a broken connection", drop],
  ["an answer that breaks off", dropInBody],
  ["one that breaks off and did not say how long it is", endInBody],
])("a read is tried again after %s", async (_name, failure) => {
  answers = [failure, failure, answer(200, "[1]")];
  const { request, waits } = client();
  expect((await request({ url: origin })).json()).toEqual([1]);
  expect(waits).toEqual([250, 500]);
});

test("a read that keeps failing ends with the last response", async () => {
  answers = [answer(503, "a"), answer(503, "b"), answer(503, "c"), answer(200, "d")];
  expect(await client().request({ url: origin })).toMatchObject({ status: 503, text: "c" });
});

test.each([drop, dropInBody])(
  "a change is sent once, and a broken connection leaves the outcome unknown",
  async (failure) => {
    answers = [failure, answer(200, "{}")];
    await expect(client().request({ method: "POST", url: origin, body: { json: {} } })).rejects.toMatchObject({
      code: "connection_lost",
      retryable: true,
      mayHaveHappened: true,
    });
    expect(seen.length).toBe(1);
  },
);

test("a change that is declared safe is retried, and its outcome is not unknown", async () => {
  answers = [drop, drop, drop];
  const request = client().request({ method: "POST", url: origin, body: { json: {} }, retry: "safe" });
  await expect(request).rejects.toMatchObject({ code: "connection_lost", mayHaveHappened: false });
  expect(seen.length).toBe(3);
});

test("a change after its deadline is not sent, a read is", async () => {
  const { request } = client();
  const late = request({ method: "POST", url: origin, body: { json: {} }, mayStart: () => false });
  await expect(late).rejects.toMatchObject({ code: "too_late", retryable: true, mayHaveHappened: false });
  expect((await request({ url: origin, mayStart: () => false })).status).toBe(200);
  expect(seen.map(({ method }) => method)).toEqual(["GET"]);
});

test("a change without a connection has not happened", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await expect(client().request({ method: "POST", url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
    code: "connect_failed",
    retryable: true,
    mayHaveHappened: false,
  });
});

test("a short Retry-After is waited for, a long one is left to the caller", async () => {
  answers = [answer(429, "", { "retry-after": "2.0" }), answer(200, "1"), answer(429, "", { "retry-after": "60" })];
  const { request, waits } = client();
  expect((await request({ url: origin })).text).toBe("1");
  expect(await request({ url: origin })).toMatchObject({ status: 429, retryAfterMs: 60_000 });
  expect(waits).toEqual([2000]);
});

test("Retry-After is read as seconds and as a date, and capped", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  expect(readRetryAfter("3", now)).toBe(3000);
  expect(readRetryAfter("Sun, 01 Mar 2026 12:00:30 GMT", now)).toBe(30_000);
  expect(readRetryAfter("Sun, 01 Mar 2026 11:00:00 GMT", now)).toBe(0);
  expect(readRetryAfter("999999999", now)).toBe(3_600_000);
  expect(readRetryAfter("soon", now)).toBeUndefined();
  expect(readRetryAfter(undefined, now)).toBeUndefined();
});

test("a request without a response times out, and a change may have happened", async () => {
  answers = [hang, hang];
  const { request } = client({ timeoutMs: 1000 });
  await expect(request({ url: origin })).rejects.toMatchObject({ code: "timeout", mayHaveHappened: false });
  await expect(request({ method: "PUT", url: origin })).rejects.toMatchObject({
    code: "timeout",
    mayHaveHappened: true,
  });
});

test("a body that trickles in times out like one that does not arrive", async () => {
  answers = [
    (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(timer));
    },
  ];
  await expect(client({ timeoutMs: 100, attempts: 1 }).request({ url: origin })).rejects.toMatchObject({
    code: "timeout",
  });
});

test("a call can be cancelled, also before it starts and while it waits for the next attempt", async () => {
  const stop = new AbortController();
  answers = [() => stop.abort()];
  await expect(client().request({ url: origin, signal: stop.signal })).rejects.toMatchObject({ code: "cancelled" });
  await expect(client().request({ url: origin, signal: stop.signal })).rejects.toMatchObject({ code: "cancelled" });
  expect(seen.length).toBe(1);
  const later = new AbortController();
  answers = [
    (_request, response) => {
      response.writeHead(429, { "retry-after": "5" }).end();
      setImmediate(() => later.abort());
    },
  ];
  const waiting = createHttpClient({ allowPrivate: true, breakerKey: "waiting" });
  await expect(waiting.request({ url: origin, signal: later.signal })).rejects.toMatchObject({ code: "cancelled" });
});

test("a response above the size limit is not read, compressed or not", async () => {
  const big = Buffer.alloc(2_000_000, 32);
  const streamed: Handler = (_request, response) => {
    response.writeHead(200);
    response.end(big);
  };
  answers = [answer(200, big), streamed, answer(200, gzipSync(big), { "content-encoding": "gzip" })];
  const { request } = client();
  for (let i = 0; i < 3; i++) {
    await expect(request({ url: origin, maxBytes: 100_000 })).rejects.toMatchObject({ code: "response_too_large" });
  }
});

test("a compressed response is decompressed once; stacked encodings are rejected", async () => {
  const packed = gzipSync('{"a":1}');
  answers = [
    answer(200, packed, { "content-encoding": "gzip" }),
    answer(200, packed, { "content-encoding": "gzip, gzip" }),
  ];
  const { request } = client();
  expect((await request({ url: origin })).json()).toEqual({ a: 1 });
  await expect(request({ url: origin })).rejects.toMatchObject({ code: "invalid_encoding" });
});

test("reads follow up to three redirects within the origin", async () => {
  const to = (location: string, status = 302): Handler => answer(status, "", { location });
  answers = [to("/a"), to(`${origin}/b`), to("/c"), answer(200, "end")];
  const { request } = client();
  expect((await request({ url: origin })).text).toBe("end");
  expect(seen.map(({ url }) => url)).toEqual(["/", "/a", "/b", "/c"]);
  answers = [to("/a"), to("/b"), to("/c"), to("/d")];
  await expect(request({ url: origin })).rejects.toMatchObject({ code: "redirect_not_allowed" });
  answers = [to("http://localhost:1/")];
  await expect(request({ url: origin })).rejects.toMatchObject({ code: "redirect_not_allowed" });
  answers = [to("/a", 307), to("/a", 303)];
  const post = { method: "POST", url: origin } as const;
  await expect(request(post)).rejects.toMatchObject({ code: "redirect_not_allowed", mayHaveHappened: false });
  await expect(request(post)).rejects.toMatchObject({ code: "redirect_not_allowed", mayHaveHappened: true });
});

test("a response that is not JSON is reported without quoting it", async () => {
  answers = [answer(200, "<html>secret"), endInBody];
  const { request } = client();
  const page = await request({ url: `${origin}/list?key=secret` });
  expect(() => page.json()).toThrow(`GET ${origin}/list answered 200 with something that is not JSON.`);
  const posted = await request({ method: "POST", url: origin });
  const broken = { code: "invalid_json", retryable: true, mayHaveHappened: true };
  expect(() => posted.json()).toThrow(expect.objectContaining(broken));
  expect(seen.length).toBe(2);
});

test("a header that would split the request is rejected", async () => {
  const request = client().request({ url: origin, headers: { "x-a": "1\r\nx-b: 2" } });
  await expect(request).rejects.toMatchObject({ code: "invalid_request" });
  expect(seen).toEqual([]);
});

test("after five failures in a row requests are blocked, per key and origin", async () => {
  answers = Array.from({ length: 5 }, () => answer(500, ""));
  const options = { breakerKey: "broken", attempts: 1, breaker: { failures: 5, openMs: 60_000 } };
  const { request } = client(options);
  for (let i = 0; i < 5; i++) expect((await request({ url: origin })).status).toBe(500);
  await expect(client(options).request({ url: origin })).rejects.toMatchObject({
    code: "circuit_open",
    retryable: true,
    retryAfterMs: 60_000,
    mayHaveHappened: false,
  });
  expect(seen.length).toBe(5);
  expect((await client().request({ url: origin })).status).toBe(200);
});

test("after the pause requests are sent again", async () => {
  answers = [answer(500, ""), answer(500, "")];
  const { request } = client({ attempts: 1, breaker: { failures: 2, openMs: 1 } });
  for (let i = 0; i < 2; i++) expect((await request({ url: origin })).status).toBe(500);
  const status = async (): Promise<number> =>
    await request({ url: origin }).then(
      (response) => response.status,
      () => 0,
    );
  await expect.poll(status).toBe(200);
});
