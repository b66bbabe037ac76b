import type { World } from "../../../context.ts";
import { isRefusedForGood } from "../../../db/database.ts";
import type { Queryable } from "../../../db/database.ts";
import type { ForeignEvent } from "../../../events/record-event.ts";
import { recordEventsAcrossOrgs } from "../../../events/record-event.ts";
import type { Progress, Written } from "./deliveries.store.ts";
import { saveAcrossOrgs } from "./deliveries.store.ts";
import type { Sent } from "./feed-webhook.ts";
import { shortHold } from "./look-for-events.ts";

const maxTogether = 500;
/** Many are written down for little more than the price of one: the first waits for others. */
const gatherMs = 2;
const retryFlushMs = 500;

export type Settled = { fenced: number; delivered: number; failed: number };

/** Writes down how deliveries went, those that come at the same time together, which is tried until the database answers. */
export function createSettler(world: World, onSettled: (settled: Settled) => void): (sent: Sent) => void {
  const waiting: Sent[] = [];
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

  async function settleTogether(batch: Sent[]): Promise<void> {
    let left = batch;
    try {
      left = await writeDown(batch);
      // People have changed the webhook meanwhile: once more, as it is now. Or another has it.
      if (left.length > 0) waiting.unshift(...(await readAgain(left)));
    } catch (error) {
      if (isRefusedForGood(error)) return await settleApart(left, error);
      world.log.warn({ err: error }, "deliveries could not be written down yet");
      waiting.unshift(...left);
      await new Promise((resolve) => setTimeout(resolve, retryFlushMs));
    }
  }

  /** Returns those that are left. */
  async function writeDown(batch: Sent[]): Promise<Sent[]> {
    // Leased, lost and leased again: one of the two is known to be the wrong one when the other was written.
    const feeds = new Map(batch.map(({ feed }) => [feed.id, feed]));
    const own = batch.filter(({ feed }) => feeds.get(feed.id) === feed);
    const left = batch.filter(({ feed }) => feeds.get(feed.id) !== feed);
    const byFeed = Map.groupBy(own, ({ feed }) => feed);
    const progress = [...byFeed].map(([feed, sent]) => feed.progressWith(sent));
    const written = new Map((await save(world, progress, own)).map((one) => [one.id, one]));
    for (const [feed, sent] of byFeed) {
      const webhook = written.get(feed.id);
      if (!webhook) {
        left.push(...sent);
        continue;
      }
      feed.written(sent, webhook.cursor);
      const ended = (status: string): number => sent.filter(({ ending }) => ending.status === status).length;
      onSettled({ fenced: 0, delivered: ended("delivered"), failed: ended("failed") });
    }
    return left;
  }

  async function readAgain(left: Sent[]): Promise<Sent[]> {
    const again: Sent[] = [];
    for (const [feed, sent] of Map.groupBy(left, (one) => one.feed)) {
      if (await feed.renew()) again.push(...sent);
      else {
        feed.drop(sent);
        onSettled({ fenced: sent.length, delivered: 0, failed: 0 });
      }
    }
    return again;
  }

  /** One of them cannot be stored, say because of what the endpoint said: the others must not wait for it for ever. */
  async function settleApart(batch: Sent[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const sent of batch) await settleTogether([sent]);
      return;
    }
    const { feed, delivery, outcome } = batch[0]!;
    world.log.error(
      { err: error, webhookId: feed.id, eventId: delivery.event.id },
      "a delivery cannot be written down",
    );
    if (outcome.answer === null && outcome.headers === null) return feed.drop(batch, error);
    outcome.answer = outcome.headers = null;
    await settleTogether(batch);
  }

  return (sent) => {
    waiting.push(sent);
    void flush();
  };
}

/** That an endpoint fails, or is given up, is recorded in the same transaction. */
async function save(world: World, progress: Progress[], batch: Sent[]): Promise<Written[]> {
  const settlements = batch.map(({ feed, delivery, outcome, ending }) => {
    return { id: world.newId(), webhookId: feed.id, delivery, outcome, ending };
  });
  const write = (db: Queryable): Promise<Written[]> => saveAcrossOrgs(db, progress, settlements);
  const mayBeNews = progress.some(({ health }) => health.status !== "active" || health.failingToldAt !== null);
  if (!mayBeNews) return await write(world.db);
  return await world.db.transaction(async (tx) => {
    const written = await write(tx);
    const known = new Map(progress.map((one) => [one.id, one]));
    const events = written.flatMap((one) => newsOf(world, one, known.get(one.id)!));
    recordEventsAcrossOrgs(tx, world, events);
    return written;
  }, shortHold);
}

function newsOf({ log }: World, { id, orgId, formerStatus, wasTold }: Written, progress: Progress): ForeignEvent[] {
  const { version, health } = progress;
  const { failingSince, consecutiveFailures, disabledReason } = health;
  const by = { orgId, actor: { type: "system", name: "webhooks" }, requestId: "system:webhooks" } as const;
  const data = { failingSince, consecutiveFailures, version };
  const events: ForeignEvent[] = [];
  if (!wasTold && health.failingToldAt !== null) {
    events.push({ ...by, type: "webhook.failing", objectId: id, data });
  }
  if (formerStatus === "active" && health.status === "disabled") {
    const reason = disabledReason ?? "failing";
    events.push({ ...by, type: "webhook.disabled", objectId: id, data: { ...data, reason } });
  }
  for (const { type } of events) log.warn({ webhookId: id, orgId, failingSince, reason: disabledReason }, type);
  return events;
}
