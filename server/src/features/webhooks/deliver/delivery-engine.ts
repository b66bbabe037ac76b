import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import { envelopeOf } from "../../../events/event-envelope.ts";
import { startLoop } from "../../../queue/loop.ts";
import type { Work } from "../../../queue/work.ts";
import { startWork } from "../../../queue/work.ts";
import type { DeliveryRow } from "./deliveries.store.ts";
import { deliveryLeases, eventOf, fewWaiting, lookForWorkAcrossOrgs } from "./deliveries.store.ts";
import { planDeliveries } from "./plan-deliveries.ts";
import { sendOnce } from "./send-delivery.ts";
import { createSettler } from "./settle-deliveries.ts";

/** What this process has seen since it started; `fenced`: sent by a worker that was taken for dead. */
export const deliveryCounters = perWorld(() => ({ delivered: 0, failed: 0, attempts: 0, fenced: 0 }));

/** Signals get it going at once; this is for those that were lost, for workers that were, and for retries of the latter. */
const everyMs = 15_000;
const hour = 3_600_000;
/** What another node holds just now is planned a moment later. */
const planAgainMs = 250;
/** Fewer than a webhook has left when there is room for more of it: it never runs dry, and is not asked about in vain. */
const planAfter = fewWaiting / 2;

/** Tells endpoints what happens, as many deliveries at a time as there are slots. One per surface and process. */
export function startDeliveries(world: World, { slots }: { slots: number }): { stop(): Promise<void> } {
  const counters = deliveryCounters(world);
  let isMore = false;
  let endedSincePlan = 0;
  let underWay = 0;
  /** Nobody has a webhook, and whoever makes one says so: an idle hub need not look. */
  let isNone = false;
  const planner = startLoop({
    everyMs: hour,
    retryMs: planAgainMs,
    async pass(stopping) {
      if (isNone && world.signals.isConnected()) return hour;
      endedSincePlan = 0;
      const planned = await planDeliveries(world, stopping);
      isMore = planned.isMore;
      if (planned.count > 0) worker.wake();
      // More than this node can begin with: others may.
      if (planned.count > slots) world.signals.hint("webhook", "");
      return planned.isLocked ? planAgainMs : hour;
    },
    onError: (error) => world.log.warn({ err: error }, "deliveries could not be planned yet"),
  });

  const settler = createSettler(world, ({ fenced, delivered, failed, nextInMs }) => {
    counters.fenced += fenced;
    counters.delivered += delivered;
    counters.failed += failed;
    endedSincePlan += delivered + failed;
    if (isMore && (endedSincePlan >= planAfter || underWay <= delivered + failed)) planner.wake();
    if (nextInMs !== undefined) worker.wake(nextInMs + 20);
  });

  const work: Work<World, DeliveryRow> = {
    name: "webhook deliveries",
    leases: deliveryLeases,
    wakeOn: ["webhook"],
    everyMs,
    // A delivery counts its own tries.
    maxAttempts: Infinity,
    async look() {
      if (isNone && world.signals.isConnected()) return false;
      // Before it is looked: one that is made meanwhile counts.
      isNone = true;
      const { isDue, isBehind, isAny } = await lookForWorkAcrossOrgs(world.db, world.clock.now());
      isNone &&= !isAny;
      if (isBehind) planner.wake();
      return isDue;
    },
    async run(_world, delivery, turn) {
      underWay++;
      const event = envelopeOf(world.environment, eventOf(delivery));
      const sent = await sendOnce(world, delivery.target, event, { signal: turn.signal, mayStart: turn.isFresh });
      if (sent) counters.attempts++;
      turn.makeRoom();
      await settler.settle(delivery, sent?.outcome);
      underWay--;
      return "done";
    },
    giveUp: () => Promise.resolve(),
  };

  const worker = startWork(world, work, { slots });
  const subscriptions = [
    world.signals.subscribe("events", () => planner.wake()),
    world.signals.subscribe("webhook", () => {
      isNone = false;
      planner.wake();
    }),
  ];
  world.signals.onGap(() => {
    isNone = false;
    planner.wake();
  });
  planner.wake();
  return {
    async stop() {
      for (const off of subscriptions) off();
      await planner.stop();
      await worker.stop();
    },
  };
}
