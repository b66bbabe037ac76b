import { CloudEvent } from "cloudevents";
import { createPublicKey, verify } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { purgeExpired } from "../../worker/retention.ts";
import { eventually } from "../../testing/eventually.ts";
import { startReceiver } from "../../testing/stand-in-receiver.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { arrivals, feedOf, makeOrders, webhookFixture, orderIdsOf } from "../../testing/webhook-fixture.ts";
import { sealPart } from "./webhook-signing.ts";
import { startDeliveries } from "./webhooks.ts";

const hub = await startTestHub({ settings: { retentionDays: { deliveries: 30, deliveryResponses: 7 } } });
const { webhookTo, read, pass } = webhookFixture(hub);
const minute = 60_000;

describe("a webhook", () => {
  test("gets new events as in the feed, in requests that the reference libraries accept", async () => {
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

  test("has a delivery log with attempts and responses, without secrets", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x-${n}`, "1"]));
    const answered = { "x-why": "busy", "set-cookie": "a=b", "x-long": "y".repeat(600), ...many };
    // The first character is one that the database has no place for.
    receiver.replies.push({ status: 500, headers: answered, body: `\u0000${"x".repeat(10_000)}` });
    const url = `${receiver.url}/topsecret-19`;
    const { id } = await webhookTo(org, receiver, { url, headers: { "X-Tenant": "topsecret-17" } });
    expect((await org.patch(`/webhooks/${id}`, { url: `${url}/b` })).status).toBe(200);
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
    expect(detail).toMatchObject({ status: "delivered", attemptCount: 2, lastResponseStatus: 204, lastError: null });
    expect(detail.attempts).toMatchObject([
      { number: 1, responseStatus: 500, error: { code: "unexpected_status" }, responseHeaders: { "x-why": "busy" } },
      { number: 2, responseStatus: 204, error: null, responseBody: "" },
    ]);
    expect(detail.event).toEqual(receiver.received[0]!.event);
    for (const [scopes, isShown] of [
      [["webhooks:read"], false],
      [["webhooks:read", "events:read"], false],
      [["webhooks:read", "orders:read"], false],
      [["webhooks:read", "events:read", "orders:read"], true],
    ] as const) {
      const { body } = await (await org.withScopes([...scopes])).get(`${list}/${data[0].id}`);
      expect(body.event !== null).toBe(isShown);
    }
    const [{ responseBody, responseHeaders: headers }] = detail.attempts;
    expect(responseBody).toBe("x".repeat(4095));
    expect([headers["set-cookie"], headers["x-long"], Object.keys(headers).length]).toEqual([
      undefined,
      "y".repeat(500),
      50,
    ]);
    expect(receiver.received.map(({ headers }) => headers["x-tenant"])).toEqual(["topsecret-17", "topsecret-17"]);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const audit = JSON.stringify(await org.get("/audit?limit=100"));
    expect(JSON.stringify([await read(org, id), detail])).not.toContain("topsecret-17");
    expect(audit).toContain(new URL(receiver.url).host);
    // The event contains only the host of the URL.
    expect([audit, ...hub.logs].filter((text) => text.includes("topsecret-"))).toEqual([]);
    expect((await read(org, id)).headerNames).toEqual(["x-tenant"]);
  });

  test("is limited to event types that its creator may read, and can be redirected only by callers who may read them", async () => {
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
    const { body: own } = await narrow.post("/webhooks", { ...body, types: ["pickup.*"] });
    expect((await narrow.patch(`/webhooks/${own.id}`, { types: ["pickup.*", "order.*"] })).status).toBe(403);
    const { id } = await webhookTo(org, receiver);
    await makeOrders(org, 1);
    const { body: deliveries } = await org.get(`/webhooks/${id}/deliveries`);
    const tries: [string, string, object][] = [
      ["POST", `/deliveries/${deliveries.data[0].id}/resend`, {}],
      ["PATCH", "", { url: `${receiver.url}/mine` }],
      ["PATCH", "", { description: "mine" }],
      ["POST", "/rotate-secret", {}],
      ["POST", "/enable", { from: "0-00000000" }],
      ["POST", "/test", {}],
      ["POST", "/resend", { from: "2020-01-01T00:00:00Z", include: "all" }],
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

  test.each([[["order.created"]], [["orders.created"]], [["order.created", "orders.created"]]])(
    "with types %j gets one new order and several, once each",
    async (types) => {
      const org = await hub.org();
      const receiver = await startReceiver();
      const { id } = await webhookTo(org, receiver, { types });
      await makeOrders(org, 1);
      await org.post("/orders/bulk", { orders: [{}, {}, {}] });
      const told = (await arrivals(receiver, 2)).map(({ event }) => event.type);
      expect(told.toSorted()).toEqual(["order.created", "orders.created"]);
      expect((await read(org, id)).types).toEqual(types);
      const settled = async () => (await org.get(`/webhooks/${id}/deliveries`)).body.data;
      const log = await eventually(settled, (data: { status: string }[]) =>
        data.every(({ status }) => status === "delivered"),
      );
      expect(log).toHaveLength(2);
      const tested = await org.post(`/webhooks/${id}/test`);
      expect(JSON.parse(tested.body.request.body).type).toBe(types[0]);
    },
  );

  test("needs an address that the hub may call, and no reserved headers", async () => {
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
    expect(await problemsOf({ url: "http://169.254.169.254/latest" })).toEqual(["/url address_not_allowed"]);
    expect(await problemsOf({ url: "echo:200" })).toEqual(["/url invalid_url"]);
    expect(await problemsOf({ url: "http://8.8.8.8/", headers: { "x-a": "1" } })).toEqual(["/url https_required"]);
    const split = { "x-split": "a\r\nwebhook-id: 1", "x\r\ny": "1" };
    const headers = { Host: "a", "Webhook-Id": "1", "x y": "1", "x-ok": " blank", "X-A": "1", "x-a": "2", ...split };
    expect(await problemsOf({ headers })).toEqual([
      "/headers/Host reserved_header",
      "/headers/Webhook-Id reserved_header",
      "/headers/x y invalid_header_name",
      "/headers/x-ok invalid_header_value",
      "/headers/x-a duplicate_header",
      "/headers/x-split invalid_header_value",
      "/headers/x\r\ny invalid_header_name",
    ]);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, "1"]));
    expect(await problemsOf({ headers: many })).toEqual(["/headers too_many"]);
    const receiver = await startReceiver();
    const { id } = await webhookTo(org, receiver);
    // All that the hub sends by itself, and what is between two ends of a connection.
    await org.post(`/webhooks/${id}/test`);
    const hops = "keep-alive proxy-connection te trailer transfer-encoding upgrade expect content-encoding".split(" ");
    const own = [...Object.keys(receiver.received.pop()!.headers), ...hops];
    expect(own).toContain("user-agent");
    expect(await problemsOf({ headers: Object.fromEntries(own.map((name) => [name, "1"])) })).toEqual(
      own.map((name) => `/headers/${name} reserved_header`),
    );
    // Stored before its name was reserved.
    const { secrets, db } = hub.world;
    const sealed = sealPart(secrets, "headers", org.id, id, JSON.stringify({ "webhook-id": "mine", accept: "mine" }));
    await db.query("update webhooks set sealed_headers = $2 where id = $1", [id, sealed]);
    await org.post(`/webhooks/${id}/test`);
    const { headers: sent, event } = receiver.received.pop()!;
    expect([sent["webhook-id"], sent.accept]).toEqual([event.id, "mine"]);
    await db.query("update webhooks set sealed_headers = null where id = $1", [id]);
    for (const url of ["http://169.254.169.254/latest", "ftp://a.example/", "echo:200"]) {
      expect([url, (await org.patch(`/webhooks/${id}`, { url })).status]).toEqual([url, 400]);
    }
    const reserved = await org.patch(`/webhooks/${id}`, { headers: { "webhook-signature": "v1,mine" } });
    expect(reserved.body.errors).toMatchObject([{ pointer: "/headers/webhook-signature", code: "reserved_header" }]);
    await org.patch(`/organizations/${org.id}`, { outboundHosts: ["*.example"] });
    expect(await problemsOf({ url: "https://a.test/" })).toEqual(["/url host_not_allowed"]);
    // One that was set up before.
    const { body: exchange } = await org.post(`/webhooks/${id}/test`);
    expect([exchange.error.code, receiver.received]).toEqual(["host_not_allowed", []]);
  });

  test("does not send its headers to another server", async () => {
    const org = await hub.org();
    const [here, there] = [await startReceiver(), await startReceiver()];
    const { id } = await webhookTo(org, here, { headers: { authorization: "Bearer abc" } });
    const moved = await org.patch(`/webhooks/${id}`, { url: there.url });
    expect([moved.status, moved.body.code, moved.body.errors[0].pointer]).toEqual([
      409,
      "credentials_required",
      "/headers",
    ]);
    const given = { url: there.url, headers: { authorization: "Bearer def" } };
    expect((await org.patch(`/webhooks/${id}`, given)).status).toBe(200);
    await makeOrders(org, 1);
    const [first] = await arrivals(there, 1);
    expect([first!.headers.authorization, here.received.length]).toEqual(["Bearer def", 0]);
    // Nor by a connection that was made for requests without any: less was asked of it.
    const bare = await webhookTo(org, here);
    const keyed = await webhookTo(org, here, { headers: { authorization: "Bearer ghi" } });
    for (const one of [bare, bare, keyed]) await org.post(`/webhooks/${one.id}/test`);
    const [port, same, other] = here.received.map((received) => received.port);
    expect([same === port, other === port]).toEqual([true, false]);
  });

  test("gets no more requests after its deletion, and keeps no secret", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    await makeOrders(org, 1);
    const { id } = await webhookTo(org, receiver, { headers: { authorization: "Bearer abc" } });
    receiver.replies.push({ status: 503 }, "hang");
    await makeOrders(org, 2);
    await arrivals(receiver, 2);
    const [first] = (await org.get(`/webhooks/${id}/deliveries`)).body.data;
    await org.post(`/webhooks/${id}/resend`, { from: "2020-01-01T00:00:00Z", include: "all" });
    expect((await org.delete(`/webhooks/${id}`)).status).toBe(200);
    receiver.release();
    for (const path of ["", "/deliveries", `/deliveries/${first.id}`]) {
      expect([path, (await org.get(`/webhooks/${id}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await org.post(`/webhooks/${id}/enable`)).status).toBe(404);
    const left = await hub.world.db.query(
      `select sealed_secret as secret, sealed_headers as headers, (select count(*) from webhook_resends r where r.webhook_id = w.id) as resends,
         (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.due_at is not null) as due
         from webhooks w where id = $1`,
      [id],
    );
    expect(left).toEqual([{ secret: "", headers: null, resends: 0, due: 0 }]);
  });

  test("sends a test event and returns the response", async () => {
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
    expect((await org.post(`/webhooks/${id}/test`)).body).toMatchObject({
      ok: false,
      error: { code: "unexpected_status" },
    });
    // A redirect points to another endpoint that was not configured; cookies are not kept.
    const headersOf = { location: `${receiver.url}/elsewhere`, "set-cookie": "who=hub" };
    receiver.replies.push({ status: 307, headers: headersOf }, { status: 204 });
    expect((await org.post(`/webhooks/${id}/test`)).body.error.code).toBe("redirect_not_allowed");
    expect((await org.post(`/webhooks/${id}/test`)).body.ok).toBe(true);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/", "/", "/", "/"]);
    expect(receiver.received.at(-1)!.headers["cookie"]).toBeUndefined();
    await receiver.close();
    expect((await org.post(`/webhooks/${id}/test`)).body).toMatchObject({
      response: null,
      error: { code: "connect_failed" },
    });
  });

  test("signs with both secrets during a rotation, and with the new one alone afterwards", async () => {
    const org = await hub.org();
    const receiver = await startReceiver();
    const { id, secret } = await webhookTo(org, receiver);
    const { status, body: rotated } = await org.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 1 });
    expect(status).toBe(201);
    expect(rotated.secret).toMatch(/^whsec_/);
    await makeOrders(org, 1);
    const [during] = await arrivals(receiver, 1);
    for (const one of [secret!, rotated.secret]) new StandardWebhook(one).verify(during!.body, during!.headers);
    // Of three, the oldest is forgotten.
    const { body: third } = await org.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 1 });
    await makeOrders(org, 1);
    const later = (await arrivals(receiver, 2))[1]!;
    for (const one of [rotated.secret, third.secret]) new StandardWebhook(one).verify(later.body, later.headers);
    expect(() => new StandardWebhook(secret!).verify(later.body, later.headers)).toThrow(/No matching signature/);
    // The time of both is over.
    await hub.world.db.query("update webhooks set previous_until = now() - interval '1 second' where id = $1", [id]);
    expect((await read(org, id)).previousSecretExpiresAt).toBeNull();
    await makeOrders(org, 1);
    const alone = (await arrivals(receiver, 3))[2]!;
    expect(alone.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
    new StandardWebhook(third.secret).verify(alone.body, alone.headers);
    const { body: again } = await org.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 0 });
    expect([again.previousSecretExpiresAt, (await org.get(`/webhooks/${id}`)).body.secret]).toEqual([null, undefined]);
    const kept = await hub.world.db.query("select sealed_previous_secret as former from webhooks where id = $1", [id]);
    expect(kept).toEqual([{ former: null }]);
    await makeOrders(org, 1);
    const after = (await arrivals(receiver, 4))[3]!;
    expect(after.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
    const stamp = Number(after.headers["webhook-timestamp"]) * 1000;
    expect(Math.abs(stamp - hub.world.clock.real().getTime())).toBeLessThan(5 * minute);
  });

  test("with ed25519 is verified by its public keys, including the previous one", async () => {
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

describe("isolation", () => {
  test("a slow endpoint has at most maxInFlight requests, and delays no other endpoint", async () => {
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

  test("an organization gets no events of another one", async () => {
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

  test("two nodes deliver each event once", async () => {
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

test("deliveries are kept for a month, responses for a week; pending deliveries are kept", async () => {
  const org = await hub.org();
  const receiver = await startReceiver();
  const { id } = await webhookTo(org, receiver);
  await makeOrders(org, 1);
  await arrivals(receiver, 1);
  const path = `/webhooks/${id}/deliveries`;
  const page = async () => (await org.get(path)).body.data as { id: string; status: string; attemptCount: number }[];
  const [delivery] = await eventually(page, ([first]) => first?.status === "delivered");
  receiver.always = { status: 503, body: "busy" };
  await makeOrders(org, 1);
  await arrivals(receiver, 2);
  await pass(10_000);
  const [tried] = await eventually(page, ([first]) => first?.attemptCount === 2);
  await org.post(`/webhooks/${id}/pause`);
  const answersOf = async ({ id: deliveryId }: { id: string }): Promise<unknown> =>
    (await org.get(`${path}/${deliveryId}`)).body.attempts.map(
      ({ responseBody }: { responseBody: unknown }) => responseBody,
    );
  const answers = async () => [await answersOf(delivery!), await answersOf(tried!)];
  const never = new AbortController().signal;
  const dayMs = 24 * 60 * minute;
  hub.advance(6 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await answers()).toEqual([[""], ["busy", "busy"]]);
  hub.advance(2 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await answers()).toEqual([[null], [null, null]]);
  hub.advance(23 * dayMs);
  await purgeExpired(hub.world, never);
  expect(await page()).toMatchObject([{ id: tried!.id, status: "pending" }]);
});
