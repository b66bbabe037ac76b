import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, Name, OneOf, optional, pageQuery, Strict, Version } from "../../core/schema.ts";

export const maxValuesPerSet = 100_000;

const Description = Type.String({ maxLength: 500 });
const Matching = OneOf(["case_insensitive", "exact"], {
  description: "How values are compared. Can only be changed while the set is empty",
});

export const ConditionSetRequest = Strict(
  { name: Name, description: Type.Optional(Description), matching: Type.Optional(Matching) },
  { examples: [{ name: "Remote ZIPs", description: "Delivery takes a day longer" }] },
);
export type ConditionSetRequest = Static<typeof ConditionSetRequest>;

export const ConditionSetPatch = Strict(optional({ name: Name, description: Description, matching: Matching }), {
  examples: [{ description: "Reviewed in May" }],
});
export type ConditionSetPatch = Static<typeof ConditionSetPatch>;

export const ConditionSetUse = Type.Object({ type: Type.String(), id: Id, name: Type.String() });
export type ConditionSetUse = Static<typeof ConditionSetUse>;

export const ConditionSet = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  matching: Matching,
  valueCount: Count,
  usedBy: Type.Array(ConditionSetUse),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type ConditionSet = Static<typeof ConditionSet>;

export const ConditionSetQuery = pageQuery({ search: Type.Optional(Type.String({ maxLength: 100 })) });
export type ConditionSetQuery = Static<typeof ConditionSetQuery>;

export const ValuesRequest = Strict(
  {
    values: Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
      minItems: 1,
      maxItems: maxValuesPerSet,
      description: "Stored trimmed and in Unicode form NFC; values that differ only in that are one value",
    }),
  },
  { examples: [{ values: ["99501", "96801"] }] },
);
export type ValuesRequest = Static<typeof ValuesRequest>;

export const ValuesQuery = pageQuery(
  {
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "Values that contain this text" })),
    value: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "Exactly this value, if present" })),
  },
  { limit: 100, max: 1000 },
);
export type ValuesQuery = Static<typeof ValuesQuery>;

export const ValuesAdded = Type.Object({
  added: Count,
  alreadyPresent: Count,
  valueCount: Count,
  present: Type.Optional(
    Type.Array(Type.String(), { description: "The first 100 values that the set already had, as stored" }),
  ),
});
export const ValuesRemoved = Type.Object({ removed: Count, notFound: Type.Array(Type.String()), valueCount: Count });
export const ValuesCleared = Type.Object({ removed: Count, valueCount: Count });
