import { beforeEach, describe, expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import { pushFixture } from "../../../testing/push-fixture.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const { org, shop, aBridge, journalOf, anOrder, ship, shippedOrder, correct, ended } = await pushFixture(hub);

beforeEach(() => shop.calm());

describe("reporting shipments", () => {
  test("a shipment is sent once by repeated executions, and once more with `forceResend`", async () => {
    const { push } = await aBridge("blind");
    const { id, number } = await shippedOrder("T-1");
    const first = await push([id]);
    expect(first).toMatchObject({ status: "succeeded", result: { summary: { total: 1, sent: 1, alreadySent: 0 } } });
    const { externalId } = first.result.results[0];
    for (const ref of [id, number]) {
      const again = await push([ref]);
      expect(again).toMatchObject({ status: "succeeded", result: { summary: { sent: 0, alreadySent: 1 } } });
      expect(again.result.results[0]).toMatchObject({ status: "already_sent", externalId });
      expect(again.result.results[0].changedSince).toBeUndefined();
    }
    expect(journalOf(number)).toEqual(["order.create T-1"]);
    const resent = await push([id], { forceResend: true });
    expect(resent.result.results[0]).toMatchObject({ status: "sent" });
    expect(resent.result.results[0].externalId).not.toBe(externalId);
    expect(journalOf(number)).toHaveLength(2);
    expect((await push([id])).result.summary).toMatchObject({ alreadySent: 1 });
    expect(journalOf(number)).toHaveLength(2);
  });

  test("a corrected tracking number makes no second shipment, but is reported as changed", async () => {
    const { push } = await aBridge("blind");
    const { id, number } = await shippedOrder("WRONG");
    await push([id]);
    await correct(id, "RIGHT");
    const { status, changedSince } = (await push([id])).result.results[0];
    expect(status).toBe("already_sent");
    expect(Date.parse(changedSince)).toBeLessThanOrEqual(Date.now());
    expect(journalOf(number)).toEqual(["order.create WRONG"]);
  });

  test("if the shop supports updates, the correction is sent once", async () => {
    const { push } = await aBridge("correctable");
    const { id, number } = await shippedOrder("WRONG");
    const { externalId } = (await push([id])).result.results[0];
    await correct(id, "RIGHT");
    const corrected = (await push([id])).result;
    expect(corrected).toMatchObject({ summary: { updated: 1, sent: 0 }, results: [{ status: "updated", externalId }] });
    expect((await push([id])).result.summary).toMatchObject({ updated: 0, alreadySent: 1 });
    expect(journalOf(number)).toEqual(["order.create WRONG", "order.update RIGHT"]);
    // A correction whose answer was lost may be repeated, and one that was refused too; neither is a second shipment.
    await correct(id, "BETTER");
    shop.inject({ kind: "drop_after", match: "PUT /rest/plain" });
    expect((await push([id])).result.results[0]).toMatchObject({ status: "failed" });
    shop.inject({ kind: "unauthorized", match: "PUT /rest/plain" });
    expect((await push([id])).result.results[0]).toMatchObject({ status: "failed", error: { code: "unauthorized" } });
    expect((await push([id])).result.results[0]).toMatchObject({ status: "updated" });
    expect(journalOf(number)).toEqual([
      "order.create WRONG",
      "order.update RIGHT",
      "order.update BETTER",
      "order.update BETTER",
    ]);
  });

  test("each shipment of an order is sent separately", async () => {
    const { push } = await aBridge("blind");
    const { id, number } = await anOrder();
    await ship(id, "A", 1);
    expect((await push([id])).result.results[0]).toMatchObject({
      shipments: [{ trackingNumber: "A", status: "sent" }],
    });
    await ship(id, "B", 1);
    const second = (await push([id])).result.results[0];
    expect(second).toMatchObject({
      status: "sent",
      shipments: [
        { trackingNumber: "A", status: "already_sent" },
        { trackingNumber: "B", status: "sent" },
      ],
    });
    expect(journalOf(number)).toEqual(["order.create A", "order.create B"]);
  });

  test("shipments of unshipped and cancelled orders are not sent", async () => {
    const { push } = await aBridge("blind");
    const [ready, cancelled, shipped] = [await anOrder(), await anOrder("cancelled"), await shippedOrder("S")];
    const { status, result } = await push([ready.id, cancelled.id, shipped.id]);
    expect([status, result.summary]).toEqual([
      "succeeded",
      { total: 3, sent: 1, updated: 0, alreadySent: 0, skipped: 2, inProgress: 0, failed: 0, outcomeUnknown: 0 },
    ]);
    expect(result.results).toMatchObject([
      { status: "skipped", reason: "nothing_shipped" },
      { status: "skipped", reason: "order_cancelled" },
      { status: "sent" },
    ]);
    expect([journalOf(ready.number), journalOf(cancelled.number)]).toEqual([[], []]);
    expect(await push([ready.id])).toMatchObject({ status: "succeeded", result: { summary: { skipped: 1 } } });
    // Of those that were to be sent none was.
    const other = await shippedOrder("O");
    shop.inject({ kind: "unauthorized", match: "/rest/plain" });
    expect(await push([ready.id, other.id])).toMatchObject({ status: "failed", error: { code: "unauthorized" } });
    expect((await push([ready.id, other.id])).result.summary).toMatchObject({ skipped: 1, sent: 1 });
  });
});

describe("a response that is lost after the shop has stored the effect", () => {
  test("without a lookup the outcome stays unknown for every execution, until `forceResend`", async () => {
    const { push } = await aBridge("blind");
    const { id, number } = await shippedOrder("U");
    shop.inject({ kind: "drop_after", match: "POST /rest/plain" });
    for (const _ of [1, 2, 3]) {
      const unknown = await push([id]);
      expect(unknown).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
      expect(unknown.error.message).toContain("`forceResend`");
    }
    expect(journalOf(number)).toHaveLength(1);
    expect((await push([id], { forceResend: true })).result.summary).toMatchObject({ sent: 1 });
    expect((await push([id])).result.summary).toMatchObject({ alreadySent: 1 });
    expect(journalOf(number)).toHaveLength(2);
  });

  test("a retry with `forceResend` sends it, and a retry of that one does not", async () => {
    const { push } = await aBridge("blind");
    const { id, number } = await shippedOrder("R");
    shop.inject({ kind: "drop_after", match: "POST /rest/plain", times: 2 });
    const lost = await push([id]);
    const again = { input: { orderIds: [id], forceResend: true } };
    const retried = await ended((await org.post(`/tasks/executions/${lost.id}/retry`, again)).body.id);
    expect(retried).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(journalOf(number)).toHaveLength(2);
    const last = await ended((await org.post(`/tasks/executions/${retried.id}/retry`)).body.id);
    expect(last).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(journalOf(number)).toHaveLength(2);
  });

  test.each(["findable", "keyed"] as const)("another execution looks it up: %s", async (way) => {
    const { push } = await aBridge(way);
    const { id, number } = await shippedOrder(`F-${way}`);
    shop.inject({ kind: "drop_after", match: "POST /rest/" });
    expect((await push([id])).status).toBe("failed");
    expect(await push([id])).toMatchObject({ status: "succeeded" });
    expect((await push([id])).result.summary).toMatchObject({ alreadySent: 1 });
    expect(journalOf(number)).toHaveLength(1);
  });

  test("a later rejection does not prove that nothing arrived", async () => {
    const { push } = await aBridge("keyed");
    const { id, number } = await shippedOrder("K");
    shop.inject({ kind: "drop_after", match: "POST /rest/keyed" });
    shop.inject({ kind: "unauthorized", match: "POST /rest/keyed" });
    for (const code of ["connection_lost", "unauthorized"]) {
      const { status, error } = (await push([id])).result.results[0];
      expect([status, error.code]).toEqual(["outcome_unknown", code]);
    }
    expect((await push([id])).result.summary).toMatchObject({ sent: 1 });
    expect(journalOf(number)).toHaveLength(1);
  });

  test("a shipment that was corrected meanwhile is looked up with the content that was sent", async () => {
    const { push } = await aBridge("findable");
    const { id, number } = await shippedOrder("WRONG");
    shop.inject({ kind: "drop_after", match: "POST /rest/plain" });
    expect((await push([id])).result.results[0].status).toBe("outcome_unknown");
    await correct(id, "RIGHT");
    const [result] = (await push([id])).result.results;
    expect([result.status, typeof result.changedSince]).toEqual(["already_sent", "string"]);
    expect(journalOf(number)).toEqual(["order.create WRONG"]);
    // Where it did not arrive, it is sent as it is now, and from then on looked for like that.
    const other = await shippedOrder("OLD");
    shop.inject({ kind: "drop_before", match: "POST /rest/plain" });
    await push([other.id]);
    await correct(other.id, "NEW");
    shop.inject({ kind: "drop_after", match: "POST /rest/plain" });
    expect((await push([other.id])).result.results[0].status).toBe("outcome_unknown");
    expect((await push([other.id])).result.results[0]).toMatchObject({ status: "already_sent" });
    expect(journalOf(other.number)).toEqual(["order.create NEW"]);
  });

  test("an earlier revision that is found does not count as the new one", async () => {
    const { push } = await aBridge("findable");
    const { id, number } = await shippedOrder("E");
    await push([id]);
    shop.inject({ kind: "drop_before", match: "POST /rest/plain" });
    expect((await push([id], { forceResend: true })).result.results[0].status).toBe("outcome_unknown");
    expect((await push([id])).result.results[0].status).toBe("outcome_unknown");
    expect(journalOf(number)).toHaveLength(1);
    expect((await push([id], { forceResend: true })).result.results[0].status).toBe("sent");
    expect(journalOf(number)).toHaveLength(2);
  });
});

describe("unsent shipments", () => {
  const summaryOf = async (pushed: Promise<{ result: { summary: object } }>) => (await pushed).result.summary;

  test("are found and sent once by a schedule without order ids", async () => {
    const { bridgeId } = await aBridge("blind");
    const [told, later] = [await shippedOrder("U-1", bridgeId), await anOrder("ready", bridgeId)];
    await anOrder("cancelled", bridgeId);
    // Of another bridge, and of none.
    const others = [await shippedOrder("U-3", (await aBridge("blind")).bridgeId), await shippedOrder("U-4")];
    const given = { bridgeId, taskName: "fulfillments.push", cron: "*/5 * * * *", isActive: false };
    const schedule = await org.post("/schedules", given);
    expect(schedule.status).toBe(201);
    const fire = async () => {
      const { body } = await org.post(`/schedules/${schedule.body.id}/trigger`);
      return (await ended(body.executionId)).result;
    };
    expect(await fire()).toMatchObject({
      summary: { total: 1, sent: 1 },
      results: [{ orderId: told.id, ref: told.id, number: told.number, status: "sent" }],
    });
    await ship(later.id, "U-2");
    expect(await fire()).toMatchObject({ summary: { total: 1, sent: 1 }, results: [{ orderId: later.id }] });
    expect((await fire()).summary).toMatchObject({ total: 0 });
    expect([journalOf(told.number), journalOf(later.number)]).toEqual([["order.create U-1"], ["order.create U-2"]]);
    for (const { number } of others) expect(journalOf(number)).toEqual([]);
  });

  test("include changed ones, which are corrected, and exclude those sent by id", async () => {
    const { bridgeId, push, pushUnsent } = await aBridge("correctable");
    const { id, number } = await shippedOrder("WRONG", bridgeId);
    await push([id]);
    expect(await summaryOf(pushUnsent())).toMatchObject({ total: 0 });
    await correct(id, "RIGHT");
    expect(await summaryOf(pushUnsent())).toMatchObject({ total: 1, updated: 1 });
    expect(await summaryOf(pushUnsent())).toMatchObject({ total: 0 });
    expect(journalOf(number)).toEqual(["order.create WRONG", "order.update RIGHT"]);
  });

  test("that were rejected wait, longer each time, until the order or the bridge is changed", async () => {
    const { bridgeId, pushUnsent } = await aBridge("blind");
    const { id, number } = await shippedOrder("R", bridgeId);
    const refuse = () => shop.inject({ kind: "unauthorized", match: "POST /rest/plain" });
    refuse();
    expect(await pushUnsent()).toMatchObject({ status: "failed", error: { code: "unauthorized" } });
    expect(await pushUnsent()).toMatchObject({ status: "succeeded", result: { summary: { total: 0 } } });
    hub.advance(6 * 60_000);
    refuse();
    expect(await summaryOf(pushUnsent())).toMatchObject({ total: 1, failed: 1 });
    hub.advance(6 * 60_000);
    expect(await summaryOf(pushUnsent())).toMatchObject({ total: 0 });
    refuse();
    await org.patch(`/bridges/${bridgeId}`, { credentials: { token: shop.token } });
    expect(await summaryOf(pushUnsent())).toMatchObject({ total: 1, failed: 1 });
    await correct(id, "BETTER");
    expect(await summaryOf(pushUnsent())).toMatchObject({ total: 1, sent: 1 });
    expect(journalOf(number)).toEqual(["order.create BETTER"]);
  });

  test("do not wait while the execution has attempts left, not counting attempts lost with the hub", async () => {
    const { bridgeId } = await aBridge("blind");
    const { number } = await shippedOrder("LOST", bridgeId);
    const given = {
      bridgeId,
      taskName: "fulfillments.push",
      maxAttempts: 2,
      retryDelaySeconds: 1,
      delaySeconds: 3_600,
    };
    const { id } = (await org.post("/tasks/execute", given)).body;
    const lost = { status: "worker_lost", startedAt: new Date().toISOString(), finishedAt: new Date().toISOString() };
    await hub.world.db.query(
      "update task_executions set attempt = 2, attempts = $2::jsonb, due_at = now(), next_attempt_at = null where id = $1",
      [id, JSON.stringify([1, 2].map((at) => ({ ...lost, number: at, error: null })))],
    );
    shop.inject({ kind: "rate_limit", match: "POST /rest/plain", retryAfterSeconds: 0 });
    await org.post("/tasks/execute-sync", { bridgeId, taskName: "connection.test" });
    expect(await ended(id)).toMatchObject({ status: "succeeded", attempt: 4, result: { summary: { sent: 1 } } });
    expect(journalOf(number)).toEqual(["order.create LOST"]);
  });

  test("with an unknown outcome are looked up, or left to users if that is not possible", async () => {
    for (const way of ["findable", "blind"] as const) {
      const { bridgeId, pushUnsent } = await aBridge(way);
      const { number } = await shippedOrder(`L-${way}`, bridgeId);
      shop.inject({ kind: "drop_after", match: "POST /rest/plain" });
      expect(await summaryOf(pushUnsent())).toMatchObject({ outcomeUnknown: 1 });
      hub.advance(6 * 60_000);
      const again = way === "findable" ? { total: 1, alreadySent: 1 } : { total: 0 };
      expect(await summaryOf(pushUnsent())).toMatchObject(again);
      expect(journalOf(number)).toHaveLength(1);
    }
  });

  test("are sent in batches, and a failed order does not delay later ones", async () => {
    const { bridgeId, pushUnsent } = await aBridge("blind");
    const lines = [{ sku: "A", quantity: 1 }];
    const orders = Array.from({ length: 120 }, (_, i) => ({ status: "ready", lines, bridgeId, externalId: `P-${i}` }));
    const { results } = (await org.post("/orders/bulk", { orders })).body;
    const ids = results.map(({ id }: { id: string }) => id);
    await org.post("/operations/run", { order_ids: ids, actions: [{ type: "mark_shipped", params: {} }] });
    const before = shop.data.journal.length;
    shop.inject({ kind: "error", match: "POST /rest/plain" });
    const first = await pushUnsent();
    expect(first.result.summary).toMatchObject({ total: 120, sent: 119, outcomeUnknown: 1 });
    expect(shop.data.journal.length - before).toBe(119);
  });

  test("cannot be sent again without order ids", async () => {
    const { bridgeId } = await aBridge("blind");
    const given = { bridgeId, taskName: "fulfillments.push", input: { forceResend: true } };
    const { status, body } = await org.post("/tasks/execute", given);
    expect([status, body.errors[0].pointer]).toEqual([400, "/input/orderIds"]);
  });
});

describe("when some orders failed", () => {
  test("a retry of the execution sends only those, and then there is nothing left to retry", async () => {
    const { push } = await aBridge("blind");
    const orders = [await shippedOrder("P-1"), await shippedOrder("P-2"), await shippedOrder("P-3")];
    shop.inject({ kind: "unauthorized", match: "POST /rest/plain", skip: 1 });
    const part = await push(orders.map(({ id }) => id));
    expect(part).toMatchObject({ status: "completed_with_errors", result: { summary: { sent: 2, failed: 1 } } });
    const retry = await org.post(`/tasks/executions/${part.id}/retry`);
    expect(retry.status).toBe(202);
    expect(retry.body).toMatchObject({ retryOf: part.id, input: { orderIds: [orders[1]!.id] } });
    const done = await ended(retry.body.id);
    expect(done).toMatchObject({ status: "succeeded", result: { summary: { total: 1, sent: 1 } } });
    for (const { number } of orders) expect(journalOf(number)).toHaveLength(1);
    const refused = await org.post(`/tasks/executions/${done.id}/retry`);
    expect([refused.status, refused.body.code]).toEqual([409, "execution_not_failed"]);
  });

  test("executing the task again sends only those too, with new keys", async () => {
    const { push } = await aBridge("keyed");
    const orders = [await shippedOrder("X-1"), await shippedOrder("X-2")];
    shop.inject({ kind: "unauthorized", match: "POST /rest/keyed" });
    await push(orders.map(({ id }) => id));
    expect((await push(orders.map(({ id }) => id))).result.summary).toMatchObject({ sent: 1, alreadySent: 1 });
    for (const { number } of orders) expect(journalOf(number)).toHaveLength(1);
  });
});

describe("exporting orders", () => {
  test("is done once by orders.export; a task with another name sends changed content again", async () => {
    const request = { path: "/plain", body: { number: "{{record.number}}", tracking: "{{record.priority}}" } };
    const once = await aBridge("blind", { request }, "orders.export");
    const news = await aBridge("blind", { request }, "priority.push");
    const { id, number } = await anOrder();
    expect([(await once.push([id])).result.summary.sent, (await news.push([id])).result.summary.sent]).toEqual([1, 1]);
    // Something else than what is sent.
    await org.patch(`/orders/${id}`, { tags: ["new"] });
    for (const { push } of [once, news]) {
      const [result] = (await push([id])).result.results;
      expect([result.status, result.changedSince]).toEqual(["already_sent", undefined]);
    }
    await org.patch(`/orders/${id}`, { priority: "urgent" });
    const [unsent] = (await once.push([id])).result.results;
    expect([unsent.status, typeof unsent.changedSince]).toEqual(["already_sent", "string"]);
    expect((await news.push([id])).result.summary.sent).toBe(1);
    expect((await news.push([id])).result.summary.alreadySent).toBe(1);
    expect(journalOf(number)).toEqual(["order.create normal", "order.create normal", "order.create urgent"]);
  });

  test("does not count as changed because a mapping contains the current time", async () => {
    const request = { path: "/plain", body: "{{record}}" };
    const { bridgeId, push } = await aBridge("blind", { request }, "priority.push");
    const mappings = [
      { target: "number", source: "number" },
      { target: "sentAt", source: "$now()" },
      { target: "tracking", source: "priority" },
    ];
    const about = { name: "With the time", bridgeId, taskName: "priority.push", direction: "outbound" };
    expect((await org.post("/transformations", { ...about, mappings })).status).toBe(201);
    const { id } = await anOrder();
    expect((await push([id])).result.summary.sent).toBe(1);
    expect((await push([id])).result.summary.alreadySent).toBe(1);
    await org.patch(`/orders/${id}`, { priority: "urgent" });
    expect((await push([id])).result.summary.sent).toBe(1);
  });

  test("a bridge that is changed to another shop sends there what the first one has received", async () => {
    const { bridgeId, settings, push } = await aBridge("blind");
    const { id, number } = await shippedOrder("M");
    await push([id]);
    const other = await startStandInShop({ orders: 1, token: shop.token });
    afterFile(() => other.close());
    const there = { settings: { ...settings, baseUrl: `${other.url}/rest` }, credentials: { token: shop.token } };
    await org.patch(`/bridges/${bridgeId}`, there);
    expect((await push([id])).result.summary.sent).toBe(1);
    expect((await push([id])).result.summary.alreadySent).toBe(1);
    expect([journalOf(number).length, journalOf(number, other).length]).toEqual([1, 1]);
  });
});
