import { expect } from "vitest";
import type { EventEnvelope } from "../events/event-envelope.ts";
import { startDeliveries } from "../features/webhooks/webhooks.ts";
import { afterFile } from "./after-file.ts";
import { eventually } from "./eventually.ts";
import type { Receiver } from "./stand-in-receiver.ts";
import type { TestClient } from "./test-client.ts";
import type { TestHub } from "./test-hub.ts";

type Made = { id: string; secret: string | null; publicKey: string | null };

/** A hub that delivers webhooks, with helpers for its tests. */
export function webhookFixture(hub: TestHub) {
  const engine = startDeliveries(hub.world, { slots: 16 });
  afterFile(() => engine.stop());

  const read = async (client: TestClient, id: string) => (await client.get(`/webhooks/${id}`)).body;

  /** Advances the clock and wakes the workers. */
  async function pass(ms: number): Promise<void> {
    hub.advance(ms);
    hub.world.signals.hint("webhook", "");
  }

  return {
    read,
    pass,
    async webhookTo(client: TestClient, receiver: Receiver, more: object = {}): Promise<Made> {
      const { status, text, body } = await client.post("/webhooks", { url: receiver.url, types: ["order.*"], ...more });
      expect(status, text).toBe(201);
      return body;
    },
    /** Advances to each retry, until there are none. */
    async untilGivenUp(client: TestClient, id: string): Promise<void> {
      for (let attempts = 1; ; attempts++) {
        const { data } = await eventually(
          async () => (await client.get(`/webhooks/${id}/deliveries?limit=1`)).body,
          ({ data: [newest] }) => newest?.status !== "delivered" && newest?.attemptCount === attempts,
        );
        if (data[0].status === "failed") return;
        const { health } = await read(client, id);
        const times = [data[0].nextAttemptAt, health.nextAttemptAt ?? data[0].nextAttemptAt].map((at) =>
          Date.parse(at),
        );
        await pass(Math.max(...times) + 1_000 - hub.world.clock.now().getTime());
      }
    },
  };
}

export async function makeOrders(client: TestClient, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await client.post("/orders", {})).body.id);
  return ids;
}

export async function arrivals(receiver: Receiver, count: number): Promise<Receiver["received"]> {
  return await eventually(
    async () => receiver.received,
    (received) => received.length >= count,
  );
}

export const orderIdsOf = ({ received }: Receiver): string[] =>
  received.map(({ event }) => event.subject.split("/")[1]!);

export async function feedOf(client: TestClient, types = "order.*"): Promise<EventEnvelope[]> {
  return (await client.get(`/events?limit=500&types=${types}`)).body.data;
}
