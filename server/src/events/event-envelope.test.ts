import { CloudEvent } from "cloudevents";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findErrorsIn } from "../core/validation.ts";
import { cursorOf, dataSchemaOf, envelopeOf, objectIdsOf, parseCursor } from "./event-envelope.ts";
import { eventCatalogue } from "./event-catalogue.ts";
import { exampleOf } from "./event-examples.ts";
import { eventFamilies, eventTypes, scopeOfEvent, typesNamed } from "./event-families.ts";

describe.each(eventTypes)("the public form of an event %s", (type) => {
  const example = exampleOf(type);

  test("is a CloudEvent 1.0 by the reference library, and a payload of Standard Webhooks", () => {
    const event = new CloudEvent(example, true);
    expect(event.validate()).toBe(true);
    expect(JSON.parse(JSON.stringify(event))).toEqual(example);
    expect(Object.keys(example).filter((name) => !/^[a-z0-9]+$/.test(name))).toEqual([]);
    expect(example).toMatchObject({
      type,
      timestamp: example.time,
      dataschema: `urn:order-operations-hub:event:${type}:1`,
    });
  });

  test("has the data of its schema, and no other", () => {
    const schema = { ...dataSchemaOf(type), additionalProperties: false };
    expect(findErrorsIn(schema, example.data)).toEqual([]);
    expect(example.data).toMatchObject({ items: [{ id: expect.any(String) }], actor: { type: "api_key" } });
    expect(Object.keys(example.data.actor as object)).toEqual(["type", "id"]);
  });

  test("names no person, and has the names of changed fields without their values", () => {
    const { data, isPatch, isPersonal } = eventCatalogue[type];
    const told = Object.keys(example.data);
    expect(told.filter((name) => /^(e-?mail|phone|street|address)(es|\d)?$/i.test(name))).toEqual([]);
    if (isPersonal) expect(told).not.toContain("name");
    if (isPatch) {
      expect(told.toSorted()).toEqual(["actor", "changed", "items", "requestId"]);
      expect(example.data.changed).toEqual(Object.keys(data.properties).filter((name) => name !== "version"));
    }
  });

  test("requires a read scope", () => {
    expect(scopeOfEvent(type)).toMatch(/:read$|^admin$/);
  });
});

test("events about accounts, keys, sessions and the organization are for administrators", () => {
  const ofAdmins = eventFamilies.filter((family) =>
    typesNamed(`${family}.*`).some((type) => scopeOfEvent(type) === "admin"),
  );
  expect(ofAdmins).toEqual([
    "organization",
    "invitation",
    "user",
    "session",
    "api_key",
    "view",
    "preview",
    "retention",
    "outbound",
  ]);
});

test("every type belongs to one family, including events of several objects", () => {
  expect(eventFamilies.flatMap((family) => typesNamed(`${family}.*`)).toSorted()).toEqual(eventTypes.toSorted());
  expect(typesNamed("order.*")).toContain("orders.updated");
  expect(typesNamed("orders.*")).toEqual(typesNamed("order.*"));
  expect([typesNamed("ord.*"), typesNamed("order"), typesNamed("*"), typesNamed("toString")]).toEqual([[], [], [], []]);
});

test("a cursor is read back, and any other text is rejected", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 48 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (sequence, bytes) => {
        const hash = Buffer.from(bytes);
        const cursor = parseCursor(cursorOf({ sequence, hash }));
        expect(cursor?.sequence).toBe(sequence);
        expect(cursor?.matches(hash)).toBe(true);
        expect(cursor?.matches(Buffer.concat([Buffer.from([hash[0]! ^ 1]), hash.subarray(1)]))).toBe(false);
      },
    ),
  );
  for (const text of [
    "",
    "1",
    "1-",
    "-1-00000000",
    "01-00000000",
    "1-0000000",
    "1-0000000G",
    "1-000000000",
    " 1-00000000",
  ]) {
    expect(parseCursor(text)).toBeUndefined();
  }
});

test("events of the hub itself have the system as their actor", () => {
  const event = { ...exampleEvent(), actor: { type: "system" as const, name: "retention" } };
  expect(envelopeOf("preview", event)).toMatchObject({
    source: `urn:order-operations-hub:preview:${event.orgId}`,
    data: { actor: { type: "system" } },
  });
  expect(JSON.stringify(envelopeOf("preview", event))).not.toContain("retention");
});

test("older entries have items too, as far as they are known", () => {
  const ids = ["0199f0a0-0000-7000-8000-000000000002", "0199f0a0-0000-7000-8000-000000000003"];
  const old = { ...exampleEvent(), actor: { type: "system" as const, name: "csv" }, type: "orders.created" as const };
  const event = { ...old, data: { count: 2, source: "csv", firstIds: ids } };
  expect(envelopeOf("live", event).data.items).toEqual(ids.map((id) => ({ id })));
  expect(objectIdsOf(event)).toEqual([event.objectId, ...ids]);
});

function exampleEvent() {
  const id = "0199f0a0-0000-7000-8000-000000000001";
  return {
    orgId: id,
    sequence: 1,
    hash: Buffer.alloc(32),
    id,
    type: "order.deleted" as const,
    objectType: "order",
    objectId: id,
    requestId: null,
    data: { number: "A", version: 1 },
    occurredAt: new Date(0),
  };
}

test("a type covers events about one object and about several, the named one first", () => {
  const plural = eventTypes.filter((type) => /^(orders|shipments|locations|exceptions)\./.test(type));
  const both = plural.filter((type) => (eventTypes as string[]).includes(type.replace("s.", ".")));
  expect(both).toEqual([
    "orders.created",
    "orders.updated",
    "orders.deleted",
    "shipments.created",
    "exceptions.opened",
    "exceptions.resolved",
  ]);
  for (const type of both) {
    const one = type.replace("s.", ".");
    expect([typesNamed(type), typesNamed(one)]).toEqual([
      [type, one],
      [one, type],
    ]);
    expect(scopeOfEvent(type)).toBe(scopeOfEvent(one as typeof type));
  }
  expect(typesNamed("locations.synced")).toEqual(["locations.synced"]);
  expect(typesNamed("order.note_added")).toEqual([]);
});
