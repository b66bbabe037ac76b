import { graphemesOf } from "./clean-text.ts";

/** Places where a line may end: after spaces and hyphens, and around Chinese characters and kana. */
const pieces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}][、。，．！？」』）]*|[^\s\-/\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]*(?:[-/]+|\s+|$|(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]))/gu;

/** Lines of at most `width`. What cannot be broken at a space is broken anywhere; what is left after `maxLines` ends in "…". */
export function wrapText(
  text: string,
  { width, maxLines, widthOf }: { width: number; maxLines: number; widthOf(text: string): number },
): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    wrapParagraph(paragraph, width, widthOf, lines, maxLines);
    if (lines.length > maxLines) break;
  }
  if (lines.length <= maxLines) return lines;
  const shown = lines.slice(0, maxLines);
  shown[maxLines - 1] = shorten(shown[maxLines - 1]!, width, widthOf);
  return shown;
}

/** Stops one line after the last that is shown, so that a long text is not measured to its end. */
function wrapParagraph(
  paragraph: string,
  width: number,
  widthOf: (text: string) => number,
  lines: string[],
  maxLines: number,
): void {
  let line = "";
  let used = 0;
  const flush = (): void => {
    lines.push(line.trimEnd());
    line = "";
    used = 0;
  };
  for (const [piece] of paragraph.matchAll(pieces)) {
    if (piece === "") continue;
    if (lines.length > maxLines) return;
    const needed = widthOf(piece.trimEnd());
    if (line !== "" && used + needed > width) flush();
    if (needed <= width) {
      line += piece;
      used += widthOf(piece);
      continue;
    }
    for (const grapheme of graphemesOf(piece)) {
      const wide = widthOf(grapheme);
      if (line !== "" && used + wide > width) flush();
      if (lines.length > maxLines) return;
      line += grapheme;
      used += wide;
    }
  }
  flush();
}

/** The text with "…" at its end, cut so that both fit. */
function shorten(text: string, width: number, widthOf: (text: string) => number): string {
  const kept = graphemesOf(text);
  while (kept.length > 0 && widthOf(`${kept.join("")}…`) > width) kept.pop();
  return `${kept.join("").trimEnd()}…`;
}
