import { CloudEvent } from "cloudevents";
import { createPublicKey, verify } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { EventEnvelope } from "../../events/event-envelope.ts";
import { removeWhatIsOld } from "../../worker/retention.ts";
import { afterFile } from "../../testing/after-file.ts";
import { eventually } from "../../testing/eventually.ts";
import type { Receiver } from "../../testing/stand-in-receiver.ts";
import { startReceiver } from "../../testing/stand-in-receiver.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { startDeliveries } from "./webhooks.ts";

const hub = await startTestHub({ settings: { keepDays: { deliveries: 30, deliveryAnswers: 7 } } });
const engine = startDeliveries(hub.world, { slots: 16 });
afterFile(() => engine.stop());

const minute = 60_000;

type Made = { id: string; secret: string | null; publicKey: string | null };

async function webhookTo(client: TestClient, receiver: Receiver, more: object = {}): Promise<Made> {
  const { status, text, body } = await client.post("/webhooks", { url: receiver.url, types: ["order.*"], ...more });
  expect(status, text).toBe(201);
  return body;
}

async function makeOrders(client: TestClient, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await client.post("/orders", {})).body.id);
  return ids;
}

const arrivals = (receiver: Receiver, count: number) =>
  eventually(
    async () => receiver.received,
    (received) => received.length >= count,
  );
const orderIdsOf = (receiver: Receiver): string[] => receiver.received.map(({ event }) => event.subject.split("/")[1]!);
const read = async (client: TestClient, id: string) => (await client.get(`/webhooks/${id}`)).body;
/** Time passes, and whoever waits for it looks at the clock. */
async function pass(ms: number): Promise<void> {
  hub.advance(ms);
  hub.world.signals.hint("webhook", "");
}

/** Each time when it is tried again, until it is not any more. */
async function untilGivenUp(client: TestClient, id: string): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    const { data } = await eventually(
      async () => (await client.get(`/webhooks/${id}/deliveries?limit=1`)).body,
      (page) => page.data[0]?.attemptCount === attempts,
    );
    if (data[0].status === "failed") return;
    const { health } = await read(client, id);
    const times = [data[0].nextAttemptAt, health.nextProbeAt ?? data[0].nextAttemptAt].map((at) => Date.parse(at));
    await pass(Math.max(...times) + 1_000 - hub.world.clock.now().getTime());
  }
}

async function feedOf(client: TestClient, types = "order.*"): Promise<EventEnvelope[]> {
  return (await client.get(`/events?limit=500&types=${types}`)).body.data;
}

describe("a webhook", () => {
  test("is told what happens from now on, as the feed has it, in requests that the reference libraries take", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    await makeOrders(org, 1);
    const { secret } = await webhookTo(org, receiver);
    const [id] = await makeOrders(org, 1);
    await org.patch(`/orders/${id}`, { tags: ["vip"] });
    await org.post("/condition-sets", { name: "not for it" });
    await arrivals(receiver, 2);
    const expected = (await feedOf(org)).slice(-2);
    expect(receiver.received.map(({ event }) => event).toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))).toEqual(
      expected,
    );
    for (const { headers, body, event } of receiver.received) {
      expect(headers["content-type"]).toBe("application/json");
      expect(headers["webhook-id"]).toBe(event.id);
      expect(new StandardWebhook(secret!).verify(body, headers)).toEqual(event);
      expect(new CloudEvent(event).validate()).toBe(true);
    }
  });

  test("has a log of what was sent, with attempts and what was answered, and keeps its secrets to itself", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.replies.push({ status: 500, headers: { "x-why": "busy", "set-cookie": "a=b" }, body: "x".repeat(10_000) });
    const { id } = await webhookTo(org, receiver, { headers: { "X-Tenant": "topsecret-17" } });
    await makeOrders(org, 1);
    await arrivals(receiver, 1);
    await pass(10_000);
    await arrivals(receiver, 2);
    const list = `/webhooks/${id}/deliveries`;
    const { data } = await eventually(
      async () => (await org.get(`${list}?status=delivered`)).body,
      (page) => page.data.length === 1,
    );
    const { body: detail } = await org.get(`${list}/${data[0].id}`);
    expect(detail).toMatchObject({ status: "delivered", attemptCount: 2, lastStatus: 204, lastError: null });
    expect(detail.attempts).toMatchObject([
      { number: 1, status: 500, error: { code: "not_taken" }, headers: { "x-why": "busy" } },
      { number: 2, status: 204, error: null, answer: "" },
    ]);
    expect(detail.attempts[0].answer).toBe("x".repeat(4096));
    expect(detail.attempts[0].headers["set-cookie"]).toBeUndefined();
    expect(receiver.received.map(({ headers }) => headers["x-tenant"])).toEqual(["topsecret-17", "topsecret-17"]);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const shown = JSON.stringify([await read(org, id), detail, await org.get("/audit?limit=100")]);
    expect(shown).not.toContain("topsecret-17");
    expect(hub.logs.join("")).not.toContain("topsecret-17");
    expect((await read(org, id)).headerNames).toEqual(["x-tenant"]);
  });

  test("is for what its maker may read, and can be turned elsewhere only by who may read it", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const narrow = await org.withScopes(["webhooks:read", "webhooks:write", "pickups:read"]);
    const body = { url: receiver.url, types: ["order.*"] };
    const refused = await narrow.post("/webhooks", body);
    expect([refused.status, refused.body.code, refused.body.required]).toEqual([
      403,
      "insufficient_scope",
      ["webhooks:write", "orders:read"],
    ]);
    expect((await narrow.post("/webhooks", { ...body, types: ["user.*"] })).status).toBe(403);
    expect((await narrow.post("/webhooks", { ...body, types: ["pickup.*"] })).status).toBe(201);
    const { id } = await webhookTo(org, receiver);
    const { body: deliveries } = await org.get(`/webhooks/${id}/deliveries`);
    expect(deliveries.data).toEqual([]);
    const tries: [string, string, object][] = [
      ["PATCH", "", { url: `${receiver.url}/mine` }],
      ["PATCH", "", { description: "mine" }],
      ["POST", "/rotate-secret", {}],
      ["POST", "/enable", { from: "0-00000000" }],
      ["POST", "/test", {}],
      ["POST", "/resend", { from: "2020-01-01T00:00:00Z", only: "all" }],
    ];
    for (const [method, path, given] of tries) {
      expect([path, (await narrow.call(method, `/webhooks/${id}${path}`, given)).status]).toEqual([path, 403]);
    }
    expect((await narrow.post(`/webhooks/${id}/pause`)).status).toBe(200);
    const unknown = await org.post("/webhooks", { ...body, types: ["order.*", "oder.updated"] });
    expect(unknown.body.errors).toMatchObject([
      { pointer: "/types/1", code: "unknown_type", suggestion: "order.updated" },
    ]);
  });

  test("wants an address that the hub may call, and headers that are none of its own", async () => {
    const org = await hub.org();
    const problemsOf = async (given: object): Promise<unknown[]> => {
      const { status, body } = await org.post("/webhooks", {
        url: "https://a.example/x",
        types: ["order.*"],
        ...given,
      });
      expect(status).toBe(400);
      return body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
    };
    expect(await problemsOf({ url: "ftp://a.example/" })).toEqual(["/url invalid_url"]);
    expect(await problemsOf({ url: "https://me:you@a.example/" })).toEqual(["/url invalid_url"]);
    expect(await problemsOf({ url: "http://169.254.169.254/latest" })).toEqual(["/url address_refused"]);
    expect(await problemsOf({ url: "echo:200" })).toEqual(["/url invalid_url"]);
    expect(await problemsOf({ url: "http://8.8.8.8/", headers: { "x-a": "1" } })).toEqual(["/url https_required"]);
    const headers = { Host: "a", "Webhook-Id": "1", "x y": "1", "x-ok": " blank", "X-A": "1", "x-a": "2" };
    expect(await problemsOf({ headers })).toEqual([
      "/headers/Host header_reserved",
      "/headers/Webhook-Id header_reserved",
      "/headers/x y header_name",
      "/headers/x-ok header_value",
      "/headers/x-a header_twice",
    ]);
    await org.patch(`/organizations/${org.id}`, { outboundHosts: ["*.example"] });
    expect(await problemsOf({ url: "https://a.test/" })).toEqual(["/url host_not_allowed"]);
  });

  test("does not take its headers along to another server", async () => {
    const org = await hub.org();
    const [here, there] = [await startReceiver(), await startReceiver()];
    const { id } = await webhookTo(org, here, { headers: { authorization: "Bearer abc" } });
    const moved = await org.patch(`/webhooks/${id}`, { url: there.url });
    expect([moved.status, moved.body.code, moved.body.errors[0].pointer]).toEqual([
      409,
      "credentials_needed",
      "/headers",
    ]);
    const given = { url: there.url, headers: { authorization: "Bearer def" } };
    expect((await org.patch(`/webhooks/${id}`, given)).status).toBe(200);
    await makeOrders(org, 1);
    const [first] = await arrivals(there, 1);
    expect([first!.headers.authorization, here.received.length]).toEqual(["Bearer def", 0]);
  });

  test("an example now, and what came back", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.replies.push({ status: 202, headers: { "x-seen": "yes" }, body: "thanks" }, { status: 500 });
    const { id, secret } = await webhookTo(org, receiver, { headers: { "x-key": "topsecret-18" } });
    await org.post(`/webhooks/${id}/pause`);
    const { status, body } = await org.post(`/webhooks/${id}/test`, { type: "order.updated" });
    expect([status, body.ok, body.error]).toEqual([200, true, null]);
    expect(body.response).toMatchObject({ status: 202, headers: { "x-seen": "yes" }, body: "thanks" });
    expect(body.request.headers["x-key"]).toBe("(sealed)");
    const [{ headers, body: text }] = receiver.received as [(typeof receiver.received)[0]];
    expect(text).toBe(body.request.body);
    expect(new StandardWebhook(secret!).verify(text, headers)).toMatchObject({ type: "order.updated" });
    expect((await org.post(`/webhooks/${id}/test`)).body).toMatchObject({ ok: false, error: { code: "not_taken" } });
    await receiver.close();
    expect((await org.post(`/webhooks/${id}/test`)).body).toMatchObject({
      response: null,
      error: { code: "connect_failed" },
    });
  });

  test("signs with both secrets while one is being replaced, and with the new one alone afterwards", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const { id, secret } = await webhookTo(org, receiver);
    const { status, body: rotated } = await org.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 1 });
    expect(status).toBe(201);
    expect(rotated.secret).toMatch(/^whsec_/);
    await makeOrders(org, 1);
    const [during] = await arrivals(receiver, 1);
    for (const one of [secret!, rotated.secret]) new StandardWebhook(one).verify(during!.body, during!.headers);
    hub.advance(2 * 60 * minute);
    const { body: again } = await org.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 0 });
    expect([again.previousSecretUntil, (await org.get(`/webhooks/${id}`)).body.secret]).toEqual([null, undefined]);
    await makeOrders(org, 1);
    const after = (await arrivals(receiver, 2))[1]!;
    expect(after.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
    const stamp = Number(after.headers["webhook-timestamp"]) * 1000;
    expect(Math.abs(stamp - hub.world.clock.real().getTime())).toBeLessThan(5 * minute);
  });

  test("with ed25519 is verified by its public keys, the one before included", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const { id, secret, publicKey } = await webhookTo(org, receiver, { signing: "ed25519" });
    expect(secret).toBeNull();
    const { body: rotated } = await org.post(`/webhooks/${id}/rotate-secret`);
    expect(rotated.previousPublicKey).toBe(publicKey);
    await makeOrders(org, 1);
    const [{ headers, body } = { headers: {} as Record<string, string>, body: "" }] = await arrivals(receiver, 1);
    const content = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`);
    const signatures = headers["webhook-signature"]!.split(" ").map((one) => one.split(","));
    expect(signatures.map(([scheme]) => scheme)).toEqual(["v1a", "v1a"]);
    for (const [nth, known] of [rotated.publicKey, publicKey].entries()) {
      const x = Buffer.from(known.replace(/^whpk_/, ""), "base64").toString("base64url");
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      expect(verify(null, content, key, Buffer.from(signatures[nth]![1]!, "base64"))).toBe(true);
    }
  });
});

describe("nothing is lost", () => {
  test("while a webhook is paused; it goes on where it stopped, from now on, or behind a cursor", async () => {
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
    expect([forked.status, forked.body.code]).toEqual([409, "cursor_forked"]);
    const odd = await org.post(`/webhooks/${id}/enable`, { from: "yesterday" });
    expect([odd.status, odd.body.errors[0].pointer]).toEqual([400, "/from"]);
  });

  test("when the endpoint is gone: it is disabled, and gets all of it when it is enabled", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.always = { status: 410 };
    const { id } = await webhookTo(org, receiver, { ordering: "strict" });
    const ids = await makeOrders(org, 3);
    await eventually(
      () => read(org, id),
      ({ status }) => status === "disabled",
    );
    expect(await read(org, id)).toMatchObject({ disabledReason: "gone", health: { lastError: { code: "not_taken" } } });
    expect((await org.post(`/webhooks/${id}/pause`)).status).toBe(409);
    const told = await feedOf(org, "webhook.disabled");
    expect(told.map(({ data }) => [data.reason, data.items])).toEqual([["gone", [{ id, version: 1 }]]]);
    receiver.always = { status: 200 };
    const before = receiver.received.length;
    await org.post(`/webhooks/${id}/enable`, { from: "stopped" });
    await arrivals(receiver, before + 3);
    expect(orderIdsOf(receiver).slice(before)).toEqual(ids);
  });

  test("when it fails: it is tried with one at a time, and gets the rest when it is back", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.always = { status: 503 };
    const { id } = await webhookTo(org, receiver);
    const ids = await makeOrders(org, 12);
    await eventually(
      () => read(org, id),
      ({ health }) => health.consecutiveFailures >= 5 && health.nextProbeAt !== null,
    );
    const before = receiver.received.length;
    expect(before).toBeLessThanOrEqual(12);
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
      return new Set(orderIdsOf(receiver)).size === 12 && (await read(org, id)).waiting === 0;
    }, Boolean);
    expect(new Set(orderIdsOf(receiver))).toEqual(new Set(ids));
    expect((await read(org, id)).health).toMatchObject({ status: "healthy", failingSince: null, nextProbeAt: null });
  });

  test("for longer than an hour it is said so, after five days it is disabled", async () => {
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
          ({ waiting, health }) => waiting > 0 && health.consecutiveFailures > 0,
        );
        if (type === "webhook.disabled") hub.advance(12 * 60 * minute);
        return await isTold(type);
      }, Boolean);
    }
    expect(await read(org, id)).toMatchObject({ status: "disabled", disabledReason: "failing" });
  }, 90_000);

  test("in strict order the next one waits until the one before was taken", async () => {
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

  test("an endpoint that wants a pause gets it", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    receiver.replies.push({ status: 429, headers: { "retry-after": "7200" } });
    const { id } = await webhookTo(org, receiver);
    await makeOrders(org, 1);
    const { health } = await eventually(
      () => read(org, id),
      (webhook) => webhook.health.nextProbeAt !== null,
    );
    expect(Date.parse(health.nextProbeAt) - hub.world.clock.now().getTime()).toBeGreaterThan(100 * minute);
    await makeOrders(org, 1);
    await pass(60 * minute);
    expect(receiver.received).toHaveLength(1);
    await pass(70 * minute);
    await arrivals(receiver, 3);
  });
});

describe("what others do", () => {
  test("a slow endpoint has its places and no more, and nobody waits for it", async () => {
    const [org, other] = [await hub.org(), await hub.org()];
    const [slow, fast] = [await startReceiver(), await startReceiver()];
    slow.always = "hang";
    await webhookTo(org, slow, { maxInFlight: 3 });
    await webhookTo(org, fast);
    await webhookTo(other, fast);
    await makeOrders(org, 20);
    await makeOrders(other, 5);
    await arrivals(fast, 25);
    expect(slow.mostAtOnce()).toBe(3);
    slow.always = { status: 204 };
    slow.release();
    await arrivals(slow, 20);
    expect(slow.mostAtOnce()).toBe(3);
  });

  test("no organization is told of another's events", async () => {
    const orgs = [await hub.org(), await hub.org()];
    const receivers = [await startReceiver(), await startReceiver()];
    for (const [n, org] of orgs.entries()) await webhookTo(org, receivers[n]!, { types: ["order.*", "webhook.*"] });
    const made = await Promise.all(orgs.map((org) => makeOrders(org, 10)));
    for (const [n, receiver] of receivers.entries()) {
      await arrivals(receiver, 11);
      const own = receiver.received.filter(({ event }) => event.type === "order.created");
      expect(new Set(own.map(({ event }) => event.subject.split("/")[1]))).toEqual(new Set(made[n]));
      expect(receiver.received.every(({ event }) => event.source.endsWith(orgs[n]!.id))).toBe(true);
    }
  });

  test("two nodes deliver each event once, when nobody dies", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const second = await hub.secondNode();
    const more = startDeliveries(second.world, { slots: 8 });
    await webhookTo(org, receiver, { maxInFlight: 32 });
    const ids = await makeOrders(org, 60);
    await arrivals(receiver, 60);
    await more.stop();
    expect(orderIdsOf(receiver).toSorted()).toEqual(ids.toSorted());
  });
});

describe("once more", () => {
  test("one delivery, with the same id", async () => {
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
    expect([again.status, again.body.status]).toEqual([202, "waiting"]);
    const [first, second] = await arrivals(receiver, 2);
    expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
    expect(second!.body).toBe(first!.body);
  });

  test("everything of a time, or what failed of it; nothing is a 400", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const before = await makeOrders(org, 105);
    const from = new Date(hub.world.clock.now().getTime() - 60 * minute).toISOString();
    const { id } = await webhookTo(org, receiver);
    const resend = (body: object) => org.post(`/webhooks/${id}/resend`, { from, ...body });
    const nothing = await resend({});
    expect([nothing.status, nothing.body.code]).toEqual([400, "nothing_to_resend"]);
    expect((await resend({ types: ["pickup.*"], only: "all" })).status).toBe(400);
    expect((await resend({ to: from })).body.errors[0].pointer).toBe("/from");
    const all = await resend({ only: "all", types: ["order.created"] });
    expect([all.status, all.body.estimate, all.body.estimateIsCapped]).toEqual([202, 105, false]);
    await arrivals(receiver, 105);
    expect(orderIdsOf(receiver).toSorted()).toEqual(before.toSorted());
    receiver.always = { status: 500 };
    const [bad] = await makeOrders(org, 1);
    await untilGivenUp(org, id);
    receiver.always = { status: 204 };
    const count = receiver.received.length;
    const failed = await resend({ only: "failed" });
    expect([failed.status, failed.body.estimate]).toEqual([202, 1]);
    await eventually(
      async () => {
        await pass(minute);
        return receiver.received.length;
      },
      (n) => n === count + 1,
    );
    expect(orderIdsOf(receiver).at(-1)).toBe(bad);
  }, 90_000);
});

test("deliveries are kept for a month, what was answered for a week; what waits is kept", async () => {
  const org = await hub.org();
  const receiver = await startReceiver();
  const { id } = await webhookTo(org, receiver);
  await makeOrders(org, 1);
  await arrivals(receiver, 1);
  const path = `/webhooks/${id}/deliveries`;
  const page = async () => (await org.get(path)).body.data as { id: string; status: string }[];
  const [delivery] = await eventually(page, ([first]) => first?.status === "delivered");
  await org.post(`/webhooks/${id}/pause`);
  const answerOf = async () => (await org.get(`${path}/${delivery!.id}`)).body.attempts[0].answer;
  const never = new AbortController().signal;
  const dayMs = 24 * 60 * minute;
  hub.advance(6 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await answerOf()).toBe("");
  hub.advance(2 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await answerOf()).toBeNull();
  hub.advance(23 * dayMs);
  await removeWhatIsOld(hub.world, never);
  expect(await page()).toEqual([]);
}, 60_000);
