import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import type { Progress } from "./deliveries.store.ts";
import { saveAcrossOrgs } from "./deliveries.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { endOf, healthAfter } from "./delivery-outcome.ts";
import { createSendPlaces } from "./send-places.ts";
import type { LeasedWebhook } from "./webhook-work.store.ts";
import { listNext, lockBehindAcrossOrgs, webhookLeases } from "./webhook-work.store.ts";

const hub = await startTestHub();
const { db, newId } = hub.world;

const webhookOf = async (org: TestOrg): Promise<string> =>
  (await org.post("/webhooks", { url: "http://127.0.0.1:9/", types: ["order.created"] })).body.id;

test("an organization with many webhooks that are far behind does not keep another one's from being looked at", async () => {
  const [busy, quiet] = [await hub.org(), await hub.org()];
  for (let n = 1; n < 100; n++) await webhookOf(busy);
  const last = await webhookOf(busy);
  const more = await busy.post("/webhooks", { url: "http://127.0.0.1:9/", types: ["order.*"] });
  expect([more.status, more.body.code]).toEqual([409, "invalid_state"]);
  // One that is deleted makes room.
  await busy.delete(`/webhooks/${last}`);
  expect(await webhookOf(busy)).toBeDefined();
  const id = await webhookOf(quiet);
  for (const org of [busy, quiet]) await org.post("/orders", {});
  for (const org of [busy, quiet]) await hub.world.sealer.sealNow(org.id);
  await db.transaction(async (tx) => {
    const found = (await lockBehindAcrossOrgs(tx)).map((webhook) => webhook.id);
    expect(found).toHaveLength(50);
    expect(found).toContain(id);
    // Whoever else looks meanwhile gets others.
    const others = await db.transaction((tx2) => lockBehindAcrossOrgs(tx2));
    expect(others.filter((webhook) => found.includes(webhook.id))).toEqual([]);
  });
});

test("a webhook that is paused, deleted or to be left alone is taken by nobody, though something waits for it", async () => {
  const org = await hub.org();
  const ids = [await webhookOf(org), await webhookOf(org), await webhookOf(org), await webhookOf(org)];
  const [paused, deleted, alone, free] = ids as [string, string, string, string];
  await org.post("/orders", {});
  // Who lists what waits makes rows of it, which are due.
  for (const id of ids) expect((await org.get(`/webhooks/${id}/deliveries`)).body.data).toHaveLength(1);
  await org.post(`/webhooks/${paused}/pause`);
  await db.query("update webhooks set deleted_at = now() where id = $1", [deleted]);
  await db.query("update webhooks set wait_until = now() + interval '1 hour' where id = $1", [alone]);
  const rooms = { byOrg: new Map([[org.id, ids.length]]), others: 0 };
  const claim = { owner: newId(), limit: ids.length, rooms, mayTakeOver: true, now: new Date() };
  const { rows } = await webhookLeases.claimAcrossOrgs(db, claim);
  expect(rows.map(({ id }) => id)).toEqual([free]);
  // Nor does anybody look for what is new in the log for one that gets nothing.
  await org.post("/orders", {});
  await hub.world.sealer.sealNow(org.id);
  const behind = await db.transaction((tx) => lockBehindAcrossOrgs(tx));
  expect(behind.flatMap(({ id, orgId }) => (orgId === org.id ? id : []))).toEqual([alone]);
});

describe("how a delivery went", async () => {
  const org = await hub.org();
  const types = ["order.created"];

  /** One that was leased and has sent the first of two events, which was not taken. */
  async function sendOne() {
    const id = await webhookOf(org);
    for (let n = 0; n < 2; n++) await org.post("/orders", {});
    await hub.world.sealer.sealNow(org.id);
    const leased = (await webhookLeases.claimOneAcrossOrgs(db, id, newId()))!;
    const about = { orgId: org.id, webhookId: id, types, without: [], now: new Date(), limit: 10 };
    const { next, lookedTo } = await listNext(db, { ...about, cursor: leased.cursor });
    expect(next.map(({ attempts, dueAt }) => [attempts, dueAt])).toEqual([
      [0, null],
      [0, null],
    ]);
    const [delivery, second] = next as [(typeof next)[0], (typeof next)[0]];
    const error = { code: "not_taken", message: "no" };
    const outcome: Outcome = {
      at: new Date(),
      durationMs: 5,
      status: 500,
      error,
      headers: {},
      answer: "",
      retryAfterMs: 0,
    };
    const ending = endOf(delivery, leased, outcome, Math.random);
    const { health } = healthAfter(leased, outcome, ending, Math.random);
    const to = second.event.sequence - 1;
    const progress: Progress = { id, epoch: leased.epoch, version: leased.version, from: leased.cursor, to, health };
    const save = (more: Partial<Progress> = {}) =>
      saveAcrossOrgs(db, [{ ...progress, ...more }], [{ id: newId(), webhookId: id, delivery, outcome, ending }]);
    const readRow = async () => {
      const [row] = await db.query<{
        cursor: number;
        failures: number;
        rows: number;
        attempts: number;
        former: number;
      }>(
        `select w.cursor, w.consecutive_failures as failures, count(d.id) as rows, coalesce(sum(d.attempt_count), 0)::int as attempts, coalesce(sum(d.tries), 0)::int as tries,
           (select count(*) from webhook_attempts a join webhook_deliveries o on o.id = a.delivery_id where o.webhook_id = w.id) as former
           from webhooks w left join webhook_deliveries d on d.webhook_id = w.id where w.id = $1 group by w.id`,
        [id],
      );
      return row!;
    };
    return { id, leased, save, readRow, to, lookedTo };
  }
  const nothing = (leased: LeasedWebhook) => ({
    cursor: leased.cursor,
    failures: 0,
    rows: 0,
    attempts: 0,
    tries: 0,
    former: 0,
  });

  test("is written down with how the endpoint is doing, and not once more when the answer to that was lost", async () => {
    const { id, save, readRow, to } = await sendOne();
    expect(await save()).toMatchObject([{ cursor: to, wasTold: false }]);
    expect(await readRow()).toEqual({ cursor: to, failures: 1, rows: 1, attempts: 1, tries: 1, former: 0 });
    const { data } = (await org.get(`/webhooks/${id}/deliveries?status=waiting`)).body;
    const tried = data.find(({ attemptCount }: { attemptCount: number }) => attemptCount === 1);
    await org.post(`/webhooks/${id}/deliveries/${tried.id}/resend`);
    expect(await save()).toHaveLength(1);
    expect(await readRow()).toMatchObject({ rows: 2, attempts: 1, tries: 0, former: 0 });
  });

  test("is not written down by a worker that was taken for dead", async () => {
    const { leased, id, save, readRow } = await sendOne();
    await db.query("update webhooks set lease_until = now() where id = $1", [id]);
    await webhookLeases.claimOneAcrossOrgs(db, id, newId());
    expect([await save(), await readRow()]).toEqual([[], nothing(leased)]);
  });

  test("is not written over what people have changed meanwhile", async () => {
    const { leased, id, save, readRow } = await sendOne();
    await org.post(`/webhooks/${id}/pause`);
    expect([await save(), await readRow()]).toEqual([[], nothing(leased)]);
    expect((await org.get(`/webhooks/${id}`)).body.status).toBe("paused");
    await org.delete(`/webhooks/${id}`);
    expect(await save({ version: leased.version + 1 })).toEqual([]);
  });

  test("moves no cursor that was put elsewhere", async () => {
    const { save, readRow, leased } = await sendOne();
    await save({ from: leased.cursor - 1 });
    expect((await readRow()).cursor).toBe(leased.cursor);
  });

  test("who lists what waits makes rows of it, and the end of what was under way is written into them", async () => {
    const { id, save, readRow, to, lookedTo } = await sendOne();
    const listed = async () => (await org.get(`/webhooks/${id}/deliveries`)).body.data as { status: string }[];
    expect(await listed()).toMatchObject([{ status: "waiting" }, { status: "waiting" }]);
    expect(await save()).toMatchObject([{ cursor: lookedTo }]);
    expect(lookedTo).toBeGreaterThan(to);
    expect(await readRow()).toMatchObject({ rows: 2, attempts: 1 });
  });
});

test("no organization takes all places, and no endpoint is shut out", () => {
  const step = fc.record({ org: fc.constantFrom("a", "b", "c"), isFirst: fc.boolean(), isGiven: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 100 }), (slots, steps) => {
      const places = createSendPlaces(slots);
      const has = { a: 0, b: 0, c: 0 };
      const total = (): number => has.a + has.b + has.c;
      for (const { org, isFirst, isGiven } of steps as {
        org: keyof typeof has;
        isFirst: boolean;
        isGiven: boolean;
      }[]) {
        if (isGiven && has[org] > 0) {
          places.give(org);
          has[org]--;
          continue;
        }
        const isTaken = places.take(org, isFirst);
        if (isFirst) expect(isTaken).toBe(true);
        else expect(isTaken).toBe(total() < slots && has[org] < 3 * (slots - total()));
        if (isTaken) has[org]++;
      }
    }),
    { numRuns: 100 },
  );
});
