import { describe, expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { createAdmission } from "./admission.ts";

describe("rate limits", () => {
  test("are announced on every answer and enforced per organization, not across them", async () => {
    const hub = await startTestHub({ config: { rateLimit: 8 } });
    const [busy, calm] = [await hub.org(), await hub.org()];
    await expect.poll(async () => (await busy.get("/me")).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 120 }, () => busy.get("/me")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    expect(refused[0]!.body).toMatchObject({ code: "rate_limited", retryable: true });
    const allowed = await calm.get("/me");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("ratelimit-policy")).toBe('"organization";q=8;w=1, "caller";q=8;w=1');
    expect(allowed.headers.get("ratelimit")).toMatch(/^"(organization|caller)";r=\d+;t=1$/);
    await expect.poll(async () => (await busy.get("/me")).status, { interval: 200, timeout: 5_000 }).toBe(200);
  });
});

describe("admission control", () => {
  test("sheds with 503 and Retry-After while too many requests are in flight, and health still answers", async () => {
    const hub = await startTestHub({ config: { maxInFlight: 3 } });
    const org = await hub.org();
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const { id } = (await org.post("/condition-sets", { name: "busy" })).body;
    const blocker = hub.world.db.transaction(async (tx) => {
      await tx.query("select 1 from condition_sets where id = $1 for update", [id]);
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    const waiting = Array.from({ length: 3 }, () => org.post(`/condition-sets/${id}/values`, { values: ["a"] }));
    await expect.poll(async () => (await hub.anonymous.get("/me")).status).toBe(503);
    const shed = await org.get("/me");
    expect(shed.body).toMatchObject({ status: 503, code: "overloaded", retryable: true });
    expect(shed.headers.get("retry-after")).toBe("1");
    expect((await hub.anonymous.get("!/healthz")).status).toBe(200);
    expect((await hub.anonymous.get("!/readyz")).status).toBe(200);
    held.resolve();
    await blocker;
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await org.get("/me")).status).toBe(200);
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
