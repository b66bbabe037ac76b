import { EventSource } from "eventsource";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { systemContext } from "../../context.ts";
import type { EventEnvelope } from "../../events/event-envelope.ts";
import { recordEvent } from "../../events/record-event.ts";
import { eventually } from "../../testing/eventually.ts";
import type { StreamReader } from "../../testing/stream-reader.ts";
import { openStream } from "../../testing/stream-reader.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { joinTail } from "./event-tail.ts";
import type { TestHub } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();

function follow(
  client: TestClient,
  query = "",
  { at = hub, headers = {} }: { at?: Pick<TestHub, "url">; headers?: Record<string, string> } = {},
): Promise<StreamReader> {
  return openStream(`${at.url}/api/v1/events/stream${query}`, { authorization: `Bearer ${client.token}`, ...headers });
}

/** The first block of a stream that starts now: reconnect delay and cursor. */
const begin = { retry: "2000", id: expect.stringMatching(/^\d+-[0-9a-f]{8}$/) as unknown };

const isEvent = ({ data }: { data?: string }): boolean => data !== undefined;

const names = ({ data }: EventEnvelope, id: string): boolean =>
  (data.items as { id: string }[]).some((item) => item.id === id);

async function feedOf(client: TestClient, query = ""): Promise<EventEnvelope[]> {
  return (await client.get(`/events?limit=500${query}`)).body.data;
}

describe("a stream of events", () => {
  test("has new events of every node, identical to the feed", async () => {
    const org = await hub.org();
    const second = await hub.secondNode();
    const idle = await follow(org, "?types=pickup.*", { at: second });
    const streams = [await follow(org), await follow(org, "", { at: second })];
    for (const stream of streams) {
      expect(stream.status).toBe(200);
      expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(stream.headers.get("cache-control")).toBe("no-store, no-transform");
      expect(stream.headers.get("x-accel-buffering")).toBe("no");
      expect(await stream.next()).toEqual(begin);
    }
    for (const [i, writer] of [org, second.client(org.token)].entries()) {
      await writer.post("/orders", { number: `S-${i}` });
      for (const stream of streams) {
        const block = await stream.next(isEvent);
        const event = (await feedOf(org)).at(-1)!;
        expect([block.id, block.event, JSON.parse(block.data!)]).toEqual([event.cursor, event.type, event]);
      }
    }
    // They are told when there is something: with looking every 15 s alone, two in turn would have taken longer than this.
    expect(idle.blocks).toEqual([begin]);
    for (const stream of [idle, ...streams]) stream.close();
  });

  test("that is disconnected before the first event resumes where it started", async () => {
    const org = await hub.org();
    const { body } = await org.post("/orders", { number: "BEFORE" });
    const cut = await follow(org);
    const { id } = await cut.next();
    cut.close();
    await org.post("/orders", { number: "MEANWHILE" });
    const again = await follow(org, "", { headers: { "last-event-id": id! } });
    const event = JSON.parse((await again.next(isEvent)).data!) as EventEnvelope;
    expect([event.type, names(event, body.id)]).toEqual(["order.created", false]);
    again.close();
  });

  test("resumes after a cursor, from the table or from memory, with the filters of the feed", async () => {
    const org = await hub.org();
    const { body: order } = await org.post("/orders", { number: "C-1" });
    for (let i = 0; i < 12; i++) await org.post("/condition-sets", { name: `c ${i}` });
    await org.patch(`/orders/${order.id}`, { tags: ["x"] });
    await org.post("/operations/run", {
      order_ids: [order.id],
      actions: [{ type: "add_note", params: { text: "y" } }],
    });
    const all = await feedOf(org);
    expect(all.filter((event) => names(event, order.id))).toHaveLength(3);
    const cases: [string, Record<string, string>, EventEnvelope[]][] = [
      ["?after=0-00000000", {}, all],
      [`?after=${all[3]!.cursor}`, {}, all.slice(4)],
      // The header is of the moment, the address of when it was opened first.
      [`?after=${all[3]!.cursor}`, { "last-event-id": all[6]!.cursor }, all.slice(7)],
      ["?after=0-00000000&types=order.*", {}, all.filter(({ type }) => type.startsWith("order"))],
      ["?after=0-00000000&types=order.updated", {}, all.filter(({ type }) => /^orders?\.updated$/.test(type))],
      [`?after=0-00000000&objectId=${order.id}`, {}, all.filter((event) => names(event, order.id))],
      [`?since=${all[5]!.time}`, {}, all.filter(({ time }) => time >= all[5]!.time)],
    ];
    for (const [query, headers, expected] of cases) {
      const stream = await follow(org, query, { headers });
      for (const event of expected) expect((await stream.next(isEvent)).id).toBe(event.cursor);
      stream.close();
    }
  });

  test("has events older than those in memory, and continues with those without a gap", async () => {
    const org = await hub.org();
    const ctx = systemContext(hub.world, org.id, "test");
    // Keeps what happens from now on at hand.
    const open = await follow(org);
    await open.next();
    const start = (await feedOf(org)).at(-1)!.cursor;
    const ids = Array.from({ length: 1_300 }, () => hub.world.newId());
    await hub.world.db.transaction(async (tx) => {
      for (const [i, objectId] of ids.entries()) {
        const items = [{ id: ids[(i * 7) % 1_300]!, number: `${i}`, version: 1 }];
        const data = { count: 1, source: "bulk", items, sampleIds: [] };
        recordEvent(tx, ctx, { type: "orders.created", objectId, data });
      }
    });
    await hub.world.sealer.sealNow(org.id);
    const cursors: string[] = [];
    for (const _ of ids) cursors.push((await open.next(isEvent)).id!);
    for (const from of [0, 299, 300, 301, 1_000, 1_299]) {
      const stream = await follow(org, `?after=${from === 0 ? start : cursors[from - 1]}`);
      const seen: string[] = [];
      while (seen.length < 1_300 - from) seen.push((await stream.next(isEvent)).id!);
      expect(seen).toEqual(cursors.slice(from));
      stream.close();
    }
    // About an object and naming it: from the table, and from what is at hand.
    for (const [named, after] of [
      [7, start],
      [1_290, cursors[1_200]],
    ] as const) {
      const about = (named * 7) % 1_300;
      const stream = await follow(org, `?after=${after}&objectId=${ids[about]}`);
      for (const place of [named, about].toSorted((a, b) => a - b)) {
        expect((await stream.next(isEvent)).id).toBe(cursors[place]);
      }
      stream.close();
    }
    const tail = await joinTail(hub.world, org.id);
    const { sequence } = tail.last();
    expect(tail.after(sequence - 1_000)).toHaveLength(1_000);
    expect(tail.after(sequence - 1_001)).toBeUndefined();
    tail.leave();
    open.close();
  });

  test("catches up after lost signals, and ends if its key was deleted meanwhile", async () => {
    const org = await hub.org();
    const second = await hub.secondNode({ taskSlots: 0 });
    const { body: key } = await org.post("/api-keys", { name: "gone", scopes: ["events:read"] });
    const idle = await follow(org, "?types=pickup.*");
    const [stream, revoked] = [await follow(org), await follow(hub.client(key.key))];
    /** What the second node does while the first hears nothing. */
    async function unheard(work: () => Promise<void>): Promise<void> {
      await hub.world.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name like 'order-operations-hub signals%' and datname = current_database()`,
      );
      await eventually(
        async () => hub.world.signals.isConnected(),
        (isConnected) => !isConnected,
      );
      await work();
    }
    const ctx = systemContext(second.world, org.id, "test");
    const record = async (): Promise<void> => {
      const event = { type: "user.totp_enabled" as const, objectId: hub.world.newId() };
      await second.world.db.transaction(async (tx) => recordEvent(tx, ctx, event));
      await second.world.sealer.sealNow(org.id);
    };
    await record();
    await stream.next(isEvent);
    await unheard(record);
    await stream.next(isEvent);
    // Not only when it looks by itself, which is when it says how far it is.
    expect(idle.blocks).toEqual([begin]);
    await unheard(async () => {
      await second.client(org.token).delete(`/api-keys/${key.id}`);
    });
    expect(await isOver(revoked)).toBe(true);
    for (const open of [idle, stream]) open.close();
  });

  test("is rejected like the feed: for a forked cursor, or a type without the scope", async () => {
    const org = await hub.org();
    const refused = async (query: string, headers = {}): Promise<[number, string]> => {
      const { status, body } = await org.get(`/events/stream${query}`, { headers });
      return [status, body.code];
    };
    expect(await refused("?after=7-00000000")).toEqual([409, "cursor_mismatch"]);
    expect(await refused("", { "last-event-id": "x" })).toEqual([400, "validation_failed"]);
    const reader = await org.withScopes(["events:read", "orders:read"]);
    expect((await reader.get("/events/stream?types=user.*")).status).toBe(403);
    const stream = await follow(reader);
    await org.post("/condition-sets", { name: "not for them" });
    await org.post("/orders", { number: "FOR-THEM" });
    expect(await stream.next(isEvent)).toMatchObject({ event: "order.created" });
    stream.close();
  });

  test("sends its position as an id every 15 s without events", async () => {
    const org = await hub.org();
    const stream = await follow(org, "?types=pickup.*");
    await org.post("/condition-sets", { name: "of no interest" });
    const beat = await stream.next(({ retry }) => retry === undefined);
    const { cursor } = (await feedOf(org)).at(-1)!;
    expect(beat).toEqual({ id: cursor });
    stream.close();
  });
});

/** Waits for its end. */
async function isOver({ ended }: StreamReader): Promise<boolean> {
  await ended;
  return true;
}

/** Breaks off after some pieces, as a bad network does. */
function cutAfter(pieces: number, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = pieces;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if (left-- > 0) return controller.enqueue(value);
      await reader.cancel();
      controller.error(new TypeError("terminated"));
    },
    cancel: () => reader.cancel(),
  });
}

test("eventsource: after 200 reconnects between two nodes no event is missing or repeated", async () => {
  const org = await hub.org();
  const second = await hub.secondNode();
  const keys = await Promise.all(Array.from({ length: 4 }, () => org.withScopes(["admin"])));
  const start = (await feedOf(org)).at(-1)!.cursor;
  let [connections, isOver] = [0, false];
  const seen: string[][] = [];
  const sources = Array.from({ length: 20 }, (_, i) => {
    const own: string[] = [];
    seen.push(own);
    let opened = 0;
    const source = new EventSource(`http://any.node/api/v1/events/stream?types=condition_set.*&after=${start}`, {
      async fetch(url, init) {
        connections++;
        const node = (i + opened++) % 2 ? second : hub;
        const headers = { ...init.headers, authorization: `Bearer ${keys[i % 4]!.token}` };
        const response = await fetch(`${node.url}${new URL(url).pathname}${new URL(url).search}`, { ...init, headers });
        if (!response.body || isOver) return response;
        return new Response(cutAfter(1 + ((i + opened) % 3), response.body), response);
      },
    });
    source.addEventListener("condition_set.created", (event) => own.push(event.lastEventId));
    return source;
  });
  let written = 0;
  for (; connections < 220 || written < 50; written++) {
    await (written % 2 ? org : second.client(org.token)).post("/condition-sets", { name: `es ${written}` });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  isOver = true;
  await org.post("/condition-sets", { name: "the last one" });
  const expected: string[] = [];
  for (let after = start, hasMore = true; hasMore;) {
    const { body } = await org.get(`/events?types=condition_set.*&limit=500&after=${after}`);
    expected.push(...body.data.map(({ cursor }: EventEnvelope) => cursor));
    [after, hasMore] = [body.cursor, body.hasMore];
  }
  expect(expected).toHaveLength(written + 1);
  await eventually(
    async () => seen.filter((own) => own.length < expected.length).length,
    (behind) => behind === 0,
    60_000,
  );
  for (const source of sources) source.close();
  for (const own of seen) expect(own).toEqual(expected);
});

describe("a stream ends", () => {
  test("at once, on every node, when its key is deleted, and not with another key", async () => {
    const org = await hub.org();
    const second = await hub.secondNode();
    const { body: key } = await org.post("/api-keys", { name: "gone", scopes: ["events:read", "orders:read"] });
    const revoked = [await follow(hub.client(key.key)), await follow(hub.client(key.key), "", { at: second })];
    const other = await follow(org);
    await org.delete(`/api-keys/${key.id}`);
    // Nothing else would end them: the key does not expire.
    await Promise.all(revoked.map(({ ended }) => ended));
    await org.post("/orders", { number: "AFTER" });
    expect(await other.next(({ event }) => event === "order.created")).toBeDefined();
    other.close();
  });

  test("when its user signs out or loses the role, and when the token expires", async () => {
    const org = await hub.org();
    const [leaving, demoted, expiring] = [
      await org.withRole("operator"),
      await org.withRole("operator"),
      await org.withRole("operator"),
    ];
    const streams = await Promise.all([leaving, demoted, expiring].map((client) => follow(client)));
    await org.post(`/users/${leaving.userId}/revoke-sessions`, {});
    expect(await isOver(streams[0]!)).toBe(true);
    await org.patch(`/users/${demoted.userId}`, { role: "viewer" });
    expect(await isOver(streams[1]!)).toBe(true);
    hub.advance(16 * 60_000);
    expect(await isOver(streams[2]!)).toBe(true);
  });

  test("for a client that leaves 256 KiB unread; other clients get everything", async () => {
    const org = await hub.org();
    const ctx = systemContext(hub.world, org.id, "test");
    const { hostname, port } = new URL(hub.url);
    const deaf = connect(Number(port), hostname).on("error", () => {});
    await once(deaf, "connect");
    let hasEnded = false;
    deaf.once("close", () => (hasEnded = true));
    deaf.write(`GET /api/v1/events/stream HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${org.token}\r\n\r\n`);
    await once(deaf, "data");
    deaf.pause();
    const reader = await follow(org);
    await reader.next();
    const data = {
      count: 200,
      source: "bulk",
      sampleIds: [],
      items: Array.from({ length: 200 }, (_, i) => ({ id: hub.world.newId(), number: `${i}`.repeat(20), version: 1 })),
    };
    const countOpen = async (): Promise<number> =>
      Number(/^hub_event_streams_open\{[^}]*\} (\d+)$/m.exec((await hub.anonymous.get("!/metrics")).text)?.[1]);
    let told = 0;
    // As much as all buffers on the way hold, and then some.
    for (; told < 2_000 && (await countOpen()) > 1; told += 5) {
      await hub.world.db.transaction(async (tx) => {
        for (let i = 0; i < 5; i++) {
          recordEvent(tx, ctx, { type: "orders.created", objectId: hub.world.newId(), data });
        }
      });
      await hub.world.sealer.sealNow(org.id);
      for (let i = 0; i < 5; i++) await reader.next(isEvent);
    }
    expect(await countOpen()).toBe(1);
    expect(told).toBeLessThan(2_000);
    deaf.resume();
    await eventually(
      async () => hasEnded,
      (isGone) => isGone,
    );
    reader.close();
  });

  test("with a reset of the preview", async () => {
    const preview = await startTestHub({ environment: "preview" });
    const stream = await follow(preview.operator, "", { at: preview });
    // A client that is slow to leave must not keep the old log for new ones.
    const slow = await joinTail(preview.world, (await preview.operator.get("/me")).body.organization.id);
    for (let i = 0; i < 3; i++) await preview.operator.post("/orders", { number: `BEFORE-${i}` });
    await preview.operator.post("/preview/reset", {});
    expect(await isOver(stream)).toBe(true);
    const anew = await follow(preview.operator, "?types=order.*", { at: preview });
    await preview.operator.post("/orders", { number: "AFTER" });
    const { data } = JSON.parse((await anew.next(isEvent)).data!) as EventEnvelope;
    expect(data.items).toMatchObject([{ number: "AFTER" }]);
    for (const open of [anew, await follow(preview.operator, "", { at: preview })]) open.close();
    slow.leave();
  });
});

test("a caller may have 10 streams and an organization 100, in addition to open requests", async () => {
  const small = await startTestHub({ config: { maxInFlight: 8, shutdownDrainMs: 2_000 } });
  const org = await small.org();
  const clients: TestClient[] = [];
  while (clients.length < 11) clients.push(await org.withScopes(["admin"]));
  const open = (client: TestClient): Promise<StreamReader> => follow(client, "", { at: small });
  const streams: StreamReader[] = [];
  for (const client of clients.slice(0, 10)) {
    for (let i = 0; i < 10; i++) streams.push(await open(client));
    const { status, body, headers } = await client.get("/events/stream");
    expect([status, body.code, headers.get("retry-after")]).toEqual([429, "too_many_streams", "5"]);
  }
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
  expect((await clients[10]!.get("/events/stream")).body.code).toBe("too_many_streams");
  expect((await (await small.org()).get("/events/stream")).status).toBe(200);
  expect((await org.get("/orders")).status).toBe(200);
  const { text } = await small.anonymous.get("!/metrics");
  expect(text).toMatch(/^hub_event_streams_open\{[^}]*\} 100$/m);
  streams[0]!.close();
  await eventually(
    async () => (await clients[0]!.get("/events/stream")).status,
    (status) => status === 200,
  );
  // A node that stops closes them first, and opens no more.
  const stopped = small.stop();
  await Promise.all(streams.map(({ ended }) => ended));
  expect((await org.get("/orders")).status).toBe(200);
  await stopped;
});

test("the number of streams on a port is limited", async () => {
  const small = await startTestHub({ settings: { maxStreams: 3 } });
  const orgs = [await small.org(), await small.org()];
  const streams: StreamReader[] = [];
  for (let i = 0; i < 3; i++) streams.push(await follow(orgs[i % 2]!, "", { at: small }));
  for (const org of orgs) expect((await org.get("/events/stream")).body).toMatchObject({ code: "too_many_streams" });
  streams[1]!.close();
  await eventually(
    async () => (await orgs[0]!.call("HEAD", "/events/stream")).status,
    (status) => status === 200,
  );
  for (const stream of streams) stream.close();
});

test("HEAD gets a response and opens no stream", async () => {
  const org = await hub.org();
  const { status, text } = await org.call("HEAD", "/events/stream");
  expect([status, text]).toEqual([200, ""]);
});
