import { expect, test, vi } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { createWorkerSlots } from "../http/worker-slots.ts";
import { isRunning } from "../testing/launch-hub.ts";
import { secretKey, startTestHub } from "../testing/test-hub.ts";
import { startWorkerProcess } from "./worker-process.ts";

const { connection, world, stop } = await startTestHub();
const task = {
  environment: "live",
  connection,
  secretKeys: [secretKey, []],
  settings: world.settings,
  rowSecurity: true,
  plugins: [],
  logLevel: "silent",
  logFormat: "json",
} satisfies Parameters<typeof startWorkerProcess>[0];

const limits = { maxUnanswered: 2, maxSilentCpuSeconds: 60, fullMegabytes: 10_000 };
const soon = { timeout: 30_000, interval: 20 };
const trial = { mappings: [{ source: "a", target: "b" }], sampleData: { a: 1 } };

test.runIf(process.platform === "linux")(
  "a blocked process is killed although its client disconnected, and its organization has to wait (security N2)",
  async () => {
    // Long enough for the metrics, which are made once a second, to show the request.
    const workerProcess = await startWorkerProcess(task, { ...limits, maxUnanswered: 8 });
    afterFile(workerProcess.kill);
    const hub = await startTestHub({ workerProcess });
    const [attacker, other] = [await hub.org(), await hub.org()];
    expect(await workerProcess.unfinished()).toBe(0);
    process.kill(workerProcess.pid, "SIGSTOP");
    const hangUp = new AbortController();
    const asked = fetch(`${hub.url}/api/v1/transformations/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${attacker.token}`, "content-type": "application/json" },
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
    await vi.waitUntil(() => !isRunning(workerProcess.pid), soon);
    expect(workerProcess.wasKilled()).toBe(true);
    const refusal = async () => (await attacker.post("/transformations/test", trial)).body.detail as string;
    await vi.waitUntil(async () => /was stopped/.test(await refusal()), soon);
    const refused = await attacker.post("/transformations/test", trial);
    expect(refused.body).toMatchObject({ status: 503, code: "overloaded" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
    // That there is no other process here is no reason to keep another organization waiting for this one.
    expect((await other.post("/transformations/test", trial)).body.detail).not.toMatch(/your organization/);
  },
);

test.runIf(process.platform === "linux")(
  "a process that ends on request does not count as killed, and reports its load before and after",
  async () => {
    const workerProcess = await startWorkerProcess(task, limits);
    afterFile(workerProcess.kill);
    expect(await workerProcess.unfinished()).toBe(0);
    expect(workerProcess.hasEnded()).toBe(false);
    await workerProcess.stop();
    expect(await workerProcess.unfinished()).toBe(0);
    expect(workerProcess.wasKilled()).toBe(false);
  },
);

test("a process whose heap is full gets no further request", async () => {
  const slots = createWorkerSlots(1, () => startWorkerProcess(task, { ...limits, fullMegabytes: 1 }));
  afterFile(slots.stop);
  const slot = slots.take();
  const first = await slot.connect();
  expect(first.isFull()).toBe(false);
  await first.unfinished();
  expect(first.isFull()).toBe(true);
  slot.release();
  const second = await slots.take().connect();
  expect(second).not.toBe(first);
  expect(second.hasEnded()).toBe(false);
  await vi.waitUntil(() => first.hasEnded(), soon);
  expect(first.wasKilled()).toBe(false);
});

afterFile(stop);
