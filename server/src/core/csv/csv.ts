import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Options } from "csv-parse";
import { CsvError, parse } from "csv-parse";
import type { Cell } from "./xlsx.ts";

export const delimiters = { comma: ",", semicolon: ";", tab: "\t" } as const;

/** Names of columns that are longer together say nothing more about what separates them. */
const longestHeader = 64 * 1024;

/** What separates the columns, by what the first line has most of outside of quotes. */
export function detectDelimiter(text: string): string {
  const counts = { ",": 0, ";": 0, "\t": 0 };
  let isQuoted = false;
  for (const character of text.slice(0, longestHeader)) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "\n" || character === "\r")) {
      if (Object.values(counts).some((count) => count > 0)) break;
    } else if (!isQuoted && character in counts) counts[character as keyof typeof counts]++;
  }
  const [best] = Object.entries(counts).toSorted(([, a], [, b]) => b - a) as [[string, number]];
  return best[0];
}

export class MalformedCsv extends Error {}

/** Parsed at once; the rows of it are read one by one. */
const chunkSize = 8 * 1024;
const maxRecordBytes = 1024 * 1024;
/** Read without a turn for others. */
const portionMs = 5;
/** As many as are read of a workbook. Each column is looked at for each row. */
const maxColumns = 1_000;

/** A file that is being read, row by row. */
export type CsvRows = { delimiter: string; rows: AsyncIterable<string[]> };

/** All rows, blank ones too. Yields to the event loop every few milliseconds. */
export async function* streamCsv(text: string, delimiter: string, maxRows = Infinity): AsyncGenerator<string[]> {
  const options: Options = {
    delimiter,
    // Said outright: else the first line decides, and of a file put together from two the rest would be one long row.
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: false,
    max_record_size: maxRecordBytes,
  };
  let count = 0;
  let since = performance.now();
  try {
    const parser = Readable.from(chunksOf(text.replace(/^\uFEFF/, ""))).pipe(parse(options));
    for await (const row of parser as AsyncIterable<string[]>) {
      if (++count > maxRows) throw new MalformedCsv(`There are more than ${maxRows} rows; split the file.`);
      yield row.length > maxColumns ? withoutBlankEnd(row, count) : row;
      if (performance.now() - since < portionMs) continue;
      // The stream itself never leaves the event loop to others: all of it is here already.
      await nextTurn();
      since = performance.now();
    }
  } catch (error) {
    throw error instanceof CsvError ? new MalformedCsv(error.message) : error;
  }
}

/** Some programs end each row with thousands of separators. */
function withoutBlankEnd(row: string[], number: number): string[] {
  if (isBlank(row.slice(maxColumns))) return row.slice(0, maxColumns);
  throw new MalformedCsv(`Row ${number} has ${row.length} columns; at most ${maxColumns} are read.`);
}

/** With the number that a spreadsheet shows for it. */
export type Row = { number: number; cells: string[] };

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** Those that are not blank. */
export async function* readRows(rows: AsyncIterable<string[]>): AsyncGenerator<Row> {
  let number = 0;
  for await (const cells of rows) {
    number++;
    if (!isBlank(cells)) yield { number, cells };
  }
}

/** Never through a character of two units: each half would become another character. */
function* chunksOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const isCut = /^[\uDC00-\uDFFF]/.test(text.charAt(from + chunkSize));
    const to = from + chunkSize + (isCut ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}

const plainNumber = /^[+-]?\d+(?:[.,]\d+)?$/;

// Some also take the wide forms, and what stands behind a line break.
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Whether a cell needs the guard: it would be run as a formula, or lose blanks that belong to it. Its quotes do not count. */
function isDelicate(text: string): boolean {
  const bare = text.replace(/^'+/, "");
  return formula.test(bare) || bare.trim() !== bare;
}

/**
 * A spreadsheet would run such a text as a formula; the quote makes it a text again. Numbers are left alone. It also keeps
 * blanks and line breaks around a text, which are cut off from cells without it. A text that has such a quote of its own
 * gets another one, which is the one that `textOfCell` takes away.
 */
export function guardText(text: string): string {
  return isDelicate(text) && !plainNumber.test(text) ? `'${text}` : text;
}

/** What a cell says: without the blanks around it, or as `guardText` wrote it, so that what was exported can be imported. */
export function textOfCell(cell: string): string {
  if (isGuarded(cell)) return cell.slice(1);
  const text = cell.trim();
  return isGuarded(text) ? text.slice(1) : text;
}

function isGuarded(cell: string): boolean {
  return cell.startsWith("'") && isDelicate(cell);
}

/** For a cell that is given back as it came: what it means when it is read again stays the same. */
export function guardCell(cell: string): string {
  return guardText(textOfCell(cell));
}

/** What a cell of an export says. */
export function toCell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return value.day;
  if (typeof value === "number") return writeNumber(value);
  return typeof value === "string" ? guardText(value) : String(value);
}

/** Never as 1e-7, which no spreadsheet would read as it was meant. */
function writeNumber(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 }) : text;
}

/** A spreadsheet may take another delimiter than ours: in `x;=1+1` it would find a cell that is a formula. */
const splitting = /["\r\n,;\t|]/;

/**
 * Rows of text, ended as RFC 4180 wants it. Texts that may come from strangers have to be guarded by the caller. By hand:
 * exports have millions of cells, and libraries that can do more take several times as long for each.
 */
export function toCsv(rows: readonly (readonly string[])[], delimiter = ","): string {
  let text = "";
  for (const cells of rows) text += `${cells.map(quoteCell).join(delimiter)}\r\n`;
  return text;
}

function quoteCell(cell: string): string {
  return splitting.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
