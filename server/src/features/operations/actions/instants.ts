import type { FieldError } from "../../../core/errors.ts";

/** The form in which an order keeps times; one instant has one text, so that a diff does not see changes where none are. */
export function toInstant(text: string): string {
  return new Date(text).toISOString();
}

/** Leap seconds and the year 0 are well-formed date-times, but nothing that a database keeps. */
export function instantErrors(
  pointer: string,
  text: string | null | undefined,
  limits: { after?: string; notAfter?: string } = {},
): FieldError[] {
  if (text === undefined || text === null) return [];
  const at = new Date(text);
  const year = at.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) {
    return [{ pointer, code: "format", message: "This is not a time between the years 1970 and 9999." }];
  }
  const name = pointer.slice(1);
  if (limits.after !== undefined && at <= new Date(limits.after)) {
    return [{ pointer, code: "date_in_past", message: `\`${name}\` must be in the future.` }];
  }
  if (limits.notAfter !== undefined && at > new Date(limits.notAfter)) {
    return [{ pointer, code: "date_in_future", message: `\`${name}\` must not be in the future.` }];
  }
  return [];
}
