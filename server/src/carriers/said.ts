import { RemoteError } from "../core/remote-error.ts";

/** What a carrier said. `unknown`: perhaps it happened, perhaps not; ask again under the same key. */
export type Said<T> = { done: T } | { refused: { code: string; message: string } } | { unknown: string };

type Log = { error(details: object, message: string): void };

const timeoutMs = 20_000;

/** Waits for a carrier, but not for ever, nor longer than the hub runs. What it throws becomes an answer, too. */
export async function hear<T>(
  log: Log,
  work: (signal: AbortSignal) => Promise<T>,
  stopping?: AbortSignal,
): Promise<Said<T>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = stopping ? AbortSignal.any([timeout, stopping]) : timeout;
  const timedOut = new Promise<Said<T>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ unknown: "The carrier did not answer in time." }), { once: true });
  });
  // A function of its own, so that what is thrown before the first await is an answer as well.
  const answered = (async () => await work(signal))().then(
    (done): Said<T> => ({ done }),
    (error: unknown) => readError<T>(log, error),
  );
  return await Promise.race([answered, timedOut]);
}

function readError<T>(log: Log, error: unknown): Said<T> {
  if (error instanceof RemoteError) {
    const { code, message, retryable, mayHaveHappened } = error;
    return retryable || mayHaveHappened ? { unknown: message } : { refused: { code, message } };
  }
  log.error({ err: error }, "a carrier failed in a way it should not");
  return { unknown: "The carrier could not be asked." };
}
