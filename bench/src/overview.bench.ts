import pg from "pg";
import type { Bench, Figure } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { timeInterleaved } from "./interleaved.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { storeShipments } from "./stored-shipments.ts";

const few = 10_000;
const many = 1_000_000;
const rounds = 30;
const warmUps = 5;

export const overviewBench: Bench = {
  name: "overview",
  bar: "overview and lists of shipments: as fast with 1 M stored shipments as with 10 k (<= 1.5x)",
  run: () => withShipments(many, (large) => withShipments(few, (small) => compare(large, small))),
};

/** Client with paths relative to the hub's address. */
type Stored = { get(path: string): Promise<void>; orgId: string };

const paths: Record<string, (stored: Stored) => string> = {
  "overview, 30 days": ({ orgId }) => `/v1/overview?organization_id=${orgId}`,
  "overview, 365 days": ({ orgId }) => `/v1/overview?days=365&organization_id=${orgId}`,
  "overview, all organizations": () => "/v1/overview",
  "shipments behind at_risk": ({ orgId }) => `/v1/overview/at-risk?organization_id=${orgId}`,
  "counts per status": list("/counts"),
  "list, no filter": list(""),
  "list, status": list("?status=in_transit"),
  "list, two statuses": list("?status=in_transit,delivered"),
  "list, carrier": list("?carrier=ups"),
  "list, at risk": list("?atRisk=true"),
  "list, one reason": list("?riskReason=stalled"),
  "list, tracking number": list("?trackingNumber=TR7777"),
  "list, shipped since": list("?shippedFrom=2026-01-01T00:00:00Z"),
  "list, delivered since": list("?deliveredFrom=2026-01-01T00:00:00Z"),
  "list, promised since": list("?promisedFrom=2026-01-01"),
  "list, search for a rare beginning": list("?search=TR70000&limit=1"),
  "list, search for a frequent one": list("?search=TR"),
};

function list(query: string): () => string {
  return () => `/api/v1/shipments${query}`;
}

async function withShipments<T>(count: number, work: (stored: Stored) => Promise<T>): Promise<T> {
  return await withDataDir(async (dataDir) => {
    const hub = await startHub(dataDir, { HUB_PREVIEW_PORT: "off" });
    try {
      const client = await signInWithKey(hub.url);
      await fill(dataDir, client.orgId, count);
      return await work({ orgId: client.orgId, get: (path) => read(hub.url + path, client) });
    } finally {
      await hub.stop();
    }
  });
}

async function fill(dataDir: string, orgId: string, count: number): Promise<void> {
  const db = new pg.Client(clusterOf(dataDir));
  await db.connect();
  try {
    await storeShipments(db, orgId, count);
  } finally {
    await db.end();
  }
}

async function read(url: string, { headers }: HubClient): Promise<void> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function compare(large: Stored, small: Stored): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, pathOf] of Object.entries(paths)) {
    const ours = () => large.get(pathOf(large));
    const floor = () => small.get(pathOf(small));
    const times = await timeInterleaved(ours, floor, { rounds, warmUps });
    figures.push({ what: `${what}: 1 M : 10 k`, ...times, limit: { on: "ratio", atMost: 1.5 } });
  }
  return figures;
}
