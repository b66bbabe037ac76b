import type * as FastJson from "fast-json-stringify";
import { createRequire } from "node:module";
import type { TSchema } from "typebox";

const require = createRequire(import.meta.url);

/**
 * The answer's schema is also its serializer: a member that is not declared there never leaves the hub.
 * Compiled when first used, and the compiler loaded with the first of them: the hub listens sooner without.
 */
export function createSerializer(schema: TSchema): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= compile(schema as FastJson.Schema);
    return serialize(value);
  };
}

function compile(schema: FastJson.Schema): (value: unknown) => string {
  const { default: fastJson } = require("fast-json-stringify") as typeof FastJson;
  return fastJson(schema, { ajv: { strict: false } });
}
