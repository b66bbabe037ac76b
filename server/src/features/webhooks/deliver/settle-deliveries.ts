import type { World } from "../../../context.ts";
import { isRefusedForGood } from "../../../db/database.ts";
import type { ForeignEvent } from "../../../events/record-event.ts";
import { recordEventsAcrossOrgs } from "../../../events/record-event.ts";
import type { LeasedDelivery, SettledWebhook, Settlement } from "./deliveries.store.ts";
import { lockHealthAcrossOrgs, saveHealth, settleDeliveries } from "./deliveries.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { endOf, healthAfter } from "./delivery-outcome.ts";
import { shortHold } from "./plan-deliveries.ts";

const maxTogether = 500;
/** Settling many costs little more than settling one, so the first waits for others. */
const gatherMs = 2;
const retryMs = 500;

/** A delivery that was sent under the lease of `owner`. */
export type Sent = { delivery: LeasedDelivery; owner: string; outcome: Outcome };

/** `fenced`: sent by a worker whose lease another one had taken over. `nextAt`: when a retry is due, or an endpoint's wait ends. */
export type Settled = { fenced: number; delivered: number; failed: number; nextAt: Date[] };

/** Settles deliveries that end at the same time in one transaction, and retries until the database answers. */
export function createSettler(world: World, onSettled: (settled: Settled) => void): (sent: Sent) => Promise<void> {
  type Waiting = Sent & { done: PromiseWithResolvers<void> };
  let waiting: Waiting[] = [];
  let isFlushing = false;

  async function flush(): Promise<void> {
    if (isFlushing) return;
    isFlushing = true;
    while (waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, gatherMs));
      await settleTogether(waiting.splice(0, maxTogether));
    }
    isFlushing = false;
  }

  async function settleTogether(batch: Waiting[]): Promise<void> {
    try {
      onSettled(await settle(world, batch));
      for (const { done } of batch) done.resolve();
    } catch (error) {
      if (isRefusedForGood(error)) return await isolate(batch, error);
      world.log.warn({ err: error }, "settling webhook deliveries failed; it will be retried");
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      waiting = [...batch, ...waiting];
    }
  }

  /** PostgreSQL refuses one of them, for example because of the response body: settle the others, and that one without it. */
  async function isolate(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const sent of batch) await settleTogether([sent]);
      return;
    }
    const { delivery, outcome, done } = batch[0]!;
    world.log.error({ err: error, webhookId: delivery.webhookId, eventId: delivery.eventId }, "a delivery was refused");
    if (outcome.answer === null && outcome.headers === null) return done.reject(error);
    outcome.answer = outcome.headers = null;
    await settleTogether(batch);
  }

  return (sent) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ ...sent, done });
    void flush();
    return done.promise;
  };
}

/** One transaction: the deliveries, the health of their webhooks, and events about endpoints that fail or are disabled. */
async function settle(world: World, batch: Sent[]): Promise<Settled> {
  return await world.db.transaction(async (tx) => {
    const ids = new Set(batch.map(({ delivery }) => delivery.webhookId));
    const settlements = batch.map((sent): Settlement => {
      return { ...sent, ending: endOf(sent.delivery, sent.outcome, Math.random) };
    });
    // Pipelined, in this order: every change of a webhook locks it before its deliveries.
    const [locked, written] = await Promise.all([
      lockHealthAcrossOrgs(tx, [...ids]),
      settleDeliveries(tx, settlements),
    ]);
    const webhooks = new Map(locked.map((webhook) => [webhook.id, webhook]));
    const own = settlements.filter(({ delivery }) => written.has(delivery.id));
    const changed = new Map<string, SettledWebhook>();
    const events: ForeignEvent[] = [];
    for (const { delivery, outcome, ending } of own) {
      const before = changed.get(delivery.webhookId) ?? webhooks.get(delivery.webhookId)!;
      const { health, news } = healthAfter(before, outcome, ending, Math.random);
      changed.set(delivery.webhookId, health);
      if (news) events.push(eventOf(world, health, news));
    }
    if (changed.size > 0) saveHealth(tx, [...changed.values()]);
    if (events.length > 0) recordEventsAcrossOrgs(tx, world, events);
    const count = (status: string): number => own.filter(({ ending }) => ending.status === status).length;
    const waits = [...changed.values()].map(({ waitUntil }) => (waitUntil === null ? null : new Date(waitUntil)));
    const nextAt = [...own.map(({ ending }) => ending.dueAt), ...waits].filter((at) => at !== null);
    return { fenced: batch.length - own.length, delivered: count("delivered"), failed: count("failed"), nextAt };
  }, shortHold);
}

function eventOf({ log }: World, webhook: SettledWebhook, news: "failing" | "disabled"): ForeignEvent {
  const { id, orgId, version, failingSince, consecutiveFailures, disabledReason } = webhook;
  const by = {
    orgId,
    actor: { type: "system", name: "webhooks" },
    requestId: "system:webhooks",
    objectId: id,
  } as const;
  const data = { failingSince, consecutiveFailures, version };
  log.warn({ webhookId: id, orgId, failingSince, reason: disabledReason }, `webhook.${news}`);
  if (news === "failing") return { ...by, type: "webhook.failing", data };
  return { ...by, type: "webhook.disabled", data: { ...data, reason: disabledReason ?? "failing" } };
}
