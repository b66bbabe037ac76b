import type { Order } from "../order.ts";

/** Letters that Unicode does not decompose, as typed on keyboards without them. */
const plainLetters = new Map(
  Object.entries({ ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ŧ: "t", ı: "i" }),
);
const oddLetters = new RegExp(`[${[...plainLetters.keys()].join("")}]`, "gu");
const apostrophes = /[‘’‛ʹʻʼˈ´\u1ffd`′＇｀]/gu;
const isPlain = /^[\x20-\x5f\x61-\x7e]*$/;

/** Folds case and accents. */
function fold(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase();
  // Upper case first: it folds pairs that lower case keeps distinct.
  const folded = text.replaceAll(apostrophes, "'").normalize("NFKD").toUpperCase().toLowerCase().normalize("NFKD");
  return (
    folded
      .replaceAll(/\p{M}/gu, "")
      // Some result from decomposition: "ŉ", "″".
      .replaceAll(apostrophes, "'")
      .replaceAll(oddLetters, (letter) => plainLetters.get(letter)!)
  );
}

const isOnePart = /^[a-z0-9]{1,100}$/;
const edges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
const maxWordLength = 100;

/** Words with their apostrophes, which end a part of a word and are removed for comparison. */
function wordsOf(text: string): string[] {
  return fold(text)
    .split(/\s+/)
    .map((word) => (isOnePart.test(word) ? word : word.replaceAll(edges, "").slice(0, maxWordLength).toWellFormed()))
    .filter((word) => word !== "");
}

function bare(word: string): string {
  return word.replaceAll("'", "");
}

/** The suffixes of a word at its parts, so that "1042" and "so-1042" both find "#WEB-SO-1042". */
function tailsOf(word: string): string[] {
  if (isOnePart.test(word)) return [];
  const starts = word.matchAll(/(?<=[^\p{L}\p{N}])[\p{L}\p{N}]{2}/gu);
  return Array.from(starts, ({ index }) => bare(word.slice(index)));
}

/**
 * Common prefixes are stored as entries, so that one lookup replaces a scan of all words with the prefix. Words with a digit are
 * rare enough without.
 */
const isStored = /^\D{3,8}$/;

/**
 * A tsvector holds 1 MiB, and a character takes up to three bytes. The SKUs of three thousand lines fit; some long names, prefixes
 * and suffixes may be dropped.
 */
const maxIndexed = 300_000;

type Texts = Iterable<string | null | undefined>;
/** Visibility of a word: all readers of orders, or only those with pii:read. `n`: ends of numbers. */
type Kind = "o" | "p" | "n";

/** All search entries for these texts, prefixed to separate organizations and visibility. Of `n` only the ends of digits. */
export function indexWords(orgId: string, texts: { o: Texts; p: Texts; n?: Texts }): string[] {
  const found = new Set<string>();
  let room = maxIndexed;
  const add = (word: string): void => {
    const before = found.size;
    if (room >= word.length && found.add(word).size > before) room -= word.length;
  };
  for (const kind of ["p", "o"] as const) {
    const mark = markOf(orgId, kind);
    const addBeginnings = (word: string): void => {
      for (let length = 3; length < word.length && isStored.test(word.slice(0, length)); length++) {
        add(mark + word.slice(0, length).toWellFormed());
      }
    };
    const words = new Set<string>();
    for (const text of texts[kind]) for (const word of wordsOf(text ?? "")) words.add(word);
    const whole = Array.from(words, bare);
    for (const word of whole) add(mark + word);
    for (const word of whole) addBeginnings(word);
    for (const word of words) {
      for (const tail of tailsOf(word)) {
        add(mark + tail);
        addBeginnings(tail);
      }
    }
  }
  for (const number of texts.n ?? []) for (const end of endsOf(number ?? "")) add(markOf(orgId, "n") + end);
  return [...found];
}

/** The shortest text that is searched inside numbers. */
const shortestInside = 3;

/**
 * The ends of each run of digits, without the whole: a search for their beginning finds digits inside a number. Migration 0069 does
 * the same in SQL.
 */
function endsOf(number: string): string[] {
  return Array.from(number.matchAll(/[0-9]+/g)).flatMap(([digits]) =>
    Array.from({ length: Math.max(0, digits.length - shortestInside) }, (_, at) => digits.slice(at + 1)),
  );
}

function markOf(orgId: string, kind: Kind): string {
  return orgId.slice(-4) + kind;
}

/** A search matches all words within one part. Fields that change often form a separate, short part. */
export const searchParts = [
  {
    fields: ["number", "externalId", "customer", "shippingAddress", "billingAddress", "lines", "poNumber", "payment"],
    texts: ({
      number,
      externalId,
      customer,
      shippingAddress: address,
      billingAddress,
      lines,
      poNumber,
      payment,
    }: Order) => ({
      p: [customer.name, customer.email, customer.id, address?.name, billingAddress?.name],
      o: [
        number,
        externalId,
        poNumber,
        payment.reference,
        address?.company,
        address?.city,
        address?.zip,
        ...skusThenNames(lines),
      ],
    }),
  },
  {
    fields: ["tags", "shipments"],
    texts: ({ tags, shipments }: Order) => ({ p: [], o: [...tags, ...shipments.map((s) => s.trackingNumber)] }),
  },
  // Apart from the other words, so that a migration could add it to all orders without rewriting these.
  { fields: ["number"], texts: ({ number }: Order) => ({ p: [], o: [], n: [number] }) },
] as const;

/** SKUs first, in case there are too many words. */
function skusThenNames(lines: Order["lines"]): (string | undefined)[] {
  return [...lines.map(({ sku }) => sku), ...lines.map(({ name }) => name)];
}

const maxWords = 10;

/** A tsquery for orders with words that start with all words of the text. Empty texts match nothing. */
export function toSearchQuery(orgId: string, text: string, mayFindPersons: boolean): string {
  const words = new Set(wordsOf(text).slice(0, maxWords).map(bare));
  const kinds: Kind[] = mayFindPersons ? ["o", "p"] : ["o"];
  const terms = Array.from(words, (word) => {
    const how = isStored.test(word) ? "" : ":*";
    const isInside = /^[0-9]+$/.test(word) && word.length >= shortestInside;
    const searched: Kind[] = isInside ? [...kinds, "n"] : kinds;
    return `(${searched.map((kind) => quote(markOf(orgId, kind) + word) + how).join(" | ")})`;
  });
  return terms.join(" & ");
}

function quote(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
