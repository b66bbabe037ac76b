import { HubApiError } from "@order-operations-hub/sdk/problem";

/** What the hub said about one field, for the place where it is typed. */
export function fieldError(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof HubApiError)) return undefined;
  return error.errors.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))?.message;
}
