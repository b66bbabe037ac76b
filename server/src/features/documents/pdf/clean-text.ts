/** Characters of a text that goes on paper; what is longer ends with an ellipsis. */
const maxLength = 4_000;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Direction marks, soft hyphens and variation selectors have no glyph of their own. ZWNJ and ZWJ shape Arabic letters and stay. */
const invisible = /(?![\u200C\u200D])[\p{Cf}\p{Variation_Selector}]/gu;

/** One line of text, or several if `keepsLines`, without control characters and broken surrogates. */
export function cleanText(text: string, { keepsLines = false } = {}): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return short
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replaceAll(keepsLines ? /(?!\n)\p{Cc}/gu : /\p{Cc}/gu, " ")
    .replaceAll(invisible, "")
    .trim();
}

/** Characters as a reader counts them: an emoji of several code points is one. */
export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}
