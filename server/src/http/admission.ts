import { HubError } from "../core/errors.ts";
import type { Turn, Turns } from "./turns.ts";
import { createTurns } from "./turns.ts";
import { createShares, share } from "./shares.ts";

/**
 * Who may come in, and who works next. A request is open from its head on until its answer is out, and has a turn only while
 * something is done for it: a slow sender or reader costs a socket, not a place. Strangers, who have not said who they are
 * or whose word was not checked yet, have a small part of everything to themselves.
 */
export type Admission = {
  /** Refuses with 503 or 429 what cannot be let in. */
  arrive(from: Arrival, response: { once(event: "close", listener: () => void): unknown }): Visit;
  open(): number;
  working(): number;
  /** Refusals since the start, by cause. */
  refused: ReadonlyMap<RefusalCause, number>;
  stop(): void;
};

/** "unproven": it says who it is; that is found out before anything else is done for it. */
type Arrival = { address: string; as: "stranger" | "unproven" | "recognised" };

export type Visit = {
  /** It has been found out who asks: from now on it is one of this organization's. */
  belongTo(orgId: string): void;
  /** So much of something that there is not much of is set aside for it until it is answered, or it is refused. */
  hold(what: Scarce, amount: number): void;
  /** It is not counted any more, however long its answer goes on: others look after that. */
  leave(): void;
  /** Waits for its turn, which ends with the task. */
  work<T>(task: () => Promise<T>): Promise<T>;
  /** Within a task: others have the turn while this waits for somebody outside of the hub. */
  aside<T>(task: () => Promise<T>): Promise<T>;
};

export type AdmissionLimits = {
  /** Requests that are open at the same time. */
  maxInFlight: number;
  /** Requests that something is done for at the same time: fewer than there are connections to the database. */
  maxAtWork: number;
  /** How late the process may be with its own work before nobody stands in line any more. */
  maxLoopDelayMs: number;
};

const causes = {
  full: "Too many requests are open.",
  organization: "Your organization has too many requests open.",
  bodies: "The requests that are being read are too large together.",
  exports: "Too many exports are open.",
  strangers: "Too many requests without a valid token are open.",
  address: "Your address has too many requests without a valid token open.",
  too_many_waiting: "Too many requests of yours are waiting.",
  waited_too_long: "It was not your turn for too long.",
} as const;
type RefusalCause = keyof typeof causes;

const strangersShare = 1 / 8;
const addressShare = 1 / 32;
const maxWaiting = 64;
/** Of what there is little: bytes of bodies that have come, or are coming, and exports, which may go on for minutes. */
const most = { bodies: 512 * 1024 ** 2, exports: 8 };
type Scarce = keyof typeof most;
const patienceMs = 5_000;
const sampleMs = 100;

const partOf = (whole: number, part: number): number => Math.max(1, Math.floor(whole * part));

/** Strangers stand in a line of their own: however long it is, nobody who is known waits for it. */
function createLines(maxAtWork: number): Record<"known" | "strangers", Turns> {
  const known = createTurns({
    places: maxAtWork,
    perLane: () => Math.max(1, Math.ceil((maxAtWork * share) / (share + 1))),
    maxWaiting,
    patienceMs,
  });
  const strangers = createTurns({
    places: Math.max(2, partOf(maxAtWork, strangersShare)),
    perLane: () => Math.max(1, partOf(maxAtWork, strangersShare)),
    maxWaiting: 16,
    patienceMs,
  });
  return { known, strangers };
}

export function createAdmission(limits: AdmissionLimits): Admission {
  const { maxInFlight, maxAtWork } = limits;
  const { known, strangers } = createLines(maxAtWork);
  const lag = watchLoop(limits.maxLoopDelayMs);
  const openOf = new Map<string, number>();
  const scarce = { bodies: createShares(most.bodies), exports: createShares(most.exports) };
  const refused = new Map<RefusalCause, number>();
  let open = 0;
  let openStrangers = 0;

  function refuse(cause: RefusalCause): HubError {
    refused.set(cause, (refused.get(cause) ?? 0) + 1);
    const code = cause === "address" ? "rate_limited" : "overloaded";
    return new HubError(code, `${causes[cause]} Try again in a moment.`, { retryAfterSeconds: 1 });
  }

  function count(key: string, by: 1 | -1): number {
    const next = (openOf.get(key) ?? 0) + by;
    if (next === 0) openOf.delete(key);
    else openOf.set(key, next);
    return next;
  }

  return {
    arrive({ address, as }, response) {
      if (open >= maxInFlight) throw refuse("full");
      const from = `from ${address}`;
      const isStranger = as === "stranger";
      if (isStranger) {
        if (openStrangers >= partOf(maxInFlight, strangersShare)) throw refuse("strangers");
        if ((openOf.get(from) ?? 0) >= Math.max(4, partOf(maxInFlight, addressShare))) throw refuse("address");
        count(from, 1);
        openStrangers++;
      }
      open++;
      let org: string | undefined;
      let isClosed = false;
      let hasLeft = false;
      let tasks = 0;
      const held: [Scarce, number][] = [];
      let turn: Turn | undefined;

      function leaveWhenOver(): void {
        if (!isClosed || tasks > 0 || hasLeft) return;
        hasLeft = true;
        open--;
        if (org !== undefined) {
          count(org, -1);
          for (const [what, amount] of held) scarce[what].giveBack(org, amount);
        }
        if (!isStranger) return;
        count(from, -1);
        openStrangers--;
      }
      // Not only when it was answered: each caller that hangs up would take a place away for good. Not before the work has
      // ended: who hangs up again and again could start any amount of it.
      const leave = (): void => {
        isClosed = true;
        leaveWhenOver();
      };
      response.once("close", leave);

      const laneNow = (): [Turns, string] => (org === undefined ? [strangers, from] : [known, org]);

      async function takeTurn(): Promise<Turn> {
        const [turns, name] = laneNow();
        if (lag.isLate() && turns.waitingIn(name) > 0) throw refuse("too_many_waiting");
        const taken = await turns.take(name);
        if ("refused" in taken) throw refuse(taken.refused);
        return taken;
      }

      return {
        belongTo(orgId) {
          org = orgId;
          // Counted until it is closed, refused or not.
          const own = count(orgId, 1);
          if (own > 1 && own > share * (maxInFlight - open)) throw refuse("organization");
        },
        hold(what, amount) {
          if (org === undefined || amount === 0) return;
          if (!scarce[what].take(org, amount)) throw refuse(what);
          held.push([what, amount]);
        },
        leave,
        async work(task) {
          // Its place was given back, so nothing may begin; there is nobody to read this either.
          if (isClosed) throw new HubError("request_timeout", "The caller has hung up.");
          tasks++;
          try {
            turn = await takeTurn();
            return await task();
          } finally {
            turn?.end();
            turn = undefined;
            tasks--;
            leaveWhenOver();
          }
        },
        async aside(task) {
          // What goes on after the answer, or beside something that waits already, has no turn to give.
          if (!turn) return await task();
          turn.end();
          turn = undefined;
          try {
            return await task();
          } finally {
            const [turns, name] = laneNow();
            turn = await turns.takeAgain(name);
          }
        },
      };
    },
    open: () => open,
    working: () => known.working() + strangers.working(),
    refused,
    stop: () => lag.stop(),
  };
}

/** Smoothed and capped: one long request is not overload, a row of them is. */
function watchLoop(maxDelayMs: number): { isLate(): boolean; stop(): void } {
  let delayMs = 0;
  let expected = performance.now() + sampleMs;
  const sampler = setInterval(() => {
    const now = performance.now();
    delayMs = delayMs * 0.7 + Math.min(Math.max(0, now - expected), 1_000) * 0.3;
    expected = now + sampleMs;
  }, sampleMs).unref();
  return { isLate: () => delayMs > maxDelayMs, stop: () => clearInterval(sampler) };
}
