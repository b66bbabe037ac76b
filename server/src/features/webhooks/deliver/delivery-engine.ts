import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import { startLoop } from "../../../queue/loop.ts";
import type { WorkKind } from "../../../queue/work.ts";
import { startWork } from "../../../queue/work.ts";
import type { LeasedDelivery } from "./deliveries.store.ts";
import { deliveryLeases } from "./deliveries.store.ts";
import { createLoader } from "./load-deliveries.ts";
import { planDeliveries } from "./plan-deliveries.ts";
import { findLeftAcrossOrgs } from "./plan-deliveries.store.ts";
import { sendOnce } from "./send-delivery.ts";
import { createSettler } from "./settle-deliveries.ts";

/** Counts of this process since it started; `fenced`: deliveries sent by a worker whose lease another one had taken over. */
export const deliveryCounters = perWorld(() => ({ delivered: 0, failed: 0, attempts: 0, fenced: 0 }));

/** Signals start work at once; polls cover lost signals, and retries of processes that died. */
const pollIntervalMs = 15_000;
const hourMs = 3_600_000;
/** Webhooks that another process is planning at this moment are looked at again after this long. */
const lockedMs = 250;
/** Deliveries that are settled make room for more; planning waits for several. */
const refillMs = 100;

/** Plans and sends webhook deliveries, at most `slots` at a time. One per surface and process. */
export function startDeliveries(world: World, { slots }: { slots: number }): { stop(): Promise<void> } {
  const counters = deliveryCounters(world);
  const load = createLoader(world);
  /** More is waiting in the log than was planned. Only a hint for this process; polls look in the database. */
  let isMoreWaiting = false;

  const planning = startLoop({
    intervalMs: hourMs,
    firstMs: 1,
    retryMs: lockedMs,
    async pass(stopping) {
      const { isLeft, isPlannable } = await planDeliveries(world, stopping, () => worker.wake());
      isMoreWaiting = isLeft;
      // Also without new rows here: another process may have planned more than it has slots for.
      worker.wake();
      return isPlannable ? lockedMs : hourMs;
    },
    onError: (error) => world.log.warn({ err: error }, "planning webhook deliveries failed; it will be retried"),
  });

  const settle = createSettler(world, ({ fenced, delivered, failed, nextAt }) => {
    counters.fenced += fenced;
    counters.delivered += delivered;
    counters.failed += failed;
    const now = world.clock.now().getTime();
    for (const at of nextAt) worker.wake(Math.max(0, at.getTime() - now) + 20);
    if (isMoreWaiting) planning.wake(refillMs);
  });

  const work: WorkKind<World, LeasedDelivery> = {
    name: "webhook deliveries",
    leases: deliveryLeases,
    wakeOn: ["webhook"],
    pollIntervalMs,
    // A delivery has a retry schedule of its own.
    maxAttempts: Infinity,
    async poll({ db, clock }) {
      const { isLeft, isDue } = await findLeftAcrossOrgs(db, clock.now());
      if (isLeft) planning.wake();
      return isDue;
    },
    async run(_world, delivery, slice) {
      const loaded = await load(delivery);
      const options = { signal: slice.signal, mayStart: slice.isFresh };
      const sent = loaded && (await sendOnce(world, loaded.target, loaded.content, options));
      // Nothing was sent: the webhook was paused since the claim, the lease may be lost, or the process stops.
      if (!sent) return "yield";
      counters.attempts++;
      slice.releaseSlot();
      await settle({ delivery, owner: slice.owner, outcome: sent.outcome });
      return "done";
    },
    giveUp: () => Promise.resolve(),
  };

  const worker = startWork(world, work, { slots });
  const plan = (): void => planning.wake();
  const subscriptions = [world.signals.subscribe("events", plan), world.signals.subscribe("webhook", plan)];
  let hasStopped = false;
  world.signals.onGap(() => {
    if (!hasStopped) plan();
  });
  return {
    async stop() {
      hasStopped = true;
      for (const off of subscriptions) off();
      await planning.stop();
      await worker.stop();
    },
  };
}
