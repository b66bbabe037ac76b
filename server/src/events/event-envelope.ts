import type { Static, TObject, TSchema } from "typebox";
import type { Actor } from "../core/actor.ts";
import { ActorKind } from "../core/actor.ts";
import { Cause } from "../core/cause.ts";
import { Id, Nullable, OneOf, Version } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import type { EventDefinition } from "./define-event.ts";
import type { EventType } from "./event-catalogue.ts";
import { isPrivate } from "./define-event.ts";
import { eventCatalogue } from "./event-catalogue.ts";

/** A sealed entry of the event log. */
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
 * An event as the feed, streams and webhooks send it: both a CloudEvent 1.0 (flat lower-case names, an absolute
 * `dataschema`, no integer above 32 bits) and a Standard Webhooks payload (`type`, `timestamp`, `data`). It names the changed
 * object and its version but does not contain it: a copy would be stale when read, and would expose personal data to readers
 * without `pii:read`.
 */
export const EventEnvelope = Type.Object({
  specversion: Type.Literal("1.0"),
  id: Type.String({
    format: "uuid",
    description: "Id of the event; the same in the feed, in streams and in every delivery",
  }),
  type: Type.String({ description: "For example order.updated; see GET /events/types" }),
  source: Type.String({ description: "URN of the hub, environment and organization" }),
  subject: Type.String({ description: "Object kind and id, for example order/…" }),
  time: Type.String({ format: "date-time", description: "Time of the event" }),
  timestamp: Type.String({ format: "date-time", description: "Same as `time`" }),
  sequence: Type.String({
    description: "Gapless number within the organization; zero-padded to 16 digits, so that strings sort like numbers",
  }),
  cursor: Type.String({ description: "Pass as `after` to continue after this event" }),
  dataschema: Type.String({ description: "URN of the type and version of `data`" }),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "`items` (object ids and versions), `changed` (field names), `actor`, `requestId`, `cause`, and the fields of the type",
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
    data: deliveredData(event),
  };
}

export function schemaUrn(type: EventType): string {
  return `${urn}:event:${type}:${definitionOf(type)?.version ?? 1}`;
}

/** Undefined for an entry whose type was renamed since: sealed entries are never rewritten. */
const definitionOf = (type: string): EventDefinition | undefined =>
  Object.hasOwn(eventCatalogue, type) ? eventCatalogue[type as EventType] : undefined;

/** A position in the log. The hash identifies the log: a restored backup has other entries under the same numbers. */
export type Position = { sequence: number; hash: Buffer };

const hashBytes = 4;

export function cursorOf({ sequence, hash }: Position): string {
  return `${sequence}-${hash.toString("hex", 0, hashBytes)}`;
}

export type Cursor = { sequence: number; matches(hash: Buffer): boolean };

/** Undefined: not a cursor. */
export function parseCursor(text: string): Cursor | undefined {
  const [, digits, start] = /^(0|[1-9]\d{0,14})-([0-9a-f]{8})$/.exec(text) ?? [];
  if (digits === undefined || start === undefined) return undefined;
  return { sequence: Number(digits), matches: (hash) => hash.toString("hex", 0, hashBytes) === start };
}

/** Fields that belong to each item; the other fields belong to the event. */
const itemFields = ["number", "trackingNumber"];

type Parts = { item: [string, TSchema][]; batch: TSchema | undefined; hasFields: boolean; rest: [string, TSchema][] };

/** Which recorded fields are delivered, and where. */
function partsOf({ data, isPatch }: EventDefinition): Parts {
  const all = Object.entries(data.properties as Record<string, TSchema>);
  const batch = all.find(([name]) => name === "items")?.[1];
  // In some events `version` belongs to another object.
  const isOfItem = ([name, schema]: [string, TSchema]): boolean =>
    batch === undefined && (itemFields.includes(name) || (name === "version" && schema === Version));
  const item = all.filter(isOfItem);
  const elsewhere = batch ? ["items", "fields", "count", "sampleIds"] : ["fields", ...item.map(([name]) => name)];
  const isKept = ([name, schema]: [string, TSchema]): boolean =>
    !isPatch && !isPrivate(schema) && !elsewhere.includes(name);
  return { item, batch, hasFields: all.some(([name]) => name === "fields"), rest: all.filter(isKept) };
}

const parts = new Map(
  Object.entries(eventCatalogue).map(([type, definition]): [string, Parts] => [type, partsOf(definition)]),
);

/** Fields in the data of a patch that are not changes. */
const notChanges = ["version", "cause"];

function deliveredData({ type, objectId, actor, requestId, data }: SealedEvent): Record<string, unknown> {
  const { item, batch, rest } = partsFor(type, data);
  const given = (names: [string, TSchema][]): Record<string, unknown> =>
    Object.fromEntries(names.flatMap(([name]) => (Object.hasOwn(data, name) ? [[name, data[name]]] : [])));
  const changed = definitionOf(type)?.isPatch
    ? Object.keys(data).filter((name) => !notChanges.includes(name))
    : data.fields;
  return {
    items: batch === undefined ? [{ id: objectId, ...given(item) }] : itemsOf(data),
    ...(changed === undefined ? {} : { changed }),
    ...given(rest),
    actor: actor.type === "system" ? { type: actor.type } : { type: actor.type, id: actor.id, ...kindOf(actor) },
    requestId,
    ...(data.cause === undefined ? {} : { cause: data.cause }),
  };
}

function kindOf({ kind }: Exclude<Actor, { type: "system" }>): { kind?: "agent" } {
  return kind === undefined ? {} : { kind };
}

/** Old entries name only the first objects, in `firstIds`. */
function itemsOf({ items, firstIds }: Record<string, unknown>): { id: string }[] {
  return (items as { id: string }[] | undefined) ?? ((firstIds as string[] | undefined) ?? []).map((id) => ({ id }));
}

/** A type that is not in the catalogue any more: its objects are known, its other fields are not delivered. */
function partsFor(type: string, data: Record<string, unknown>): Parts {
  const batch = "items" in data ? Type.Array(Type.Unknown()) : undefined;
  return parts.get(type) ?? { item: [], batch, hasFields: false, rest: [] };
}

/** The object of the event, and all that it names. */
export function objectIdsOf({ type, objectId, data }: Pick<SealedEvent, "type" | "objectId" | "data">): string[] {
  const { batch } = partsFor(type, data);
  return batch === undefined ? [objectId] : [objectId, ...itemsOf(data).map(({ id }) => id)];
}

export const ActorReference = Type.Object({
  type: OneOf(["user", "api_key", "system"]),
  id: Type.Optional(Type.String({ format: "uuid", description: "Id of a user or an API key" })),
  kind: ActorKind,
});

/** Schema of `data` in the envelope. */
export function dataSchemaOf(type: EventType): TObject {
  const definition: EventDefinition = eventCatalogue[type];
  const { item, batch, hasFields, rest } = parts.get(type)!;
  const required = new Set(definition.data.required);
  const members = (list: [string, TSchema][]): Record<string, TSchema> =>
    Object.fromEntries(list.map(([name, schema]) => [name, required.has(name) ? schema : Type.Optional(schema)]));
  const changed = Type.Array(Type.String(), { description: "Names of the changed fields" });
  const isAlways = definition.isPatch || required.has("fields");
  return Type.Object({
    items: batch ?? Type.Array(Type.Object({ id: Id, ...members(item) }), { minItems: 1, maxItems: 1 }),
    ...(definition.isPatch || hasFields ? { changed: isAlways ? changed : Type.Optional(changed) } : {}),
    ...members(rest),
    actor: ActorReference,
    requestId: Nullable(
      Type.String({ description: "Id of the request that caused the event; also in the log of the hub" }),
    ),
    cause: Type.Optional(Cause),
  });
}
