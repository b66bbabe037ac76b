import { describe, expect, test } from "vitest";
import { systemContext } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import { eventually } from "../../testing/eventually.ts";
import { startReceiver } from "../../testing/stand-in-receiver.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { arrivals, feedOf, makeOrders, webhookFixture, orderIdsOf } from "../../testing/webhook-fixture.ts";
import { startDeliveries } from "./webhooks.ts";

const hub = await startTestHub();
const { webhookTo, read, pass, untilGivenUp } = webhookFixture(hub);
const minute = 60_000;

describe("nothing is lost", () => {
  test("while a webhook is paused; it continues at its position, from now, or after a cursor", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const { id } = await webhookTo(org, receiver, { ordering: "strict" });
    expect((await org.post(`/webhooks/${id}/pause`)).body.status).toBe("paused");
    const first = await makeOrders(org, 3);
    expect((await org.post(`/webhooks/${id}/enable`)).body.status).toBe("active");
    await arrivals(receiver, 3);
    expect(orderIdsOf(receiver)).toEqual(first);

    // One of them has its delivery already, the other has not.
    receiver.always = { status: 503, headers: { "retry-after": "3600" } };
    await makeOrders(org, 1);
    await arrivals(receiver, 4);
    await org.post(`/webhooks/${id}/pause`);
    await makeOrders(org, 1);
    receiver.always = { status: 204 };
    receiver.received.pop();
    await eventually(
      () => read(org, id),
      ({ health }) => health.consecutiveFailures === 1,
    );
    await org.post(`/webhooks/${id}/enable`, { from: "now" });
    expect((await org.get(`/webhooks/${id}/deliveries?status=skipped`)).body.data).toHaveLength(1);
    await pass(2 * 60 * minute);
    const [later] = await makeOrders(org, 1);
    await arrivals(receiver, 4);
    expect(orderIdsOf(receiver)).toEqual([...first, later]);

    const feed = await feedOf(org);
    await org.post(`/webhooks/${id}/enable`, { from: feed[2]!.cursor });
    await arrivals(receiver, 6);
    const skipped = feed.slice(3, 5).map(({ subject }) => subject.split("/")[1]);
    expect(orderIdsOf(receiver)).toEqual([...first, later, ...skipped]);
    const forked = await org.post(`/webhooks/${id}/enable`, { from: "3-00000000" });
    expect([forked.status, forked.body.code]).toEqual([409, "cursor_mismatch"]);
    const odd = await org.post(`/webhooks/${id}/enable`, { from: "yesterday" });
    expect([odd.status, odd.body.errors[0].pointer]).toEqual([400, "/from"]);
  });

  test("when the deliveries are listed before the hub has planned them", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const { id } = await webhookTo(org, receiver);
    for (let n = 1; n <= 10; n++) {
      await makeOrders(org, 1);
      expect((await org.get(`/webhooks/${id}/deliveries`)).body.pagination.total).toBe(n);
      // Long before the next poll.
      await eventually(
        async () => receiver.received.length,
        (count) => count === n,
        8_000,
      );
    }
  });

  test("when a lease expires: another worker takes over, and the outcome of the first one is ignored", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.replies.push("hang");
    const { id } = await webhookTo(org, receiver, { ordering: "strict" });
    const ids = await makeOrders(org, 3);
    await arrivals(receiver, 1);
    const second = startDeliveries((await hub.secondNode()).world, { slots: 8 });
    const { db } = hub.world;
    const [held] = await db.query<{ owner: string }>(
      "select lease_owner as owner from webhook_deliveries where webhook_id = $1 and lease_owner is not null",
      [id],
    );
    const isOld =
      "update webhook_deliveries set lease_until = now() - interval '1 second' where webhook_id = $1 and lease_owner = $2";
    // The first one is alive, and says so every now and then.
    await eventually(
      async () => {
        await db.query(isOld, [id, held!.owner]);
        await pass(0);
        return orderIdsOf(receiver);
      },
      (arrived) => arrived.length === 4,
    );
    receiver.release(500);
    await eventually(
      () => read(org, id),
      ({ pendingCount }) => pendingCount === 0,
    );
    await second.stop();
    expect(orderIdsOf(receiver)).toEqual([ids[0], ...ids]);
    const { data } = (await org.get(`/webhooks/${id}/deliveries`)).body;
    expect(data).toMatchObject(ids.map(() => ({ status: "delivered", attemptCount: 1 })));
    expect((await read(org, id)).health).toMatchObject({ status: "healthy", lastFailureAt: null });
  });

  test("while a request is in flight: the pause is kept, no other request is sent, and the outcome is recorded", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.always = "hang";
    const { id } = await webhookTo(org, receiver, { maxInFlight: 1 });
    const ids = await makeOrders(org, 3);
    await arrivals(receiver, 1);
    await org.post(`/webhooks/${id}/pause`);
    receiver.always = { status: 204 };
    receiver.release();
    const path = `/webhooks/${id}/deliveries?status=delivered`;
    await eventually(
      async () => (await org.get(path)).body.data,
      (data) => data.length === 1,
    );
    expect([(await read(org, id)).status, receiver.received.length]).toEqual(["paused", 1]);
    await org.post(`/webhooks/${id}/enable`);
    await arrivals(receiver, 3);
    expect(orderIdsOf(receiver)).toEqual(ids);
  });

  test("when the endpoint responds with 410: the webhook is disabled, and gets all events once it is enabled", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.always = { status: 410 };
    const { id } = await webhookTo(org, receiver, { ordering: "strict" });
    const ids = await makeOrders(org, 3);
    await eventually(
      () => read(org, id),
      ({ status }) => status === "disabled",
    );
    expect(await read(org, id)).toMatchObject({
      disabledReason: "gone",
      health: { lastError: { code: "unexpected_status" } },
    });
    expect((await org.post(`/webhooks/${id}/pause`)).status).toBe(409);
    const told = await feedOf(org, "webhook.disabled");
    expect(told.map(({ data }) => [data.reason, data.items])).toEqual([["gone", [{ id, version: 1 }]]]);
    receiver.always = { status: 200 };
    const before = receiver.received.length;
    await org.post(`/webhooks/${id}/enable`, { from: "last_position" });
    await arrivals(receiver, before + 3);
    expect(orderIdsOf(receiver).slice(before)).toEqual(ids);
    // What was under way with it ends as well, and is no other news.
    const both = await startReceiver();
    both.replies.push("hang", "hang");
    const second = await webhookTo(org, both);
    await makeOrders(org, 2);
    await arrivals(both, 2);
    both.release(410, 1);
    await eventually(
      () => read(org, second.id),
      ({ status }) => status === "disabled",
    );
    both.release(410);
    await eventually(
      async () => (await org.get(`/webhooks/${second.id}/deliveries`)).body.data,
      (data) => data.filter(({ attemptCount }: { attemptCount: number }) => attemptCount === 1).length === 2,
    );
    expect(await feedOf(org, "webhook.disabled")).toHaveLength(2);
    // One delivery shows whether it is back.
    both.replies.push("hang");
    await org.post(`/webhooks/${second.id}/enable`);
    await arrivals(both, 3);
    expect(both.received).toHaveLength(3);
    both.release();
    await arrivals(both, 4);
  });

  test("when the endpoint fails: it is probed with one delivery at a time, and gets the rest when it is back", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.always = { status: 503 };
    const { id } = await webhookTo(org, receiver);
    const ids = await makeOrders(org, 12);
    await eventually(
      () => read(org, id),
      ({ health }) => health.consecutiveFailures >= 5 && health.nextAttemptAt !== null,
    );
    const before = receiver.received.length;
    expect(before).toBeLessThanOrEqual(12);
    // More places are for when it is back.
    expect((await org.patch(`/webhooks/${id}`, { maxInFlight: 16 })).status).toBe(200);
    await pass(10_000);
    await arrivals(receiver, before + 1);
    await eventually(
      () => read(org, id),
      ({ health }) => health.consecutiveFailures === before + 1,
    );
    expect(receiver.received).toHaveLength(before + 1);
    receiver.always = { status: 204 };
    await eventually(async () => {
      await pass(30 * minute);
      return new Set(orderIdsOf(receiver)).size === 12 && (await read(org, id)).pendingCount === 0;
    }, Boolean);
    expect(new Set(orderIdsOf(receiver))).toEqual(new Set(ids));
    expect((await read(org, id)).health).toMatchObject({ status: "healthy", failingSince: null, nextAttemptAt: null });
  });

  test("a webhook that fails for an hour is reported, after five days it is disabled", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.always = "reset";
    const { id } = await webhookTo(org, receiver);
    const isTold = async (type: string): Promise<boolean> => (await feedOf(org, type)).length === 1;
    for (const type of ["webhook.failing", "webhook.disabled"]) {
      await eventually(async () => {
        await makeOrders(org, 1);
        await pass(30 * minute);
        await eventually(
          () => read(org, id),
          ({ pendingCount, health }) => pendingCount > 0 && health.consecutiveFailures > 0,
        );
        if (type === "webhook.disabled") hub.advance(12 * 60 * minute);
        return await isTold(type);
      }, Boolean);
    }
    expect(await read(org, id)).toMatchObject({ status: "disabled", disabledReason: "failing" });
    expect(await isTold("webhook.failing")).toBe(true);
    // Enabling it starts another five days.
    const enabledAt = hub.world.clock.now().toISOString();
    await org.post(`/webhooks/${id}/enable`);
    const { status, health } = await eventually(
      () => read(org, id),
      (webhook) => webhook.health.consecutiveFailures > 0,
    );
    expect([status, health.failingSince >= enabledAt]).toEqual(["active", true]);
    // Another address is another endpoint.
    const elsewhere = await startReceiver();
    const moved = await org.patch(`/webhooks/${id}`, { url: elsewhere.url });
    expect(moved.body.health).toMatchObject({ status: "unknown", failingSince: null, nextAttemptAt: null });
  });

  test("with strict ordering a delivery waits until the previous one was delivered", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.replies.push({ status: 500 }, "reset", { status: 302, headers: { location: "http://127.0.0.1:9/" } });
    const { id } = await webhookTo(org, receiver, { ordering: "strict" });
    const ids = await makeOrders(org, 5);
    await eventually(
      async () => {
        await pass(5 * minute);
        return receiver.received.length;
      },
      (count) => count >= 8,
    );
    expect(orderIdsOf(receiver)).toEqual([ids[0], ids[0], ids[0], ...ids]);
    expect(receiver.mostAtOnce()).toBe(1);
    expect((await read(org, id)).maxInFlight).toBe(8);
  });

  test("Retry-After is respected, up to six hours", async () => {
    const org = await hub.org();
    const [receiver, patient] = [await startReceiver(), await startReceiver()];
    receiver.replies.push({ status: 429, headers: { "retry-after": "7200" } });
    patient.always = { status: 503, headers: { "retry-after": "604800" } };
    const [{ id }, other] = [await webhookTo(org, receiver), await webhookTo(org, patient)];
    await makeOrders(org, 1);
    const pauseOf = async (webhookId: string): Promise<number> => {
      const { health } = await eventually(
        () => read(org, webhookId),
        (webhook) => webhook.health.nextAttemptAt !== null,
      );
      return Date.parse(health.nextAttemptAt) - hub.world.clock.now().getTime();
    };
    expect(await pauseOf(id)).toBeGreaterThan(100 * minute);
    expect(Math.abs((await pauseOf(other.id)) - 6 * 60 * minute)).toBeLessThan(minute);
    await makeOrders(org, 1);
    await pass(60 * minute);
    expect(receiver.received).toHaveLength(1);
    await pass(70 * minute);
    await arrivals(receiver, 3);
  });

  test("when a response body cannot be stored: the delivery is settled without it, and so are the others", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    await hub.world.db.query(
      "alter table webhook_deliveries add constraint nothing_odd check (answer is distinct from 'odd')",
    );
    receiver.replies.push({ status: 200, body: "odd" });
    const { id } = await webhookTo(org, receiver);
    await makeOrders(org, 3);
    const data = await eventually(
      async () => (await org.get(`/webhooks/${id}/deliveries?status=delivered`)).body.data,
      ({ length }) => length === 3,
    );
    const { body } = await org.get(`/webhooks/${id}/deliveries/${data.at(-1).id}`);
    expect(body.attempts).toMatchObject([{ responseStatus: 200, responseBody: null, responseHeaders: null }]);
    expect(receiver.received).toHaveLength(3);
  });

  test("of many orders at once, which are split into small messages; a message that is too large is not sent", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const { id } = await webhookTo(org, receiver, { types: ["orders.created", "organization.updated"] });
    const numbers = Array.from({ length: 200 }, (_, n) => `${"\u{1F4E6}".repeat(97)}${n}`);
    expect((await org.post("/orders/bulk", { orders: numbers.map((number) => ({ number })) })).status).toBe(200);
    const itemsOf = () => receiver.received.flatMap(({ event }) => event.data.items as { number: string }[]);
    const items = await eventually(
      async () => itemsOf(),
      ({ length }) => length >= numbers.length,
    );
    expect(items.map(({ number }) => number).toSorted()).toEqual(numbers.toSorted());
    const count = receiver.received.length;
    const large = {
      type: "organization.updated",
      objectId: org.id,
      data: { name: "x".repeat(64 * 1024), version: 1 },
    } as const;
    await hub.world.db.transaction(async (tx) => recordEvent(tx, systemContext(hub.world, org.id, "test"), large));
    await eventually(
      async () => (await org.get(`/webhooks/${id}/deliveries?type=organization.updated`)).body.data,
      ([delivery]) => delivery?.lastError?.code === "body_too_large",
    );
    expect(receiver.received).toHaveLength(count);
  });
});

test("many endpoints that hang do not stop the other webhooks of their organization", async () => {
  const org = await hub.org();
  const [hanging, healthy] = [await startReceiver(), await startReceiver()];
  // As many as the organization has slots.
  for (let n = 0; n < 12; n++) await webhookTo(org, hanging);
  hanging.always = "hang";
  await makeOrders(org, 1);
  await arrivals(hanging, 12);
  hanging.release(503);
  const { data: failing } = await eventually(
    async () => (await org.get("/webhooks?limit=100")).body,
    ({ data }) => data.every(({ health }: { health: { status: string } }) => health.status === "failing"),
  );
  expect(failing).toHaveLength(12);
  // All deliveries are due again. Those that are sent hang.
  await pass(10_000);
  await arrivals(hanging, 18);
  await webhookTo(org, healthy);
  const ids = await makeOrders(org, 3);
  await arrivals(healthy, 3);
  expect(new Set(orderIdsOf(healthy))).toEqual(new Set(ids));
  expect(hanging.received).toHaveLength(18);
  // The endpoints that waited get their deliveries when slots are free.
  hanging.always = { status: 204 };
  hanging.release();
  await arrivals(hanging, 24);
});

describe("resending", () => {
  test("one delivery uses the same webhook-id", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const { id } = await webhookTo(org, receiver);
    await makeOrders(org, 1);
    await arrivals(receiver, 1);
    const path = `/webhooks/${id}/deliveries`;
    const { data } = await eventually(
      async () => (await org.get(path)).body,
      (page) => page.data[0]?.status === "delivered",
    );
    const again = await org.post(`${path}/${data[0].id}/resend`);
    expect([again.status, again.body.status]).toEqual([202, "pending"]);
    const [first, second] = await arrivals(receiver, 2);
    expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
    expect(second!.body).toBe(first!.body);
  });

  test("all events of a time range, or failed ones; none is a 400", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const before = await makeOrders(org, 105);
    const from = new Date(hub.world.clock.now().getTime() - 60 * minute).toISOString();
    const { id } = await webhookTo(org, receiver);
    const resend = (body: object) => org.post(`/webhooks/${id}/resend`, { from, ...body });
    const nothing = await resend({});
    expect([nothing.status, nothing.body.code]).toEqual([400, "nothing_to_resend"]);
    expect((await resend({ types: ["pickup.*"], include: "all" })).status).toBe(400);
    expect((await resend({ to: from })).body.errors[0].pointer).toBe("/from");
    const all = await resend({ include: "all", types: ["order.created"] });
    expect([all.status, all.body.estimatedCount, all.body.isCapped]).toEqual([202, 105, false]);
    await arrivals(receiver, 105);
    expect(orderIdsOf(receiver).toSorted()).toEqual(before.toSorted());
    receiver.always = { status: 500 };
    const [bad] = await makeOrders(org, 1);
    await untilGivenUp(org, id);
    receiver.always = { status: 204 };
    const count = receiver.received.length;
    const failed = await resend({ include: "failed" });
    expect([failed.status, failed.body.estimatedCount]).toEqual([202, 1]);
    await eventually(
      async () => {
        await pass(minute);
        return receiver.received.length;
      },
      (n) => n === count + 1,
    );
    expect(orderIdsOf(receiver).at(-1)).toBe(bad);
  });
});
