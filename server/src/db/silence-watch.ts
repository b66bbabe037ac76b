import type { Pool, PoolClient } from "pg";

const checkMs = 1_000;
/** A query that takes longer than this triggers a reachability check. */
const suspectMs = 8_000;

export type SilenceWatch = {
  /** Restarts the timer of a connection that is in use for several queries, such as by a transaction. */
  querySent(client: PoolClient): void;
  stop(): void;
};

/**
 * Closes connections without a response for `limitMs`, or for some seconds if the server is not reachable. Their query fails and
 * the pool opens new ones. The driver's query_timeout is not used, since its timers keep finished queries in memory until a full
 * garbage collection.
 */
export function watchForSilence(pool: Pool, limitMs: number, isReachable: () => Promise<boolean>): SilenceWatch {
  const sentAt = new Map<PoolClient, number>();
  const querySent = (client: PoolClient): void => void sentAt.set(client, performance.now());
  pool.on("acquire", querySent);
  pool.on("release", (_error, client) => void sentAt.delete(client));

  function closeSilent(silentForMs: number): void {
    const oldest = performance.now() - silentForMs;
    for (const [client, at] of sentAt) {
      if (at >= oldest) continue;
      client.end().catch(() => {});
      // `end` alone would wait for the outstanding responses.
      client.connection.stream.destroy();
    }
  }

  let isChecking = false;
  async function checkReachability(): Promise<void> {
    const oldest = performance.now() - suspectMs;
    if (isChecking || ![...sentAt.values()].some((at) => at < oldest)) return;
    isChecking = true;
    if (!(await isReachable())) closeSilent(suspectMs);
    isChecking = false;
  }

  const timer = setInterval(
    () => {
      closeSilent(limitMs);
      void checkReachability();
    },
    Math.min(checkMs, limitMs),
  ).unref();
  return { querySent, stop: () => clearInterval(timer) };
}
