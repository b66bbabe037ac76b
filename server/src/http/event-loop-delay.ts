const sampleMs = 100;
/** Busy from this part of the allowed delay on, by default 20 ms: a request takes several iterations of the event loop. */
const busyPart = 1 / 25;
/** A request that waits for a row lock must not block all others of its organization. */
const leastConcurrency = 2;

/**
 * Watches how late the event loop runs its timers, smoothed and capped: one long request is not overload, a row of them is.
 *
 * `@fastify/under-pressure` measures the same, but answers 503 to every request alike while the loop is late. Here only
 * organizations with many waiting requests are refused, so that the load of one is not felt by the others.
 */
export type EventLoopDelay = {
  /** Above the limit that the operator has set. */
  isOverloaded(): boolean;
  isBusy(): boolean;
  /** Concurrent requests per organization that suit the present delay. */
  concurrency(): number;
  stop(): void;
};

/**
 * The concurrency is halved while the loop is busy and grows by one every 100 ms otherwise (AIMD): the more requests of one
 * organization are running, the longer each iteration takes for all others.
 */
export function watchEventLoopDelay(maxDelayMs: number, maxConcurrency: number): EventLoopDelay {
  const busyMs = maxDelayMs * busyPart;
  const least = Math.min(leastConcurrency, maxConcurrency);
  let delayMs = 0;
  let concurrency = maxConcurrency;
  let expectedAt = performance.now() + sampleMs;
  const sampler = setInterval(() => {
    const now = performance.now();
    delayMs = delayMs * 0.7 + Math.min(Math.max(0, now - expectedAt), 1_000) * 0.3;
    concurrency =
      delayMs > busyMs ? Math.max(least, Math.floor(concurrency / 2)) : Math.min(maxConcurrency, concurrency + 1);
    expectedAt = now + sampleMs;
  }, sampleMs).unref();
  return {
    isOverloaded: () => delayMs > maxDelayMs,
    isBusy: () => delayMs > busyMs,
    concurrency: () => concurrency,
    stop: () => clearInterval(sampler),
  };
}
