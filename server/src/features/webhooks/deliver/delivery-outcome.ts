import type { Health } from "../webhooks.store.ts";

/** The outcome of one request to an endpoint. */
export type Outcome = {
  at: Date;
  durationMs: number;
  status: number | null;
  error: { code: string; message: string } | null;
  headers: Record<string, string> | null;
  answer: string | null;
  /** From the Retry-After header. */
  retryAfterMs: number | undefined;
};

export const isSuccess = ({ status }: Pick<Outcome, "status">): boolean =>
  status !== null && status >= 200 && status < 300;
const isGone = ({ status }: Outcome): boolean => status === 410;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Delays before the first attempt, the second and so on; after the last the delivery fails. The first minutes have several: a
 * restart of an endpoint takes seconds, and with strict ordering all later deliveries wait for this one.
 */
export const retryDelaysMs = [
  0,
  5 * second,
  15 * second,
  45 * second,
  2 * minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
export const maxRetryAfterMs = 6 * hour;
const jitter = 0.2;

/** After this many consecutive failures an endpoint is probed with one delivery at a time. */
export const failuresToProbe = 5;
const probeMs = { least: 5 * second, most: 15 * minute };
const reportAfterMs = hour;
const disableAfterMs = 5 * 24 * hour;

const withJitter = (ms: number, random: () => number): number => Math.round(ms * (1 - jitter + 2 * jitter * random()));

export const maxConcurrencyOf = ({ ordering, maxInFlight }: Pick<Health, "ordering" | "maxInFlight">): number =>
  ordering === "strict" ? 1 : maxInFlight;

/** The state of a delivery after an attempt. */
export type Ending = {
  status: "pending" | "delivered" | "failed";
  tries: number;
  /** When it may be sent again; null: its due time stays. */
  dueAt: Date | null;
  /** When the next attempt counts as a try. */
  nextTryAt: Date | null;
};

type Tried = { tries: number; nextTryAt: Date | null; isStrict: boolean };

/**
 * With strict ordering a failed delivery stays the next one, and is attempted every 15 minutes at least. Only the attempts of
 * the retry schedule count as tries, so that an outage of some hours does not make it fail.
 */
export function endOf({ tries, nextTryAt, isStrict }: Tried, outcome: Outcome, random: () => number): Ending {
  if (isSuccess(outcome)) return { status: "delivered", tries: tries + 1, dueAt: null, nextTryAt: null };
  // 410 is about the endpoint, not about this delivery.
  if (isGone(outcome)) return { status: "pending", tries, dueAt: null, nextTryAt };
  if (isStrict && nextTryAt !== null && outcome.at < nextTryAt)
    return { status: "pending", tries, dueAt: null, nextTryAt };
  const delayMs = retryDelaysMs[tries + 1];
  if (delayMs === undefined) return { status: "failed", tries: tries + 1, dueAt: null, nextTryAt: null };
  const waitMs = Math.max(withJitter(delayMs, random), outcome.retryAfterMs ?? 0);
  const next = new Date(outcome.at.getTime() + waitMs);
  return { status: "pending", tries: tries + 1, dueAt: isStrict ? null : next, nextTryAt: next };
}

/** `news`: what an event is recorded about. */
export type HealthChange<State extends Health> = { health: State; news?: "failing" | "disabled" };

/** The health of an endpoint after an attempt; `ending` is the state of the delivery. */
export function healthAfter<State extends Health>(
  health: State,
  outcome: Outcome,
  ending: Ending,
  random: () => number,
): HealthChange<State> {
  const at = outcome.at.toISOString();
  if (isSuccess(outcome)) {
    return {
      health: {
        ...health,
        concurrency: Math.min(maxConcurrencyOf(health), Math.max(1, health.concurrency) * 2),
        waitUntil: null,
        consecutiveFailures: 0,
        failingSince: null,
        failingReportedAt: null,
        lastSuccessAt: at,
        lastError: null,
      },
    };
  }
  const since = health.failingSince ?? at;
  const failingMs = outcome.at.getTime() - Date.parse(since);
  const failed: State = {
    ...health,
    consecutiveFailures: health.consecutiveFailures + 1,
    failingSince: since,
    lastFailureAt: at,
    lastError: outcome.error,
  };
  const isActive = health.status === "active";
  if (isActive && (isGone(outcome) || failingMs >= disableAfterMs)) {
    const disabledReason = isGone(outcome) ? "gone" : "failing";
    return { health: { ...failed, status: "disabled", disabledReason, waitUntil: null }, news: "disabled" };
  }
  const waiting = waitAfter(failed, outcome, ending, failingMs, random);
  const isNews = isActive && failingMs >= reportAfterMs && health.failingReportedAt === null;
  return isNews ? { health: { ...waiting, failingReportedAt: at }, news: "failing" } : { health: waiting };
}

/** Longer with the duration of the outage, up to 15 minutes. The other deliveries wait meanwhile and use up no tries. */
function waitAfter<State extends Health>(
  health: State,
  { at, retryAfterMs = 0 }: Outcome,
  { nextTryAt }: Ending,
  failingMs: number,
  random: () => number,
): State {
  const isProbed = health.consecutiveFailures >= failuresToProbe;
  const probeInMs = Math.min(Math.max(failingMs / 4, probeMs.least), probeMs.most);
  const untilNextMs = nextTryAt === null ? 0 : Math.max(0, nextTryAt.getTime() - at.getTime());
  const waits = [
    retryAfterMs,
    isProbed ? withJitter(probeInMs, random) : 0,
    health.ordering === "strict" && !isProbed ? Math.min(untilNextMs, probeMs.most) : 0,
  ];
  const waitMs = Math.max(...waits);
  const until = new Date(at.getTime() + waitMs).toISOString();
  const isLater = waitMs > 0 && (health.waitUntil === null || until > health.waitUntil);
  return { ...health, concurrency: isProbed ? 1 : health.concurrency, waitUntil: isLater ? until : health.waitUntil };
}
