import type { TProperties, TSchema } from "typebox";
import type { Cause } from "../../core/cause.ts";
import type { Members } from "../../core/condition-types.ts";
import { fieldsOf } from "../../core/condition-types.ts";
import { OneOf } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { isPrivate } from "../../events/define-event.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import { eventCatalogue } from "../../events/event-catalogue.ts";

type EventData = Record<string, unknown> & { items?: ({ id: string } & Record<string, unknown>)[] };

/** An event as the log has it. `data` is reduced to the IDs of its items where nothing else is needed. */
export type TriggerEvent = { sequence: number; type: string; objectId: string; data: EventData; cause: Cause | null };

/** One object of an event, as conditions and templates see it. */
export type EventItem = { sequence: number; type: string; objectId: string; data: Record<string, unknown> };

/** An event about several objects has one item for each. */
export function itemsOf({ sequence, type, objectId, data }: TriggerEvent): EventItem[] {
  const { items, cause: _cause, ...common } = data;
  if (!items) return [{ sequence, type, objectId, data: common }];
  return items.map(({ id, ...own }) => ({ sequence, type, objectId: id, data: { ...common, ...own } }));
}

/** The fields of an event; those of its items if it is about several objects. */
type DataFields = Record<string, TSchema> & { items?: { items: { properties: TProperties } } };

/** Only in events about several objects, where conditions see one object at a time. */
const ofBatches: readonly string[] = ["items", "count", "sampleIds"];

/** The fields of these types of events. A field that only some of them have is empty in the others. */
export function eventFields(types: readonly EventType[]): Members {
  const data: TProperties = {};
  for (const type of types) {
    const { items, ...own } = eventCatalogue[type].data.properties as DataFields;
    const { id: _id, ...ofItem } = items?.items.properties ?? {};
    for (const [name, schema] of Object.entries({ ...own, ...ofItem })) {
      if (!isPrivate(schema) && !ofBatches.includes(name)) data[name] ??= schema;
    }
  }
  return fieldsOf(Type.Object({ type: OneOf([...types]), objectId: Type.String(), data: Type.Object(data) }));
}
