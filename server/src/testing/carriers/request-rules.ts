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
