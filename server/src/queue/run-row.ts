import { isConnectionLoss } from "../db/database.ts";
import type { LeasedRow } from "./leases.ts";
import { countOutcome } from "./outcomes.ts";
import type { TimeSlice, WorkKind, WorkerContext } from "./work-kind.ts";

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;

/** Never throws: a failure is retried until `maxAttempts`. Returns false when the lease could not be released. */
export async function runOne<W extends WorkerContext, Row extends LeasedRow>(
  world: W,
  work: WorkKind<W, Row>,
  row: Row,
  slice: TimeSlice,
  run = (given: TimeSlice) => work.run(world, row, given),
): Promise<boolean> {
  const { leases, maxAttempts } = work;
  const attempts = leases.attemptsOf(row);
  const about = { work: work.name, id: row.id, orgId: row.org_id };
  const release = async (delayMs: number, count: number): Promise<boolean> => {
    const again = { now: world.clock.now(), delayMs, attempts: count };
    try {
      await leases.releaseAcrossOrgs(world.db, slice.owner, row.id, again);
      return true;
    } catch (error) {
      // It is released before the next claim, or its lease expires.
      world.log.warn({ ...about, err: error }, "releasing a lease failed");
      return false;
    }
  };
  try {
    if (attempts > maxAttempts) throw new Error("every process that worked on it ended");
    const ended = await run(slice);
    countOutcome(world.db, work.name, ended);
    return ended === "done" || (await release(0, 0));
  } catch (error) {
    const isInterrupted = slice.signal.aborted || isConnectionLoss(error);
    countOutcome(world.db, work.name, isInterrupted ? "interrupted" : attempts < maxAttempts ? "failed" : "given_up");
    if (slice.signal.aborted) return await release(0, attempts - 1);
    if (isConnectionLoss(error)) return await release(firstDelayMs, attempts - 1);
    if (attempts < maxAttempts) {
      world.log.warn({ ...about, err: error, attempts }, "work failed; it will be retried");
      return await release(Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs), attempts);
    }
    world.log.error({ ...about, err: error, attempts }, "work failed too often and is given up");
    try {
      await work.giveUp(world, row, error);
      return true;
    } catch (reason) {
      world.log.error({ ...about, err: reason }, "giving up failed work failed");
      return await release(maxDelayMs, attempts);
    }
  }
}
