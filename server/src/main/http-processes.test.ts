import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { signIn, startHubProcess } from "../testing/hub-process.ts";
import { adminPassword, isRunning, isServing, postmasterOf } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";
import { openStream } from "../testing/stream-reader.ts";

const env = {
  HUB_PROCESSES: "2",
  HUB_AUTO_RESTART: "on",
  HUB_PREVIEW_PORT: "off",
  HUB_ADMIN_PASSWORD: adminPassword,
  HUB_RATE_LIMIT_PER_SECOND: "1000",
};
const rateLimit = 1_000;
const soon = { timeout: 60_000, interval: 50 };

type Response = { status: number; headers: Record<string, unknown>; body: string };

/** On a connection of its own, so that the supervisor chooses the process. */
async function call(url: string, method: string, path: string, token: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
  const sent = request(`${url}/api/v1${path}`, { method, headers, agent: new Agent() });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, body: text };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");

describe.runIf(process.platform === "linux")("a hub with two HTTP processes", async () => {
  const hub = await startHubProcess({ dataDir: await readyDataDir(), env });
  const { url } = hub;
  const admin = await signIn(url, { email: "admin@hub.local", password: adminPassword });
  const token = admin.token!;
  const get = (path: string, by = token): Promise<Response> => call(url, "GET", path, by);
  const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => make(n)));

  /** Requests served so far, by process. */
  async function served(): Promise<Record<string, number>> {
    const text = await (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
    const counts: Record<string, number> = {};
    for (const [, number, count] of text.matchAll(
      /^hub_http_request_duration_seconds_count\{.*process="(\d)"\} (\d+)$/gm,
    ))
      counts[number!] = (counts[number!] ?? 0) + Number(count);
    return counts;
  }
  const bothServe = async (): Promise<void> => {
    await vi.waitUntil(async () => {
      await times(4, () => get("/me"));
      return Object.keys(await served()).length === 2;
    }, soon);
  };

  test("serves requests with both, and reports the metrics of both on every port", async () => {
    await bothServe();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text.match(/^# TYPE hub_http_requests_in_flight /gm)).toHaveLength(1);
    expect(text.match(/^hub_http_requests_in_flight\{.*process="[12]"\}/gm)).toHaveLength(2);
    expect(text.match(/^process_resident_memory_bytes\{process="[12]"\}/gm)).toHaveLength(2);
    expect(text.match(/^hub_jobs_waiting\{queue="tasks",environment="live"\}/gm)).toHaveLength(1);
  });

  test("refuses a revoked key in both at once", async () => {
    const { key, id } = (await admin.post("/api-keys", { name: "short", scopes: ["orders:read"] })).body;
    const statuses = async (): Promise<Set<number>> =>
      new Set((await times(10, () => get("/orders", key as string))).map(({ status }) => status));
    expect(await statuses()).toEqual(new Set([200]));
    expect((await admin.delete(`/api-keys/${id}`)).status).toBe(200);
    expect(await statuses()).toEqual(new Set([401]));
  });

  test("counts the rate limit over both", async () => {
    const remaining = ({ headers }: Response): number => Number(/;r=(\d+)/.exec(String(headers["ratelimit"]))![1]);
    await expect
      .poll(async () => {
        // All within one window of a second.
        await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));
        const before = remaining((await times(20, () => get("/me")))[19]!);
        await new Promise((resolve) => setTimeout(resolve, 250));
        return before >= rateLimit - 20 ? rateLimit - remaining(await get("/me")) : 0;
      }, soon)
      .toBe(21);
  });

  test("streams events to clients of both, whichever made the change", async () => {
    const streams = await times(4, () =>
      openStream(`${url}/api/v1/events/stream?types=order.created`, { authorization: `Bearer ${token}` }),
    );
    for (const stream of streams) expect((await stream.next()).retry).toBe("2000");
    for (let n = 0; n < 4; n++) await call(url, "POST", "/orders", token, { number: `P-${n}` });
    for (const stream of streams) {
      for (let n = 0; n < 4; n++) {
        const { data } = await stream.next((block) => block.data !== undefined);
        expect(data).toContain("order.created");
      }
      stream.close();
    }
  });

  test("replays an idempotent response whichever process gets the repetition", async () => {
    const send = async (): Promise<Response> => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": "once",
      };
      const response = await fetch(`${url}/api/v1/orders`, {
        method: "POST",
        headers: { ...headers, connection: "close" },
        body: '{"number":"ONCE"}',
      });
      return { status: response.status, headers: {}, body: await response.text() };
    };
    const first = await send();
    expect(first.status).toBe(201);
    for (const again of await times(6, send)) expect(again.body).toBe(first.body);
  });

  test("forwards costly requests to worker processes", async () => {
    const orders = Array.from({ length: 150 }, (_, n) => ({ number: `B-${n}` }));
    for (let n = 0; n < 2; n++) expect((await call(url, "POST", "/orders/bulk", token, { orders })).status).toBe(200);
    const workers = childrenOf(hub.pid).flatMap(childrenOf).map(commandOf);
    expect(workers.filter((command) => command.includes("worker-process-main.ts")).length).toBeGreaterThan(0);
  });

  test.each([
    ["second", 1],
    ["first", 0],
  ] as const)("replaces its %s process when it is killed, while the other one serves", async (_name, index) => {
    const before = childrenOf(hub.pid);
    expect(before).toHaveLength(2);
    const killed = before.toSorted((a, b) => a - b)[index]!;
    process.kill(killed, "SIGKILL");
    await vi.waitUntil(() => !childrenOf(hub.pid).includes(killed), soon);
    // One after the other, until both serve again.
    await vi.waitUntil(async () => {
      expect((await get("/me")).status).toBe(200);
      return childrenOf(hub.pid).length === 2;
    }, soon);
    await bothServe();
    expect(hub.stderr()).toMatch(/process [12] of the hub died \(SIGKILL\) after \d+ s; starting it again in 1 s/);
    // Background work goes on as well.
    const { id: bridgeId } = (await admin.post("/bridges", { name: `Bridge ${index}`, connector: "demo" })).body;
    const task = { bridgeId, taskName: "noop", input: {} };
    expect((await call(url, "POST", "/tasks/execute-sync", token, task)).status).toBe(200);
  });

  test("completes accepted requests of both when it is stopped", async () => {
    await bothServe();
    const { id: bridgeId } = (await admin.post("/bridges", { name: "Slow", connector: "demo" })).body;
    const task = { bridgeId, taskName: "sleep", input: { ms: 1_500 } };
    const waiting = times(6, () => call(url, "POST", "/tasks/execute-sync", token, task));
    await vi.waitUntil(async () => {
      const { body } = await get("/tasks/executions?status=running");
      return (JSON.parse(body) as { pagination: { total: number } }).pagination.total > 0;
    }, soon);
    const processes = childrenOf(hub.pid);
    expect(await hub.stop()).toBe(0);
    // 202: the task goes on after the stop.
    for (const { status } of await waiting) expect([200, 202]).toContain(status);
    expect(processes.some(isRunning)).toBe(false);
    expect(postmasterOf(hub.dataDir)).toBeUndefined();
  });
});

test.runIf(process.platform === "linux")("no process outlives a supervisor that was killed", async () => {
  const hub = await startHubProcess({ dataDir: await readyDataDir(), env });
  await vi.waitUntil(() => childrenOf(hub.pid).length === 2, soon);
  const processes = childrenOf(hub.pid);
  hub.send("SIGKILL");
  await vi.waitUntil(() => !processes.some(isRunning), soon);
  expect(await isServing(hub.url)).toBe(false);
  await vi.waitUntil(() => postmasterOf(hub.dataDir) === undefined, soon);
});

test.runIf(process.platform === "linux")(
  "without automatic restarts the hub ends with its first process to die",
  async () => {
    const hub = await startHubProcess({ dataDir: await readyDataDir(), env: { ...env, HUB_AUTO_RESTART: "off" } });
    await vi.waitUntil(() => childrenOf(hub.pid).length === 2, soon);
    process.kill(childrenOf(hub.pid).toSorted((a, b) => a - b)[1]!, "SIGKILL");
    expect(await hub.exited).toBe(1);
    expect(postmasterOf(hub.dataDir)).toBeUndefined();
  },
);
