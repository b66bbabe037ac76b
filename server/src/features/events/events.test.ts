import { CloudEvent } from "cloudevents";
import { describe, expect, test } from "vitest";
import type { Scope } from "../../core/scopes.ts";
import type { EventEnvelope } from "../../events/event-envelope.ts";
import { eventTypes, scopeOfEvent, typesNamed } from "../../events/event-families.ts";
import type { TestClient, Answer } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const dayMs = 86_400_000;

type Feed = { data: EventEnvelope[]; cursor: string; hasMore: boolean };

async function readAll(
  client: TestClient,
  query = "",
  from?: string,
): Promise<{ events: EventEnvelope[]; cursor: string }> {
  const events: EventEnvelope[] = [];
  for (let cursor = from; ;) {
    const { status, text, body }: Answer<Feed> = await client.get(
      `/events?limit=7${query}${cursor === undefined ? "" : `&after=${cursor}`}`,
    );
    expect(status, text).toBe(200);
    events.push(...body.data);
    cursor = body.cursor;
    if (!body.hasMore) return { events, cursor };
  }
}

const typesOf = (events: EventEnvelope[]): string[] => events.map(({ type }) => type);

describe("the event feed", () => {
  test("has all events in order without gaps, and the caller's own writes at once", async () => {
    const org = await hub.org();
    const before = await readAll(org);
    const { body: order } = await org.post("/orders", { number: "FEED-1" });
    await org.patch(`/orders/${order.id}`, { tags: ["a"] });
    await org.post("/orders/bulk", { orders: Array.from({ length: 30 }, (_, i) => ({ number: `BULK-${i}` })) });
    const { events, cursor } = await readAll(org, "", before.cursor);
    expect(typesOf(events)).toEqual(["order.created", "order.updated", "orders.created"]);
    expect(events[1]).toMatchObject({
      subject: `order/${order.id}`,
      source: `urn:order-operations-hub:live:${org.id}`,
      data: { items: [{ id: order.id, number: "FEED-1", version: 2 }], changed: ["tags"], actor: { type: "api_key" } },
    });
    expect(events[2]!.data.items).toHaveLength(30);
    const all = (await readAll(org)).events;
    expect(all.map(({ sequence }) => Number(sequence))).toEqual(all.map((_, i) => i + 1));
    const { body: audit } = await org.get("/audit?limit=100");
    expect(all.map(({ id }) => id)).toEqual(audit.data.map(({ id }: { id: string }) => id).toReversed());
    expect((await org.get(`/events?after=${cursor}`)).body).toEqual({ data: [], cursor, hasMore: false });
    expect((await org.get(`/events?after=${events[0]!.cursor}`)).body.data).toEqual(events.slice(1));
    for (const event of all) expect(new CloudEvent(event, true).validate()).toBe(true);
  });

  test("one order of each event can be read with one request", async () => {
    const org = await hub.org();
    await org.post("/orders/bulk", { orders: Array.from({ length: 210 }, (_, i) => ({ number: `ONE-${i}` })) });
    const { events } = await readAll(org, "&types=orders.created");
    const ids = (events[0]!.data.items as { id: string }[]).map(({ id }) => id);
    expect(ids).toHaveLength(200);
    await org.post("/operations/run", {
      order_ids: [ids[0]],
      actions: [
        { type: "cancel", params: { reason: "other" } },
        { type: "archive", params: {} },
      ],
    });
    const { body } = await org.get(`/orders?limit=200&ids=${ids.join(",")}`);
    expect(body.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
    expect((await org.get(`/orders?ids=${ids[0]}&archived=false`)).body.data).toEqual([]);
    expect((await org.get("/orders?limit=200")).body.errors).toMatchObject([{ pointer: "query/limit" }]);
    expect((await org.get(`/orders?ids=${ids[0]},${ids[0]}`)).body.data).toHaveLength(1);
    const tooMany = await org.get(`/orders?ids=${[...ids, hub.world.newId()].join(",")}`);
    expect([tooMany.status, tooMany.body.errors[0]]).toMatchObject([400, { pointer: "query/ids" }]);
    expect((await org.get(`/orders?ids=${ids[0]},nonsense`)).body.errors).toMatchObject([
      { pointer: "query/ids", code: "format" },
    ]);
    expect((await (await hub.org()).get(`/orders?ids=${ids[0]}`)).body.data).toEqual([]);
  });

  test("can be filtered by types, families, object and start time", async () => {
    const org = await hub.org();
    const { body: order } = await org.post("/orders", { number: "F-1" });
    await org.post("/condition-sets", { name: "set" });
    const since = new Date(hub.world.clock.now().getTime() + 1).toISOString();
    hub.advance(1_000);
    await org.patch(`/orders/${order.id}`, { tags: ["x"] });
    await org.post("/orders/bulk", { orders: [{ number: "F-2" }, { number: "F-3" }] });
    const of = async (query: string): Promise<string[]> => typesOf((await readAll(org, `&${query}`)).events);
    expect(await of("types=order.updated")).toEqual(["order.updated"]);
    expect(await of("types=order.*,condition_set.created")).toEqual([
      "order.created",
      "condition_set.created",
      "order.updated",
      "orders.created",
    ]);
    expect(await of(`objectId=${order.id}`)).toEqual(["order.created", "order.updated"]);
    expect(await of(`since=${since}`)).toEqual(["order.updated", "orders.created"]);
    expect(await of(`since=${since}&types=condition_set.created`)).toEqual([]);
    for (const types of ["order.created", "orders.created", "orders.created,order.created"]) {
      expect(await of(`types=${types}`), types).toEqual(["order.created", "orders.created"]);
    }
    const odd = await org.get("/events?types=order.udpated");
    expect([odd.status, odd.body.errors]).toMatchObject([
      400,
      [{ pointer: "query/types", code: "unknown_type", suggestion: "order.updated" }],
    ]);
    const family = await org.get("/events?types=operation.*");
    expect(family.body.errors).toMatchObject([{ code: "unknown_type", suggestion: "operation_run.*" }]);
  });

  test("the history of an object has events about it and events that name it among others, once and in order", async () => {
    const [org, other] = [await hub.org(), await hub.org()];
    const { body } = await org.post("/orders/bulk", { orders: Array.from({ length: 201 }, () => ({})) });
    const ids: string[] = body.results.map(({ id }: { id: string }) => id);
    const order_ids = [ids[0], ids[200]];
    const last = ids[200]!;
    for (let i = 0; i < 8; i++) {
      await org.patch(`/orders/${last}`, { tags: [`t${i}`] });
      const actions = [{ type: "add_tags", params: { tags: [`run${i}`] } }];
      await org.post("/operations/run", { order_ids: i % 2 ? order_ids : [ids[0]], actions });
    }
    const { events: all } = await readAll(org, "&types=order.*");
    const names = (event: EventEnvelope, id: string): boolean =>
      (event.data.items as { id: string }[]).some((item) => item.id === id);
    for (const [id, count] of [
      [last, 1 + 8 + 4],
      [ids[0]!, 1 + 8],
    ] as const) {
      const expected = all.filter((event) => names(event, id));
      expect(expected).toHaveLength(count);
      const { events, cursor } = await readAll(org, `&objectId=${id.toUpperCase()}`);
      expect(events).toEqual(expected);
      expect(cursor).toBe((await readAll(org)).cursor);
      expect((await readAll(org, `&objectId=${id}&types=orders.updated`)).events).toEqual(
        expected.filter(({ type }) => /^orders?\.updated$/.test(type)),
      );
      expect((await readAll(other, `&objectId=${id}`)).events).toEqual([]);
    }
    // The versions of an order follow each other without a gap: none of its changes is missing.
    const versions = (await readAll(org, `&objectId=${last}`)).events.map(
      ({ data }) => (data.items as { id: string; version: number }[]).find(({ id }) => id === last)!.version,
    );
    expect(versions).toEqual(versions.map((_, i) => i + 1));
  });

  test("the cursor advances over examined entries, also if none matched", async () => {
    const org = await hub.org();
    await org.post("/condition-sets", { name: "set" });
    const { body } = await org.get("/events?types=pickup.*");
    expect(body).toMatchObject({ data: [], hasMore: false });
    expect(body.cursor).toBe((await readAll(org)).cursor);
  });
});

describe("a cursor", () => {
  test("of another history is rejected, so that no event is missed without notice", async () => {
    const [org, other] = [await hub.org(), await hub.org()];
    const { cursor, events } = await readAll(org);
    const [sequence, hash] = cursor.split("-") as [string, string];
    const foreign = (await readAll(other)).cursor;
    const forked = [
      `${sequence}-${hash === "00000000" ? "00000001" : "00000000"}`,
      `${Number(sequence) + 1}-${hash}`,
      `${Number(sequence) - 1}-${hash}`,
      `0-${hash}`,
      "999999999999999-00000000",
      foreign,
    ];
    for (const after of forked) {
      const { status, body } = await org.get(`/events?after=${after}`);
      expect([after, status, body.code]).toEqual([after, 409, "cursor_mismatch"]);
    }
    expect((await org.get("/events?after=0-00000000&limit=500")).body.data).toEqual(events);
    expect((await org.get("/events?after=x")).body).toMatchObject({
      status: 400,
      errors: [{ pointer: "query/after" }],
    });
  });

  test("of a preview that was reset is rejected", async () => {
    const preview = await startTestHub({ environment: "preview" });
    const { operator } = preview;
    const { cursor } = await readAll(operator);
    expect((await operator.post("/preview/reset", {})).status).toBe(200);
    expect((await operator.get(`/events?after=${cursor}`)).body.code).toBe("cursor_mismatch");
  });

  test("that is older than the retention is rejected; the log itself stays", async () => {
    const month = await startTestHub({ settings: { eventRetentionDays: 30 } });
    const org = await month.org();
    await org.post("/orders", { number: "OLD-1" });
    const [first] = (await readAll(org)).events;
    const { cursor: end } = await readAll(org);
    month.advance(31 * dayMs);
    const gone = await org.get(`/events?after=${first!.cursor}`);
    expect([gone.status, gone.body.code, gone.body.retryable]).toEqual([410, "cursor_expired", false]);
    // Nothing follows it, so nothing was missed.
    expect((await org.get(`/events?after=${end}`)).body.data).toEqual([]);
    await org.post("/orders", { number: "NEW-1" });
    expect(typesOf((await readAll(org, "", end)).events)).toEqual(["order.created"]);
    expect((await readAll(org)).events.map(({ data }) => data.items)).toMatchObject([[{ number: "NEW-1" }]]);
    expect((await readAll(org, `&since=${new Date(0).toISOString()}`)).events).toHaveLength(1);
    const { body: audit } = await org.get("/audit?limit=100");
    expect(audit.data.at(-1)).toMatchObject({ id: first!.id });
    expect((await org.get("/audit/verification")).body.ok).toBe(true);
  });
});

describe("scopes of the feed (scope matrix)", async () => {
  const org = await hub.org();
  const { body: order } = await org.post("/orders", { number: "M-1" });
  await org.post("/condition-sets", { name: "matrix" });
  await org.post("/locations", { name: "Dock", type: "warehouse" });
  await org.post("/users", { email: "matrix@org.example", role: "viewer", password: "correct horse battery" });
  await org.post("/operations/run", {
    order_ids: [order.id],
    actions: [{ type: "add_tags", params: { tags: ["x"] } }],
  });
  const all = typesOf((await readAll(org)).events);

  test.each([...new Set(eventTypes.map(scopeOfEvent))])("%s lets read its families and nothing else", async (scope) => {
    const reader = await org.withScopes(scope === "events:read" ? [scope] : ["events:read", scope]);
    const permitted = (type: string): boolean =>
      scope === "admin" || scopeOfEvent(type as (typeof eventTypes)[number]) === scope;
    const first = await readAll(reader);
    const seen = typesOf(first.events).filter((type) => !type.startsWith("api_key."));
    expect(seen).toEqual(all.filter((type) => permitted(type) && !type.startsWith("api_key.")));
    for (const family of ["user.*", "order.*", "session.started", "pickup.*"]) {
      const isAllowed = typesNamed(family).every(permitted);
      const { status, body } = await reader.get(`/events?types=${family}`);
      expect([family, status]).toEqual([family, isAllowed ? 200 : 403]);
      if (!isAllowed) expect(body.required).toEqual(["events:read", scopeOfEvent(typesNamed(family)[0]!)]);
    }
  });

  test("without events:read there is no feed, whatever other scopes the caller has", async () => {
    const scopes: Scope[] = ["orders:read", "audit:read"];
    expect((await (await org.withScopes(scopes)).get("/events")).status).toBe(403);
  });

  test("another organization sees none of the events", async () => {
    const foreign = (await readAll(await hub.org())).events;
    expect(foreign.filter(({ source }) => source.endsWith(org.id))).toEqual([]);
  });
});

test("no event contains a name, address, e-mail or phone number", async () => {
  const org = await hub.org();
  const [name, street, email, phone, account] = [
    "Zaphod",
    "1 Heartofgold Lane",
    "zaphod@personal.example",
    "+15550199",
    "trillian@org.example",
  ];
  const place = {
    name,
    address1: street,
    city: "Boston",
    provinceCode: "MA",
    zip: "02110",
    countryCode: "US",
  };
  const shippingAddress = { ...place, phone };
  const made = async (method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<{ id: string }> => {
    const answer = await org.call(method, path, body);
    expect([path, answer.status, answer.text]).toEqual([path, answer.status < 300 ? answer.status : 200, answer.text]);
    return answer.body;
  };
  const customer = { email, name };
  const order = await made("POST", "/orders", { number: "P-1", status: "ready", customer, shippingAddress });
  await made("PATCH", `/orders/${order.id}`, { shippingAddress: { city: "Salem" } });
  await made("POST", "/orders/bulk", { orders: [{ number: "P-2", customer, shippingAddress }] });
  const location = await made("POST", "/locations", { name: "Dock", address: shippingAddress });
  await made("PATCH", `/locations/${location.id}`, { address: { address2: street } });
  const user = await made("POST", "/users", {
    email: account,
    name,
    role: "viewer",
    password: "correct horse battery",
  });
  await made("PATCH", `/users/${user.id}`, { name: `${name} II`, role: "operator" });
  await made("DELETE", `/users/${user.id}`);
  const { events } = await readAll(org);
  expect([...new Set(typesOf(events))].toSorted()).toEqual([
    "api_key.created",
    "location.created",
    "location.updated",
    "order.created",
    "order.updated",
    "orders.created",
    "organization.created",
    "session.started",
    "user.created",
    "user.deleted",
    "user.updated",
  ]);
  const text = JSON.stringify(events);
  for (const word of [name, street, email, phone, account, org.admin.email]) expect(text).not.toContain(word);
});

test("the list of types has a schema and an example for each", async () => {
  const org = await hub.org();
  const { body } = await (await org.withScopes(["events:read"])).get("/events/types");
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual(eventTypes);
  const updated = body.data.find(({ type }: { type: string }) => type === "order.updated");
  expect(updated).toMatchObject({ version: 1, scope: "orders:read", dataSchema: { type: "object" } });
  expect(updated.example.data.changed).toEqual(["tags"]);
});
