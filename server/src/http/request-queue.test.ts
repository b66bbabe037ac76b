import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { QueueLimits, Slot } from "./request-queue.ts";
import { createRequestQueue } from "./request-queue.ts";

const limits: QueueLimits = { slots: 4, perTenant: () => 3, maxWaiting: 5, maxWaitMs: 60_000 };
const isSlot = (acquired: Slot | { rejected: string }): acquired is Slot => "release" in acquired;
const slotOf = async (acquiring: ReturnType<ReturnType<typeof createRequestQueue>["acquire"]>): Promise<Slot> => {
  const acquired = await acquiring;
  if (!isSlot(acquired)) throw new Error(acquired.rejected);
  return acquired;
};

describe("the request queue", () => {
  test("never gives all slots to one tenant", async () => {
    const queue = createRequestQueue(limits);
    const mine = Array.from({ length: 5 }, () => queue.acquire("a"));
    expect(queue.running()).toBe(3);
    await slotOf(queue.acquire("b"));
    expect([queue.running(), queue.waiting()]).toEqual([4, 2]);
    (await slotOf(mine[0]!)).release();
    await slotOf(mine[3]!);
    expect(queue.waiting()).toBe(1);
  });

  test("serves the first request of a tenant before the second of another, however many wait", async () => {
    const queue = createRequestQueue({ ...limits, slots: 1, perTenant: () => 1, maxWaiting: 1_000 });
    const order: string[] = [];
    const work = async (tenant: string): Promise<void> => {
      const slot = await slotOf(queue.acquire(tenant));
      order.push(tenant);
      slot.release();
    };
    const blocker = await slotOf(queue.acquire("x"));
    const all = [...Array.from({ length: 500 }, () => work("busy")), work("quiet")];
    blocker.release();
    await Promise.all(all);
    expect(order.indexOf("quiet")).toBeLessThanOrEqual(1);
  });

  test("serves the tenant with the fewest running requests first, not the one with the longest queue", async () => {
    const queue = createRequestQueue({ ...limits, perTenant: () => 4, maxWaiting: 1_000 });
    const held = await Promise.all(Array.from({ length: 4 }, () => slotOf(queue.acquire("slow"))));
    const begun: string[] = [];
    const waiting = ["slow", "slow", "slow", "quiet", "quiet"].map(async (tenant) => {
      const slot = await slotOf(queue.acquire(tenant));
      begun.push(tenant);
      held.push(slot);
    });
    for (const slot of held.slice(0, 4)) {
      slot.release();
      await new Promise(setImmediate);
    }
    expect(begun).toEqual(["quiet", "quiet", "slow", "slow"]);
    for (const slot of held) slot.release();
    await Promise.all(waiting);
  });

  test("rejects requests at once when the queue is full, and after the maximum wait", async () => {
    const queue = createRequestQueue({ ...limits, slots: 1, maxWaiting: 1, maxWaitMs: 1 });
    const only = await slotOf(queue.acquire("a"));
    const waits = queue.acquire("a");
    expect(await queue.acquire("a")).toEqual({ rejected: "queue_full" });
    expect(await waits).toEqual({ rejected: "queue_timeout" });
    expect(queue.waiting()).toBe(0);
    only.release();
    only.release();
    expect(queue.running()).toBe(0);
    await slotOf(queue.acquire("a"));
  });

  test("removes a request that leaves the queue, and no other", async () => {
    const queue = createRequestQueue({ ...limits, slots: 1, perTenant: () => 1 });
    const blocker = await slotOf(queue.acquire("a"));
    const leaves: (() => void)[] = [];
    const waiting = Array.from({ length: 3 }, () => queue.acquire("a", (leave) => leaves.push(leave)));
    leaves[1]!();
    expect(await waiting[1]).toEqual({ rejected: "left" });
    expect(queue.waitingOf("a")).toBe(2);
    blocker.release();
    const first = await slotOf(waiting[0]!);
    // It has its slot already.
    leaves[0]!();
    expect([queue.running(), queue.waitingOf("a")]).toEqual([1, 1]);
    first.release();
    (await slotOf(waiting[2]!)).release();
    expect([queue.running(), queue.waiting(), 0]).toEqual([0, 0, 0]);
  });

  test("serves requests that reacquire their slot before new ones", async () => {
    const queue = createRequestQueue({ ...limits, slots: 1, perTenant: () => 1 });
    const order: number[] = [];
    const blocker = await slotOf(queue.acquire("a"));
    const note = (n: number, isFirst: boolean) =>
      (isFirst ? queue.reacquire("a") : slotOf(queue.acquire("a"))).then((slot) => {
        order.push(n);
        slot.release();
      });
    const all = [note(1, false), note(2, false), note(3, true)];
    blocker.release();
    await Promise.all(all);
    expect(order).toEqual([3, 1, 2]);
  });

  test("loses no slot, breaks no limit, and lets no request wait while there is room, under any history", async () => {
    const step = fc.oneof(fc.record({ take: fc.constantFrom("a", "b", "c") }), fc.record({ end: fc.nat({ max: 50 }) }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const queue = createRequestQueue({ ...limits, maxWaiting: 1_000 });
        const held: { tenant: string; slot: Slot }[] = [];
        const wanting = new Map(["a", "b", "c"].map((tenant) => [tenant, 0]));
        const settle = () => new Promise(setImmediate);
        for (const one of steps) {
          if ("take" in one) {
            const tenant = one.take;
            wanting.set(tenant, wanting.get(tenant)! + 1);
            void slotOf(queue.acquire(tenant)).then((slot) => held.push({ tenant, slot }));
          } else if (held.length > 0) {
            const [gone] = held.splice(one.end % held.length, 1);
            wanting.set(gone!.tenant, wanting.get(gone!.tenant)! - 1);
            gone!.slot.release();
          }
          await settle();
          const working = (tenant: string): number => held.filter((one) => one.tenant === tenant).length;
          expect(queue.running()).toBe(held.length);
          for (const tenant of "abc") expect(working(tenant)).toBeLessThanOrEqual(3);
          const hasRoom = held.length < 4;
          const isKept = [...wanting].some(([tenant, count]) => count > working(tenant) && working(tenant) < 3);
          expect(hasRoom && isKept).toBe(false);
        }
        while (held.length > 0) {
          held.pop()!.slot.release();
          await settle();
        }
        expect([queue.running(), queue.waiting()]).toEqual([0, 0]);
      }),
    );
  });
});
