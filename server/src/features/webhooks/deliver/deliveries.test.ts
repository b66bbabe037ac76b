import { describe, expect, test } from "vitest";
import { systemContext } from "../../../context.ts";
import { recordEvents } from "../../../events/record-event.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import type { LeasedDelivery } from "./deliveries.store.ts";
import { deliveryLeases } from "./deliveries.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { planDeliveries, rewindDeliveries } from "./plan-deliveries.ts";
import { lockBehindAcrossOrgs } from "./plan-deliveries.store.ts";
import type { Settled } from "./settle-deliveries.ts";
import { createSettler } from "./settle-deliveries.ts";

const hub = await startTestHub();
const { db, newId } = hub.world;
const never = new AbortController().signal;
const all = "2020-01-01T00:00:00Z";

const createWebhook = async (org: TestOrg, more: object = {}): Promise<string> => {
  const body = { url: "http://127.0.0.1:9/", types: ["order.created"], ...more };
  return (await org.post("/webhooks", body)).body.id;
};

/** Claims due deliveries of one webhook, as a worker does. */
async function claim(webhookId: string, { owner = newId(), mayTakeOver = true } = {}): Promise<LeasedDelivery[]> {
  const quotas = { byOrg: new Map<string, number>(), others: 100 };
  const claims = { owner, limit: 100, quotas, mayTakeOver, now: hub.world.clock.now() };
  const { rows } = await deliveryLeases.claimAcrossOrgs(db, claims);
  for (const { id, webhookId: other } of rows) {
    const again = { now: new Date(), delayMs: 0, attempts: 0 };
    if (other !== webhookId) await deliveryLeases.releaseAcrossOrgs(db, owner, id, again);
  }
  return rows.filter((row) => row.webhookId === webhookId).toSorted((a, b) => a.sequence - b.sequence);
}

const plan = () => planDeliveries(hub.world, never, () => undefined);

const responded = (status: number): Outcome => ({
  at: hub.world.clock.now(),
  durationMs: 5,
  status,
  error: status < 300 ? null : { code: "unexpected_status", message: "no" },
  headers: {},
  answer: "",
  retryAfterMs: undefined,
});

const settled: Settled[] = [];
const settle = createSettler(hub.world, (one) => settled.push(one));

type Row = { sequence: number; status: string; attempts: number; tries: number; due: boolean; leased: boolean };
const rowsOf = (webhookId: string): Promise<Row[]> =>
  db.query<Row>(
    `select sequence, status, attempt_count as attempts, tries, due_at is not null as due, lease_owner is not null as leased
       from webhook_deliveries where webhook_id = $1 order by sequence`,
    [webhookId],
  );
const countAttempts = async (webhookId: string): Promise<number> =>
  (
    await db.query<{ count: number }>(
      `select count(*) as count from webhook_attempts attempt
         join webhook_deliveries delivery on delivery.id = attempt.delivery_id where delivery.webhook_id = $1`,
      [webhookId],
    )
  )[0]!.count;
const expireLeases = (webhookId: string) =>
  db.query("update webhook_deliveries set lease_until = now() where webhook_id = $1 and lease_owner is not null", [
    webhookId,
  ]);

/** A webhook with deliveries of new orders. */
async function begin(count: number, more: object = {}) {
  const org = await hub.org();
  const id = await createWebhook(org, more);
  for (let n = 0; n < count; n++) await org.post("/orders", {});
  await hub.world.sealer.sealNow(org.id);
  await plan();
  return { org, id };
}

describe("planning", () => {
  test("a webhook has at most 500 due deliveries; later events wait in the log until they are sent", async () => {
    const org = await hub.org();
    const id = await createWebhook(org, { types: ["organization.updated"] });
    const event = { type: "organization.updated", objectId: org.id, data: { name: "x", version: 1 } } as const;
    const events = Array.from({ length: 1_005 }, () => event);
    await db.transaction(async (tx) => recordEvents(tx, systemContext(hub.world, org.id, "test"), events));
    expect((await org.get(`/webhooks/${id}/deliveries`)).body.pagination.total).toBe(500);
    expect((await org.get(`/webhooks/${id}`)).body.pendingCount).toBe(1_005);
    expect(await plan()).toMatchObject({ isLeft: true });
    expect(await rowsOf(id)).toHaveLength(500);
    await db.query("update webhook_deliveries set status = 'delivered', due_at = null where webhook_id = $1", [id]);
    await plan();
    expect(await rowsOf(id)).toHaveLength(1_000);
    // Retries that are due later do not hold up new events.
    await db.query(
      "update webhook_deliveries set due_at = now() + interval '1 hour' where webhook_id = $1 and due_at < now()",
      [id],
    );
    await plan();
    expect(await rowsOf(id)).toHaveLength(1_005);
  });

  test("a paused webhook gets no deliveries; one whose endpoint asked for a delay gets them, but sends none", async () => {
    const { org, id } = await begin(1);
    await org.post(`/webhooks/${id}/pause`);
    await db.query("update webhooks set wait_until = now() + interval '1 hour' where id = $1", [id]);
    await org.post("/orders", {});
    await hub.world.sealer.sealNow(org.id);
    await plan();
    expect([await rowsOf(id), await claim(id)]).toMatchObject([[{ status: "pending" }], []]);
    await org.post(`/webhooks/${id}/enable`);
    await plan();
    expect(await rowsOf(id)).toHaveLength(2);
    expect(await claim(id)).toEqual([]);
    await db.query("update webhooks set wait_until = null where id = $1", [id]);
    expect(await claim(id)).toHaveLength(2);
  });

  test("new deliveries stay due when the clock of the preview is set back", async () => {
    const { id } = await begin(1);
    await db.query("update webhook_deliveries set due_at = now() + interval '1 day' where webhook_id = $1", [id]);
    await rewindDeliveries(hub.world);
    expect(await claim(id)).toHaveLength(1);
  });
});

describe("strict ordering", () => {
  test("leases only the next delivery, also if the lease of the previous one has expired", async () => {
    const { id } = await begin(3, { ordering: "strict" });
    const [first, second] = (await rowsOf(id)).map(({ sequence }) => sequence);
    const sequences = async (options = {}) => (await claim(id, options)).map(({ sequence }) => sequence);
    expect(await sequences()).toEqual([first]);
    expect(await sequences()).toEqual([]);
    await expireLeases(id);
    expect(await sequences({ mayTakeOver: false })).toEqual([]);
    const owner = newId();
    const [delivery] = await claim(id, { owner });
    expect(delivery).toMatchObject({ sequence: first, taken_over: true });
    await settle({ delivery: delivery!, owner, outcome: responded(200) });
    expect(await sequences()).toEqual([second]);
  });

  test("a released delivery keeps its position, and may be delayed", async () => {
    const { id } = await begin(2, { ordering: "strict" });
    const owner = newId();
    const [delivery] = await claim(id, { owner });
    const release = (delayMs: number) =>
      deliveryLeases.releaseAcrossOrgs(db, owner, delivery!.id, { now: new Date(), delayMs, attempts: 3 });
    await release(60_000);
    expect(await claim(id)).toEqual([]);
    await expireLeases(id);
    expect(await claim(id)).toMatchObject([{ sequence: delivery!.sequence, lease_attempts: 4 }]);
  });

  test("applies to pending deliveries when it is turned on, and retries have their own time when it is turned off", async () => {
    const { org, id } = await begin(2);
    const owner = newId();
    for (const delivery of await claim(id, { owner })) await settle({ delivery, owner, outcome: responded(500) });
    const counts = [(await claim(id)).length];
    for (const ordering of ["strict", "none"]) {
      await org.patch(`/webhooks/${id}`, { ordering });
      await db.query("update webhooks set wait_until = null where id = $1", [id]);
      counts.push((await claim(id)).length);
      await db.query("update webhook_deliveries set lease_owner = null, lease_until = null where webhook_id = $1", [
        id,
      ]);
    }
    expect(counts).toEqual([0, 1, 0]);
  });
});

describe("settling", () => {
  test("writes the attempt and the health of the endpoint, and neither twice when the response was lost", async () => {
    const { org, id } = await begin(1);
    for (const attempts of [1, 2]) {
      const owner = newId();
      const [delivery] = await claim(id, { owner });
      const sent = { delivery: delivery!, owner, outcome: responded(500) };
      for (const fenced of [0, 1]) {
        await settle(sent);
        expect(settled.at(-1)).toMatchObject({ fenced });
      }
      expect(await rowsOf(id)).toMatchObject([{ status: "pending", attempts, tries: attempts, leased: false }]);
      expect(await countAttempts(id)).toBe(attempts - 1);
      expect((await org.get(`/webhooks/${id}`)).body.health.consecutiveFailures).toBe(attempts);
      await db.query("update webhook_deliveries set due_at = now() - interval '1 second' where webhook_id = $1", [id]);
    }
  });

  test("writes nothing for a worker whose lease was taken over", async () => {
    const { org, id } = await begin(1);
    const owner = newId();
    const [delivery] = await claim(id, { owner });
    await expireLeases(id);
    expect(await claim(id)).toHaveLength(1);
    await settle({ delivery: delivery!, owner, outcome: responded(410) });
    expect(await rowsOf(id)).toMatchObject([{ status: "pending", attempts: 0, leased: true }]);
    expect((await org.get(`/webhooks/${id}`)).body).toMatchObject({
      status: "active",
      health: { lastFailureAt: null },
    });
  });

  test("keeps a pause, and a skip during the request, unless it was delivered", async () => {
    const { org, id } = await begin(2);
    const owner = newId();
    const [first, second] = await claim(id, { owner });
    await org.post(`/webhooks/${id}/pause`);
    await org.post(`/webhooks/${id}/enable`, { from: "now" });
    await org.post(`/webhooks/${id}/pause`);
    await settle({ delivery: first!, owner, outcome: responded(200) });
    await settle({ delivery: second!, owner, outcome: responded(500) });
    expect(await rowsOf(id)).toMatchObject([
      { status: "delivered", attempts: 1, due: false, leased: false },
      { status: "skipped", attempts: 1, due: false, leased: false },
    ]);
    expect((await org.get(`/webhooks/${id}`)).body.status).toBe("paused");
    await org.delete(`/webhooks/${id}`);
    await settle({ delivery: second!, owner, outcome: responded(500) });
    expect(settled.at(-1)).toMatchObject({ fenced: 1 });
  });

  test("is retried until the database responds", async () => {
    const { id } = await begin(1);
    const owner = newId();
    const [delivery] = await claim(id, { owner });
    const cutOff = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%last_success_at%for update%'`;
    let end = Promise.resolve();
    await db.transaction(async (tx) => {
      await tx.query("select from webhooks where id = $1 for update", [id]);
      end = settle({ delivery: delivery!, owner, outcome: responded(200) });
      while ((await db.query(cutOff)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    });
    await end;
    expect(await rowsOf(id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });
});

describe("a resend", () => {
  test("does not change pending deliveries, comes after them, and ends when the webhook continues from now", async () => {
    const { org, id } = await begin(2);
    const owner = newId();
    const [first, second] = await claim(id, { owner });
    await settle({ delivery: first!, owner, outcome: responded(200) });
    const resend = async () =>
      expect((await org.post(`/webhooks/${id}/resend`, { from: all, include: "all" })).status).toBe(202);
    await resend();
    await plan();
    expect(await rowsOf(id)).toMatchObject([{ status: "delivered" }, { status: "pending" }]);
    await settle({ delivery: second!, owner, outcome: responded(500) });
    await plan();
    expect(await rowsOf(id)).toMatchObject([
      { status: "pending", attempts: 1, tries: 0 },
      { status: "pending", attempts: 1, tries: 1 },
    ]);
    await resend();
    await org.post(`/webhooks/${id}/enable`, { from: "now" });
    expect(await db.query("select from webhook_resends where webhook_id = $1", [id])).toEqual([]);
  });
});

test("one organization with many webhooks that are behind does not delay those of another one", async () => {
  const [busy, quiet] = [await hub.org(), await hub.org()];
  for (let n = 1; n < 100; n++) await createWebhook(busy);
  const last = await createWebhook(busy);
  const more = await busy.post("/webhooks", { url: "http://127.0.0.1:9/", types: ["order.*"] });
  expect([more.status, more.body.code]).toEqual([409, "invalid_state"]);
  // A deleted one does not count.
  await busy.delete(`/webhooks/${last}`);
  expect(await createWebhook(busy)).toBeDefined();
  const id = await createWebhook(quiet);
  for (const org of [busy, quiet]) await org.post("/orders", {});
  for (const org of [busy, quiet]) await hub.world.sealer.sealNow(org.id);
  const now = hub.world.clock.now();
  await db.transaction(async (tx) => {
    const found = (await lockBehindAcrossOrgs(tx, now)).map((webhook) => webhook.id);
    expect(found).toHaveLength(50);
    expect(found).toContain(id);
    // Another process plans others at the same time.
    const others = await db.transaction((tx2) => lockBehindAcrossOrgs(tx2, now));
    expect(others.filter((webhook) => found.includes(webhook.id))).toEqual([]);
  });
});
