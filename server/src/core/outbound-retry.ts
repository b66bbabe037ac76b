import type { CircuitBreakerPolicy } from "cockatiel";
import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleWhen } from "cockatiel";
import { OutboundError } from "./outbound-error.ts";

const maxRetryAfterMs = 3_600_000;
const retryableStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
const outageCodes = new Set(["dns_failed", "connect_failed", "connection_lost", "timeout"]);

export function isRetryableStatus(status: number): boolean {
  return retryableStatuses.has(status);
}

/** Seconds, also with decimals as Shopify sends them, or a date. More than an hour is taken for a mistake. */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? "";
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.ceil(Math.min(Math.max(ms, 0), maxRetryAfterMs));
}

/** Doubles from attempt to attempt; the random half keeps many callers from coming back at the same moment. */
export function backoffMs(attempt: number, random: () => number): number {
  const full = Math.min(250 * 2 ** (attempt - 1), 8000);
  return Math.round(full / 2 + (full / 2) * random());
}

export type BreakerOptions = { failures: number; openMs: number };

const maxBreakers = 1000;
const breakers = new Map<string, CircuitBreakerPolicy>();

function breakerFor(key: string, { failures, openMs }: BreakerOptions): CircuitBreakerPolicy {
  const known = breakers.get(key);
  if (known) return known;
  const policy = circuitBreaker(
    handleWhen((error) => error instanceof OutboundError && outageCodes.has(error.code)).orWhenResult(isServerFailure),
    { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(failures) },
  );
  if (breakers.size >= maxBreakers) breakers.delete(breakers.keys().next().value!);
  breakers.set(key, policy);
  return policy;
}

function isServerFailure(result: unknown): boolean {
  return (result as { status: number }).status >= 500;
}

/** Whoever fails again and again is left alone for a while, so that no worker waits for nothing. */
export async function throughBreaker<T extends { status: number }>(
  key: string,
  options: BreakerOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await breakerFor(key, options).execute(work);
  } catch (error) {
    if (!(error instanceof BrokenCircuitError)) throw error;
    const message = "The other side failed several times in a row and is left alone for a moment.";
    throw new OutboundError("circuit_open", message, { retryable: true, retryAfterMs: options.openMs, cause: error });
  }
}
