import type { World } from "../../../context.ts";
import { typesOf } from "../../../events/event-families.ts";
import type { TimeSlice } from "../../../queue/work.ts";
import type { Progress } from "./deliveries.store.ts";
import { lockResendAcrossOrgs, resendPortion } from "./deliveries.store.ts";
import type { Ending, Outcome } from "./delivery-outcome.ts";
import { endOf, healthAfter, isTaken } from "./delivery-outcome.ts";
import { createFeedQueue } from "./feed-queue.ts";
import { shortHold } from "./look-for-events.ts";
import { contentOfEntry, sendOnce } from "./send-delivery.ts";
import type { SendPlaces } from "./send-places.ts";
import type { Delivery, LeasedWebhook, WebhookState } from "./webhook-work.store.ts";
import { findStateAcrossOrgs, listNext, restAcrossOrgs } from "./webhook-work.store.ts";

/** What the webhooks of a process have in common. */
export type Desk = {
  world: World;
  places: SendPlaces;
  counters: { attempts: number };
  isStopping(): boolean;
  /** Writes it down sooner or later, and tells the feed so. */
  settle(sent: Sent): void;
  /** Something may be due then. */
  wakeAt(...times: (Date | null)[]): void;
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

/** So many more than there are places may wait to be written down: the next one is sent meanwhile. More of them were slower. */
const mostUnwritten = 16;
/** So many are read at least: they lie in memory until their turn comes. */
const fewest = 16;
/** For what is due again meanwhile, and for signals that were lost. */
const lookEveryMs = 1_000;

/** Sends one leased webhook what there is for it, until there is no more or others shall have a slice. */
export function startFeed(desk: Desk, leased: LeasedWebhook, slice: TimeSlice): Feed & { ended: Promise<"done"> } {
  const { world, places } = desk;
  const { id, orgId, epoch } = leased;
  const beats = createBeats();
  const queue = createFeedQueue(leased.cursor);
  const known = createKnown(world, leased);
  let sending = 0;
  let mayHaveMore = true;
  let isChanged = false;
  /** Which time its state was read: what was looked for from another cursor is of no use. */
  let reading = 0;
  /** In strict order: nothing is begun until it is written down that the one before failed. */
  let isHeld = false;
  /** Another has it, or there is a reason to stop. */
  let end: { reason?: unknown } | undefined;

  const isLeftAlone = (): boolean => desk.isStopping() || slice.shouldYield() || !slice.isFresh();
  const maySend = (): boolean => !(end || isChanged || isHeld || isLeftAlone()) && known.isOpen();

  async function run(): Promise<"done"> {
    for (;;) {
      try {
        if (isChanged && !end) await readState();
        if (maySend() && queue.waiting() < known.state().places && mayHaveMore) await fill();
      } catch (reason) {
        // What is under way is waited for: nobody else may have the webhook before.
        end ??= { reason };
      }
      if (maySend()) sendSome();
      const isMore = !end && (isChanged || (maySend() && (queue.waiting() > 0 || mayHaveMore)));
      if (queue.open() === 0 && !isMore) break;
      if (queue.open() > 0) await beats.next();
    }
    if (end?.reason !== undefined) throw end.reason;
    const hasMore = queue.waiting() > 0;
    await restAcrossOrgs(world.db, leased, queue.moveWithout([]), { hasMore, now: world.clock.now() });
    // What came while it was leased was left to it.
    if (mayHaveMore || hasMore) desk.look();
    return "done";
  }

  /** False: somebody else has it now. */
  async function readState(): Promise<boolean> {
    isChanged = false;
    const isOurs = await known.read();
    if (isOurs) queue.restart(known.state().cursor);
    else end ??= {};
    reading++;
    mayHaveMore = true;
    return isOurs;
  }

  async function fill(): Promise<void> {
    mayHaveMore = false;
    const [before, now, state] = [reading, world.clock.now(), known.state()];
    const about = { orgId, webhookId: id, types: typesFor(state), cursor: queue.lookedTo(), without: queue.numbers() };
    const found = await listNext(world.db, { ...about, now, limit: Math.max(fewest, 4 * state.places) });
    if (reading !== before) return;
    mayHaveMore ||= found.hasMore;
    queue.add(found.next, found.lookedTo, state.ordering === "strict", now);
    if (mayHaveMore || queue.waiting() + queue.open() > 0) return;
    if (await resendSome(world, leased, state)) mayHaveMore = true;
  }

  function sendSome(): void {
    const most = known.state().places;
    while (queue.waiting() > 0 && sending < most && queue.open() < most + mostUnwritten) {
      if (!places.take(orgId, sending === 0)) return;
      sending++;
      void send(queue.take());
    }
  }

  async function send(delivery: Delivery): Promise<void> {
    const content = contentOfEntry(world, delivery.event);
    const sent = await sendOnce(world, known.state(), content, { signal: slice.signal, mayStart: slice.isFresh });
    sending--;
    places.give(orgId);
    beats.beat();
    if (!sent) {
      // Nothing was sent after all: it is met again.
      queue.close(delivery);
      isChanged = true;
      return;
    }
    desk.counters.attempts++;
    const one = known.learn(feed, delivery, sent.outcome);
    isHeld ||= known.state().ordering === "strict" && !isTaken(one.outcome);
    desk.wakeAt(one.ending.dueAt, known.waitUntil());
    desk.settle(one);
    // At once: who reads what is next may be waiting for the database just now.
    if (maySend()) sendSome();
  }

  function close(sent: readonly Sent[]): void {
    known.forget(sent);
    for (const { delivery } of sent) queue.close(delivery);
    if (isHeld && queue.open() === 0) [isHeld, isChanged] = [false, true];
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
    progressWith: (sent) => ({ id, epoch, ...known.progress(), ...queue.moveWithout(sent) }),
    written(sent, cursor) {
      // Otherwise somebody has looked at what waits, or has put it elsewhere.
      isChanged ||= !queue.move(cursor);
      close(sent);
    },
    drop(sent, reason) {
      end ??= { reason };
      close(sent);
    },
  };
  const timer = setInterval(() => feed.poke(), lookEveryMs);
  return { ...feed, ended: run().finally(() => clearInterval(timer)) };
}

/** What is known of a webhook: as it was read, and what was learnt since and may not be written down yet. */
function createKnown({ db, clock }: World, leased: LeasedWebhook) {
  const unwritten = new Set<Sent>();
  let state: WebhookState = leased;
  let readsUnderWay = 0;
  const apply = (outcome: Outcome, ending: Ending): void => {
    state = healthAfter(state, outcome, ending, Math.random).health;
  };
  const waitUntil = (): Date | null => (state.waitUntil === null ? null : new Date(state.waitUntil));
  return {
    state: () => state,
    waitUntil,
    /** Not while it is being read: people may have paused it. */
    isOpen(): boolean {
      const until = waitUntil();
      return readsUnderWay === 0 && state.status === "active" && (until === null || until <= clock.now());
    },
    progress: () => ({ version: state.version, health: state }),
    learn(feed: Feed, delivery: Delivery, outcome: Outcome): Sent {
      const sent = { feed, delivery, outcome, ending: endOf(delivery, state, outcome, Math.random) };
      apply(outcome, sent.ending);
      unwritten.add(sent);
      return sent;
    },
    forget(sent: readonly Sent[]): void {
      for (const one of sent) unwritten.delete(one);
    },
    /** False: somebody else has it now. */
    async read(): Promise<boolean> {
      readsUnderWay++;
      try {
        const found = await findStateAcrossOrgs(db, leased);
        if (!found) return false;
        state = found;
        for (const { outcome, ending } of unwritten) apply(outcome, ending);
        return true;
      } finally {
        readsUnderWay--;
      }
    },
  };
}

const typesFor = ({ types }: WebhookState): string[] => typesOf(types);

/** Only when there is nothing else. True: some of it is due now. */
async function resendSome({ db, clock }: World, leased: LeasedWebhook, state: WebhookState): Promise<boolean> {
  for (;;) {
    const count = await db.transaction(async (tx) => {
      const resend = await lockResendAcrossOrgs(tx, leased);
      if (!resend) return undefined;
      const types = typesOf(resend.types ?? state.types);
      const about = { orgId: state.orgId, webhookId: state.id, isStrict: state.ordering === "strict", types };
      return await resendPortion(tx, resend, about, clock.now());
    }, shortHold);
    if (count === undefined) return false;
    if (count > 0) return true;
  }
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
