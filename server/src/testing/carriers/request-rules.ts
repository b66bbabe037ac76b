import type { Static, TOptional, TSchema, TUnknown } from "typebox";
import type { FieldError } from "../../core/errors.ts";
import { Type } from "../../core/type.ts";
import { findErrorsIn } from "../../core/validation.ts";

/** Text of a length that the carrier's schema allows. */
export function Text(minLength: number, maxLength: number) {
  return Type.String({ minLength, maxLength });
}

/** Text that matches a pattern, which is not anchored by itself. */
export function Matching(pattern: string) {
  return Type.String({ pattern });
}

/**
 * Fields that the carrier's schema has and the stand-in does not look at. Fields that are in neither are refused, so that a
 * misspelt one is noticed.
 */
export function unread<const Names extends readonly string[]>(
  ...names: Names
): { [Name in Names[number]]: TOptional<TUnknown> } {
  const fields = names.map((name) => [name, Type.Optional(Type.Unknown())]);
  return Object.fromEntries(fields) as { [Name in Names[number]]: TOptional<TUnknown> };
}

type Checked<T> = { value: T; errors?: undefined } | { value?: undefined; errors: FieldError[] };

/** The data as the schema describes it, or what is wrong with it. */
export function check<Schema extends TSchema>(schema: Schema, data: unknown): Checked<Static<Schema>> {
  const errors = findErrorsIn(schema, data);
  return errors.length > 0 ? { errors } : { value: data as Static<Schema> };
}

/** `path`: ["shipment", "parcel", "weight"]; `rule`: the keyword of JSON Schema that the value breaks. */
export type Problem = { path: string[]; rule: string; message: string };
type CheckedBody<T> = { value: T; problems?: undefined } | { value?: undefined; problems: Problem[] };

/** A check of request bodies by a schema. Each carrier reports the problems in its own error form. */
export function bodyCheck<Schema extends TSchema>(schema: Schema): (body: unknown) => CheckedBody<Static<Schema>> {
  return (body) => {
    const { value, errors } = check(schema, body);
    if (!errors) return { value };
    const problems = errors.map(({ pointer, code, message }) => ({
      path: pointer.split("/").slice(1),
      rule: code,
      message: message.replace(/\.$/, ""),
    }));
    return { problems: problems.filter((one) => !problems.some((other) => isWithin(other, one))) };
  };
}

/** Of alternatives, only the problems of the one that fits best are of use: "must be text" is noise beside a field of the object. */
function isWithin(inner: Problem, outer: Problem): boolean {
  return inner.path.length > outer.path.length && outer.path.every((part, index) => part === inner.path[index]);
}

/** Wraps single objects in lists. APIs that began as XML accept one object where a list is meant. */
export function wrapInList(parent: unknown, ...names: string[]): void {
  if (typeof parent !== "object" || parent === null) return;
  const fields = parent as Record<string, unknown>;
  for (const name of names) {
    if (fields[name] !== undefined && !Array.isArray(fields[name])) fields[name] = [fields[name]];
  }
}

/** A member of an object that has not been checked yet. */
export function member(parent: unknown, name: string): unknown {
  return typeof parent === "object" && parent !== null ? (parent as Record<string, unknown>)[name] : undefined;
}

/** The words of a text, for long lists of values. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
