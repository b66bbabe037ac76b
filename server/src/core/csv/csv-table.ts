import type { FieldError } from "../errors.ts";
import { escapePointer } from "../strict-json.ts";
import type { Row } from "./csv.ts";
import { detectDelimiter, MalformedCsv, readSoundRows } from "./csv.ts";
import type { CellError } from "./sheet.ts";

/** An error whose message includes its row and column, for responses without an import report. */
export type PlacedError = FieldError & CellError;

export function placedError(row: number, column: string | null, code: string, message: string): PlacedError {
  const pointer = column === null ? `/csv/${row}` : `/csv/${row}/${escapePointer(column)}`;
  return { pointer, row, column, code, message: `Row ${row}${column === null ? "" : `, ${column}`}: ${message}` };
}

/** Reads all rows of a file, without matching columns. */
export async function readTable(csv: string, maxRows: number): Promise<{ rows: Row[] } | { errors: PlacedError[] }> {
  try {
    return { rows: await Array.fromAsync(readSoundRows(csv, detectDelimiter(csv), { maxRows })) };
  } catch (error) {
    if (!(error instanceof MalformedCsv)) throw error;
    return { errors: [placedError(1, null, "malformed_csv", error.message)] };
  }
}
