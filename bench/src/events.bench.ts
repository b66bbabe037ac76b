import { randomUUID } from "node:crypto";
import pg from "pg";
import { adminPassword } from "../../server/src/testing/launch-hub.ts";
import { openStream } from "../../server/src/testing/stream-reader.ts";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { timeInterleaved } from "./interleaved.ts";

const few = 10_000;
const many = 1_000_000;
const rounds = 15;
const warmUps = 3;
/** Allowed extra time of the long log, however fast the short one is. */
const graceMs = 5;
/** One event of a hundred names this many orders. */
const batch = 50;
const organizations = 5;
const keysEach = 10;
const streamsEach = 10;
const changes = 60;

export const eventsBench: Bench = {
  name: "events",
  bar: `the feed is as fast with 1 M events as with 10 k (<= 1.5x, or ${graceMs} ms more); 500 streams, p50 <= 300 ms behind`,
  run: () => withDataDir(measureEvents),
};

async function measureEvents(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir, { HUB_PREVIEW_PORT: "off", HUB_RATE_LIMIT_PER_SECOND: "off" });
  const db = new pg.Client(clusterOf(dataDir));
  await db.connect();
  try {
    const operator = await signInWithKey(hub.url);
    return [...(await compareFeeds(hub.url, operator, db)), ...(await measureStreams(hub.url, operator))];
  } finally {
    await db.end();
    await hub.stop();
  }
}

async function compareFeeds(url: string, operator: HubClient, db: pg.Client): Promise<Figure[]> {
  const [small, large] = [await anOrganization(url, operator), await anOrganization(url, operator)];
  const logs = [await storeEvents(db, small, few), await storeEvents(db, large, many)] as const;
  await db.query("analyze events, event_items");
  const queries: Record<string, (log: Log) => string> = {
    "the first page": () => "",
    "behind the middle": ({ middle }) => `after=${middle}`,
    "behind the last": ({ last }) => `after=${last}`,
    "one family of 1 %": () => "types=pickup.*",
    "a family of which there is none": () => "types=bridge.*",
    "one object, and what names it among others": ({ objectId }) => `objectId=${objectId}`,
    "since a moment": ({ since }) => `since=${since}`,
    "the largest page": ({ middle }) => `after=${middle}&limit=500`,
  };
  const figures: Figure[] = [];
  for (const [what, queryOf] of Object.entries(queries)) {
    const [floor, ours] = logs.map((log) => () => log.client.get(`/events?${queryOf(log)}`));
    const times = await timeInterleaved(ours!, floor!, { rounds, warmUps });
    const atMost = Math.max(1.5, Math.round(100 * (1 + graceMs / times.floor)) / 100);
    figures.push({ what: `${what}: 1 M : 10 k`, ...times, limit: { on: "ratio", atMost } });
  }
  return figures;
}

type Organization = { id: string; client: HubClient };
type Log = { client: HubClient; middle: string; last: string; objectId: string; since: string };

let made = 0;

async function anOrganization(url: string, operator: HubClient): Promise<Organization> {
  const email = `bench${++made}@org.example`;
  const admin = { email, password: adminPassword };
  const { id } = await operator.post<{ id: string }>("/organizations", { name: `Bench ${made}`, admin });
  return { id, client: await signInWithKey(url, email) };
}

/** Appends events like the sealer, with hashes that are not verified here. */
async function storeEvents(db: pg.Client, { id, client }: Organization, count: number): Promise<Log> {
  const { cursor } = await client.get<{ cursor: string }>("/events?limit=500");
  const first = Number(cursor.split("-")[0]) + 1;
  await db.query(
    `insert into events (org_id, sequence, id, type, object_type, object_id, actor, request_id, data, occurred_at,
                         previous_hash, hash)
     select $1, $2::bigint + n, gen_random_uuid(),
            case n % 100 when 7 then 'pickup.completed' when 13 then 'orders.updated' else 'order.updated' end,
            case n % 100 when 7 then 'pickup' when 13 then 'order_batch' else 'order' end,
            case n % 100 when 13 then gen_random_uuid() else md5((n % ($3::int / 10))::text)::uuid end,
            '{"type": "system", "name": "bench"}', 'bench',
            jsonb_build_object('number', 'B-' || n, 'version', 2, 'status', 'ready', 'fields', '["tags"]'::jsonb)
              || case n % 100 when 13 then jsonb_build_object('count', ${batch}, 'source', 'run', 'items', (
                   select jsonb_agg(jsonb_build_object('id', md5(((n + k) % ($3::int / 10))::text)::uuid, 'number', 'B',
                                                       'version', 2))
                     from generate_series(1, ${batch}) k)) else '{}' end,
            now() - ($3 - n) * interval '1 second', sha256('a'), sha256(n::text::bytea)
       from generate_series(0, $3::int - 1) n`,
    [id, first, count],
  );
  await db.query(
    `insert into event_items (org_id, object_id, sequence)
     select e.org_id, (i.item ->> 'id')::uuid, e.sequence
       from events e cross join lateral jsonb_array_elements(e.data -> 'items') as i (item)
      where e.org_id = $1 and e.sequence >= $2 and e.type = 'orders.updated'`,
    [id, first],
  );
  const at = async (sequence: number): Promise<string> => {
    const { rows } = await db.query<{ cursor: string; since: string }>(
      `select sequence || '-' || left(encode(hash, 'hex'), 8) as cursor from events where org_id = $1 and sequence = $2`,
      [id, sequence],
    );
    return rows[0]!.cursor;
  };
  const half = count / 2;
  const since = new Date(Date.now() - half * 1_000).toISOString();
  const { rows } = await db.query<{ object_id: string }>(
    "select object_id from events where org_id = $1 and sequence = $2",
    [id, first + half],
  );
  return {
    client,
    middle: await at(first + half),
    last: await at(first + count - 1),
    objectId: rows[0]!.object_id,
    since,
  };
}

async function measureStreams(url: string, operator: HubClient): Promise<Figure[]> {
  const clients: HubClient[] = [];
  const arrivals: { name: string; at: number }[] = [];
  const streams = [];
  for (let i = 0; i < organizations; i++) {
    const { client } = await anOrganization(url, operator);
    clients.push(client);
    for (let k = 0; k < keysEach; k++) {
      const { key } = await client.post<{ key: string }>("/api-keys", { name: `stream ${k}` });
      for (let s = 0; s < streamsEach; s++) {
        const address = `${url}/api/v1/events/stream?types=condition_set.*`;
        const stream = await openStream(address, { authorization: `Bearer ${key}` }, ({ data }) => {
          if (data === undefined) return;
          const { name } = (JSON.parse(data) as { data: { name: string } }).data;
          arrivals.push({ name, at: performance.now() });
        });
        if (stream.status !== 200) throw new Error(`a stream was answered ${stream.status}`);
        streams.push(stream);
      }
    }
  }
  try {
    const answeredAt = new Map<string, number>();
    for (let i = 0; i < changes; i++) {
      const name = `lag ${i} ${randomUUID()}`;
      await clients[i % organizations]!.post("/condition-sets", { name });
      answeredAt.set(name, performance.now());
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    const expected = changes * keysEach * streamsEach;
    for (let waits = 0; arrivals.length < expected && waits < 300; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const lags = arrivals.map(({ name, at }) => at - answeredAt.get(name)!).toSorted((a, b) => a - b);
    const p99 = lags[Math.floor(lags.length * 0.99)]!;
    return [
      {
        what: "500 streams: events that arrived, of all",
        unit: "",
        ours: arrivals.length / expected,
        limit: { on: "ours", atLeast: 1 },
      },
      {
        what: "500 streams: from the answer to the arrival, p50",
        unit: "ms",
        ours: median(lags),
        limit: { on: "ours", atMost: 300 },
      },
      { what: "500 streams: the same, p99", unit: "ms", ours: p99 },
    ];
  } finally {
    for (const stream of streams) stream.close();
  }
}
