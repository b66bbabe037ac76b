import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { parcelsCsv } from "../../../../bench/src/stored-parcels.ts";
import { anItem, contract, openComparisonDesk } from "../../testing/comparison-desk.ts";
import { signIn, startHubProcess } from "../../testing/hub-process.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { chunkSize, executeComparison, freeAllComparisons, resumeComparisons } from "./execute-comparison.ts";

const hub = await startTestHub();
const org = await hub.org();
const { aComparison, anAccount } = await openComparisonDesk(hub, org);

async function manyItems(): Promise<string> {
  const path = await aComparison(Array.from({ length: 2 * chunkSize + 10 }, () => anItem()));
  await org.post(`${path}/process`);
  return path;
}

const idOf = (path: string): string => path.split("/").at(-1)!;
const done = { status: "completed", counts: { pending: 0, rated: 2 * chunkSize + 10 } };

describe("a comparison whose worker stops", () => {
  test("half way is finished by another node, and nothing is counted twice", async () => {
    const path = await manyItems();
    const stopping = AbortSignal.abort();
    await executeComparison(hub.world, idOf(path), stopping);
    expect((await org.get(path)).body).toMatchObject({ status: "processing", progress: { processed: chunkSize } });
    const partly = (await org.get(`${path}/items?status=rated`)).body.pagination.total;
    expect(partly).toBe(chunkSize);
    expect((await org.get(`${path}/items?status=pending`)).body.pagination.total).toBe(chunkSize + 10);
    for (const query of ["status=rated,pending", "sort=savings", "sort=-netCost", "sort=zone&serviceType=UPS Ground"]) {
      const { body } = await org.get(`${path}/items?${query}`);
      expect([query, body.pagination.total]).toEqual([query, 2 * chunkSize + 10]);
      expect(body.data).toHaveLength(body.pagination.limit);
    }
    const last = (await org.get(`${path}/items?sort=savings&limit=10&page=${chunkSize / 5 + 1}`)).body.data;
    expect(last.map(({ index, status }: { index: number; status: string }) => [index, status]).at(-1)).toEqual([
      2 * chunkSize + 9,
      "pending",
    ]);
    const other = await hub.secondNode();
    await resumeComparisons(other.world);
    expect((await org.get(path)).body).toMatchObject(done);
    const { coverage, totals } = (await org.get(`${path}/summary`)).body;
    expect(coverage.rated).toBe(2 * chunkSize + 10);
    expect(totals.sourceCost).toBe(15 * (2 * chunkSize + 10));
  });

  test("silently is taken up when its lease has run out, and not before", async () => {
    const path = await manyItems();
    await executeComparison(hub.world, idOf(path), AbortSignal.abort());
    const claim = "update rate_comparisons set worker = 'dead', lease_until = now() + interval '1 hour' where id = $1";
    await hub.world.db.query(claim, [idOf(path)]);
    await resumeComparisons(hub.world);
    expect((await org.get(path)).body.progress.processed).toBe(chunkSize);
    await hub.world.db.query("update rate_comparisons set lease_until = now() - interval '1 second' where id = $1", [
      idOf(path),
    ]);
    await resumeComparisons(hub.world);
    expect((await org.get(path)).body).toMatchObject(done);
  });

  test("is free at once when the hub knows that it is alone", async () => {
    const path = await manyItems();
    const claim = "update rate_comparisons set worker = 'dead', lease_until = now() + interval '1 hour' where id = $1";
    await hub.world.db.query(claim, [idOf(path)]);
    await freeAllComparisons(hub.world);
    await resumeComparisons(hub.world);
    expect((await org.get(path)).body).toMatchObject(done);
  });

  test("because it was deleted meanwhile leaves nothing behind", async () => {
    const path = await manyItems();
    await executeComparison(hub.world, idOf(path), AbortSignal.abort());
    expect((await org.delete(path)).status).toBe(200);
    await resumeComparisons(hub.world);
    for (const table of ["rate_items", "rate_results", "rate_item_kinds"]) {
      expect(await hub.world.db.query(`select 1 from ${table} where comparison_id = $1 limit 1`, [idOf(path)])).toEqual(
        [],
      );
    }
  });

  test("because the database refuses what it writes has failed, and is not taken up for ever", async () => {
    const { db } = hub.world;
    const path = await aComparison([anItem()]);
    await org.post(`${path}/process`);
    await db.query(`create function refuse_result() returns trigger language plpgsql as $$ begin
      raise exception 'out of range' using errcode = '22003'; end $$`);
    await db.query(`create trigger refuse_result before insert on rate_results for each row
      when (new.comparison_id = '${idOf(path)}') execute function refuse_result()`);
    try {
      await resumeComparisons(hub.world);
    } finally {
      await db.query("drop function refuse_result cascade");
    }
    expect((await org.get(path)).body).toMatchObject({ status: "failed", error: { code: "internal_error" } });
  });

  test("shows the results of the last finished revision until the next is finished", async () => {
    const path = await manyItems();
    await resumeComparisons(hub.world);
    await org.post(`${path}/process`, { scenario: { fuelPercent: 0 } });
    await executeComparison(hub.world, idOf(path), AbortSignal.abort());
    const costs = async () => (await org.get(`${path}/items?limit=1`)).body.data[0];
    expect(await costs()).toMatchObject({ revision: 1, targetCost: 13.2 });
    expect((await org.get(`${path}/summary`)).body).toMatchObject({ status: "processing", revision: 1 });
    await resumeComparisons(hub.world);
    expect(await costs()).toMatchObject({ revision: 2, targetCost: 12 });
    const left = await hub.world.db.query<{ revision: number }>(
      "select distinct revision from rate_results where comparison_id = $1",
      [idOf(path)],
    );
    expect(left).toEqual([{ revision: 2 }]);
  });
});

describe("a comparison whose zone chart, condition set or service names are changed half way", () => {
  const count = chunkSize + 10;

  async function halfDone(): Promise<{ path: string; account: string; set: string }> {
    const { body: set } = await org.post("/condition-sets", { name: `Far away ${randomUUID()}` });
    const surcharge = { code: "far", kind: "fixed", amount: 5, when: { destinationSet: set.id } };
    const account = await anAccount({ ...contract, surcharges: [surcharge] });
    const path = await aComparison(
      Array.from({ length: count }, () => anItem()),
      { carrierAccountId: account },
    );
    await org.post(`${path}/process`);
    await executeComparison(hub.world, idOf(path), AbortSignal.abort());
    return { path, account: `/carrier-accounts/${account}`, set: `/condition-sets/${set.id}` };
  }

  type Parts = Awaited<ReturnType<typeof halfDone>>;
  const changes: [string, (parts: Parts) => Promise<unknown>, number][] = [
    [
      "chart",
      ({ account }) => org.call("PUT", `${account}/zone-chart`, { csv: "dest,zone\n100,8\n", origin: "071" }),
      26.4,
    ],
    ["set", ({ set }) => org.post(`${set}/values`, { values: ["10001"] }), 18.2],
    ["alias", ({ account }) => org.patch(account, { serviceAliases: { "UPS Ground": "FLAT" } }), 27.5],
  ];

  test.each(changes)("begins anew with the %s as it is now, so that no two items differ", async (_what, make, cost) => {
    const parts = await halfDone();
    expect(await make(parts)).toMatchObject({ status: 200 });
    await resumeComparisons(hub.world);
    const { body } = await org.get(`${parts.path}/summary`);
    expect(body.coverage.rated).toBe(count);
    expect(Math.round(body.totals.targetCost * 100)).toBe(Math.round(cost * 100) * count);
    const { body: log } = await org.get(`/audit?type=rate_comparison.started_over&objectId=${idOf(parts.path)}`);
    expect(log.data).toMatchObject([{ data: { revision: 1, processed: chunkSize } }]);
  });

  test("goes on where it was when nothing has changed", async () => {
    const { path } = await halfDone();
    await resumeComparisons(hub.world);
    expect((await org.get(path)).body).toMatchObject({ status: "completed", counts: { rated: count } });
    const { body: log } = await org.get(`/audit?type=rate_comparison.started_over&objectId=${idOf(path)}`);
    expect(log.data).toEqual([]);
  });
});

test("kill -9 while 60,000 items are processed loses and doubles none of them", { timeout: 300_000 }, async () => {
  const items = 60_000;
  let node = await startHubProcess({ env: { HUB_PREVIEW_PORT: "off" } });
  const admin = node.firstAdmin()!;
  const connect = () => signIn(node.url, admin);
  let client = await connect();
  const { body: account } = await client.post("/carrier-accounts", { name: "Contract", carrier: "rate-card" });
  await client.post(`/carrier-accounts/${account.id}/rate-cards`, { card: contract });
  const request = { name: "Large", carrierAccountId: account.id, csv: parcelsCsv(items) };
  const { body: made } = await client.post("/rate-comparisons/import", request);
  const path = `/rate-comparisons/${made.comparison.id}`;
  const status = async () => (await client.get(path)).body;
  const ended = async () => {
    for (;;) {
      const found = await status();
      if (!["queued", "processing"].includes(found.status)) return found;
      await delay(50);
    }
  };
  await client.post(`${path}/process`);
  await ended();
  const undisturbed = (await client.get(`${path}/summary`)).body;

  let kills = 0;
  await client.post(`${path}/process`);
  while (kills < 3) {
    const { progress, status: now } = await status();
    if (now.startsWith("completed")) await client.post(`${path}/process`);
    if (progress.processed === 0 || progress.processed === items) continue;
    node.send("SIGKILL");
    await node.exited;
    kills++;
    node = await startHubProcess({ dataDir: node.dataDir, env: { HUB_PREVIEW_PORT: "off" } });
    client = await connect();
  }
  const { revision } = await ended();
  const disturbed = (await client.get(`${path}/summary`)).body;
  expect({ ...disturbed, computedAt: null }).toEqual({ ...undisturbed, computedAt: null, revision });
  expect(disturbed.coverage.pending).toBe(0);
  await node.stop();
});
