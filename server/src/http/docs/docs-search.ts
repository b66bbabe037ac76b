import type { DocsSource } from "./made-pages.ts";
import type { Section } from "./render-markdown.ts";

/** Pages by number, and their sections: page, anchor, heading, words of the text. */
export type SearchData = {
  pages: [address: string, title: string][];
  sections: [page: number, anchor: string, heading: string, words: string][];
};

/** Long generated or historical pages: found by their headings alone. */
const byHeadingOnly = /^(?:docs\/(?:decisions|schema|promises|events\/)|CHANGELOG|bench\/)/;
/** A word in more than this share of the sections does not tell them apart. */
const maxShare = 0.08;
const word = /[\p{L}\p{N}][\p{L}\p{N}_.-]*[\p{L}\p{N}]/gu;

/** What the search of the site reads: small, since browsers load it whole with the first search. */
export function makeSearchData(pages: readonly { source: DocsSource; sections: readonly Section[] }[]): SearchData {
  const all = pages.flatMap(({ source, sections }, page) =>
    sections.map((section) => {
      const text = byHeadingOnly.test(source.file) ? "" : section.words.toLowerCase();
      return { page, section, words: new Set(text.match(word) ?? []) };
    }),
  );
  const uses = new Map<string, number>();
  for (const { words } of all) for (const one of words) uses.set(one, (uses.get(one) ?? 0) + 1);
  const limit = Math.max(3, all.length * maxShare);
  return {
    pages: pages.map(({ source }) => [source.address, source.title]),
    sections: all.map(({ page, section, words }) => [
      page,
      section.depth === 1 ? "" : section.id,
      section.text,
      [...words].filter((one) => one.length > 2 && uses.get(one)! <= limit).join(" "),
    ]),
  };
}
