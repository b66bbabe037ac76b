const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * Rank of a name for the typed text, 0 is best: exact, prefix, whole word, word prefix, substring. Undefined: a typed word is
 * missing.
 */
export function nameRank(name: string, typed: string): number | undefined {
  const words = wordsIn(name);
  const wanted = wordsIn(typed);
  const whole = words.join(" ");
  const phrase = wanted.join(" ");
  if (whole === phrase) return 0;
  if (whole.startsWith(phrase)) return 1;
  const ranks = wanted.map((one) => {
    if (words.includes(one)) return 2;
    if (words.some((word) => word.startsWith(one))) return 3;
    return whole.includes(one) ? 4 : undefined;
  });
  return ranks.includes(undefined) ? undefined : Math.max(...(ranks as number[]));
}
