/** Texts are compared without regard to case and accents, as people type them. */
function fold(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase();
  // Upper case first: it folds pairs such as "ß" and "SS" that lower case alone keeps apart.
  return text.normalize("NFKD").toUpperCase().toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

const isPlain = /^[\x20-\x7e]*$/;
const isOneWord = /^[a-z0-9]{1,100}$/;
const edges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

function wordsOf(text: string): string[] {
  return fold(text)
    .split(/\s+/)
    .map((word) => (isOneWord.test(word) ? word : word.replaceAll(edges, "").slice(0, 100).toWellFormed()))
    .filter((word) => word !== "");
}

/** Everything that the texts are found by: each word, and what is left of it from each of its parts on. */
export function indexWords(texts: Iterable<string | null | undefined>): string[] {
  const words = new Set<string>();
  for (const text of texts) {
    for (const word of wordsOf(text ?? "")) {
      words.add(word);
      if (isOneWord.test(word)) continue;
      // "1042" and "so-1042" both find "#WEB-SO-1042", each as the beginning of something.
      for (const { index } of word.matchAll(/(?<=[^\p{L}\p{N}])[\p{L}\p{N}]{2}/gu)) words.add(word.slice(index));
    }
  }
  return [...words];
}

/** Begins every word of an organization in the index, so that the words of others are not even looked at. */
export function scopeWord(orgId: string, word: string): string {
  return orgId.slice(-6) + word;
}

const maxWords = 10;

export type WordQuery = {
  /** As a tsquery, the word that is probably in the fewest orders: the index is asked for this one alone. */
  rarest: string;
  /** As a tsquery, the other words, if there are any. */
  others: string | undefined;
};

/** For orders that have words beginning with each of these; undefined when the text has none. */
export function toWordQuery(orgId: string, text: string): WordQuery | undefined {
  const words = wordsOf(text).slice(0, maxWords);
  const terms = words.toSorted((a, b) => rarity(b) - rarity(a)).map((word) => toPrefix(scopeWord(orgId, word)));
  const [rarest, ...others] = terms;
  if (rarest === undefined) return undefined;
  return { rarest, others: others.length === 0 ? undefined : others.join(" & ") };
}

/** Numbers say more than names, and long words more than short ones. */
function rarity(word: string): number {
  return word.length + (/\p{N}/u.test(word) ? 100 : 0);
}

function toPrefix(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}':*`;
}
