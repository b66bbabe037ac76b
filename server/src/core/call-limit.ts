type Line = { running: number; waiting: (() => void)[] };

/** Limits concurrent calls by key, within this process. Waiting calls start in the order in which they came. */
export function createCallLimit() {
  const lines = new Map<string, Line>();

  function release(key: string, line: Line): void {
    const next = line.waiting.shift();
    // The slot goes to the next call without becoming free in between.
    if (next) next();
    else if (--line.running === 0) lines.delete(key);
  }

  return {
    /** Resolves when the call may start, with the function that ends it. Rejects when `signal` is aborted before. */
    async acquire(key: string, limit: number, signal: AbortSignal | undefined): Promise<() => void> {
      signal?.throwIfAborted();
      const line = lines.get(key) ?? { running: 0, waiting: [] };
      lines.set(key, line);
      if (line.running < limit) line.running++;
      else await waitForTurn(line, signal);
      return () => release(key, line);
    },
  };
}

async function waitForTurn({ waiting }: Line, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => {
    waiting.splice(waiting.indexOf(start), 1);
    reject(signal!.reason as Error);
  };
  const start = (): void => {
    signal?.removeEventListener("abort", onAbort);
    resolve();
  };
  waiting.push(start);
  signal?.addEventListener("abort", onAbort, { once: true });
  await promise;
}
