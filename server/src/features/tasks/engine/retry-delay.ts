import type { ExecutionRow } from "../executions.store.ts";

const factor = 6;
const maxDelayMs = 2 * 3_600_000;

/** Sixfold each time, and a random part of it, so that what failed together does not come back together. */
export function nextDelayMs(
  { attempt, retry_delay_ms }: Pick<ExecutionRow, "attempt" | "retry_delay_ms">,
  askedForMs = 0,
  random = Math.random,
): number {
  const full = Math.min(retry_delay_ms * factor ** (attempt - 1), maxDelayMs);
  return Math.round(Math.max(askedForMs, full / 2 + (random() * full) / 2));
}
