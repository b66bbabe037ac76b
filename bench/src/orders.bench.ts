import pg from "pg";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { compareBulk, measureGrowth } from "./bulk-runs.ts";
import { startFloor } from "./floor-process.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { compareThroughput } from "./load.ts";
import { storeOrders } from "./stored-orders.ts";

const few = 10_000;
const many = 1_000_000;
const samples = 25;

export const ordersBench: Bench = {
  name: "orders",
  bar: "10,000 orders x 5 actions: run <= 3x its floor, preflight <= 1x; one order >= 60 % of a bare route",
  run: () => withDataDir((dataDir) => withOrders(dataDir, measureFew)),
};

export const manyOrdersBench: Bench = {
  name: "orders-1m",
  bar: "every list and a run: as fast with 1 M stored orders as with 10 k (<= 1.5x)",
  run: () => withDataDir((dataDir) => withOrders(dataDir, measureMany)),
};

const lists: Record<string, string> = {
  "no filter": "",
  status: "status=ready",
  "status on_hold": "status=on_hold",
  tag: "tag=vip",
  priority: "priority=normal",
  payment: "paymentStatus=pending",
  channel: "channel=web",
  "order date": "orderedFrom=2026-01-01T12:00:00Z&orderedTo=2026-01-02T12:00:00Z",
  "changed since": "updatedFrom=2026-01-02T00:00:00Z",
  "ship by": "shipByTo=2026-01-05T00:00:00Z&sort=shipBy",
  "search name": "search=smith",
  "search SKU": "search=SKU-4242",
  "search number": "search=B-777",
};

type Place = { url: string; dataDir: string; client: HubClient & { orgId: string }; db: pg.Client };

/** A hub with the first orders, and a connection of our own to its database. */
async function withOrders(dataDir: string, work: (place: Place) => Promise<Figure[]>): Promise<Figure[]> {
  const hub = await startHub(dataDir);
  const db = new pg.Client(clusterOf(dataDir));
  await db.connect();
  try {
    const client = await signInWithKey(hub.url);
    await storeOrders(db, client.orgId, few);
    return await work({ url: hub.url, dataDir, client, db });
  } finally {
    await db.end();
    await hub.stop();
  }
}

async function measureFew(place: Place): Promise<Figure[]> {
  const { client, db } = place;
  return [
    ...(await compareReads(place)),
    ...(await compareBulk(client, db, "10 k stored")),
    ...(await measureGrowth(client, db)),
  ];
}

async function measureMany({ client, db }: Place): Promise<Figure[]> {
  const atMost = { on: "ratio", atMost: 1.5 } as const;
  const listsAtFew = await timeLists(client);
  const [runAtFew] = await compareBulk(client, db, "10 k stored");
  await storeOrders(db, client.orgId, many - few);
  const listsAtMany = await timeLists(client);
  const [runAtMany] = await compareBulk(client, db, "1 M stored");
  return [
    { what: "run, 1 M : 10 k stored", unit: "ms", ours: runAtMany!.ours, floor: runAtFew!.ours, limit: atMost },
    ...Object.keys(lists).map((name): Figure => ({
      what: `list, ${name}: 1 M : 10 k`,
      unit: "ms",
      ours: listsAtMany[name]!,
      floor: listsAtFew[name]!,
      limit: atMost,
    })),
  ];
}

async function compareReads({ url, dataDir, client, db }: Place): Promise<Figure[]> {
  const { rows } = await db.query<{ id: string }>("select id from orders where org_id = $1 limit 1", [client.orgId]);
  const floor = await startFloor("floor-orders-server.ts", dataDir, client.orgId);
  try {
    const path = `/orders/${rows[0]!.id}`;
    const ours = { url: `${url}/api/v1${path}`, headers: client.headers };
    const compared = await compareThroughput(ours, { url: `${floor.url}${path}`, headers: {} });
    return [{ what: "GET /orders/{id}", unit: "req/s", ...compared, limit: { on: "ratio", atLeast: 0.6 } }];
  } finally {
    await floor.stop();
  }
}

/** The time of a first page, for each filter. */
async function timeLists(client: HubClient): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const [name, query] of Object.entries(lists)) {
    const taken: number[] = [];
    for (let i = 0; i < samples; i++) {
      const started = performance.now();
      await client.get(`/orders?${query}`);
      taken.push(performance.now() - started);
    }
    times[name] = median(taken);
  }
  return times;
}
