/** A task that runs when woken and at an interval. */
export type Loop = {
  /** Runs a pass at once, or after this long unless it is woken earlier. */
  wake(afterMs?: number): void;
  /** Aborts the signal of the running pass and waits for its end. */
  stop(): Promise<void>;
};

export type LoopOptions = {
  /** One pass; never two at the same time. May return the delay until the next one. */
  pass(stopping: AbortSignal): Promise<number | void>;
  intervalMs: number;
  /** Delay before the first pass. Default: `intervalMs`. */
  firstMs?: number;
  /** Delay after a failed pass. Default: `intervalMs`. */
  retryMs?: number;
  onError(error: unknown): void;
};

/** A wake-up during a pass causes another pass, so a change that the running pass has not seen is not missed. */
export function startLoop(options: LoopOptions): Loop {
  const { pass, intervalMs, firstMs = intervalMs, retryMs = intervalMs, onError } = options;
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
        else schedule(againMs ?? intervalMs);
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
