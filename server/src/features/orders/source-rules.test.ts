import fc from "fast-check";
import { expect, test } from "vitest";
import { canMove } from "../../core/states.ts";
import { orderLimits } from "../../core/order-limits.ts";
import { anEnv } from "../../testing/an-evaluation.ts";
import { aHold, aLine, anOrder } from "../../testing/an-order.ts";
import { followSource } from "./import/follow-source.ts";
import type { Order } from "./order.ts";
import { isOnHold } from "./order.ts";
import type { ImportedOrder } from "./orders.schemas.ts";
import { onTheWay, openStatuses, orderMoves, orderStatuses, paymentStatuses } from "./orders.states.ts";
import { sourceFacts, sourceVerdict } from "./source-rules.ts";

const before = ["draft", "new", "review_required", "awaiting_payment", "ready"] as const;
const all = sourceFacts.flatMap((fact) => orderStatuses.map((status) => ({ fact, status })));

/** Spelled out once more, state by state, so that no change of the rules goes unnoticed. */
const expected: Record<string, string> = {
  draft: "aCaaaaaaaaaa",
  new: "aCaaaaaaaaaa",
  review_required: "aCaaaaaaaaaa",
  awaiting_payment: "aCaaaaaaaaaa",
  ready: "aCaaaaaaaaaa",
  sent: "aCRRaCCCaaaa",
  partially_shipped: "aCCCaCCaaaaa",
  shipped: "aaKKaKKKaaaa",
  delivered: "aaKKaKKKaaaa",
  cancelled: "KaaaaaaKaKKK",
};

test("there is a rule for every status and every report of a source", () => {
  const letters = { apply: "a", recall: "R", conflict: "C", keep: "K" };
  const rows = orderStatuses.map((status) => [
    status,
    sourceFacts.map((fact) => letters[sourceVerdict(status, fact)]).join(""),
  ]);
  expect(Object.fromEntries(rows)).toEqual(expected);
});

test("the rules protect orders at the partner and shipped orders", () => {
  expect(all).toHaveLength(120);
  for (const { fact, status } of all) {
    const verdict = sourceVerdict(status, fact);
    // Only what is with a partner can be asked back, and only what can still leave is worth a hold.
    if (verdict === "recall") expect(status).toBe("sent");
    if (verdict === "conflict") expect(openStatuses).toContain(status);
    // As long as all of it is here, nothing the source says is passed over.
    if (before.some((one) => one === status)) expect(["apply", "conflict"]).toContain(verdict);
    // Others act on what they were told: nothing of it changes silently.
    const isTold =
      fact === "cancelled" || fact === "deleted" || fact === "address_changed" || fact === "quantity_changed";
    if (isTold && onTheWay.includes(status)) expect(verdict, `${fact} ${status}`).not.toBe("apply");
  }
});

const anyStatus = fc.constantFrom(...orderStatuses);
const ofSource = aHold({ id: "h1", handle: "source_cancelled", reason: "source_conflict", source: "bridge" });
const anyOrder: fc.Arbitrary<Order> = fc
  .record({
    status: anyStatus,
    paymentStatus: fc.constantFrom(...paymentStatuses),
    holds: fc.constantFrom<Order["holds"][]>([], [aHold()], [ofSource], [aHold(), ofSource]),
    lines: fc.constantFrom<Order["lines"][]>(
      [aLine({ id: "a", quantity: 2 })],
      [aLine({ id: "a", quantity: 2, shippedQuantity: 1 })],
      [aLine({ id: "a", quantity: 2, shippedQuantity: 2 })],
    ),
    tags: fc.constantFrom(
      ["vip"],
      Array.from({ length: orderLimits.tags }, (_, i) => `t${i}`),
    ),
    mergedIntoId: fc.constantFrom(null, null, null, "0199f0a0-0000-7000-8000-00000000a009"),
  })
  .map((given) => anOrder(given));

const anyWord: fc.Arbitrary<ImportedOrder> = fc.record(
  {
    status: anyStatus,
    paymentStatus: fc.constantFrom(...paymentStatuses),
    shippingAddress: fc.constantFrom(anOrder().shippingAddress!, { city: "Peoria" }),
    lines: fc.constantFrom(
      [{ id: "a", sku: "A", quantity: 2 }],
      [{ id: "a", sku: "A", quantity: 3, shippedQuantity: 1 }],
      [{ id: "a", sku: "A", quantity: 2, shippedQuantity: 2 }],
    ),
    tags: fc.constantFrom(["vip"], ["gift", "late"]),
    hold: fc.constantFrom(null, {}, { reason: "high_risk_of_fraud" as const }),
    deleted: fc.boolean(),
  },
  { requiredKeys: [] },
);

const env = () => anEnv();

/** The order and what the source has said by then, after each of these words. */
function hear(order: Order, words: ImportedOrder[], canRecall: boolean) {
  let [current, snapshot] = [order, undefined as Record<string, string> | undefined];
  const steps = words.map((said) => {
    const followed = followSource(current, said, snapshot, env(), canRecall);
    const step = { before: current, said, followed, after: { ...current, ...followed.patch } };
    [current, snapshot] = [step.after, followed.snapshot];
    return step;
  });
  return { steps, current, snapshot };
}

const words = fc.array(anyWord, { minLength: 1, maxLength: 4 });

test("for any reports of a source, an order changes only as the rules allow, and every refused report is recorded", () => {
  fc.assert(
    fc.property(anyOrder, words, fc.boolean(), (order, said, canRecall) => {
      const given = structuredClone(order);
      for (const { before: was, said: word, followed, after } of hear(order, said, canRecall).steps) {
        const isMove = was.status !== after.status;
        const hasLeft = onTheWay.includes(after.status) && openStatuses.includes(was.status);
        if (isMove) expect(hasLeft || canMove(orderMoves, was.status, after.status)).toBe(true);
        // Only the partner can stop an order that it has.
        if (was.status === "sent") expect(after.status).not.toBe("cancelled");
        if (was.mergedIntoId !== null) expect(isMove).toBe(false);
        const isAway = onTheWay.includes(was.status);
        if (isAway) expect(after.shippingAddress).toEqual(was.shippingAddress);
        if (isAway)
          expect(after.lines.map(({ quantity }) => quantity)).toEqual(was.lines.map(({ quantity }) => quantity));
        for (const [i, line] of after.lines.entries()) {
          expect(line.shippedQuantity).toBeLessThanOrEqual(line.quantity);
          expect(line.shippedQuantity).toBeGreaterThanOrEqual(was.lines[i]!.shippedQuantity);
        }
        expect(after.tags.length).toBeLessThanOrEqual(orderLimits.tags);
        if (followed.conflicts.length > 0) expect(isOnHold(after)).toBe(true);
        if (followed.isRecalled) expect([canRecall, was.status]).toEqual([true, "sent"]);
        expect(new Set(after.holds.map(({ handle }) => handle)).size).toBe(after.holds.length);
        // Money is no matter of opinion.
        if (word.paymentStatus !== undefined && !followed.kept.includes("paymentStatus")) {
          expect(after.paymentStatus).toBe(word.paymentStatus);
        }
      }
      expect(order).toEqual(given);
    }),
    { numRuns: 3000 },
  );
});

test("a repeated report is no change", () => {
  fc.assert(
    fc.property(anyOrder, words, fc.boolean(), (order, said, canRecall) => {
      const { steps, current, snapshot } = hear(order, said, canRecall);
      const again = followSource(current, steps.at(-1)!.said, snapshot, env(), canRecall);
      expect(again.patch.status ?? current.status).toBe(current.status);
      expect(again.patch.holds ?? current.holds).toEqual(current.holds);
      expect(again.patch.lines ?? current.lines).toEqual(current.lines);
      expect([again.conflicts, again.isRecalled, [...again.leftOut]]).toEqual([[], false, []]);
    }),
    { numRuns: 3000 },
  );
});
