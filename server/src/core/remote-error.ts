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
