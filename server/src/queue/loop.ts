/** Work that is done again and again: when somebody says so, and by the clock for what nobody said. */
export type Loop = {
  /** Soon: at once, or after this long unless it is woken earlier. */
  wake(afterMs?: number): void;
  /** Waits for the pass at hand, which sees its signal aborted. */
  stop(): Promise<void>;
};

export type LoopOptions = {
  /** One pass; never two at the same time. Returns after how long to look again where that is not always the same. */
  pass(stopping: AbortSignal): Promise<number | void>;
  everyMs: number;
  /** The first pass comes after this long; without it, after `everyMs`. */
  firstMs?: number;
  /** The clock of all loops that are in step strikes at the same moments, whatever woke them in between. */
  isInStep?: boolean;
  /** After a pass that failed. */
  retryMs?: number;
  onError(error: unknown): void;
};

/** Who wakes it during a pass gets another one afterwards: what a pass has not seen is not missed. */
export function startLoop(options: LoopOptions): Loop {
  const { pass, everyMs, firstMs = everyMs, isInStep = false, retryMs = everyMs, onError } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let isWanted = false;

  function schedule(afterMs: number): void {
    if (stopping.signal.aborted) return;
    const at = performance.now() + afterMs;
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      dueAt = Infinity;
      start();
    }, afterMs).unref();
  }

  function start(): void {
    if (stopping.signal.aborted) return;
    if (running) {
      isWanted = true;
      return;
    }
    isWanted = false;
    running = pass(stopping.signal)
      .catch((error: unknown) => {
        onError(error);
        return retryMs;
      })
      .then((againMs) => {
        running = undefined;
        if (isWanted) start();
        else schedule(againMs ?? (isInStep ? untilNextStep(everyMs) : everyMs));
      });
  }

  schedule(firstMs);
  return {
    wake: (afterMs = 0) => (afterMs > 0 ? schedule(afterMs) : start()),
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Not the one at hand, which a timer may have met a little early. */
export function untilNextStep(everyMs: number, now = performance.now()): number {
  const leftMs = everyMs - (now % everyMs);
  return leftMs < everyMs / 10 ? leftMs + everyMs : leftMs;
}
