import { HubApiError } from "@order-operations-hub/sdk/problem";

/** Field errors of a problem response, by JSON pointer. */
export function fieldErrors(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof HubApiError)) return new Map();
  return new Map(
    error.errors.map(({ pointer, message, suggestion }) => [
      pointer,
      suggestion ? `${message} Did you mean ${suggestion}?` : message,
    ]),
  );
}

/** First error of a field or anything below it. */
export function errorAt(errors: ReadonlyMap<string, string>, pointer: string): string | undefined {
  return [...errors].find(([at]) => at === pointer || at.startsWith(`${pointer}/`))?.[1];
}

/** Whether every error is already shown at its field. */
export const isAllOnFields = (error: unknown, pointers: readonly string[]): boolean =>
  error instanceof HubApiError &&
  error.errors.length > 0 &&
  error.errors.every(({ pointer }) => pointers.some((one) => pointer === one || pointer.startsWith(`${one}/`)));
