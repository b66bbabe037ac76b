import fc from "fast-check";
import { expect, test } from "vitest";
import type { FieldChange } from "../../orders/order-changes.ts";
import type { StoredChange } from "./packed-changes.ts";
import { digestOf, namesIn, packChange, unpackChange } from "./packed-changes.ts";

function pack(change: FieldChange) {
  const values = new Map<string, unknown>();
  const packed = packChange(change, (value) => {
    const digest = digestOf(value);
    values.set(digest, JSON.parse(JSON.stringify(value)));
    return digest;
  });
  // What comes out of the database is another copy of it.
  return { packed: JSON.parse(JSON.stringify(packed)) as StoredChange, values };
}

const text = fc.oneof(fc.string({ maxLength: 5 }), fc.string({ minLength: 100, maxLength: 400 }));
const member = fc.oneof(
  text,
  fc.record({ id: fc.uuid(), text }),
  fc.record({ $: text }),
  fc.constantFrom(null, 1, true, "", [], {}),
);
const pool = fc.array(member, { minLength: 1, maxLength: 12 });
const lists = pool.chain((members) => {
  const list = fc.array(fc.constantFrom(...members), { maxLength: 20 });
  return fc.record({ path: fc.constant("/notes"), from: list, to: list });
});
const objects = fc.record({
  path: fc.constant("/customFields"),
  from: fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "__proto__", "$"), text), member, { maxKeys: 12 }),
  to: fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "__proto__", "$"), text), member, { maxKeys: 12 }),
});
const others = fc.record({ path: fc.constant("/status"), from: member, to: member });

test("any change is read back as it was stored (reliability R9)", () => {
  fc.assert(
    fc.property(fc.oneof(lists, objects, others), (change) => {
      const { packed, values } = pack(change);
      expect(namesIn(packed).filter((digest) => !values.has(digest))).toEqual([]);
      const read = unpackChange(packed, (digest) => values.get(digest));
      expect(read).toEqual(JSON.parse(JSON.stringify(change)));
    }),
    { numRuns: 500 },
  );
});

test("the digest of a value does not depend on the order of its names", () => {
  expect(digestOf({ id: "1", by: { id: "2", type: "user" } })).toBe(
    digestOf({ by: { type: "user", id: "2" }, id: "1" }),
  );
  expect(digestOf({ id: "1" })).not.toBe(digestOf({ id: "2" }));
});

test("short values, and values that are neither list nor object, are stored whole", () => {
  for (const change of [
    { path: "/tags", from: ["a"], to: ["a", "b"] },
    { path: "/status", from: "new", to: "x".repeat(5_000) },
    { path: "/shippingAddress", from: null, to: { city: "x".repeat(5_000) } },
  ]) {
    expect(pack(change)).toEqual({ packed: change, values: new Map() });
  }
});

test("a long list is stored as digests and changes", () => {
  const notes = Array.from({ length: 100 }, (_, i) => ({ id: `${i}`, text: "x".repeat(500) }));
  const { packed, values } = pack({ path: "/notes", from: notes.slice(0, 99), to: notes });
  expect(JSON.stringify(packed).length).toBeLessThan(3_000);
  expect(values.size).toBe(100);
});
