import { badField, validationFailed } from "../errors.ts";
import { foldName } from "../nearest.ts";
import type { Weight } from "../weight.ts";
import { weightUnitInName } from "../weight.ts";
import type { BareRow, Row } from "./csv.ts";
import { delimiters, MalformedCsv, numberRows } from "./csv.ts";
import type { CsvSource } from "./csv-source.ts";
import { openText } from "./csv-source.ts";
import type { CellReader, Conventions, DateOrder } from "./csv-cells.ts";
import { clip, conventionsOf, readDate, readDay, verbatim } from "./csv-cells.ts";
import type { Column, ColumnMapping, SheetField, SheetPreset, Warning } from "./csv-columns.ts";
import { matchColumns, nameTest, detectPreset } from "./csv-columns.ts";
import { provenDateOrder } from "./date-order.ts";
import type { FileSample } from "./file-sample.ts";
import { createSample } from "./file-sample.ts";
import { findHeader, rowsBelow } from "./find-header.ts";
import type { CellError, Place } from "./sheet-warnings.ts";
import { isRefused, maxReported, refuse } from "./sheet-warnings.ts";

export type { CellError, Place } from "./sheet-warnings.ts";

/** A kind of file: which fields its rows have and how they become records. */
export type SheetKind = {
  /** Plural, as in "Orders have no such field." */
  noun: string;
  fields: readonly SheetField[];
  /** Accepts fields that are not listed, such as custom fields. */
  isFurtherField?(field: string): boolean;
  /** Fields that every row must have. */
  required?: readonly string[];
  /** The fields of a weight and its unit. */
  weight?: { value: string; unit: string };
  /** Rows with the same value in this field form one record; without it, each row is a record. */
  recordKey?: string;
  /** A substitute for a missing key, or an error. */
  spareKey?(row: Row, cells: Cell[], sheet: Sheet, errors: CellError[]): Cell | CellError | undefined;
  /** Adds a row to its record; default: each cell under the name of its field. */
  addRow?(record: SheetRecord, cells: Cell[], sheet: Sheet): void;
  /** Completes a record after its last row. */
  finish?(record: SheetRecord, sheet: Sheet): void;
  /** The field of a pointer into the request, if their names differ. */
  fieldAt?(pointer: string): string;
  /** Formats of known programs, detected by their columns. */
  presets?: readonly SheetPreset[];
  /** Ambiguous column names. */
  vague?: readonly string[];
  /** Fields that several columns may have. */
  repeatable?: readonly string[];
  /** Why nothing can be imported with these columns. */
  unclear?(columns: Column[], warnings: Warning[]): { code: string; message: string } | undefined;
  /** Warnings about assumptions for missing columns. */
  assume?(sheet: Pick<Sheet, "columns" | "currency">): Warning[];
};

export type SheetOptions = {
  delimiter?: keyof typeof delimiters | "auto";
  mapping?: ColumnMapping;
  /** null: no detection. */
  preset?: SheetPreset | null | undefined;
  decimalSeparator?: "." | ",";
  dateOrder?: DateOrder;
  /** For times without an offset. */
  timeZone?: string;
  /** For addresses without a country. */
  country?: string;
  /** For amounts without a currency. */
  currency?: string;
  /** Assumptions are errors. */
  strict?: boolean;
  maxRows?: number;
  maxRecords?: number;
  /** Reports a missing column as a warning: in a dry run the sender is still assigning columns. */
  mayLackColumns?: boolean;
};

export type Sheet = {
  kind: SheetKind;
  preset: SheetPreset | undefined;
  columns: Column[];
  warnings: Warning[];
  /** Assumptions are errors; those about whole columns are in `refused`. */
  isStrict: boolean;
  refused: CellError[];
  country: string | undefined;
  currency: string | undefined;
  delimiter: string;
  /** Quotation marks in it are literal. */
  isLiteral: boolean;
  conventions: Conventions;
  /** How the cells of each column are read. */
  readers: ColumnReader[];
  rows: AsyncGenerator<Row>;
  /** The rows read so far. */
  sample: FileSample;
};

/** Everything about a column that its cells have in common, so that it is found once and not for each cell. */
type ColumnReader = {
  field: string | null;
  read: CellReader | undefined;
  /** Its cells keep guarded whitespace. */
  isVerbatim: boolean;
  isRequired: boolean;
  /** Values of other fields that a value of this column implies, by its folded name. */
  implied: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> | undefined;
};

export type Cell = { field: string; value: unknown; place: Place };

/** The request that one or more rows form, and the cell of each of its parts. */
export type SheetRecord = {
  rows: Row[];
  request: Record<string, unknown>;
  places: Map<string, Place>;
  errors: CellError[];
};

/** Reads the header of a file; rows are read on demand. A `CsvSource` must have been opened with the same options. */
export async function openSheet(csv: string | CsvSource, kind: SheetKind, options: SheetOptions = {}): Promise<Sheet> {
  const { mapping = {}, mayLackColumns = false } = options;
  const source = typeof csv === "string" ? openText(csv, options) : csv;
  const { delimiter } = source;
  const top = await findHeader(readableRows(source.rows()), nameTest(kind, mapping, options.preset));
  if (!top) throw badField("/csv", "empty", "There is no header row.");
  if (top.problem) throw badField("/csv", "malformed_csv", `Row ${top.number}: ${top.problem}`);
  const header = top.cells.map((name) => name.trim());
  const preset =
    options.preset === undefined ? detectPreset(header, kind.presets ?? []) : (options.preset ?? undefined);
  const { columns, warnings } = matchColumns(header, mapping, kind, preset);
  const { country, currency, strict: isStrict = false } = options;
  if (!top.isFirst) warnings.push(rowsAbove(top, header));
  warnings.push(...assumedUnit(kind, columns));
  warnings.push(...(kind.assume?.({ columns, currency }) ?? []));
  const missing = missingColumns(kind, columns);
  if (missing.length > 0 && !mayLackColumns) {
    throw validationFailed(missing.map((error) => ({ pointer: `/csv/${top.number}`, ...error, allowed: header })));
  }
  if (!mayLackColumns && isUnknown(columns)) throw badField("/csv", noKnownColumns.code, noKnownColumns.message);
  const unclear = isUnknown(columns) ? undefined : kind.unclear?.(columns, warnings);
  if (unclear && !mayLackColumns) throw badField("/csv", unclear.code, unclear.message);
  if (unclear) warnings.push({ column: header[0] ?? "", ...unclear });
  const isLiteral = preset?.isUnquoted === true && delimiter === delimiters.tab;
  const rows = () => rowsBelow(top, readableRows(source.rows(isLiteral ? "literal" : undefined)));
  const readerOf = new Map(kind.fields.map(([field, , read]) => [field, read]));
  const dates = [...columns.keys()].filter((index) => isDateReader(readerOf.get(columns[index]!.field ?? "")));
  const readers = columns.map(({ field }): ColumnReader => {
    const read = readerOf.get(field ?? "");
    return {
      field,
      read: withValues(read, preset, field ?? ""),
      isVerbatim: verbatim.has(read),
      isRequired: kind.required?.includes(field ?? "") ?? false,
      implied: preset?.implied?.[field ?? ""],
    };
  });
  const { decimalSeparator, timeZone } = options;
  const isOpen = dates.length > 0 && source.hasDecisiveDate();
  const dateOrder = options.dateOrder ?? preset?.dateOrder ?? (isOpen ? await provenDateOrder(rows, dates) : undefined);
  const explicit = {
    ...(decimalSeparator && { decimalSeparator }),
    ...(dateOrder && { dateOrder }),
    ...(timeZone && { timeZone }),
  };
  const conventions = conventionsOf(delimiter, explicit);
  const refused = isStrict ? refuse(warnings, top.number) : [];
  const shownWarnings = warnings.filter(({ code }) => !isStrict || !isRefused(code)).slice(0, maxReported);
  const sample = createSample(columns.length);
  const found = {
    kind,
    preset,
    columns,
    warnings: shownWarnings,
    isStrict,
    refused,
    country,
    currency,
    delimiter,
    isLiteral,
    conventions,
    readers,
  };
  return { ...found, rows: rows(), sample };
}

function isDateReader(read: CellReader | undefined): boolean {
  return read === readDate || read === readDay;
}

function rowsAbove({ number }: Row, [column = ""]: string[]): Warning {
  const which = number === 2 ? "Row 1 is" : `Rows 1 to ${number - 1} are`;
  return { column, code: "rows_above_header", message: `${which} above the header and were ignored.` };
}

export const noKnownColumns = {
  code: "no_known_columns",
  message: "No column has a known name. Assign columns in `mapping`, or check the delimiter.",
};

export function isUnknown(columns: Column[]): boolean {
  return columns.every(({ field }) => field === null);
}

/** Translates values of the program; an unknown value is reported as a warning. */
function withValues(read: CellReader | undefined, preset: SheetPreset | undefined, field: string) {
  const words = preset?.values?.[field];
  if (!words) return read;
  const translated: CellReader = (text, conventions) => {
    const word = foldName(text);
    if (Object.hasOwn(words, word)) return { value: words[word] };
    const otherwise = preset?.otherwise?.[field];
    if (otherwise === undefined) return read?.(text, conventions) ?? { value: text };
    const message = `${clip(text)} is unknown; it was read as ${otherwise}.`;
    return { value: otherwise, guess: { code: "unknown_word", message } };
  };
  return translated;
}

/** The required fields without a column. */
export function missingColumns({ required = [] }: SheetKind, columns: Column[]): { code: string; message: string }[] {
  return required
    .filter((field) => !columns.some((column) => column.field === field))
    .map((field) => ({
      code: "missing_column",
      message: `The column for ${field} is missing. Assign it in \`mapping\`, or check the delimiter.`,
    }));
}

async function* readableRows(rows: AsyncIterable<BareRow>): AsyncGenerator<Row> {
  try {
    yield* numberRows(rows);
  } catch (error) {
    throw error instanceof MalformedCsv ? badField("/csv", "malformed_csv", error.message) : error;
  }
}

/** The fields that a column can be mapped to. */
export function fieldsOf({ fields, required }: SheetKind): { field: string; isRequired: boolean }[] {
  return fields.map(([field]) => ({ field, isRequired: required?.includes(field) ?? false }));
}

export function columnOf({ columns }: Pick<Sheet, "columns">, field: string | undefined): string | undefined {
  return columns.find((known) => known.field === field)?.column;
}

/** Warns that weights are read as pounds: ounces read as pounds would show only on the invoice. */
function assumedUnit({ weight }: SheetKind, columns: Column[]): Warning[] {
  const column = weight && columnOf({ columns }, weight.value);
  const isNamed = column === undefined || weightUnitInName(column) || columnOf({ columns }, weight?.unit) !== undefined;
  if (isNamed) return [];
  const message =
    "Weights without a unit are read as pounds. Name the column Weight (oz), or add a column weight unit.";
  return [{ column, code: "assumed_unit", message }];
}

/** Drops a unit without a value; a value without a unit has that of its column name, or pounds. */
export function settleWeight(target: { weight?: Partial<Weight> }, sheet: Sheet): void {
  const { weight } = target;
  if (weight?.value === undefined) delete target.weight;
  else weight.unit ??= weightUnitInName(columnOf(sheet, sheet.kind.weight?.value) ?? "") ?? "lb";
}
