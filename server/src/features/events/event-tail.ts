import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { findLast } from "../../events/chain.ts";
import type { Position, SealedEvent } from "../../events/event-envelope.ts";
import { cursorOf, envelopeOf, objectIdsOf } from "../../events/event-envelope.ts";
import type { Loop } from "../../queue/loop.ts";
import { startLoop } from "../../queue/loop.ts";
import * as store from "./events.store.ts";

/** The newest events of an organization, read once for all who follow them on this node. */
export type Tail = {
  /** What comes behind this number, or undefined: it is too long ago, look into the table. */
  after(sequence: number): TailEvent[] | undefined;
  last(): Position;
  /** Resolves when there is more, or after so long, or at the end. */
  change(ended: AbortSignal, maxMs: number): Promise<void>;
  leave(): void;
};

export type TailEvent = Pick<SealedEvent, "sequence" | "type" | "occurredAt"> & {
  /** What it is about, and what it names. */
  objectIds: string[];
  block: string;
};

const ring = 1_000;
const ringBytes = 4 * 1024 * 1024;
const portion = 500;
/** Without a signal it is looked this often: one may have been lost. */
export const lookAgainMs = 15_000;

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
  // The log begins anew: whoever comes from now on must not be told of the numbers of the old one.
  world.signals.subscribe("reset", () => byOrg.clear());
  return { world, byOrg };
});

/** Follows the log of an organization until `leave`. */
export async function joinTail(world: World, orgId: string): Promise<Tail> {
  const { byOrg, world: own } = tails(world);
  const followed = byOrg.getOrInsertComputed(orgId, () => ({ opening: open(own, orgId), followers: 0 }));
  // Before anything is waited for: the last one who leaves closes it.
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
    intervalMs: lookAgainMs,
    retryMs: 1_000,
    onError: (error) => world.log.warn({ err: error }, "new events were not read for streams"),
    async pass(stopping) {
      for (let rows: SealedEvent[] = [], isFirst = true; isFirst || rows.length === portion; isFirst = false) {
        if (stopping.aborted) return;
        rows = await store.readNext(db, orgId, last.sequence, portion);
        keep(rows);
        if (rows.length > 0) for (const tell of waiting) tell();
      }
    },
  });

  return {
    loop,
    last: () => last,
    after(sequence) {
      if (sequence < from) return undefined;
      // Numbered without gaps: where one stands follows from its number.
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
