import type { FieldError } from "../core/errors.ts";
import { RemoteError } from "../core/remote-error.ts";
import { checkUrl } from "../core/outbound/outbound-guard.ts";
import type { Limits } from "./connector.ts";

/** Errors in a URL setting that can be found without a request. */
export function urlProblems(pointer: string, value: unknown, { allowPrivate }: Limits): FieldError[] {
  if (typeof value !== "string") return [];
  try {
    const url = checkUrl(value, allowPrivate);
    if (url.search === "" && url.hash === "") return [];
    return [{ pointer, code: "invalid_url", message: "The URL must not have a query or a fragment." }];
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return [{ pointer, code: error.code, message: error.message }];
  }
}
