import pg from "pg";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { storeShipments } from "./stored-shipments.ts";

const few = 10_000;
const many = 1_000_000;
const samples = 25;

export const overviewBench: Bench = {
  name: "overview",
  bar: "overview and lists of shipments: as fast with 1 M stored shipments as with 10 k (<= 1.5x)",
  run: () => withDataDir(measure),
};

const lists: Record<string, string> = {
  "no filter": "",
  status: "status=in_transit",
  "two statuses": "status=in_transit,delivered",
  carrier: "carrier=ups",
  "at risk": "atRisk=true",
  "stalled only": "riskReason=stalled",
  "tracking number": "trackingNumber=TR7777",
  shipped: "shippedFrom=2026-01-01T00:00:00Z",
  delivered: "deliveredFrom=2026-01-01T00:00:00Z",
  promised: "promisedFrom=2026-01-01",
  "search, rare": "search=TR70000",
  "search, frequent": "search=TR",
};

async function measure(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir, { HUB_PREVIEW_PORT: "off" });
  const db = new pg.Client(clusterOf(dataDir));
  await db.connect();
  try {
    const client = await signInWithKey(hub.url);
    await storeShipments(db, client.orgId, few);
    const atFew = await timeAll(hub.url, client);
    await storeShipments(db, client.orgId, many - few);
    const atMany = await timeAll(hub.url, client);
    return Object.keys(atFew).map((what) => ({
      what: `${what}: 1 M : 10 k`,
      unit: "ms",
      ours: atMany[what]!,
      floor: atFew[what]!,
      limit: { on: "ratio", atMost: 1.5 } as const,
    }));
  } finally {
    await db.end();
    await hub.stop();
  }
}

async function timeAll(url: string, client: HubClient & { orgId: string }): Promise<Record<string, number>> {
  const gateway = async (path: string): Promise<void> => {
    const response = await fetch(`${url}/v1/${path}`, { headers: client.headers });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const times: Record<string, number> = {};
  times["overview, 30 days"] = await time(() => gateway(`overview?organization_id=${client.orgId}`));
  times["overview, 365 days"] = await time(() => gateway(`overview?days=365&organization_id=${client.orgId}`));
  times["overview, global"] = await time(() => gateway("overview"));
  times["shipments at risk"] = await time(() => gateway(`overview/at-risk?organization_id=${client.orgId}`));
  for (const [name, query] of Object.entries(lists)) {
    times[`list, ${name}`] = await time(() => client.get(`/shipments?${query}`));
  }
  return times;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < samples; i++) {
    const started = performance.now();
    await work();
    taken.push(performance.now() - started);
  }
  return median(taken);
}
