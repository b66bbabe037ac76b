import { wordsOf } from "../../core/outbound/ask-remote.ts";
import { isRetryableStatus } from "../../core/outbound/outbound-retry.ts";
import { remoteMeanings } from "../../core/remote-error.ts";
import { RemoteError } from "./http.ts";
import type { HttpResponse } from "./http.ts";

const codes: Record<number, keyof typeof remoteMeanings> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  429: "rate_limited",
};

/**
 * A failed response as an error in the carrier's words; without words, in the hub's. A refusal means that nothing happened; after a
 * failure of the carrier's own the outcome is unknown.
 */
export function failureOf(carrier: string, response: HttpResponse, words: string): RemoteError {
  const { status, retryAfterMs } = response;
  const isTheirs = status >= 500;
  const code = isTheirs ? "remote_error" : (codes[status] ?? "rejected");
  const message = words === "" ? `${carrier}: ${remoteMeanings[code]} (${status})` : `${carrier}: ${wordsOf(words)}`;
  return new RemoteError(code, message, {
    retryable: isRetryableStatus(status),
    mayHaveHappened: response.mayHaveHappened && (isTheirs || status === 408),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** A success status whose body cannot be used: the purchase or booking happened, and the next attempt looks it up. */
export function unreadable(carrier: string, missing: string): RemoteError {
  return new RemoteError(
    "unexpected_response",
    `${carrier} accepted the request, but its response has no ${missing}.`,
    {
      retryable: true,
      mayHaveHappened: true,
    },
  );
}

/** The carrier decided about the request, as opposed to a failure of its own, or a refusal of the caller or of so many requests. */
export function isDecision({ status }: HttpResponse): boolean {
  return status < 500 && ![401, 403, 408, 429].includes(status);
}
