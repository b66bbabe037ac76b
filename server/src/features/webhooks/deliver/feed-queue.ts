import type { Delivery, Move } from "./webhook-work.store.ts";

/** What came due again goes before fresh events when it has waited for so long. */
const headStartMs = 60_000;

/** What a webhook is sent next, what of it is under way or not written down yet, and how far in the log that is. */
export type FeedQueue = {
  waiting(): number;
  open(): number;
  lookedTo(): number;
  /** Numbers of the events in it: they are not to be read once more. */
  numbers(): number[];
  /** Only what is under way stays: the rest is read from there. */
  restart(cursor: number): void;
  /** What was found up to an entry of the log, in the order in which it is to be sent. */
  add(found: Delivery[], lookedTo: number, isStrict: boolean, now: Date): void;
  take(): Delivery;
  close(delivery: Delivery): void;
  /** All entries before the first that is not written down are done with; `done`: those that are written down with it. */
  moveWithout(done: Iterable<{ delivery: Delivery }>): Move;
  /** False: somebody else has put the cursor where nobody has looked here. */
  move(cursor: number): boolean;
};

export function createFeedQueue(first: number): FeedQueue {
  const open = new Set<number>();
  let queue: Delivery[] = [];
  let cursor = first;
  let lookedTo = first;
  return {
    waiting: () => queue.length,
    open: () => open.size,
    lookedTo: () => lookedTo,
    numbers: () => [...open, ...queue.map(({ event }) => event.sequence)],
    restart(from) {
      cursor = lookedTo = from;
      queue = [];
    },
    add(found, end, isStrict, now) {
      lookedTo = end;
      const fresh = now.getTime() - headStartMs;
      const place = ({ event, dueAt }: Delivery): number => (isStrict ? event.sequence : (dueAt?.getTime() ?? fresh));
      queue = [...queue, ...found].toSorted((a, b) => place(a) - place(b) || a.event.sequence - b.event.sequence);
    },
    take() {
      const delivery = queue.shift()!;
      open.add(delivery.event.sequence);
      return delivery;
    },
    close: ({ event }) => void open.delete(event.sequence),
    moveWithout(done) {
      const left = new Set([...open, ...queue.map(({ event }) => event.sequence)]);
      for (const { delivery } of done) left.delete(delivery.event.sequence);
      let to = lookedTo;
      for (const sequence of left) if (sequence > cursor && sequence <= to) to = sequence - 1;
      return { from: cursor, to };
    },
    move(to) {
      if (to < cursor || to > lookedTo) return false;
      cursor = to;
      return true;
    },
  };
}
