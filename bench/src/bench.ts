/** A benchmark of `npm run bench`. */
export type Bench = {
  /** Name on the command line. */
  name: string;
  /** The requirement in words. */
  bar: string;
  run(): Promise<Figure[]>;
};

/** One line of the report. Without a limit it is informational. */
export type Figure = {
  what: string;
  unit: string;
  ours: number;
  /** Cost of the same work without the hub, measured in the same minute. */
  floor?: number;
  /** ours / floor, when measured round by round, which is more stable than the ratio of two medians. */
  ratio?: number;
  limit?: Limit;
};

/** Absolute limits apply to `ours`, all others to `ratio`. */
export type Limit = { on: "ours" | "ratio"; atMost: number } | { on: "ours" | "ratio"; atLeast: number };

export function ratioOf({ ours, floor, ratio }: Figure): number | undefined {
  return ratio ?? (floor === undefined ? undefined : ours / floor);
}

/** Undefined: no limit. */
export function isMet(figure: Figure): boolean | undefined {
  const { limit } = figure;
  if (!limit) return undefined;
  const value = limit.on === "ours" ? figure.ours : ratioOf(figure);
  if (value === undefined) throw new Error(`${figure.what}: a limit on the ratio needs a floor`);
  return "atMost" in limit ? value <= limit.atMost : value >= limit.atLeast;
}

/** The value that this share of the sample does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))]!;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
