/** A pasted column, parsed before it is sent. */
export type Pasted = {
  values: string[];
  /** Values that occur more than once in the paste. */
  repeated: string[];
  refused: Array<{ line: number; text: string; why: string }>;
};

const maxLength = 512;

/**
 * Reads a pasted column: one value per line, the first of several columns. Trims values and removes the quotes that spreadsheets
 * add.
 */
export function readPasted(text: string, isExact: boolean): Pasted {
  const pasted: Pasted = { values: [], repeated: [], refused: [] };
  const seen = new Set<string>();
  for (const [at, row] of text.split(/\r\n|\r|\n/).entries()) {
    const cell = row.split("\t", 1)[0]!.trim();
    const value = /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"').trim() : cell;
    if (value === "") {
      // An empty line between values is reported; a paste usually ends with one.
      if (row.trim() !== "")
        pasted.refused.push({ line: at + 1, text: row.trim().slice(0, 40), why: "no value in the first column" });
      continue;
    }
    if (value.length > maxLength) {
      pasted.refused.push({ line: at + 1, text: `${value.slice(0, 40)}…`, why: `longer than ${maxLength} characters` });
      continue;
    }
    if (!value.isWellFormed()) {
      pasted.refused.push({
        line: at + 1,
        text: value.toWellFormed().slice(0, 40),
        why: "not valid text",
      });
      continue;
    }
    const key = isExact ? value.normalize("NFC") : value.normalize("NFC").toUpperCase().toLowerCase();
    if (seen.has(key)) pasted.repeated.push(value);
    else {
      seen.add(key);
      pasted.values.push(value);
    }
  }
  return pasted;
}
