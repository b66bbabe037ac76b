import type { World } from "../../../context.ts";
import { isRefusedForGood } from "../../../db/database.ts";
import type { Tx } from "../../../db/database.ts";
import type { ForeignEvent } from "../../../events/record-event.ts";
import { recordEventsAcrossOrgs } from "../../../events/record-event.ts";
import type { Health } from "../webhooks.store.ts";
import type { DeliveryRow, Settlement, Taken } from "./deliveries.store.ts";
import * as store from "./deliveries.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { endOf, healthAfter, isTaken } from "./delivery-outcome.ts";
import { shortHold } from "./plan-deliveries.ts";

/** A delivery, and what came of sending it; undefined: it was not sent after all. */
type Sent = { delivery: DeliveryRow; outcome: Outcome | undefined };
type Pending = Sent & { done(): void };

const maxTogether = 500;
const retryFlushMs = 500;

export type Settler = {
  /** Resolves when it is written down, which is tried until the database answers. */
  settle(delivery: DeliveryRow, outcome: Outcome | undefined): Promise<void>;
};

export type Settled = { fenced: number; delivered: number; failed: number; nextInMs: number | undefined };

/** Writes down how deliveries went, those that come at the same time together. */
export function createSettler(world: World, onSettled: (settled: Settled) => void): Settler {
  const waiting: Pending[] = [];
  let isFlushing = false;

  async function flush(): Promise<void> {
    if (isFlushing) return;
    isFlushing = true;
    await new Promise(setImmediate);
    while (waiting.length > 0) await settleTogether(waiting.splice(0, maxTogether));
    isFlushing = false;
  }

  async function settleTogether(batch: Pending[]): Promise<void> {
    let left = batch;
    try {
      left = await settleTaken(batch);
      if (left.length === 0) return;
      onSettled(await world.db.transaction((tx) => writeDown(tx, world, left), shortHold));
      for (const { done } of left) done();
    } catch (error) {
      if (isRefusedForGood(error)) return await settleApart(left, error);
      world.log.warn({ err: error }, "deliveries could not be written down yet");
      waiting.unshift(...left);
      await new Promise((resolve) => setTimeout(resolve, retryFlushMs));
    }
  }

  /** Returns those that are left. */
  async function settleTaken(batch: Pending[]): Promise<Pending[]> {
    const taken = batch.filter((one): one is Pending & Taken => one.outcome !== undefined && isTaken(one.outcome));
    if (taken.length === 0) return batch;
    const written = await store.saveTakenAcrossOrgs(world.db, taken);
    onSettled({ fenced: 0, delivered: written.size, failed: 0, nextInMs: undefined });
    for (const { delivery, done } of taken) if (written.has(delivery.id)) done();
    return batch.filter(({ delivery }) => !written.has(delivery.id));
  }

  /** One of them cannot be stored, say because of what the endpoint said: the others must not wait for it for ever. */
  async function settleApart(batch: Pending[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const pending of batch) await settleTogether([pending]);
      return;
    }
    const { delivery, outcome, done } = batch[0]!;
    world.log.error({ err: error, deliveryId: delivery.id }, "a delivery cannot be written down");
    const hasAnswer = outcome !== undefined && (outcome.answer !== null || outcome.headers !== null);
    if (hasAnswer)
      return await settleTogether([{ delivery, done, outcome: { ...outcome, headers: null, answer: null } }]);
    // Its lease runs out, and it is sent once more.
    done();
  }

  return {
    async settle(delivery, outcome) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ delivery, outcome, done: resolve });
      void flush();
      await promise;
    },
  };
}

/** Webhooks are locked before deliveries, here as everywhere. A worker that was taken for dead changes nothing. */
async function writeDown(tx: Tx, world: World, batch: Sent[]): Promise<Settled> {
  const ids = [...new Set(batch.map(({ delivery }) => delivery.webhook_id))];
  const states = new Map((await store.lockHealthAcrossOrgs(tx, ids)).map((state) => [state.id, state]));
  const own = await store.lockOwnAcrossOrgs(
    tx,
    batch.map(({ delivery }) => delivery),
  );
  const ours = batch.filter(({ delivery }) => own.has(delivery.id) && states.has(delivery.webhook_id));
  const events: ForeignEvent[] = [];
  const settlements = ours.map(({ delivery, outcome }): Settlement => {
    const state = states.get(delivery.webhook_id)!;
    const tried = { tries: delivery.tries, nextTryAt: delivery.next_try_at };
    if (!outcome) return { delivery, outcome, ending: { ...tried, status: "waiting", dueAt: null } };
    const ending = endOf(tried, state, outcome, Math.random);
    const { health, told } = healthAfter(state, outcome, ending, Math.random);
    states.set(state.id, { ...state, ...health });
    if (told) events.push(eventOf(world, { ...state, ...health }, told));
    return { delivery, outcome, ending };
  });
  if (settlements.length > 0) {
    await store.saveEndingsAcrossOrgs(tx, settlements);
    await store.saveHealthAcrossOrgs(tx, [...states.values()]);
    await recordEventsAcrossOrgs(tx, world, events);
  }
  return sumUp(world, batch.length - ours.length, settlements, [...states.values()]);
}

type State = Health & { id: string; orgId: string; version: number };

function eventOf({ log }: World, state: State, told: "failing" | "disabled"): ForeignEvent {
  const { id: objectId, orgId, version, failingSince, consecutiveFailures, disabledReason } = state;
  log.warn({ webhookId: objectId, orgId, failingSince, reason: disabledReason }, `a webhook is ${told}`);
  const by = { orgId, actor: { type: "system", name: "webhooks" }, requestId: "system:webhooks" } as const;
  const data = { failingSince, consecutiveFailures, version };
  if (told === "failing") return { ...by, type: "webhook.failing", objectId, data };
  return { ...by, type: "webhook.disabled", objectId, data: { ...data, reason: disabledReason ?? "failing" } };
}

function sumUp({ clock }: World, fenced: number, settlements: Settlement[], states: State[]): Settled {
  const now = clock.now().getTime();
  const times = [
    ...settlements.map(({ ending }) => (ending.status === "waiting" ? ending.dueAt?.getTime() : undefined)),
    ...states.map(({ waitUntil }) => (waitUntil === null ? undefined : Date.parse(waitUntil))),
  ].filter((time) => time !== undefined);
  const ended = (status: string): number => settlements.filter(({ ending }) => ending.status === status).length;
  return {
    fenced,
    delivered: ended("delivered"),
    failed: ended("failed"),
    nextInMs: times.length === 0 ? undefined : Math.max(0, Math.min(...times) - now),
  };
}
