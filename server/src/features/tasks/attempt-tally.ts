import type { ExecutionRow } from "./executions.store.ts";
import type { Attempt } from "./tasks.schemas.ts";

/** Attempts by how they ended. */
export type AttemptTally = {
  /** Failed or timed out; limited by `max_attempts`. */
  failures: number;
  /** Ended because their worker died or shut down. */
  cuts: number;
  /** Worker deaths in a row without progress: the task may be their cause. */
  deaths: number;
};

const isFailure = ({ status }: Pick<Attempt, "status">): boolean => status === "failed" || status === "timed_out";
const isCut = ({ status }: Pick<Attempt, "status">): boolean => status === "worker_lost" || status === "interrupted";

export function countFailures({ attempts }: Pick<ExecutionRow, "attempts">): number {
  return attempts.filter(isFailure).length;
}

/**
 * Counts the attempts, with the current one ended by `status`. `isResumable`: progress is kept between attempts, so a worker that died
 * further on than the previous one did not die of the same record.
 */
export function tallyAttempts(
  { attempts, progress }: Pick<ExecutionRow, "attempts" | "progress">,
  status: Attempt["status"],
  isResumable: boolean,
): AttemptTally {
  const ended = attempts.map((one, at) => (at === attempts.length - 1 ? { ...one, status } : one));
  const processedAfter = (at: number): number => ended[at + 1]?.processedBefore ?? progress?.processed ?? 0;
  const isDeath = (one: (typeof ended)[number], at: number): boolean =>
    one.status === "worker_lost" && !(isResumable && processedAfter(at) > (one.processedBefore ?? 0));
  const lastOther = ended.findLastIndex((one, at) => !isDeath(one, at));
  return {
    failures: countFailures({ attempts: ended }),
    cuts: ended.filter(isCut).length,
    deaths: ended.length - 1 - lastOther,
  };
}
