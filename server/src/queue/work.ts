import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { isConnectionLoss } from "../db/database.ts";
import type { Signals, Topic } from "../db/signals.ts";
import type { LeasedRow, Leases } from "./leases.ts";
import type { Loop } from "./loop.ts";
import { startLoop } from "./loop.ts";
import { countOutcome } from "./outcomes.ts";

/** The part of a World that work needs. */
export type Workplace = {
  db: Database;
  signals: Signals;
  clock: { now(): Date };
  log: Pick<Logger, "info" | "warn" | "error">;
};

/** One kind of work that nobody waits for, or that goes on when nobody waits any more. */
export type Work<W extends Workplace, Row extends LeasedRow> = {
  /** As it is called in the log. */
  name: string;
  leases: Leases<Row>;
  /** Signals after which there is something to do. */
  wakeOn: Topic[];
  /** For signals that were lost, and for workers that were. */
  everyMs: number;
  /** After so many tries without getting on it is given up. A process that died over it counts as one. */
  maxAttempts: number;
  /** A look by the clock, whether there is something to take; where one query can tell more than that. */
  look?(world: W): Promise<boolean>;
  /** Values for `onClaim` of the leases. */
  valuesOf?(world: W): unknown[];
  /**
   * "done": its last transaction has ended the lease, and said whether and when it is due again. "again": there is more to
   * do, and somebody else shall have a turn first. Whatever is thrown is tried again, later each time.
   */
  run(world: W, row: Row, turn: Turn): Promise<"done" | "again">;
  /** Ends it, for everybody to see. */
  giveUp(world: W, row: Row, error: unknown): Promise<void>;
};

export type Turn = {
  /** Of the lease, and of this turn alone: what was lost and has come back has another one. */
  owner: string;
  /** Aborted when it is somebody else's, was cancelled, or the process ends: nothing more is begun. */
  signal: AbortSignal;
  /** Surely still ours: the lease was renewed a moment ago. */
  isFresh(): boolean;
  /** What is left is writing down how it ended: its place is for the next one meanwhile. */
  makeRoom(): void;
  /** It had its time and others may be waiting: time to return "again", where that is possible. */
  isOver(): boolean;
};

export type Worker = {
  wake(afterMs?: number): void;
  hasRoom(): boolean;
  /** Stops what is being done to this one, if it is here. */
  abort(id: string, reason: Error): void;
  stop(): Promise<void>;
};

const turnMs = 2_000;
const maxClaim = 100;
/** After the database was away everybody gets the time to say that they are alive. */
const graceMs = 3_000;
const askAgainMs = 500;
const gatherMs = 5;
/** What somebody had locked for a moment is asked for again, long before the clock strikes. */
const lockedMs = 100;
/** What is still being done then is left to others. */
const patienceMs = 4_000;

class Interrupted extends Error {
  override readonly name = "Interrupted";
}

class Superseded extends Error {
  override readonly name = "Superseded";
}

type Running<Row> = { row: Row; owner: string; stop: AbortController; freshUntil: number; isEnding: boolean };

type WorkerOptions<Row> = {
  slots: number;
  /** After a claim whose answer was lost: what these owners hold besides these has not begun. Without it, it is given back. */
  onUnknown?(owners: string[], knownIds: string[]): Promise<void>;
  /** Just claimed, before anything is waited for. */
  onClaimed?(row: Row, stop: AbortController): void;
};

/**
 * Takes work of one kind and does it, as much at a time as there are slots. Any number of processes may do so. One
 * organization never has all the places: it gets at most three times as many as stay free for the others.
 */
export function startWork<W extends Workplace, Row extends LeasedRow>(
  world: W,
  work: Work<W, Row>,
  { slots, onUnknown, onClaimed }: WorkerOptions<Row>,
): Worker {
  const { leases } = work;
  const running = new Map<string, Running<Row>>();
  const owners = createOwners(running, (all, known) =>
    onUnknown ? onUnknown(all, known) : leases.releaseUnknownAcrossOrgs(world.db, all, known),
  );
  let graceEndsAt = 0;
  let after: string | undefined;
  let isTold = false;

  /** Ends that are slow to be written hold up the beginning of more, sooner or later. */
  function freePlaces(): number {
    let ending = 0;
    for (const { isEnding } of running.values()) if (isEnding) ending++;
    return Math.min(slots - (running.size - ending), 2 * slots - running.size);
  }

  async function pass(stopping: AbortSignal): Promise<number | void> {
    const wasTold = isTold;
    isTold = false;
    await owners.settle();
    // By the clock it is mostly in vain: a cheap look.
    if (!wasTold && !(await (work.look?.(world) ?? leases.isAnyDueAcrossOrgs(world.db, world.clock.now())))) return;
    while (!stopping.aborted) {
      const limit = Math.min(freePlaces(), maxClaim);
      if (limit <= 0) return;
      const askedAt = performance.now();
      const owner = owners.next();
      const claimed = await leases.claimAcrossOrgs(world.db, {
        owner,
        sameWorker: owners.all(),
        limit,
        rooms: roomsOf(running.values(), slots),
        mayTakeOver: askedAt > graceEndsAt,
        now: world.clock.now(),
        after,
        values: work.valuesOf?.(world) ?? [],
      });
      owners.answered(owner);
      after = claimed.after;
      for (const row of claimed.rows) begin(row, owner, askedAt);
      if (claimed.rows.length < limit && after === undefined) return claimed.areSomeLocked ? lockedMs : undefined;
    }
  }

  const claims = startLoop({
    pass,
    everyMs: work.everyMs,
    firstMs: Math.min(work.everyMs, 1_000),
    isInStep: true,
    retryMs: askAgainMs,
    onError(error) {
      // Perhaps only the answer was lost, and they are ours.
      owners.doubt();
      isTold = true;
      graceEndsAt = performance.now() + graceMs;
      world.log.warn({ err: error, work: work.name }, "no work could be taken; it waits");
    },
  });

  function wake(afterMs = 0): void {
    if (afterMs === 0) isTold = true;
    claims.wake(afterMs);
  }

  /** Many at a time are taken for little more than the price of one: of many that end, the first waits for the others. */
  function onPlaceFreed(): void {
    isTold = true;
    claims.wake(freePlaces() < slots / 2 ? gatherMs : 0);
  }

  function begin(row: Row, owner: string, askedAt: number): void {
    const one = { row, owner, stop: new AbortController(), freshUntil: askedAt + freshMsOf(leases), isEnding: false };
    // It was ours once, was lost, and has come back.
    running.get(row.id)?.stop.abort(new Superseded(`${work.name}: its lease ran out`));
    running.set(row.id, one);
    onClaimed?.(row, one.stop);
    const startedAt = performance.now();
    void attend(world, work, row, {
      owner,
      signal: one.stop.signal,
      isFresh: () => performance.now() < one.freshUntil,
      makeRoom() {
        one.isEnding = true;
        onPlaceFreed();
      },
      isOver: () => one.stop.signal.aborted || (freePlaces() <= 0 && performance.now() - startedAt > turnMs),
    }).then((isLetGo) => {
      if (!isLetGo) owners.doubt(owner);
      if (running.get(row.id) === one) running.delete(row.id);
      onPlaceFreed();
    });
  }

  const renewals = keepLeases(world, work, running, () => (graceEndsAt = performance.now() + graceMs));
  const unsubscribe = work.wakeOn.map((topic) => world.signals.subscribe(topic, () => wake()));
  let hasStopped = false;
  world.signals.onGap(() => {
    if (hasStopped) return;
    graceEndsAt = performance.now() + graceMs;
    owners.doubt();
    renewals.wake();
    wake();
  });

  return {
    wake,
    hasRoom: () => freePlaces() > 0,
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

/** Under which owners a worker has leased something: each of its claims is one. */
function createOwners<Row>(
  running: ReadonlyMap<string, Running<Row>>,
  giveBack: (owners: string[], knownIds: string[]) => Promise<void>,
) {
  /** Who may hold what is not running here: claims whose answer has not come, and what could not be given back. */
  const unsettled = new Set<string>();
  let mayHoldUnknown = false;
  const all = (): string[] => [...unsettled.union(new Set([...running.values()].map(({ owner }) => owner)))];
  return {
    all,
    next(): string {
      const owner = randomUUID();
      unsettled.add(owner);
      return owner;
    },
    answered: (owner: string): boolean => unsettled.delete(owner),
    doubt(owner?: string): void {
      if (owner !== undefined) unsettled.add(owner);
      mayHoldUnknown = true;
    },
    /** What they hold without its being known here is given back. */
    async settle(): Promise<void> {
      if (!mayHoldUnknown) return;
      mayHoldUnknown = false;
      const asked = all();
      await giveBack(asked, [...running.keys()]);
      for (const owner of asked) unsettled.delete(owner);
    },
  };
}

async function awaitEnds<Row>(running: ReadonlyMap<string, Running<Row>>): Promise<void> {
  const patience = setTimeout(() => {
    for (const { stop } of running.values()) stop.abort(new Interrupted("the hub is stopping"));
  }, patienceMs);
  while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  clearTimeout(patience);
}

const freshMsOf = ({ leaseMs }: { leaseMs: number }): number => (leaseMs * 2) / 3;

/** A lease that is lost means that somebody else has taken over, or that it was ended meanwhile. */
function keepLeases<W extends Workplace, Row extends LeasedRow>(
  world: W,
  { name, leases }: Work<W, Row>,
  running: ReadonlyMap<string, Running<Row>>,
  onTrouble: () => void,
): Loop {
  return startLoop({
    everyMs: leases.leaseMs / 3,
    async pass() {
      const held = [...running.values()];
      if (held.length === 0) return;
      const askedAt = performance.now();
      const asked = held.map(({ row, owner }) => ({ id: row.id, owner }));
      const kept = new Set(await leases.renewAcrossOrgs(world.db, asked));
      for (const one of held) {
        if (kept.has(one.row.id)) one.freshUntil = askedAt + freshMsOf(leases);
        else one.stop.abort(new Superseded(`${name}: another worker has taken over, or it was cancelled`));
      }
    },
    onError(error) {
      onTrouble();
      world.log.warn({ err: error, work: name }, "leases could not be renewed yet");
    },
  });
}

const share = 3;

/** Whoever has nothing running here gets at least one place, as long as there is any. */
function roomsOf<Row extends LeasedRow>(running: Iterable<Running<Row>>, slots: number) {
  const counts = new Map<string, number>();
  let free = slots;
  for (const { row, isEnding } of running) {
    if (isEnding) continue;
    counts.set(row.org_id, (counts.get(row.org_id) ?? 0) + 1);
    free--;
  }
  const roomFor = (has: number): number => Math.floor((share * free - has) / (share + 1));
  const byOrg = new Map([...counts].map(([org, has]) => [org, Math.max(0, roomFor(has))]));
  return { byOrg, others: Math.max(1, roomFor(0)) };
}

/** Everything that is due now, one after the other; returns how much it was. */
export async function workOff<W extends Workplace, Row extends LeasedRow>(
  world: W,
  work: Work<W, Row>,
): Promise<number> {
  const owner = randomUUID();
  const rooms = { byOrg: new Map<string, number>(), others: 1 };
  for (let count = 0, after: string | undefined; ;) {
    const values = work.valuesOf?.(world) ?? [];
    const now = world.clock.now();
    const claim = { owner, limit: 1, rooms, mayTakeOver: true, now, after, values };
    const claimed = await work.leases.claimAcrossOrgs(world.db, claim);
    after = claimed.after;
    for (const row of claimed.rows) await workOn(world, work, row, owner);
    count += claimed.rows.length;
    if (claimed.rows.length === 0 && after === undefined) return count;
  }
}

/** This one, which `owner` has leased, until it is done: for a request that waits for it. */
export async function workOn<W extends Workplace, Row extends LeasedRow>(
  world: W,
  work: Work<W, Row>,
  row: Row,
  owner: string,
): Promise<void> {
  const { signal } = new AbortController();
  await attend(world, work, row, { owner, signal, isFresh: () => true, makeRoom() {}, isOver: () => false });
}

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;

/** Never throws: what went wrong is tried again, until it has gone wrong too often. False: the lease could not be ended. */
async function attend<W extends Workplace, Row extends LeasedRow>(
  world: W,
  work: Work<W, Row>,
  row: Row,
  turn: Turn,
): Promise<boolean> {
  const { leases, maxAttempts } = work;
  const attempts = leases.attemptsOf(row);
  const about = { work: work.name, id: row.id, orgId: row.org_id };
  const release = async (delayMs: number, count: number): Promise<boolean> => {
    const again = { now: world.clock.now(), delayMs, attempts: count };
    try {
      await leases.releaseAcrossOrgs(world.db, turn.owner, row.id, again);
      return true;
    } catch (error) {
      // It is given back later, or its lease runs out.
      world.log.warn({ ...about, err: error }, "work could not be given back");
      return false;
    }
  };
  try {
    if (attempts > maxAttempts) throw new Error("every process that worked on it ended");
    const ended = await work.run(world, row, turn);
    countOutcome(world.db, work.name, ended);
    return ended === "done" || (await release(0, 0));
  } catch (error) {
    const isInterrupted = turn.signal.aborted || isConnectionLoss(error);
    countOutcome(world.db, work.name, isInterrupted ? "interrupted" : attempts < maxAttempts ? "failed" : "given_up");
    if (turn.signal.aborted) return await release(0, attempts - 1);
    if (isConnectionLoss(error)) return await release(firstDelayMs, attempts - 1);
    if (attempts < maxAttempts) {
      world.log.warn({ ...about, err: error, attempts }, "work failed; it will be tried again");
      return await release(Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs), attempts);
    }
    world.log.error({ ...about, err: error, attempts }, "work failed too often and is given up");
    try {
      await work.giveUp(world, row, error);
      return true;
    } catch (reason) {
      world.log.error({ ...about, err: reason }, "work could not be given up either");
      return await release(maxDelayMs, attempts);
    }
  }
}
