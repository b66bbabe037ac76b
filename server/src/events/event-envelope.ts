import type { Static, TObject, TSchema } from "typebox";
import type { Actor } from "../core/actor.ts";
import { Cause } from "../core/cause.ts";
import { Id, Nullable, OneOf, Version } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import type { EventDefinition } from "./define-event.ts";
import type { EventType } from "./event-catalogue.ts";
import { isPrivate } from "./define-event.ts";
import { eventCatalogue } from "./event-catalogue.ts";

/** An entry of the log as it is stored. */
export type SealedEvent = {
  orgId: string;
  sequence: number;
  hash: Buffer;
  id: string;
  type: EventType;
  objectType: string;
  objectId: string;
  actor: Actor;
  requestId: string | null;
  data: Record<string, unknown>;
  occurredAt: Date;
};

/**
 * An event as it leaves the hub, by whichever way: the feed, a stream, a webhook. At once a CloudEvent 1.0 (flat names in
 * lower case, an absolute `dataschema`, no integer above 32 bits) and a payload of Standard Webhooks (`type`, `timestamp`,
 * `data`). It is thin: what changed and which version it has now, not what it looks like. A copy would be old when it is
 * read, and would show to everybody what takes `pii:read` to see.
 */
export const EventEnvelope = Type.Object({
  specversion: Type.Literal("1.0"),
  id: Type.String({ format: "uuid", description: "Of this event; the same whenever and however it is sent" }),
  type: Type.String({ description: "Such as order.updated; GET /events/types has all of them" }),
  source: Type.String({ description: "The hub, surface and organization, as a URN" }),
  subject: Type.String({ description: "What it happened to: kind of object and id, such as order/…" }),
  time: Type.String({ format: "date-time", description: "When it happened" }),
  timestamp: Type.String({ format: "date-time", description: "The same as time" }),
  sequence: Type.String({
    description: "Its number in the organization, without gaps; 16 digits, so that texts compare like numbers",
  }),
  cursor: Type.String({ description: "Send it as `after` to go on behind this event" }),
  dataschema: Type.String({ description: "Type and version of the data, as a URN" }),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "`items` (which objects, and their versions), `changed` (names of fields), `actor`, `requestId`, `cause`, and what the type adds",
  }),
});
export type EventEnvelope = Static<typeof EventEnvelope>;

const urn = "urn:order-operations-hub";

export function envelopeOf(environment: string, event: SealedEvent): EventEnvelope {
  const time = event.occurredAt.toISOString();
  return {
    specversion: "1.0",
    id: event.id,
    type: event.type,
    source: `${urn}:${environment}:${event.orgId}`,
    subject: `${event.objectType}/${event.objectId}`,
    time,
    timestamp: time,
    sequence: String(event.sequence).padStart(16, "0"),
    cursor: cursorOf(event),
    dataschema: schemaUrn(event.type),
    data: handedOn(event),
  };
}

export function schemaUrn(type: EventType): string {
  return `${urn}:event:${type}:${eventCatalogue[type].version}`;
}

/** How far somebody has read. The hash says of which log: a restored backup has other entries under the same numbers. */
export type Position = { sequence: number; hash: Buffer };

const hashBytes = 4;

export function cursorOf({ sequence, hash }: Position): string {
  return `${sequence}-${hash.toString("hex", 0, hashBytes)}`;
}

export type Cursor = { sequence: number; matches(hash: Buffer): boolean };

/** Undefined: it is no cursor of ours. */
export function parseCursor(text: string): Cursor | undefined {
  const [, digits, start] = /^(0|[1-9]\d{0,14})-([0-9a-f]{8})$/.exec(text) ?? [];
  if (digits === undefined || start === undefined) return undefined;
  return { sequence: Number(digits), matches: (hash) => hash.toString("hex", 0, hashBytes) === start };
}

/** Told of each item, where the event has it; the rest of its data is told once. */
const ofItems = ["number", "trackingNumber"];

type Parts = { item: [string, TSchema][]; batch: TSchema | undefined; hasFields: boolean; rest: [string, TSchema][] };

/** Which of the recorded data are handed on, and where they stand then. */
function partsOf({ data, isPatch }: EventDefinition): Parts {
  const all = Object.entries(data.properties as Record<string, TSchema>);
  const batch = all.find(([name]) => name === "items")?.[1];
  // Some have the version of something else.
  const isOfItem = ([name, schema]: [string, TSchema]): boolean =>
    batch === undefined && (ofItems.includes(name) || (name === "version" && schema === Version));
  const item = all.filter(isOfItem);
  const elsewhere = batch ? ["items", "fields", "count", "sampleIds"] : ["fields", ...item.map(([name]) => name)];
  const isKept = ([name, schema]: [string, TSchema]): boolean =>
    !isPatch && !isPrivate(schema) && !elsewhere.includes(name);
  return { item, batch, hasFields: all.some(([name]) => name === "fields"), rest: all.filter(isKept) };
}

const parts = new Map(
  Object.entries(eventCatalogue).map(([type, definition]): [string, Parts] => [type, partsOf(definition)]),
);

/** In the data of a patch, and not what was changed. */
const besides = ["version", "cause"];

function handedOn({ type, objectId, actor, requestId, data }: SealedEvent): Record<string, unknown> {
  const { item, batch, rest } = parts.get(type)!;
  const given = (names: [string, TSchema][]): Record<string, unknown> =>
    Object.fromEntries(names.flatMap(([name]) => (Object.hasOwn(data, name) ? [[name, data[name]]] : [])));
  const changed = eventCatalogue[type].isPatch
    ? Object.keys(data).filter((name) => !besides.includes(name))
    : data.fields;
  return {
    items: batch === undefined ? [{ id: objectId, ...given(item) }] : itemsOf(data),
    ...(changed === undefined ? {} : { changed }),
    ...given(rest),
    actor: actor.type === "system" ? { type: actor.type } : { type: actor.type, id: actor.id },
    requestId,
    ...(data.cause === undefined ? {} : { cause: data.cause }),
  };
}

/** Old entries name only the first objects, in `firstIds`. */
function itemsOf({ items, firstIds }: Record<string, unknown>): { id: string }[] {
  return (items as { id: string }[] | undefined) ?? ((firstIds as string[] | undefined) ?? []).map((id) => ({ id }));
}

/** What the entry is about, and all that it names. */
export function objectIdsOf({ type, objectId, data }: Pick<SealedEvent, "type" | "objectId" | "data">): string[] {
  const { batch } = parts.get(type)!;
  return batch === undefined ? [objectId] : [objectId, ...itemsOf(data).map(({ id }) => id)];
}

const ActorReference = Type.Object({
  type: OneOf(["user", "api_key", "system"]),
  id: Type.Optional(Type.String({ format: "uuid", description: "Of a user or an API key" })),
});

/** The shape of `data` in the envelope. */
export function dataSchemaOf(type: EventType): TObject {
  const definition: EventDefinition = eventCatalogue[type];
  const { item, batch, hasFields, rest } = parts.get(type)!;
  const required = new Set(definition.data.required);
  const members = (list: [string, TSchema][]): Record<string, TSchema> =>
    Object.fromEntries(list.map(([name, schema]) => [name, required.has(name) ? schema : Type.Optional(schema)]));
  const changed = Type.Array(Type.String(), { description: "Names of the fields that were changed" });
  const isAlways = definition.isPatch || required.has("fields");
  return Type.Object({
    items: batch ?? Type.Array(Type.Object({ id: Id, ...members(item) }), { minItems: 1, maxItems: 1 }),
    ...(definition.isPatch || hasFields ? { changed: isAlways ? changed : Type.Optional(changed) } : {}),
    ...members(rest),
    actor: ActorReference,
    requestId: Nullable(Type.String({ description: "Of the request that did it; the log of the hub has it too" })),
    cause: Type.Optional(Cause),
  });
}
