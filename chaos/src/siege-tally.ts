import type { Answer } from "./siege-wire.ts";

/** What became of the requests of one kind. */
export type Outcome = {
  sent: number;
  statuses: Record<string, number>;
  /** The connection went away before the answer had come. */
  cut: number;
};

/** By the name of what was done. `violations`: answers that nobody may get. */
export type Tally = { outcomes: Record<string, Outcome>; violations: string[]; lateMs: number[] };

const keptViolations = 50;

export function createTally() {
  const tally: Tally = { outcomes: {}, violations: [], lateMs: [] };
  const outcomeOf = (name: string): Outcome => (tally.outcomes[name] ??= { sent: 0, statuses: {}, cut: 0 });
  return {
    tally,
    sent: (name: string) => void outcomeOf(name).sent++,
    cut: (name: string) => void outcomeOf(name).cut++,
    answered(name: string, { status, hasRetryAfter, head }: Answer) {
      const { statuses } = outcomeOf(name);
      statuses[status] = (statuses[status] ?? 0) + 1;
      // Whoever is refused for now has to be told when to come back; nothing else of ours may fail.
      const isFine = status < 500 ? status !== 429 || hasRetryAfter : status === 503 && hasRetryAfter;
      if (!isFine && tally.violations.length < keptViolations) tally.violations.push(`${name}: ${head.slice(0, 300)}`);
    },
  };
}

export type TallyKeeper = ReturnType<typeof createTally>;

export function addUp(tallies: Tally[]): Tally {
  const sum: Tally = { outcomes: {}, violations: tallies.flatMap(({ violations }) => violations), lateMs: [] };
  for (const { outcomes, lateMs } of tallies) {
    sum.lateMs.push(...lateMs);
    for (const [name, { sent, statuses, cut }] of Object.entries(outcomes)) {
      const known = (sum.outcomes[name] ??= { sent: 0, statuses: {}, cut: 0 });
      known.sent += sent;
      known.cut += cut;
      for (const [status, count] of Object.entries(statuses)) {
        known.statuses[status] = (known.statuses[status] ?? 0) + count;
      }
    }
  }
  return sum;
}

/** The value that this share of them does not exceed; 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
