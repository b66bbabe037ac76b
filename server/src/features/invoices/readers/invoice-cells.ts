import type { Row } from "../../../core/csv/csv.ts";
import type { Conventions } from "../../../core/csv/csv-cells.ts";
import { clip, readDay, readNumber } from "../../../core/csv/csv-cells.ts";
import type { Warning } from "../../../core/csv/csv-columns.ts";
import type { CellError } from "../../../core/csv/sheet.ts";
import { warnOnce } from "../../../core/csv/sheet-warnings.ts";
import { cutText } from "../../../core/cut-text.ts";
import { readWeightUnit } from "../../../core/weight.ts";
import { readMicros } from "../invoice-amounts.ts";
import type { MeasuredWeight } from "../invoice-line.ts";

/** Reads the cells of one row after the other. A column that the file does not have reads as empty. */
export type InvoiceCells = {
  open(row: Row): void;
  row(): number;
  text(index: number | undefined, maxLength?: number): string | null;
  /** Empty reads as 0. */
  amount(index: number | undefined): number;
  optionalAmount(index: number | undefined): number | null;
  day(index: number | undefined): string | null;
  number(index: number | undefined): number | null;
  weight(value: number | undefined, unit: number | undefined, spare: MeasuredWeight["unit"]): MeasuredWeight | null;
  /** The distinct values of these columns. */
  references(indexes: readonly (number | undefined)[]): string[];
  country(index: number | undefined): string | null;
  fail(index: number | undefined, code: string, message: string): void;
};

const longestText = 200;
const longestReference = 100;
const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Unreadable cells are added to `errors`, dates that could be read in two ways to `warnings`. `names` are the columns. */
export function createCells(
  names: readonly string[],
  conventions: Conventions,
  { errors, warnings }: { errors: CellError[]; warnings: Warning[] },
): InvoiceCells {
  let current: Row = { number: 0, cells: [] };
  const raw = (index: number | undefined): string => (index === undefined ? "" : (current.cells[index]?.trim() ?? ""));
  const fail = (index: number | undefined, code: string, message: string): void => {
    const column = index === undefined ? null : names[index] || `Column ${index + 1}`;
    errors.push({ row: current.number, column, code, message });
  };
  const number = (index: number | undefined): number | null => {
    const text = raw(index);
    if (text === "") return null;
    const read = readNumber(text, conventions);
    if ("problem" in read) fail(index, read.problem.code, read.problem.message);
    return "problem" in read ? null : (read.value as number);
  };
  const optionalAmount = (index: number | undefined): number | null => {
    const text = raw(index);
    if (text === "") return null;
    const micros = readMicros(text, conventions);
    if (micros === undefined) {
      fail(index, "not_an_amount", `${clip(text)} is not an amount such as 12.50, with at most six decimals.`);
    }
    return micros ?? null;
  };
  return {
    open: (row) => (current = row),
    row: () => current.number,
    text: (index, maxLength = longestText) => {
      const text = raw(index);
      return text === "" ? null : cutText(text, maxLength);
    },
    amount: (index) => optionalAmount(index) ?? 0,
    optionalAmount,
    day(index) {
      const text = raw(index);
      if (text === "" || text === "00000000" || text === "0001-01-01") return null;
      const [, , month, day] = isoDay.exec(text) ?? [];
      // Most files write ISO dates; only the end of a month needs the calendar.
      if (month !== undefined && month >= "01" && month <= "12" && day! >= "01" && day! <= "28") return text;
      const read = readDay(text, conventions);
      if ("problem" in read) fail(index, read.problem.code, read.problem.message);
      else if (read.guess) warnOnce({ warnings }, { column: names[index!] ?? "", ...read.guess, row: current.number });
      return "problem" in read ? null : (read.value as string);
    },
    number,
    weight(value, unit, spare) {
      const read = number(value);
      if (read === null || read <= 0) return null;
      return { value: read, unit: readWeightUnit(raw(unit)) ?? spare };
    },
    references(indexes) {
      const found = new Set<string>();
      for (const index of indexes) if (raw(index) !== "") found.add(cutText(raw(index), longestReference));
      return [...found];
    },
    country(index) {
      const text = raw(index);
      return text === "" ? null : cutText(text.toUpperCase(), 60);
    },
    fail,
  };
}

/** The number of the invoice; a row without one is an error. */
export function requireNumber(cells: InvoiceCells, index: number | undefined): string {
  const number = cells.text(index, 100);
  if (number === null) cells.fail(index, "required", "The row has no invoice number.");
  return number ?? "";
}

/** Three letters, or what the request says, or dollars. */
export function currencyOf(text: string | null, spare: string): string {
  return text !== null && /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : spare;
}
