import { expect, test } from "vitest";
import type { World } from "../../../context.ts";
import type { SealedEvent } from "../../../events/event-envelope.ts";
import type { LeasedDelivery } from "./deliveries.store.ts";
import { createLoader } from "./load-deliveries.ts";

const orgId = crypto.randomUUID();
const webhookId = crypto.randomUUID();

const entry = (sequence: number): SealedEvent => ({
  orgId,
  sequence,
  id: crypto.randomUUID(),
  type: "order.updated",
  objectType: "order",
  objectId: crypto.randomUUID(),
  actor: { type: "system", name: "test" },
  requestId: "test",
  data: { number: "N".repeat(50_000) },
  occurredAt: new Date(),
  hash: Buffer.alloc(32),
});

test("an event is read and written once for all webhooks, and the last few megabytes are kept", async () => {
  const log = new Map<number, SealedEvent>();
  const asked: string[] = [];
  const db = {
    acrossOrgs: {},
    query: async ({ name }: { name: string }, [, sequences]: [unknown, number[]]): Promise<unknown[]> => {
      asked.push(name);
      if (name === "webhook_targets") return [{ id: webhookId }];
      return sequences.map((sequence) => log.get(sequence));
    },
  };
  const load = createLoader({ environment: "live", db } as unknown as World);
  const deliveryOf = (sequence: number): LeasedDelivery => {
    const event = log.get(sequence) ?? entry(sequence);
    log.set(sequence, event);
    return { org_id: orgId, webhookId, eventId: event.id, sequence } as LeasedDelivery;
  };
  const contentOf = async (sequence: number) => (await load(deliveryOf(sequence)))!.content;

  const [first, same] = await Promise.all([contentOf(1), contentOf(1)]);
  expect(same).toBe(first);
  expect(asked).toEqual(["webhook_targets", "webhook_events"]);
  for (let sequence = 2; sequence < 40; sequence++) await contentOf(sequence);
  expect(await contentOf(1)).toBe(first);
  for (let sequence = 40; sequence < 140; sequence++) await contentOf(sequence);
  const anew = await contentOf(1);
  expect(anew).not.toBe(first);
  expect(anew).toEqual(first);
});
