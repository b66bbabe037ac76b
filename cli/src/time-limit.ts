import type { Given, Options } from "./command.ts";
import { CliError, exitCodes, usageError } from "./exit.ts";

/** Of commands that wait. */
export const timeoutOption: Options = {
  timeout: { type: "string", placeholder: "SECONDS", text: "Give up after this time, with exit code 6" },
};

/** Runs `work` with the time limit of --timeout, if there is one. */
export async function withTimeLimit<Result>(
  given: Given,
  work: (signal: AbortSignal | undefined) => Promise<Result>,
): Promise<Result> {
  const typed = given.text("timeout");
  if (typed === undefined) return await work(undefined);
  const seconds = Number(typed);
  if (!(seconds > 0 && seconds <= 2_000_000))
    throw usageError(`--timeout must be a number of seconds, not "${typed}".`);
  const signal = AbortSignal.timeout(Math.ceil(seconds * 1000));
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CliError(exitCodes.timedOut, `gave up after ${seconds} s.`);
  }
}
