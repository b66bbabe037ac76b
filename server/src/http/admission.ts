import { HubError } from "../core/errors.ts";
import { noteRequest } from "../core/give-way.ts";
import type { Outsiders, Pace } from "./pace.ts";
import { watchPace } from "./pace.ts";
import type { Turn, Turns } from "./turns.ts";
import { createTurns } from "./turns.ts";
import type { Shares } from "./shares.ts";
import { createShares, share } from "./shares.ts";

/**
 * Who may come in, and who works next. A request is open from its head on until its answer is out, and has a turn only while
 * something is done for it: a slow sender or reader costs a socket, not a place. Strangers, who have not said who they are
 * or whose word was not checked yet, have a small part of everything to themselves.
 */
export type Admission = {
  /** Refuses with 503 or 429 what cannot be let in. */
  arrive(from: Arrival, response: { on(event: "close", listener: () => void): unknown }): Visit;
  /** Why this organization would be refused if it asked now: known before anything else is looked at. */
  whyNot(orgId: string): HubError | undefined;
  whyNotStrangers(): HubError | undefined;
  /** How long the next one of those has to wait before anything is done for it, or why it is not worth waiting for. */
  delayOf(outsiders: Outsiders): number | HubError;
  /** This organization, or others beside it, are being kept waiting: what can be done elsewhere should be. */
  isStrained(orgId: string): boolean;
  open(): number;
  working(): number;
  /** Refusals since the start, by cause. */
  refused: ReadonlyMap<RefusalCause, number>;
  stop(): void;
};

/**
 * "unproven": it says who it is; that is found out before anything else is done for it. `noticeFor`: this organization's, by the
 * path it was sent to; whether it is signed is found out when all of it is there.
 */
type Arrival = { address: string; as: "stranger" | "unproven" | "recognised" } | { noticeFor: string };

export type Visit = {
  /** It has been found out who asks: from now on it is one of this organization's. */
  belongTo(orgId: string): void;
  /** So much of something that there is not much of is set aside for it until it is answered, or it is refused. */
  hold(what: Scarce, amount: number): void;
  /** Waits for its turn, which ends with the task. */
  work<T>(task: () => Promise<T>): Promise<T>;
  /**
   * It was refused: nothing more is done for it. Its answer may have to wait for that to an earlier request on the same
   * connection; whoever sends hundreds on one would take everybody's places with refused ones. Or its answer goes on as a
   * stream, which is counted elsewhere.
   */
  leave(): void;
  /** So much has been written for it: a long answer is as much work as several short ones. */
  noteWritten(characters: number): void;
  /** Its organization asks for far more than is done for it, and keeps others waiting. */
  isGreedy(): boolean;
  /** Within a task: others have the turn while this waits for somebody outside of the hub. */
  aside<T>(task: () => Promise<T>): Promise<T>;
};

export type AdmissionLimits = {
  /** Requests that are open at the same time. */
  maxInFlight: number;
  /** Requests that something is done for at the same time: fewer than there are connections to the database. */
  maxAtWork: number;
  /** How late the process may be with its own work before nobody stands in line any more. */
  maxEventLoopDelayMs: number;
};

const causes = {
  full: "Too many requests are open.",
  organization: "Your organization has too many requests open.",
  notices: "Too many notices are open.",
  bodies: "The requests that are being read are too large together.",
  exports: "Too many exports are open.",
  strangers: "Too many requests without a valid token are open.",
  address: "Your address has too many requests without a valid token open.",
  too_many_waiting: "Too many requests of yours are waiting.",
  waited_too_long: "It was not your turn for too long.",
} as const;
type RefusalCause = keyof typeof causes;

/** Made once: noting where an error comes from costs more than all else about a refusal. */
const refusals = Object.fromEntries(
  Object.entries(causes).map(([cause, text]) => {
    const code = cause === "address" ? "rate_limited" : "overloaded";
    return [cause, new HubError(code, `${text} Try again in a moment.`, { retryAfterSeconds: 1 })];
  }),
) as Record<RefusalCause, HubError>;

const strangersShare = 1 / 8;
const noticesShare = 1 / 4;
const keptFreeShare = 1 / 6;
const addressShare = 1 / 32;
const maxWaiting = 64;
/** Near the end of the line. By itself it says little: when others make everything slow, whoever asks as ever has one, too. */
const longLine = 48;
const fewOfGreedy = 2;
const maxStrangersWaiting = 16;
/** Of what there is little: bytes of bodies that have come, or are coming, and exports, which may go on for minutes. */
const most = { bodies: 512 * 1024 ** 2, exports: 8 };
type Scarce = keyof typeof most;
const patienceMs = 5_000;
/** Characters of an answer. */
const likeOneRequest = 32 * 1024;
/** Of a stranger's request, while everything is slow. */
const longestDelayMs = 2_000;
/** Of each organization, however many there are. */
const leastShare = 1 / 4;

const partOf = (whole: number, part: number): number => Math.max(1, Math.floor(whole * part));

/** Strangers stand in a line of their own: however long it is, nobody who is known waits for it. */
function createLines({ maxAtWork }: AdmissionLimits, pace: Pace): Lines {
  const { isSlow, goodPlaces } = pace;
  /** If all have the same, and one more than there are comes. */
  const fairShare = (): number => partOf(maxAtWork, Math.max(leastShare, 1 / (known.lanes() + 1)));
  const hasPlenty = (): boolean => known.working() < goodPlaces() - partOf(goodPlaces(), keptFreeShare);
  // Whoever asks for far more than is done for them has few places, and one while that keeps everybody waiting.
  const isGreedy = (orgId: string): boolean =>
    known.lanes() > 1 && known.waitingIn(orgId) >= longLine && pace.asksForMuch(orgId);
  const ofGreedy = (): number => (isSlow() ? 1 : Math.min(fairShare(), fewOfGreedy));
  const known: Turns = createTurns({
    places: maxAtWork,
    // The last ones are for those who have less than the others.
    perLane: (orgId) => (isGreedy(orgId) ? ofGreedy() : hasPlenty() ? maxAtWork : fairShare()),
    maxWaiting,
    patienceMs,
    pace,
  });
  const ofStrangers = partOf(maxAtWork, strangersShare);
  const strangers = createTurns({
    places: Math.max(2, ofStrangers),
    perLane: () => ofStrangers,
    maxWaiting: maxStrangersWaiting,
    patienceMs,
  });
  return { known, strangers, isGreedy };
}

type Lines = Record<"known" | "strangers", Turns> & { isGreedy(orgId: string): boolean };

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
function countOutsider(from: Arrival, house: House): string[] | RefusalCause {
  if ("noticeFor" in from) return countNotice(from.noticeFor, house);
  const { openOf, maxInFlight, open } = house;
  const { address, as } = from;
  if (as === "recognised") return none;
  const names = as === "unproven" ? ["unproven"] : ["strangers", `from ${address}`];
  if (as === "unproven" && openOf.of("unproven") >= share * (maxInFlight - open)) return "strangers";
  if (as === "stranger" && openOf.of("strangers") >= partOf(maxInFlight, strangersShare)) return "strangers";
  const isBusy = openOf.of(`from ${address}`) >= Math.max(4, partOf(maxInFlight, addressShare));
  if (as === "stranger" && isBusy) return "address";
  for (const name of names) openOf.add(name, 1);
  return names;
}

/**
 * Notices have a part of the places to themselves, in which no organization keeps the others out. Whoever knows a path that notices
 * are sent to can fill this organization's share of it, and nothing else.
 */
function countNotice(orgId: string, { openOf, maxInFlight }: House): string[] | RefusalCause {
  const own = openOf.of(noticesOf(orgId));
  const free = partOf(maxInFlight, noticesShare) - openOf.of("notices") - 1;
  if (free < 0 || (own > 0 && own + 1 > share * free)) return "notices";
  openOf.add("notices", 1);
  return ["notices"];
}

/** Beside the organization itself: neither waits for the other. */
const noticesOf = (orgId: string): string => `notices of ${orgId}`;

/** What all visits of a process share. */
type House = {
  maxInFlight: number;
  /** Requests that are open. */
  open: number;
  openOf: Counts;
  known: Turns;
  strangers: Turns;
  isGreedy(orgId: string): boolean;
  scarce: Record<Scarce, Shares>;
  mayNotWait(orgId: string): boolean;
  noteAsked(orgId: string): void;
  isHeldBack(orgId: string): boolean;
  noteMore(orgId: string, beginnings: number): void;
  refuse(cause: RefusalCause): HubError;
};

export function createAdmission(limits: AdmissionLimits): Admission {
  const { maxInFlight } = limits;
  const pace = watchPace(limits);
  const { known, strangers, isGreedy } = createLines(limits, pace);
  const openOf = createCounts();
  const refused = new Map<RefusalCause, number>();
  const house: House = {
    maxInFlight,
    open: 0,
    openOf,
    known,
    strangers,
    isGreedy,
    scarce: { bodies: createShares(most.bodies), exports: createShares(most.exports) },
    noteAsked: pace.noteAsked,
    isHeldBack: pace.isHeldBack,
    noteMore: pace.noteMore,
    // Nobody stands in line in a process that is far too late.
    mayNotWait(orgId) {
      const waiting = known.waitingIn(orgId);
      return waiting >= maxWaiting || (waiting > 0 && pace.isLate());
    },
    refuse(cause) {
      refused.set(cause, (refused.get(cause) ?? 0) + 1);
      return refusals[cause];
    },
  };
  const { refuse } = house;

  return {
    isStrained: pace.isStrained,
    whyNot(orgId) {
      if (house.open >= maxInFlight) return refuse("full");
      if (house.mayNotWait(orgId)) {
        pace.noteAsked(orgId);
        return refuse("too_many_waiting");
      }
      const own = openOf.of(orgId);
      return own > 0 && own + 1 > share * (maxInFlight - house.open - 1) ? refuse("organization") : undefined;
    },
    whyNotStrangers() {
      if (house.open >= maxInFlight) return refuse("full");
      return openOf.of("strangers") >= partOf(maxInFlight, strangersShare) ? refuse("strangers") : undefined;
    },
    delayOf(outsiders) {
      const waitMs = pace.waitMs(outsiders);
      if (waitMs > longestDelayMs) return refuse("strangers");
      pace.noteBegin(outsiders);
      return waitMs;
    },
    arrive(from, response) {
      if (house.open >= maxInFlight) throw refuse("full");
      const counted = countOutsider(from, house);
      if (typeof counted === "string") throw refuse(counted);
      const visit = new OpenVisit(house, "address" in from ? from.address : "", counted);
      response.on("close", () => visit.close());
      if ("noticeFor" in from) visit.countFor(noticesOf(from.noticeFor));
      return visit;
    },
    open: () => house.open,
    working: () => known.working() + strangers.working(),
    refused,
    stop: () => pace.stop(),
  };
}

/** A class, since there is one for every request: a dozen functions made for each would cost more than what they do. */
class OpenVisit implements Visit {
  private readonly house: House;
  private readonly address: string;
  /** The names under which it counts as long as it belongs to nobody. */
  private outside: string[];
  private org: string | undefined;
  private held: [Scarce, number][] | undefined;
  private turn: Turn | undefined;
  private tasks = 0;
  private isClosed = false;
  private hasLeft = false;
  private leaveLine: (() => void) | undefined;

  constructor(house: House, address: string, outside: string[]) {
    this.house = house;
    this.address = address;
    this.outside = outside;
    house.open++;
  }

  /**
   * Not only when it was answered: each caller that hangs up would take a place away for good. Not before the work has
   * ended: who hangs up again and again could start any amount of it.
   */
  close(): void {
    this.isClosed = true;
    // Others have been waiting behind it, and nobody would read what is done.
    this.leaveLine?.();
    if (this.tasks === 0) this.leave();
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.house.open--;
    this.noLongerOutside();
    if (this.org === undefined) return;
    this.house.openOf.add(this.org, -1);
    for (const [what, amount] of this.held ?? []) this.house.scarce[what].giveBack(this.org, amount);
  }

  belongTo(orgId: string): void {
    // Nobody would take it from the count again.
    if (this.hasLeft) throw hungUp();
    this.noLongerOutside();
    const own = this.countFor(orgId);
    if (own > 1 && own > share * (this.house.maxInFlight - this.house.open)) throw this.house.refuse("organization");
  }

  /** Whatever else it counts as, it still is. */
  countFor(orgId: string): number {
    this.org = orgId;
    return this.house.openOf.add(orgId, 1);
  }

  hold(what: Scarce, amount: number): void {
    if (this.org === undefined || amount === 0) return;
    if (this.hasLeft) throw hungUp();
    if (!this.house.scarce[what].take(this.org, amount)) throw this.house.refuse(what);
    (this.held ??= []).push([what, amount]);
  }

  async work<T>(task: () => Promise<T>): Promise<T> {
    // Its place was given back, so nothing may begin.
    if (this.isClosed || this.hasLeft) throw hungUp();
    this.tasks++;
    noteRequest(1);
    try {
      this.turn = await this.takeTurn();
      return await task();
    } finally {
      this.turn?.end();
      this.turn = undefined;
      this.tasks--;
      noteRequest(-1);
      if (this.isClosed && this.tasks === 0) this.leave();
    }
  }

  async aside<T>(task: () => Promise<T>): Promise<T> {
    // What goes on after the answer, or beside something that waits already, has no turn to give.
    if (!this.turn) return await task();
    this.turn.end();
    this.turn = undefined;
    try {
      return await task();
    } finally {
      this.turn = await this.line().takeAgain(this.lane());
    }
  }

  noteWritten(characters: number): void {
    if (this.org !== undefined) this.house.noteMore(this.org, Math.floor(characters / likeOneRequest));
  }

  isGreedy(): boolean {
    return this.org !== undefined && (this.house.isGreedy(this.org) || this.house.isHeldBack(this.org));
  }

  private line(): Turns {
    return this.org === undefined ? this.house.strangers : this.house.known;
  }

  private lane(): string {
    return this.org ?? this.address;
  }

  private async takeTurn(): Promise<Turn> {
    if (this.org !== undefined) this.house.noteAsked(this.org);
    if (this.org !== undefined && this.house.mayNotWait(this.org)) throw this.house.refuse("too_many_waiting");
    const taken = await this.line().take(this.lane(), (leave) => (this.leaveLine = leave));
    if (!("refused" in taken)) return taken;
    throw taken.refused === "left" ? hungUp() : this.house.refuse(taken.refused);
  }

  private noLongerOutside(): void {
    for (const name of this.outside) this.house.openOf.add(name, -1);
    this.outside = none;
  }
}

const none: string[] = [];
