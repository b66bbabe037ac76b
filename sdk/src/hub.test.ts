import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { makeSecret, signedHeaders, signerOf } from "../../server/src/features/webhooks/webhook-signing.ts";
import { runWork } from "../../server/src/features/operations/run/run-work.ts";
import { workOff } from "../../server/src/queue/work.ts";
import { afterFile } from "../../server/src/testing/after-file.ts";
import type { TestHub } from "../../server/src/testing/test-hub.ts";
import { startTestHub } from "../../server/src/testing/test-hub.ts";
import type { Event } from "./hub.ts";
import { Hub, HubApiError, verifyWebhook, WebhookVerificationError } from "./hub.ts";

let server: TestHub;
let apiKey: string;
let hub: Hub;

beforeAll(async () => {
  server = await startTestHub();
  const org = await server.org();
  const { body } = await org.post("/api-keys", { name: "sdk", scopes: ["admin"] });
  apiKey = body.key;
  hub = new Hub({ url: `${server.url}/`, apiKey });
});

test("operations are called by their names, with IDs, body and options", async () => {
  const order = await hub.orders.create({ number: "N-1", tags: ["vip"] });
  expect((await hub.orders.get("N-1")).id).toBe(order.id);
  const changed = await hub.orders.update(order.id, { priority: "high" }, { ifMatch: order.version });
  expect(changed.priority).toBe("high");
  const late = hub.orders.update(order.id, { priority: "low" }, { ifMatch: order.version });
  await expect(late).rejects.toMatchObject({ code: "version_mismatch" });
  await expect(late).rejects.toBeInstanceOf(HubApiError);
  // A method that also holds another one.
  expect([typeof hub.orders.import, typeof hub.orders.import.watch]).toEqual(["function", "function"]);
  expect(() => hub.orders.get("")).toThrow("GET /api/v1/orders/{id} requires id");
});

test("a list is read to its end page by page, or one page", async () => {
  await hub.orders.createMany({
    orders: Array.from({ length: 7 }, (_, at) => ({ number: `P-${at}`, tags: ["many"] })),
  });
  const list = hub.orders.list({ tagsAny: ["many"], limit: 3, sort: "number" });
  const numbers: string[] = [];
  for await (const { number } of list) numbers.push(number);
  expect(numbers).toEqual(["P-0", "P-1", "P-2", "P-3", "P-4", "P-5", "P-6"]);
  const { data, pagination } = await list.page();
  expect([data.length, pagination.hasMore]).toEqual([3, true]);
  expect(await Array.fromAsync(hub.orders.list({ tagsAny: ["none"] }))).toEqual([]);
  // The event feed has a cursor instead of page numbers.
  const types = (await Array.fromAsync(hub.events.list({ types: "order.*", limit: 1 }))).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(["order.created", "order.updated", "orders.created"]));
});

test("a run is awaited to its end, and its states are watched", async () => {
  const order = await hub.orders.create({});
  const started = await hub.operations.run(
    { order_ids: [order.id], actions: [{ type: "add_tags", params: { tags: ["seen"] } }] },
    { prefer: "respond-async" },
  );
  const states: string[] = [];
  const waiting = hub.waitForRun(started, { onProgress: ({ status }) => states.push(status) });
  await expect.poll(() => states).toEqual(["queued"]);
  await workOff(server.world, runWork);
  const run = await waiting;
  expect([run.status, run.summary.succeeded, states.at(-1)]).toEqual(["succeeded", 1, "succeeded"]);
  for await (const { id } of hub.operations.runs.watch(run.id)) expect(id).toBe(run.id);
  await expect(hub.waitForRun("0199f0a0-0000-7000-8000-000000000000")).rejects.toMatchObject({ status: 404 });
});

/** Forwards to the hub and cuts each stream after its first event. */
async function cuttingProxy(): Promise<{ url: string; count(): number }> {
  let streams = 0;
  const proxy = createServer((incoming, outgoing) => {
    const { host: _host, ...headers } = incoming.headers;
    const onward = send(server.url + incoming.url!, { method: incoming.method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      streams++;
      answer.on("data", (chunk: Buffer) => {
        outgoing.write(chunk);
        if (chunk.includes("data:")) setImmediate(() => outgoing.destroy());
      });
      answer.on("end", () => outgoing.end());
    });
    outgoing.on("close", () => onward.destroy());
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  afterFile(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as { port: number }).port}`, count: () => streams };
}

test("a stream of events resumes after every cut: none is missing, and none comes twice", async () => {
  const proxy = await cuttingProxy();
  const { cursor } = await hub.events.list({ since: new Date().toISOString() }).page();
  const stopping = new AbortController();
  const stream = new Hub({ url: proxy.url, apiKey }).events.stream(
    { types: "order.created", after: cursor },
    { signal: stopping.signal },
  );
  const numbers: string[] = [];
  for (let at = 0; at < 4; at++) {
    await hub.orders.create({ number: `E-${at}` });
    const { value } = (await stream.next()) as { value: Event };
    if (value.type === "order.created") numbers.push(value.data.items[0]!.number);
  }
  expect(numbers).toEqual(["E-0", "E-1", "E-2", "E-3"]);
  expect(proxy.count()).toBeGreaterThan(2);
  stopping.abort();
  await expect(stream.next()).rejects.toMatchObject({ name: "AbortError" });
  const revoked = new Hub({ url: proxy.url, apiKey: "ooh_live_wrong" }).events.stream();
  await expect(revoked.next()).rejects.toMatchObject({ status: 401 });
});

test("a stream of events whose hub cannot be reached at the start is an error, not a wait for ever", async () => {
  const url = "http://127.0.0.1:9";
  const stream = new Hub({ url, apiKey, maxRetries: 0 }).events.stream({}, { signal: AbortSignal.timeout(20_000) });
  await expect(stream.next()).rejects.toThrow(`The hub at ${url} cannot be reached`);
});

test("a webhook request of either scheme is verified; others are rejected", async () => {
  const body = JSON.stringify({ type: "order.updated", subject: "order/1", data: { items: [{ number: "Ä-1" }] } });
  const [old, fresh, other] = [makeSecret("hmac"), makeSecret("hmac"), makeSecret("hmac")];
  const pair = makeSecret("ed25519");
  const signers = [signerOf("hmac", fresh.kept), signerOf("hmac", old.kept), signerOf("ed25519", pair.kept)];
  const headersAt = (at: Date) => signedHeaders({ id: "m-1", at, body }, signers);
  const headers = headersAt(new Date());
  const damaged = ["", "whsec_", "whsec_%%%", "whpk_", "whpk_AAAA", undefined as unknown as string];
  for (const secret of [
    old.shown!,
    fresh.shown!,
    pair.publicKey!,
    [other.shown!, old.shown!],
    [...damaged, old.shown!],
  ])
    expect((await verifyWebhook(body, headers, secret)).type).toBe("order.updated");
  expect((await verifyWebhook(Buffer.from(body), new Headers(headers), old.shown!)).subject).toBe("order/1");
  const refused = [
    () => verifyWebhook(body, headers, other.shown!),
    () => verifyWebhook(body, headers, makeSecret("ed25519").publicKey!),
    () => verifyWebhook(`${body} `, headers, old.shown!),
    () => verifyWebhook(body, { ...headers, "webhook-id": "m-2" }, old.shown!),
    () => verifyWebhook(body, { ...headers, "webhook-signature": "v1,???" }, old.shown!),
    () => verifyWebhook(body, { ...headers, "webhook-signature": undefined }, old.shown!),
    () => verifyWebhook(body, headersAt(new Date(Date.now() - 600_000)), old.shown!),
    () => verifyWebhook(body, { ...headers, "webhook-timestamp": "soon" }, old.shown!),
    () => verifyWebhook(body, headers, ""),
    () => verifyWebhook(body, headers, damaged),
    () => verifyWebhook(body, headers, []),
  ];
  for (const verify of refused) await expect(verify()).rejects.toBeInstanceOf(WebhookVerificationError);
});
