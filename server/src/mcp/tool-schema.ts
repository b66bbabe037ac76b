import type { TSchema } from "typebox";
import { cutText } from "../core/cut-text.ts";

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Keywords that help a model to fill in an argument. The route checks all others. */
const kept = new Set(["type", "enum", "minimum", "maximum", "minItems", "maxItems", "default", "required"]);
const knownFormats = new Set(["uuid", "date-time", "date", "email"]);
const maxDescription = 240;

/** A schema as a model needs it: without patterns, examples and the hub's own keywords and formats. */
export function toModelSchema(schema: TSchema | JsonSchema): JsonSchema {
  const made: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (kept.has(keyword)) made[keyword] = value;
    else if (keyword === "description" && typeof value === "string") made[keyword] = cutText(value, maxDescription);
    else if (keyword === "format" && knownFormats.has(String(value))) made[keyword] = value;
    else if (keyword === "items") made[keyword] = toModelSchema(value as JsonSchema);
    else if (keyword === "anyOf" || keyword === "oneOf") made[keyword] = (value as JsonSchema[]).map(toModelSchema);
    else if (keyword === "properties") made[keyword] = mapValues(value as Record<string, JsonSchema>);
  }
  return made;
}

function mapValues(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toModelSchema(schema)]));
}
