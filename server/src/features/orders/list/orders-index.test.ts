import { expect, test } from "vitest";
import type { Queryable, Tx } from "../../../db/database.ts";
import { readMigrations } from "../../../db/migrate.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { foldOrderCounts, readOrders } from "../orders.ts";
import { indexWords, searchParts, toSearchQuery } from "./search-words.ts";

const hub = await startTestHub();

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

test("what lists read beside the orders follows every kind of change", async () => {
  const org = await hub.org();
  const orders = Array.from({ length: 8 }, (_, i) => ({
    number: `N-${i}`,
    status: "new",
    tags: i % 2 === 0 ? ["even", "all"] : ["all"],
    customer: { name: "Ada Byron", email: `ada.byron${i}@mail.example` },
    lines: [{ sku: `MUG-${i}`, quantity: 4, price: 5 }],
    shipping: i % 3 === 0 ? { carrier: "ups", service: "ground" } : {},
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

test("orders that were there before are listed by carrier, field and last run as those that come now", async () => {
  const org = await hub.org();
  const long = "ä".repeat(150);
  const orders = [
    {
      number: "M-1",
      shipping: { carrier: "ups", service: "2nd day" },
      customFields: { note: long, n: 0.25, ok: false },
    },
    { number: "M-2", archived: true, customFields: { "q.e-d": 'a "b" \\ c\td' } },
    { number: "M-3", status: "shipped", shipping: { carrier: long.slice(0, 100) } },
    { number: "M-4", status: "shipped" },
  ];
  expect((await org.post("/orders/bulk", { orders })).body.summary.failed).toBe(0);
  const hold = { actions: [{ type: "hold", params: { reason: "operator" } }] };
  await org.post("/operations/run", { order_ids: ["M-1", "M-3", "M-4"], ...hold });
  await org.post("/operations/run", { order_ids: ["M-4"], actions: [{ type: "add_tags", params: { tags: ["x"] } }] });
  const read = async (db: Queryable) =>
    await db.query(
      "select is_archived, facet, created_at, order_id from order_facets where org_id = $1 order by 2, 4",
      [org.id],
    );
  const kept = await read(hub.world.db);
  expect(kept).toHaveLength(8);
  const { sql } = (await readMigrations()).find(({ name }) => name.endsWith("_selections.sql"))!;
  const undone = hub.world.db.transaction(async (tx) => {
    await tx.query("drop table order_facets");
    await tx.query(sql.slice(sql.indexOf("create table order_marks"), sql.indexOf("-- The orders that met")));
    await tx.query("alter table order_marks rename to order_facets");
    await tx.query("alter table order_facets rename column mark to facet");
    expect(await read(tx)).toEqual(kept);
    throw new Error("undo");
  });
  await expect(undone).rejects.toThrow("undo");
});

test("orders that were there before are found as those that come now", async () => {
  const org = await hub.org();
  const orders = [
    { customer: { name: "José O'Brien", email: "jose.o'brien@mail.example" }, tags: ["Gift Wrap", "VIP"] },
    {
      number: "#WEB-SO-1042",
      shippingAddress: { name: "Øystein Straße", company: "Ação & Søn’s", city: "São Paulo", zip: "01310-100" },
      lines: [{ sku: "MUG-RED-12", name: "Große Tasse (0,3 l)", quantity: 1 }],
      archived: true,
    },
  ];
  expect((await org.post("/orders/bulk", { orders })).body.summary.failed).toBe(0);
  await org.post("/operations/run", {
    order_ids: ["#WEB-SO-1042"],
    actions: [{ type: "unarchive" }, { type: "mark_shipped", params: { tracking_number: "1Z999AA10123456784" } }],
  });
  const migration = (await readMigrations()).find(({ name }) => name.endsWith("_order_search.sql"));
  const undone = hub.world.db.transaction(async (tx) => {
    await undoSearch(tx, org.id, {
      José: ["jose", "o'brien", "brien", "jose.o'brien@mail.example", "brien@mail.example", "mail.example", "example"],
      Øystein: ["øystein", "strasse", "sao", "paulo", "01310-100", "100", "acao", "søn’s", "#web-so-1042"],
    });
    const before = await wordsOf(tx, org.id);
    await tx.query(migration!.sql);
    const after = await wordsIn(tx, org.id);
    expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
    for (const [name, words] of Object.entries(before)) {
      const isForAll = (word: string): boolean => word.startsWith(`${org.id.slice(-4)}o`);
      expect([name, after[name]!.filter(isForAll)]).toEqual([name, words.filter(isForAll)]);
    }
    for (const text of ["jose obrien", "brien@mail", "oystein", "søns sao", "example"]) {
      const rows = await tx.query("select from order_search where org_id = $1 and words @@ $2::tsquery", [
        org.id,
        toSearchQuery(org.id, text, true),
      ]);
      expect([text, rows.length]).toEqual([text, 1]);
    }
    throw new Error("undo");
  });
  await expect(undone).rejects.toThrow("undo");
});

/** The tables as they were before, with the words that were kept then, by the name that is in an order. */
async function undoSearch(tx: Tx, orgId: string, words: Record<string, string[]>): Promise<void> {
  await tx.query("drop table order_search");
  await tx.query("create table order_words ()");
  await tx.query("create function order_week() returns integer language sql return 1");
  await tx.query("alter table orders add column search tsvector not null default ''");
  for (const [name, own] of Object.entries(words)) {
    await tx.query(
      `update orders set search = array_to_tsvector($3::text[])
        where org_id = $1 and coalesce(shipping_address ->> 'name', customer ->> 'name') like $2 || '%'`,
      [orgId, name, own.map((word) => orgId.slice(-6) + word)],
    );
  }
}

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
