import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { startChild } from "./child.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, freePort, startHub, withDataDir } from "./hub-process.ts";

/*
 * Throughput: events that lie in the log, from the moment the webhooks may have them until the last has arrived; beside raw
 * pg-boss and undici, from the first insert. Ours signs, guards, plans, and writes each attempt down. With more that waits it
 * goes on as fast.
 * Latency: from the answer to a change until the event arrives. Isolation: the same for 18 of 20 endpoints while one of the
 * other two is dead and one takes five seconds, beside all 20 being well.
 */
const deliveries = 10_000;
/** More for each endpoint than is looked at in the log at once. */
const backlog = 60_000;
const endpoints = 4;
const rounds = 3;
/**
 * Of both sides and before each round, which are not counted: a process that has just started compiles what it runs, and one that
 * had nothing to do for eight seconds takes 60 % more of the processor for the next 10,000 deliveries.
 */
const warmUps = 2;
const paced = 300;
const paceMs = 30;
const many = 20;
const slowMs = 5_000;
/** What an idle hub does by the clock it does once in a minute, or so often that it comes out even. */
const idleSeconds = 60;
const settleSeconds = 10;
const withinMs = 60_000;

export const webhooksBench: Bench = {
  name: "webhooks",
  bar: "10,000 deliveries >= 0.6x raw pg-boss + undici, 60,000 as fast >= 0.8; to arrival p50 <= 400 ms, p99 <= 1.5 s; 1 dead and 1 slow of 20: p99 of the others <= 1.5x; idle <= 2 queries/s",
  run: () => withDataDir(measure),
};

type Arrival = { path: string; number: string | undefined; at: number };

/** Endpoints on loopback, in this process for both sides. */
async function startReceiver() {
  const arrivals: Arrival[] = [];
  const slow = new Set<string>();
  const take = (response: ServerResponse): void => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const at = performance.now();
      const where = request.url!;
      // Only where it is asked for: reading costs both sides the same, but it costs.
      const number = where.startsWith("/paced") ? numberIn(Buffer.concat(chunks).toString()) : undefined;
      arrivals.push({ path: where, number, at });
      if (slow.has(where)) setTimeout(() => take(response), slowMs);
      else take(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, arrivals, slow, close };
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const numberIn = (body: string): string =>
  (JSON.parse(body) as { data: { items: { number: string }[] } }).data.items[0]!.number;

async function measure(dataDir: string): Promise<Figure[]> {
  const countFile = path.join(dataDir, "query-count");
  const env = {
    NODE_OPTIONS: `--import file://${path.join(import.meta.dirname, "count-queries.ts")}`,
    BENCH_QUERY_COUNT_FILE: countFile,
    HUB_PREVIEW_PORT: "off",
    HUB_RATE_LIMIT_PER_SECOND: "off",
    HUB_PRIVATE_ADDRESSES: "allow",
    HUB_WEBHOOK_CONCURRENCY: "128",
  };
  const data = path.join(dataDir, "data");
  const hub = await startHub(data, env);
  const db = new pg.Client(clusterOf(data));
  const receiver = await startReceiver();
  try {
    await db.connect();
    const client = await signInWithKey(hub.url);
    const throughput = await compareThroughput(client, db, data, receiver);
    const latency = await measureLatency(client, receiver);
    const isolation = await measureIsolation(client, receiver);
    const ours = await queriesPerSecond(countFile);
    const idle: Figure = {
      what: "idle, live, after 20 webhooks",
      unit: "queries/s",
      ours,
      limit: { on: "ours", atMost: 2 },
    };
    return [...throughput, ...latency, ...isolation, idle];
  } finally {
    receiver.close();
    await db.end();
    await hub.stop();
  }
}

async function queriesPerSecond(countFile: string): Promise<number> {
  await delay(settleSeconds * 1000);
  const before = Number(await readFile(countFile, "utf8"));
  await delay(idleSeconds * 1000);
  return (Number(await readFile(countFile, "utf8")) - before) / idleSeconds;
}

async function compareThroughput(
  client: HubClient & { orgId: string },
  db: pg.Client,
  dataDir: string,
  receiver: Receiver,
): Promise<Figure[]> {
  const results: { ours: number; floor: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < warmUps; n++) await runOurs(client, db, receiver, `warm-up${round}-${n}-`);
    const rate = await runOurs(client, db, receiver, `round${round}`);
    const urls = Array.from({ length: endpoints }, (_, n) => `${receiver.url}/floor${n}`).join(",");
    const args = ["--data-dir", dataDir, "--count", String(deliveries), "--urls", urls, "--warm-ups", String(warmUps)];
    const file = path.join(import.meta.dirname, "floor-webhooks.ts");
    const child = await startChild(file, args, {}, /^(\d+(?:\.\d+)?) per second$/m);
    await child.stop();
    results.push({ ours: rate, floor: Number(child.match[1]) });
  }
  const ours = median(results.map((one) => one.ours));
  const deep = await runOurs(client, db, receiver, "backlog", backlog);
  return [
    {
      what: `${deliveries.toLocaleString("en")} deliveries, beside raw pg-boss and undici`,
      unit: "/s",
      ours,
      floor: median(results.map(({ floor }) => floor)),
      ratio: median(results.map((one) => one.ours / one.floor)),
      limit: { on: "ratio", atLeast: 0.6 },
    },
    {
      what: `${backlog.toLocaleString("en")} that wait : ${deliveries.toLocaleString("en")}, a second`,
      unit: "",
      ours: deep / ours,
      limit: { on: "ours", atLeast: 0.8 },
    },
  ];
}

async function runOurs(
  client: HubClient & { orgId: string },
  db: pg.Client,
  receiver: Receiver,
  name: string,
  count = deliveries,
): Promise<number> {
  const before = await lastCursor(client);
  await storeEvents(db, client.orgId, count / endpoints);
  const ids: string[] = [];
  for (let n = 0; n < endpoints; n++) {
    const body = { url: `${receiver.url}/${name}-${n}`, types: ["order.updated"], maxInFlight: 32 };
    const { id } = await client.post<{ id: string }>("/webhooks", body);
    ids.push(id);
  }
  const begun = receiver.arrivals.length;
  const started = performance.now();
  for (const id of ids) await client.post(`/webhooks/${id}/enable`, { from: before });
  await until(() => receiver.arrivals.length - begun >= count);
  const seconds = (receiver.arrivals.at(-1)!.at - started) / 1000;
  for (const id of ids) await remove(client, id);
  return count / seconds;
}

/** Events as the sealer stores them, except for the hashes, which this bench does not check. */
async function storeEvents(db: pg.Client, orgId: string, count: number): Promise<void> {
  await db.query(
    `with head as (select sequence from audit_heads where org_id = $1),
       made as (insert into events (org_id, sequence, id, type, object_type, object_id, actor, request_id, data, occurred_at,
                           previous_hash, hash)
         select $1, head.sequence + n, gen_random_uuid(), 'order.updated', 'order', gen_random_uuid(),
            '{"type": "system", "name": "bench"}', 'bench',
            jsonb_build_object('number', 'B-' || n, 'version', 2, 'status', 'ready', 'fields', '["tags"]'::jsonb),
            now(), sha256('a'), sha256(n::text::bytea) from head, generate_series(1, $2::int) n)
     update audit_heads set sequence = sequence + $2, hash = sha256($2::text::bytea) where org_id = $1`,
    [orgId, count],
  );
}

const lastCursor = async (client: HubClient): Promise<string> => {
  let cursor = "0-00000000";
  for (;;) {
    const page = await client.get<{ cursor: string; hasMore: boolean }>(`/events?limit=500&after=${cursor}`);
    cursor = page.cursor;
    if (!page.hasMore) return cursor;
  }
};

async function measureLatency(client: HubClient, receiver: Receiver): Promise<Figure[]> {
  const { id } = await client.post<{ id: string }>("/webhooks", {
    url: `${receiver.url}/paced`,
    types: ["order.created"],
  });
  const lags = await lagsOf(client, receiver, "L", 1, (path) => path === "/paced");
  await remove(client, id);
  const what = "from the answer to a change to the arrival";
  return [
    { what: `${what}, p50`, unit: "ms", ours: quantile(lags, 0.5), limit: { on: "ours", atMost: 400 } },
    { what: `${what}, p99`, unit: "ms", ours: quantile(lags, 0.99), limit: { on: "ours", atMost: 1_500 } },
  ];
}

async function measureIsolation(client: HubClient, receiver: Receiver): Promise<Figure[]> {
  const ids: string[] = [];
  for (let n = 0; n < many; n++) {
    const body = { url: `${receiver.url}/paced${n}`, types: ["order.created"] };
    ids.push((await client.post<{ id: string }>("/webhooks", body)).id);
  }
  const isOther = (where: string): boolean => where !== "/paced0" && where !== "/paced1";
  const well = await lagsOf(client, receiver, "W", many - 2, isOther);
  const unreachable = `http://127.0.0.1:${await freePort()}/`;
  await patch(client, ids[0]!, { url: unreachable });
  receiver.slow.add("/paced1");
  const beside = await lagsOf(client, receiver, "I", many - 2, isOther);
  receiver.slow.clear();
  for (const id of ids.slice(0, 2)) await remove(client, id);
  const what = "18 endpoints beside a dead and a slow one : 20 that are well";
  return [
    { what: `${what}, p50`, unit: "ms", ours: quantile(beside, 0.5), floor: quantile(well, 0.5) },
    {
      what: `${what}, p99`,
      unit: "ms",
      ours: quantile(beside, 0.99),
      floor: quantile(well, 0.99),
      limit: { on: "ratio", atMost: 1.5 },
    },
  ];
}

/** Orders are made one by one; each arrives `times` times at the endpoints that count. */
async function lagsOf(
  client: HubClient,
  receiver: Receiver,
  prefix: string,
  times: number,
  counts: (path: string) => boolean,
): Promise<number[]> {
  const begun = receiver.arrivals.length;
  const answeredAt = new Map<string, number>();
  for (let n = 0; n < paced; n++) {
    const number = `${prefix}-${n}`;
    await client.post("/orders", { number });
    answeredAt.set(number, performance.now());
    await delay(paceMs);
  }
  const own = () =>
    receiver.arrivals.slice(begun).filter(({ path: where, number }) => counts(where) && answeredAt.has(number!));
  await until(() => own().length >= paced * times);
  return own().map(({ number, at }) => Math.max(0, at - answeredAt.get(number!)!));
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("the deliveries did not arrive in time");
    await delay(20);
  }
}

const quantile = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!;

const remove = (client: HubClient, id: string): Promise<unknown> => client.call("DELETE", `/webhooks/${id}`);
const patch = (client: HubClient, id: string, body: object): Promise<unknown> =>
  client.call("PATCH", `/webhooks/${id}`, body);
