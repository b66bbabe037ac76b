import fc from "fast-check";
import { expect, test } from "vitest";
import { readMigrations } from "../../../db/migrate.ts";
import { openPushDesk } from "../../../testing/push-desk.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const { shop, aBridge, journalOf, anOrder, ship, shippedOrder, correct } = await openPushDesk(hub);

const faults = ["drop_after", "drop_before", "unauthorized", "error", "rate_limit", "truncated"] as const;
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ push: fc.subarray([0, 1, 2], { minLength: 1 }), forceResend: fc.constant(false) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ push: fc.subarray([0, 1, 2], { minLength: 1 }), forceResend: fc.constant(true) }),
  },
  { weight: 3, arbitrary: fc.record({ fault: fc.constantFrom(...faults), skip: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ correct: fc.nat(2) }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

test.each(["blind", "findable", "keyed", "correctable"] as const)(
  "whatever is executed and whatever fails, a shipment arrives once and each `forceResend` adds at most one: %s",
  async (way) => {
    const { push } = await aBridge(way);
    const check = async (commands: Command[]): Promise<void> => {
      shop.calm();
      const orders = [await shippedOrder("A"), await shippedOrder("B"), await shippedOrder("C")];
      const allowed = orders.map(() => 1);
      const arrived = (at: number) => journalOf(orders[at]!.number).filter((kind) => kind.startsWith("order.create"));
      let corrections = 0;
      for (const step of commands) {
        if ("fault" in step) shop.inject({ kind: step.fault, match: "/rest/", skip: step.skip, retryAfterSeconds: 0 });
        else if ("correct" in step) await correct(orders[step.correct]!.id, `N-${++corrections}`);
        else {
          if (step.forceResend) for (const at of step.push) allowed[at]!++;
          const refs = step.push.map((at) => orders[at]!.id);
          const { result } = await push(refs, step.forceResend ? { forceResend: true } : {});
          for (const [index, at] of step.push.entries()) {
            const { status } = result.results[index];
            expect(arrived(at).length).toBeLessThanOrEqual(allowed[at]!);
            if (status === "sent" || status === "already_sent") expect(arrived(at).length).toBeGreaterThan(0);
          }
        }
      }
      shop.calm();
      const last = (await push(orders.map(({ id }) => id))).result.results;
      for (const [at, { status }] of last.entries()) {
        expect(arrived(at).length).toBeLessThanOrEqual(allowed[at]!);
        // Whoever can be asked, or knows keys, has everything in the end.
        if (status !== "outcome_unknown") expect(arrived(at).length).toBeGreaterThan(0);
        if (way === "keyed") expect(status).not.toBe("outcome_unknown");
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 8 }), check), {
      numRuns: Number(process.env.EFFECT_SEQUENCES ?? 8),
    });
  },
);

test("what was sent before facts were kept is not sent again", async () => {
  shop.calm();
  const { push } = await aBridge("blind");
  const exporting = await aBridge("blind", {}, "orders.export");
  const [sent, unknown, failed] = [await shippedOrder("L-1"), await shippedOrder("L-2"), await shippedOrder("L-3")];
  const parts = await anOrder();
  await ship(parts.id, "L-4", 1);
  await ship(parts.id, "L-5", 1);
  shop.inject({ kind: "drop_after", match: "POST /rest/plain", skip: 1 });
  shop.inject({ kind: "unauthorized", match: "POST /rest/plain", skip: 1 });
  const orders = [sent, unknown, failed, parts];
  await push(orders.map(({ id }) => id));
  await exporting.push([sent.id]);
  await asBefore();
  await ship(parts.id, "L-6", 1);
  const later = (await push(orders.map(({ id }) => id))).result;
  const statuses = later.results.map(({ status }: { status: string }) => status);
  expect(statuses).toEqual(["already_sent", "outcome_unknown", "sent", "sent"]);
  expect(later.results[3].shipments).toMatchObject([
    { status: "already_sent" },
    { status: "already_sent" },
    { status: "sent" },
  ]);
  expect((await exporting.push([sent.id])).result.summary.alreadySent).toBe(1);
  expect(orders.map(({ number }) => journalOf(number).length)).toEqual([2, 1, 1, 3]);
});

/** As 0.1.0 has left it: a row for each execution and order, under a key of the execution. Then upgraded. */
async function asBefore(): Promise<void> {
  const migration = (await readMigrations()).find(({ name }) => name.endsWith("_effects_of_facts.sql"))!;
  await hub.world.db.transaction(async (tx) => {
    await tx.query(
      "delete from task_effects f using task_effects o where o.order_id = f.order_id and o.task_name = f.task_name and o.part < f.part",
    );
    await tx.query("drop index task_effects_by_revision");
    await tx.query(
      `alter table task_effects drop column bridge_id, drop column task_name, drop column part, drop column revision,
         drop column opened_by, drop column is_closed, drop column site, drop column content, drop column order_version,
         drop column shipment, drop column attempt`,
    );
    // Another execution that did not get through, and one that did: what arrived counts.
    await tx.query(
      `insert into task_effects (org_id, effect_key, execution_id, order_id, status, created_at, updated_at)
       select org_id, effect_key || '-twin', execution_id, order_id, 'failed', created_at, updated_at + interval '1 s'
         from task_effects where status = 'done'`,
    );
    await tx.query(migration.sql);
    await tx.query("alter table task_effects rename column generation to revision");
    await tx.query("alter index task_effects_by_fact rename to task_effects_by_revision");
  });
}
