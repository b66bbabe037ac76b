import { wordsOf } from "../../core/outbound/ask-remote.ts";
import { isRetryableStatus } from "../../core/outbound/outbound-retry.ts";
import { readJson, RemoteError } from "./http.ts";
import type { HttpResponse } from "./http.ts";

const codes: Record<number, string> = {
  401: "unauthorized",
  402: "payment_required",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  429: "rate_limited",
};

/**
 * A failed response as an error in the carrier's words. A refusal means that nothing happened; after a failure of the carrier's own
 * the outcome is unknown.
 */
export function failureOf(carrier: string, response: HttpResponse, words: string): RemoteError {
  const { status, retryAfterMs } = response;
  const isTheirs = status >= 500;
  const message = words === "" ? `${carrier} answered ${status} without a reason.` : `${carrier}: ${wordsOf(words)}`;
  return new RemoteError(isTheirs ? "remote_error" : (codes[status] ?? "rejected"), message, {
    retryable: isTheirs || isRetryableStatus(status),
    mayHaveHappened: response.mayHaveHappened && (isTheirs || status === 408),
    retryAfterMs,
  });
}

/** The body as JSON; undefined for HTML pages and anything else that is not JSON. */
export function bodyOf(response: HttpResponse): unknown {
  try {
    return readJson(response);
  } catch {
    return undefined;
  }
}

/** A success status whose body cannot be used: the purchase or booking happened, and the next attempt looks it up. */
export function unreadable(carrier: string, missing: string): RemoteError {
  const message = `${carrier} accepted the request, but its response has no ${missing}.`;
  return new RemoteError("unexpected_response", message, { retryable: true, mayHaveHappened: true });
}

/** The carrier decided about the request, as opposed to a failure of its own, or a refusal of the caller or of so many requests. */
export function isDecision({ status }: HttpResponse): boolean {
  return status < 500 && ![401, 403, 408, 429].includes(status);
}
