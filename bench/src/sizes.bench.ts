import pg from "pg";
import type { Bench, Figure } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { anAccount, importParcels, processToTheEnd } from "./rating.bench.ts";

/** Enough to make half-filled pages negligible. */
const many = 2_000;
const items = 20_000;
const manyNotes = 50;

export const sizesBench: Bench = {
  name: "sizes",
  bar: "what is stored for an order, a step, an execution, an item: the table in docs/operate.md",
  run: () => withDataDir(measureSizes),
};

async function measureSizes(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir, { HUB_PREVIEW_PORT: "off", HUB_RATE_LIMIT_PER_SECOND: "off" });
  const db = new pg.Client(clusterOf(dataDir));
  await db.connect();
  try {
    return await measureOn(await signInWithKey(hub.url), db);
  } finally {
    await db.end();
    await hub.stop();
  }
}

async function measureOn(client: HubClient & { orgId: string }, db: pg.Client): Promise<Figure[]> {
  const figures: Figure[] = [];
  /** Growth of these tables and their indexes per created record. */
  const measure = async (what: string, count: number, tables: string, make: () => Promise<void>): Promise<void> => {
    const before = await bytesOf(db, tables);
    await make();
    figures.push({ what, unit: "bytes", ours: ((await bytesOf(db, tables)) - before) / count });
  };

  await measure("an order with two lines", many, "^order_|^orders$", () => makeOrders(client, many));
  const ids = await orderIds(db, client.orgId, many);
  const runTables = "^operation_";
  await measure("an order in a run of one step", many, runTables, () =>
    run(client, ids, [{ type: "add_tags", params: { tags: ["a"] } }]),
  );
  await measure("an order in a run of five steps", many, runTables, () =>
    run(client, ids, [
      { type: "add_tags", params: { tags: ["b"] } },
      { type: "set_priority", params: { priority: "high" } },
      { type: "hold", params: { reason: "operator" } },
      { type: "add_note", params: { text: "Customer called: leave at the door" } },
      { type: "set_custom_field", params: { key: "bench", value: 1 } },
    ]),
  );
  const noted = ids.slice(0, 100);
  const note = [{ type: "add_note", params: { text: "Customer called: leave at the door, or with the neighbour" } }];
  await measure(`a note in a run, on average over ${manyNotes} runs`, noted.length * manyNotes, runTables, async () => {
    for (let n = 0; n < manyNotes; n++) await run(client, noted, note);
  });

  const { id: bridgeId } = await client.post<{ id: string }>("/bridges", { name: "Bench", connector: "demo" });
  await measure("an execution, with its log", many, "^task_", () => execute(client, db, bridgeId));
  const account = await anAccount(client);
  await measure("an item of a comparison", items, "^rate_(comparisons|item|results)", async () => {
    await processToTheEnd(client, await importParcels(client, account, items));
  });
  await measure("a shipment without tracking events", many, "^shipments$", () => importShipments(client));
  const events = await bytesOf(db, "^events$");
  const { rows } = await db.query<{ count: number }>("select count(*)::int as count from events");
  figures.push({ what: "an entry of the audit log", unit: "bytes", ours: events / rows[0]!.count });
  return figures;
}

async function bytesOf(db: pg.Client, tables: string): Promise<number> {
  const { rows } = await db.query<{ bytes: string }>(
    `select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ $1`,
    [tables],
  );
  return Number(rows[0]!.bytes);
}

async function makeOrders(client: HubClient, count: number): Promise<void> {
  const order = (n: number): object => ({
    number: `S-${n}`,
    status: "ready",
    customer: { name: `Ada Byron ${n}`, email: `ada.${n}@mail.example` },
    shippingAddress: {
      address1: `${n} Main Street`,
      city: "Albany",
      provinceCode: "NY",
      zip: "12207",
      countryCode: "US",
    },
    lines: [
      { sku: `SKU-${n % 500}`, name: "A thing", quantity: 2, price: 9.99 },
      { sku: `SKU-${n % 70}`, name: "Another thing", quantity: 1, price: 24.5 },
    ],
    total: 44.48,
  });
  for (let from = 0; from < count; from += 500) {
    await client.post("/orders/bulk", { orders: Array.from({ length: 500 }, (_, i) => order(from + i)) });
  }
}

async function orderIds(db: pg.Client, orgId: string, count: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>("select id from orders where org_id = $1 order by id limit $2", [
    orgId,
    count,
  ]);
  return rows.map(({ id }) => id);
}

async function run(client: HubClient, order_ids: string[], actions: object[]): Promise<void> {
  let found = await client.post<{ id: string; status: string }>("/operations/run", { order_ids, actions });
  while (found.status === "queued" || found.status === "running") {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await client.get(`/operations/runs/${found.id}`);
  }
  if (found.status !== "succeeded") throw new Error(`the run ${found.status}`);
}

async function execute(client: HubClient, db: pg.Client, bridgeId: string): Promise<void> {
  const execution = { bridgeId, taskName: "noop", input: { orderIds: ["S-1"] } };
  for (let from = 0; from < many; from += 500) {
    await client.post("/tasks/bulk", { tasks: Array.from({ length: 500 }, () => execution) });
  }
  for (;;) {
    const { rows } = await db.query("select from task_executions where finished_at is null limit 1");
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function importShipments(client: HubClient): Promise<void> {
  const lines = Array.from({ length: many }, (_, i) => `1Z999AA1${i},ups,ground`);
  await client.post("/shipments/import", { csv: ["trackingNumber,carrier,service", ...lines].join("\n") });
}
