import type { Database } from "../db/database.ts";

export type Admission = {
  /** False: shed this request, the process has more than it can answer in good time. */
  enter(): boolean;
  leave(): void;
  inFlight(): number;
  stop(): void;
};

export type AdmissionLimits = { maxInFlight: number; maxWaitingForDatabase: number; maxLoopDelayMs: number };

const sampleMs = 100;

/** Refuses work early: a request that would only wait costs everybody else, a 503 costs nothing. */
export function createAdmission(db: Pick<Database, "waitingCount">, limits: AdmissionLimits): Admission {
  let inFlight = 0;
  let loopDelayMs = 0;
  let expected = performance.now() + sampleMs;
  const sampler = setInterval(() => {
    const now = performance.now();
    // Smoothed and capped: one long request is not overload, a row of them is.
    loopDelayMs = loopDelayMs * 0.7 + Math.min(Math.max(0, now - expected), 1_000) * 0.3;
    expected = now + sampleMs;
  }, sampleMs).unref();

  return {
    enter() {
      if (inFlight >= limits.maxInFlight || loopDelayMs > limits.maxLoopDelayMs) return false;
      if (db.waitingCount() > limits.maxWaitingForDatabase) return false;
      inFlight++;
      return true;
    },
    leave() {
      inFlight--;
    },
    inFlight: () => inFlight,
    stop: () => clearInterval(sampler),
  };
}
