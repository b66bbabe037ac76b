import type { FieldError } from "../errors.ts";
import { guardCell, guardText, toCsv, toTabs } from "./csv.ts";
import type { CellError, Place, Sheet, SheetRecord } from "./sheet.ts";
import { fieldsOf, isUnknown, noKnownColumns } from "./sheet.ts";
import { maxReported } from "./sheet-warnings.ts";
import type { ReadSheet } from "./sheet-records.ts";

/** Converts an error in the request to one in the file. */
export function toCellError(sheet: Sheet, record: SheetRecord, error: FieldError): CellError {
  const message = withAllowed(error);
  const path = sheet.kind.fieldAt?.(error.pointer) ?? error.pointer.slice(1).replaceAll("/", ".");
  const place = placeOf(record, error.pointer);
  // An empty value has no cell: the error is in the column of its field.
  const column =
    place.column ??
    sheet.columns.find(({ field }) => field === path)?.column ??
    sheet.columns.find(({ field }) => field?.split(".")[0] === path)?.column ??
    null;
  const isNamed = column !== null || path === "";
  return { row: place.row, column, code: error.code, message: isNamed ? message : `${path}: ${message}` };
}

function placeOf({ places, rows }: SheetRecord, pointer: string): Place {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const place = places.get(at);
    if (place) return place;
  }
  return { row: rows[0]!.number, column: null };
}

/** Appends the allowed values: a CSV report has no column for them. */
function withAllowed({ message, allowed }: FieldError): string {
  return allowed === undefined ? message : `${message} Allowed: ${allowed.join(", ")}.`;
}

type Failure = { errors: FieldError[] };

/** The report on a file. `failures` are those of the readable records, in order. */
export function reportOn(sheet: ReadSheet, failures: readonly (Failure | undefined)[]) {
  const report = createReport(sheet);
  let next = 0;
  for (const record of sheet.records) report.add(record, record.errors.length > 0 ? undefined : failures[next++]);
  const { records: _records, detectedPreset: _preset, ...shown } = report.finish();
  return shown;
}

/** Builds the report record by record; only failed records are kept in memory. */
export function createReport(sheet: Sheet) {
  const { kind, columns, sample } = sheet;
  const failed: SheetRecord[] = [];
  const counts = { records: 0, rows: 0 };
  const errorsOf = (record: SheetRecord, failure: Failure | undefined): CellError[] => {
    // No column was read, so all other errors follow from that.
    if (isUnknown(columns)) return [{ row: record.rows[0]!.number, column: null, ...noKnownColumns }];
    return failure ? failure.errors.map((error) => toCellError(sheet, record, error)) : record.errors;
  };
  return {
    add(record: SheetRecord, failure?: Failure): void {
      counts.records++;
      counts.rows += record.rows.length;
      const errors = errorsOf(record, failure);
      if (errors.length > 0) failed.push({ ...record, errors });
    },
    rows: () => counts.rows,
    finish() {
      const errors = [...sheet.refused, ...failed.flatMap((record) => record.errors)].toSorted((a, b) => a.row - b.row);
      // A strict import creates all orders of the file or none.
      const failures = sheet.isStrict && errors.length > 0 ? counts.records : failed.length;
      return {
        records: counts.records,
        summary: { rows: counts.rows, created: counts.records - failures, failed: failures },
        detectedPreset: sheet.preset?.name ?? null,
        columns: columns.map((column, index) => ({ ...column, nonEmptyRows: sample.nonEmptyRows[index]! })),
        fields: fieldsOf(kind),
        sample: sample.rows,
        errors: errors.slice(0, maxReported),
        warnings: sheet.warnings,
        ...(failed.length === 0 ? {} : { rejectedCsv: writeRejected(sheet, failed) }),
      };
    },
  };
}

/** The rejected rows as they came, each with its errors, to be corrected and imported again. */
export function writeRejected(
  { columns, delimiter, isLiteral }: Pick<Sheet, "columns" | "delimiter" | "isLiteral">,
  failed: readonly Pick<SheetRecord, "rows" | "errors">[],
): string {
  let width = columns.length;
  for (const { rows } of failed) for (const { cells } of rows) width = Math.max(width, cells.length);
  const wide = (cells: (string | undefined)[]): string[] => Array.from({ length: width }, (_, i) => cells[i] ?? "");
  const lines = failed.flatMap(({ rows, errors }) => {
    const errorsOf = Map.groupBy(errors, ({ row }) => row);
    return rows.map(({ number, cells }) => {
      const own = errorsOf.get(number) ?? [];
      const reasons = own.map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
      const reason = reasons.length > 0 ? reasons.join("; ") : `See row ${errors[0]!.row} of the same order.`;
      return [...wide(cells).map(guardCell), guardText(reason)];
    });
  });
  const header = [...wide(columns.map(({ column }) => column)), "error"].map(guardText);
  return isLiteral ? toTabs([header, ...lines]) : toCsv([header, ...lines], delimiter);
}
