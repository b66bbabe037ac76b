import type { World } from "../../../context.ts";
import { envelopeOf } from "../../../events/event-envelope.ts";
import { typesNamed } from "../../../events/event-families.ts";
import type { Turn } from "../../../queue/work.ts";
import type { Progress } from "./deliveries.store.ts";
import { lockResendAcrossOrgs, resendPortion } from "./deliveries.store.ts";
import type { Ending, Outcome } from "./delivery-outcome.ts";
import { endOf, healthAfter, isTaken } from "./delivery-outcome.ts";
import { shortHold } from "./look-for-events.ts";
import { sendOnce } from "./send-delivery.ts";
import type { SendPlaces } from "./send-places.ts";
import type { Delivery, LeasedWebhook, Move, WebhookState } from "./webhook-work.store.ts";
import { findStateAcrossOrgs, listNext, restAcrossOrgs } from "./webhook-work.store.ts";

/** What the webhooks of a process have in common. */
export type Desk = {
  world: World;
  places: SendPlaces;
  counters: { attempts: number };
  isStopping(): boolean;
  /** Writes it down sooner or later, and tells the feed so. */
  settle(sent: Sent): void;
  /** Some will be due then. */
  wakeIn(ms: number): void;
  /** There may be more in the log for a webhook that nobody has leased any more. */
  look(): void;
};

/** A delivery that was sent, and what that means for it. */
export type Sent = { feed: Feed; delivery: Delivery; outcome: Outcome; ending: Ending };

/** A webhook that this process has leased. Nobody else sends to it, so that what is under way is known here alone. */
export type Feed = {
  id: string;
  orgId: string;
  /** There may be more to send. */
  poke(): void;
  /** People have changed it, or put it elsewhere: what is known of it is read again before anything more is sent. */
  reload(): void;
  /** The same at once. False: another has it. */
  renew(): Promise<boolean>;
  /** How it is doing, and how far it comes when these are written down. */
  progressWith(sent: readonly Sent[]): Progress;
  /** They are written down, and this is how far it has come. */
  written(sent: readonly Sent[], cursor: number): void;
  /** Another has it, or is to have it: these are not written down here. */
  drop(sent: readonly Sent[], reason?: unknown): void;
};

/** So many more than there are places may wait to be written down: the next one is sent meanwhile. */
const mostUnwritten = 32;
/** So many are read at least: they lie in memory until their turn comes. */
const fewest = 16;
/** For what is due again meanwhile, and for signals that were lost. */
const lookEveryMs = 1_000;
/** What came due again goes before fresh events when it has waited for so long. */
const headStartMs = 60_000;

/** Sends one leased webhook what there is for it, until there is no more or others shall have a turn. */
export function startFeed(desk: Desk, leased: LeasedWebhook, turn: Turn): Feed & { ended: Promise<"done"> } {
  const { world, places } = desk;
  const { id, orgId, epoch } = leased;
  const beats = createBeats();
  let state: WebhookState = leased;
  let queue: Delivery[] = [];
  let lookedTo = state.cursor;
  /** By the number of the event: under way, or not written down yet. */
  const open = new Map<number, Delivery>();
  const unwritten = new Set<Sent>();
  let sending = 0;
  let mayHaveMore = true;
  let isChanged = false;
  /** In strict order: nothing is begun until it is written down that the one before failed. */
  let isHeld = false;
  let failure: { reason: unknown } | undefined;
  /** Another has it. */
  let isLost = false;

  const types = (): string[] => [...new Set(state.types.flatMap(typesNamed))];
  const hasEnded = (): boolean => isLost || failure !== undefined;
  const isStrict = (): boolean => state.ordering === "strict";

  function maySend(): boolean {
    if (hasEnded() || isHeld || turn.signal.aborted || desk.isStopping() || turn.isOver() || !turn.isFresh())
      return false;
    const { status, waitUntil } = state;
    return status === "active" && (waitUntil === null || Date.parse(waitUntil) <= world.clock.now().getTime());
  }

  async function run(): Promise<"done"> {
    for (;;) {
      try {
        if (isChanged && !hasEnded()) await readState();
        if (maySend() && queue.length === 0 && mayHaveMore) await fill();
      } catch (reason) {
        // What is under way is waited for: nobody else may have the webhook before.
        failure ??= { reason };
      }
      if (maySend()) sendSome();
      const isMore = !hasEnded() && (isChanged || (maySend() && (queue.length > 0 || mayHaveMore)));
      if (open.size === 0 && !isMore) break;
      if (open.size > 0) await beats.next();
    }
    if (isLost) return "done";
    if (failure) throw failure.reason;
    await restAcrossOrgs(world.db, leased, moveWithout(new Set()), world.clock.now());
    // What came while it was leased was left to it.
    if (mayHaveMore || queue.length > 0) desk.look();
    return "done";
  }

  /** False: somebody else has it now. */
  async function readState(): Promise<boolean> {
    isChanged = false;
    const found = await findStateAcrossOrgs(world.db, leased);
    if (!found) {
      isLost = true;
      return false;
    }
    state = found;
    lookedTo = state.cursor;
    queue = [];
    mayHaveMore = true;
    for (const { outcome, ending } of unwritten) apply(outcome, ending);
    return true;
  }

  async function fill(): Promise<void> {
    mayHaveMore = false;
    const now = world.clock.now();
    const limit = Math.max(fewest, 4 * state.places);
    const about = { orgId, webhookId: id, types: types(), without: [...open.keys()] };
    const found = await listNext(world.db, { ...about, cursor: lookedTo, now, limit });
    // Read anew before anything of it is sent.
    if (isChanged) return;
    lookedTo = found.lookedTo;
    mayHaveMore ||= found.hasMore;
    const place = ({ event, dueAt }: Delivery): number =>
      isStrict() ? event.sequence : (dueAt ?? now).getTime() - (dueAt === null ? headStartMs : 0);
    // Some of the former ones may have been begun in the meantime.
    queue = found.next
      .filter(({ event }) => !open.has(event.sequence))
      .toSorted((a, b) => place(a) - place(b) || a.event.sequence - b.event.sequence);
    if (queue.length === 0 && open.size === 0 && !mayHaveMore) mayHaveMore = (await resendSome()) || mayHaveMore;
  }

  /** Only when there is nothing else. True: some of it is due now. */
  async function resendSome(): Promise<boolean> {
    for (;;) {
      const count = await world.db.transaction(async (tx) => {
        const resend = await lockResendAcrossOrgs(tx, leased);
        if (!resend) return undefined;
        const wanted = resend.types === null ? types() : resend.types.flatMap(typesNamed);
        const about = { orgId, webhookId: id, isStrict: isStrict(), types: wanted };
        return await resendPortion(tx, resend, about, world.clock.now());
      }, shortHold);
      if (count === undefined) return false;
      if (count > 0) return true;
    }
  }

  function sendSome(): void {
    while (queue.length > 0 && sending < state.places && open.size < state.places + mostUnwritten) {
      if (!places.take(orgId, sending === 0)) return;
      const delivery = queue.shift()!;
      open.set(delivery.event.sequence, delivery);
      sending++;
      void send(delivery);
    }
  }

  async function send(delivery: Delivery): Promise<void> {
    const event = envelopeOf(world.environment, delivery.event);
    const sent = await sendOnce(world, state, event, { signal: turn.signal, mayStart: turn.isFresh });
    sending--;
    places.give(orgId);
    beats.beat();
    if (!sent) {
      // Nothing was sent after all: it is met again.
      open.delete(delivery.event.sequence);
      isChanged = true;
      return;
    }
    desk.counters.attempts++;
    const { outcome } = sent;
    const ending = endOf(delivery, state, outcome, Math.random);
    apply(outcome, ending);
    if (isStrict() && !isTaken(outcome)) isHeld = true;
    tellWhen(ending);
    const one: Sent = { feed, delivery, outcome, ending };
    unwritten.add(one);
    desk.settle(one);
  }

  function apply(outcome: Outcome, ending: Ending): void {
    state = { ...state, ...healthAfter(state, outcome, ending, Math.random).health };
  }

  function tellWhen({ dueAt }: Ending): void {
    const now = world.clock.now().getTime();
    for (const at of [dueAt?.getTime(), state.waitUntil === null ? undefined : Date.parse(state.waitUntil)]) {
      if (at !== undefined) desk.wakeIn(Math.max(0, at - now));
    }
  }

  /** All entries before the first that is not written down are done with. */
  function moveWithout(done: ReadonlySet<number>): Move {
    let to = lookedTo;
    const isLeft = (sequence: number): boolean => sequence > state.cursor && sequence <= to && !done.has(sequence);
    for (const sequence of open.keys()) if (isLeft(sequence)) to = sequence - 1;
    for (const { event } of queue) if (isLeft(event.sequence)) to = event.sequence - 1;
    return { from: state.cursor, to };
  }

  function close(sent: readonly Sent[]): void {
    for (const one of sent) {
      unwritten.delete(one);
      open.delete(one.delivery.event.sequence);
    }
    if (isHeld && open.size === 0) {
      isHeld = false;
      isChanged = true;
    }
    beats.beat();
  }

  const feed: Feed = {
    id,
    orgId,
    poke() {
      mayHaveMore = true;
      beats.beat();
    },
    reload() {
      isChanged = true;
      beats.beat();
    },
    renew: readState,
    progressWith(sent) {
      const done = new Set(sent.map(({ delivery }) => delivery.event.sequence));
      return { id, epoch, version: state.version, health: state, ...moveWithout(done) };
    },
    written(sent, cursor) {
      // Somebody has looked at what waits, or has put it elsewhere.
      if (cursor < state.cursor || cursor > lookedTo) isChanged = true;
      else state = { ...state, cursor };
      close(sent);
    },
    drop(sent, reason) {
      if (reason !== undefined) failure ??= { reason };
      close(sent);
    },
  };
  const timer = setInterval(() => feed.poke(), lookEveryMs);
  return { ...feed, ended: run().finally(() => clearInterval(timer)) };
}

/** Waits for the next beat; one that came since the last time is not missed. */
function createBeats() {
  let hasBeaten = false;
  let wake: (() => void) | undefined;
  return {
    beat(): void {
      hasBeaten = true;
      wake?.();
    },
    async next(): Promise<void> {
      if (!hasBeaten) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      hasBeaten = false;
    },
  };
}
