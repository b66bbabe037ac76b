import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Pointers } from "./bench-order.ts";
import { createdAtOf } from "./bench-order.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub } from "./hub-process.ts";
import { storeOrders } from "./stored-orders.ts";

/** A hub with orders, and a connection to its database. */
export type OrderHub = {
  url: string;
  pid: number;
  dataDir: string;
  client: HubClient & { orgId: string };
  db: pg.Client;
  pointers: Pointers;
  newestAt: string;
};

export async function withOrders<T>(
  dataDir: string,
  count: number,
  work: (place: OrderHub) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const hub = await startHub(dataDir, env);
  const db = new pg.Client({ ...clusterOf(dataDir), pipeline: true });
  await db.connect();
  try {
    const client = await signInWithKey(hub.url);
    const pointers = await makePointers(client);
    await storeOrders(dataDir, client.orgId, pointers, count);
    return await work({ url: hub.url, pid: hub.pid, dataDir, client, db, pointers, newestAt: createdAtOf(count) });
  } finally {
    await db.end();
    await hub.stop();
  }
}

async function makePointers(client: HubClient): Promise<Pointers> {
  const { id: locationId } = await client.post<{ id: string }>("/locations", { name: "Main" });
  const { id: rareLocationId } = await client.post<{ id: string }>("/locations", { name: "Annex" });
  const { data } = await client.get<{ data: { id: string }[] }>("/users");
  return { locationId, rareLocationId, assigneeId: data[0]!.id, bridgeId: randomUUID() };
}
