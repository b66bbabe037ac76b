import pg from "pg";
import { describe, expect, test } from "vitest";
import { systemContext } from "../context.ts";
import { newId } from "../core/ids.ts";
import { openDatabase } from "../db/database.ts";
import { eventually } from "../testing/eventually.ts";
import type { TestClient } from "../testing/test-client.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { recordEvent } from "./record-event.ts";
import { createSealer } from "./sealer.ts";

const hub = await startTestHub();
const { db } = hub.world;

type Entry = { sequence: number; type: string; hash: string; data: { version: number } };

async function listAll(client: TestClient, filter: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; ; page++) {
    const { data, pagination } = (await client.get(`/audit?${filter}&limit=100&page=${page}`)).body;
    entries.push(...data);
    if (!pagination.hasMore) return entries.toReversed();
  }
}

function later(id: string, ms: number): string {
  const time = Number.parseInt(id.replace("-", "").slice(0, 12), 16) + ms;
  const digits = time.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}${id.slice(13)}`;
}

describe("the order of events", () => {
  test("1,000 concurrent changes to one order on two nodes are sealed in the order of its versions", async () => {
    const org = await hub.org();
    const second = await hub.secondNode();
    // Its clock is five seconds ahead, and with it the time in its ids.
    second.world.newId = () => later(newId(), 5_000);
    const elsewhere = second.client(org.token);
    const { id } = (await org.post("/orders", { number: "RACE" })).body;
    const changes = Array.from({ length: 1_000 }, (_, i) => i);
    const answers: number[] = [];
    const racer = async (client: TestClient): Promise<void> => {
      for (let i = changes.pop(); i !== undefined; i = changes.pop()) {
        const { status, body } = await client.patch(`/orders/${id}`, { tags: [`t${i}`] });
        expect(status).toBe(200);
        answers.push(body.version);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, i) => racer(i % 2 ? org : elsewhere)));
    const versions = Array.from({ length: 1_000 }, (_, i) => i + 2);
    expect(answers.toSorted((a, b) => a - b)).toEqual(versions);
    const entries = await listAll(org, `objectId=${id}&type=order.updated`);
    expect(entries.map(({ data }) => data.version)).toEqual(versions);
    expect((await org.get("/audit/verification")).body.ok).toBe(true);
  });

  test("is that of recording, also for thousands in one transaction", async () => {
    const org = await hub.org();
    const ctx = { ...systemContext(hub.world, org.id, "test"), requestId: "many" };
    await db.transaction(async (tx) => {
      for (let i = 1; i <= 300; i++) {
        recordEvent(tx, ctx, { type: "organization.updated", objectId: org.id, data: { name: "n", version: i } });
      }
    });
    const entries = await listAll(org, "type=organization.updated");
    expect(entries.map(({ data }) => data.version)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
  });

  test("late commits are numbered last, without changing existing numbers", async () => {
    const org = await hub.org();
    const ctx = systemContext(hub.world, org.id, "test");
    const before = await db.transaction(async (tx) => {
      const data = { name: "late", version: 1 };
      recordEvent(tx, ctx, { type: "organization.updated", objectId: org.id, data });
      await org.post("/condition-sets", { name: "meanwhile" });
      return await listAll(org, "");
    });
    expect(before.at(-1)).toMatchObject({ type: "condition_set.created" });
    const after = await listAll(org, "");
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toMatchObject([{ type: "organization.updated", sequence: before.length + 1 }]);
    expect((await org.get("/audit/verification")).body).toMatchObject({ ok: true, entries: after.length });
  });
});

/** Connections of this database that wait for such a lock. */
async function countLockWaits(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`,
  );
  return rows[0]!.n;
}

describe("a slow seal", () => {
  test("holds one connection of a node while others of its organization wait, and delays no other organization", async () => {
    // Of the other hub there are two nodes.
    const single = await startTestHub();
    const [org, other] = [await single.org(), await single.org()];
    const holder = new pg.Client(single.connection);
    await holder.connect();
    await holder.query("begin");
    await holder.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`events:${org.id}`]);
    await org.post("/condition-sets", { name: "slow 0" });
    const countWaiting = (): Promise<number> => countLockWaits(holder);
    await eventually(countWaiting, (count) => count === 1);
    const readers = Array.from({ length: 8 }, () => org.get("/audit"));
    for (let i = 1; i <= 12; i++) {
      await org.post("/condition-sets", { name: `slow ${i}` });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await countWaiting()).toBe(1);
    }
    expect((await other.get("/audit")).status).toBe(200);
    await holder.query("commit");
    await holder.end();
    for (const { body } of await Promise.all(readers)) expect(body.data[0].data.name).toMatch(/^slow/);
    expect((await org.get("/audit")).body.data[0].data.name).toBe("slow 12");
  });

  test("is awaited at the end", async () => {
    const org = await hub.org();
    const own = openDatabase({ connection: hub.connection, maxConnections: 5, onError: () => {} });
    const sealer = createSealer(own, hub.world.sealer.signer, { onError: () => {} });
    const holder = new pg.Client(hub.connection);
    await holder.connect();
    await holder.query("begin");
    await holder.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`events:${org.id}`]);
    await org.post("/condition-sets", { name: "unsealed" });
    const asked = [sealer.sealNow(org.id), sealer.sealNow(org.id)];
    let hasStopped = false;
    const stopped = sealer.stop().then(() => (hasStopped = true));
    await eventually(
      () => countLockWaits(holder),
      (count) => count > 0,
    );
    expect(hasStopped).toBe(false);
    await holder.query("commit");
    await holder.end();
    await stopped;
    await Promise.all(asked);
    await own.close();
  });
});
