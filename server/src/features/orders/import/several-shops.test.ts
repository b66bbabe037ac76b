import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";

const hub = await startTestHub({ settings: { outbound: { allowPrivate: true, allowFromPreview: false } } });
/** Both number their orders from #1001 on. */
const shops = [await startStandInShop({ seed: 4, orders: 3 }), await startStandInShop({ seed: 5, orders: 3 })];
afterAll(async () => {
  for (const shop of shops) await shop.close();
});

async function connect(org: TestOrg, index: number, more: object = {}): Promise<string> {
  const shop = shops[index]!;
  const { status, body } = await org.post("/bridges", {
    name: `Shop ${index}`,
    connector: "shopify",
    settings: { shop: "stand-in.myshopify.com", baseUrl: `${shop.url}/` },
    credentials: { accessToken: shop.token },
    ...more,
  });
  expect(body, String(status)).toMatchObject({ connector: "shopify" });
  return body.id;
}

async function importFrom(org: TestOrg, bridgeId: string) {
  return (await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import" })).body;
}

describe("two shops with the same order numbers", () => {
  let org: TestOrg;
  /** Each has one of this number. */
  const number = "#1001";
  let ids: string[];
  beforeAll(async () => {
    org = await hub.org();
    for (const index of [0, 1]) {
      const done = await importFrom(org, await connect(org, index));
      expect(done).toMatchObject({ status: "succeeded", result: { created: 3, failed: 0 } });
    }
    const { data } = (await org.get("/orders?limit=100")).body;
    ids = data.filter((order: { number: string }) => order.number === number).map(({ id }: { id: string }) => id);
  });

  test("are both imported completely", () => {
    expect(ids.length).toBe(2);
  });

  test("a lookup by an ambiguous number returns the ids of the orders", async () => {
    for (const path of [`/orders/${encodeURIComponent(number)}`, `/orders/${encodeURIComponent(number)}/timeline`]) {
      const { status, body } = await org.get(path);
      expect([status, body.code]).toEqual([409, "order_number_ambiguous"]);
      expect(body.orders.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
    }
    expect((await org.patch(`/orders/${encodeURIComponent(number)}`, { priority: "high" })).status).toBe(409);
    expect((await org.get(`/orders/${ids[0]}`)).body.number).toBe(number);
  });

  test("no order is changed through an ambiguous number", async () => {
    const actions = [{ type: "add_tags", params: { tags: ["x"] } }];
    const preflight = await org.post("/operations/preflight", { order_ids: [number, ids[0]], actions });
    expect(preflight.body).toMatchObject({
      summary: { blocked: 1, ok: 1 },
      errors_by_code: { order_number_ambiguous: 1 },
    });
    const { body } = await org.post("/operations/run", { order_ids: [number, "nowhere"], actions });
    expect(body.results.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
      "order_number_ambiguous",
      "order_not_found",
    ]);
    const parcel = await org.post("/shipments", { orderNumber: number, trackingNumber: "1Z999AA10123456784" });
    expect([parcel.status, parcel.body.code]).toEqual([409, "order_number_ambiguous"]);
  });

  test("a number is unique within its shop, and among orders without a shop", async () => {
    const { bridgeId } = (await org.get(`/orders/${ids[0]}`)).body;
    expect((await org.post("/orders", { number, bridgeId })).body.code).toBe("order_number_taken");
    const own = await org.post("/orders", { number });
    expect(own.status).toBe(201);
    expect((await org.post("/orders", { number })).body.code).toBe("order_number_taken");
    expect((await org.patch(`/orders/${own.body.id}`, { bridgeId })).body.code).toBe("order_number_taken");
    const bulk = await org.post("/orders/bulk", { orders: [{ number: "B-1" }, { number: "B-1", bridgeId }] });
    expect(bulk.body.summary).toEqual({ total: 2, created: 2, failed: 0 });
  });
});

test("a bridge adds its prefix to numbers, and later imports still find the orders", async () => {
  const org = await hub.org();
  const bridgeId = await connect(org, 0, { orderNumberPrefix: "A-" });
  expect((await org.get(`/bridges/${bridgeId}`)).body.orderNumberPrefix).toBe("A-");
  await importFrom(org, bridgeId);
  const { data } = (await org.get("/orders")).body;
  expect(data.every((order: { number: string }) => order.number.startsWith("A-"))).toBe(true);
  await org.patch(`/bridges/${bridgeId}`, { orderNumberPrefix: null });
  await org.post("/tasks/execute-sync", {
    bridgeId,
    taskName: "orders.import",
    input: { since: "2000-01-01T00:00:00Z" },
  });
  const again = (await org.get("/orders")).body.data;
  expect(again.length).toBe(3);
  expect(again.every((order: { number: string }) => order.number.startsWith("A-"))).toBe(true);
  expect((await org.post("/bridges", { name: "x", connector: "demo", orderNumberPrefix: "a\nb" })).status).toBe(400);
});

test("a mapping extends the record of a shop's connector, and replaces it only in mode replace", async () => {
  const org = await hub.org();
  const bridgeId = await connect(org, 1);
  const about = { bridgeId, taskName: "orders.import", direction: "inbound", name: "Prefix" };
  const mappings = [{ template: "EU-{{name}}", target: "number" }];
  const { body: made } = await org.post("/transformations", { ...about, mappings });
  expect(made).toMatchObject({ mode: "extend", version: 1 });
  expect(await importFrom(org, bridgeId)).toMatchObject({ result: { created: 3 } });
  const { data } = (await org.get("/orders")).body;
  for (const order of data) {
    expect(order.number).toMatch(/^EU-/);
    expect(order.lines.length).toBeGreaterThan(0);
    expect(order.shippingAddress.city).toBeTypeOf("string");
  }
  await org.patch(`/transformations/${made.id}`, { mode: "replace" });
  const versions = (await org.get(`/transformations/${made.id}/versions`)).body.data;
  expect(versions.map(({ mode }: { mode: string }) => mode)).toEqual(["replace", "extend"]);
  const back = await org.post(`/transformations/${made.id}/rollback`, { version: 1 });
  expect(back.body).toMatchObject({ mode: "extend", version: 3 });
  // What is not a shop's has nothing that is usually wanted besides.
  const demo = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
  const other = await org.post("/transformations", { ...about, bridgeId: demo, mappings });
  expect(other.body.mode).toBe("replace");
});
