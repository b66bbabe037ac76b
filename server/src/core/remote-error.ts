/** The meaning of failure statuses, independent of the response body. */
export const remoteMeanings = {
  unauthorized: "The other system rejected the credentials.",
  forbidden: "The credentials do not permit this.",
  not_found: "The other system does not have this record.",
  rate_limited: "The other system limits the number of requests.",
  rejected: "The other system rejected the request.",
  deferred: "The other system asks to try again later.",
  remote_error: "The other system reported an internal error.",
  authentication_failed: "The other system issued no access token.",
} as const;

/** Failures whose message is the hub's own: it quotes nothing from the request or the response. */
const ownWords: ReadonlySet<string> = new Set([
  "address_not_allowed",
  "bridge_inactive",
  "bridge_not_found",
  "cancelled",
  "circuit_open",
  "connect_failed",
  "connection_lost",
  "database_unavailable",
  "dns_failed",
  "files_disabled",
  "folder_missing",
  "in_progress",
  "interrupted",
  "no_record_taken",
  "order_not_found",
  "order_number_ambiguous",
  "outbound_paused",
  "outcome_unknown",
  "outbound_disabled_in_preview",
  "redirect_not_allowed",
  "response_too_large",
  "superseded",
  "timed_out",
  "timeout",
  "too_many_records",
  "transformation_failed",
  "unexpected_response",
  "unknown_task",
  "worker_lost",
]);

/** The failure without the message of the other side, which may quote personal data; undefined: the hub has no message of its own. */
export function ownWordsFor({ code, message }: { code: string; message: string }): string | undefined {
  if (ownWords.has(code)) return message;
  return Object.hasOwn(remoteMeanings, code) ? remoteMeanings[code as keyof typeof remoteMeanings] : undefined;
}

type Options = { retryable?: boolean; retryAfterMs?: number | undefined; mayHaveHappened?: boolean; cause?: unknown };

/**
 * How a call to a shop, a carrier or any other system failed, in words its user can act on. Anything else thrown is a
 * defect. The message never holds a query or a header: both carry secrets.
 */
export class RemoteError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** The request may have reached the other side: only safe to repeat with an effect key it honours. */
  readonly mayHaveHappened: boolean;

  constructor(code: string, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.name = "RemoteError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.mayHaveHappened = options.mayHaveHappened ?? false;
  }
}
