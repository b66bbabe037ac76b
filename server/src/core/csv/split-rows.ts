/** A row of a file, or why it cannot be read: then `cells` is the raw line, split at every delimiter. */
export type SplitRow = {
  cells: string[];
  /** Position after the row. */
  next: number;
  problem?: string;
  /** Each of its lines could be a row: an extra quotation mark may have joined them. */
  mayHoldRows?: true;
};

/**
 * How quotation marks are read. strict: quoted as in RFC 4180, or an error. lenient: a cell that is quoted in another way is
 * literal text. literal: quotation marks have no meaning.
 */
export type Quoting = "strict" | "lenient" | "literal";

const maxRowLength = 1024 * 1024;
const maxShownLine = 10_000;

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * The row that starts at `from`. A row that cannot be read ends at its line break, so a stray quotation mark affects one row only.
 * The time is linear: a failed search for a closing mark ends at a mark from which no later row searches again.
 */
export function splitRow(text: string, from: number, delimiter: string, quoting: Quoting): SplitRow {
  const separator = delimiter.charCodeAt(0);
  const cells: string[] = [];
  let at = from;
  let hasLines = false;
  for (;;) {
    const closed = quoting !== "literal" && text.charCodeAt(at) === quote ? closeOf(text, at, separator) : undefined;
    if (closed !== undefined) {
      const cell = text.slice(at + 1, closed);
      cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell);
      hasLines ||= /[\r\n]/.test(cell);
      at = closed + 1;
    } else {
      const end = endOf(text, at, separator);
      const cell = text.slice(at, end);
      if (quoting === "strict" && cell.includes('"')) return unreadable(text, from, delimiter, strayQuote);
      cells.push(cell);
      at = end;
    }
    if (text.charCodeAt(at) !== separator) break;
    at++;
  }
  if (at - from > maxRowLength)
    return unreadable(text, from, delimiter, `The row has more than ${maxRowLength} characters.`);
  const row: SplitRow = { cells, next: behindLine(text, at) };
  if (hasLines && cells.length > 1 && isOfRows(text.slice(from, at), delimiter, cells.length)) row.mayHoldRows = true;
  return row;
}

const strayQuote =
  'A quotation mark stands where none can be. Put the cell in quotation marks and double those in it: "55"" screen".';

/** The end of a quoted cell: a closing mark before a delimiter or line break. */
function closeOf(text: string, from: number, separator: number): number | undefined {
  for (let at = from + 1; ;) {
    const found = text.indexOf('"', at);
    if (found === -1 || found - from > maxRowLength) return undefined;
    const after = text.charCodeAt(found + 1);
    if (after !== quote) {
      const isEnd = Number.isNaN(after) || after === separator || after === lineFeed || after === carriageReturn;
      return isEnd ? found : undefined;
    }
    at = found + 2;
  }
}

function endOf(text: string, from: number, separator: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === separator || code === lineFeed || code === carriageReturn) break;
  }
  return at;
}

function behindLine(text: string, at: number): number {
  return text.charCodeAt(at) === carriageReturn && text.charCodeAt(at + 1) === lineFeed ? at + 2 : at + 1;
}

function unreadable(text: string, from: number, delimiter: string, problem: string): SplitRow {
  const end = endOf(text, from, lineFeed);
  const cells = text
    .slice(from, Math.min(end, from + maxShownLine))
    .toWellFormed()
    .split(delimiter);
  return { cells, next: behindLine(text, end), problem };
}

function isOfRows(text: string, delimiter: string, width: number): boolean {
  return text.split(/\r\n|[\r\n]/).every((line) => line.split(delimiter).length === width);
}
