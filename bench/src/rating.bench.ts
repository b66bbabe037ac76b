import pg from "pg";
import { demoCards } from "../../server/src/carriers/demo/demo-cards.ts";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { residentMegabytes } from "./child.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { time } from "./interleaved.ts";
import { parcelsCsv } from "./stored-parcels.ts";

const rounds = 5;
const itemCount = 100_000;
const manyItems = 250_000;
const manyComparisons = 4;

export const ratingBench: Bench = {
  name: "rating",
  bar: "100,000 items <= 3x one UPDATE of the same rows",
  run: () => withDataDir((dataDir) => withHub(dataDir, compareWithUpdate)),
};

export const manyRatingBench: Bench = {
  name: "rating-1m",
  bar: "rating 1 M items grows the hub by <= 100 MB",
  run: () => withDataDir(measureMemory),
};

export type Place = { client: HubClient; db: pg.Client; url: string; pid: number };

export async function withHub<T>(dataDir: string, work: (place: Place) => Promise<T>): Promise<T> {
  const hub = await startHub(dataDir, { HUB_PREVIEW_PORT: "off" });
  const db = new pg.Client(clusterOf(dataDir));
  await db.connect();
  try {
    return await work({ client: await signInWithKey(hub.url), db, url: hub.url, pid: hub.pid });
  } finally {
    await db.end();
    await hub.stop();
  }
}

export async function anAccount(client: HubClient): Promise<string> {
  const { id } = await client.post<{ id: string }>("/carrier-accounts", { name: "Bench", carrier: "rate-card" });
  await client.post(`/carrier-accounts/${id}/rate-cards`, { card: demoCards()[1]!.card });
  return id;
}

/** Interleaves rating and floor on the same rows, each after a vacuum, so that neither pays for dead rows of the other. */
async function compareWithUpdate({ client, db }: Place): Promise<Figure[]> {
  const account = await anAccount(client);
  const id = await importParcels(client, account, itemCount);
  await processToTheEnd(client, id);
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    await db.query("vacuum (analyze) rate_results");
    times.floor.push(await time(() => runFloor(db, id)));
    await db.query("vacuum (analyze) rate_results");
    times.ours.push(await time(() => processToTheEnd(client, id)));
  }
  const ratio = median(times.ours.map((ours, round) => ours / times.floor[round]!));
  const limit = { on: "ratio", atMost: 3 } as const;
  return [{ what: "rate 100 k items", unit: "ms", ours: median(times.ours), floor: median(times.floor), ratio, limit }];
}

/** Minimal cost of writing the results: every column of the same rows in one statement. */
async function runFloor(db: pg.Client, id: string): Promise<void> {
  const { rowCount } = await db.query(
    `update rate_results set status = 'rated', reason = null, zone = '5', basis = 'weight', target_cents = position,
       savings_cents = 5, zone_source = 'distance', distance_miles = 700, alternative_zone = null, service_level = 'ground',
       target_service = 'NAT_GROUND', rated_mg = 2267962, low_cents = 1791, high_cents = 1791, break_even_mg = 4535924,
       lines = '[["base",1791],["residential",452],["fuel",432]]'
      where comparison_id = $1`,
    [id],
  );
  if (rowCount !== itemCount) throw new Error(`the floor changed ${rowCount} rows`);
}

/** Rates four comparisons of maximum size in a freshly started hub, without the memory of their upload. */
async function measureMemory(dataDir: string): Promise<Figure[]> {
  const uploaded = await withHub(dataDir, async ({ client, pid }) => {
    const account = await anAccount(client);
    const ids: string[] = [];
    const growth = await watchMemory(pid, async () => {
      for (let i = 0; i < manyComparisons; i++) ids.push(await importParcels(client, account, manyItems));
    });
    return { ids, growth };
  });
  const rated = await withHub(dataDir, ({ client, pid }) =>
    watchMemory(pid, async () => {
      for (const id of uploaded.ids) await processToTheEnd(client, id);
    }),
  );
  return [
    { what: "memory for uploading 4 x 250 k items", unit: "MB", ours: uploaded.growth },
    { what: "memory for rating 1 M items", unit: "MB", ours: rated, limit: { on: "ours", atMost: 100 } },
  ];
}

/** Maximum growth of the process. */
export async function watchMemory(pid: number, work: () => Promise<void>): Promise<number> {
  const before = await residentMegabytes(pid);
  let most = before;
  const watch = setInterval(() => void residentMegabytes(pid).then((now) => (most = Math.max(most, now))), 250);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return most - before;
}

export async function importParcels(
  client: HubClient,
  account: string,
  count: number,
  csv = parcelsCsv(count),
): Promise<string> {
  const { comparison } = await client.post<{ comparison: { id: string } }>("/rate-comparisons/import", {
    name: `Bench ${count}`,
    carrierAccountId: account,
    csv,
  });
  return comparison.id;
}

export async function processToTheEnd(client: HubClient, id: string): Promise<void> {
  let found = await client.post<{ status: string }>(`/rate-comparisons/${id}/process`, {});
  while (found.status === "queued" || found.status === "processing") {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await client.get(`/rate-comparisons/${id}`);
  }
  if (!found.status.startsWith("completed")) throw new Error(`the comparison ${found.status}`);
}
