import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { findLast } from "../../events/chain.ts";
import type { Position, SealedEvent } from "../../events/event-envelope.ts";
import { cursorOf, envelopeOf, objectIdsOf } from "../../events/event-envelope.ts";
import type { Loop } from "../../queue/loop.ts";
import { startLoop } from "../../queue/loop.ts";
import * as store from "./events.store.ts";

/** The newest events of an organization, read once for all streams of this process. */
export type Tail = {
  /** Events after this number; undefined: too old, read the table. */
  after(sequence: number): TailEvent[] | undefined;
  last(): Position;
  /** Resolves on new events, after `maxMs`, or at the end. */
  change(ended: AbortSignal, maxMs: number): Promise<void>;
  leave(): void;
};

export type TailEvent = Pick<SealedEvent, "sequence" | "type" | "occurredAt"> & {
  /** The object of the event, and those that it names. */
  objectIds: string[];
  block: string;
};

const ring = 1_000;
const ringBytes = 4 * 1024 * 1024;
const batchSize = 500;
/** Poll interval, for lost signals. */
export const pollIntervalMs = 15_000;

type Shared = Omit<Tail, "leave"> & { loop: Loop };
type Followed = { opening: Promise<Shared>; followers: number };

const tails = perWorld((world) => {
  const byOrg = new Map<string, Followed>();
  const wake = (orgId: string): void =>
    void byOrg.get(orgId)?.opening.then(
      ({ loop }) => loop.wake(),
      () => {},
    );
  world.signals.subscribe("events", wake);
  world.signals.onGap(() => {
    for (const orgId of byOrg.keys()) wake(orgId);
  });
  // A new log: streams that start now must not continue the numbers of the old one.
  world.signals.subscribe("reset", () => byOrg.clear());
  return { world, byOrg };
});

/** Follows the log of an organization until `leave`. */
export async function joinTail(world: World, orgId: string): Promise<Tail> {
  const { byOrg, world: own } = tails(world);
  const followed = byOrg.getOrInsertComputed(orgId, () => ({ opening: open(own, orgId), followers: 0 }));
  // Before any await: the last follower to leave closes the tail.
  followed.followers++;
  let hasLeft = false;
  const leave = (): void => {
    if (hasLeft) return;
    hasLeft = true;
    if (--followed.followers > 0) return;
    if (byOrg.get(orgId) === followed) byOrg.delete(orgId);
    followed.opening.then(
      ({ loop }) => loop.stop(),
      () => {},
    );
  };
  try {
    return { ...(await followed.opening), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** An event as a block of a stream: its cursor, its type, and the envelope on one line. */
export function blockOf(environment: string, event: SealedEvent): string {
  return `id: ${cursorOf(event)}\nevent: ${event.type}\ndata: ${JSON.stringify(envelopeOf(environment, event))}\n\n`;
}

async function open(world: World, orgId: string): Promise<Shared> {
  const db = world.db.forOrg(orgId);
  let last = await findLast(db, orgId);
  let events: TailEvent[] = [];
  let bytes = 0;
  let from = last.sequence;
  const waiting = new Set<() => void>();

  function keep(rows: SealedEvent[]): void {
    for (const row of rows) {
      const { sequence, type, occurredAt } = row;
      const block = blockOf(world.environment, row);
      events.push({ sequence, type, objectIds: objectIdsOf(row), occurredAt, block });
      bytes += block.length;
      last = { sequence, hash: row.hash };
    }
    let drop = Math.max(0, events.length - ring);
    for (let i = 0; i < events.length; i++) {
      if (i >= drop && bytes <= ringBytes) break;
      bytes -= events[i]!.block.length;
      drop = Math.max(drop, i + 1);
    }
    if (drop === 0) return;
    from = events[drop - 1]!.sequence;
    events = events.slice(drop);
  }

  const loop = startLoop({
    intervalMs: pollIntervalMs,
    retryMs: 1_000,
    onError: (error) => world.log.warn({ err: error }, "reading new events for streams failed; it will be retried"),
    async pass(stopping) {
      for (let rows: SealedEvent[] = [], isFirst = true; isFirst || rows.length === batchSize; isFirst = false) {
        if (stopping.aborted) return;
        rows = await store.readNext(db, orgId, last.sequence, batchSize);
        keep(rows);
        if (rows.length > 0) for (const wake of waiting) wake();
      }
    },
  });

  return {
    loop,
    last: () => last,
    after(sequence) {
      if (sequence < from) return undefined;
      // The numbers have no gaps, so the index follows from the number.
      return sequence >= last.sequence ? [] : events.slice(sequence - from);
    },
    async change(ended, maxMs) {
      if (ended.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      waiting.add(wake);
      ended.addEventListener("abort", wake);
      const timer = setTimeout(wake, maxMs);
      await promise;
      clearTimeout(timer);
      ended.removeEventListener("abort", wake);
      waiting.delete(wake);
    },
  };
}
