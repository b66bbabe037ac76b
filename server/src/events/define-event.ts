import type { TObject, TProperties, TSchema } from "typebox";
import { Type } from "../core/type.ts";

/** A kind of thing that can happen. `data` is only ever added to: whoever reads events relies on what is there. */
export type EventDefinition<Data extends TObject = TObject> = {
  /** What `objectId` points at. */
  objectType: string;
  summary: string;
  /** As the audit log has them; `server/src/events/event-envelope.ts` says what of it is handed on. */
  data: Data;
  /** `data` names or reaches a person; never a secret, in any event. */
  isPersonal: boolean;
  /** `data` has what was changed, and nothing else: of each field its new value. */
  isPatch: boolean;
  /** Of the data as they are handed on. Another meaning of a field is another type, not another version. */
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

/** A symbol, so that copies have it and documents do not. */
const privately = Symbol("private");

/** Kept in the audit log and told to nobody else: it says something about a person, or whoever set it put anything into it. */
export function Private<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, [privately]: true };
}

/** What of the data is not handed on. */
export function isPrivate(schema: TSchema): boolean {
  return privately in schema;
}
