import type { TSchema } from "typebox";
import { isPlain } from "./strict-json.ts";
import { findErrorsIn } from "./validation.ts";

type Shape = { title?: string; properties?: Record<string, Shape>; items?: Shape };

/** Why a value is not the JSON Schema of an object with valid examples. */
export function schemaProblems(at: string, schema: TSchema): string[] {
  if (!isPlain(schema)) return [`${at} must be a JSON Schema`];
  const { type, properties, examples = [] } = schema as { type?: unknown; properties?: unknown; examples?: unknown };
  if (type !== "object" || (properties !== undefined && !isPlain(properties)))
    return [`${at} must be a JSON Schema of an object`];
  if (!Array.isArray(examples)) return [`${at}: examples must be a list`];
  try {
    findErrorsIn(schema, {});
    return examples.flatMap((example) => exampleProblems(`${at}: its example`, schema, example));
  } catch (error) {
    return [`${at} is not a valid JSON Schema: ${(error as Error).message}`];
  }
}

/** Why an example is not valid. It is copied, because validation fills in defaults. */
export function exampleProblems(at: string, schema: TSchema, example: unknown): string[] {
  return findErrorsIn(schema, structuredClone(example)).map(({ pointer, message, allowed }) => {
    const where = pointer === "" ? "" : ` at ${pointer}`;
    return `${at} does not fit its schema${where}: ${message}${allowed ? ` Allowed: ${allowed.join(", ")}.` : ""}`;
  });
}

/** Fields without a title: a form would show no label. */
export function untitledFields(at: string, schema: TSchema): string[] {
  return fieldsOf(schema as Shape, at)
    .filter(([, { title }]) => !title)
    .map(([path]) => `${path} needs a title`);
}

function fieldsOf(schema: Shape, at: string): [path: string, field: Shape][] {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Shape] => [`${at}/${name}`, field]);
  const inner = own.flatMap(([path, field]) => fieldsOf(field, path));
  return [...own, ...inner, ...(schema.items ? fieldsOf(schema.items, at) : [])];
}
