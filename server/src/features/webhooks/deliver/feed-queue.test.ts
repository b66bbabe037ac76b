import fc from "fast-check";
import { expect, test } from "vitest";
import type { SealedEvent } from "../../../events/event-envelope.ts";
import { createFeedQueue } from "./feed-queue.ts";
import type { Delivery } from "./webhook-work.store.ts";

const now = new Date("2026-11-16T12:00:00Z");

function deliveryOf(sequence: number, dueAt: Date | null = null): Delivery {
  const [orgId, objectId, id] = ["org", "object", `event ${sequence}`];
  const actor = { type: "system", name: "test" } as const;
  const event: SealedEvent = {
    orgId,
    objectId,
    id,
    sequence,
    hash: Buffer.alloc(32),
    type: "order.created",
    actor,
    objectType: "order",
    requestId: null,
    data: {},
    occurredAt: now,
  };
  return { event, tries: 0, attempts: 0, nextTryAt: null, dueAt };
}

test("the cursor never passes what is not written down, and passes all of what is", () => {
  const step = fc.constantFrom("read", "send", "write");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(fc.nat(9)), (steps, picks) => {
      const queue = createFeedQueue(100);
      const left = new Set<number>();
      const open: Delivery[] = [];
      let [last, nth] = [100, 0];
      for (const one of steps) {
        if (one === "read") {
          const found = [last + 1, last + 3].map((sequence) => deliveryOf(sequence));
          last += 5;
          for (const { event } of found) left.add(event.sequence);
          queue.add(found, last, false, now);
        } else if (one === "send" && queue.waiting() > 0) open.push(queue.take());
        else if (one === "write" && open.length > 0) {
          // In whatever order they end.
          const [delivery] = open.splice((picks[nth++] ?? 0) % open.length, 1);
          const { to } = queue.moveWithout([{ delivery: delivery! }]);
          left.delete(delivery!.event.sequence);
          expect(to).toBe(left.size === 0 ? last : Math.min(...left) - 1);
          queue.close(delivery!);
          expect(queue.move(to)).toBe(true);
        }
      }
      expect([queue.move(last + 1), queue.move(99)]).toEqual([false, false]);
    }),
    { numRuns: 200 },
  );
});

test("fresh events go before what came due within a minute, and behind what has waited for longer; in strict order by number", () => {
  const ago = (ms: number): Date => new Date(now.getTime() - ms);
  const found = [deliveryOf(5), deliveryOf(4), deliveryOf(2, ago(30_000)), deliveryOf(3, ago(90_000))];
  const orderOf = (isStrict: boolean): number[] => {
    const queue = createFeedQueue(0);
    queue.add(found, 5, isStrict, now);
    return found.map(() => queue.take().event.sequence);
  };
  expect(orderOf(false)).toEqual([3, 4, 5, 2]);
  expect(orderOf(true)).toEqual([2, 3, 4, 5]);
});
