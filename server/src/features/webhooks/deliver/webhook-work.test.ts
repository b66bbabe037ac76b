import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemContext } from "../../../context.ts";
import { recordEvents } from "../../../events/record-event.ts";
import type { TimeSlice } from "../../../queue/work.ts";
import { eventually } from "../../../testing/eventually.ts";
import { startReceiver } from "../../../testing/stand-in-receiver.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { arrivals, makeOrders, orderIdsOf } from "../../../testing/webhook-desk.ts";
import type { Progress } from "./deliveries.store.ts";
import { lockResendAcrossOrgs, resendPortion, saveAcrossOrgs } from "./deliveries.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { endOf, healthAfter } from "./delivery-outcome.ts";
import type { Desk, Sent } from "./feed-webhook.ts";
import { startFeed } from "./feed-webhook.ts";
import { createSendPlaces } from "./send-places.ts";
import { createSettler } from "./settle-deliveries.ts";
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

test("of what waits a thousand get rows at most when somebody looks, and the log keeps the others", async () => {
  const org = await hub.org();
  const types = ["organization.updated"];
  const { id } = (await org.post("/webhooks", { url: "http://127.0.0.1:9/", types })).body;
  const event = { type: "organization.updated", objectId: org.id, data: { name: "x", version: 1 } } as const;
  const events = Array.from({ length: 1_005 }, () => event);
  await db.transaction(async (tx) => recordEvents(tx, systemContext(hub.world, org.id, "test"), events));
  expect((await org.get(`/webhooks/${id}/deliveries`)).body.pagination.total).toBe(1_000);
  expect((await org.get(`/webhooks/${id}`)).body.waiting).toBe(1_005);
  const [{ cursor } = { cursor: 0 }] = await db.query<{ cursor: number }>("select cursor from webhooks where id = $1", [
    id,
  ]);
  const about = { orgId: org.id, webhookId: id, types, without: [], now: new Date(), limit: 10 };
  const { next } = await listNext(db, { ...about, cursor });
  expect(next.filter(({ dueAt }) => dueAt === null)).toHaveLength(5);
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
  const quotas = { byOrg: new Map([[org.id, ids.length]]), others: 0 };
  const claim = { owner: newId(), limit: ids.length, quotas, mayTakeOver: true, now: new Date() };
  const { rows } = await webhookLeases.claimAcrossOrgs(db, claim);
  expect(rows.map(({ id }) => id)).toEqual([free]);
  // Nor does anybody look for what is new in the log for one that gets nothing.
  await org.post("/orders", {});
  await hub.world.sealer.sealNow(org.id);
  const behind = await db.transaction((tx) => lockBehindAcrossOrgs(tx));
  expect(behind.flatMap(({ id, orgId }) => (orgId === org.id ? id : []))).toEqual([alone]);
  expect((await org.get(`/webhooks/${paused}/deliveries`)).body.data).toHaveLength(1);
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
    const save = async (more: Partial<Progress> = {}, attempts = 0) => {
      const settlement = { id: newId(), webhookId: id, delivery: { ...delivery, attempts }, outcome, ending };
      return await saveAcrossOrgs(db, [{ ...progress, ...more }], [settlement]);
    };
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
    /** Of what has a row. */
    const countDue = async () =>
      (await listNext(db, { ...about, cursor: leased.cursor })).next.filter(({ dueAt }) => dueAt !== null).length;
    return { id, leased, save, readRow, countDue, to, lookedTo };
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
    for (let written = 1; written <= 2; written++) {
      expect(await save({}, 1)).toHaveLength(1);
      expect(await readRow()).toMatchObject({ rows: 2, attempts: 2, former: 1 });
    }
  });

  test("is not written down by a worker that was taken for dead", async () => {
    await org.post("/orders", {});
    const { leased, id, save, readRow } = await sendOne();
    await db.query("update webhooks set lease_until = now() where id = $1", [id]);
    const taken = (await webhookLeases.claimOneAcrossOrgs(db, id, newId()))!;
    expect([await save(), await readRow()]).toEqual([[], nothing(leased)]);
    // Nor does it take up what is to be sent once more.
    expect((await org.post(`/webhooks/${id}/resend`, { from: "2020-01-01T00:00:00Z", only: "all" })).status).toBe(202);
    const locked = (epoch: number) => db.transaction((tx) => lockResendAcrossOrgs(tx, { id, epoch }));
    expect([await locked(leased.epoch), await locked(taken.epoch)]).toMatchObject([undefined, { onlyFailed: false }]);
  });

  test("is not written over what people have changed meanwhile", async () => {
    const { leased, id, save, readRow } = await sendOne();
    await org.post(`/webhooks/${id}/pause`);
    expect([await save(), await readRow()]).toEqual([[], nothing(leased)]);
    expect((await org.get(`/webhooks/${id}`)).body.status).toBe("paused");
    await org.delete(`/webhooks/${id}`);
    expect(await save({ version: leased.version + 1 })).toEqual([]);
  });

  test("is not forgotten when everything is to be sent once more, which ends with what waits", async () => {
    const { id, leased, save, readRow } = await sendOne();
    await save();
    expect((await org.post(`/webhooks/${id}/resend`, { from: "2020-01-01T00:00:00Z", only: "all" })).status).toBe(202);
    const about = { orgId: org.id, webhookId: id, isStrict: false, types };
    await db.transaction(async (tx) => resendPortion(tx, (await lockResendAcrossOrgs(tx, leased))!, about, new Date()));
    expect(await readRow()).toMatchObject({ attempts: 1, tries: 1 });
    await org.post(`/webhooks/${id}/resend`, { from: "2020-01-01T00:00:00Z", only: "all" });
    await org.post(`/webhooks/${id}/enable`, { from: "now" });
    expect(await db.transaction((tx) => lockResendAcrossOrgs(tx, leased))).toBeUndefined();
  });

  test("is tried again when its time has come; in strict order it is the next to be sent", async () => {
    const { id, save, countDue } = await sendOne();
    await save();
    const counts = [await countDue()];
    for (const ordering of ["strict", "none"]) {
      await org.patch(`/webhooks/${id}`, { ordering });
      counts.push(await countDue());
    }
    expect(counts).toEqual([0, 1, 0]);
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
    // Behind an earlier cursor there is what was delivered.
    await db.query("update webhook_deliveries set status = 'delivered', due_at = null where webhook_id = $1", [id]);
    await db.query("update webhooks set cursor = $2 where id = $1", [id, to]);
    expect(await listed()).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
  });
});

describe("a turn of sending", async () => {
  const org = await hub.org();

  /** A webhook that was leased when orders had been made, and what its holder sends with. */
  async function begin(count: number, more: object = {}) {
    const receiver = await startReceiver();
    const { id } = (await org.post("/webhooks", { url: receiver.url, types: ["order.created"], ...more })).body;
    const orders = await makeOrders(org, count);
    await hub.world.sealer.sealNow(org.id);
    const lease = async () => (await webhookLeases.claimOneAcrossOrgs(db, id, newId()))!;
    const seen = { looks: 0, fenced: 0 };
    const { signal } = new AbortController();
    const slice: TimeSlice = {
      owner: newId(),
      signal,
      isFresh: () => true,
      shouldYield: () => false,
      releaseSlot: () => undefined,
    };
    const desk: Desk = {
      world: hub.world,
      places: createSendPlaces(16),
      counters: { attempts: 0 },
      isStopping: () => false,
      settle: createSettler(hub.world, ({ fenced }) => (seen.fenced += fenced)),
      wakeAt: () => undefined,
      look: () => seen.looks++,
    };
    const readRow = async () =>
      (await db.query("select cursor, epoch, lease_owner as owner from webhooks where id = $1", [id]))[0];
    return { receiver, id, orders, lease, leased: await lease(), seen, slice, desk, readRow };
  }

  test("begins nothing when the lease may be over, and moves no cursor that was put elsewhere", async () => {
    const { receiver, id, lease, leased, seen, slice, desk, readRow } = await begin(1);
    const cursor = leased.cursor - 1;
    await db.query("update webhooks set cursor = $2 where id = $1", [id, cursor]);
    await startFeed(desk, leased, { ...slice, isFresh: () => false }).ended;
    expect([receiver.received, seen.looks]).toEqual([[], 1]);
    expect(await readRow()).toEqual({ cursor, epoch: leased.epoch, owner: null });
    // Or when that is found out before the first byte has left.
    let isFresh = true;
    const places = { take: () => !(isFresh = false), give: () => undefined };
    await startFeed({ ...desk, places }, await lease(), { ...slice, isFresh: () => isFresh }).ended;
    expect([isFresh, receiver.received]).toEqual([false, []]);
  });

  test("ends when another has the webhook, and leaves it to them", async () => {
    const { receiver, id, lease, leased, seen, slice, desk, readRow } = await begin(3, { maxInFlight: 1 });
    receiver.replies.push("hang");
    const feed = startFeed(desk, leased, slice);
    await arrivals(receiver, 1);
    await db.query("update webhooks set lease_until = now() where id = $1", [id]);
    const { epoch } = await lease();
    const before = await readRow();
    feed.reload();
    receiver.release();
    await feed.ended;
    expect([receiver.received.length, seen.fenced, leased.epoch + 1]).toEqual([1, 1, epoch]);
    expect(await readRow()).toEqual(before);
  });

  test("begins nothing before it is read what people have changed", async () => {
    const { receiver, id, leased, slice, desk } = await begin(3, { maxInFlight: 1 });
    receiver.replies.push("hang");
    const feed = startFeed(desk, leased, slice);
    await arrivals(receiver, 1);
    await org.post(`/webhooks/${id}/pause`);
    await db.transaction(async (tx) => {
      await tx.query("lock table webhooks in access exclusive mode");
      feed.reload();
      receiver.release();
      await eventually(
        async () => desk.counters.attempts,
        (attempts) => attempts === 1,
      );
    });
    await feed.ended;
    expect(receiver.received).toHaveLength(1);
  });

  test("writes down how it went when the database is back", async () => {
    const { receiver, id, leased, slice, desk } = await begin(1);
    receiver.replies.push("hang");
    const feed = startFeed(desk, leased, slice);
    await arrivals(receiver, 1);
    await db.transaction(async (tx) => {
      await tx.query("select from webhooks where id = $1 for update", [id]);
      receiver.release();
      const cutOff = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%jsonb_to_recordset($2::jsonb) as u%'`;
      await eventually(
        () => db.query(cutOff),
        ({ length }) => length === 1,
      );
    });
    await feed.ended;
    const { data } = (await org.get(`/webhooks/${id}/deliveries`)).body;
    expect(data).toMatchObject([{ status: "delivered", attemptCount: 1 }]);
    expect(receiver.received).toHaveLength(1);
  });

  test("looks no further in the log than to the last entry it has read, of whatever type it is", async () => {
    const { id, orders, leased } = await begin(2);
    for (const order of orders) expect((await org.patch(`/orders/${order}`, { tags: ["later"] })).status).toBe(200);
    await hub.world.sealer.sealNow(org.id);
    const types = ["order.updated", "order.created"];
    const about = { orgId: org.id, webhookId: id, types, without: [], now: new Date(), limit: 3 };
    const first = await listNext(db, { ...about, cursor: leased.cursor });
    const second = await listNext(db, { ...about, cursor: first.lookedTo });
    const read = [first, second].map(({ next }) => next.map(({ event }) => event.type).toSorted());
    expect(read).toEqual([["order.created", "order.created", "order.updated"], ["order.updated"]]);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
  });

  test("does not send what was found behind another cursor", async () => {
    const { receiver, id, orders, leased, slice, desk } = await begin(2);
    const about = { orgId: org.id, webhookId: id, types: ["order.created"], without: [], now: new Date(), limit: 1 };
    const { lookedTo: first } = await listNext(db, { ...about, cursor: leased.cursor });
    const ended = await db.transaction(async (tx) => {
      // Whoever looks into the log waits for this.
      await tx.query("lock table audit_heads in access exclusive mode");
      const feed = startFeed(desk, leased, slice);
      await db.query("update webhooks set cursor = $2 where id = $1", [id, first]);
      expect(await feed.renew()).toBe(true);
      return { by: feed.ended };
    });
    await ended.by;
    expect(orderIdsOf(receiver)).toEqual([orders[1]]);
  });

  test("goes no further than a few ahead of what is written down", async () => {
    const { receiver, id, leased, slice, desk } = await begin(24, { maxInFlight: 2 });
    const held: Sent[] = [];
    let isHolding = true;
    const settle = (sent: Sent): void => (isHolding ? void held.push(sent) : desk.settle(sent));
    const feed = startFeed({ ...desk, settle }, leased, slice);
    await arrivals(receiver, 18);
    // Meanwhile more would have come.
    await org.post(`/webhooks/${id}/test`);
    expect(receiver.received).toHaveLength(19);
    isHolding = false;
    for (const sent of held) desk.settle(sent);
    await feed.ended;
    expect(receiver.received).toHaveLength(25);
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
