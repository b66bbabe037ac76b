import type { Pool, PoolClient } from "pg";

const checkMs = 5_000;

type SilenceWatch = {
  /** A question within a longer use of the connection, such as a transaction. */
  asked(client: PoolClient): void;
  stop(): void;
};

/**
 * Ends connections on which the server has not answered for `limitMs`; their query fails and the pool makes new ones.
 * The driver has a setting for that, query_timeout, but the timer it starts for each query keeps finished requests in
 * memory until a full garbage collection, and that costs more than the timer itself.
 */
export function watchForSilence(pool: Pool, limitMs: number): SilenceWatch {
  const askedAt = new Map<PoolClient, number>();
  const asked = (client: PoolClient): void => void askedAt.set(client, performance.now());
  pool.on("acquire", asked);
  pool.on("release", (_error, client) => void askedAt.delete(client));

  const timer = setInterval(
    () => {
      const oldest = performance.now() - limitMs;
      // Ending a connection that waits for an answer cuts it off at once.
      for (const [client, at] of askedAt) if (at < oldest) client.end().catch(() => {});
    },
    Math.min(checkMs, limitMs),
  ).unref();
  return { asked, stop: () => clearInterval(timer) };
}
