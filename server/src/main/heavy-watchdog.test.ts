import { expect, test, vi } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { createProcessSlots } from "../http/heavy-slots.ts";
import { isRunning } from "../testing/launch-hub.ts";
import { secretKey, startTestHub } from "../testing/test-hub.ts";
import { startHeavyProcess } from "./heavy-process.ts";

const { connection, world, stop } = await startTestHub();
const task = {
  environment: "live",
  connection,
  secretKeys: [secretKey, []],
  settings: world.settings,
  logLevel: "silent",
  logFormat: "json",
} satisfies Parameters<typeof startHeavyProcess>[0];

const limits = { maxUnanswered: 2, maxSilentCpuSeconds: 60, fullMegabytes: 10_000 };
const soon = { timeout: 30_000, interval: 20 };
const trial = { mappings: [{ source: "a", target: "b" }], sampleData: { a: 1 } };

test.runIf(process.platform === "linux")(
  "a process that stands still is killed although its caller has hung up, and its organization waits (security N2)",
  async () => {
    // Long enough for the metrics, which are made once a second, to show the request.
    const heavyProcess = await startHeavyProcess(task, { ...limits, maxUnanswered: 8 });
    afterFile(heavyProcess.kill);
    const hub = await startTestHub({ heavyProcess });
    const [greedy, other] = [await hub.org(), await hub.org()];
    expect(await heavyProcess.unfinished()).toBe(0);
    process.kill(heavyProcess.pid, "SIGSTOP");
    const hangUp = new AbortController();
    const asked = fetch(`${hub.url}/api/v1/transformations/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${greedy.token}`, "content-type": "application/json" },
      body: JSON.stringify(trial),
      signal: hangUp.signal,
    });
    const given = Promise.allSettled([asked]);
    const inFlight = async () =>
      /^hub_http_requests_in_flight\{[^}]*\} 1$/m.test(await (await fetch(`${hub.url}/metrics`)).text());
    await vi.waitUntil(inFlight, { ...soon, interval: 100 });
    hangUp.abort();
    const [{ status }] = await given;
    expect(status).toBe("rejected");
    await vi.waitUntil(() => !isRunning(heavyProcess.pid), soon);
    expect(heavyProcess.wasOverworked()).toBe(true);
    const refusal = async () => (await greedy.post("/transformations/test", trial)).body.detail as string;
    await vi.waitUntil(async () => /was stopped/.test(await refusal()), soon);
    const refused = await greedy.post("/transformations/test", trial);
    expect(refused.body).toMatchObject({ status: 503, code: "overloaded" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
    // That there is no other process here is no reason to keep another organization waiting for this one.
    expect((await other.post("/transformations/test", trial)).body.detail).not.toMatch(/your organization/);
  },
);

test.runIf(process.platform === "linux")(
  "a process that is asked to end was not killed, and says how much it has to do before and after",
  async () => {
    const heavyProcess = await startHeavyProcess(task, limits);
    afterFile(heavyProcess.kill);
    expect(await heavyProcess.unfinished()).toBe(0);
    expect(heavyProcess.hasEnded()).toBe(false);
    await heavyProcess.stop();
    expect(await heavyProcess.unfinished()).toBe(0);
    expect(heavyProcess.wasOverworked()).toBe(false);
  },
);

test("a process that is full of what was asked before gets no further request", async () => {
  const slots = createProcessSlots(1, () => startHeavyProcess(task, { ...limits, fullMegabytes: 1 }));
  afterFile(slots.stop);
  const slot = slots.take();
  const first = await slot.reach();
  expect(first.isFull()).toBe(false);
  await first.unfinished();
  expect(first.isFull()).toBe(true);
  slot.release();
  const second = await slots.take().reach();
  expect(second).not.toBe(first);
  expect(second.hasEnded()).toBe(false);
  await vi.waitUntil(() => first.hasEnded(), soon);
  expect(first.wasOverworked()).toBe(false);
});

afterFile(stop);
