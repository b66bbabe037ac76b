import fc from "fast-check";
import { expect, test } from "vitest";
import { pushFixture } from "../../../testing/push-fixture.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const { shop, aBridge, journalOf, shippedOrder, correct } = await pushFixture(hub);

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
  "with any executions and failures a shipment arrives once, and each `forceResend` adds at most one: %s",
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
        // A shop with lookups or keys has everything in the end.
        if (status !== "outcome_unknown") expect(arrived(at).length).toBeGreaterThan(0);
        if (way === "keyed") expect(status).not.toBe("outcome_unknown");
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 8 }), check), {
      numRuns: Number(process.env.EFFECT_SEQUENCES ?? 8),
    });
  },
);
