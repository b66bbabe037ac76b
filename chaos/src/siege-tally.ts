import type { Response } from "./siege-wire.ts";

/** The outcomes of one kind of attack. */
export type Outcome = {
  sent: number;
  statuses: Record<string, number>;
  /** Disconnected before the response. */
  cut: number;
};

/** By the name of the attack. `violations`: responses that must not occur. */
export type Tally = { outcomes: Record<string, Outcome>; violations: string[] };

const keptViolations = 50;

export function createTally() {
  const tally: Tally = { outcomes: {}, violations: [] };
  const outcomeOf = (name: string): Outcome => (tally.outcomes[name] ??= { sent: 0, statuses: {}, cut: 0 });
  return {
    tally,
    sent: (name: string) => void outcomeOf(name).sent++,
    cut: (name: string) => void outcomeOf(name).cut++,
    answered(name: string, { status, hasRetryAfter, head }: Response) {
      const { statuses } = outcomeOf(name);
      statuses[status] = (statuses[status] ?? 0) + 1;
      // A refused client must learn when to retry; no other server error may occur.
      const isFine = status < 500 ? status !== 429 || hasRetryAfter : status === 503 && hasRetryAfter;
      if (!isFine && tally.violations.length < keptViolations) tally.violations.push(`${name}: ${head.slice(0, 300)}`);
    },
  };
}

export type TallyKeeper = ReturnType<typeof createTally>;

/** The value that this share of them does not exceed; 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
