import type { Static, TProperties, TSchema } from "typebox";
import type { ErrorCode, FieldError } from "./errors.ts";
import { errorsAt, HubError, validationFailed } from "./errors.ts";
import { Count, Id, OneOf } from "./schema.ts";
import { Type } from "./type.ts";
import { createFinder } from "./validation.ts";

const Text = Type.String();

/** The error of one row in the response to a bulk request. */
export const RowError = Type.Object({
  code: Text,
  message: Text,
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        pointer: Text,
        code: Text,
        message: Text,
        suggestion: Type.Optional(Text),
        allowed: Type.Optional(Type.Array(Type.Unknown())),
      }),
    ),
  ),
});

/** The response of a bulk creation, one result per row. `known`: fields that identify a row besides its id. */
export function bulkAnswer<Known extends TProperties>(known: Known) {
  return Type.Object({
    summary: Type.Object({ total: Count, created: Count, failed: Count }),
    results: Type.Array(
      Type.Object({
        index: Count,
        id: Type.Optional(Id),
        ...known,
        status: OneOf(["created", "failed"]),
        error: Type.Optional(RowError),
      }),
    ),
  });
}

/** Why a row was rejected; pointers are relative to the row. */
export type RowFailure = { code: ErrorCode; message: string; errors: FieldError[]; existingId?: string };

const maxShown = 20;

/**
 * Only the first mistakes of a row are listed: thousands of rows with all their mistakes would make a huge response. Allowed
 * values are listed once: `listed` has those of previous rows.
 */
export function invalidRow(errors: FieldError[], listed: Set<string> = new Set()): RowFailure {
  const before = new Set(listed);
  const shown = errors.slice(0, maxShown).map((error): FieldError => {
    if (error.allowed === undefined) return error;
    const list = JSON.stringify(error.allowed);
    listed.add(list);
    const { allowed: _allowed, ...rest } = error;
    return before.has(list) ? rest : error;
  });
  return { code: "validation_failed", message: validationFailed(errors).message, errors: shown };
}

/** Finds the mistakes of a row: those of its schema, or if there are none, those of the further rules. */
export function byShapeAndRules<Shape extends TSchema, Known extends unknown[]>(
  shape: Shape,
  findRuleErrors: (given: Static<Shape>, ...known: Known) => FieldError[],
) {
  const findShapeErrors = createFinder(shape, "body");
  return (given: unknown, ...known: Known): FieldError[] => {
    const errors = findShapeErrors(given);
    return errors.length > 0 ? errors : findRuleErrors(given as Static<Shape>, ...known);
  };
}

/** Separates valid rows, each with its index in the list, from failures. */
export function sortRows<Row>(rows: readonly Row[], findErrors: (row: Row) => FieldError[]) {
  const sound: { index: number; request: Row }[] = [];
  const failures = new Map<number, RowFailure>();
  const listed = new Set<string>();
  for (const [index, request] of rows.entries()) {
    const errors = findErrors(request);
    if (errors.length > 0) failures.set(index, invalidRow(errors, listed));
    else sound.push({ index, request });
  }
  return { sound, failures };
}

export function failAt(pointer: string, code: ErrorCode, message: string): RowFailure {
  return { code, message, errors: [{ pointer, code, message }] };
}

/** The failure with pointers into the whole list. */
export function placed({ code, message, errors }: RowFailure, at: string): Static<typeof RowError> {
  return { code, message, errors: errorsAt(at, errors) as never };
}

type Told<Known> = { known: Known } | { failure: RowFailure };

/** The response to a bulk request whose rows are at `at`. */
export function answerInBulk<Known extends object>(at: string, outcomes: readonly Told<Known>[]) {
  const results = outcomes.map((outcome, index) =>
    "known" in outcome
      ? { index, ...outcome.known, status: "created" as const }
      : { index, status: "failed" as const, error: placed(outcome.failure, `${at}/${index}`) },
  );
  const created = results.filter(({ status }) => status === "created").length;
  return { summary: { total: results.length, created, failed: results.length - created }, results };
}

/** The error for a request with this record alone. */
export function toError({ code, message, errors, existingId }: RowFailure): HubError {
  if (code === "validation_failed") return validationFailed(errors);
  return new HubError(code, message, { errors, ...(existingId === undefined ? {} : { extra: { existingId } }) });
}
