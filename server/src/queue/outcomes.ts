/** Outcomes of time slices in this process since it started, by kind of work. */
export type Outcome = "done" | "yield" | "interrupted" | "failed" | "given_up";

const counts = new WeakMap<object, Map<string, number>>();

/** `surface`: the database of the live hub or of the preview, which tells their counts apart. */
export function countOutcome(surface: object, work: string, outcome: Outcome): void {
  const known = counts.get(surface) ?? new Map<string, number>();
  counts.set(surface, known);
  const key = `${work}|${outcome}`;
  known.set(key, (known.get(key) ?? 0) + 1);
}

export function outcomesOf(surface: object): { work: string; outcome: string; count: number }[] {
  return [...(counts.get(surface) ?? [])].map(([key, count]) => {
    const [work = "", outcome = ""] = key.split("|");
    return { work, outcome, count };
  });
}
