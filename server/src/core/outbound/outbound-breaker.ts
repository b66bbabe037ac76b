import type { CircuitBreakerPolicy } from "cockatiel";
import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleWhen } from "cockatiel";
import { RemoteError } from "../remote-error.ts";

const outageCodes = new Set(["dns_failed", "connect_failed", "connection_lost", "timeout"]);

export type BreakerOptions = { failures: number; openMs: number };

const maxBreakers = 1000;
const breakers = new Map<string, CircuitBreakerPolicy>();

function breakerFor(key: string, { failures, openMs }: BreakerOptions): CircuitBreakerPolicy {
  const known = breakers.get(key);
  if (known) return known;
  const policy = circuitBreaker(
    handleWhen((error) => error instanceof RemoteError && outageCodes.has(error.code)).orWhenResult(isServerFailure),
    { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(failures) },
  );
  if (breakers.size >= maxBreakers) breakers.delete(breakers.keys().next().value!);
  breakers.set(key, policy);
  return policy;
}

function isServerFailure(result: unknown): boolean {
  return (result as { status: number }).status >= 500;
}

/** A circuit breaker: a host that keeps failing is not called for a while, so that workers do not wait in vain. */
export async function throughBreaker<T extends { status: number }>(
  key: string,
  options: BreakerOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await breakerFor(key, options).execute(work);
  } catch (error) {
    if (!(error instanceof BrokenCircuitError)) throw error;
    const message = `The remote system failed several times in a row. Calls to it are paused for ${options.openMs / 1000} seconds.`;
    throw new RemoteError("circuit_open", message, { retryable: true, retryAfterMs: options.openMs, cause: error });
  }
}
