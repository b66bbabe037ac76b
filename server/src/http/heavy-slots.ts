import { setTimeout as delay } from "node:timers/promises";

/**
 * A process that takes heavy requests at this socket, with this token. It is asked every second whether its event loop still
 * turns, whether or not a caller waits for it, and killed when it does not.
 */
export type HeavyProcess = {
  socketPath: string;
  token: string;
  hasEnded(): boolean;
  /** It was killed, or ran out of memory: its last request asked for too much. */
  wasOverworked(): boolean;
  /** Requests that it has not finished, also those whose callers have hung up; 0 when it has ended. */
  unfinished(): Promise<number>;
  /** So much memory is in use that the next request would pay for those before it. */
  isFull(): boolean;
  /** At once, with all it is doing. */
  kill(): void;
  stop(): Promise<void>;
};

/** Room for one process, which does one request at a time. */
export type ProcessSlot = {
  /** Starts the process if there is none. */
  reach(): Promise<HeavyProcess>;
  /** The process is known to be gone. */
  forget(): void;
  kill(): void;
  /** An answer is made while it is read; `noteRead` when that has ended. */
  noteUnread(): void;
  noteRead(): void;
  /** Waits until the process has finished its request, whose caller may have hung up; whether it was killed over it. */
  wasKilledOver(): Promise<boolean>;
  /** The next request may have it. */
  release(): void;
};

const idleMs = 5 * 60_000;
/** How often a process is asked whether it has finished the work of a caller who has hung up. */
const pollMs = 100;

type Slot = ProcessSlot & { rank(): number; isBusy: boolean; end(): Promise<void> };

function createSlot(start: () => Promise<HeavyProcess>): Slot {
  let process: Promise<HeavyProcess> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let unread = 0;
  const find = async (): Promise<HeavyProcess | undefined> => await process?.catch(() => undefined);

  async function end(): Promise<void> {
    const ending = find();
    process = undefined;
    await (await ending)?.stop();
  }

  function endWhenIdle(): void {
    clearTimeout(idle);
    if (!slot.isBusy && unread === 0) idle = setTimeout(() => void end(), idleMs).unref();
  }

  const slot: Slot = {
    isBusy: false,
    // A running process first; one that others still read from last, since it may have to be killed.
    rank: () => (unread > 0 ? 2 : process ? 0 : 1),
    async reach() {
      clearTimeout(idle);
      const found = await find();
      if (found && !found.hasEnded() && (unread > 0 || !found.isFull())) return found;
      void found?.stop();
      process = start();
      return await process;
    },
    forget() {
      process = undefined;
    },
    kill: () => void find().then((found) => found?.kill()),
    noteUnread() {
      unread++;
    },
    noteRead() {
      unread--;
      endWhenIdle();
    },
    async wasKilledOver() {
      const found = await find();
      while (found && !found.hasEnded() && (await found.unfinished()) > unread) await delay(pollMs);
      return found?.wasOverworked() ?? false;
    },
    release() {
      slot.isBusy = false;
      endWhenIdle();
    },
    end,
  };
  return slot;
}

/** There is always a free one for whoever holds one of as many turns. */
export function createProcessSlots(count: number, start: () => Promise<HeavyProcess>) {
  const slots = Array.from({ length: count }, () => createSlot(start));
  return {
    take(): ProcessSlot {
      const [slot] = slots.filter(({ isBusy }) => !isBusy).toSorted((a, b) => a.rank() - b.rank());
      slot!.isBusy = true;
      return slot!;
    },
    stop: async (): Promise<void> => void (await Promise.all(slots.map(({ end }) => end()))),
  };
}
