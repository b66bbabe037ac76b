import { RemoteError } from "../../../core/remote-error.ts";

type Again = { retryable?: boolean; retryAfterMs?: number | undefined };

/** What became of each record is told also when the task as a whole failed. */
export class FailedWithResult extends RemoteError {
  readonly result: Record<string, unknown>;

  constructor(code: string, message: string, result: Record<string, unknown>, { retryable, retryAfterMs }: Again = {}) {
    super(code, message, {
      ...(retryable ? { retryable } : {}),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    this.result = result;
  }
}
