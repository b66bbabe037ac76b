import { HubApiError } from "@order-operations-hub/sdk/problem";

const stepPointer = /^\/actions\/(\d+)(.*)$/;

/** Whether all errors are about steps, and are shown there. */
export const isOnSteps = (error: unknown): boolean =>
  error instanceof HubApiError &&
  error.errors.length > 0 &&
  error.errors.every(({ pointer }) => stepPointer.test(pointer));

/** Field errors by step, shown at their fields. */
export function stepErrors(error: unknown): ReadonlyMap<number, Map<string, string>> {
  const found = new Map<number, Map<string, string>>();
  if (!(error instanceof HubApiError)) return found;
  for (const { pointer, message, suggestion } of error.errors) {
    const [, at, rest = ""] = stepPointer.exec(pointer) ?? [];
    if (at === undefined) continue;
    const text = suggestion ? `${message} Did you mean ${suggestion}?` : message;
    const step = found.get(Number(at)) ?? new Map<string, string>();
    found.set(Number(at), step.set(rest, text));
  }
  return found;
}
