import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import type { EventEnvelope } from "../../../events/event-envelope.ts";
import { envelopeOf } from "../../../events/event-envelope.ts";
import type { LeasedDelivery, Target } from "./deliveries.store.ts";
import { listEventsAcrossOrgs, listTargetsAcrossOrgs } from "./deliveries.store.ts";

/** The body of a request: the same for all webhooks and attempts. */
export type Content = { id: string; body: string };

export const contentOf = (event: EventEnvelope): Content => ({ id: event.id, body: JSON.stringify(event) });

/** Contents of the last events. Most events go to several webhooks at slightly different times; they are read and written once. */
const lastContents = perWorld(() => ({ byId: new Map<string, Content>(), characters: 0 }));
const maxCharacters = 4 * 1024 ** 2;

export type Loaded = { target: Target; content: Content };

type Waiting = { delivery: LeasedDelivery; loaded: PromiseWithResolvers<Loaded | undefined> };

/** Loads what deliveries need, with one query each for the webhooks and the events of a claim. Undefined: the webhook is not active. */
export function createLoader(world: World): (delivery: LeasedDelivery) => Promise<Loaded | undefined> {
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const webhookIds = new Set(batch.map(({ delivery }) => delivery.webhookId));
      const [targets, contents] = await Promise.all([
        listTargetsAcrossOrgs(world.db, [...webhookIds]),
        loadContents(
          world,
          batch.map(({ delivery }) => delivery),
        ),
      ]);
      const targetOf = new Map(targets.map((target) => [target.id, target]));
      for (const { delivery, loaded } of batch) {
        const [target, content] = [targetOf.get(delivery.webhookId), contents.get(delivery.eventId)];
        if (content) loaded.resolve(target && { target, content });
        else loaded.reject(new Error(`event ${delivery.eventId} is not in the log`));
      }
    } catch (error) {
      for (const { loaded } of batch) loaded.reject(error);
    }
  }

  return (delivery) => {
    const loaded = Promise.withResolvers<Loaded | undefined>();
    if (waiting.push({ delivery, loaded }) === 1) setImmediate(() => void flush());
    return loaded.promise;
  };
}

async function loadContents(world: World, deliveries: LeasedDelivery[]): Promise<Map<string, Content>> {
  const last = lastContents(world);
  const contents = new Map<string, Content>();
  const missing = new Map<string, LeasedDelivery>();
  for (const delivery of deliveries) {
    const known = last.byId.get(delivery.eventId);
    if (known) contents.set(delivery.eventId, known);
    else missing.set(delivery.eventId, delivery);
  }
  if (missing.size === 0) return contents;
  const keys = [...missing.values()].map(({ org_id, sequence }) => ({ orgId: org_id, sequence }));
  for (const event of await listEventsAcrossOrgs(world.db, keys)) {
    const content = contentOf(envelopeOf(world.environment, event));
    contents.set(event.id, content);
    last.byId.set(event.id, content);
    last.characters += content.body.length;
  }
  for (const [id, { body }] of last.byId) {
    if (last.characters <= maxCharacters) break;
    last.byId.delete(id);
    last.characters -= body.length;
  }
  return contents;
}
