import type { Bench, Figure } from "./bench.ts";
import { compareBulk, measureGrowth } from "./bulk-runs.ts";
import { startFloor } from "./floor-process.ts";
import { withDataDir } from "./hub-process.ts";
import { compareThroughput } from "./load.ts";
import type { OrderHub } from "./order-hub.ts";
import { withOrders } from "./order-hub.ts";

/** Some are on hold; runs need ten thousand others. */
const few = 10_100;

export const ordersBench: Bench = {
  name: "orders",
  bar: "10,000 orders x 5 actions: run <= 1.8x its floor, preflight <= 1x; one order >= 60 % of a bare route",
  run: () => withDataDir((dataDir) => withOrders(dataDir, few, measureFew)),
};

async function measureFew(place: OrderHub): Promise<Figure[]> {
  const { client, db } = place;
  return [
    ...(await compareReads(place)),
    ...(await compareBulk(client, db, "10 k stored")),
    ...(await measureGrowth(client, db)),
  ];
}

async function compareReads({ url, dataDir, client, db }: OrderHub): Promise<Figure[]> {
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
