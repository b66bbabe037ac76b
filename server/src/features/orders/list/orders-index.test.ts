import { expect, test } from "vitest";
import type { Queryable } from "../../../db/database.ts";
import { readMigrations } from "../../../db/migrate.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { foldOrderCounts } from "../orders.ts";

const hub = await startTestHub();

/** What the lists read beside the orders, and what it would be if it were made from the orders at this moment. */
async function compareWithOrders(orgId: string, db: Queryable = hub.world.db): Promise<void> {
  const pairs = {
    words: [
      "select is_archived, week, word, created_at, order_id from order_words where org_id = $1",
      `select o.is_archived, order_week(o.created_at), substr(w.lexeme, 7), o.created_at, o.id from orders o, unnest(o.search) as w where org_id = $1`,
    ],
    tags: [
      "select is_archived, tag, created_at, order_id from order_tags where org_id = $1",
      "select o.is_archived, t.tag, o.created_at, o.id from orders o, unnest(o.tags) as t (tag) where org_id = $1",
    ],
    counts: [
      `select is_archived, status, on_hold, sum(orders)::bigint from order_counts where org_id = $1
        group by 1, 2, 3 having sum(orders) <> 0`,
      "select is_archived, status, on_hold, count(*) from orders where org_id = $1 group by 1, 2, 3",
    ],
  };
  for (const [what, [kept, made]] of Object.entries(pairs)) {
    const rows = await db.query(`(${kept} except all ${made}) union all (${made} except all ${kept})`, [orgId]);
    expect([what, rows]).toEqual([what, []]);
  }
}

test("what lists read beside the orders follows every kind of change", async () => {
  const org = await hub.org();
  const orders = Array.from({ length: 8 }, (_, i) => ({
    number: `N-${i}`,
    status: "new",
    tags: i % 2 === 0 ? ["even", "all"] : ["all"],
    customer: { name: "Ada Byron", email: `ada.byron${i}@mail.example` },
    lines: [{ sku: `MUG-${i}`, quantity: 4, price: 5 }],
  }));
  await org.post("/orders/bulk", { orders });
  await compareWithOrders(org.id);
  const run = async (order_ids: string[], type: string, params: object): Promise<void> => {
    const { status, body } = await org.post("/operations/run", { order_ids, actions: [{ type, params }] });
    expect([type, status, body.summary?.failed]).toEqual([type, 201, 0]);
    await compareWithOrders(org.id);
  };
  const patch = async (number: string, body: object): Promise<void> => {
    expect((await org.patch(`/orders/${number}`, body)).status).toBe(200);
    await compareWithOrders(org.id);
  };
  await patch("N-0", { customer: { name: "Grace Hopper" } });
  await patch("N-0", { number: "N-10", archived: true, tags: ["other"] });
  await patch("N-10", { archived: false });
  await patch("N-1", { status: "ready" });
  await run(["N-1", "N-2"], "hold", { reason: "operator" });
  await run(["N-1"], "release_hold", {});
  await run(["N-2", "N-3"], "cancel", { reason: "customer" });
  await run(["N-2", "N-3"], "archive", {});
  await run(["N-2"], "unarchive", {});
  await run(["N-4"], "split", { by: "value", max_value: 10 });
  await run(["N-5"], "duplicate", {});
  const draft = (await org.post("/orders", { status: "draft", tags: ["draft"] })).body;
  await compareWithOrders(org.id);
  expect((await org.delete(`/orders/${draft.id}`)).status).toBe(200);
  await compareWithOrders(org.id);
});

test("orders that were there before get what lists read", async () => {
  const org = await hub.org();
  const orders = Array.from({ length: 20 }, (_, i) => ({
    status: i % 2 === 0 ? "new" : "ready",
    archived: i % 5 === 0,
    customer: { name: "Ada Byron", email: `ada${i}@mail.example` },
  }));
  await org.post("/orders/bulk", { orders });
  const migration = (await readMigrations()).find(({ name }) => name.endsWith("_order_lists.sql"));
  const undone = hub.world.db.transaction(async (tx) => {
    await tx.query("drop table order_words, order_counts");
    await tx.query("drop function order_week");
    await tx.query("create index orders_by_word on orders using gin (search)");
    await tx.query(migration!.sql);
    await compareWithOrders(org.id, tx);
    const [row] = await tx.query<{ n: number }>("select count(*) as n from order_words where org_id = $1", [org.id]);
    expect(row!.n).toBeGreaterThanOrEqual(60);
    throw new Error("undo");
  });
  await expect(undone).rejects.toThrow("undo");
});

test("counts stay the same when they are added up, also while orders come in", async () => {
  const org = await hub.org();
  const create = Array.from({ length: 60 }, async (_, i) => {
    await org.post("/orders", { status: i % 2 === 0 ? "new" : "draft" });
    if (i % 10 === 0) await foldOrderCounts(hub.world);
  });
  await Promise.all(create);
  await Promise.all([foldOrderCounts(hub.world), foldOrderCounts(hub.world)]);
  const [row] = await hub.world.db.query<{ n: number }>("select count(*) as n from order_counts where org_id = $1", [
    org.id,
  ]);
  expect(row!.n).toBeLessThanOrEqual(50);
  expect((await org.get("/orders/counts")).body).toMatchObject({ new: 30, draft: 30, total: 60 });
  await compareWithOrders(org.id);
});
