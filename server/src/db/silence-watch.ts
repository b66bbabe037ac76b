import type { Pool, PoolClient } from "pg";

const checkMs = 1_000;
/** Most answers come sooner; whether the server can still be reached is asked once one takes longer. */
const suspectMs = 8_000;

export type SilenceWatch = {
  /** A question within a longer use of the connection, such as a transaction. */
  asked(client: PoolClient): void;
  stop(): void;
};

/**
 * Ends connections on which the server has not answered for `limitMs`, or for some seconds if it `isReachable` no more;
 * their query fails and the pool makes new ones.
 * The driver has a setting for that, query_timeout, but the timer it starts for each query keeps finished requests in
 * memory until a full garbage collection, and that costs more than the timer itself.
 */
export function watchForSilence(pool: Pool, limitMs: number, isReachable: () => Promise<boolean>): SilenceWatch {
  const askedAt = new Map<PoolClient, number>();
  const asked = (client: PoolClient): void => void askedAt.set(client, performance.now());
  pool.on("acquire", asked);
  pool.on("release", (_error, client) => void askedAt.delete(client));

  function cut(silentForMs: number): void {
    const oldest = performance.now() - silentForMs;
    for (const [client, at] of askedAt) {
      if (at >= oldest) continue;
      client.end().catch(() => {});
      // By itself it would wait for all that was asked to be answered.
      client.connection.stream.destroy();
    }
  }

  let isAsking = false;
  async function lookBeyond(): Promise<void> {
    const oldest = performance.now() - suspectMs;
    if (isAsking || ![...askedAt.values()].some((at) => at < oldest)) return;
    isAsking = true;
    if (!(await isReachable())) cut(suspectMs);
    isAsking = false;
  }

  const timer = setInterval(
    () => {
      cut(limitMs);
      void lookBeyond();
    },
    Math.min(checkMs, limitMs),
  ).unref();
  return { asked, stop: () => clearInterval(timer) };
}
