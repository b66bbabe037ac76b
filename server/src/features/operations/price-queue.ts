import { setTimeout as delay } from "node:timers/promises";
import type { CarrierResponse } from "../carrier-accounts/open-carrier.ts";

/** One price to ask for. `settle` is called once, also if the carrier was not asked. */
export type PriceRequest<T> = {
  ask(signal: AbortSignal | undefined): Promise<CarrierResponse<T>>;
  settle(response: CarrierResponse<T>): void;
};

/** `waiting`: the carrier's rate limit was reached. `stopped`: the account is not asked again. */
export type PriceProgress = {
  answered: number;
  failed: number;
  pending: number;
  status: "asking" | "waiting" | "stopped" | "idle";
};

/** Failures in a row after which the account is not asked again. */
const maxFailures = 5;
/** Waits for a rate limit in a row, without a price in between. */
const maxWaits = 5;
const maxWaitMs = 60_000;
const firstWaitMs = 1_000;

export type PriceQueue<T> = ReturnType<typeof createPriceQueue<T>>;

/**
 * The price requests of one carrier account, `concurrency` at a time. Each account has a queue of its own, so that a slow account does
 * not delay a fast one. After a rate limit the whole queue waits as long as the carrier asks for. After several failures in a row the
 * remaining requests fail at once: otherwise an account that is down would cost a timeout for each order.
 */
export function createPriceQueue<T>(concurrency: number) {
  const counts = { answered: 0, failed: 0, pending: 0 };
  let failures = 0;
  let stopped: CarrierResponse<T> | undefined;
  /** Counted once for all requests that were under way when the limit was reached. */
  let waits = 0;
  let pause = { number: 0, until: 0 };

  /** The outcome of a request; undefined: ask again after the pause. */
  function read(response: CarrierResponse<T>, pauseAtStart: number): CarrierResponse<T> | undefined {
    if (!("unknown" in response) || !response.isRateLimited) {
      waits = 0;
      failures = isFailure(response) ? failures + 1 : 0;
      if (failures >= maxFailures) stopped ??= asNotAsked(response);
      return response;
    }
    const waitMs = response.retryAfterMs ?? firstWaitMs * 2 ** waits;
    const isNew = pauseAtStart === pause.number;
    if (isNew) waits++;
    if (waits > maxWaits || waitMs > maxWaitMs) return (stopped ??= response);
    const until = performance.now() + waitMs;
    pause = isNew ? { number: pause.number + 1, until } : { ...pause, until: Math.max(pause.until, until) };
    return stopped;
  }

  async function askUntilRead({ ask }: PriceRequest<T>, signal: AbortSignal | undefined): Promise<CarrierResponse<T>> {
    for (;;) {
      const waitMs = stopped ? 0 : pause.until - performance.now();
      if (waitMs > 0) await delay(waitMs, undefined, { signal });
      signal?.throwIfAborted();
      if (stopped) return stopped;
      const { number } = pause;
      const response = await ask(signal);
      signal?.throwIfAborted();
      const done = read(response, number);
      if (done) return done;
    }
  }

  return {
    /** Rejects when `signal` is aborted: requests under way are aborted, and no further ones are sent. */
    async run(requests: readonly PriceRequest<T>[], signal: AbortSignal | undefined): Promise<void> {
      const waiting = requests.values();
      counts.pending += requests.length;
      const work = async (): Promise<void> => {
        for (const request of waiting) {
          const response = await askUntilRead(request, signal);
          counts.pending--;
          counts[isFailure(response) ? "failed" : "answered"]++;
          request.settle(response);
        }
      };
      await Promise.all(Array.from({ length: Math.min(concurrency, requests.length) }, work));
    },
    progress(): PriceProgress {
      const status = stopped
        ? "stopped"
        : counts.pending === 0
          ? "idle"
          : pause.until > performance.now()
            ? "waiting"
            : "asking";
      return { ...counts, status };
    },
  };
}

/** For requests that were not sent. A rejection of the account holds for all of them. */
function asNotAsked<T>(response: CarrierResponse<T>): CarrierResponse<T> {
  if (!("unknown" in response)) return response;
  return { unknown: `${response.unknown} Not asked again after ${maxFailures} failures in a row.` };
}

/** Other rejections are about one parcel, such as an address that the carrier does not serve. */
const rejectionsOfAccount = new Set(["unauthorized", "forbidden"]);

function isFailure(response: CarrierResponse<unknown>): boolean {
  if ("rejected" in response) return rejectionsOfAccount.has(response.rejected.code);
  return "unknown" in response;
}
