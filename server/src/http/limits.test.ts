import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { newKeyValue } from "../features/api-keys/key-value.ts";
import type { TestHub } from "../testing/test-hub.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { countLockWaits } from "../testing/lock-waits.ts";

/** Requests that change the set wait until it is released. */
async function lockSet(hub: TestHub, id: string) {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { db } = hub.world;
  const blocker = db.transaction(async (tx) => {
    await tx.query("select 1 from condition_sets where id = $1 for update", [id]);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const countWaiting = async (): Promise<number> => await countLockWaits(db);
  return {
    countWaiting,
    async hasWaiting(count: number) {
      await expect.poll(countWaiting).toBe(count);
    },
    async release() {
      released.resolve();
      await blocker;
    },
  };
}

/** Takes all database connections until it is released. */
async function holdConnections(hub: TestHub): Promise<() => Promise<void>> {
  const { promise: enough, resolve: release } = Promise.withResolvers<void>();
  const { db } = hub.world;
  const holding = Array.from({ length: 4 }, () => db.transaction(() => enough));
  await expect.poll(() => db.connectionCounts()).toEqual({ total: 4, idle: 0 });
  return async () => {
    release();
    await Promise.all(holding);
  };
}

/** A POST of which the hub has seen all but the body. */
async function sendHead(url: string, token: string | undefined, path: string, length: number): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/v1${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 100 /);
  return socket;
}

describe("rate limits", () => {
  test("are announced on every response and enforced per organization", async () => {
    const hub = await startTestHub({ config: { rateLimit: 60 } });
    const [busy, calm] = [await hub.org(), await hub.org()];
    await expect.poll(async () => (await busy.get("/me")).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 400 }, () => busy.get("/me")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    expect(refused[0]!.body).toMatchObject({ code: "rate_limited", retryable: true });
    const allowed = await calm.get("/me");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("ratelimit-policy")).toBe('"organization";q=60;w=1, "caller";q=60;w=1');
    expect(allowed.headers.get("ratelimit")).toMatch(/^"(organization|caller)";r=\d+;t=1$/);
    await expect.poll(async () => (await busy.get("/me")).status, { interval: 200 }).toBe(200);
  });

  test("apply to each address without a token on every route, not to authenticated callers (security 7)", async () => {
    const hub = await startTestHub({ config: { rateLimit: 60, trustedProxies: ["127.0.0.1"] } });
    const org = await hub.org();
    expect((await org.get("/me")).status).toBe(200);
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const asks: ((at: object) => Promise<{ status: number; headers: Headers }>)[] = [
      (at) => hub.anonymous.post("/auth/refresh", { refreshToken: "oohr_none" }, at),
      (at) => hub.anonymous.get("!/openapi.json", at),
      (at) => hub.client("oohk_live_nobody").get("/me", at),
    ];
    for (const [index, ask] of asks.entries()) {
      const busy = from(`203.0.113.${index + 1}`);
      const answers = await Promise.all(Array.from({ length: 300 }, () => ask(busy)));
      expect(answers.map(({ status }) => status)).toContain(429);
      expect(answers.find(({ status }) => status === 429)!.headers.get("retry-after")).toBe("1");
      // Neither another address nor an authenticated caller at the same one.
      const [other, known] = await Promise.all([ask(from("198.51.100.1")), org.get("/me", busy)]);
      expect([other.status === 429, known.status]).toEqual([false, 200]);
    }
    // Inbound webhooks are counted apart from sign-ins, say behind a proxy that is not trusted.
    const both = from("203.0.113.9");
    const notice = () => hub.anonymous.post(`/bridges/${crypto.randomUUID()}/inbound-webhooks`, {}, both);
    const notices = await Promise.all(Array.from({ length: 300 }, notice));
    expect(notices.map(({ status }) => status)).toContain(429);
    expect((await asks[0]!(both)).status).not.toBe(429);
  });
});

describe("admission control", () => {
  test("requests of one organization leave room for others; health still responds", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 4 } });
    const [org, calm] = [await hub.org(), await hub.org()];
    const { id } = (await org.post("/condition-sets", { name: "busy" })).body;
    const lock = await lockSet(hub, id);
    const waiting = Array.from({ length: 3 }, () => org.post(`/condition-sets/${id}/values`, { values: ["a"] }));
    await lock.hasWaiting(3);
    const shed = await org.get("/me");
    expect(shed.body).toMatchObject({ status: 503, code: "overloaded", retryable: true });
    expect(shed.headers.get("retry-after")).toBe("1");
    expect((await calm.get("/me")).status).toBe(200);
    expect((await hub.anonymous.get("!/healthz")).status).toBe(200);
    expect((await hub.anonymous.get("!/readyz")).status).toBe(200);
    await lock.release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect.poll(async () => (await org.get("/me")).status).toBe(200);
  });

  test("a rejected request gets a complete problem", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 4 } });
    const org = await hub.org();
    const { id } = (await org.post("/condition-sets", { name: "busy" })).body;
    const lock = await lockSet(hub, id);
    const waiting = Array.from({ length: 3 }, () => org.post(`/condition-sets/${id}/values`, { values: ["a"] }));
    await lock.hasWaiting(3);
    const shed = await org.get("/me", { headers: { "x-request-id": "mine-1" } });
    expect(shed.body).toMatchObject({ status: 503, instance: "urn:request:mine-1", requestId: "mine-1" });
    const names = (answer: { headers: Headers }): string[] =>
      [...answer.headers.keys()].filter((name) => !/^(date|keep-alive|ratelimit|www-|retry-after)/.test(name));
    expect(names(shed).toSorted()).toEqual(names(await hub.anonymous.get("/me")).toSorted());
    const inEnvelope = await org.get("!/v1/capabilities");
    expect(inEnvelope.status).toBe(503);
    expect(inEnvelope.body).toMatchObject({ error: { code: "overloaded" } });
    const head = await fetch(`${hub.url}/api/v1/me`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${org.token}` },
    });
    expect([head.status, await head.text()]).toEqual([503, ""]);
    // Health still answers, and metrics count the rejections.
    expect((await org.get("!/healthz")).status).toBe(200);
    const { text } = await hub.anonymous.get("!/metrics");
    expect(text).toMatch(/hub_http_unavailable_total\{[^}]*code="overloaded"[^}]*\} 3\n/);
    await lock.release();
    await Promise.all(waiting);
  });

  test("waiting requests of one organization do not delay those of another (security 5)", async () => {
    const hub = await startTestHub({ config: { maxConnections: 5 } });
    const [org, calm] = [await hub.org(), await hub.org()];
    const { id } = (await org.post("/condition-sets", { name: "busy" })).body;
    const lock = await lockSet(hub, id);
    // Four slots, three of them for one organization.
    const waiting = Array.from({ length: 20 }, () => org.post(`/condition-sets/${id}/values`, { values: ["a"] }));
    await lock.hasWaiting(3);
    for (let i = 0; i < 10; i++) expect((await calm.get("/me")).status).toBe(200);
    await lock.release();
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("slow bodies of anonymous callers delay no authenticated request (security 2, protocol 1)", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 64 } });
    const org = await hub.org();
    const { hostname, port, host } = new URL(hub.url);
    const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname));
    let answered = 0;
    for (const socket of sockets) {
      socket.on("error", () => {}).on("data", () => answered++);
      socket.write(
        `POST /api/v1/auth/token HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
      );
    }
    // One address gets four; the others are rejected at once.
    await expect.poll(() => answered).toBe(96);
    for (let i = 0; i < 10; i++) expect((await org.get("/me")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test("rejected requests that wait for an earlier response are not counted as open", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 8 } });
    const [org, calm] = [await hub.org(), await hub.org()];
    const { id } = (await org.post("/condition-sets", { name: "busy" })).body;
    const lock = await lockSet(hub, id);
    const { hostname, port, host } = new URL(hub.url);
    const socket = connect(Number(port), hostname);
    let answers = "";
    socket.on("data", (chunk: Buffer) => (answers += chunk.toString()));
    const head = (method: string, path: string): string =>
      `${method} /api/v1${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${org.token}\r\n`;
    const body = '{"values":["a"]}';
    const first = `${head("POST", `/condition-sets/${id}/values`)}content-type: application/json\r\ncontent-length: ${body.length}`;
    socket.write(`${first}\r\n\r\n${body}${`${head("GET", "/me")}\r\n`.repeat(50)}`);
    await lock.hasWaiting(1);
    for (let i = 0; i < 10; i++) expect((await calm.get("/me")).status).toBe(200);
    await lock.release();
    await expect.poll(() => answers.match(/HTTP\/1.1 503 /g)?.length ?? 0).toBeGreaterThan(20);
    socket.destroy();
  });

  test("callers with unknown tokens count as anonymous", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 64, maxConnections: 4 } });
    const org = await hub.org();
    expect((await org.get("/me")).status).toBe(200);
    const stop = await holdConnections(hub);
    let refused = 0;
    const guess = async (): Promise<number> => {
      const { status } = await hub.client(newKeyValue("live")).get("/me");
      if (status === 503) refused++;
      return status;
    };
    const guesses = Array.from({ length: 200 }, guess);
    await expect.poll(() => hub.world.db.waitingCount()).toBeGreaterThan(0);
    // While connections are held: later guesses would find all slots free.
    await expect.poll(() => refused).toBeGreaterThan(0);
    // Otherwise the response would be that there are too many open requests.
    const asked = org.get("/me");
    await stop();
    expect((await asked).status).toBe(200);
    expect([...new Set(await Promise.all(guesses))].toSorted()).toEqual([401, 503]);
  });

  test("a request that waits for a task or a carrier releases its slot", async () => {
    const hub = await startTestHub({ config: { maxConnections: 4 } });
    const org = await hub.org();
    const { id } = (await org.post("/bridges", { name: "Slow", connector: "demo" })).body;
    // Three slots; four wait for their tasks at the same time.
    const input = { ms: 1_500 };
    const waiting = Array.from({ length: 4 }, () =>
      org.post("/tasks/execute-sync", { bridgeId: id, taskName: "sleep", input }),
    );
    const running = (): Promise<number> =>
      org.get("/tasks/executions?status=running").then(({ body }) => body.pagination.total);
    await expect.poll(running).toBe(4);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("does not count requests that were aborted", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 2 } });
    const org = await hub.org();
    for (let i = 0; i < 10; i++) {
      const abort = new AbortController();
      const call = fetch(`${hub.url}/api/v1/condition-sets`, {
        headers: { authorization: `Bearer ${org.token}` },
        signal: abort.signal,
      });
      abort.abort();
      await call.catch(() => {});
    }
    await expect.poll(async () => (await org.get("/me")).status).toBe(200);
  });

  test("does not count uploads that were aborted", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 2 } });
    const org = await hub.org();
    for (let i = 0; i < 4; i++) {
      const upload = await sendHead(hub.url, org.token, "/condition-sets", 1000);
      upload.write('{"name":');
      upload.resetAndDestroy();
      await expect.poll(async () => (await org.get("/me")).status).toBe(200);
    }
  });

  test("counts requests of disconnected clients until their work has ended, and no longer", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 3 } });
    const org = await hub.org();
    const { id } = (await org.post("/condition-sets", { name: "busy" })).body;
    const lock = await lockSet(hub, id);
    const body = '{"values":["a"]}';
    for (let waiting = 1; waiting <= 2; waiting++) {
      const call = await sendHead(hub.url, org.token, `/condition-sets/${id}/values`, body.length);
      call.write(body);
      await lock.hasWaiting(waiting);
      call.resetAndDestroy();
    }
    for (let i = 0; i < 5; i++) expect((await org.get("/me")).status).toBe(503);
    await lock.release();
    await expect.poll(async () => (await org.get("/me")).status).toBe(200);
  });
});

describe("before a body is read", () => {
  const large = 40 * 1024 * 1024;

  test("a caller without the scope is rejected (security 4)", async () => {
    const hub = await startTestHub();
    const org = await hub.org();
    const { key } = (await org.post("/api-keys", { name: "reader", scopes: ["orders:read"] })).body;
    const answer = await answerToHead(hub.url, "/api/v1/rate-comparisons", { token: key, length: large });
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
  });

  test("an unknown path or method is rejected (security 3)", async () => {
    const hub = await startTestHub();
    expect(await answerToHead(hub.url, "/api/v1/nothing", { length: large })).toMatch(/^HTTP\/1.1 404 /);
    expect(await answerToHead(hub.url, "/api/v1/auth/token", { length: large, method: "PUT" })).toMatch(
      /^HTTP\/1.1 405 /,
    );
  });

  test("a body above the limit of a public route is rejected (security 3)", async () => {
    const hub = await startTestHub();
    expect(await answerToHead(hub.url, "/api/v1/auth/token", { length: 4_097 })).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe("a body with very many values", () => {
  test("is rejected by their number, before they take memory (security 4)", async () => {
    const hub = await startTestHub();
    const org = await hub.org();
    const body = `{"items":[${"{},".repeat(4_000_000)}{}]}`;
    const answer = await org.post("/rate-comparisons", undefined, { rawBody: body });
    expect(answer.body).toMatchObject({ status: 413, code: "body_too_large" });
  });

  test("reports the first mistake, not all of a million (security 3)", async () => {
    const hub = await startTestHub();
    const org = await hub.org();
    const body = { name: "x", ...Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, 1])) };
    const answer = await org.post("/condition-sets", body);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ code: "unknown_field" }] });
    expect(answer.body.errors).toHaveLength(1);
    const values = Array.from({ length: 1_000_001 }, () => 1);
    const { id } = (await org.post("/condition-sets", { name: "many" })).body;
    const tooMany = await org.post(`/condition-sets/${id}/values`, { values });
    expect(tooMany.body.errors).toMatchObject([{ pointer: "/values", code: "maxItems" }]);
  });
});

/** What is answered while none of the body has been sent. */
async function answerToHead(
  url: string,
  path: string,
  { token = "", length = 0, method = "POST" }: { token?: string; length?: number; method?: string },
): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString();
}
