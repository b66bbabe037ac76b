import type * as FastJson from "fast-json-stringify";
import { createRequire } from "node:module";
import type { TSchema } from "typebox";

const require = createRequire(import.meta.url);

type Serialize = (value: unknown) => string;

const compiled = new WeakMap<TSchema, Serialize>();

/**
 * The answer's schema is also its serializer: a member that is not declared there never leaves the hub.
 * Compiled when first used, for all surfaces at once, and the compiler loaded with the first of them: the hub listens
 * sooner without.
 */
export function createSerializer(schema: TSchema): Serialize {
  let serialize: Serialize | undefined;
  return (value) => {
    serialize ??= compiled.getOrInsertComputed(schema, () => compile(schema as FastJson.Schema));
    return serialize(value);
  };
}

function compile(schema: FastJson.Schema): Serialize {
  const { default: fastJson } = require("fast-json-stringify") as typeof FastJson;
  // Our own format needs a name here: what leaves the hub was checked when it came in.
  return fastJson(schema, { ajv: { strict: false, formats: { "date-or-date-time": true } } });
}
