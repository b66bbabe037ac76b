import { expect, test } from "vitest";
import type { World } from "../../../context.ts";
import type { SealedEvent } from "../../../events/event-envelope.ts";
import { contentOfEntry } from "./send-delivery.ts";

const entry = (sequence: number): SealedEvent => ({
  orgId: crypto.randomUUID(),
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

test("an event is written once for all webhooks, and the last few megabytes of them are kept", () => {
  const world = { environment: "live", db: { acrossOrgs: {} } } as World;
  const first = entry(1);
  const content = contentOfEntry(world, first);
  for (let sequence = 2; sequence < 40; sequence++) contentOfEntry(world, entry(sequence));
  expect(contentOfEntry(world, first)).toBe(content);
  for (let sequence = 40; sequence < 140; sequence++) contentOfEntry(world, entry(sequence));
  const anew = contentOfEntry(world, first);
  expect(anew).not.toBe(content);
  expect(anew).toEqual(content);
});
