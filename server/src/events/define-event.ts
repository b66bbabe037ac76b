import type { TObject, TProperties, TSchema } from "typebox";
import { Type } from "../core/type.ts";

/** An event type. Fields are only ever added to `data`, since consumers rely on the existing ones. */
export type EventDefinition<Data extends TObject = TObject> = {
  /** Kind of the object that `objectId` identifies. */
  objectType: string;
  summary: string;
  /** Fields in the audit log; `server/src/events/event-envelope.ts` selects those that are delivered. */
  data: Data;
  /** `data` contains personal data. No event contains a secret. */
  isPersonal: boolean;
  /** `data` has the new values of the changed fields and nothing else. */
  isPatch: boolean;
  /** Version of the delivered data. A field with another meaning requires a new type. */
  version: number;
};

export function defineEvent<Properties extends TProperties>(
  objectType: string,
  summary: string,
  properties: Properties,
  { isPersonal = false, isPatch = false } = {},
): EventDefinition<TObject<Properties>> {
  return { objectType, summary, data: Type.Object(properties), isPersonal, isPatch, version: 1 };
}

/** A symbol: copies of a schema keep it, JSON does not. */
const privateField = Symbol("private");

/** A field of the audit log that is not delivered: it contains personal data or free text. */
export function Private<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, [privateField]: true };
}

/** True for fields that are not delivered. */
export function isPrivate(schema: TSchema): boolean {
  return privateField in schema;
}
