import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Queryable } from "../../../db/database.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { foldOrderCounts, readOrders } from "../orders.ts";
import { indexWords, searchParts } from "./search-words.ts";

const hub = await startTestHub();
const migrationName = "0069_list_of_orders.sql";

/** What the lists read beside the orders, and what it would be if it were made from the orders at this moment. */
async function compareWithOrders(orgId: string, db: Queryable = hub.world.db): Promise<void> {
  const pairs = {
    searched: [
      "select distinct is_archived, created_at, order_id from order_search where org_id = $1",
      "select is_archived, created_at, id from orders where org_id = $1",
    ],
    tags: [
      "select is_archived, tag, created_at, order_id from order_tags where org_id = $1",
      `select distinct o.is_archived, lower(t.tag), o.created_at, o.id from orders o, unnest(o.tags) as t (tag)
        where org_id = $1`,
    ],
    facets: [
      "select is_archived, facet, created_at, order_id from order_facets where org_id = $1 and facet <> 'failed'",
      `select o.is_archived, m.facet, o.created_at, o.id from orders o, lateral (
         select 'carrier:' || (o.shipping ->> 'carrier') as facet
         union all select 'service:' || (o.shipping ->> 'service')
         union all select 'country:' || upper(o.shipping_address ->> 'countryCode')
         union all (select distinct 'sku:' || (line ->> 'sku') from jsonb_array_elements(o.lines) as line)
         union all select 'field:' || f.key || '=' || f.value::text from jsonb_each(o.custom_fields) as f) m
        where org_id = $1 and m.facet is not null`,
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
  expect(await wordsIn(db, orgId)).toEqual(await wordsOf(db, orgId));
}

type Words = Record<string, string[]>;

async function wordsIn(db: Queryable, orgId: string): Promise<Words> {
  const rows = await db.query<{ name: string; words: string[] }>(
    `select order_id || ' ' || part as name, tsvector_to_array(words) as words from order_search
      where org_id = $1 and words <> ''`,
    [orgId],
  );
  return Object.fromEntries(rows.map(({ name, words }) => [name, words.toSorted()]));
}

/** As they would be indexed at this moment. */
async function wordsOf(db: Queryable, orgId: string): Promise<Words> {
  const ids = await db.query<{ id: string }>("select id from orders where org_id = $1", [orgId]);
  const orders = await readOrders(
    db,
    orgId,
    ids.map(({ id }) => id),
  );
  const words = orders.flatMap((order) =>
    searchParts.map(({ texts }, part) => [`${order.id} ${part}`, indexWords(orgId, texts(order)).toSorted()] as const),
  );
  return Object.fromEntries(words.filter(([, of]) => of.length > 0));
}

test("the tables behind lists follow every kind of change", async () => {
  const org = await hub.org();
  const orders = Array.from({ length: 8 }, (_, i) => ({
    number: `N-${i}`,
    status: "new",
    tags: i % 2 === 0 ? ["even", "all"] : ["all"],
    customer: { name: "Ada Byron", email: `ada.byron${i}@mail.example` },
    lines: [{ sku: `MUG-${i}`, quantity: 4, price: 5 }],
    shipping: i % 3 === 0 ? { carrier: "ups", service: "ground" } : {},
    ...(i % 3 === 1 ? { shippingAddress: { name: "Ada", city: "Albany", countryCode: "us" } } : {}),
    customFields: i % 2 === 0 ? { color: "red", size: 4.5, gift: true } : {},
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
  await patch("N-7", { lines: [{ sku: "CUP-1", name: "Cup", quantity: 1 }], tags: [] });
  await patch("N-0", { number: "N-10", archived: true, tags: ["other"] });
  await patch("N-10", { archived: false });
  await patch("N-10", { archived: true, shipping: { carrier: "dhl" }, customFields: { color: null, size: "4.5" } });
  await patch("N-10", { archived: false, shipping: null });
  await run(["N-1", "N-2"], "set_custom_field", { key: "color", value: "blue" });
  await patch("N-1", { status: "ready" });
  await run(["N-1", "N-2"], "hold", { reason: "operator" });
  await run(["N-1"], "release_hold", {});
  await run(["N-2", "N-3"], "cancel", { reason: "customer" });
  await run(["N-2", "N-3"], "archive", {});
  await run(["N-2"], "unarchive", {});
  await run(["N-4"], "split", { by: "value", max_value: 10 });
  await run(["N-5"], "duplicate", {});
  await patch("N-6", { status: "ready" });
  await run(["N-6"], "mark_shipped", { tracking_number: "1Z999AA10123456784" });
  const draft = (await org.post("/orders", { status: "draft", tags: ["draft"] })).body;
  await compareWithOrders(org.id);
  expect((await org.delete(`/orders/${draft.id}`)).status).toBe(200);
  await compareWithOrders(org.id);
});

test("the migration gives orders from before it what the hub writes for new ones", async () => {
  const org = await hub.org();
  const lines = ["MUG-1", "MUG-1", "CUP-2", "Ж".repeat(100)].map((sku) => ({ sku, quantity: 1 }));
  const shippingAddress = { name: "Ada", city: "Wien", countryCode: "at" };
  await org.post("/orders/bulk", {
    orders: [
      { number: "DEMO-10186", lines, shippingAddress },
      { number: "10186/20999-777", lines, archived: true },
      { number: "A-12", lines: [] },
      { number: "ten" },
    ],
  });
  const { db } = hub.world;
  const read = async () => ({
    facets: await db.query(
      "select is_archived, facet, created_at, order_id from order_facets where org_id = $1 order by order_id, facet",
      [org.id],
    ),
    words: await wordsIn(db, org.id),
  });
  const before = await read();
  expect(before.facets.length).toBeGreaterThan(6);
  await db.query("delete from order_facets where org_id = $1", [org.id]);
  await db.query("delete from order_search where org_id = $1 and part = 2", [org.id]);
  expect(await read()).not.toEqual(before);
  const migration = await readFile(path.join(import.meta.dirname, "../../../../migrations", migrationName), "utf8");
  const inserts = migration.match(/^insert into [^;]+;/gm)!;
  expect(inserts).toHaveLength(2);
  for (const statement of inserts) await db.query(statement);
  expect(await read()).toEqual(before);
});

test("counts stay the same when they are folded, also while orders are created", async () => {
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
