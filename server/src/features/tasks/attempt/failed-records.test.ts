import { expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import { restImportFrom } from "../../../testing/stand-in-rest.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();

const numbers = { source: "reference", target: "number" };
/** Fails for every record but one. */
const onlyOne = (reference: string) => ({
  source: "reference",
  target: "customFields.known",
  transforms: [{ lookup: { map: { [reference]: "yes" } } }],
  required: true,
});

async function aShop(orders = 4) {
  const shop = await startStandInShop({ orders });
  afterFile(() => shop.close());
  // An hour apart, so that the usual overlap does not hide what is lost.
  for (const [index, order] of shop.data.orders.slice(0, 4).entries()) order.updatedAt = `2026-02-01T1${index}:00:00Z`;
  const org = await hub.org();
  const bridge = {
    name: "Shop",
    connector: "rest",
    settings: restImportFrom(shop),
    credentials: { token: shop.token },
  };
  const bridgeId: string = (await org.post("/bridges", bridge)).body.id;
  const about = { bridgeId, taskName: "orders.import" };
  const pull = async (input: object = {}) => (await org.post("/tasks/execute-sync", { ...about, input })).body;
  const map = async (mappings: object[]): Promise<string> => {
    const made = await org.post("/transformations?replace=true", {
      ...about,
      name: "M",
      direction: "inbound",
      mappings,
    });
    expect(made.status).toBe(201);
    return made.body.id;
  };
  const total = async (): Promise<number> => (await org.get("/orders?limit=1")).body.pagination.total;
  return { shop, org, bridgeId, pull, map, total };
}

test("an import whose records were all rejected has failed with the reason, and is read again", async () => {
  const { org, bridgeId, pull, map, total } = await aShop();
  const failed = await pull();
  expect(failed).toMatchObject({ status: "failed", error: { code: "no_record_taken", retryable: false } });
  expect(failed.result).toMatchObject({ fetched: 4, failed: 4, created: 0 });
  expect(failed.result.failures).toHaveLength(4);
  // The shop has done nothing wrong.
  expect((await org.get(`/bridges/${bridgeId}`)).body.health.status).not.toBe("failing");
  await map([numbers]);
  expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 4, created: 4, failed: 0 } });
  expect(await total()).toBe(4);
});

test("a rejected record can be corrected and imported, also without a transformation", async () => {
  const { org, pull } = await aShop();
  await pull();
  const [{ id, subject }] = (await org.get("/exceptions?limit=100")).body.data;
  const fix = async (raw: object) =>
    (await org.post(`/exceptions/${id}/resolve`, { action: "edit_and_retry", record: { raw } })).body;
  const raw = { number: "BY-HAND", currency: "Taler", lines: [{ sku: "MUG", quantity: 2 }] };
  expect(await fix(raw)).toMatchObject({ status: "failed", error: { code: "validation_failed" } });
  expect(await fix({ ...raw, currency: "EUR" })).toMatchObject({ status: "resolved" });
  expect((await org.get("/orders/BY-HAND")).body).toMatchObject({ currency: "EUR", externalId: subject.name });
});

test("orders that a mapping failed on are read again after the mapping was changed", async () => {
  const { shop, org, pull, map, total } = await aShop();
  const newest = shop.data.orders.at(-1)!;
  const id = await map([numbers, onlyOne(newest.number)]);
  const first = await pull();
  expect(first).toMatchObject({ status: "completed_with_errors", result: { created: 1, failed: 3 } });
  expect(first.result.failedSince).toBe("2026-02-01T10:00:00.000Z");
  // As long as nothing is mended they are not read with every import, and not forgotten either.
  expect((await pull()).result).toMatchObject({ fetched: 1, failed: 0, failedSince: "2026-02-01T10:00:00.000Z" });
  expect((await pull()).result).toMatchObject({ fetched: 1, failedSince: "2026-02-01T10:00:00.000Z" });
  await org.patch(`/transformations/${id}`, { mappings: [numbers] });
  const mended = await pull();
  expect(mended.result).toMatchObject({ fetched: 4, created: 3, failed: 0 });
  expect(mended.result).not.toHaveProperty("failedSince");
  expect(mended.logs).toMatchObject([{ level: "info", message: expect.stringContaining("2026-02-01T10:00:00.000Z") }]);
  expect(await total()).toBe(4);
  expect((await pull()).result).toMatchObject({ fetched: 1, unchanged: 1 });
});

test("an import from before the failures includes the failed records", async () => {
  const { shop, pull, map } = await aShop();
  await map([numbers, onlyOne(shop.data.orders.at(-1)!.number)]);
  await pull();
  expect((await pull({ since: "2026-02-01T12:00:00Z" })).result).toMatchObject({
    fetched: 2,
    failed: 1,
    failedSince: "2026-02-01T10:00:00.000Z",
  });
  const all = await pull({ since: "2026-02-01T00:00:00Z" });
  expect(all.result).toMatchObject({ fetched: 4, failed: 3, failedSince: "2026-02-01T10:00:00.000Z" });
});

test("an interrupted import reports what it had stored", async () => {
  const { shop, org, pull, map, total } = await aShop(25);
  await map([numbers]);
  shop.inject({ kind: "unauthorized", match: "/rest/page", skip: 2 });
  const broken = await pull();
  expect(broken).toMatchObject({ status: "failed", error: { code: "unauthorized" }, progress: { processed: 20 } });
  expect(broken.result).toMatchObject({ fetched: 20, created: 20, failed: 0 });
  expect(await total()).toBe(20);
  expect((await org.get(`/tasks/executions/${broken.id}`)).body.result).toEqual(broken.result);
});

test("a bridge that is changed to another shop reads it from the beginning", async () => {
  const { org, bridgeId, pull, map, total } = await aShop();
  await map([{ source: "buyer.name", target: "customer.name" }]);
  expect((await pull()).result).toMatchObject({ fetched: 4, created: 4 });
  await org.patch(`/bridges/${bridgeId}`, { settings: { lookbackMinutes: 1 } });
  expect((await pull()).result).toMatchObject({ fetched: 1 });
  const older = await startStandInShop({ orders: 3, seed: 2 });
  afterFile(() => older.close());
  for (const order of older.data.orders)
    Object.assign(order, { id: order.id + 5_000, updatedAt: "2026-01-01T00:00:00Z" });
  await org.patch(`/bridges/${bridgeId}`, { settings: restImportFrom(older), credentials: { token: older.token } });
  expect((await pull()).result).toMatchObject({ fetched: 3, created: 3 });
  expect(await total()).toBe(7);
});

test("an exception about a rejected order names the invalid field", async () => {
  const { org, pull, map } = await aShop(1);
  await map([numbers, { target: "customer.name", value: [1] }]);
  expect((await pull()).error.message).toContain("/customer/name: ");
  const [{ id }] = (await org.get("/exceptions?kind=rejected_record")).body.data;
  const { reason, details } = (await org.get(`/exceptions/${id}`)).body;
  expect(details.errors).toMatchObject([{ pointer: "/customer/name" }]);
  expect(reason).toBe(`/customer/name: ${details.errors[0].message}`);
});
