import fastJson from "fast-json-stringify";
import type { TSchema } from "typebox";

/**
 * The answer's schema is also its serializer: a member that is not declared there never leaves the hub.
 * Compiled when first used.
 */
export function createSerializer(schema: TSchema): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= fastJson(schema as fastJson.Schema, { ajv: { strict: false } });
    return serialize(value);
  };
}
