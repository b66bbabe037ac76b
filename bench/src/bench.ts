/** One thing that `npm run bench` measures. */
export type Bench = {
  /** Names it on the command line. */
  name: string;
  /** What it promises, in words. */
  bar: string;
  run(): Promise<Figure[]>;
};

/** One line of the table. Without a bar it is for information. */
export type Figure = {
  what: string;
  unit: string;
  ours: number;
  /** The least that the same work costs without the hub, measured in the same minute. */
  floor?: number;
  /** Ours : floor. Given when it was taken round by round, which is steadier than the ratio of two medians. */
  ratio?: number;
  limit?: Limit;
};

/** Absolute limits are on `ours`; all others are on `ratio`. */
export type Limit = { on: "ours" | "ratio"; atMost: number } | { on: "ours" | "ratio"; atLeast: number };

export function ratioOf({ ours, floor, ratio }: Figure): number | undefined {
  return ratio ?? (floor === undefined ? undefined : ours / floor);
}

/** Undefined: this figure has nothing to meet. */
export function isMet(figure: Figure): boolean | undefined {
  const { limit } = figure;
  if (!limit) return undefined;
  const value = limit.on === "ours" ? figure.ours : ratioOf(figure);
  if (value === undefined) throw new Error(`${figure.what}: a limit on the ratio needs a floor`);
  return "atMost" in limit ? value <= limit.atMost : value >= limit.atLeast;
}

/** The value that so many of a hundred do not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))]!;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
