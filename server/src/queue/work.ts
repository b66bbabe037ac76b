import { randomUUID } from "node:crypto";
import type { LeasedRow } from "./leases.ts";
import { startLoop } from "./loop.ts";
import { createOwners } from "./claim-owners.ts";
import type { Running } from "./keep-leases.ts";
import { Superseded, freshMsOf, keepLeases } from "./keep-leases.ts";
import { quotasOf } from "./work-quotas.ts";
import { runOne } from "./run-row.ts";
import type { TimeSlice, WorkKind, WorkerContext } from "./work-kind.ts";

export type { TimeSlice, WorkKind } from "./work-kind.ts";

export type Worker = {
  wake(afterMs?: number): void;
  hasFreeSlot(): boolean;
  /** Aborts the processing of this row if it runs here. */
  abort(id: string, reason: Error): void;
  stop(): Promise<void>;
};

const sliceMs = 2_000;
const maxClaim = 100;
/** After the database was unreachable, workers get this long to renew their leases before any is taken over. */
const graceMs = 3_000;
const retryMs = 500;
const gatherMs = 5;
/** Rows locked by another transaction are tried again after this long, well before the next poll. */
const lockedMs = 100;
/** Rows still running this long after `stop` are aborted and left to other processes. */
const stopTimeoutMs = 4_000;

class Interrupted extends Error {
  override readonly name = "Interrupted";
}

type WorkerOptions<Row> = {
  slots: number;
  /** After a claim whose response was lost: these owners may hold rows that were never started. Default: release them. */
  reconcileLostClaims?(owners: string[], knownIds: string[]): Promise<void>;
  /** Called for each claimed row before anything is awaited. */
  onClaimed?(row: Row, stop: AbortController): void;
};

/**
 * Claims and processes rows of one kind, at most `slots` at a time. Any number of processes may do so. One organization gets
 * at most three times as many slots as stay free for the others.
 */
export function startWork<W extends WorkerContext, Row extends LeasedRow>(
  world: W,
  work: WorkKind<W, Row>,
  { slots, reconcileLostClaims, onClaimed }: WorkerOptions<Row>,
): Worker {
  const { leases } = work;
  const running = new Map<string, Running<Row>>();
  const owners = createOwners(running, (all, known) =>
    reconcileLostClaims ? reconcileLostClaims(all, known) : leases.releaseUnknownAcrossOrgs(world.db, all, known),
  );
  let graceEndsAt = 0;
  let after: string | undefined;
  let isSignalled = false;

  /** Rows that only wait for their outcome to be written hold no slot, up to `slots` of them: a slow database limits new work. */
  function freeSlots(): number {
    let ending = 0;
    for (const { isEnding } of running.values()) if (isEnding) ending++;
    return Math.min(slots - (running.size - ending), 2 * slots - running.size);
  }

  async function pass(stopping: AbortSignal): Promise<number | void> {
    const wasSignalled = isSignalled;
    isSignalled = false;
    await owners.settle();
    // A poll mostly finds nothing: a cheap query first.
    if (!wasSignalled && !(await (work.poll?.(world) ?? leases.isAnyDueAcrossOrgs(world.db, world.clock.now()))))
      return;
    while (!stopping.aborted) {
      const limit = Math.min(freeSlots(), maxClaim);
      if (limit <= 0) return;
      const claimedAt = performance.now();
      const owner = owners.next();
      const claimed = await leases.claimAcrossOrgs(world.db, {
        owner,
        sameWorker: owners.all(),
        limit,
        quotas: quotasOf(running.values(), slots),
        mayTakeOver: claimedAt > graceEndsAt,
        now: world.clock.now(),
        after,
        values: work.claimValues?.(world) ?? [],
      });
      owners.answered(owner);
      after = claimed.after;
      for (const row of claimed.rows) begin(row, owner, claimedAt);
      if (claimed.rows.length < limit && after === undefined) return claimed.areSomeLocked ? lockedMs : undefined;
    }
  }

  const claims = startLoop({
    pass,
    intervalMs: work.pollIntervalMs,
    firstMs: Math.min(work.pollIntervalMs, 1_000),
    retryMs,
    onError(error) {
      // The claim may have been committed and only its response lost.
      owners.markUncertain();
      isSignalled = true;
      graceEndsAt = performance.now() + graceMs;
      world.log.warn({ err: error, work: work.name }, "claiming work failed; it will be retried");
    },
  });

  function wake(afterMs = 0): void {
    if (afterMs === 0) isSignalled = true;
    claims.wake(afterMs);
  }

  /** A claim of many rows costs little more than a claim of one, so the first freed slots wait for others. */
  function onSlotFreed(): void {
    isSignalled = true;
    claims.wake(freeSlots() < slots / 2 ? gatherMs : 0);
  }

  function begin(row: Row, owner: string, claimedAt: number): void {
    const one = { row, owner, stop: new AbortController(), freshUntil: claimedAt + freshMsOf(leases), isEnding: false };
    // This worker held the row before, lost the lease, and has claimed it again.
    running.get(row.id)?.stop.abort(new Superseded(`${work.name}: the lease expired`));
    running.set(row.id, one);
    onClaimed?.(row, one.stop);
    const startedAt = performance.now();
    void runOne(world, work, row, {
      owner,
      signal: one.stop.signal,
      isFresh: () => performance.now() < one.freshUntil,
      releaseSlot() {
        one.isEnding = true;
        onSlotFreed();
      },
      shouldYield: () => one.stop.signal.aborted || (freeSlots() <= 0 && performance.now() - startedAt > sliceMs),
    }).then((isReleased) => {
      if (!isReleased) owners.markUncertain(owner);
      if (running.get(row.id) === one) running.delete(row.id);
      onSlotFreed();
    });
  }

  const renewals = keepLeases(world, work, running, () => (graceEndsAt = performance.now() + graceMs));
  const unsubscribe = work.wakeOn.map((topic) => world.signals.subscribe(topic, () => wake()));
  let hasStopped = false;
  world.signals.onGap(() => {
    if (hasStopped) return;
    graceEndsAt = performance.now() + graceMs;
    owners.markUncertain();
    renewals.wake();
    wake();
  });

  return {
    wake,
    hasFreeSlot: () => freeSlots() > 0,
    abort: (id, reason) => running.get(id)?.stop.abort(reason),
    async stop() {
      hasStopped = true;
      for (const off of unsubscribe) off();
      await claims.stop();
      await awaitEnds(running);
      await renewals.stop();
    },
  };
}

async function awaitEnds<Row>(running: ReadonlyMap<string, Running<Row>>): Promise<void> {
  const timeout = setTimeout(() => {
    for (const { stop } of running.values()) stop.abort(new Interrupted("the hub is stopping"));
  }, stopTimeoutMs);
  while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  clearTimeout(timeout);
}

/** Processes all rows that are due now, one after the other; returns their number. */
export async function workOff<W extends WorkerContext, Row extends LeasedRow>(
  world: W,
  work: WorkKind<W, Row>,
): Promise<number> {
  const owner = randomUUID();
  const quotas = { byOrg: new Map<string, number>(), others: 1 };
  for (let count = 0, after: string | undefined; ;) {
    const values = work.claimValues?.(world) ?? [];
    const now = world.clock.now();
    const claim = { owner, limit: 1, quotas, mayTakeOver: true, now, after, values };
    const claimed = await work.leases.claimAcrossOrgs(world.db, claim);
    after = claimed.after;
    for (const row of claimed.rows) await workOn(world, work, row, owner);
    count += claimed.rows.length;
    if (claimed.rows.length === 0 && after === undefined) return count;
  }
}

/**
 * Processes this row, leased to `owner`, until it is done: for a request that waits for the result. `run` replaces that of the
 * kind where the caller already has what it would read.
 */
export async function workOn<W extends WorkerContext, Row extends LeasedRow>(
  world: W,
  work: WorkKind<W, Row>,
  row: Row,
  owner: string,
  run = (slice: TimeSlice) => work.run(world, row, slice),
): Promise<void> {
  const { signal } = new AbortController();
  const slice = { owner, signal, isFresh: () => true, releaseSlot() {}, shouldYield: () => false };
  await runOne(world, work, row, slice, run);
}
