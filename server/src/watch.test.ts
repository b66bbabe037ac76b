import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemContext } from "./context.ts";
import { workOff } from "./queue/work.ts";
import { runWork } from "./features/operations/run/run-work.ts";
import { scriptedCall, installConnector } from "./testing/scripted-connector.ts";
import { anItem, comparisonFixture, rateOneChunk, workThrough } from "./testing/comparison-fixture.ts";
import { itemsPerTransaction } from "./features/rate-comparisons/execute-comparison.ts";
import { afterFile } from "./testing/after-file.ts";
import { eventually } from "./testing/eventually.ts";
import { startStandInShop } from "./testing/stand-in-shop.ts";
import type { Block, StreamReader } from "./testing/stream-reader.ts";
import { openStream } from "./testing/stream-reader.ts";
import type { TestClient } from "./testing/test-client.ts";
import { startTestHub } from "./testing/test-hub.ts";
import { hintEnd, watchRecord } from "./watch.ts";

const hub = await startTestHub();

function watch(client: TestClient, path: string, url = hub.url): Promise<StreamReader> {
  return openStream(`${url}/api/v1${path}/watch`, { authorization: `Bearer ${client.token}` });
}

const isEnd = ({ event }: Block): boolean => event === "end";
const recordsOf = ({ blocks }: StreamReader) =>
  blocks.flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data) as Record<string, unknown>]));

describe("watching", () => {
  test("a run is streamed now, with every progress and at its end; on another node too", async () => {
    const org = await hub.org();
    const second = await hub.secondNode();
    const { body: made } = await org.post("/orders/bulk", { orders: Array.from({ length: 1_200 }, () => ({})) });
    const order_ids = made.results.map(({ id }: { id: string }) => id);
    const actions = [{ type: "add_tags", params: { tags: ["watched"] } }];
    const { body: run } = await org.post(
      "/operations/run",
      { order_ids, actions },
      { headers: { prefer: "respond-async" } },
    );
    const path = `/operations/runs/${run.id}`;
    const streams = [await watch(org, path), await watch(org, path, second.url)];
    for (const stream of streams)
      expect(JSON.parse((await stream.next()).data!)).toMatchObject({ id: run.id, finished_at: null });
    await workOff(hub.world, runWork);
    const { results: _, ...ended } = (await org.get(path)).body;
    for (const stream of streams) {
      const last = JSON.parse((await stream.next(isEnd)).data!);
      expect(last).toMatchObject({ status: "succeeded", summary: { succeeded: 1_200 } });
      expect(ended).toMatchObject(last);
      expect(last).not.toHaveProperty("results");
      await stream.ended;
      expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    }
  });

  test("an end is sent without waiting for the clock, which may be stopped", async () => {
    const ctx = systemContext(hub.world, (await hub.org()).id, "test");
    const id = crypto.randomUUID();
    let hasEnded = false;
    const { follow } = await watchRecord(ctx, { id, read: async () => hasEnded, hasEnded: (ended) => ended });
    const said: string[] = [];
    const reader = { ended: new AbortController().signal, send: async () => {}, toText: String };
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    const followed = follow({ ...reader, push: (text) => said.push(text) });
    hasEnded = true;
    hintEnd(hub.world, id);
    await followed;
    expect(said).toEqual(["data: false\n\n", "event: end\ndata: true\n\n"]);
  });

  test("a queued run and a comparison notify all nodes of their end", async () => {
    const org = await hub.org();
    const second = await hub.secondNode();
    const { body: order } = await org.post("/orders", {});
    const told: string[] = [];
    second.world.signals.subscribe("record_ended", (id) => told.push(id));
    const actions = [{ type: "add_tags", params: { tags: ["x"] } }];
    const wanted = { order_ids: [order.id], actions };
    const { body: run } = await org.post("/operations/run", wanted, { headers: { prefer: "respond-async" } });
    await workOff(hub.world, runWork);
    const { aComparison } = await comparisonFixture(hub, org);
    const path = await aComparison([anItem()]);
    await org.post(`${path}/process`);
    await workThrough(hub.world);
    await eventually(
      async () => told,
      (ids) => ids.length >= 2,
    );
    expect(told).toEqual([run.id, path.split("/").at(-1)]);
  });

  test("an ended record is sent at once, and the stream closes", async () => {
    const org = await hub.org();
    const { body: order } = await org.post("/orders", {});
    const actions = [{ type: "add_tags", params: { tags: ["x"] } }];
    const { body: run } = await org.post("/operations/run", { order_ids: [order.id], actions });
    const stream = await watch(org, `/operations/runs/${run.id}`);
    await stream.ended;
    expect(stream.blocks).toMatchObject([{ event: "end" }]);
  });

  test("an execution is streamed when it starts and ends", async () => {
    const org = await hub.org();
    const gate = Promise.withResolvers<void>();
    const connector = installConnector([
      scriptedCall("slow", true, async () => {
        await gate.promise;
        return { done: true };
      }),
    ]);
    const { body: bridge } = await org.post("/bridges", { name: "slow", connector, settings: {}, credentials: {} });
    const { body: execution } = await org.post("/tasks/execute", { bridgeId: bridge.id, taskName: "slow", input: {} });
    const stream = await watch(org, `/tasks/executions/${execution.id}`);
    await eventually(
      async () => recordsOf(stream).at(-1)?.status,
      (status) => status === "running",
    );
    gate.resolve();
    const last = JSON.parse((await stream.next(isEnd)).data!);
    expect(last).toEqual((await org.get(`/tasks/executions/${execution.id}`)).body);
    expect(last.status).toBe("succeeded");
  });

  test("an import of a bridge is an execution, and ends with the number of orders", async () => {
    const org = await hub.org();
    const shop = await startStandInShop({ orders: 3 });
    afterFile(() => shop.close());
    const { body: bridge } = await org.post("/bridges", {
      name: "shop",
      connector: "shopify",
      settings: { shop: "a", baseUrl: shop.url },
      credentials: { accessToken: shop.token },
    });
    const about = { bridgeId: bridge.id, taskName: "orders.import", input: {} };
    const { body: execution } = await org.post("/tasks/execute", about);
    const stream = await watch(org, `/tasks/executions/${execution.id}`);
    const last = JSON.parse((await stream.next(isEnd)).data!);
    expect(last).toMatchObject({ status: "succeeded", result: { created: 3 } });
    expect(last).toEqual((await org.get(`/tasks/executions/${execution.id}`)).body);
  });

  test("a comparison streams its progress, also before it has started", async () => {
    const org = await hub.org();
    const { aComparison } = await comparisonFixture(hub, org);
    const path = await aComparison(Array.from({ length: itemsPerTransaction + 10 }, () => anItem()));
    const stream = await watch(org, path);
    expect(JSON.parse((await stream.next()).data!)).toMatchObject({ status: "draft" });
    await org.post(`${path}/process`);
    await rateOneChunk(hub.world, path.split("/").at(-1)!);
    await eventually(
      async () => recordsOf(stream).map(({ progress }) => (progress as { processed: number }).processed),
      (processed) => processed.includes(itemsPerTransaction),
    );
    await workThrough(hub.world);
    expect(JSON.parse((await stream.next(isEnd)).data!)).toEqual((await org.get(path)).body);
  });

  test("ends when the record or the key is deleted", async () => {
    const org = await hub.org();
    const { aComparison } = await comparisonFixture(hub, org);
    const path = await aComparison([anItem()]);
    const { body: key } = await org.post("/api-keys", { name: "gone", scopes: ["rates:read"] });
    const revoked = await watch(hub.client(key.key), path);
    const left = await watch(org, path);
    await org.delete(`/api-keys/${key.id}`);
    await revoked.ended;
    await org.delete(path);
    await left.ended;
    expect(left.blocks.some(isEnd)).toBe(false);
    expect((await org.get(`${path}/watch`)).status).toBe(404);
  });
});
