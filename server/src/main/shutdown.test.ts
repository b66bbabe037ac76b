import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { makeFolder, signIn, spawnHub, startHubProcess } from "../testing/hub-process.ts";
import { databaseOf, hubMain, isRunning, postmasterOf, repository } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";

const admin = { email: "admin@hub.example", password: "correct horse battery" };
const env = { HUB_ADMIN_EMAIL: admin.email, HUB_ADMIN_PASSWORD: admin.password, HUB_RATE_LIMIT_PER_SECOND: "off" };
const soon = { timeout: 40_000, interval: 10 };
const oneInFlight = /^hub_http_requests_in_flight\{[^}]*\} 1$/m;

type Sent = { name: string; status?: number; error?: string; isReused: boolean };

/** One keep-alive client that creates one condition set after the other until no hub listens any more. */
async function keepWriting(url: string, token: string, client: number, sent: Sent[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let count = 0; sent.every(({ error }) => error !== "ECONNREFUSED"); count++) {
    sent.push(await post(url, token, agent, `client ${client} set ${count}`));
  }
  agent.destroy();
}

async function post(url: string, token: string, agent: Agent, name: string): Promise<Sent> {
  return await new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const outgoing = request(`${url}/api/v1/condition-sets`, { method: "POST", agent, headers }, (incoming) => {
      let answer = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
      incoming.on("error", (error: NodeJS.ErrnoException) => resolve(failed(error)));
      incoming.on("end", () => {
        const isWhole = incoming.complete && (JSON.parse(answer) as { name: string }).name === name;
        resolve({ name, isReused: outgoing.reusedSocket, ...(isWhole ? { status: incoming.statusCode! } : {}) });
      });
    });
    const failed = (error: NodeJS.ErrnoException): Sent => ({
      name,
      isReused: outgoing.reusedSocket,
      error: error.code ?? error.message,
    });
    outgoing.on("error", (error) => resolve(failed(error)));
    outgoing.end(JSON.stringify({ name }));
  });
}

describe("SIGTERM", () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await readyDataDir();
  });

  test("with a queue of long runs ends after the current batch, and the next start continues at once", async () => {
    const hub = await startHubProcess({ dataDir, env });
    const client = await signIn(hub.url, admin);
    const orders = Array.from({ length: 2_000 }, () => ({ status: "ready" }));
    const { body: made } = await client.post("/orders/bulk", { orders });
    const order_ids = made.results.map(({ id }: { id: string }) => id);
    const actions = [{ type: "add_note", params: { text: "queued" } }];
    let last = "";
    for (let i = 0; i < 6; i++) last = (await client.post("/operations/run", { order_ids, actions })).body.id;
    // Not 0 if it takes ten seconds: then it gives up.
    expect(await hub.stop()).toBe(0);
    expect(postmasterOf(dataDir)).toBeUndefined();

    const next = await startHubProcess({ dataDir, env });
    const again = await signIn(next.url, admin);
    const statusOf = async (): Promise<string> => (await again.get(`/operations/runs/${last}`)).body.status;
    await vi.waitFor(async () => expect(await statusOf()).toBe("succeeded"), { timeout: 240_000, interval: 200 });
    const { body: order } = await again.get(`/orders/${order_ids[0]}`);
    expect(order.notes).toHaveLength(6);
    await next.stop();
  });

  test("under load accepted requests get complete responses, then hub and PostgreSQL end", async () => {
    const hub = await startHubProcess({ dataDir, env });
    const { token } = await signIn(hub.url, admin);
    const sent: Sent[] = [];
    const clients = Array.from({ length: 8 }, (_, client) => keepWriting(hub.url, token!, client, sent));
    await vi.waitUntil(() => sent.length > 100, { timeout: 30_000, interval: 5 });
    expect(await hub.stop()).toBe(0);
    await Promise.all(clients);
    expect(postmasterOf(dataDir)).toBeUndefined();
    const lost = hub
      .stdout()
      .split("\n")
      .filter((line) => line.includes("a database connection was lost"));
    expect(lost).toEqual([]);

    expect(sent.filter(({ isReused, error }) => isReused && error !== undefined)).toEqual([]);
    const answered = sent.filter(({ status }) => status === 201).map(({ name }) => name);
    expect(sent.filter(({ status, error }) => status !== 201 && error === undefined)).toEqual([]);

    const next = await startHubProcess({ dataDir, env });
    const stored = await listNames(next.url);
    expect(stored.toSorted()).toEqual(answered.toSorted());
    await next.stop();
  });

  test("completes a request that is still arriving, and does not wait for an idle connection", async () => {
    const hub = await startHubProcess({ dataDir, env });
    const { token } = await signIn(hub.url, admin);
    const { hostname, port } = new URL(hub.url);
    const silent = connect(Number(port), hostname).on("error", () => {});
    const slow = connect(Number(port), hostname);
    await Promise.all([once(silent, "connect"), once(slow, "connect")]);
    const body = JSON.stringify({ name: "Slowly sent" });
    slow.write(
      `POST /api/v1/condition-sets HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    );
    await vi.waitFor(async () => expect(await (await fetch(`${hub.url}/metrics`)).text()).toMatch(oneInFlight), soon);
    hub.send("SIGTERM");
    await once(silent, "close");
    slow.write(body.slice(9));
    const answer = await text(slow);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain("Slowly sent");
    expect(await hub.exited).toBe(0);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test("during a restart of PostgreSQL ends it too", async () => {
    const hub = await startHubProcess({ dataDir, env });
    const killed = postmasterOf(dataDir)!;
    process.kill(killed, "SIGKILL");
    const isNew = (pid: number | undefined): boolean => pid !== undefined && pid !== killed;
    await vi.waitUntil(() => isNew(postmasterOf(dataDir)), { timeout: 40_000, interval: 1 });
    const restarted = postmasterOf(dataDir)!;
    // Held in its start, so that the hub has to stop what is not ready yet.
    process.kill(restarted, "SIGSTOP");
    hub.send("SIGTERM");
    await vi.waitFor(() => expect(fetch(hub.url)).rejects.toThrow("fetch failed"), soon);
    process.kill(restarted, "SIGCONT");
    expect(await hub.exited).toBe(0);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "during a start (%s) leaves no PostgreSQL running",
    async (signal) => {
      const hub = await spawnHub({ dataDir, env });
      await vi.waitUntil(() => postmasterOf(dataDir) !== undefined, { timeout: 40_000, interval: 2 });
      hub.send(signal);
      expect(await hub.exited).toBe(0);
      expect(postmasterOf(dataDir)).toBeUndefined();
    },
  );
});

describe("a first start that is ended (operations N4)", () => {
  const liveOnly = { ...env, HUB_PREVIEW_PORT: "off" };
  const isMaking = (dataDir: string): boolean =>
    existsSync(dataDir) && readdirSync(dataDir).some((name) => name.endsWith(".new"));

  test.runIf(process.platform === "linux")(
    "with its process group during the creation of the database logs only that, and leaves nothing",
    async () => {
      const dataDir = path.join(await makeFolder(), "data");
      // As `timeout` and a terminal do it: to the hub and everything that it has started in its group.
      const command = ["setsid", process.execPath, hubMain] as const;
      const hub = await spawnHub({ dataDir, command, env: { ...liveOnly, HUB_AUTO_RESTART: "on" } });
      await vi.waitUntil(() => isMaking(dataDir), { timeout: 40_000, interval: 1 });
      process.kill(-hub.pid, "SIGTERM");
      expect(await hub.exited).toBe(0);
      expect(hub.stderr()).toBe("");
      expect(await readdir(dataDir)).toEqual(expect.not.arrayContaining([expect.stringContaining("postgres")]));
    },
  );

  test("and is stuck ends all the same, with its PostgreSQL", async () => {
    const dataDir = await readyDataDir();
    const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
    // The hub will adopt it. A migration is missing, and the lock for it is held by another process.
    postgres.leave();
    const holder = new pg.Client(databaseOf(dataDir));
    holder.on("error", () => {});
    await holder.connect();
    await holder.query("delete from schema_migrations where version = (select max(version) from schema_migrations)");
    await holder.query("select pg_advisory_lock(7204119)");
    const postmaster = postmasterOf(dataDir)!;
    const hub = await spawnHub({ dataDir, env: liveOnly });
    const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
    await vi.waitUntil(async () => (await holder.query(waiting)).rowCount === 1, { timeout: 40_000, interval: 20 });
    hub.send("SIGTERM");
    expect(await hub.exited).toBe(0);
    expect(isRunning(postmaster)).toBe(false);
  });

  test("by SIGKILL right after the start of its PostgreSQL leaves it running for a while, then it ends", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    const hub = await spawnHub({ dataDir, env: liveOnly });
    await vi.waitUntil(() => postmasterOf(dataDir) !== undefined, { timeout: 40_000, interval: 1 });
    hub.send("SIGKILL");
    await hub.exited;
    expect(postmasterOf(dataDir)).toBeDefined();
    await vi.waitFor(() => expect(postmasterOf(dataDir)).toBeUndefined(), { timeout: 60_000, interval: 100 });
  });
});

describe("a wrapper process that alone gets the signal", () => {
  test.each([
    ["npm", "SIGTERM", ["npm", "start"]],
    ["npm", "SIGINT", ["npm", "start"]],
    ["bin/hub.js", "SIGINT", [process.execPath, path.join(repository, "server/bin/hub.js"), "serve"]],
  ] as const)(
    "%s that gets a %s ends the hub and its PostgreSQL with it (reliability R5)",
    async (_, signal, command) => {
      const dataDir = await readyDataDir();
      const hub = await startHubProcess({ dataDir, command, args: [], env: { ...env, HUB_PREVIEW_PORT: "off" } });
      hub.send(signal);
      await hub.exited;
      expect(hub.stdout()).toContain(`${signal}: completing accepted requests`);
      expect(postmasterOf(hub.dataDir)).toBeUndefined();
      await expect(fetch(hub.url)).rejects.toThrow("fetch failed");
    },
  );
});

test("a hub that cannot stop cleanly, for example with a full disk, leaves no PostgreSQL running (reliability R5)", async () => {
  const hub = await startHubProcess({ dataDir: await readyDataDir(), env: { ...env, HUB_PREVIEW_PORT: "off" } });
  const postmaster = postmasterOf(hub.dataDir)!;
  const client = new pg.Client(databaseOf(hub.dataDir));
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'order-operations-hub'",
  );
  await client.end();
  expect(rows).not.toHaveLength(0);
  // They never say goodbye, as if they waited for the disk.
  for (const { pid } of rows) process.kill(pid, "SIGSTOP");
  hub.send("SIGTERM");
  expect(await hub.exited).not.toBeNull();
  await vi.waitFor(() => expect(isRunning(postmaster)).toBe(false), soon);
});

async function listNames(url: string): Promise<string[]> {
  const client = await signIn(url, admin);
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/condition-sets?limit=100&page=${page}`);
    const data = body.data as { name: string }[];
    names.push(...data.map(({ name }) => name));
    if (data.length < 100) return names;
  }
}
