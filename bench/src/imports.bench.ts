import { randomUUIDv7 } from "node:crypto";
import pg from "pg";
import { copyIn } from "../../server/src/db/copy-in.ts";
import { newOrder } from "../../server/src/features/orders/order-fields.ts";
import { insertOrders } from "../../server/src/features/orders/orders.store.ts";
import type { Bench, Figure } from "./bench.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { asTransaction } from "./stored-orders.ts";
import { watchMemory } from "./watch-memory.ts";

const count = 100_000;
/** Large enough to start the offload process before the measurement. */
const few = 2_000;
const perStatement = 1_000;

export const importsBench: Bench = {
  name: "imports",
  bar: "a file of 100,000 orders at most 2x of COPY and the statements that store the same orders, and <= 150 MB more memory",
  run: () => withDataDir(measure),
};

function cellsOf(prefix: string, n: number): string[] {
  const day = String(1 + (n % 28)).padStart(2, "0");
  return [
    `${prefix}${n}`,
    `Buyer ${n}`,
    `${n} Main St`,
    "Albany",
    "NY",
    "12207",
    "US",
    `SKU-${n % 50}`,
    "2",
    "9.50",
    `2026-02-${day}`,
  ];
}

const header = "number,customer name,address1,city,state,zip,country,sku,quantity,price,order date";

async function measure(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir);
  try {
    const client = await signInWithKey(hub.url);
    const floor = await storeByHand(dataDir, client.orgId);
    await importFile(hub.url, client.headers, "W", few);
    const memory = watchMemory(hub.pid);
    const ours = await importFile(hub.url, client.headers, "A", count);
    const grown = await memory.stop();
    return [
      { what: `${count} orders from a file`, unit: "ms", ours, floor, limit: { on: "ratio", atMost: 2 } },
      { what: "memory of hub and helper for it", unit: "MB", ours: grown, limit: { on: "ours", atMost: 150 } },
    ];
  } finally {
    await hub.stop();
  }
}

/** Duration of an import. */
async function importFile(
  url: string,
  headers: Record<string, string>,
  prefix: string,
  orders: number,
): Promise<number> {
  const body = [header, ...Array.from({ length: orders }, (_, n) => cellsOf(prefix, n).join(","))].join("\n");
  const started = performance.now();
  const answer = await fetch(`${url}/api/v1/orders/import`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body,
  });
  const { summary } = (await answer.json()) as { summary?: { created: number } };
  const ms = performance.now() - started;
  if (summary?.created !== orders) throw new Error(`${answer.status}: ${summary?.created} orders were created`);
  return ms;
}

/** Inserts the rows and their orders with the hub's statements, without validation or events. */
async function storeByHand(dataDir: string, orgId: string): Promise<number> {
  const db = new pg.Client({ ...clusterOf(dataDir), pipeline: true });
  await db.connect();
  try {
    const started = performance.now();
    await db.query("begin");
    const columns = header.split(",").map((name) => `"${name}" text`);
    await db.query(`create temp table sheet (${columns.join(", ")}) on commit drop`);
    const tx = asTransaction(db);
    await copyIn(db, "copy sheet from stdin (format csv)", rowsByHand());
    const env = {
      now: new Date().toISOString(),
      actor: { type: "system", name: "bench" } as const,
      newId: randomUUIDv7,
    };
    for (let from = 0; from < count; from += perStatement) {
      const orders = Array.from({ length: perStatement }, (_, i) => {
        const [number, name, address1, city, provinceCode, zip, countryCode, sku, , , day] = cellsOf("B", from + i);
        const shippingAddress = {
          address1: address1!,
          city: city!,
          provinceCode: provinceCode!,
          zip: zip!,
          countryCode: countryCode!,
        };
        const lines = [{ sku: sku!, quantity: 2, price: 9.5 }];
        const request = {
          number: number!,
          customer: { name: name! },
          shippingAddress,
          lines,
          orderedAt: `${day}T00:00:00Z`,
        };
        return newOrder(request, number!, env);
      });
      await insertOrders(tx, orgId, orders);
    }
    await db.query("commit");
    return performance.now() - started;
  } finally {
    await db.end();
  }
}

async function* rowsByHand(): AsyncGenerator<string> {
  for (let n = 0; n < count; n++) yield `${cellsOf("B", n).join(",")}\n`;
}
