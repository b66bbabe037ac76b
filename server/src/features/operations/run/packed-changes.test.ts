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

test("a change is read as it was made, whatever is in it (reliability R9)", () => {
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

test("a value has one digest, in whichever order its names stand", () => {
  expect(digestOf({ id: "1", by: { id: "2", type: "user" } })).toBe(
    digestOf({ by: { type: "user", id: "2" }, id: "1" }),
  );
  expect(digestOf({ id: "1" })).not.toBe(digestOf({ id: "2" }));
});

test("what is short, or no list and no object, is stored as it is", () => {
  for (const change of [
    { path: "/tags", from: ["a"], to: ["a", "b"] },
    { path: "/status", from: "new", to: "x".repeat(5_000) },
    { path: "/shippingAddress", from: null, to: { city: "x".repeat(5_000) } },
  ]) {
    expect(pack(change)).toEqual({ packed: change, values: new Map() });
  }
});

test("of a long list only names and what has changed are stored", () => {
  const notes = Array.from({ length: 100 }, (_, i) => ({ id: `${i}`, text: "x".repeat(500) }));
  const { packed, values } = pack({ path: "/notes", from: notes.slice(0, 99), to: notes });
  expect(JSON.stringify(packed).length).toBeLessThan(3_000);
  expect(values.size).toBe(100);
});
