import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { TestHub } from "../testing/test-hub.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { createAdmission } from "./admission.ts";

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
  const countWaiting = async (): Promise<number | undefined> => {
    const [row] = await db.query<{ waiting: number }>(
      `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.waiting;
  };
  return {
    async hasWaiting(count: number) {
      await expect.poll(countWaiting).toBe(count);
    },
    async release() {
      released.resolve();
      await blocker;
    },
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
  test("are announced on every answer and enforced per organization, not across them", async () => {
    const hub = await startTestHub({ config: { rateLimit: 10 } });
    const [busy, calm] = [await hub.org(), await hub.org()];
    await expect.poll(async () => (await busy.get("/me")).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 120 }, () => busy.get("/me")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    expect(refused[0]!.body).toMatchObject({ code: "rate_limited", retryable: true });
    const allowed = await calm.get("/me");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("ratelimit-policy")).toBe('"organization";q=10;w=1, "caller";q=10;w=1');
    expect(allowed.headers.get("ratelimit")).toMatch(/^"(organization|caller)";r=\d+;t=1$/);
    await expect.poll(async () => (await busy.get("/me")).status, { interval: 200, timeout: 5_000 }).toBe(200);
  });
});

describe("admission control", () => {
  test("sheds with 503 and Retry-After while too many requests are in flight, and health still answers", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 3 } });
    const org = await hub.org();
    const { id } = (await org.post("/condition-sets", { name: "busy" })).body;
    const lock = await lockSet(hub, id);
    const waiting = Array.from({ length: 3 }, () => org.post(`/condition-sets/${id}/values`, { values: ["a"] }));
    await lock.hasWaiting(3);
    const shed = await org.get("/me");
    expect(shed.body).toMatchObject({ status: 503, code: "overloaded", retryable: true });
    expect(shed.headers.get("retry-after")).toBe("1");
    expect((await hub.anonymous.get("!/healthz")).status).toBe(200);
    expect((await hub.anonymous.get("!/readyz")).status).toBe(200);
    await lock.release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect.poll(async () => (await org.get("/me")).status).toBe(200);
  });

  test("does not count requests that were cut off", async () => {
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

  test("gives the places of uploads that break off to others", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 2 } });
    const org = await hub.org();
    for (let i = 0; i < 4; i++) {
      const upload = await sendHead(hub.url, org.token, "/condition-sets", 1000);
      upload.write('{"name":');
      upload.resetAndDestroy();
      await expect.poll(async () => (await org.get("/me")).status).toBe(200);
    }
  });

  test("keeps the places of callers that have hung up until the work on them has ended, and no longer", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 2 } });
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

  test("sheds while the event loop lags or the database has a queue", async () => {
    let waiting = 0;
    const limits = { maxInFlight: 10, maxWaitingForDatabase: 5, maxLoopDelayMs: 30 };
    const admission = createAdmission({ waitingCount: () => waiting }, limits);
    expect(admission.enter()).toBe(true);
    waiting = 6;
    expect(admission.enter()).toBe(false);
    waiting = 0;
    expect(admission.enter()).toBe(true);
    const block = (): void => {
      const until = performance.now() + 300;
      while (performance.now() < until);
    };
    await expect.poll(() => (block(), admission.enter()), { interval: 120 }).toBe(false);
    await expect.poll(() => admission.enter(), { interval: 50, timeout: 5_000 }).toBe(true);
    admission.stop();
  });
});
