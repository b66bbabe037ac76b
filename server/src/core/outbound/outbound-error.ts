type OutboundCode =
  | "invalid_url"
  | "invalid_request"
  | "address_refused"
  | "dns_failed"
  | "connect_failed"
  | "connection_lost"
  | "timeout"
  | "cancelled"
  | "redirect_refused"
  | "response_too_large"
  | "bad_encoding"
  | "invalid_json"
  | "circuit_open"
  | "too_late";

type Options = { retryable?: boolean; retryAfterMs?: number; mayHaveHappened?: boolean; cause?: unknown };

/** Why a call to the outside brought no usable answer. The message never holds a query or a header: both carry secrets. */
export class OutboundError extends Error {
  readonly code: OutboundCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** The request may have reached the other side and changed something there. */
  readonly mayHaveHappened: boolean;

  constructor(code: OutboundCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.name = "OutboundError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.mayHaveHappened = options.mayHaveHappened ?? false;
  }
}
