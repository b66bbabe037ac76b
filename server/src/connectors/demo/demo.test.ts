import { expect, test } from "vitest";
import { createFinder } from "../../core/validation.ts";
import { LocationRequest } from "../../features/locations/locations.schemas.ts";
import { OrderRequest } from "../../features/orders/orders.schemas.ts";
import { callFor, pullAll, taskOf } from "../../testing/connector-calls.ts";
import { demo } from "./demo.ts";

const importOrders = taskOf(demo, "pull", "orders.import");

test("the connection test succeeds", async () => {
  expect(await taskOf(demo, "call", "connection.test").run(callFor({}))).toMatchObject({ ok: true });
});

test("noop returns its input", async () => {
  const input = { a: [1, { b: null }] };
  expect(await taskOf(demo, "call", "noop").run(callFor({ input }))).toEqual(input);
});

test("sleep reports progress and stops when it is cancelled", async () => {
  const seen: number[] = [];
  const sleep = taskOf(demo, "call", "sleep");
  expect(await sleep.run({ ...callFor({ input: { ms: 10 } }), progress: (done) => seen.push(done) })).toEqual({
    sleptMs: 10,
  });
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const stop = new AbortController();
  const running = sleep.run({ ...callFor({ input: { ms: 60_000 } }), signal: stop.signal });
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: "cancelled" });
});

test("fail fails as requested", async () => {
  const fail = taskOf(demo, "call", "fail");
  await expect(fail.run(callFor({ input: { message: "closed", retryable: true } }))).rejects.toMatchObject({
    code: "demo_failure",
    message: "closed",
    retryable: true,
  });
  await expect(fail.run(callFor({ input: {} }))).rejects.toMatchObject({ retryable: false });
});

test("orders come in pages, are stable, differ by seed, and are valid for POST /orders", async () => {
  const call = callFor({ input: { count: 120, seed: 3 } });
  const pages = await pullAll(importOrders, call);
  expect(pages.map(({ records }) => records.length)).toEqual([50, 50, 20]);
  expect(pages.every(({ total }) => total === 120)).toBe(true);
  expect(await pullAll(importOrders, call)).toEqual(pages);
  const find = createFinder(OrderRequest, "body");
  const records = pages.flatMap((page) => page.records);
  for (const { externalId, canonical } of records) {
    expect(find(canonical), externalId).toEqual([]);
    expect(canonical.externalId).toBe(externalId);
  }
  expect(new Set(records.map(({ externalId }) => externalId)).size).toBe(120);
  const other = await pullAll(importOrders, callFor({ input: { count: 120, seed: 4 } }));
  expect(other.flatMap((page) => page.records.map(({ externalId }) => externalId))).not.toContain(
    records[0]!.externalId,
  );
});

test("an import resumes from every page", async () => {
  const call = callFor({ input: { count: 130 }, settings: { pageSize: 20 } });
  const pages = await pullAll(importOrders, call);
  for (const [index, page] of pages.entries()) {
    const rest = await pullAll(importOrders, call, page.cursor);
    const expected = pages.slice(index + 1).flatMap(({ records }) => records);
    expect(rest.flatMap(({ records }) => records)).toEqual(expected);
  }
});

test("without orders there is one empty page; a cancelled import ends", async () => {
  expect(await pullAll(importOrders, callFor({ input: { count: 0 } }))).toMatchObject([{ records: [], total: 0 }]);
  const cancelled = { ...callFor({}), signal: AbortSignal.abort() };
  await expect(pullAll(importOrders, cancelled)).rejects.toMatchObject({ code: "cancelled" });
});

test("locations are valid for POST /locations, apart from isActive", async () => {
  const [page] = await pullAll(taskOf(demo, "pull", "locations.pull"), callFor({}));
  const find = createFinder(LocationRequest, "body");
  for (const { canonical } of page!.records) {
    const { is_active: isActive, ...location } = canonical;
    expect([isActive, find(location)]).toEqual([true, []]);
  }
  expect(page!.records.length).toBe(3);
});

test("tracking advances with time", async () => {
  const tracking = taskOf(demo, "pull", "tracking.pull");
  const statusesOn = async (now: string): Promise<unknown[]> => {
    const pages = await pullAll(tracking, { ...callFor({}), now: () => new Date(now) });
    return pages.flatMap(({ records }) => records.map(({ canonical }) => canonical.status));
  };
  expect(new Set(await statusesOn("2026-01-05T00:00:00Z"))).toEqual(new Set(["pre_transit"]));
  expect(await statusesOn("2026-02-05T00:00:00Z")).toContain("delivered");
});

test("inventory is listed for every product at every location", async () => {
  const [page] = await pullAll(taskOf(demo, "pull", "inventory.pull"), callFor({}));
  expect(page!.records.length).toBe(21);
  expect(page!.records.every(({ canonical }) => (canonical.available as number) >= 0)).toBe(true);
});

test.each(["fulfillments.push", "orders.export"])("%s returns the same id for the same effect key", async (name) => {
  const push = taskOf(demo, "push", name);
  const send = async (key: string): Promise<unknown> => await push.send(callFor({}), { number: "A-1" }, key);
  expect(await send("one")).toEqual(await send("one"));
  expect(await send("one")).not.toEqual(await send("two"));
});
