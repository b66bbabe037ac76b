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
  const whole = new Set<string>();
  for (const text of texts) for (const word of wordsOf(text ?? "")) whole.add(word);
  const words = new Set(whole);
  let room = maxIndexed;
  for (const word of whole) room -= word.length + markLength;
  for (const word of whole) {
    if (isOneWord.test(word)) continue;
    // "1042" and "so-1042" both find "#WEB-SO-1042", each as the beginning of something.
    for (const { index } of word.matchAll(/(?<=[^\p{L}\p{N}])[\p{L}\p{N}]{2}/gu)) {
      room -= word.length - index + markLength;
      if (room > 0) words.add(word.slice(index));
    }
  }
  return withoutBeginnings(words);
}

/**
 * A tsvector holds 1 MiB, and a character takes up to three bytes of it. An order of a thousand lines has room for all its
 * words; only the parts of long ones may have to be left out.
 */
const maxIndexed = 300_000;

/** A word that another one begins with finds nothing that the other does not find. */
function withoutBeginnings(words: Set<string>): string[] {
  return [...words].toSorted().filter((word, i, all) => !all[i + 1]?.startsWith(word));
}

export const markLength = 6;

/** How a word stands in an order: behind a mark of the organization. */
export function scopeWord(orgId: string, word: string): string {
  return orgId.slice(-markLength) + word;
}

const maxWords = 10;

/** A word that orders are searched for; they have words that begin with it. */
export type SearchWord = {
  /** Words that begin with it are those from here on, by code point, until there; without an end if there is none. */
  from: string;
  until: string | undefined;
  /** The same as a tsquery. */
  term: string;
};

/** Undefined when the text has no word. */
export function toSearchWords(orgId: string, text: string): SearchWord[] | undefined {
  const words = withoutBeginnings(new Set(wordsOf(text).slice(0, maxWords)));
  if (words.length === 0) return undefined;
  return words.map((word) => ({ from: word, until: endOf(word), term: toPrefix(scopeWord(orgId, word)) }));
}

/** The least text above all that begin with this one: its last character that has a next one, moved on by one. */
function endOf(word: string): string | undefined {
  const points = Array.from(word, (character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // What lies between is no character by itself.
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
}

function toPrefix(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}':*`;
}
