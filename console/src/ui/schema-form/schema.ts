/** The JSON Schema keywords that the form supports; anything else is edited as JSON text. */
export type FormSchema = {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  items?: FormSchema;
  properties?: Record<string, FormSchema>;
  required?: string[];
  anyOf?: FormSchema[];
  additionalProperties?: unknown;
  patternProperties?: Record<string, FormSchema>;
  examples?: unknown[];
  /** Record type of the ID. */
  "x-entity"?: string;
  /** `password`: masked input. */
  "x-widget"?: string;
  /** Groups of fields of which one is needed. */
  "x-one-of"?: string[][];
  /** Rarely needed: folded by default. */
  "x-advanced"?: boolean;
};

/** Kind of field for a schema. */
export type FieldKind =
  | "enum"
  | "boolean"
  | "number"
  | "text"
  | "long-text"
  | "time"
  | "tokens"
  | "choices"
  | "entity"
  | "object"
  | "secret"
  | "pairs"
  | "list"
  | "json";

const typesOf = (schema: FormSchema): string[] =>
  schema.anyOf ? schema.anyOf.flatMap(typesOf) : schema.type === undefined ? [] : [schema.type].flat();

/** The non-null variant of a nullable schema. */
export function plainSchema(schema: FormSchema): FormSchema {
  const given = schema.anyOf?.filter((one) => !(one.type === "null"));
  return given?.length === 1
    ? { ...given[0], ...(schema.description ? { description: schema.description } : {}) }
    : schema;
}

const longText = 501;

export function kindOf(given: FormSchema): FieldKind {
  const schema = plainSchema(given);
  const types = typesOf(schema).filter((type) => type !== "null");
  if (types.length !== 1)
    return types.every((type) => ["string", "number", "boolean"].includes(type)) && types.length > 0 ? "text" : "json";
  switch (types[0]) {
    case "string":
      if (schema["x-entity"]) return "entity";
      if (schema["x-widget"] === "password") return "secret";
      if (schema.enum) return "enum";
      if (schema.format === "date-time" || schema.format === "date-or-date-time" || schema.format === "date")
        return "time";
      // Text with a pattern, such as a path, is a single line.
      return (schema.maxLength ?? 0) >= longText && !schema.pattern ? "long-text" : "text";
    case "boolean":
      return "boolean";
    case "integer":
    case "number":
      return "number";
    case "array":
      if (schema.items?.enum) return "choices";
      return schema.items && typesOf(schema.items).includes("string")
        ? "tokens"
        : schema.items?.properties
          ? "list"
          : "json";
    default:
      if (hasFields(schema)) return "object";
      return namesTexts(schema) ? "pairs" : "json";
  }
}

/** A map of strings: headers, parameters, columns. */
function namesTexts({ patternProperties, additionalProperties }: FormSchema): boolean {
  const given = Object.values(patternProperties ?? {});
  const values =
    given.length > 0 ? given : typeof additionalProperties === "object" ? [additionalProperties as FormSchema] : [];
  return values.length > 0 && values.every((value) => typesOf(value).includes("string"));
}

/** Whether the schema has any fields. */
export const hasFields = (schema: FormSchema | undefined): schema is FormSchema =>
  Object.keys(schema?.properties ?? {}).length > 0;

/** Initial value: empty except for constants. */
export function startOf(schema: FormSchema): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, field]): Array<[string, unknown]> => {
    if (!schema.required?.includes(name)) return [];
    if (field.enum?.length === 1) return [[name, field.enum[0]]];
    return [];
  });
  return Object.fromEntries(entries);
}

/** Removes empty fields, which count as not given. */
export function withoutEmpty(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, one]) => one !== undefined && one !== "" && !(Array.isArray(one) && one.length === 0),
    ),
  );
}
