import type { Static } from "typebox";
import type { ErrorCode, FieldError } from "./errors.ts";
import { errorsAt, HubError, validationFailed } from "./errors.ts";
import { Type } from "./type.ts";

const Text = Type.String();

/** As an answer about many tells it. */
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

/** Why one of many was not taken; pointers are relative to it. */
export type RowFailure = { code: ErrorCode; message: string; errors: FieldError[]; existingId?: string };

const maxShown = 20;

/**
 * The first mistakes of a row are enough: thousands of rows with all of theirs would be an endless answer. Nor is it said again
 * in each what is allowed: `told` are the lists that rows before have said.
 */
export function invalidRow(errors: FieldError[], told: Set<string> = new Set()): RowFailure {
  const before = new Set(told);
  const shown = errors.slice(0, maxShown).map((error): FieldError => {
    if (error.allowed === undefined) return error;
    const list = JSON.stringify(error.allowed);
    told.add(list);
    const { allowed: _allowed, ...rest } = error;
    return before.has(list) ? rest : error;
  });
  return { code: "validation_failed", message: validationFailed(errors).message, errors: shown };
}

export function failAt(pointer: string, code: ErrorCode, message: string): RowFailure {
  return { code, message, errors: [{ pointer, code, message }] };
}

/** Pointers as the caller of a whole list sees them. */
export function placed({ code, message, errors }: RowFailure, at: string): Static<typeof RowError> {
  return { code, message, errors: errorsAt(at, errors) as never };
}

/** For callers who sent only this one. */
export function toError({ code, message, errors, existingId }: RowFailure): HubError {
  if (code === "validation_failed") return validationFailed(errors);
  return new HubError(code, message, { errors, ...(existingId === undefined ? {} : { extra: { existingId } }) });
}
