import type { Warning } from "./csv-columns.ts";

/** A cell or a whole row. */
export type Place = { row: number; column: string | null };
export type CellError = Place & { code: string; message: string };

export const maxReported = 1_000;
/** Warnings about single cells, for each column and code. */
const maxOfKind = 100;

/**
 * Assumptions that change which orders there are, what is shipped or what it costs. A column that is not read, or read by its
 * name, is none: the report lists the field of each column.
 */
const assumptions: ReadonlySet<string> = new Set([
  "assumed_number",
  "assumed_quantity",
  "assumed_currency",
  "assumed_unit",
  "assumed_decimal_separator",
  "assumed_date_order",
  "precision_lost",
  "looks_like_date",
  "leading_zero_lost",
  "unknown_word",
  "joined_rows",
]);

/** Damage by spreadsheets is repaired cell by cell, so each cell is reported. */
const ofCells: ReadonlySet<string> = new Set([
  "precision_lost",
  "looks_like_date",
  "leading_zero_lost",
  "total_differs",
]);

export function isRefused(code: string): boolean {
  return assumptions.has(code);
}

/** Assumptions about whole columns, as errors of the header. */
export function refuse(warnings: readonly Warning[], headerRow: number): CellError[] {
  return warnings
    .filter(({ code }) => isRefused(code))
    .map(({ column, code, message }) => ({ row: headerRow, column, code, message }));
}

type Warned = { warnings: Warning[] };
const counts = new WeakMap<Warning[], Map<string, number>>();

/** How often a column had a code, which is counted rather than searched in the list: large files have many guesses. */
function countOf({ warnings }: Warned, { column, code }: Warning): number {
  let known = counts.get(warnings);
  if (!known) counts.set(warnings, (known = new Map()));
  const key = `${code} ${column}`;
  const count = (known.get(key) ?? 0) + 1;
  known.set(key, count);
  return count;
}

/** Adds a warning once per column and code. */
export function warnOnce(sheet: Warned, warning: Warning): void {
  if (countOf(sheet, warning) === 1 && sheet.warnings.length < maxReported) sheet.warnings.push(warning);
}

/** A problem of a cell that does not prevent reading it: a warning, or in strict mode an error, if something was assumed. */
export function reportGuess(
  sheet: Warned & { isStrict: boolean },
  errors: CellError[],
  { row, column }: Place,
  { code, message }: { code: string; message: string },
): void {
  if (sheet.isStrict && isRefused(code)) errors.push({ row, column, code, message });
  else if (!ofCells.has(code)) warnOnce(sheet, { column: column ?? "", code, message });
  else {
    const warning = { column: column ?? "", code, message, row };
    if (countOf(sheet, warning) <= maxOfKind && sheet.warnings.length < maxReported) sheet.warnings.push(warning);
  }
}
