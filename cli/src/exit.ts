/** Exit codes of every command. `hub serve` has codes of its own; see docs/operate.md. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A run that ended with failures, or a preflight with blocked orders. */
  incomplete: 3,
  /** Not signed in, or a scope is missing. */
  denied: 4,
  unreachable: 5,
  timedOut: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command with this message on stderr. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A wrong argument; nothing was done. */
export function usageError(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
