import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";
import type { Static, TSchema } from "typebox";

/** `path`: ["shipment", "parcel", "weight"]; `rule`: the keyword of JSON Schema that the value breaks. */
export type Problem = { path: string[]; rule: string; message: string };
export type Checked<T> = { value: T; problems?: undefined } | { value?: undefined; problems: Problem[] };

const ajv = new Ajv({ allErrors: true, strict: false });

/** A check of request bodies by a schema. Each carrier reports the problems in its own error form. */
export function bodyCheck<Schema extends TSchema>(schema: Schema): (body: unknown) => Checked<Static<Schema>> {
  // Compiled with its first use: a stand-in starts sooner, and few tests use all operations.
  let compiled: ValidateFunction<Static<Schema>> | undefined;
  return (body) => {
    const isValid = (compiled ??= ajv.compile<Static<Schema>>(schema));
    if (isValid(body)) return { value: body };
    const problems = (isValid.errors ?? []).map(({ instancePath, keyword, message = "is invalid", params }) => {
      const missing = keyword === "required" ? [String(params.missingProperty)] : [];
      return { path: [...instancePath.split("/").slice(1), ...missing], rule: keyword, message };
    });
    return {
      problems: problems.filter((one) => one.rule !== "anyOf" && !problems.some((other) => isWithin(other, one))),
    };
  };
}

/** Of alternatives, only the problems of the one that fits best are of use: "must be string" is noise beside a field of the object. */
function isWithin(inner: Problem, outer: Problem): boolean {
  return inner.path.length > outer.path.length && outer.path.every((part, index) => part === inner.path[index]);
}
