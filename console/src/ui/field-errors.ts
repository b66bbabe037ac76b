import { HubApiError } from "@order-operations-hub/sdk/problem";

/** What the hub finds wrong, by the pointer of the field it is about. */
export function fieldErrors(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof HubApiError)) return new Map();
  return new Map(
    error.errors.map(({ pointer, message, suggestion }) => [
      pointer,
      suggestion ? `${message} Did you mean ${suggestion}?` : message,
    ]),
  );
}

/** The first that is said of a field or of something in it. */
export function errorAt(errors: ReadonlyMap<string, string>, pointer: string): string | undefined {
  return [...errors].find(([at]) => at === pointer || at.startsWith(`${pointer}/`))?.[1];
}

/** Everything that is wrong is at a field that is on screen: it need not be said a second time. */
export const isAllOnFields = (error: unknown, pointers: readonly string[]): boolean =>
  error instanceof HubApiError &&
  error.errors.length > 0 &&
  error.errors.every(({ pointer }) => pointers.some((one) => pointer === one || pointer.startsWith(`${one}/`)));

/** What the hub said about one field, for the place where it is typed. */
export const fieldError = (error: unknown, pointer: string): string | undefined => errorAt(fieldErrors(error), pointer);
