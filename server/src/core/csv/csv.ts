import { setImmediate as nextTurn } from "node:timers/promises";
import type { Quoting } from "./split-rows.ts";
import { splitRow } from "./split-rows.ts";
import type { Cell } from "./xlsx.ts";

export const delimiters = { comma: ",", semicolon: ";", tab: "\t" } as const;

/** The delimiter is detected in this many characters of the header. */
const longestHeader = 64 * 1024;

/** The delimiter that occurs most often outside of quotes in the first line. */
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

/** Longest time on the event loop before other work gets it. */
const sliceMs = 5;
/** Same limit as for workbooks: each column costs time in each row. */
const maxColumns = 1_000;

/** All rows, including blank ones. Yields to the event loop every few milliseconds. */
export async function* streamRows(
  text: string,
  delimiter: string,
  { maxRows = Infinity, quoting = quotingOf(delimiter) }: RowOptions = {},
): AsyncGenerator<BareRow> {
  let count = 0;
  let since = performance.now();
  for (let at = text.startsWith("\uFEFF") ? 1 : 0; at < text.length;) {
    if (++count > maxRows) throw new MalformedCsv(`There are more than ${maxRows} rows; split the file.`);
    const { next, ...row } = splitRow(text, at, delimiter, quoting);
    yield row.cells.length > maxColumns ? cutAtMost(row) : row;
    at = next;
    if (performance.now() - since < sliceMs) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** Some programs end each row with thousands of separators. */
function cutAtMost({ cells, ...row }: BareRow): BareRow {
  const read = { ...row, cells: cells.slice(0, maxColumns) };
  if (row.problem !== undefined || isBlank(cells.slice(maxColumns))) return read;
  return { ...read, problem: `The row has ${cells.length} columns; at most ${maxColumns} are read.` };
}

export type RowOptions = { maxRows?: number | undefined; quoting?: Quoting };

/** Programs that write tab-separated files quote nothing, and a value may start with a quotation mark; spreadsheets do quote. */
function quotingOf(delimiter: string): Quoting {
  return delimiter === delimiters.tab ? "lenient" : "strict";
}

/**
 * With the row number that a spreadsheet shows. `problem`: why the row cannot be read; `cells` is then its raw text;
 * `mayHoldRows`: an extra quotation mark may have joined several rows.
 */
export type Row = BareRow & { number: number };
export type BareRow = { cells: string[]; problem?: string; mayHoldRows?: true };

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** The rows that are not blank. */
export async function* numberRows(rows: AsyncIterable<BareRow>): AsyncGenerator<Row> {
  let number = 0;
  for await (const row of rows) {
    number++;
    if (!isBlank(row.cells)) yield { number, ...row };
  }
}

export function readRows(text: string, delimiter: string, options?: RowOptions): AsyncGenerator<Row> {
  return numberRows(streamRows(text, delimiter, options));
}

/** Throws at the first row that cannot be read. */
export async function* readSoundRows(text: string, delimiter: string, options?: RowOptions): AsyncGenerator<Row> {
  for await (const row of readRows(text, delimiter, options)) {
    if (row.problem !== undefined) throw new MalformedCsv(`Row ${row.number}: ${row.problem}`);
    yield row;
  }
}

const plainNumber = /^[+-]?\d+(?:[.,]\d+)?$/;

// Some spreadsheets also evaluate full-width characters, and text after a line break.
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Whether a cell needs the guard: it would be run as a formula, or lose leading or trailing whitespace. Quotes do not count. */
function isDelicate(text: string): boolean {
  const bare = text.replace(/^'+/, "");
  return formula.test(bare) || bare.trim() !== bare;
}

/**
 * Prefixes a text that a spreadsheet would run as a formula with a single quote; numbers are not changed. The quote also keeps
 * whitespace around a text, which is trimmed without it. A text that starts with a quote gets another one, which `textOfCell`
 * removes.
 */
export function guardText(text: string): string {
  return isDelicate(text) && !plainNumber.test(text) ? `'${text}` : text;
}

/** The text of a cell: trimmed, or without the quote of `guardText`, so that exported files can be imported. */
export function textOfCell(cell: string): string {
  if (isGuarded(cell)) return cell.slice(1);
  const text = cell.trim();
  return isGuarded(text) ? text.slice(1) : text;
}

function isGuarded(cell: string): boolean {
  return cell.startsWith("'") && isDelicate(cell);
}

/** Guards a cell of the input that is returned as it came, so that it is read the same way again. */
export function guardCell(cell: string): string {
  return guardText(textOfCell(cell));
}

/** The text of an exported value. */
export function toCell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return value.day;
  if (typeof value === "number") return writeNumber(value);
  return typeof value === "string" ? guardText(value) : String(value);
}

/** Without an exponent: spreadsheets misread 1e-7. */
function writeNumber(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 }) : text;
}

/** A spreadsheet may expect another delimiter: it would read `x;=1+1` as a cell with a formula. */
const splitting = /["\r\n,;\t|]/;

/**
 * Rows as CSV with the line ends of RFC 4180. The caller guards untrusted texts. Not a library: exports have millions of cells,
 * and the libraries measured take several times as long per cell.
 */
export function toCsv(rows: readonly (readonly string[])[], delimiter = ","): string {
  let text = "";
  for (const cells of rows) text += `${cells.map(quoteCell).join(delimiter)}\r\n`;
  return text;
}

/** Tab-separated without quotes: a cell cannot contain a tab or a line break. */
export function toTabs(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, " ")).join("\t")}\r\n`).join("");
}

function quoteCell(cell: string): string {
  return splitting.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
