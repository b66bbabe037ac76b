import { beforeAll, describe, expect, test } from "vitest";
import { findRun } from "../features/operations/run/runs.store.ts";
import { readOrders } from "../features/orders/orders.store.ts";
import { findShipment } from "../features/shipments/shipments.store.ts";
import { buildOneOfEverything } from "../testing/builders.ts";
import { startTestHub } from "../testing/test-hub.ts";
import type { Database, Queryable } from "./database.ts";
import { openDatabase, sqlState } from "./database.ts";

const hub = await startTestHub();
const { db } = hub.world;
const [ours, theirs] = [await hub.org(), await hub.org()];
let foreign: Awaited<ReturnType<typeof buildOneOfEverything>>;
let mine: Database;

const tables = (
  await db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attname = 'org_id' order by 1`,
  )
).map(({ name }) => name);

beforeAll(async () => {
  await buildOneOfEverything(ours);
  foreign = await buildOneOfEverything(theirs);
  mine = db.forOrg(ours.id);
  // Sealed, so that there is something in the log.
  await theirs.get("/audit/events");
});

const codeOf = async (asked: Promise<unknown>): Promise<string | undefined> =>
  await asked.then(() => undefined, sqlState);

describe("a table with org_id", () => {
  test("is one of more than 25", () => expect(tables.length).toBeGreaterThan(25));

  test.each(tables)("shows and accepts rows of one organization only: %s", async (table) => {
    const [policy] = await db.query<{ on: boolean; policies: number }>(
      `select relrowsecurity as on, (select count(*) from pg_policy where polrelid = c.oid) as policies
         from pg_class c where oid = $1::regclass`,
      [table],
    );
    expect(policy).toEqual({ on: true, policies: 1 });
    const strangers = `select count(*) as n from ${table} where org_id is distinct from '${ours.id}'`;
    expect(await mine.query(strangers)).toEqual([{ n: 0 }]);
    expect(await db.forOrg(crypto.randomUUID()).query(`select count(*) as n from ${table}`)).toEqual([{ n: 0 }]);
    // Neither taken from them nor given to them.
    if (table === "events" || table === "unsealed_events") return;
    const taken = `with t as (update ${table} set org_id = org_id where org_id = '${theirs.id}' returning 1)`;
    expect(await mine.query(`${taken} select count(*) as n from t`)).toEqual([{ n: 0 }]);
  });

  test("accepts no rows for another organization", async () => {
    const insert = "insert into condition_sets (id, org_id, name) values (gen_random_uuid(), $1, 'A gift')";
    expect(await codeOf(mine.query(insert, [theirs.id]))).toBe("42501");
  });

  test("shows all rows to work for all organizations", async () => {
    const seen = await Promise.all(
      ["orders", "events", "users"].map((table) => db.query(`select from ${table} where org_id = $1`, [theirs.id])),
    );
    expect(seen.map((rows) => rows.length > 0)).toEqual([true, true, true]);
  });
});

describe("every table of the database", () => {
  test("is under row-level security, or out of reach of requests", async () => {
    const open = await db.query<{ name: string }>(
      `select c.relname as name from pg_class c
        where c.relkind in ('r', 'p', 'm', 'f') and c.relnamespace = 'public'::regnamespace
          and not (c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))
          and has_table_privilege('hub_org', c.oid, 'select, insert, update, delete, truncate, references, trigger')`,
    );
    expect(open).toEqual([]);
  });

  test("shows an organization nothing of another one", async () => {
    const all = await db.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
          and has_table_privilege('hub_org', c.oid, 'select') order by 1`,
    );
    const strangers = db.forOrg(crypto.randomUUID());
    const rows: string[] = [];
    for (const { name } of all) {
      if ((await strangers.query(`select from ${name} limit 1`)).length > 0) rows.push(name);
    }
    expect(rows).toEqual([]);
  });

  test("without org_id shows rows of the own organization, and accepts none for a parent of another", async () => {
    const parts = [
      ["condition_set_values", "set_id", foreign.condition_set],
      ["operation_results", "run_id", foreign.operation_run],
      ["rate_items", "comparison_id", foreign.rate_comparison],
    ] as const;
    for (const [table, key, id] of parts) {
      const count = `select count(*)::integer as n from ${table} where ${key} = '${id}'`;
      const [seen, there, own] = [
        await mine.query<{ n: number }>(count),
        await db.query<{ n: number }>(count),
        await mine.query<{ n: number }>(`select count(*)::integer as n from ${table}`),
      ];
      expect([table, seen[0]!.n]).toEqual([table, 0]);
      expect([table, there[0]!.n > 0, own[0]!.n > 0]).toEqual([table, true, true]);
    }
    const gift = "insert into condition_set_values (set_id, match_key, value) values ($1, 'gift', 'gift')";
    expect(await codeOf(mine.query(gift, [foreign.condition_set]))).toBe("42501");
    const chunk = "insert into operation_run_batches (run_id, position, refs, order_ids, todo, is_done)";
    const chunkOf = (id: string) => mine.query(`${chunk} values ($1, 99, '{}', '{}', '{}', true)`, [id]);
    expect(await codeOf(chunkOf(foreign.operation_run))).toBe("42501");
    expect((await mine.query("select from organizations")).length).toBe(1);
  });
});

test("every view runs with the permissions of its caller", async () => {
  const views = await db.query<{ reloptions: string[] | null }>(
    "select reloptions from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace",
  );
  expect(views.length).toBeGreaterThan(0);
  for (const { reloptions } of views) expect(reloptions).toContain("security_invoker=true");
});

describe("a statement without its organization filter", () => {
  /** As if the condition had been forgotten. */
  const forgetful = (asked: Queryable): Queryable => ({
    query: (statement, values) => {
      const text = typeof statement === "string" ? statement : statement.text;
      const without = text.replaceAll(/(\w+\.)?org_id = (\$\d+)/g, "$2::uuid is not null");
      expect(without).not.toBe(text);
      return asked.query(without, values);
    },
  });
  const reads: [string, (asked: Queryable) => Promise<unknown>][] = [
    ["order", async (asked) => (await readOrders(asked, ours.id, [foreign.order]))[0]],
    ["shipment", (asked) => findShipment(asked, ours.id, foreign.shipment)],
    ["run", (asked) => findRun(asked, ours.id, foreign.operation_run)],
  ];
  test.each(reads)("still shows no foreign %s", async (_, read) => {
    expect(await read(forgetful(mine))).toBeUndefined();
    expect(await mine.transaction((tx) => read(forgetful(tx)))).toBeUndefined();
    // The very same without row-level security: it would have shown it.
    expect(await read(forgetful(db))).toMatchObject({ id: expect.any(String) });
  });
});

test("the audit log can be written and read, and nothing else", async () => {
  const statements = ["update events set type = 'x'", "delete from events", "truncate events", "drop table events"];
  statements.push("alter table events disable trigger all", "alter table events disable row level security");
  for (const statement of statements)
    expect([statement, await codeOf(mine.query(statement))]).toEqual([statement, "42501"]);
  expect((await mine.query("select from events limit 1")).length).toBe(1);
});

test("one connection serves all organizations in turn, and each sees only its own rows", async () => {
  const one = openDatabase({ connection: hub.connection, maxConnections: 1, onError: () => {} });
  await one.enableRowSecurity();
  const owners = "select distinct org_id::text as org from users order by 1";
  const all = await one.query(owners);
  expect(all.length).toBeGreaterThan(2);
  const sights = [ours.id, theirs.id, null];
  const fails = "select 1 / 0";
  for (const former of sights) {
    for (const sight of sights) {
      const [before, now] = [former, sight].map((id) => (id === null ? one : one.forOrg(id)));
      const expected = sight === null ? all : [{ org: sight }];
      const ways = [
        () => before!.query("select 1"),
        () => before!.query(fails),
        () => before!.transaction((tx) => tx.query("select 1")),
        () => before!.transaction((tx) => tx.query(fails)),
      ];
      for (const way of ways) {
        await way().catch(() => {});
        expect(await now!.query(owners)).toEqual(expected);
        await way().catch(() => {});
        expect(await now!.transaction((tx) => tx.query(owners))).toEqual(expected);
      }
    }
  }
  await one.close();
});
