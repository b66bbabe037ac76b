import type { PDFDocument, PDFFont, PDFHexString } from "@cantoo/pdf-lib";
import { create } from "@cantoo/fontkit";
import { hasRightToLeft, visualRuns } from "./bidi-runs.ts";
import { graphemesOf } from "./clean-text.ts";
import type { Weight } from "./font-files.ts";
import { fontCount, readFont } from "./font-files.ts";

/** A string of glyphs of one font. `width`: in thousandths of the font size. */
type GlyphRun = { font: PDFFont; codes: PDFHexString; width: number };

/** All fonts of a document in one weight. Only fonts and glyphs that are used become part of the file. */
export type FontSet = {
  /** Loads the fonts for the characters of a text, which must happen before it is measured or drawn. */
  prepare(text: string): Promise<void>;
  /** Glyphs of a line from left to right. */
  shape(line: string, isRightToLeftParagraph: boolean): GlyphRun[];
  /** In thousandths of the font size. */
  widthOf(text: string): number;
};

/** Drawn for characters that no font has, such as emoji. */
const substitute = "\uFFFD";
/** Shaped texts that are kept: words and headings repeat on every page. */
const maxKept = 20_000;

/** Characters of each font, by weight and index. Kept for the life of the process; the files are read again when they are used. */
const coverages = new Map<string, ReadonlySet<number>>();

async function coverageOf(index: number, weight: Weight): Promise<ReadonlySet<number>> {
  const key = `${weight} ${index}`;
  const known = coverages.get(key);
  if (known) return known;
  const font = create(await readFont(index, weight));
  if (!("characterSet" in font)) throw new Error("A font collection in place of a font.");
  const found = new Set(font.characterSet);
  coverages.set(key, found);
  return found;
}

export function createFontSet(document: PDFDocument, weight: Weight): FontSet {
  const fonts = new Map<number, PDFFont>();
  const coverage = new Map<number, ReadonlySet<number>>();
  const prepared = new Set<number>();
  const kept = new Map<string, GlyphRun[]>();

  async function use(index: number): Promise<void> {
    fonts.set(index, await document.embedFont(await readFont(index, weight), { subset: true }));
    coverage.set(index, await coverageOf(index, weight));
  }

  async function prepare(text: string): Promise<void> {
    if (fonts.size === 0) await use(0);
    for (const char of text) {
      const code = char.codePointAt(0)!;
      if (prepared.has(code)) continue;
      prepared.add(code);
      if ([...coverage.values()].some((codes) => codes.has(code))) continue;
      for (let index = 1; index < fontCount; index++) {
        if (fonts.has(index) || !(await coverageOf(index, weight)).has(code)) continue;
        await use(index);
        break;
      }
    }
  }

  const hasAll = (index: number, text: string): boolean =>
    Array.from(text, (char) => char.codePointAt(0)!).every((code) => coverage.get(index)!.has(code));

  /** Parts of a text with one font each. A space or comma stays with the font of the characters before it. */
  function split(text: string): Array<{ font: PDFFont; text: string }> {
    const parts: Array<{ index: number; text: string }> = [];
    const order = [...fonts.keys()].toSorted((a, b) => a - b);
    for (const grapheme of graphemesOf(text)) {
      const last = parts.at(-1);
      const isNeutral = !/[\p{L}\p{N}\p{M}]/u.test(grapheme);
      const isFollowing = isNeutral && last !== undefined && hasAll(last.index, grapheme);
      const found = isFollowing ? last.index : order.find((index) => hasAll(index, grapheme));
      const [index, shown] = found === undefined ? [0, substitute] : [found, grapheme];
      if (last?.index === index) last.text += shown;
      else parts.push({ index, text: shown });
    }
    return parts.map(({ index, text: part }) => ({ font: fonts.get(index)!, text: part }));
  }

  function shapeRun(text: string, isRightToLeft: boolean): GlyphRun[] {
    const key = `${isRightToLeft ? "<" : ">"}${text}`;
    const known = kept.get(key);
    if (known) return known;
    const parts = split(text).map(({ font, text: part }) => {
      // The font library puts right-to-left letters in visual order itself, but not signs on their own.
      const shown = isRightToLeft && !hasRightToLeft(part) ? graphemesOf(part).toReversed().join("") : part;
      return { font, codes: font.encodeText(shown), width: font.widthOfTextAtSize(shown, 1_000) };
    });
    const shaped = isRightToLeft ? parts.toReversed() : parts;
    if (kept.size >= maxKept) kept.clear();
    kept.set(key, shaped);
    return shaped;
  }

  const shape: FontSet["shape"] = (line, isRightToLeftParagraph) =>
    visualRuns(line, isRightToLeftParagraph).flatMap(({ text, isRightToLeft }) => shapeRun(text, isRightToLeft));
  return { prepare, shape, widthOf: (text) => shape(text, false).reduce((sum, { width }) => sum + width, 0) };
}
