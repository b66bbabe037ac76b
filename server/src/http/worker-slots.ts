import { setTimeout as delay } from "node:timers/promises";

/**
 * A process that takes offloaded requests at this socket, with this token. It is pinged every second, whether or not a
 * client waits for it, and killed when its event loop no longer answers.
 */
export type WorkerProcess = {
  socketPath: string;
  token: string;
  hasEnded(): boolean;
  /** It was killed, or ran out of memory: its last request took too much. */
  wasKilled(): boolean;
  /** Requests under way, including those whose clients disconnected; 0 when it has ended. */
  unfinished(): Promise<number>;
  /** Earlier requests left so much on the heap that the next one might fail because of them. */
  isFull(): boolean;
  /** Immediately, with its requests. */
  kill(): void;
  stop(): Promise<void>;
};

/** One worker process, started on demand, which runs one request at a time. */
export type WorkerSlot = {
  /** Starts the process if there is none. */
  connect(): Promise<WorkerProcess>;
  /** The process is known to be gone. */
  forget(): void;
  kill(): void;
  /** A response may be produced while the client reads it. */
  responseStarted(): void;
  responseEnded(): void;
  /** Waits until the process has finished its request, whose client may have disconnected; whether it was killed. */
  wasKilled(): Promise<boolean>;
  /** The next request may use it. */
  release(): void;
};

const idleMs = 5 * 60_000;
/** How often a process is asked whether it has finished a request whose client disconnected. */
const pollMs = 100;

type Slot = WorkerSlot & { rank(): number; isBusy: boolean; end(): Promise<void> };

function createSlot(start: () => Promise<WorkerProcess>): Slot {
  let process: Promise<WorkerProcess> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let openResponses = 0;
  const find = async (): Promise<WorkerProcess | undefined> => await process?.catch(() => undefined);

  async function end(): Promise<void> {
    const ending = find();
    process = undefined;
    await (await ending)?.stop();
  }

  function endWhenIdle(): void {
    clearTimeout(idle);
    if (!slot.isBusy && openResponses === 0) idle = setTimeout(() => void end(), idleMs).unref();
  }

  const slot: Slot = {
    isBusy: false,
    // A running process first; one whose responses are still being read last, since it may have to be killed.
    rank: () => (openResponses > 0 ? 2 : process ? 0 : 1),
    async connect() {
      clearTimeout(idle);
      const found = await find();
      if (found && !found.hasEnded() && (openResponses > 0 || !found.isFull())) return found;
      void found?.stop();
      process = start();
      return await process;
    },
    forget() {
      process = undefined;
    },
    kill: () => void find().then((found) => found?.kill()),
    responseStarted() {
      openResponses++;
    },
    responseEnded() {
      openResponses--;
      endWhenIdle();
    },
    async wasKilled() {
      const found = await find();
      while (found && !found.hasEnded() && (await found.unfinished()) > openResponses) await delay(pollMs);
      return found?.wasKilled() ?? false;
    },
    release() {
      slot.isBusy = false;
      endWhenIdle();
    },
    end,
  };
  return slot;
}

/** The caller has to hold one of `count` turns: then there is always a free one. */
export function createWorkerSlots(count: number, start: () => Promise<WorkerProcess>) {
  const slots = Array.from({ length: count }, () => createSlot(start));
  return {
    take(): WorkerSlot {
      const [slot] = slots.filter(({ isBusy }) => !isBusy).toSorted((a, b) => a.rank() - b.rank());
      slot!.isBusy = true;
      return slot!;
    },
    stop: async (): Promise<void> => void (await Promise.all(slots.map(({ end }) => end()))),
  };
}
