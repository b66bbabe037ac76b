import { expect, test } from "vitest";
import { systemContext } from "../../../context.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import type { PulledOrder } from "./pulled-order.ts";
import { upsertPulledOrders } from "../orders.ts";

const hub = await startTestHub();

async function aShop() {
  const org = await hub.org();
  const bridgeId: string = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  const ctx = systemContext(hub.world, org.id, "bridge Shop");
  const pull = async (...items: PulledOrder[]) =>
    (await hub.world.db.transaction((tx) => upsertPulledOrders(tx, ctx, bridgeId, items))).counts;
  return { org, bridgeId, pull };
}

const at = (day: number): string => `2026-03-0${day}T08:00:00Z`;
const pulled = (day: number, body: object, externalId = "e-1"): PulledOrder => ({
  externalId,
  updatedAt: at(day),
  body: { lines: [{ sku: "MUG", quantity: 1 }], ...body },
});

async function only(org: TestOrg) {
  const { data, pagination } = (await org.get("/orders")).body;
  expect(pagination.total).toBe(1);
  return data[0];
}

test("a newer state updates the order and an older one changes nothing, in any order of arrival", async () => {
  const { org, pull } = await aShop();
  expect(await pull(pulled(2, { customer: { name: "Ada" } }))).toMatchObject({ created: 1 });
  expect(await pull(pulled(3, { customer: { name: "Ada Lovelace" } }))).toMatchObject({ updated: 1 });
  expect(await pull(pulled(1, { customer: { name: "old" } }))).toMatchObject({ updated: 0, unchanged: 1 });
  expect((await only(org)).customer.name).toBe("Ada Lovelace");
});

test("of two states in one page the newer one counts", async () => {
  const { org, pull } = await aShop();
  await pull(pulled(3, { customer: { name: "new" } }), pulled(2, { customer: { name: "old" } }));
  expect((await only(org)).customer.name).toBe("new");
});

test("update times are compared as instants, in any time zone", async () => {
  const { org, pull } = await aShop();
  const written = (updatedAt: string, name: string) => ({ ...pulled(1, { customer: { name } }), updatedAt });
  await pull(written("2026-03-01T07:00:00Z", "new"), written("2026-03-01T08:30:00+02:00", "old"));
  expect((await only(org)).customer.name).toBe("new");
});

test("the shop does not revert changes of the hub, but its cancellation is applied", async () => {
  const { org, pull } = await aShop();
  await pull(pulled(1, { status: "new", tags: ["web"] }));
  const { id } = await only(org);
  await org.patch(`/orders/${id}`, { status: "ready", tags: ["web", "vip"], priority: "high" });
  await pull(pulled(2, { status: "new", tags: ["gift"], priority: "low", lines: [{ sku: "MUG", quantity: 2 }] }));
  const kept = await only(org);
  expect(kept).toMatchObject({ status: "ready", priority: "high", lines: [{ sku: "MUG", quantity: 2 }] });
  expect(kept.tags.toSorted()).toEqual(["gift", "vip", "web"]);
  await pull(pulled(3, { status: "cancelled" }));
  expect((await only(org)).status).toBe("cancelled");
});

test("an import keeps within the usual limits of an order", async () => {
  const { org, pull } = await aShop();
  const names = (from: number, count: number) => Array.from({ length: count }, (_, i) => `n${from + i}`);
  const fields = (from: number, count: number) => Object.fromEntries(names(from, count).map((name) => [name, 1]));
  await pull(pulled(1, { tags: names(0, 49), customFields: fields(0, 99) }));
  const counts = await pull(pulled(2, { tags: names(49, 3), customFields: { ...fields(0, 99), ...fields(99, 1) } }));
  expect(counts).toMatchObject({ updated: 1, failed: 0 });
  const { id, tags } = await only(org);
  expect(tags).toHaveLength(50);
  await org.patch(`/orders/${id}`, { customFields: { n0: null, own: 2 } });
  await pull(pulled(3, { customFields: { ...fields(1, 98), ...fields(200, 3) } }));
  expect(Object.keys((await only(org)).customFields)).toHaveLength(100);
  expect((await org.patch(`/orders/${id}`, { tags: [...tags].toReversed() })).status).toBe(200);
});

test.each(["sent", "shipped", "cancelled"])(
  "an order with status %s does not become ready again through the shop",
  async (status) => {
    const { org, pull } = await aShop();
    await pull(pulled(1, { status: "ready" }));
    const { id } = await only(org);
    await org.patch(`/orders/${id}`, { status });
    await pull(pulled(2, { status: "ready", customer: { name: "Ada" } }));
    expect(await only(org)).toMatchObject({ status, customer: { name: "Ada" } });
  },
);

test("a record that is no order fails alone, with the reason", async () => {
  const { org, pull } = await aShop();
  expect(await pull(pulled(1, {}), pulled(1, { total: -1 }, "e-2"))).toMatchObject({ created: 1, failed: 1 });
  await only(org);
});

test("two concurrent imports of the same orders create each of them once", async () => {
  const { org, pull } = await aShop();
  const page = Array.from({ length: 40 }, (_, i) => pulled(1, {}, `e-${i}`));
  const counts = await Promise.all([pull(...page), pull(...page.toReversed())]);
  expect(counts.map(({ created }) => created).toSorted()).toEqual([0, 40]);
  // The one that comes second finds them, instead of failing at what it did not see.
  expect(counts.map(({ failed }) => failed)).toEqual([0, 0]);
  expect((await org.get("/orders?limit=1")).body.pagination.total).toBe(40);
});

test("the events of an import name every created or changed order with its version, and no other", async () => {
  const { org, bridgeId, pull } = await aShop();
  const numbers = Array.from({ length: 250 }, (_, i) => `N-${i}`);
  const page = (day: number, changed: (i: number) => object): PulledOrder[] =>
    numbers.map((number, i) => pulled(day, { number, ...changed(i) }, number));
  await pull(...page(1, () => ({})));
  await pull(...page(2, (i) => (i % 2 === 0 ? { customer: { name: "Ada" } } : {})));
  type Named = { number: string; version: number };
  const named = async (type: string): Promise<Named[]> =>
    (await org.get(`/audit?type=${type}`)).body.data.toReversed().flatMap((entry: { data: { items: Named[] } }) => {
      expect(entry.data).toMatchObject({ source: "bridge", bridgeId });
      return entry.data.items;
    });
  expect(await named("orders.created")).toMatchObject(numbers.map((number) => ({ number, version: 1 })));
  const byNumber = (one: Named, other: Named): number => Number(one.number.slice(2)) - Number(other.number.slice(2));
  expect((await named("orders.updated")).toSorted(byNumber)).toMatchObject(
    numbers.filter((_, i) => i % 2 === 0).map((number) => ({ number, version: 2 })),
  );
});
