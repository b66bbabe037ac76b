import { expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import type { ShopOrder } from "../../../testing/stand-in-data.ts";
import { restImportFrom } from "../../../testing/stand-in-rest.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();

const mappings = [
  { source: "reference", target: "number" },
  { source: "buyer.name", target: "customer.name" },
  { source: "buyer.name", target: "shippingAddress.name" },
  { value: "1 Main Street", target: "shippingAddress.address1" },
  { value: "ups", target: "shipping.carrier" },
  { source: "buyer.email", target: "customFields.contact" },
  { value: "web", target: "customFields.origin" },
  { value: ["gift"], target: "tags" },
  { value: "ready", target: "status" },
  {
    each: "items",
    target: "lines",
    mappings: [
      { source: "sku", target: "sku", default: "NONE" },
      { source: "quantity", target: "quantity" },
    ],
  },
];

/** A shop whose orders are imported through a transformation, and one of them, here and there. */
async function anImport(more: object[] = []) {
  const shop = await startStandInShop({ orders: 3 });
  afterFile(() => shop.close());
  for (const order of shop.data.orders) {
    order.name = `Buyer ${order.id}`;
    order.lines = [line(shop.data.newId(), 2), line(shop.data.newId(), 1)];
  }
  const org = await hub.org();
  const settings = restImportFrom(shop);
  const connect = async (token: string) => {
    const bridge = { name: "Shop", connector: "rest", settings, credentials: { token } };
    const id: string = (await org.post("/bridges", bridge)).body.id;
    const about = { bridgeId: id, taskName: "orders.import", direction: "inbound", name: "Orders" };
    const made = await org.post("/transformations", { ...about, mappings: [...mappings, ...more] });
    return { bridgeId: id, transformation: made.body };
  };
  const { bridgeId, transformation } = await connect(shop.token);
  const pullFrom = (id: string, input: object = {}) =>
    org.post("/tasks/execute-sync", { bridgeId: id, taskName: "orders.import", input });
  const pull = async (input: object = {}) => {
    const { body } = await pullFrom(bridgeId, input);
    const status = body.result?.failed > 0 ? "completed_with_errors" : "succeeded";
    expect(body).toMatchObject({ status, error: null });
    return body.result;
  };
  expect(await pull()).toMatchObject({ fetched: 3, created: 3, kept: 0, overwritten: 0 });
  const there = shop.data.orders[0]!;
  const read = async () => (await org.get(`/orders/${encodeURIComponent(there.number)}`)).body;
  const { id } = await read();
  const change = async (values: Partial<ShopOrder>): Promise<void> => {
    Object.assign(there, values);
    shop.data.touch([there]);
  };
  const run = async (type: string, params: object = {}) => {
    const { body } = await org.post("/operations/run", { order_ids: [id], actions: [{ type, params }] });
    expect(body.summary).toMatchObject({ succeeded: 1 });
    return body;
  };
  const timeline = async () => (await org.get(`/orders/${id}/timeline`)).body.data;
  return { shop, org, bridgeId, id, transformation, connect, pullFrom, pull, read, change, run, timeline };
}

const withStatus = (status: string): object[] =>
  mappings.map((one) => (one.target === "status" ? { ...one, value: status } : one));

function line(id: number, quantity: number) {
  return { id, sku: `SKU-${id}`, title: "Thing", quantity, price: "10.00" };
}

test("an edited field stays when the shop changes another one", async () => {
  const { org, id, pull, read, change, run } = await anImport();
  await org.patch(`/orders/${id}`, {
    shippingAddress: { address1: "2 Side Street" },
    shipping: { service: "express" },
  });
  await run("set_custom_field", { key: "origin", value: "phone" });
  await run("set_custom_field", { key: "shelf", value: "B7" });
  await run("remove_tags", { tags: ["gift"] });
  await change({ email: "new@mail.example" });
  const { conflicts, ...result } = await pull();
  expect(await read()).toMatchObject({
    shippingAddress: { address1: "2 Side Street" },
    shipping: { carrier: "ups", service: "express" },
    customFields: { contact: "new@mail.example", origin: "phone", shelf: "B7" },
    tags: [],
  });
  expect(result).toMatchObject({ updated: 1, kept: 1, overwritten: 0 });
  const [{ kept }] = conflicts;
  expect(conflicts).toMatchObject([{ orderId: id, externalId: expect.any(String), overwritten: [] }]);
  expect(kept.toSorted()).toEqual(["customFields/origin", "shipping", "shippingAddress", "tags"]);
});

test("a field that the shop changes after an edit takes the shop's value, and is reported as overwritten", async () => {
  const { org, id, pull, read, change, timeline } = await anImport();
  await org.patch(`/orders/${id}`, { shippingAddress: { name: "Edited here" } });
  await change({ name: "Moved" });
  const result = await pull();
  expect(result).toMatchObject({ updated: 1, kept: 0, overwritten: 1 });
  expect(result.conflicts).toMatchObject([{ orderId: id, kept: [], overwritten: ["shippingAddress"] }]);
  expect(await read()).toMatchObject({ customer: { name: "Moved" }, shippingAddress: { name: "Moved" } });
  const [entry] = await timeline();
  expect(entry.kind).toBe("imported");
  expect(entry.changes).toMatchObject([
    { path: "/customer", to: { name: "Moved" } },
    { path: "/shippingAddress", from: { name: "Edited here" }, to: { name: "Moved" } },
  ]);
  // The shop says it once more: no news, and the next edit here stays.
  await org.patch(`/orders/${id}`, { shippingAddress: { name: "Edited again" } });
  await change({});
  expect(await pull()).toMatchObject({ updated: 0, kept: 1, overwritten: 0 });
  expect((await read()).shippingAddress.name).toBe("Edited again");
});

test("an edit is kept while the shop repeats the value that both had", async () => {
  const { org, id, pull, read, change } = await anImport();
  await org.patch(`/orders/${id}`, { customer: { name: "Both" } });
  await change({ name: "Both" });
  expect(await pull()).toMatchObject({ updated: 1, overwritten: 0 });
  await org.patch(`/orders/${id}`, { customer: { name: "Only here" } });
  await change({});
  await pull();
  expect((await read()).customer.name).toBe("Only here");
});

test("lines that were split stay, whatever the shop changes, and the timeline records it", async () => {
  const { pull, read, change, run, timeline } = await anImport();
  await run("split", { by: "items", line_items: [{ id: (await read()).lines[1].id, quantity: 1 }] });
  const split = (await read()).lines;
  expect(split).toHaveLength(1);
  await change({ email: "new@mail.example" });
  expect(await pull()).toMatchObject({ updated: 1, kept: 1 });
  expect((await read()).lines).toEqual(split);
  await change({ lines: [line(1, 9)] });
  const result = await pull();
  expect(result).toMatchObject({ updated: 0, unchanged: 3, kept: 1, conflicts: [{ kept: ["lines"] }] });
  expect((await read()).lines).toEqual(split);
  const [entry] = await timeline();
  expect(entry).toMatchObject({ kind: "imported", changes: [{ path: "/lines", keptLocal: true, from: split }] });
  expect(entry.changes[0].to).toMatchObject([{ sku: "SKU-1", quantity: 9 }]);
  // Said once, not with every import.
  await change({});
  await pull();
  expect((await timeline())[0].id).toBe(entry.id);
});

test("an order under review, or reopened, is not changed by an old status of the shop", async () => {
  const { org, transformation, pull, read, change, run } = await anImport();
  await run("require_review", { reason: "odd" });
  await change({ email: "a@mail.example" });
  await pull();
  expect((await read()).status).toBe("review_required");
  await org.patch(`/transformations/${transformation.id}`, { mappings: withStatus("cancelled") });
  await change({});
  await pull();
  expect((await read()).status).toBe("cancelled");
  await run("restore");
  await change({ email: "b@mail.example" });
  await pull();
  expect(await read()).toMatchObject({ status: "ready", customFields: { contact: "b@mail.example" } });
});

test("a status that a hold prevented is applied when the hold is released", async () => {
  const { org, id, transformation, pull, read, change, run } = await anImport();
  await run("hold", { reason: "operator" });
  await org.patch(`/transformations/${transformation.id}`, { mappings: withStatus("shipped") });
  await change({});
  await pull();
  expect((await read()).status).toBe("ready");
  await run("release_hold");
  await change({});
  await pull();
  expect((await read()).status).toBe("shipped");
  expect((await org.get(`/orders/${id}/timeline`)).body.data[0].kind).toBe("imported");
});

test("shipped lines do not prevent updates of the rest of the order", async () => {
  const { org, id, pull, read, change, run } = await anImport();
  const lines: { id: string; sku: string; quantity: number }[] = (await read()).lines;
  const extra = [
    ...lines.map(({ id: lineId, sku, quantity }) => ({ id: lineId, sku, quantity })),
    { sku: "EXTRA", quantity: 1 },
  ];
  await org.patch(`/orders/${id}`, { lines: extra });
  await run("mark_shipped");
  await change({ email: "late@mail.example" });
  expect(await pull()).toMatchObject({ updated: 1, failed: 0, kept: 1 });
  expect(await read()).toMatchObject({ customFields: { contact: "late@mail.example" }, status: "shipped" });
});

test("a changed mapping changes its own fields, and keeps other edited fields", async () => {
  const { org, id, transformation, pull, read } = await anImport();
  await org.patch(`/orders/${id}`, { shipping: { service: "express" } });
  const louder = mappings.map((one) => (one.target === "customer.name" ? { ...one, transforms: ["upper"] } : one));
  await org.patch(`/transformations/${transformation.id}`, { mappings: louder });
  const { customer } = await read();
  expect(await pull({ since: "2026-01-01T00:00:00Z" })).toMatchObject({ updated: 3, kept: 1 });
  const after = await read();
  expect(after.customer.name).toBe(customer.name.toUpperCase());
  expect(after.shipping.service).toBe("express");
});

test("an update with a deleted location fails alone", async () => {
  const { org, transformation, pull, read, shop } = await anImport();
  const when = { path: "reference", op: "eq", value: (await read()).number };
  const gone = { value: "0199f0a0-0000-7000-8000-00000000dead", target: "locationId", when };
  await org.patch(`/transformations/${transformation.id}`, { mappings: [...mappings, gone] });
  for (const order of shop.data.orders) order.email = `new${order.email}`;
  shop.data.touch(shop.data.orders);
  const result = await pull();
  expect(result).toMatchObject({ updated: 2, failed: 1 });
  expect(result.failures[0]).toMatchObject({ code: "location_not_found", errors: [{ pointer: "/locationId" }] });
});

test("a new bridge takes over the orders of a deleted one, with their edits", async () => {
  const { shop, org, bridgeId, id, connect, pullFrom, read, timeline } = await anImport([
    { source: "updated_at", target: "orderedAt" },
  ]);
  await org.patch(`/orders/${id}`, { customer: { name: "Edited here" } });
  await org.delete(`/bridges/${bridgeId}?force=true`);
  const next = (await connect(shop.token)).bridgeId;
  const { body } = await pullFrom(next);
  expect(body).toMatchObject({ status: "succeeded", result: { created: 0, updated: 3, failed: 0, kept: 1 } });
  expect(await read()).toMatchObject({ id, bridgeId: next, customer: { name: "Edited here" } });
  expect((await timeline())[0]).toMatchObject({
    kind: "imported",
    changes: [{ path: "/bridgeId", from: bridgeId, to: next }],
  });
  expect((await pullFrom(next)).body.result).toMatchObject({ updated: 0, created: 0, failed: 0 });

  // Another shop that happens to have orders with the same ids and numbers.
  await org.delete(`/bridges/${next}?force=true`);
  for (const order of shop.data.orders) order.updatedAt = "2026-05-05T05:05:05Z";
  const other = (await connect(shop.token)).bridgeId;
  expect((await pullFrom(other)).body).toMatchObject({ status: "succeeded", result: { created: 3, updated: 0 } });
  expect((await org.get(`/orders/${id}`)).body.bridgeId).toBe(next);
});
