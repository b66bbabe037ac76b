import type { Health } from "../webhooks.store.ts";

/** What became of sending it once. */
export type Outcome = {
  at: Date;
  durationMs: number;
  status: number | null;
  error: { code: string; message: string } | null;
  headers: Record<string, string> | null;
  answer: string | null;
  /** How long the other side wants to be left alone. */
  retryAfterMs: number | undefined;
};

export const isTaken = ({ status }: Outcome): boolean => status !== null && status >= 200 && status < 300;
const isGone = ({ status }: Outcome): boolean => status === 410;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Before the first try, the second and so on; after the last it is given up. The first minutes have several: the restart of
 * an endpoint takes seconds, and in strict order everything behind the delivery waits.
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
const spread = 0.2;

/** After so many failures in a row it is tried with one delivery at a time. */
export const failuresToProbe = 5;
const probeMs = { least: 5 * second, most: 15 * minute };
const tellAfterMs = hour;
const disableAfterMs = 5 * 24 * hour;

const spreadOut = (ms: number, random: () => number): number => Math.round(ms * (1 - spread + 2 * spread * random()));

export const mostPlaces = ({ ordering, maxInFlight }: Pick<Health, "ordering" | "maxInFlight">): number =>
  ordering === "strict" ? 1 : maxInFlight;

/** What a delivery is like after it was sent. */
export type Ending = {
  status: "waiting" | "delivered" | "failed";
  tries: number;
  /** From when on it may be sent again; null: as before. */
  dueAt: Date | null;
  /** From when on another try counts. */
  nextTryAt: Date | null;
};

type Tried = { tries: number; nextTryAt: Date | null };

/**
 * In strict order a delivery keeps its place, and all behind it wait: it is tried every 15 minutes at least, but only what
 * its plan of retries has counts as a try. Nobody's order is given up because the endpoint was away for some hours.
 */
export function endOf(
  delivery: Tried,
  health: Pick<Health, "ordering">,
  outcome: Outcome,
  random: () => number,
): Ending {
  const { tries, nextTryAt } = delivery;
  if (isTaken(outcome)) return { status: "delivered", tries: tries + 1, dueAt: null, nextTryAt: null };
  // The endpoint wants nothing any more: that says nothing about this delivery.
  if (isGone(outcome)) return { status: "waiting", tries, dueAt: null, nextTryAt };
  const isStrict = health.ordering === "strict";
  if (isStrict && nextTryAt !== null && outcome.at < nextTryAt)
    return { status: "waiting", tries, dueAt: null, nextTryAt };
  const delayMs = retryDelaysMs[tries + 1];
  if (delayMs === undefined) return { status: "failed", tries: tries + 1, dueAt: null, nextTryAt: null };
  const waitMs = Math.max(spreadOut(delayMs, random), outcome.retryAfterMs ?? 0);
  const next = new Date(outcome.at.getTime() + waitMs);
  return { status: "waiting", tries: tries + 1, dueAt: isStrict ? null : next, nextTryAt: next };
}

export type Change<State extends Health> = { health: State; told?: "failing" | "disabled" };

/** What an endpoint is like after it was sent something; `ending` is what that means for the delivery. */
export function healthAfter<State extends Health>(
  health: State,
  outcome: Outcome,
  ending: Ending,
  random: () => number,
): Change<State> {
  const at = outcome.at.toISOString();
  if (isTaken(outcome)) {
    return {
      health: {
        ...health,
        places: Math.min(mostPlaces(health), Math.max(1, health.places) * 2),
        waitUntil: null,
        consecutiveFailures: 0,
        failingSince: null,
        failingToldAt: null,
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
    return { health: { ...failed, status: "disabled", disabledReason, waitUntil: null }, told: "disabled" };
  }
  const waiting = waitAfter(failed, outcome, ending, failingMs, random);
  const isNews = isActive && failingMs >= tellAfterMs && health.failingToldAt === null;
  return isNews ? { health: { ...waiting, failingToldAt: at }, told: "failing" } : { health: waiting };
}

/** Longer each time, up to 15 minutes: what waits behind it spends no tries meanwhile. */
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
  const pauses = [
    retryAfterMs,
    isProbed ? spreadOut(probeInMs, random) : 0,
    health.ordering === "strict" && !isProbed ? Math.min(untilNextMs, probeMs.most) : 0,
  ];
  const pauseMs = Math.max(...pauses);
  const until = new Date(at.getTime() + pauseMs).toISOString();
  const isLater = pauseMs > 0 && (health.waitUntil === null || until > health.waitUntil);
  return { ...health, places: isProbed ? 1 : health.places, waitUntil: isLater ? until : health.waitUntil };
}
