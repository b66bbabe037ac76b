import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { isConnectionLoss } from "../db/database.ts";
import type { Signals, Topic } from "../db/signals.ts";
import type { LeasedRow, Leases } from "./leases.ts";
import type { Loop } from "./loop.ts";
import { startLoop } from "./loop.ts";
import { countOutcome } from "./outcomes.ts";

/** The parts of a World that a worker needs. */
export type WorkerContext = {
  db: Database;
  signals: Signals;
  clock: { now(): Date };
  log: Pick<Logger, "info" | "warn" | "error">;
};

/** A kind of background work: rows of one table, claimed under a lease and processed by any hub process. */
export type WorkKind<W extends WorkerContext, Row extends LeasedRow> = {
  /** Name used in logs and metrics. */
  name: string;
  leases: Leases<Row>;
  /** Signals that announce due rows. */
  wakeOn: Topic[];
  /** Poll interval. Wake-up signals can be lost and workers can die, so the table is also polled. */
  pollIntervalMs: number;
  /** Attempts without progress before `giveUp` runs. A process that dies while holding the lease counts as an attempt. */
  maxAttempts: number;
  /** Whether a claim could find a row, for kinds whose poll does more than look for due rows. */
  poll?(world: W): Promise<boolean>;
  /** Values for `onClaim` of the leases. */
  claimValues?(world: W): unknown[];
  /**
   * Processes one row. Return "done" when the last transaction has released the lease (and set the next due time, if any),
   * or "yield" when more work remains and other organizations should be served first. A thrown error is retried with backoff.
   */
  run(world: W, row: Row, slice: TimeSlice): Promise<"done" | "yield">;
  /** Ends the row in a way its users can see. */
  giveUp(world: W, row: Row, error: unknown): Promise<void>;
};

/** The time a worker gives to one row before it serves another one. */
export type TimeSlice = {
  /** Owner of the lease, different for each claim of the row. */
  owner: string;
  /** Aborted when the lease was lost, the row was cancelled or the process stops: nothing more may be started. */
  signal: AbortSignal;
  /** The lease was renewed recently enough to be held for certain. */
  isFresh(): boolean;
  /** Frees the slot for the next row while this one only waits for its outcome to be written. */
  releaseSlot(): void;
  /** The time slice is used up and other rows may be waiting: return "yield" at the next opportunity. */
  shouldYield(): boolean;
};

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

class Superseded extends Error {
  override readonly name = "Superseded";
}

type Running<Row> = { row: Row; owner: string; stop: AbortController; freshUntil: number; isEnding: boolean };

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

/** The owners under which a worker holds leases: one per claim. */
function createOwners<Row>(
  running: ReadonlyMap<string, Running<Row>>,
  reconcile: (owners: string[], knownIds: string[]) => Promise<void>,
) {
  /** Owners that may hold rows not running here: claims without a response, and rows that could not be released. */
  const uncertain = new Set<string>();
  let mayHoldUnknown = false;
  const all = (): string[] => [...uncertain.union(new Set([...running.values()].map(({ owner }) => owner)))];
  return {
    all,
    next(): string {
      const owner = randomUUID();
      uncertain.add(owner);
      return owner;
    },
    answered: (owner: string): boolean => uncertain.delete(owner),
    markUncertain(owner?: string): void {
      if (owner !== undefined) uncertain.add(owner);
      mayHoldUnknown = true;
    },
    /** Releases rows that are leased to these owners and unknown here. */
    async settle(): Promise<void> {
      if (!mayHoldUnknown) return;
      mayHoldUnknown = false;
      const asked = all();
      await reconcile(asked, [...running.keys()]);
      for (const owner of asked) uncertain.delete(owner);
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

const freshMsOf = ({ leaseMs }: { leaseMs: number }): number => (leaseMs * 2) / 3;

/** Renews the leases of all running rows. A row whose lease was lost was taken over or ended, so its processing is aborted. */
function keepLeases<W extends WorkerContext, Row extends LeasedRow>(
  world: W,
  { name, leases }: WorkKind<W, Row>,
  running: ReadonlyMap<string, Running<Row>>,
  onFailure: () => void,
): Loop {
  return startLoop({
    intervalMs: leases.leaseMs / 3,
    async pass() {
      const held = [...running.values()];
      if (held.length === 0) return;
      const renewedAt = performance.now();
      const asked = held.map(({ row, owner }) => ({ id: row.id, owner }));
      const kept = new Set(await leases.renewAcrossOrgs(world.db, asked));
      for (const one of held) {
        if (kept.has(one.row.id)) one.freshUntil = renewedAt + freshMsOf(leases);
        else one.stop.abort(new Superseded(`${name}: another worker has taken over, or it was cancelled`));
      }
    },
    onError(error) {
      onFailure();
      world.log.warn({ err: error, work: name }, "renewing leases failed; it will be retried");
    },
  });
}

const share = 3;

/**
 * An organization with no row running here gets at least one slot while any is free. At most half of the slots of an
 * organization go to failing queues, whose rows tend to hold a slot until they time out.
 */
function quotasOf<Row extends LeasedRow>(running: Iterable<Running<Row>>, slots: number) {
  const [used, failing] = [new Map<string, number>(), new Map<string, number>()];
  let free = slots;
  for (const { row, isEnding } of running) {
    if (isEnding) continue;
    used.set(row.org_id, (used.get(row.org_id) ?? 0) + 1);
    if (row.isFailing) failing.set(row.org_id, (failing.get(row.org_id) ?? 0) + 1);
    free--;
  }
  const quotaFor = (count: number): number => Math.floor((share * free - count) / (share + 1));
  const byOrg = new Map([...used].map(([org, count]) => [org, Math.max(0, quotaFor(count))]));
  const failingByOrg = new Map(
    [...byOrg].map(([org, most]) => {
      const half = Math.max(1, Math.floor((used.get(org)! + most) / 2));
      return [org, Math.max(0, half - (failing.get(org) ?? 0))];
    }),
  );
  return { byOrg, others: Math.max(1, quotaFor(0)), failingByOrg };
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

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;

/** Never throws: a failure is retried until `maxAttempts`. Returns false when the lease could not be released. */
async function runOne<W extends WorkerContext, Row extends LeasedRow>(
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
