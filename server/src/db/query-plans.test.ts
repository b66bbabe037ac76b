import { beforeAll, describe, expect, test } from "vitest";
import type { Ctx } from "../context.ts";
import { systemContext } from "../context.ts";
import { runLeases } from "../features/operations/run/runs.store.ts";
import { listParcelLines } from "../features/invoices/audit/audit-input.store.ts";
import { listOrders } from "../features/orders/orders.ts";
import { seedPreview } from "../features/preview/preview.ts";
import { listShipments } from "../features/shipments/shipments.ts";
import { taskLeases } from "../features/tasks/engine/attempts.store.ts";
import { recordEvent } from "../events/record-event.ts";
import { createSealer } from "../events/sealer.ts";
import { recordStatements, scansInTransaction, scansOf } from "../testing/query-plans.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { findBegin } from "../features/events/events.ts";
import type { Database } from "./database.ts";

const hub = await startTestHub({ environment: "preview", rowSecurity: false });
const org = await hub.org();
const ctx = systemContext(hub.world, org.id, "test");

beforeAll(async () => {
  await seedPreview(ctx);
  await ctx.db.query("analyze");
});

/** Scans of the statements of `work` that read this table. */
async function plansFor(table: string, work: (ctx: Ctx) => Promise<unknown>, settings?: string): Promise<string[][]> {
  const statements = await recordStatements(ctx.db, (db: Database) => work({ ...ctx, db }));
  const reading = statements.filter(({ text }) => new RegExp(String.raw`\b(from|join|update) ${table}\b`).test(text));
  expect(reading.length).toBeGreaterThan(0);
  return await Promise.all(
    reading.map((statement) => scansInTransaction(ctx.db, { ...statement, opening: settings ?? statement.opening })),
  );
}

describe("lists of orders read the newest page from an index", () => {
  const page = { page: 1, limit: 25 } as const;
  for (const [name, query] of [
    ["unfiltered", {}],
    ["by status", { status: "ready" }],
    ["by tag", { tag: "vip" }],
  ] as const) {
    test(`list ${name}`, async () => {
      const scans = (await plansFor("orders", (own) => listOrders(own, { ...page, ...query }))).flat();
      expect(scans.filter((scan) => scan.startsWith("orders:"))).not.toContain("orders: Seq Scan");
    });
  }
});

// The demo data is too small for these indexes to pay, and which of them is cheapest depends on the day: sequential scans are off, and
// the other indexes do not exist. The test is whether conditions and order of the statement match the index.
describe("lists of shipments can use their partial indexes", () => {
  const page = { page: 1, limit: 25 } as const;
  for (const [index, query] of [
    ["shipments_by_service", { service: "ground" }],
    ["shipments_by_state", { state: "HI" }],
    ["shipments_by_outcome", { onTime: true }],
    ["shipments_by_outcome", { leftOut: "no_promise,cancelled,returned", evaluatedFrom: "2026-01-01T00:00:00Z" }],
    ["shipments_by_account", { carrierAccountId: "01900000-0000-7000-8000-000000000001" }],
    ["shipments_by_zone", { zone: "5" }],
    ["shipments_by_lane", { lane: "NJ-NY" }],
  ] as const) {
    test(`list by ${index}: ${Object.keys(query).join(", ")}`, async () => {
      const list = (own: Ctx) => listShipments(own, { ...page, ...query });
      const statements = await recordStatements(ctx.db, (db) => list({ ...ctx, db }));
      const [listing] = statements.filter(({ text }) => /\bfrom shipments\b/.test(text));
      expect(await scansWithOnly(index, listing!)).toEqual(expect.arrayContaining([expect.stringContaining(index)]));
    });
  }
});

/** Plans as if this were the only index of shipments besides the keys; nothing is kept. */
async function scansWithOnly(index: string, statement: Parameters<typeof scansOf>[1]): Promise<string[]> {
  const undone = new Error("undone");
  let scans: string[] = [];
  await ctx.db
    .transaction(async (tx) => {
      const others = await tx.query<{ name: string }>(
        `select indexrelid::regclass::text as name from pg_index
          where indrelid = 'shipments'::regclass and not indisunique and indexrelid <> $1::regclass`,
        [index],
      );
      await tx.query(`drop index ${others.map(({ name }) => name).join(", ")}`);
      await tx.query("set local enable_seqscan = off");
      scans = await scansOf(tx, statement);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return scans;
}

test("an audit reads lines by parcel, also of an invoice that was just imported and has no statistics", async () => {
  const [invoice] = await ctx.db.query<{ id: string }>("select id from invoices limit 1");
  await ctx.db.query("delete from pg_statistic where starelid = 'invoice_lines'::regclass");
  await ctx.db.query(
    `insert into invoice_lines
     select made.*
       from (select * from invoice_lines where invoice_id = $1 and parcel_number is not null limit 1) line,
            generate_series(1, 30000) n,
            jsonb_populate_record(null::invoice_lines,
              to_jsonb(line) || jsonb_build_object('position', 10000 + n, 'parcel_number', '1Z' || n)) made`,
    [invoice!.id],
  );
  const parcels = Array.from({ length: 1_000 }, (_, at) => `1Z${at}`);
  const [statement] = await recordStatements(ctx.db, (db) => listParcelLines(db, org.id, invoice!.id, parcels));
  const scans = await scansOf(ctx.db, statement!);
  expect(scans.filter((scan) => scan.includes("invoice_lines"))).toEqual(["invoice_lines: invoice_lines_by_parcel"]);
});

describe("a claim uses the index of due rows, for any statistics", () => {
  const now = new Date();
  const claim = { owner: crypto.randomUUID(), limit: 10, mayTakeOver: true, quotas: { byOrg: new Map(), others: 5 } };
  for (const [table, claiming] of [
    ["operation_runs", (db: Database) => runLeases.claimAcrossOrgs(db, { ...claim, now, values: [now] })],
    [
      "task_executions",
      (db: Database) => taskLeases.claimAcrossOrgs(db, { ...claim, now, values: [now, now.toISOString()] }),
    ],
  ] as const) {
    test(`claim from ${table}`, async () => {
      const [scans] = await plansFor(table, (own) => claiming(own.db));
      expect(scans).not.toContain(`${table}: Seq Scan`);
      expect(scans).toContain(`${table}: ${table}_due`);
    });
  }
});

test("sealing moves the events of one organization by the primary key, also when the table has grown", async () => {
  const quiet = { ...ctx, sealer: { ...ctx.sealer, nudge: () => {} } };
  await ctx.db.transaction(async (tx) => {
    for (let i = 0; i < 20; i++) recordEvent(tx, quiet, { type: "preview.reset", objectId: ctx.orgId });
  });
  const statements = await recordStatements(ctx.db, async (db) => {
    const sealer = createSealer(db, ctx.sealer.signer, { onError: () => {} });
    await sealer.sealNow(ctx.orgId);
    await sealer.stop();
  });
  const moving = statements.filter(({ text }) => /unsealed_events/.test(text) && !/distinct/.test(text));
  expect(moving.length).toBeGreaterThan(1);
  await ctx.db.transaction(async (tx) => {
    await tx.query("select set_config('hub.is_sealing', 'yes', true)");
    await tx.query("set local enable_seqscan = off");
    for (const statement of moving) {
      const scans = await scansOf(tx, statement);
      expect(scans.filter((scan) => scan.startsWith("unsealed_events"))).toEqual([
        "unsealed_events: unsealed_events_pkey",
      ]);
    }
  });
});

test("the begin of a feed is found by the primary key, with row-level security", async () => {
  const secured = await startTestHub();
  const { id } = await secured.org();
  const db = secured.world.db.forOrg(id);
  const statements = await recordStatements(db, (own) =>
    findBegin(own, id, new Date(), { sequence: 100, hash: Buffer.of() }),
  );
  expect(statements).toHaveLength(1);
  const [{ text, values }] = statements as [(typeof statements)[number]];
  const plan = await db.transaction(
    async (tx) => await tx.query<{ "QUERY PLAN": string }>(`explain ${text}`, values),
    "set local enable_seqscan = off",
  );
  expect(plan.map((line) => line["QUERY PLAN"]).join("\n")).toMatch(/Index Cond: .*sequence = /);
});
