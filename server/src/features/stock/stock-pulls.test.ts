import { afterAll, expect, test } from "vitest";
import type { Page } from "../../connectors/connector.ts";
import { pullTask } from "../../connectors/standard-tasks.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { Strict } from "../../core/schema.ts";
import { eventually } from "../../testing/eventually.ts";
import { installConnector } from "../../testing/scripted-connector.ts";
import { startStandInShop } from "../../testing/stand-in-shop.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const shop = await startStandInShop({ orders: 0 });
afterAll(async () => await shop.close());

type Body = Record<string, unknown>;
let pages: Body[][] = [];
/** Called before each page. */
let onPage = (_index: number): void => {};

async function* pull(_call: unknown, cursor: unknown): AsyncGenerator<Page> {
  for (let index = (cursor as { next?: number } | undefined)?.next ?? 0; index < pages.length; index++) {
    onPage(index);
    const records = pages[index]!.map((canonical, at) => ({ externalId: `${index}/${at}`, raw: canonical, canonical }));
    yield { records, cursor: { next: index + 1 } };
  }
}
const parts = { description: "Stock.", input: Strict({}), pull };
const connector = installConnector([
  pullTask("inventory.pull", { ...parts, isIncremental: false }),
  { ...pullTask("inventory.pull", { ...parts, isIncremental: true }), name: "inventory.changes" },
]);

async function aBridge(): Promise<string> {
  return (await org.post("/bridges", { name: `Warehouse ${crypto.randomUUID()}`, connector })).body.id;
}
const locationId: string = (await org.post("/locations", { name: "Main" })).body.id;
const level = (sku: string, available: number, more: Body = {}): Body => ({ sku, available, locationId, ...more });

async function execute(bridgeId: string, given: Body[][], taskName = "inventory.pull") {
  pages = given;
  const { body } = await org.post("/tasks/execute", { bridgeId, taskName });
  const read = async () => (await org.get(`/tasks/executions/${body.id}`)).body;
  return await eventually(read, ({ finishedAt }) => finishedAt !== null, 150_000);
}
const levelsOf = async (sku: string): Promise<Body[]> => (await org.get(`/stock/${sku}`)).body.levels;
const unitsOf = async (sku: string): Promise<unknown[]> => (await levelsOf(sku)).map(({ available }) => available);

test("a complete pull stores levels, and deletes those of its bridge that it no longer lists", async () => {
  const [bridgeId, other] = [await aBridge(), await aBridge()];
  await execute(other, [[level("OTHER", 7)]]);
  const first = await execute(bridgeId, [[level("A", 1), level("B", 2)], [level("C", 3)]]);
  expect(first).toMatchObject({ status: "succeeded", result: { created: 3, updated: 0, fetched: 3, deleted: 0 } });
  const second = await execute(bridgeId, [[level("A", 1)], [level("C", 4, { committed: 2 })]]);
  expect(second).toMatchObject({ status: "succeeded", result: { created: 0, updated: 1, unchanged: 1, deleted: 1 } });
  expect([await unitsOf("A"), await unitsOf("B"), await unitsOf("C")]).toEqual([[1], [], [4]]);
  expect(await levelsOf("C")).toMatchObject([{ bridgeId, committed: 2, allocatable: 6 }]);
  expect(await unitsOf("OTHER")).toEqual([7]);
  const { data } = (await org.get("/events?types=stock.updated&limit=100")).body;
  expect(data.filter((event: { data: Body }) => event.data.bridgeId === bridgeId)).toMatchObject([
    { data: { created: 3, deleted: 0 } },
    { data: { created: 0, updated: 1, unchanged: 1, deleted: 1 } },
  ]);
});

test("a pull of changes deletes nothing, and neither does one that could not read each record", async () => {
  const bridgeId = await aBridge();
  await execute(bridgeId, [[level("D", 1), level("E", 2)]]);
  expect((await execute(bridgeId, [[level("D", 5)]], "inventory.changes")).result).toMatchObject({ deleted: 0 });
  expect([await unitsOf("D"), await unitsOf("E")]).toEqual([[5], [2]]);
  const partly = await execute(bridgeId, [[level("D", 6), { sku: "E", available: "many", locationId }]]);
  expect(partly).toMatchObject({ status: "completed_with_errors", result: { failed: 1, deleted: 0 } });
  expect(partly.result.failures).toMatchObject([{ message: expect.stringContaining("/available") }]);
  expect([await unitsOf("D"), await unitsOf("E")]).toEqual([[6], [2]]);
});

test("a pull that fails after some pages deletes nothing", async () => {
  const bridgeId = await aBridge();
  await execute(bridgeId, [[level("F", 1)], [level("G", 2)]]);
  onPage = (index) => {
    if (index === 1) throw new RemoteError("rejected", "The warehouse is closed.");
  };
  expect((await execute(bridgeId, [[level("F", 9)], [level("G", 9)]])).status).toBe("failed");
  onPage = () => {};
  expect([await unitsOf("F"), await unitsOf("G")]).toEqual([[9], [2]]);
});

test("an unknown location is one exception for all its levels, and is resolved once the location exists", async () => {
  const bridgeId = await aBridge();
  const rows = Array.from({ length: 30 }, (_, i) => ({ sku: `H-${i}`, available: 1, locationExternalId: "dock 9" }));
  const pulled = await execute(bridgeId, [rows.slice(0, 15), [...rows.slice(15), level("H-known", 1)]]);
  expect(pulled).toMatchObject({ status: "succeeded", result: { created: 1, skipped: 30, failed: 0 } });
  const open = async (): Promise<Body[]> => (await org.get(`/exceptions?bridgeId=${bridgeId}`)).body.data;
  expect(await open()).toMatchObject([
    { kind: "stock", code: "unknown_location", subject: { type: "record", name: "dock 9" } },
  ]);
  // Without a location, the levels belong to the only one of the bridge; it has none.
  await execute(bridgeId, [[{ sku: "H-1", available: 1 }]]);
  expect((await open()).map(({ subject }) => (subject as Body).name).toSorted()).toEqual(["", "dock 9"]);
  await hub.world.db.query("update locations set bridge_id = $1, external_id = 'dock 9' where id = $2", [
    bridgeId,
    locationId,
  ]);
  await execute(bridgeId, [[rows[0]!, { sku: "H-1", available: 4 }]]);
  await hub.world.db.query("update locations set bridge_id = null, external_id = null where id = $1", [locationId]);
  expect(await open()).toEqual([]);
  expect(await unitsOf("H-1")).toEqual([4]);
});

test("a SKU that is listed twice for a location has the level that came last", async () => {
  const bridgeId = await aBridge();
  const pulled = await execute(bridgeId, [[level("TWICE", 1), level("TWICE", 2)]]);
  expect(pulled).toMatchObject({ status: "succeeded", result: { created: 1 } });
  expect(await unitsOf("TWICE")).toEqual([2]);
});

test("a location of another organization is unknown", async () => {
  const rival = await hub.org();
  const foreign = (await rival.post("/locations", { name: "Theirs" })).body.id;
  const pulled = await execute(await aBridge(), [[level("FOREIGN", 1, { locationId: foreign })]]);
  expect(pulled.result).toMatchObject({ created: 0, skipped: 1 });
  expect((await rival.get("/stock")).body.data).toEqual([]);
});

test("a pull of 100,000 levels is stored, and repeating it changes nothing", async () => {
  const bridgeId = await aBridge();
  const many = Array.from({ length: 50 }, (_, page) =>
    Array.from({ length: 2_000 }, (_, i) => level(`BULK-${page}-${i}`, i)),
  );
  expect((await execute(bridgeId, many)).result).toMatchObject({ created: 100_000, fetched: 100_000 });
  const again = await execute(bridgeId, many);
  expect(again.result).toMatchObject({ created: 0, unchanged: 100_000, deleted: 0 });
  expect((await org.get("/stock?sku=BULK-7-1999")).body.data).toMatchObject([{ available: 1_999 }]);
  const emptied = await execute(bridgeId, [[]]);
  expect(emptied.result).toMatchObject({ fetched: 0, deleted: 100_000 });
});

test("shopify reports available and committed units at each location", async () => {
  shop.data.products.push(
    { id: 1, sku: "TEE", isTracked: true, locations: { 1: [4, 2], 2: [-1, 0] } },
    { id: 2, sku: "CARD", isTracked: false, locations: { 1: [0, 0] } },
    { id: 3, sku: "", isTracked: true, locations: { 1: [1, 0] } },
    // More locations than one request lists.
    {
      id: 4,
      sku: "WIDE",
      isTracked: true,
      locations: Object.fromEntries(Array.from({ length: 70 }, (_, i) => [i + 1, [i, 0]])),
    },
    ...Array.from({ length: 45 }, (_, i) => ({
      id: 10 + i,
      sku: `S-${i}`,
      isTracked: true,
      locations: { 1: [i, 0] as const },
    })),
  );
  const settings = { shop: "stand-in", baseUrl: shop.url };
  const bridge = { name: "Shopify", connector: "shopify", settings, credentials: { accessToken: shop.token } };
  const bridgeId = (await org.post("/bridges", bridge)).body.id;
  const run = async (taskName: string) => (await org.post("/tasks/execute-sync", { bridgeId, taskName })).body;
  expect(await run("locations.pull")).toMatchObject({ status: "succeeded" });
  const pulled = await run("inventory.pull");
  expect(pulled).toMatchObject({ status: "succeeded", result: { created: 49, skipped: 68, failed: 0 } });
  const levels = await levelsOf("TEE");
  expect(levels.map(({ available, committed, allocatable }) => [available, committed, allocatable]).toSorted()).toEqual(
    [
      [-1, 0, -1],
      [4, 2, 6],
    ].toSorted(),
  );
  expect(await unitsOf("CARD")).toEqual([]);
  expect(await unitsOf("S-44")).toEqual([44]);
});

test("woocommerce reports the stock of products and variations for one location", async () => {
  shop.data.products.splice(
    0,
    Infinity,
    { id: 1, sku: "W-MUG", isTracked: true, locations: { 1: [3, 0] } },
    { id: 2, sku: "W-FREE", isTracked: false, locations: {} },
    { id: 3, sku: "W-SHIRT", isTracked: true, locations: { 1: [8, 0] } },
    { id: 4, sku: "W-SHIRT-L", isTracked: true, locations: { 1: [2, 0] }, variationOf: 3 },
    { id: 5, sku: "W-SHIRT-M", isTracked: false, locations: {}, variationOf: 3 },
    // Without SKUs, as in orders.
    { id: 6, sku: "", isTracked: true, locations: { 1: [5, 0] } },
    { id: 7, sku: "", isTracked: true, locations: { 1: [6, 0] }, variationOf: 6 },
    ...Array.from({ length: 120 }, (_, i) => ({
      id: 10 + i,
      sku: `W-${i}`,
      isTracked: true,
      locations: { 1: [i, 0] as const },
    })),
  );
  const credentials = { consumerKey: "ck_test", consumerSecret: shop.token };
  const bridge = { name: "Woo", connector: "woocommerce", settings: { url: shop.url }, credentials };
  const { id: bridgeId } = (await org.post("/bridges", bridge)).body;
  const run = async (taskName: string) => (await org.post("/tasks/execute-sync", { bridgeId, taskName })).body;
  await run("locations.pull");
  expect(await run("inventory.pull")).toMatchObject({ status: "succeeded", result: { created: 126, skipped: 0 } });
  expect([await unitsOf("W-MUG"), await unitsOf("W-FREE"), await unitsOf("W-119")]).toEqual([[3], [], [119]]);
  expect([await unitsOf("W-SHIRT-L"), await unitsOf("W-SHIRT-M")]).toEqual([[2], [8]]);
  expect([await unitsOf("product-6"), await unitsOf("variation-7")]).toEqual([[5], [6]]);
  expect(await levelsOf("W-MUG")).toMatchObject([{ committed: null }]);
  const settings = { url: shop.url, stockLocationId: locationId };
  expect((await org.patch(`/bridges/${bridgeId}`, { settings })).status).toBe(200);
  expect(await run("inventory.pull")).toMatchObject({ result: { created: 126, deleted: 126 } });
  expect(await levelsOf("W-MUG")).toMatchObject([{ locationId }]);
});
