const maxRetryAfterMs = 3_600_000;
const retryableStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

export function isRetryableStatus(status: number): boolean {
  return retryableStatuses.has(status);
}

/** Seconds, also with decimals as Shopify sends them, or a date. More than an hour, or than `mostMs`, is taken for a mistake. */
export function readRetryAfter(
  value: string | undefined,
  now: Date,
  mostMs: number = maxRetryAfterMs,
): number | undefined {
  const text = value?.trim() ?? "";
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.ceil(Math.min(Math.max(ms, 0), mostMs));
}

/** Doubles from attempt to attempt; the random half keeps many callers from coming back at the same moment. */
export function backoffMs(attempt: number, random: () => number): number {
  const full = Math.min(250 * 2 ** (attempt - 1), 8000);
  return Math.round(full / 2 + (full / 2) * random());
}
