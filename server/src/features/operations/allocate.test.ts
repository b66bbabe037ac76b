import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { codeBlocks } from "../../testing/code-blocks.ts";
import { eventually } from "../../testing/eventually.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { removeEndedReservations } from "../stock/stock.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

const hub = await startTestHub();

type Fields = Record<string, unknown>;

/** An organization with two locations; each test has its own, so that their stock does not mix. */
async function aShop() {
  const org = await hub.org();
  const place = async (name: string, zip: string): Promise<string> =>
    (await org.post("/locations", { name, address: { zip, countryCode: "US" } })).body.id;
  const [east, west] = [await place("East", "07114"), await place("West", "90001")];
  return { org, east, west, ...verbsOf(org) };
}

function verbsOf(org: TestOrg) {
  const order = async (skus: Record<string, number>, more: Fields = {}): Promise<string> => {
    const lines = Object.entries(skus).map(([sku, quantity]) => ({ sku, quantity, price: 5 }));
    const { status, body } = await org.post("/orders", { status: "ready", lines, ...more });
    expect([status, body]).toMatchObject([201, {}]);
    return body.id;
  };
  const action = (params: Fields = {}) => ({ type: "allocate", params });
  return {
    order,
    stock: async (levels: [sku: string, locationId: string, available: number][]) => {
      const given = levels.map(([sku, locationId, available]) => ({ sku, locationId, available }));
      expect((await org.call("PUT", "/stock", { levels: given })).status).toBe(200);
    },
    allocate: async (order_ids: string[], params?: Fields) => {
      const { body } = await org.post("/operations/run", { order_ids, actions: [action(params)] });
      if (body.finished_at !== null) return body;
      // It has waited too long for other allocations: a worker ends it.
      return await eventually(
        async () => (await org.get(`/operations/runs/${body.id}`)).body,
        ({ finished_at }) => finished_at !== null,
      );
    },
    preflight: async (order_ids: string[], params?: Fields) =>
      (await org.post("/operations/preflight", { order_ids, actions: [action(params)] })).body,
    locationOf: async (id: string): Promise<string | null> => (await org.get(`/orders/${id}`)).body.locationId,
    shortages: async (): Promise<Fields[]> => (await org.get("/exceptions?kind=stock&code=out_of_stock")).body.data,
    reservedOf: async (sku: string): Promise<number> => (await org.get(`/stock/${sku}`)).body.reserved,
  };
}

const counts = ({ summary }: { summary: Fields }) => [summary.succeeded, summary.failed];

test("an order gets the location that has everything, by priority, distance or stock", async () => {
  const { org, east, west, order, stock, allocate, locationOf, preflight } = await aShop();
  await stock([
    ["A", east, 50],
    ["A", west, 60],
    ["B", west, 5],
  ]);
  const toOregon = { shippingAddress: { zip: "97201", countryCode: "US" } };
  const ids = [
    await order({ A: 1 }),
    await order({ A: 1 }, toOregon),
    await order({ A: 1 }),
    await order({ A: 1, B: 1 }),
  ];
  const report = await preflight([ids[0]!]);
  expect(report.orders[0].steps[0].changes).toMatchObject([{ path: "/locationId", from: null, to: east }]);
  await allocate([ids[0]!]);
  await allocate([ids[1]!], { strategy: "nearest" });
  await allocate([ids[2]!], { strategy: "most_stock" });
  await allocate([ids[3]!]);
  expect(await Promise.all(ids.map(locationOf))).toEqual([east, west, west, west]);
  expect((await org.get("/stock/A")).body).toMatchObject({ available: 110, reserved: 4, allocatable: 106 });
  // A second time nothing changes, and nothing is reserved twice.
  expect((await allocate(ids)).summary).toMatchObject({ succeeded: 4, no_change: 4 });
  expect((await org.get("/stock/A")).body).toMatchObject({ reserved: 4 });
});

test("without enough stock the order fails with the SKUs and an exception, which a later allocation resolves", async () => {
  const { east, west, order, stock, allocate, locationOf, preflight, shortages } = await aShop();
  await stock([
    ["A", east, 2],
    ["B", west, 1],
  ]);
  const id = await order({ A: 3, B: 1 });
  const report = await preflight([id]);
  expect(report.orders[0].steps[0].error).toMatchObject({
    code: "out_of_stock",
    message: expect.stringContaining("A (needs 3"),
  });
  expect(await shortages()).toEqual([]);
  expect(counts(await allocate([id]))).toEqual([0, 1]);
  expect(await locationOf(id)).toBeNull();
  expect(await shortages()).toMatchObject([{ orderId: id, subject: { type: "order" } }]);
  await stock([["A", west, 3]]);
  expect(counts(await allocate([id]))).toEqual([1, 0]);
  expect(await locationOf(id)).toBe(west);
  expect(await shortages()).toEqual([]);
});

test("a shortage is over when the order is cancelled", async () => {
  const { org, order, allocate, shortages } = await aShop();
  const id = await order({ NONE: 1 });
  await allocate([id]);
  expect(await shortages()).toHaveLength(1);
  await org.post("/operations/run", {
    order_ids: [id],
    actions: [{ type: "cancel", params: { reason: "inventory" } }],
  });
  expect(await shortages()).toEqual([]);
});

test("orders of a run compete by priority, then by the time they were ordered", async () => {
  const { east, order, stock, allocate, locationOf } = await aShop();
  await stock([["A", east, 2]]);
  const at = (day: number) => `2026-03-0${day}T10:00:00Z`;
  const late = await order({ A: 1 }, { orderedAt: at(3) });
  const early = await order({ A: 1 }, { orderedAt: at(1) });
  const urgent = await order({ A: 1 }, { orderedAt: at(4), priority: "urgent" });
  expect(counts(await allocate([late, early, urgent]))).toEqual([2, 1]);
  expect(await Promise.all([late, early, urgent].map(locationOf))).toEqual([null, east, east]);
  // What an order has, a more urgent one does not take from it.
  const other = await order({ A: 1 }, { priority: "urgent", orderedAt: at(1) });
  expect(counts(await allocate([other, early, urgent]))).toEqual([2, 1]);
  expect(await locationOf(other)).toBeNull();
});

test("fifty orders for one unit: one gets it, in one run and in fifty concurrent ones", async () => {
  const { org, east, order, stock, allocate, shortages, reservedOf } = await aShop();
  await stock([
    ["ONE", east, 1],
    ["LAST", east, 1],
  ]);
  const together = await Promise.all(Array.from({ length: 50 }, () => order({ ONE: 1 })));
  expect(counts(await allocate(together))).toEqual([1, 49]);
  const apart = await Promise.all(Array.from({ length: 50 }, () => order({ LAST: 1 })));
  const runs: { summary?: Fields }[] = [];
  // Ten at a time: a hub on a busy machine refuses more requests at once.
  for (let from = 0; from < apart.length; from += 10) {
    runs.push(...(await Promise.all(apart.slice(from, from + 10).map((id) => allocate([id])))));
  }
  expect(runs.filter(({ summary }) => summary === undefined)).toEqual([]);
  expect(runs.filter(({ summary }) => summary?.succeeded === 1)).toHaveLength(1);
  expect(await reservedOf("LAST")).toBe(1);
  const located = (await org.get(`/orders?locationId=${east}`)).body.data;
  expect(located).toHaveLength(2);
  expect((await org.get("/exceptions/counts?kind=stock")).body.total).toBe(98);
  expect(await shortages()).not.toEqual([]);
});

test("an allocation that waits for another one sees the stock as it is afterwards", async () => {
  const { org, east, west, order, stock, allocate, locationOf } = await aShop();
  await stock([["A", east, 1]]);
  const id = await order({ A: 1 });
  let running: Promise<{ summary: Fields }> | undefined;
  await hub.world.db.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`stock:${org.id}`]);
    running = allocate([id]);
    await lockWaits(hub.world.db, { lock: "advisory" });
    // A pull meanwhile: the unit is elsewhere.
    await stock([
      ["A", east, 0],
      ["A", west, 1],
    ]);
  });
  expect(counts(await running!)).toEqual([1, 0]);
  expect(await locationOf(id)).toBe(west);
});

test("an undo gives location and units back, order by order, and can be undone itself", async () => {
  const { org, east, west, order, stock, allocate, locationOf, reservedOf } = await aShop();
  await stock([["A", east, 3]]);
  const [first, second] = [await order({ A: 1 }), await order({ A: 2 })];
  const run = await allocate([first, second]);
  expect(await reservedOf("A")).toBe(3);
  // The second order is changed afterwards, so only the first one is undone.
  const moved = { type: "assign_location", params: { location_id: west } };
  await org.post("/operations/run", { order_ids: [second], actions: [moved] });
  expect(await reservedOf("A")).toBe(1);
  const undone = (await org.post(`/operations/runs/${run.id}/undo`)).body;
  expect(counts(undone)).toEqual([1, 1]);
  expect([await locationOf(first), await locationOf(second), await reservedOf("A")]).toEqual([null, west, 0]);
  const third = await order({ A: 3 });
  expect(counts(await allocate([third]))).toEqual([1, 0]);
  await org.post("/operations/run", { order_ids: [third], actions: [{ type: "cancel", params: { reason: "staff" } }] });
  expect(await reservedOf("A")).toBe(0);
  await org.post(`/operations/runs/${undone.id}/undo`);
  expect([await locationOf(first), await reservedOf("A")]).toEqual([east, 1]);
});

test("an order may be split over locations, and its undo joins it again", async () => {
  const { org, east, west, order, stock, allocate, locationOf, preflight, reservedOf } = await aShop();
  await stock([
    ["A", east, 2],
    ["B", west, 1],
    ["C", east, 3],
    ["C", west, 3],
  ]);
  const id = await order({ A: 2, B: 1, C: 5 });
  expect((await preflight([id])).orders[0].steps[0].error).toMatchObject({ code: "out_of_stock" });
  const run = await allocate([id], { allow_split: true });
  expect(counts(run)).toEqual([1, 0]);
  const [childId] = run.results[0].steps[0].created_order_ids;
  const unitsIn = async (orderId: string) =>
    Object.fromEntries(
      (await org.get(`/orders/${orderId}`)).body.lines.map(({ sku, quantity }: Fields) => [sku, quantity]),
    );
  expect([await locationOf(id), await unitsIn(id)]).toEqual([east, { A: 2, C: 3 }]);
  expect([await locationOf(childId), await unitsIn(childId)]).toEqual([west, { B: 1, C: 2 }]);
  expect([await reservedOf("A"), await reservedOf("B"), await reservedOf("C")]).toEqual([2, 1, 5]);
  await org.post(`/operations/runs/${run.id}/undo`);
  expect([await locationOf(id), await unitsIn(id)]).toEqual([null, { A: 2, B: 1, C: 5 }]);
  expect([await reservedOf("A"), await reservedOf("C")]).toEqual([0, 0]);
});

test("shipped units are reserved until a level that was counted later", async () => {
  const { org, east, order, stock, allocate, reservedOf } = await aShop();
  await stock([["A", east, 5]]);
  const id = await order({ A: 3 });
  await allocate([id]);
  const lines = (await org.get(`/orders/${id}`)).body.lines;
  const ship = async (quantity: number) => {
    const params = { tracking_number: crypto.randomUUID(), line_items: [{ id: lines[0].id, quantity }] };
    const { body } = await org.post("/operations/run", {
      order_ids: [id],
      actions: [{ type: "mark_shipped", params }],
    });
    expect(counts(body)).toEqual([1, 0]);
  };
  await ship(1);
  expect(await reservedOf("A")).toBe(3);
  hub.advance(1_000);
  await stock([["A", east, 4]]);
  expect(await reservedOf("A")).toBe(2);
  await ship(2);
  expect((await org.get("/stock/A")).body).toMatchObject({ available: 4, reserved: 2, allocatable: 2 });
  hub.advance(1_000);
  await stock([["A", east, 2]]);
  expect((await org.get("/stock/A")).body).toMatchObject({ available: 2, reserved: 0 });
});

test("orders that the source of a level has subtracted itself are not subtracted again", async () => {
  const { org, east, order, stock, allocate, locationOf, reservedOf } = await aShop();
  const bridgeId: string = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  const orderedAt = "2026-03-01T10:00:00Z";
  const own = await order({ A: 1 }, { bridgeId, externalId: "1", orderedAt });
  const other = await order({ A: 1 }, { orderedAt });
  const report = async (available: number, committed: number | null): Promise<void> => {
    hub.advance(1_000);
    await stock([["A", east, available]]);
    await hub.world.db.query("update stock_levels set bridge_id = $1, committed = $2 where location_id = $3", [
      bridgeId,
      committed,
      east,
    ]);
  };
  // The shop has one unit, which it has set aside for its own order.
  await report(0, null);
  expect(counts(await allocate([own]))).toEqual([1, 0]);
  expect(counts(await allocate([other]))).toEqual([0, 1]);
  expect(await reservedOf("A")).toBe(0);
  // One more, and the shop says what it has set aside.
  await report(1, 1);
  expect(await reservedOf("A")).toBe(1);
  expect(counts(await allocate([other]))).toEqual([1, 0]);
  expect([await locationOf(other), await reservedOf("A")]).toEqual([east, 2]);
  await report(1, null);
  expect(await reservedOf("A")).toBe(1);
  // The warehouse has got the other order, and subtracts it from then on.
  const sent = { type: "set_status", params: { status: "sent" } };
  expect(counts((await org.post("/operations/run", { order_ids: [other], actions: [sent] })).body)).toEqual([1, 0]);
  expect(await reservedOf("A")).toBe(1);
  await report(0, null);
  expect(await reservedOf("A")).toBe(0);
});

test("conditions ask about stock: at the order's location, at any, and what is missing", async () => {
  const { org, east, west, order, stock } = await aShop();
  await stock([
    ["A", east, 1],
    ["B", west, 1],
  ]);
  const here = await order({ A: 1 }, { locationId: east });
  const elsewhere = await order({ B: 1 }, { locationId: east });
  const nowhere = await order({ A: 1, NONE: 1 });
  const tagged = async (condition: Fields): Promise<string[]> => {
    const actions = [{ type: "add_tags", params: { tags: [crypto.randomUUID()] }, when: condition }];
    const { body } = await org.post("/operations/run", { order_ids: [here, elsewhere, nowhere], actions });
    return body.results
      .filter(({ steps }: { steps: Fields[] }) => steps[0]!.status === "applied")
      .map(({ order_id }: Fields) => order_id);
  };
  expect(await tagged({ path: "stock.complete", op: "eq", value: true })).toEqual([here]);
  expect(await tagged({ path: "stock.anywhere", op: "eq", value: true })).toEqual([here, elsewhere]);
  expect(await tagged({ path: "stock.missing", op: "eq", value: "none" })).toEqual([nowhere]);
  expect(await tagged({ path: "stock.missing", op: "empty" })).toEqual([here, elsewhere]);
  const wrong = { type: "archive", when: { path: "stock.everywhere", op: "eq", value: true } };
  const refused = await org.post("/operations/run", { order_ids: [here], actions: [wrong] });
  expect(refused.body.errors).toMatchObject([{ pointer: "/actions/0/when/path", code: "unknown_field" }]);
});

test("untracked SKUs are short unless they are allowed, and inactive or unlisted locations are not used", async () => {
  const { org, east, west, order, stock, allocate, locationOf } = await aShop();
  await stock([
    ["A", east, 5],
    ["A", west, 5],
  ]);
  const id = await order({ A: 1, SERVICE: 1 });
  expect(counts(await allocate([id]))).toEqual([0, 1]);
  expect(counts(await allocate([id], { allow_untracked: true, location_ids: [west, east] }))).toEqual([1, 0]);
  expect(await locationOf(id)).toBe(west);
  await org.patch(`/locations/${west}`, { is_active: false });
  const next = await order({ A: 1 });
  await allocate([next], { strategy: "most_stock" });
  expect(await locationOf(next)).toBe(east);
  const unknown = await org.post("/operations/run", {
    order_ids: [next],
    actions: [{ type: "allocate", params: { location_ids: [next] } }],
  });
  expect(unknown.body.errors).toMatchObject([
    { pointer: "/actions/0/params/location_ids/0", code: "location_not_found" },
  ]);
});

test("stock of another organization with the same SKU is not used", async () => {
  const [rich, poor] = [await aShop(), await aShop()];
  await rich.stock([["A", rich.east, 100]]);
  const id = await poor.order({ A: 1 });
  expect(counts(await poor.allocate([id]))).toEqual([0, 1]);
  expect((await rich.org.get("/stock/A")).body).toMatchObject({ reserved: 0 });
});

test("reservations of ended orders are deleted after a day", async () => {
  const { org, east, order, stock, allocate } = await aShop();
  await stock([["A", east, 5]]);
  const [open, ended] = [await order({ A: 1 }), await order({ A: 1 })];
  await allocate([open, ended]);
  await org.post("/operations/run", { order_ids: [ended], actions: [{ type: "cancel", params: { reason: "staff" } }] });
  const left = async (): Promise<string[]> =>
    (
      await hub.world.db.query<{ id: string }>("select order_id as id from stock_reservations where org_id = $1", [
        org.id,
      ])
    ).map(({ id }) => id);
  await removeEndedReservations(hub.world);
  expect(await left()).toHaveLength(2);
  hub.advance(25 * 3_600_000);
  await removeEndedReservations(hub.world);
  expect(await left()).toEqual([open]);
});

test("the examples of the manual work", async () => {
  const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/stock.md"), "utf8");
  const { org, east, order, reservedOf } = await aShop();
  const [put] = codeBlocks(page, "json put-stock");
  const { levels, ...rest } = put!.block as { levels: Fields[] };
  const given = { levels: levels.map((level) => ({ ...level, locationId: east })), ...rest };
  expect((await org.call("PUT", "/stock", given)).body).toMatchObject({ created: levels.length });
  const id = await order({ [String(levels[0]!.sku)]: 2 });
  const [example] = codeBlocks(page, "json action");
  const { body } = await org.post("/operations/run", { order_ids: [id], actions: [example!.block] });
  expect(counts(body)).toEqual([1, 0]);
  expect(await reservedOf(String(levels[0]!.sku))).toBe(2);
});
