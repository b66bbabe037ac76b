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
  /** Waits for its turn, which ends with the task. */
  work<T>(task: () => Promise<T>): Promise<T>;
  /**
   * It was refused: nothing more is done for it. Its answer may have to wait for that to an earlier request on the same
   * connection; whoever sends hundreds on one would take everybody's places with refused ones.
   */
  leave(): void;
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
  const known: Turns = createTurns({
    places: maxAtWork,
    perLane: () => Math.max(1, share * (maxAtWork - known.working())),
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

/** There is nobody to read this. */
const hungUp = (): HubError => new HubError("request_timeout", "The caller has hung up.");

type Counts = { of(name: string): number; add(name: string, by: 1 | -1): number };

function createCounts(): Counts {
  const counts = new Map<string, number>();
  return {
    of: (name) => counts.get(name) ?? 0,
    add(name, by) {
      const next = (counts.get(name) ?? 0) + by;
      if (next === 0) counts.delete(name);
      else counts.set(name, next);
      return next;
    },
  };
}

/**
 * The names under which a request counts as long as nobody knows whose it is, or why it is not let in. Those whose word was not
 * checked yet are together like one organization: many may begin at the same time, but they leave room.
 */
function countOutsider({ address, as }: Arrival, openOf: Counts, maxInFlight: number, open: number) {
  if (as === "recognised") return [];
  const names = as === "unproven" ? ["unproven"] : ["strangers", `from ${address}`];
  if (as === "unproven" && openOf.of("unproven") >= share * (maxInFlight - open)) return "strangers";
  if (as === "stranger" && openOf.of("strangers") >= partOf(maxInFlight, strangersShare)) return "strangers";
  const isBusy = openOf.of(`from ${address}`) >= Math.max(4, partOf(maxInFlight, addressShare));
  if (as === "stranger" && isBusy) return "address";
  for (const name of names) openOf.add(name, 1);
  return names;
}

export function createAdmission(limits: AdmissionLimits): Admission {
  const { maxInFlight, maxAtWork } = limits;
  const { known, strangers } = createLines(maxAtWork);
  const lag = watchLoop(limits.maxLoopDelayMs);
  const openOf = createCounts();
  const scarce = { bodies: createShares(most.bodies), exports: createShares(most.exports) };
  const refused = new Map<RefusalCause, number>();
  let open = 0;

  function refuse(cause: RefusalCause): HubError {
    refused.set(cause, (refused.get(cause) ?? 0) + 1);
    const code = cause === "address" ? "rate_limited" : "overloaded";
    return new HubError(code, `${causes[cause]} Try again in a moment.`, { retryAfterSeconds: 1 });
  }

  return {
    arrive(from, response) {
      if (open >= maxInFlight) throw refuse("full");
      const counted = countOutsider(from, openOf, maxInFlight, open);
      if (typeof counted === "string") throw refuse(counted);
      const outside: string[] = counted;
      open++;
      let org: string | undefined;
      let isClosed = false;
      let tasks = 0;
      const held: [Scarce, number][] = [];
      let turn: Turn | undefined;

      function leaveWhenOver(): void {
        if (isClosed && tasks === 0) leave();
      }

      function noLongerOutside(): void {
        for (const name of outside.splice(0)) openOf.add(name, -1);
      }

      let hasLeft = false;
      function leave(): void {
        if (hasLeft) return;
        hasLeft = true;
        open--;
        noLongerOutside();
        if (org === undefined) return;
        openOf.add(org, -1);
        for (const [what, amount] of held) scarce[what].giveBack(org, amount);
      }
      // Not only when it was answered: each caller that hangs up would take a place away for good. Not before the work has
      // ended: who hangs up again and again could start any amount of it.
      response.once("close", () => {
        isClosed = true;
        leaveWhenOver();
      });

      const laneNow = (): [Turns, string] => (org === undefined ? [strangers, from.address] : [known, org]);

      async function takeTurn(): Promise<Turn> {
        const [turns, name] = laneNow();
        if (lag.isLate() && turns.waitingIn(name) > 0) throw refuse("too_many_waiting");
        const taken = await turns.take(name);
        if ("refused" in taken) throw refuse(taken.refused);
        return taken;
      }

      return {
        leave,
        belongTo(orgId) {
          // Nobody would take it from the count again.
          if (hasLeft) throw hungUp();
          noLongerOutside();
          org = orgId;
          const own = openOf.add(orgId, 1);
          if (own > 1 && own > share * (maxInFlight - open)) throw refuse("organization");
        },
        hold(what, amount) {
          if (org === undefined || amount === 0) return;
          if (hasLeft) throw hungUp();
          if (!scarce[what].take(org, amount)) throw refuse(what);
          held.push([what, amount]);
        },
        async work(task) {
          // Its place was given back, so nothing may begin.
          if (isClosed || hasLeft) throw hungUp();
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
