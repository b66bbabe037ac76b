import type { Static, TOptional, TProperties, TSchema } from "typebox";
import { Type } from "./type.ts";

/** `x-advanced`: few people need it, so forms fold it away. */
type StrictOptions = {
  title?: string;
  description?: string;
  examples?: unknown[];
  "x-advanced"?: true;
  /** Groups of fields of which one is needed. */
  "x-one-of"?: string[][];
};

/** Request bodies and queries: what is not named is refused, so a misspelt field never passes unnoticed. */
export function Strict<Properties extends TProperties>(properties: Properties, options: StrictOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** Each of these may be left out. */
export function optional<Properties extends TProperties>(properties: Properties) {
  const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as { [Name in keyof Properties]: TOptional<Properties[Name]> };
}

export function OneOf<const Values extends readonly string[]>(values: Values, options: Record<string, unknown> = {}) {
  return Type.Unsafe<Values[number]>({ type: "string", enum: [...values], ...options });
}

/** "LBS", " lbs" and "lbs." are one spelling. */
export function foldSpelling(text: string): string {
  return text.trim().toLowerCase().replace(/\.$/, "");
}

/** Several of these names in one text, with commas between; `splitNames` takes it apart. validation.ts holds it to them. */
export function NameList(values: readonly string[]) {
  const description = `One or more of ${values.join(", ")}, with commas between`;
  return Type.String({ maxLength: 500, description, "x-names": values });
}

export function splitNames<Name extends string>(text: string): Name[] {
  return [...new Set(text.split(",").map((name) => name.trim()))] as Name[];
}

const mostAtOnce = 25;

/** One text, or a list of them: in a query the name is repeated. What is said of a text holds for those in the list. */
export function OneOrMore<Schema extends TSchema>(schema: Schema, options: { description?: string } = {}) {
  const items: unknown = schema;
  // The serializer takes the first type that fits, and would write a list as one text.
  const list = { type: ["array", "string"], items, minItems: 1, maxItems: mostAtOnce };
  return Type.Unsafe<Static<Schema> | Static<Schema>[]>({ ...schema, ...list, ...options });
}

export function toList<T extends string>(given: T | T[] | undefined): T[] | undefined {
  return given === undefined ? undefined : [...new Set([given].flat() as T[])];
}

export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values } = schema as { type?: string | string[]; enum?: unknown[] };
  // Nullable already, as in a patch of a nullable field.
  if (Array.isArray(type)) return Type.Unsafe<Static<Schema> | null>(schema);
  // A list of types is serialised without trying alternatives, which `anyOf` is not.
  if (Object.keys(schema).length === 0) return Type.Unsafe<Static<Schema> | null>(schema);
  const isPlain = type !== undefined && type !== "object" && type !== "array";
  return Type.Unsafe<Static<Schema> | null>(
    isPlain
      ? { ...schema, type: [type, "null"], ...(values ? { enum: [...values, null] } : {}) }
      : { anyOf: [schema, { type: "null" }] },
  );
}

export const Id = Type.String({ format: "uuid" });
export const DateTime = Type.String({ format: "date-time" });
/**
 * The two ends of a time by which something is listed. A moment at the end is not part of it; a day is, as people mean it. http/
 * puts moments in the place of days.
 */
export const Since = Type.Optional(
  Type.String({
    format: "date-or-date-time",
    "x-day": "first",
    description: "This moment or later, or a day in the time zone of the organization",
  }),
);
export const Before = Type.Optional(
  Type.String({
    format: "date-or-date-time",
    "x-day": "last",
    description: "Before this moment, or up to the end of a day in the time zone of the organization",
  }),
);
export const DateOrDateTime = Type.String({
  format: "date-or-date-time",
  description: "A moment, or a day, which stands for its first moment in the time zone of the organization",
});
export const Version = Type.Integer({
  minimum: 1,
  description: "Also the ETag; send it as If-Match to avoid lost updates",
});
/** Something visible, on one line. The line breaks are named: what `.` leaves out differs between languages. */
export const linePattern = "^\\S(?:[^\\n\\r\\u2028\\u2029]*\\S)?$";
/** Names and titles. */
export const Name = Type.String({ minLength: 1, maxLength: 100, pattern: linePattern });
export const Email = Type.String({ format: "email", maxLength: 254 });
export const Count = Type.Integer({ minimum: 0 });

/** How many there are of each. */
export function CountOfEach<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>;
}

export function pageQuery<Properties extends TProperties>(filters: Properties, sizes = { limit: 25, max: 100 }) {
  return Strict({
    page: Type.Integer({ minimum: 1, maximum: 10_000_000, default: 1, description: "Counted from 1" }),
    limit: Type.Integer({ minimum: 1, maximum: sizes.max, default: sizes.limit, description: "Entries a page" }),
    ...filters,
  });
}

export const Pagination = Type.Object({
  page: Count,
  limit: Count,
  total: Count,
  pages: Count,
  hasMore: Type.Boolean(),
});

export function PageOf<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: Type.Array(schema), pagination: Pagination });
}

/** Of lists that can be so long that counting them would take longer than reading a page. */
export const CappedPagination = Type.Object({
  page: Count,
  limit: Count,
  total: Count,
  totalIsCapped: Type.Boolean({ description: "Not all were counted: there are at least `total`" }),
  pages: Count,
  hasMore: Type.Boolean(),
});

export const Deleted = Type.Object({ id: Id, deleted: Type.Literal(true) });
