import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createClient } from "../testing/test-client.ts";
import { signIn, startHubProcess } from "../testing/hub-process.ts";
import { offloadThresholdOf } from "../http/offload-threshold.ts";
import { plainFormat } from "../http/mount.ts";
import { apiPrefix, routesOf } from "../http/routes.ts";
import { adminPassword, isRunning, unattended } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";
import { allRoutes, largestBodies, pathOf } from "../testing/route-samples.ts";

const preload = path.join(import.meta.dirname, "../testing/watch-holds.ts");
const hub = await startHubProcess({
  dataDir: await readyDataDir(),
  preload,
  env: { ...unattended, HUB_PREVIEW_PORT: "off", HUB_LOG_LEVEL: "info" },
});
const client = await signIn(hub.url, { email: "admin@hub.local", password: adminPassword });
const soon = { timeout: 40_000, interval: 20 };

/** More than a request may be that is done beside others. */
const bulk = {
  orders: Array.from({ length: 1_000 }, (_, i) => ({
    number: `H-${i}`,
    lines: ["A", "B", "C"].map((size) => ({ sku: `SKU-${i}-${size}`, quantity: 2, name: "x".repeat(90) })),
  })),
};

/** Processes end and files are closed between the list of them and the look at one. */
function ifStillThere(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function workerProcesses(): number[] {
  const children = readFileSync(`/proc/${hub.pid}/task/${hub.pid}/children`, "utf8").split(" ").filter(Boolean);
  const commandOf = (pid: number) => ifStillThere(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  return children.map(Number).filter((pid) => commandOf(pid).includes("worker-process-main.ts"));
}

const workerProcess = (): number | undefined => workerProcesses()[0];

const trial = JSON.stringify({ mappings: [{ source: "a", target: "b" }], sampleData: { a: 1 } });

function tryMapping(token: string | undefined, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asked = { method: "POST", headers, body: trial, ...(signal ? { signal } : {}) };
  return fetch(`${hub.url}/api/v1/transformations/test`, asked);
}

async function inFlight(): Promise<number> {
  const metrics = await (await fetch(`${hub.url}/metrics`)).text();
  return Number(/^hub_http_requests_in_flight\{[^}]*\} (\d+)$/m.exec(metrics)![1]);
}

/** Other tests have some, too. */
function socketOf(pid: number): string {
  const own = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const target = ifStillThere(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    return inode === undefined ? [] : [inode];
  });
  const sockets = readFileSync("/proc/net/unix", "utf8").matchAll(/ (\d+) (\S*hub-worker-\S*)$/gm);
  return [...sockets].find(([, inode]) => own.includes(inode!))![2]!;
}

/** Whether it started a worker process, once all that there were have ended. */
async function startsWorkerProcess(ask: () => Promise<{ status: number }>): Promise<boolean> {
  const pids = workerProcesses();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  // While its threads end, it still accepts connections, and resets them.
  await vi.waitUntil(() => !pids.some((pid) => existsSync(`/proc/${pid}`)), soon);
  expect((await ask()).status).toBe(200);
  return workerProcess() !== undefined;
}

describe.runIf(process.platform === "linux")("offloaded requests", () => {
  test("run in a worker process that is started on demand, with the usual responses", async () => {
    expect(workerProcess()).toBeUndefined();
    // However small: the check of rate cards takes long to compile.
    const card = await client.post(`/carrier-accounts/${crypto.randomUUID()}/rate-cards`, { card: {} });
    expect(card.status).toBe(400);
    expect(workerProcess()).toBeDefined();
    const answer = await client.post("/orders/bulk", bulk, { headers: { "idempotency-key": "heavy-1" } });
    expect(answer.status).toBe(200);
    expect(workerProcess()).toBeDefined();
    expect(answer.headers.get("x-request-id")).toMatch(/./);
    expect(answer.headers.get("hub-environment")).toBe("live");
    expect(answer.body.summary).toMatchObject({ created: 1_000 });
    const again = await client.post("/orders/bulk", bulk, { headers: { "idempotency-key": "heavy-1" } });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(answer.body);
    const events = await client.get("/audit?type=orders.created&limit=1");
    expect(events.body.data[0].actor).toMatchObject({ type: "user", email: "admin@hub.local" });
  });

  test("with mistakes get the usual errors", async () => {
    const answer = await client.post("/orders/bulk", { ...bulk, nonsense: true });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toMatch("application/problem+json");
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: "/nonsense", code: "unknown_field" }));
    const charset = { headers: { "content-type": "application/json; charset=utf-16" } };
    expect((await client.post("/orders/bulk", bulk, charset)).status).toBe(415);
  });

  test("have one line in the log, that of the process which the client reached", async () => {
    const idOf = async () => (await client.post("/orders/bulk", bulk)).headers.get("x-request-id")!;
    const first = await idOf();
    const second = await idOf();
    const linesOf = (id: string) =>
      hub
        .stdout()
        .split("\n")
        .filter((line) => line.includes(`"requestId":"${id}"`));
    await expect.poll(() => linesOf(second).length, soon).toBeGreaterThan(0);
    expect(linesOf(first).map((line) => JSON.parse(line).msg)).toEqual(["request"]);
  });

  test("include small ones with much work: a preflight by filter, and a run over its selection", async () => {
    const pid = workerProcess()!;
    const actions = [{ type: "add_tags", params: { tags: ["picked"] } }];
    const ask = () => client.post("/operations/preflight", { filter: { search: "H-" }, actions });
    process.kill(pid, "SIGSTOP");
    const asked = ask();
    const named = await client.post("/operations/preflight", { order_ids: ["H-1"], actions });
    expect(named.body.summary).toMatchObject({ ok: 1 });
    process.kill(pid, "SIGKILL");
    expect((await asked).status).toBe(503);
    await vi.waitUntil(() => !isRunning(pid), soon);
    const { status, body } = await ask();
    expect([status, body.summary?.ok]).toEqual([200, 1_000]);
    const { preflight_token, selection_id } = body;
    const run = await client.post("/operations/run", { selection_id, preflight_token, actions, on_drift: "reject" });
    expect(run.body).toMatchObject({ status: "succeeded", summary: { succeeded: 1_000 } });
    const wrong = await client.post("/operations/preflight", { filter: { statsu: "new" }, actions });
    expect(wrong.body.errors[0]).toMatchObject({ pointer: "/filter/statsu", suggestion: "status" });
  });

  test("need the scopes of the caller", async () => {
    const { body: key } = await client.post("/api-keys", { name: "Reader", scopes: ["orders:read"] });
    const reader = createClient(hub.url, key.key, async () => () => {});
    expect((await reader.post("/orders/bulk", bulk)).status).toBe(403);
    expect(
      (await reader.post("/operations/preflight", { order_ids: bulk.orders.map(({ number }) => number), actions: [] }))
        .status,
    ).toBe(403);
  });

  test("fail alone: the caller gets 503, all others and the next one are served", async () => {
    const pid = workerProcess()!;
    process.kill(pid, "SIGSTOP");
    const asked = client.post("/orders/bulk", bulk);
    expect((await client.get("/me")).status).toBe(200);
    process.kill(pid, "SIGKILL");
    const given = await asked;
    expect(given.body).toMatchObject({ status: 503, code: "overloaded", retryable: true });
    expect(given.headers.get("retry-after")).toBe("5");
    await vi.waitUntil(() => !isRunning(pid), soon);
    const next = await client.post("/transformations/test", {
      mappings: [{ source: "a", target: "b" }],
      sampleData: { a: 1 },
    });
    expect(next.body).toMatchObject({ output: { b: 1 } });
    expect(workerProcess()).not.toBe(pid);
  });

  test("wait in a queue that disconnected clients leave", async () => {
    const ask = async (signal?: AbortSignal): Promise<number> => (await tryMapping(client.token, signal)).status;
    const pid = workerProcess()!;
    process.kill(pid, "SIGSTOP");
    const first = ask();
    await expect.poll(inFlight, soon).toBe(1);
    const hangUp = new AbortController();
    const waiting = Array.from({ length: 16 }, () => ask(hangUp.signal).catch(() => "gone"));
    await expect.poll(inFlight, soon).toBe(17);
    expect(await ask()).toBe(503);
    hangUp.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["gone"]));
    await expect.poll(inFlight, soon).toBe(1);
    const last = ask();
    await expect.poll(inFlight, soon).toBe(2);
    process.kill(pid, "SIGCONT");
    expect(await Promise.all([first, last])).toEqual([200, 200]);
  });

  test("of one organization that never end delay no other, also after the client disconnected (security N2)", async () => {
    const credentials = { email: "second@org.example", password: adminPassword };
    await client.post("/organizations", { name: "Second", admin: credentials });
    const second = await signIn(hub.url, credentials);
    expect((await tryMapping(second.token)).status).toBe(200);
    const stuck = workerProcess()!;
    // As a process whose event loop does not turn any more.
    process.kill(stuck, "SIGSTOP");
    const hangUp = new AbortController();
    const first = tryMapping(client.token, hangUp.signal).catch(() => "gone");
    await expect.poll(inFlight, soon).toBe(1);
    hangUp.abort();
    expect(await first).toBe("gone");
    // One after the other: how long a further process takes to start is not what is asked here.
    for (let n = 0; n < 3; n++) expect((await tryMapping(second.token)).status).toBe(200);
    expect(workerProcesses()).toHaveLength(2);
    process.kill(stuck, "SIGCONT");
    await vi.waitUntil(async () => (await tryMapping(client.token)).status === 200, soon);
  });

  test("are rejected by the worker process if they do not come from the hub", async () => {
    const socket = socketOf(workerProcess()!);
    const { request } = await import("node:http");
    const status = await new Promise<number>((resolve, reject) => {
      const call = request({ socketPath: socket, path: "/api/v1/me", headers: { host: "x" } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      });
      call.once("error", reject).end();
    });
    expect(status).toBe(401);
  });

  test("include tests, drafts and replays of mappings, however small (security 5)", async () => {
    const { body: bridge } = await client.post("/bridges", { name: "Mappings", connector: "demo" });
    const mappings = [{ source: "text", target: "title" }];
    const about = { name: "Small", bridgeId: bridge.id, taskName: "noop", direction: "inbound", mappings };
    const { body: saved } = await client.post("/transformations", about);
    const sampleData = { text: "Lorem ipsum" };
    const requests: [path: string, body?: object][] = [
      ["/transformations/test", { mappings, sampleData }],
      [`/transformations/${saved.id}/test`, { sampleData }],
      ["/transformations/suggest", { sampleData, targetExample: sampleData }],
      [`/transformations/${saved.id}/replay`],
    ];
    for (const [url, body] of requests) {
      expect(await startsWorkerProcess(() => client.post(url, body)), url).toBe(true);
    }
  });

  test("include exports while the event loop is late", async () => {
    const isDoneElsewhere = () => startsWorkerProcess(() => client.get("/orders/export.csv?status=cancelled"));
    await expect.poll(isDoneElsewhere, soon).toBe(false);
    hub.send("SIGWINCH");
    await expect.poll(isDoneElsewhere, soon).toBe(true);
    hub.send("SIGWINCH");
    await expect.poll(isDoneElsewhere, soon).toBe(false);
  });
});

describe("the hub answers", () => {
  const routes = allRoutes([{ prefix: apiPrefix, routes: routesOf("live"), format: plainFormat }]);

  test.each(routes.filter(({ route }) => route.body && route.scope !== "public"))(
    "the largest body of $name that is done beside other requests",
    async (mounted) => {
      const { bodyLimitBytes = 10 * 1024 ** 2 } = mounted.route;
      const bounds = offloadThresholdOf(mounted.route);
      const url = pathOf(mounted, () => crypto.randomUUID());
      const most = { ...bounds, bytes: Math.min(bounds.bytes, bodyLimitBytes) };
      for (const rawBody of largestBodies(mounted.route, most)) {
        const answer = await client.call(mounted.route.method, url, undefined, { rawBody });
        expect(answer.status).not.toBe(500);
      }
    },
  );

  test("a body of 32 MiB", async () => {
    const bulkRoute = routes.find(({ route }) => route.path === "/orders/bulk")!;
    for (const rawBody of largestBodies(bulkRoute.route, { bytes: 32 * 1024 ** 2 })) {
      expect((await client.post("/orders/bulk", undefined, { rawBody })).status).toBeLessThan(500);
    }
  });
});

test.runIf(process.platform === "linux")("a killed hub leaves no worker process running", async () => {
  await client.post("/orders/bulk", bulk);
  const pid = workerProcess()!;
  const folder = path.dirname(socketOf(pid));
  expect(existsSync(folder)).toBe(true);
  hub.send("SIGKILL");
  await vi.waitUntil(() => !isRunning(pid) && !existsSync(folder), soon);
});
