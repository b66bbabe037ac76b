import fc from "fast-check";
import { expect, test } from "vitest";
import { eventCatalogue } from "./event-catalogue.ts";
import type { NewEvent } from "./event-catalogue.ts";
import { batchesOf } from "./record-event.ts";

test("an unknown type, or other data than that of the type, does not compile", () => {
  const objectId = "0199f0a0-0000-7000-8000-000000000003";
  const events: NewEvent[] = [
    { type: "session.started", objectId },
    { type: "order.deleted", objectId, data: { number: "A", version: 1 } },
    // @ts-expect-error there is no such type
    { type: "order.eaten", objectId, data: {} },
    // @ts-expect-error the version is missing
    { type: "order.deleted", objectId, data: { number: "A" } },
    // @ts-expect-error not in the catalogue
    { type: "order.deleted", objectId, data: { number: "A", version: 1, colour: "red" } },
    // @ts-expect-error it is a number
    { type: "order.deleted", objectId, data: { number: "A", version: "1" } },
    // @ts-expect-error an order has a number
    { type: "order.deleted", objectId },
  ];
  expect(events).toHaveLength(7);
});

test("every type is named after its object, in singular or plural, and has a title", () => {
  for (const [type, { objectType, summary, data }] of Object.entries(eventCatalogue)) {
    expect(type).toMatch(/^[a-z_]+\.[a-z_]+$/);
    const family = type.split(".")[0]!;
    const ofHub = { preview: "organization", outbound: "organization" };
    const ofOthers = { session: "user", locations: "bridge", stock: "organization", packing: "packing_session" };
    const others: Record<string, string> = { ...ofOthers, ...ofHub };
    const objects = others[family] ?? family;
    expect([objects, `${objects.replace(/s$/, "")}_batch`]).toContain(objectType);
    expect(summary).toMatch(/^[A-Z]/);
    expect(data.type).toBe("object");
  }
});

test("batches name every object once, in order, and none is too large to be delivered", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_500 }),
      fc.constantFrom("", "N", "\u{1F4E6}".repeat(100)),
      (length, text) => {
        const items = Array.from({ length }, (_, i) => ({ id: String(i), number: `${text}${i}` }));
        const batches = batchesOf(items);
        expect(batches.flatMap((batch) => batch.items)).toEqual(items);
        for (const { count, items: some, sampleIds } of batches) {
          expect(count).toBe(some.length);
          expect(count).toBeGreaterThan(0);
          expect(count).toBeLessThanOrEqual(200);
          expect(Buffer.byteLength(JSON.stringify(some))).toBeLessThanOrEqual(49 * 1024);
          expect(sampleIds).toEqual(some.slice(0, 100).map(({ id }) => id));
        }
      },
    ),
    { numRuns: 50 },
  );
});
