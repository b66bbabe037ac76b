import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { parcelsCsv } from "../../../../bench/src/stored-parcels.ts";
import { anItem, contract, comparisonFixture, rateOneChunk, workThrough } from "../../testing/comparison-fixture.ts";
import { eventually } from "../../testing/eventually.ts";
import { signIn, startHubProcess } from "../../testing/hub-process.ts";
import { readyDataDir } from "../../testing/ready-data-dir.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { itemsPerTransaction } from "./execute-comparison.ts";
import { startWork, workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { aComparison, anAccount } = await comparisonFixture(hub, org);

/** More than is rated in one go. */
const many = itemsPerTransaction + 10;

async function manyItems(count = many): Promise<string> {
  const path = await aComparison(Array.from({ length: count }, () => anItem()));
  await org.post(`${path}/process`);
  return path;
}

const idOf = (path: string): string => path.split("/").at(-1)!;
const doneWith = (rated: number) => ({ status: "completed", counts: { pending: 0, rated } });

describe("a comparison whose worker stops", () => {
  test("halfway is completed by another node, and nothing is counted twice", async () => {
    const count = 2 * itemsPerTransaction + 10;
    const path = await manyItems(count);
    await rateOneChunk(hub.world, idOf(path));
    expect((await org.get(path)).body).toMatchObject({
      status: "processing",
      progress: { processed: itemsPerTransaction },
    });
    const partly = (await org.get(`${path}/items?status=rated`)).body.pagination.total;
    expect(partly).toBe(itemsPerTransaction);
    expect((await org.get(`${path}/items?status=pending`)).body.pagination.total).toBe(itemsPerTransaction + 10);
    for (const query of ["status=rated,pending", "sort=savings", "sort=-netCost", "sort=zone&serviceType=UPS Ground"]) {
      const { body } = await org.get(`${path}/items?${query}`);
      expect([query, body.pagination.total]).toEqual([query, count]);
      expect(body.data).toHaveLength(body.pagination.limit);
    }
    const last = (await org.get(`${path}/items?sort=savings&limit=10&page=${itemsPerTransaction / 5 + 1}`)).body.data;
    expect(last.map(({ index, status }: { index: number; status: string }) => [index, status]).at(-1)).toEqual([
      count - 1,
      "pending",
    ]);
    const other = await hub.secondNode();
    await workOff(other.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject(doneWith(count));
    const { coverage, totals } = (await org.get(`${path}/summary`)).body;
    expect(coverage.rated).toBe(count);
    expect(totals.sourceCost).toBe(15 * count);
  });

  test("without releasing its lease is taken over when the lease expires, and not before", async () => {
    const path = await manyItems();
    await rateOneChunk(hub.world, idOf(path));
    const claim =
      "update rate_comparisons set lease_owner = 'dead', lease_until = now() + interval '1 hour' where id = $1";
    await hub.world.db.query(claim, [idOf(path)]);
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body.progress.processed).toBe(itemsPerTransaction);
    await hub.world.db.query("update rate_comparisons set lease_until = now() - interval '1 second' where id = $1", [
      idOf(path),
    ]);
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject(doneWith(many));
  });

  test("is taken over at once if no other hub uses the database", async () => {
    const path = await manyItems();
    const claim =
      "update rate_comparisons set lease_owner = 'dead', lease_until = now() + interval '1 hour' where id = $1";
    await hub.world.db.query(claim, [idOf(path)]);
    await comparisonWork.leases.endAllAcrossOrgs(hub.world.db);
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject(doneWith(many));
  });

  test("because it was deleted meanwhile leaves nothing behind", async () => {
    const path = await manyItems();
    await rateOneChunk(hub.world, idOf(path));
    expect((await org.delete(path)).status).toBe(200);
    await workOff(hub.world, comparisonWork);
    for (const table of ["rate_items", "rate_results", "rate_item_kinds"]) {
      expect(await hub.world.db.query(`select 1 from ${table} where comparison_id = $1 limit 1`, [idOf(path)])).toEqual(
        [],
      );
    }
  });

  test("shows the results of the last finished revision until the next is finished", async () => {
    const path = await manyItems();
    await workOff(hub.world, comparisonWork);
    await org.post(`${path}/process`, { scenario: { fuelPercent: 0 } });
    await rateOneChunk(hub.world, idOf(path));
    const costs = async () => (await org.get(`${path}/items?limit=1`)).body.data[0];
    expect(await costs()).toMatchObject({ revision: 1, targetCost: 13.2 });
    expect((await org.get(`${path}/summary`)).body).toMatchObject({ status: "processing", revision: 1 });
    await workOff(hub.world, comparisonWork);
    expect(await costs()).toMatchObject({ revision: 2, targetCost: 12 });
    const left = await hub.world.db.query<{ revision: number }>(
      "select distinct revision from rate_results where comparison_id = $1",
      [idOf(path)],
    );
    expect(left).toEqual([{ revision: 2 }]);
  });
});

describe("a comparison that fails", () => {
  const { db } = hub.world;

  async function refused(errcode: string): Promise<{ path: string; heal(): Promise<unknown> }> {
    const path = await aComparison(Array.from({ length: itemsPerTransaction + 10 }, () => anItem()));
    await org.post(`${path}/process`);
    await db.query(`create function refuse_result() returns trigger language plpgsql as $$ begin
      raise exception 'refused' using errcode = '${errcode}'; end $$`);
    await db.query(`create trigger refuse_result before insert on rate_results for each row
      when (new.comparison_id = '${idOf(path)}' and new.position = ${itemsPerTransaction}) execute function refuse_result()`);
    return { path, heal: () => db.query("drop function if exists refuse_result cascade") };
  }

  test("because the database rejects a result is given up after a few attempts, without delaying others", async () => {
    const { path, heal } = await refused("22003");
    const other = await aComparison([anItem()]);
    await org.post(`${other}/process`);
    await workThrough(hub.world);
    await heal();
    const message = "An internal error occurred; see the server log.";
    const { body } = await org.get(path);
    expect(body).toMatchObject({ status: "failed", error: { code: "internal_error", message } });
    expect(body.progress.processed).toBe(itemsPerTransaction);
    expect((await org.get(other)).body.status).toBe("completed");
    const said = hub.logs.filter((line) => line.includes(idOf(path)));
    expect(said.filter((line) => line.includes("will be retried"))).toHaveLength(comparisonWork.maxAttempts - 1);
    expect(said.filter((line) => line.includes("given up"))).toHaveLength(1);
    const { body: log } = await org.get(`/audit?type=rate_comparison.failed&objectId=${idOf(path)}`);
    expect(log.data).toMatchObject([{ data: { revision: 1, error: { code: "internal_error" } } }]);

    await org.post(`${path}/process`);
    await workThrough(hub.world);
    expect((await org.get(path)).body).toMatchObject({ status: "completed", revision: 2, error: null });
  });

  test("at first is completed by a later attempt, from its last chunk", async () => {
    const { path, heal } = await refused("22003");
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject({
      status: "processing",
      progress: { processed: itemsPerTransaction },
    });
    await heal();
    await workThrough(hub.world);
    expect((await org.get(path)).body).toMatchObject({
      status: "completed",
      counts: { rated: itemsPerTransaction + 10 },
    });
    expect((await org.get(`${path}/summary`)).body.totals.sourceCost).toBe(15 * (itemsPerTransaction + 10));
  });

  test("because it crashes its process each time is given up, too", async () => {
    const path = await aComparison([anItem()]);
    await org.post(`${path}/process`);
    for (let death = 0; death < comparisonWork.maxAttempts; death++) {
      expect(await comparisonWork.leases.claimOneAcrossOrgs(db, idOf(path), randomUUID())).toBeDefined();
      await comparisonWork.leases.endAllAcrossOrgs(hub.world.db);
    }
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject({ status: "failed", error: { code: "internal_error" } });
  });

  test("only in its cleanup is completed all the same", async () => {
    const path = await aComparison([anItem()]);
    await org.post(`${path}/process`);
    await workThrough(hub.world);
    await org.post(`${path}/process`);
    await db.query(`create function keep_result() returns trigger language plpgsql as $$ begin
      raise exception 'kept' using errcode = '22003'; end $$`);
    await db.query(`create trigger keep_result before delete on rate_results for each row
      when (old.comparison_id = '${idOf(path)}') execute function keep_result()`);
    await workThrough(hub.world);
    await db.query("drop function keep_result cascade");
    expect((await org.get(path)).body).toMatchObject({ status: "completed", revision: 2 });
    expect((await org.get(`${path}/items?status=rated`)).body.data).toMatchObject([{ revision: 2 }]);
    expect(
      await db.query("select 1 from rate_comparisons where id = $1 and due_at is null", [idOf(path)]),
    ).toHaveLength(1);
  });
});

describe("comparisons of several organizations", () => {
  test("do not wait for each other: a small one is completed while large ones of another are in progress", async () => {
    const { db } = hub.world;
    const large = await Promise.all(Array.from({ length: 4 }, () => aComparison([anItem(), anItem()])));
    // They stay at work for as long as the test wants.
    await db.query("create table gate (is_open boolean)");
    await db.query(`create function wait_at_gate() returns trigger language plpgsql as $$
      begin while not exists (select from gate) loop perform pg_sleep(0.05); end loop; return new; end $$`);
    await db.query(`create trigger wait_at_gate before insert on rate_results for each row
      when (new.comparison_id = any('{${large.map(idOf).join(",")}}')) execute function wait_at_gate()`);
    for (const path of large) await org.post(`${path}/process`);
    const worker = startWork(hub.world, comparisonWork, { slots: 2 });
    try {
      const states = () => Promise.all(large.map(async (path) => (await org.get(path)).body.status));
      await eventually(states, (all) => all.includes("processing"));
      const other = await hub.org();
      const small = await (await comparisonFixture(hub, other)).aComparison([anItem()]);
      await other.post(`${small}/process`);
      // Well before the first of the others is told that it takes too long.
      await eventually(
        async () => (await other.get(small)).body.status,
        (status) => status === "completed",
        20_000,
      );
      expect((await states()).toSorted()).toEqual(["processing", "queued", "queued", "queued"]);
      await db.query("insert into gate values (true)");
      await eventually(states, (all) => all.every((status) => status === "completed"));
    } finally {
      await db.query("insert into gate values (true)");
      await worker.stop();
    }
  });
});

describe("a comparison whose zone chart, condition set or service names are changed halfway", () => {
  const count = itemsPerTransaction + 10;

  async function halfDone(): Promise<{ path: string; account: string; set: string }> {
    const { body: set } = await org.post("/condition-sets", { name: `Far away ${randomUUID()}` });
    const surcharge = { code: "far", kind: "fixed", amount: 5, when: { destinationSet: set.id } };
    const account = await anAccount({ ...contract, surcharges: [surcharge] });
    const path = await aComparison(
      Array.from({ length: count }, () => anItem()),
      { carrierAccountId: account },
    );
    await org.post(`${path}/process`);
    await rateOneChunk(hub.world, idOf(path));
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

  test.each(changes)("restarts with the current %s, so that all items use the same", async (_what, make, cost) => {
    const parts = await halfDone();
    expect(await make(parts)).toMatchObject({ status: 200 });
    await workOff(hub.world, comparisonWork);
    const { body } = await org.get(`${parts.path}/summary`);
    expect(body.coverage.rated).toBe(count);
    expect(Math.round(body.totals.targetCost * 100)).toBe(Math.round(cost * 100) * count);
    const { body: log } = await org.get(`/audit?type=rate_comparison.restarted&objectId=${idOf(parts.path)}`);
    expect(log.data).toMatchObject([{ data: { revision: 1, processed: itemsPerTransaction } }]);
  });

  test("continues where it was if nothing has changed", async () => {
    const { path } = await halfDone();
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject({ status: "completed", counts: { rated: count } });
    const { body: log } = await org.get(`/audit?type=rate_comparison.restarted&objectId=${idOf(path)}`);
    expect(log.data).toEqual([]);
  });
});

test("kill -9 while 60,000 items are processed loses and doubles none of them", async () => {
  const items = 60_000;
  let node = await startHubProcess({ dataDir: await readyDataDir(), env: { HUB_PREVIEW_PORT: "off" } });
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
