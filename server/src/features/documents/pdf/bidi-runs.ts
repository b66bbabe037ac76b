import bidiFactory from "bidi-js";

/** A part of a line with one direction. `text` is in the order of reading. */
export type DirectedRun = { text: string; isRightToLeft: boolean };

const bidi = bidiFactory();
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** Whether the first letter with a direction is read from the right, as for a paragraph. */
export function isRightToLeftText(text: string): boolean {
  return hasRightToLeft(text) && bidi.getEmbeddingLevels(text, "auto").paragraphs[0]?.level === 1;
}

/** The parts of a line from left to right, by the Unicode bidirectional algorithm. Brackets in right-to-left parts are mirrored. */
export function visualRuns(line: string, isRightToLeftParagraph: boolean): DirectedRun[] {
  if (!hasRightToLeft(line) && !isRightToLeftParagraph) return [{ text: line, isRightToLeft: false }];
  const { levels } = bidi.getEmbeddingLevels(line, isRightToLeftParagraph ? "rtl" : "ltr");
  const mirrored = bidi.getMirroredCharactersMap(line, levels);
  const runs: Array<DirectedRun & { level: number }> = [];
  for (let at = 0; at < line.length; at++) {
    const level = levels[at]!;
    const char = mirrored.get(at) ?? line[at]!;
    const last = runs.at(-1);
    if (last && last.level === level) last.text += char;
    else runs.push({ text: char, isRightToLeft: level % 2 === 1, level });
  }
  // From the highest level down, reverse every sequence of runs that is at least at this level.
  const top = Math.max(...runs.map(({ level }) => level));
  for (let level = top; level >= 1; level--) {
    for (let from = 0; from < runs.length; from++) {
      if (runs[from]!.level < level) continue;
      let to = from;
      while (to < runs.length && runs[to]!.level >= level) to++;
      runs.splice(from, to - from, ...runs.slice(from, to).toReversed());
      from = to;
    }
  }
  return runs;
}
