import type { ExecutionRow } from "./executions.store.ts";
import type { Attempt } from "./tasks.schemas.ts";

/** What the attempts of an execution have used up. */
export type AttemptTally = {
  /** Ended with what the other side said, or did not say in time: of these an execution has `max_attempts`. */
  failures: number;
  /** Ended with their worker, or were given back by it: nobody's refusal. */
  cuts: number;
  /** The last ones in a row over which a worker died before they got on: it may have died of them. */
  deaths: number;
};

const isFailure = ({ status }: Pick<Attempt, "status">): boolean => status === "failed" || status === "timed_out";
const isCut = ({ status }: Pick<Attempt, "status">): boolean => status === "worker_lost" || status === "interrupted";

export function countFailures({ attempts }: Pick<ExecutionRow, "attempts">): number {
  return attempts.filter(isFailure).length;
}

/**
 * With the one that is under way ended by `status`. `getsOn`: what was done stays done, so that a worker that died further
 * on than the one before did not die of the same.
 */
export function tallyAttempts(
  { attempts, progress }: Pick<ExecutionRow, "attempts" | "progress">,
  status: Attempt["status"],
  getsOn: boolean,
): AttemptTally {
  const ended = attempts.map((one, at) => (at === attempts.length - 1 ? { ...one, status } : one));
  const processedAfter = (at: number): number => ended[at + 1]?.processedBefore ?? progress?.processed ?? 0;
  const isDeath = (one: (typeof ended)[number], at: number): boolean =>
    one.status === "worker_lost" && !(getsOn && processedAfter(at) > (one.processedBefore ?? 0));
  const lastOther = ended.findLastIndex((one, at) => !isDeath(one, at));
  return {
    failures: countFailures({ attempts: ended }),
    cuts: ended.filter(isCut).length,
    deaths: ended.length - 1 - lastOther,
  };
}
