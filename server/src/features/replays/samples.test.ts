import { expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { startStandInShop } from "../../testing/stand-in-shop.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const shop = await startStandInShop({ orders: 30 });
afterFile(() => shop.close());

let bridges = 0;
async function aShop(consumerSecret = shop.token): Promise<string> {
  const credentials = { consumerKey: "ck_test", consumerSecret };
  const about = { name: `Shop ${++bridges}`, connector: "woocommerce", settings: { url: shop.url }, credentials };
  return (await org.post("/bridges", about)).body.id;
}
const importTask = { taskName: "orders.import" };

test("a sample has the record as received and as the hub would import it, and nothing is stored", async () => {
  const id = await aShop();
  expect((await org.get(`/bridges/${id}/samples?taskName=orders.import`)).body).toEqual({ data: [] });
  const { status, body } = await org.post(`/bridges/${id}/samples`, { ...importTask, limit: 2 });
  expect([status, body.ok, body.total, body.records.length]).toEqual([200, true, 30, 2]);
  const [{ externalId, source, output }] = body.records;
  expect(String(source.id)).toBe(externalId);
  expect(output.number).toBe(source.number);
  expect(output.lines[0].sku).toBe(source.line_items[0].sku);
  expect((await org.get("/orders?limit=1")).body.pagination.total).toBe(0);

  // No cursor has moved: the import reads all of them.
  const done = await org.post("/tasks/execute-sync", { bridgeId: id, ...importTask });
  expect(done.body.result).toMatchObject({ fetched: 30, created: 30 });
  const kept = (await org.get(`/bridges/${id}/samples?taskName=orders.import`)).body.data;
  expect(kept).toHaveLength(5);
  expect((await org.get(`/bridges/${id}/samples`)).body.data).toEqual(kept);
  expect((await org.get(`/bridges/${id}/samples?taskName=locations.pull`)).body.data).toEqual([]);
  expect(kept[0]).toMatchObject({
    executionId: done.body.id,
    source: { id: source.id },
    output: { number: source.number },
  });
});

test("an error of the other system is quoted, and the bridge is failing", async () => {
  const id = await aShop("cs_wrong");
  const { status, body } = await org.post(`/bridges/${id}/samples`, importTask);
  expect([status, body.ok, body.records, body.total]).toEqual([200, false, [], null]);
  expect(body.error.message).toContain("Sorry, you cannot list resources.");
  expect((await org.get(`/bridges/${id}`)).body.health.lastError.message).toBe(body.error.message);
});

test("only tasks that read records have samples, and an inactive bridge is not called", async () => {
  const id = await aShop();
  const push = await org.post(`/bridges/${id}/samples`, { taskName: "connection.test" });
  expect([push.status, push.body.errors[0].code]).toEqual([400, "task_reads_no_records"]);
  expect(push.body.errors[0].allowed).toEqual(["orders.import", "locations.pull", "inventory.pull"]);
  await org.patch(`/bridges/${id}`, { isActive: false });
  const asked = shop.requests.length;
  const refused = await org.post(`/bridges/${id}/samples`, importTask);
  expect([refused.status, refused.body.code]).toEqual([409, "bridge_inactive"]);
  expect(shop.requests).toHaveLength(asked);
});

test("without pii:read there is no sample, and the other system is not called", async () => {
  const id = await aShop();
  const blind = await org.withScopes(["bridges:read", "tasks:read", "tasks:execute"]);
  const asked = shop.requests.length;
  for (const { status, body } of [
    await blind.post(`/bridges/${id}/samples`, importTask),
    await blind.get(`/bridges/${id}/samples?taskName=orders.import`),
  ]) {
    expect([status, body.code, body.required]).toEqual([403, "insufficient_scope", ["pii:read"]]);
  }
  expect(shop.requests).toHaveLength(asked);
});
