import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import { startLoop } from "../../../queue/loop.ts";
import type { WorkKind } from "../../../queue/work.ts";
import { startWork } from "../../../queue/work.ts";
import type { Desk, Feed } from "./feed-webhook.ts";
import { startFeed } from "./feed-webhook.ts";
import { lookForEvents } from "./look-for-events.ts";
import { createSendPlaces } from "./send-places.ts";
import { createSettler } from "./settle-deliveries.ts";
import type { LeasedWebhook } from "./webhook-work.store.ts";
import { lookForWorkAcrossOrgs, webhookLeases } from "./webhook-work.store.ts";

/** What this process has seen since it started; `fenced`: sent by a worker that was taken for dead. */
export const deliveryCounters = perWorld(() => ({ delivered: 0, failed: 0, attempts: 0, fenced: 0 }));

/** Signals get it going at once; this is for those that were lost, for workers that were, and for retries of the latter. */
const pollIntervalMs = 15_000;
const hour = 3_600_000;
/** What another node holds just now is looked at a moment later. */
const lookAgainMs = 250;

/** Tells endpoints what happens, as many deliveries at a time as there are slots. One per surface and process. */
export function startDeliveries(world: World, { slots }: { slots: number }): { stop(): Promise<void> } {
  const counters = deliveryCounters(world);
  const feeds = new Map<string, Feed>();
  let isStopping = false;
  /** Nobody has a webhook, and whoever makes one says so: an idle hub need not look. */
  let isNone = false;

  const looking = startLoop({
    intervalMs: hour,
    retryMs: lookAgainMs,
    async pass(stopping) {
      if (isNone && world.signals.isConnected()) return hour;
      const { isLocked } = await lookForEvents(world, stopping, () => worker.wake());
      return isLocked ? lookAgainMs : hour;
    },
    onError: (error) => world.log.warn({ err: error }, "webhooks could not be looked at yet"),
  });

  const desk: Desk = {
    world,
    places: createSendPlaces(slots),
    counters,
    isStopping: () => isStopping,
    settle: createSettler(world, ({ fenced, delivered, failed }) => {
      counters.fenced += fenced;
      counters.delivered += delivered;
      counters.failed += failed;
    }),
    wakeAt(...times) {
      const now = world.clock.now().getTime();
      for (const at of times) if (at) worker.wake(Math.max(0, at.getTime() - now) + 20);
    },
    look: () => looking.wake(),
  };

  const work: WorkKind<World, LeasedWebhook> = {
    name: "webhook deliveries",
    leases: webhookLeases,
    wakeOn: ["webhook"],
    pollIntervalMs,
    // A delivery counts its own tries.
    maxAttempts: Infinity,
    async poll() {
      if (isNone && world.signals.isConnected()) return false;
      // Before it is looked: one that is made meanwhile counts.
      isNone = true;
      const { isReady, isBehind, isAny } = await lookForWorkAcrossOrgs(world.db, world.clock.now());
      isNone &&= !isAny;
      if (isBehind) looking.wake();
      return isReady;
    },
    async run(_world, webhook, slice) {
      const feed = startFeed(desk, webhook, slice);
      feeds.set(webhook.id, feed);
      try {
        return await feed.ended;
      } finally {
        if (feeds.get(webhook.id) === feed) feeds.delete(webhook.id);
      }
    },
    giveUp: () => Promise.resolve(),
  };

  const worker = startWork(world, work, { slots });
  const subscriptions = [
    world.signals.subscribe("events", (orgId) => {
      for (const feed of feeds.values()) if (feed.orgId === orgId) feed.poke();
      looking.wake();
    }),
    world.signals.subscribe("webhook", (id) => {
      isNone = false;
      for (const feed of feeds.values()) if (id === "" || feed.id === id) feed.reload();
      looking.wake();
    }),
  ];
  world.signals.onGap(() => {
    isNone = false;
    for (const feed of feeds.values()) feed.reload();
    looking.wake();
  });
  looking.wake();
  return {
    async stop() {
      isStopping = true;
      for (const off of subscriptions) off();
      await looking.stop();
      await worker.stop();
    },
  };
}
