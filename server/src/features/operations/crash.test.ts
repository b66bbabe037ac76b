import { describe, expect, test } from "vitest";
import { runBoundaries, scenarios } from "../../../../chaos/src/boundaries.ts";
import { makePlan } from "../../../../chaos/src/chaos-plan.ts";
import { runSession } from "../../../../chaos/src/chaos-session.ts";
import type { Findings, Reader } from "../../../../chaos/src/findings.ts";
import { check } from "../../../../chaos/src/checker.ts";
import type { JournalEntry } from "../../../../chaos/src/journal.ts";
import { readyDataDir } from "../../testing/ready-data-dir.ts";
import { startTestHub } from "../../testing/test-hub.ts";

// The short form of `npm run chaos`: real processes, real kills.
const quietly = (): void => {};

test("if a hub dies at any statement of a run, the next one completes it with the same result", async () => {
  const [first] = scenarios;
  const [result] = await runBoundaries({
    scenarios: [{ ...first!, moments: ["sent"] }],
    every: 12,
    withinMs: 240_000,
    log: quietly,
    dataDir: await readyDataDir(),
  });
  expect(result!.differences).toEqual([]);
  expect(result!.deaths).toBeGreaterThan(1);
  expect(result!.completedAt).toBeDefined();
});

test("kills at random moments lose no acknowledged change and repeat none", async () => {
  const { findings, kills, acknowledgements } = await runSession(
    {
      plan: makePlan(20_261_115, 5),
      size: { orders: 60, goods: 48, syncOrders: [5, 20], asyncOrders: [30, 60] },
      runners: { sync: 2, async: 1, editors: 1, makers: 1 },
      withinMs: 60_000,
      isTimePassed: true,
      dataDir: await readyDataDir(),
    },
    quietly,
  );
  expect(findings).toEqual({ lost: [], doubled: [], illegalTransitions: [], broken: [] });
  expect(kills.hub + kills.postgres + kills.both).toBe(5);
  expect(acknowledgements.run).toBeGreaterThan(0);
});

describe("the checker itself", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  const { results } = (await org.post("/orders/bulk", { orders: [{}, {}, {}] })).body;
  const ids = results.map(({ id }: { id: string }) => id);
  await org.patch(`/orders/${ids[0]}`, { customFields: { "edited.me": "me-1" } });
  const set = (await org.post("/condition-sets", { name: "chaos" })).body;
  await org.post(`/condition-sets/${set.id}/values`, { values: ["a"] });
  const actions = [
    { type: "add_tags", params: { tags: ["t1"] } },
    { type: "add_note", params: { text: "once" } },
  ];
  const run = (await org.post("/operations/run", { order_ids: ids, actions, note: "key-1" })).body;
  const goods = await org.post("/orders/bulk", {
    orders: Array.from({ length: 4 }, () => ({
      status: "ready",
      customer: { email: "ada@example.com" },
      lines: [{ sku: "MUG", quantity: 3, price: 10 }],
    })),
  });
  const goodIds: string[] = goods.body.results.map(({ id }: { id: string }) => id);
  const make = async (order_ids: string[], type: string, params: object) =>
    (await org.post("/operations/run", { order_ids, actions: [{ type, params }], note: `${type}-${order_ids[0]}` }))
      .body;
  const split = await make(goodIds.slice(0, 1), "split", { by: "value", max_value: 10 });
  await make(goodIds.slice(1, 3), "merge", {});
  await make(goodIds.slice(1, 2), "duplicate", {});
  const takenBack = await make(goodIds.slice(3), "duplicate", {});
  await org.post(`/operations/runs/${takenBack.id}/undo`);
  const madeBy = ({ results: made }: typeof split): string[] => made[0].steps[0].created_order_ids;
  const journal: JournalEntry[] = [
    { type: "orders", ids },
    { type: "orders", ids: goodIds, units: { MUG: 3 } },
    {
      type: "run",
      key: `split-${goodIds[0]}`,
      runId: split.id,
      orderIds: goodIds.slice(0, 1),
      noteText: "",
      status: split.status,
      summary: split.summary,
      made: madeBy(split),
    },
    { type: "patch", orderId: ids[0], field: "edited.me", value: "me-1" },
    { type: "values", setId: set.id, values: ["a"] },
    {
      type: "run",
      key: "key-1",
      runId: run.id,
      orderIds: ids,
      noteText: "once",
      status: run.status,
      summary: run.summary,
    },
  ];
  const seen = (status: string, done: number, at: number) => ({ runId: run.id, status, done, sentAt: at, at: at + 1 });

  async function findAfter(tampering: string, statuses = ["queued", "running", "succeeded"]): Promise<Findings> {
    let findings: Findings | undefined;
    const undo = new Error("undo");
    const tampered = hub.world.db.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query(tampering);
      const reader = { query: async (text: string, values?: unknown[]) => ({ rows: await tx.query(text, values) }) };
      const observations = statuses.map((status, i) => seen(status, status === "queued" ? 0 : 3, i * 2));
      findings = await check(reader as unknown as Reader, journal, observations);
      throw undo;
    });
    await expect(tampered).rejects.toBe(undo);
    return findings!;
  }

  test("has no findings on an intact database", async () => {
    expect(await findAfter("select 1")).toEqual({ lost: [], doubled: [], illegalTransitions: [], broken: [] });
  });

  test.each([
    ["doubled", "a note that is there twice", "update orders set notes = notes || notes"],
    ["lost", "a note that is gone", "update orders set notes = '[]'"],
    ["lost", "tags that are gone", "update orders set tags = '{}'"],
    ["lost", "an order that is gone", "delete from orders"],
    ["lost", "a result that is gone", "delete from operation_results where position = 1"],
    ["lost", "a run that is gone", "delete from operation_runs"],
    ["broken", "a run that never ended", "update operation_runs set finished_at = null"],
    ["broken", "a version without a change", "update orders set version = version + 1"],
    ["lost", "a change by hand that is gone", "delete from order_changes"],
    ["lost", "a value that is gone", "delete from condition_set_values"],
    ["broken", "tags that the list does not know", "delete from order_tags"],
    ["broken", "fields that the list does not know", "delete from order_facets"],
    [
      "doubled",
      "a key that became two runs",
      `insert into operation_runs select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid()))).*
         from operation_runs r`,
    ],
    ["lost", "an order that a step made and that is gone", "delete from orders where parent_order_id is not null"],
    [
      "doubled",
      "an order that no result says was made",
      "update orders set id = gen_random_uuid() where parent_order_id is not null",
    ],
    [
      "broken",
      "an order that is there although it was taken back",
      `update orders set id = '${madeBy(takenBack)[0]}', parent_order_id = '${goodIds[3]}' where id = '${madeBy(split)[0]}'`,
    ],
    [
      "doubled",
      "an order that two results say they have made",
      `update operation_results set steps = (select steps from operation_results where run_id = '${split.id}')
        where run_id <> '${split.id}' and order_id = '${goodIds[1]}'`,
    ],
    [
      "lost",
      "an order that was told and is in no result",
      `update operation_results set steps = '[]' where run_id = '${split.id}'`,
    ],
    [
      "lost",
      "units that a part of a split has lost",
      `update orders set lines = jsonb_set(lines, '{0,quantity}', '0') where id = '${madeBy(split)[0]}'`,
    ],
    [
      "doubled",
      "units that a part of a split has too many of",
      `update orders set lines = jsonb_set(lines, '{0,quantity}', '9') where id = '${madeBy(split)[0]}'`,
    ],
    ["doubled", "merged orders that are there beside what they became", "update orders set merged_into_id = null"],
    ["lost", "units that a merge has lost", "update orders set lines = lines - 1 where jsonb_array_length(lines) = 2"],
  ] as const)("finds as %s %s", async (list, _, tampering) => {
    expect((await findAfter(tampering))[list]).not.toEqual([]);
  });

  test.each([[["running", "queued"]], [["succeeded", "running"]], [["failed", "succeeded"]]])(
    "detects the states %s",
    async (statuses) => {
      expect((await findAfter("select 1", statuses)).illegalTransitions).toHaveLength(1);
    },
  );
});
