import { setImmediate as nextTurn } from "node:timers/promises";
import type { Quoting } from "./split-rows.ts";
import { splitRow } from "./split-rows.ts";
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

/** Longest time on the event loop before other work gets it. */
const sliceMs = 5;
/** As many as are read of a workbook. Each column is looked at for each row. */
const maxColumns = 1_000;

/** All rows, blank ones too. Yields to the event loop every few milliseconds. */
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

/** Programs that separate columns by tabs quote nothing, and a name may begin with a quotation mark; spreadsheets do quote. */
function quotingOf(delimiter: string): Quoting {
  return delimiter === delimiters.tab ? "lenient" : "strict";
}

/**
 * With the number that a spreadsheet shows for it. `problem`: it cannot be read, and `cells` are what stands there;
 * `mayHoldRows`: a quotation mark too many may have joined several rows.
 */
export type Row = BareRow & { number: number };
export type BareRow = { cells: string[]; problem?: string; mayHoldRows?: true };

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** Those that are not blank. */
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

/** Those of a file that has to be right as a whole. */
export async function* readSoundRows(text: string, delimiter: string, options?: RowOptions): AsyncGenerator<Row> {
  for await (const row of readRows(text, delimiter, options)) {
    if (row.problem !== undefined) throw new MalformedCsv(`Row ${row.number}: ${row.problem}`);
    yield row;
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

/** As programs write that quote nothing: there is no way to write a tab or the end of a line in a cell. */
export function toTabs(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, " ")).join("\t")}\r\n`).join("");
}

function quoteCell(cell: string): string {
  return splitting.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
