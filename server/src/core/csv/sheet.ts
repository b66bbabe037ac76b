import type { FieldError } from "../errors.ts";
import { badField, validationFailed } from "../errors.ts";
import { foldName } from "../nearest.ts";
import { escapePointer } from "../strict-json.ts";
import type { Weight } from "../weight.ts";
import { weightUnitInName } from "../weight.ts";
import type { BareRow, Row } from "./csv.ts";
import {
  delimiters,
  detectDelimiter,
  guardCell,
  guardText,
  MalformedCsv,
  numberRows,
  readSoundRows,
  textOfCell,
  toCsv,
  toTabs,
} from "./csv.ts";
import type { CsvSource } from "./csv-source.ts";
import { openText } from "./csv-source.ts";
import type { CellReader, Conventions, DateOrder } from "./csv-cells.ts";
import { clip, conventionsOf, extraCells, readDate, readDay, verbatim } from "./csv-cells.ts";
import type { Column, ColumnMapping, SheetField, SheetPreset, Warning } from "./csv-columns.ts";
import { matchColumns, nameTest, recognise } from "./csv-columns.ts";
import { provenDateOrder } from "./date-order.ts";
import type { FileSample } from "./file-sample.ts";
import { createSample } from "./file-sample.ts";
import { findHeader, rowsBelow } from "./find-header.ts";

const maxReported = 1_000;

/** What stands in the rows of a file, as data. */
export type SheetKind = {
  /** As in "Orders have no such field." */
  noun: string;
  fields: readonly SheetField[];
  /** Fields beyond those with names of their own. */
  isFurtherField?(field: string): boolean;
  /** These have to be in every row. */
  required?: readonly string[];
  /** Which fields are a weight and its unit. */
  weight?: { value: string; unit: string };
  /** Rows with the same value here are one record; without it, each row is one. */
  recordKey?: string;
  /** What stands for the key in a row that has none, or why nothing does. */
  spareKey?(row: Row, cells: Cell[], sheet: Sheet): Cell | CellError | undefined;
  /** How what a row says gets into its record; by default each cell under the name of its field. */
  addRow?(record: SheetRecord, cells: Cell[], sheet: Sheet): void;
  /** What is put right when all rows of the record are known. */
  finish?(record: SheetRecord, sheet: Sheet): void;
  /** The field of a part of the request, where the two have different names. */
  fieldAt?(pointer: string): string;
  /** Files of known programs, which are recognised by their columns. */
  presets?: readonly SheetPreset[];
  /** Names of columns that can mean several things. */
  vague?: readonly string[];
  /** Why the columns do not say enough to take anything from the file. */
  unclear?(columns: Column[], warnings: Warning[]): { code: string; message: string } | undefined;
  /** What is taken for granted because no column says it. */
  assume?(sheet: Pick<Sheet, "columns" | "currency">): Warning[];
};

export type SheetOptions = {
  delimiter?: keyof typeof delimiters | "auto";
  mapping?: ColumnMapping;
  /** null: whatever it looks like, it is none of a known program. */
  preset?: SheetPreset | null | undefined;
  decimalSeparator?: "." | ",";
  dateOrder?: DateOrder;
  /** Of days and times that name none. */
  timeZone?: string;
  /** Of addresses that name none. */
  country?: string;
  /** Of amounts that name none. */
  currency?: string;
  maxRows?: number;
  maxRecords?: number;
  /** Somebody is still finding out which column is what: one that is missing is no reason to say nothing. */
  mayLackColumns?: boolean;
};

export type Sheet = {
  kind: SheetKind;
  preset: SheetPreset | undefined;
  columns: Column[];
  warnings: Warning[];
  country: string | undefined;
  currency: string | undefined;
  delimiter: string;
  /** Nothing in it is quoted. */
  isLiteral: boolean;
  conventions: Conventions;
  readers: (CellReader | undefined)[];
  rows: AsyncGenerator<Row>;
  /** Of the rows that were read so far. */
  sample: FileSample;
};

/** A cell or a whole row. */
type Place = { row: number; column: string | null };
export type CellError = Place & { code: string; message: string };
export type Cell = { field: string; value: unknown; place: Place };

/** A file with its header read; the rows come one by one. What is read elsewhere was opened with the same options there. */
export async function openSheet(csv: string | CsvSource, kind: SheetKind, options: SheetOptions = {}): Promise<Sheet> {
  const { mapping = {}, mayLackColumns = false } = options;
  const source = typeof csv === "string" ? openText(csv, options) : csv;
  const { delimiter } = source;
  const top = await findHeader(readableRows(source.rows()), nameTest(kind, mapping, options.preset));
  if (!top) throw badField("/csv", "empty", "There is no header row.");
  if (top.problem) throw badField("/csv", "malformed_csv", `Row ${top.number}: ${top.problem}`);
  const header = top.cells.map((name) => name.trim());
  const preset = options.preset === undefined ? recognise(header, kind.presets ?? []) : (options.preset ?? undefined);
  const { columns, warnings } = matchColumns(header, mapping, kind, preset);
  const { country, currency } = options;
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
  const readers = columns.map(({ field }) => withWords(readerOf.get(field ?? ""), preset, field ?? ""));
  const { decimalSeparator, timeZone } = options;
  const isOpen = dates.length > 0 && source.hasDecisiveDate();
  const dateOrder = options.dateOrder ?? preset?.dateOrder ?? (isOpen ? await provenDateOrder(rows, dates) : undefined);
  const said = {
    ...(decimalSeparator && { decimalSeparator }),
    ...(dateOrder && { dateOrder }),
    ...(timeZone && { timeZone }),
  };
  const conventions = conventionsOf(delimiter, said);
  const told = warnings.slice(0, maxReported);
  const sample = createSample(columns.length);
  const found = {
    kind,
    preset,
    columns,
    warnings: told,
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
  const which = number === 2 ? "Row 1 stands" : `Rows 1 to ${number - 1} stand`;
  return { column, code: "rows_above_header", message: `${which} above the names of the columns: not read.` };
}

const noKnownColumns = {
  code: "no_known_columns",
  message: "No column has a name that is known. Name them in `mapping`, or check the delimiter.",
};

function isUnknown(columns: Column[]): boolean {
  return columns.every(({ field }) => field === null);
}

/** The words of a program, put into ours. An unknown word is reported as a warning. */
function withWords(read: CellReader | undefined, preset: SheetPreset | undefined, field: string) {
  const words = preset?.values?.[field];
  if (!words) return read;
  const translated: CellReader = (text, conventions) => {
    const word = foldName(text);
    if (Object.hasOwn(words, word)) return { value: words[word] };
    const otherwise = preset?.otherwise?.[field];
    if (otherwise === undefined) return read?.(text, conventions) ?? { value: text };
    const message = `${clip(text)} is not known here: the order is ${otherwise} until it is looked at.`;
    return { value: otherwise, guess: { code: "unknown_word", message } };
  };
  return translated;
}

/** Once for each column: the first cell stands for all. */
export function warnOnce({ warnings }: Pick<Sheet, "warnings">, warning: Warning): void {
  const isKnown = warnings.some(({ column, code }) => column === warning.column && code === warning.code);
  if (!isKnown && warnings.length < maxReported) warnings.push(warning);
}

/** Of what every row has to have, what no column is. */
export function missingColumns({ required = [] }: SheetKind, columns: Column[]): { code: string; message: string }[] {
  return required
    .filter((field) => !columns.some((column) => column.field === field))
    .map((field) => ({
      code: "missing_column",
      message: `No column is the ${field}. Name it in \`mapping\`, or check the delimiter.`,
    }));
}

async function* readableRows(rows: AsyncIterable<BareRow>): AsyncGenerator<Row> {
  try {
    yield* numberRows(rows);
  } catch (error) {
    throw error instanceof MalformedCsv ? badField("/csv", "malformed_csv", error.message) : error;
  }
}

/** What a row says, cell by cell; what cannot be read goes to `errors`. */
export function readCells(sheet: Sheet, row: Row, errors: CellError[]): Cell[] {
  const { number, cells, problem } = row;
  const { kind, columns, readers, conventions, preset } = sheet;
  if (problem !== undefined) {
    errors.push({ row: number, column: null, code: "malformed_row", message: problem });
    // What stands in front of the mistake may still say to which record the row belongs.
    return readCells(sheet, { number, cells }, []).filter(({ field }) => field === kind.recordKey);
  }
  if (row.mayHoldRows) warnOnce(sheet, joinedRows(row, columns));
  const extra = extraCells(cells, columns.length);
  if (extra) errors.push({ row: number, column: null, ...extra });
  return columns.flatMap(({ column, field }, index): Cell[] => {
    if (field === null) return [];
    const place = { row: number, column };
    const text = textOfCell(cells[index] ?? "");
    if (text === "") {
      if (kind.required?.includes(field)) errors.push({ ...place, code: "required", message: "It is missing." });
      return [];
    }
    const written = verbatim.has(readers[index]) ? text : text.trim();
    const read = readers[index]?.(written, conventions) ?? { value: text };
    if ("problem" in read) {
      errors.push({ ...place, ...read.problem });
      return [];
    }
    if (read.guess) warnOnce(sheet, { column, ...read.guess });
    const implied = { ...read.implied, ...preset?.implied?.[field]?.[foldName(text)] };
    const more = Object.entries(implied).filter(([other]) => columnOf(sheet, other) === undefined);
    return [{ field, value: read.value, place }, ...more.map(([other, value]) => ({ field: other, value, place }))];
  });
}

function joinedRows({ number }: Row, [first]: Column[]): Warning {
  const message = `Row ${number} has several lines, each with as many cells as a row. If they are rows of their own, a quotation mark too many has joined them.`;
  return { column: first?.column ?? "", code: "joined_rows", message };
}

/** What some rows say together, as a request; and where each part of it came from. */
export type SheetRecord = {
  rows: Row[];
  request: Record<string, unknown>;
  places: Map<string, Place>;
  errors: CellError[];
};

export type ReadSheet = Sheet & { records: SheetRecord[] };

/** A whole file as records. Nothing is said yet about whether they make sense. */
export async function readSheet(csv: string, kind: SheetKind, options: SheetOptions): Promise<ReadSheet> {
  const { noun } = kind;
  const sheet = await openSheet(csv, kind, options);
  const records = await Array.fromAsync(readRecords(sheet));
  const { maxRecords = Infinity } = options;
  if (records.length > maxRecords) {
    const name = noun.toLowerCase();
    const message = `There are ${records.length} ${name}; at most ${maxRecords} are taken at once. Split the file.`;
    throw badField("/csv", `too_many_${name}`, message);
  }
  return { ...sheet, records };
}

/**
 * The records of a file, each when all its rows are known. No more than `maxOpen` wait for further rows at a time, so that
 * a long file is not in memory as a whole: a row that comes long after the others of its record is refused.
 */
export async function* readRecords(sheet: Sheet, maxOpen = Infinity): AsyncGenerator<SheetRecord> {
  const { recordKey, spareKey, addRow = putAll, finish } = sheet.kind;
  const open = new Map<unknown, SheetRecord>();
  const closed = new Set<unknown>();
  const close = (key: unknown, record: SheetRecord): SheetRecord => {
    open.delete(key);
    if (typeof key === "string") closed.add(key);
    finish?.(record, sheet);
    return record;
  };
  for await (const row of sheet.rows) {
    if (isNotData(sheet, row)) continue;
    sheet.sample.add(row);
    const errors: CellError[] = [];
    const cells = readCells(sheet, row, errors);
    const isKey = ({ field }: Cell): boolean => field === recordKey;
    const spare = row.problem !== undefined || cells.some(isKey) ? undefined : spareKey?.(row, cells, sheet);
    if (spare && "code" in spare) errors.push(spare);
    else if (spare) cells.push(spare);
    // A row without a key is a record of its own.
    const key = cells.find(isKey)?.value ?? Symbol("row");
    let record = open.get(key);
    if (!record) {
      record = { rows: [], request: {}, places: new Map(), errors: [] };
      if (closed.has(key)) errors.push(apart(row.number, maxOpen));
      const [oldest] = open.size >= maxOpen ? open : [];
      if (oldest) yield close(...oldest);
      open.set(key, record);
    }
    record.rows.push(row);
    record.errors.push(...errors);
    addRow(record, cells, sheet);
  }
  for (const [key, record] of open) yield close(key, record);
}

function apart(row: number, maxOpen: number): CellError {
  const message = `Other rows of the same number stand more than ${maxOpen} orders before it. Sort the file by its numbers.`;
  return { row, column: null, code: "order_rows_not_adjacent", message };
}

/** A row that counts the others, or names who they are of, has a few cells at most. */
const maxNotData = 3;

function isNotData({ preset }: Sheet, { cells }: Row): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  return preset?.notData !== undefined && filled.length <= maxNotData && preset.notData.test(filled.join(" "));
}

function putAll(record: SheetRecord, cells: Cell[]): void {
  for (const cell of cells) put(record, cell.field.split("."), cell);
}

/** Part of a record, such as a line of an order. */
type Part = { target: Record<string, unknown>; pointer: string };

/** What concerns the whole record may stand in any of its rows, but must not differ between them. */
export function put(record: SheetRecord, path: readonly string[], { value, place }: Cell, into?: Part): void {
  const pointer = [into?.pointer ?? "", ...path].join("/");
  let target = into?.target ?? record.request;
  for (const step of path.slice(0, -1)) target = (target[step] ??= {}) as Record<string, unknown>;
  const name = path.at(-1)!;
  if (!Object.hasOwn(target, name)) {
    target[name] = value;
    record.places.set(pointer, place);
  } else if (JSON.stringify(target[name]) !== JSON.stringify(value)) {
    const message = `Row ${record.places.get(pointer)?.row} of the same order says something else.`;
    record.errors.push({ ...place, code: "conflicting_value", message });
  }
}

function columnOf({ columns }: Pick<Sheet, "columns">, field: string | undefined): string | undefined {
  return columns.find((known) => known.field === field)?.column;
}

/** Nobody may have to find out from an invoice that ounces were taken for pounds. */
function assumedUnit({ weight }: SheetKind, columns: Column[]): Warning[] {
  const column = weight && columnOf({ columns }, weight.value);
  const isSaid = column === undefined || weightUnitInName(column) || columnOf({ columns }, weight?.unit) !== undefined;
  if (isSaid) return [];
  const message =
    "No unit is named: numbers without one are pounds. Call the column Weight (oz), or add one called weight unit.";
  return [{ column, code: "assumed_unit", message }];
}

/** A unit alone says nothing; a number alone has the unit that its column names, or else is in pounds. */
export function settleWeight(target: { weight?: Partial<Weight> }, sheet: Sheet): void {
  const { weight } = target;
  if (weight?.value === undefined) delete target.weight;
  else weight.unit ??= weightUnitInName(columnOf(sheet, sheet.kind.weight?.value) ?? "") ?? "lb";
}

/** A mistake in the request as one in the file. */
export function toCellError(sheet: Sheet, record: SheetRecord, error: FieldError): CellError {
  const message = tellAllowed(error);
  const path = sheet.kind.fieldAt?.(error.pointer) ?? error.pointer.slice(1).replaceAll("/", ".");
  const place = placeOf(record, error.pointer);
  // What is empty has no place in the request; it is in the column of its field.
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

/** A file has no room for a list of what is allowed beside the message: it is told in the message. */
function tellAllowed({ message, allowed }: FieldError): string {
  return allowed === undefined ? message : `${message} Allowed: ${allowed.join(", ")}.`;
}

/** An error that names its place in the file by itself, for those who get no report. */
export type PlacedError = FieldError & CellError;

export function placedError(row: number, column: string | null, code: string, message: string): PlacedError {
  const pointer = column === null ? `/csv/${row}` : `/csv/${row}/${escapePointer(column)}`;
  return { pointer, row, column, code, message: `Row ${row}${column === null ? "" : `, ${column}`}: ${message}` };
}

/** A whole file as rows, for those who find their columns in ways of their own. */
export async function readTable(csv: string, maxRows: number): Promise<{ rows: Row[] } | { errors: PlacedError[] }> {
  try {
    return { rows: await Array.fromAsync(readSoundRows(csv, detectDelimiter(csv), { maxRows })) };
  } catch (error) {
    if (!(error instanceof MalformedCsv)) throw error;
    return { errors: [placedError(1, null, "malformed_csv", error.message)] };
  }
}

type Failure = { errors: FieldError[] };

/** What became of a file. `failures`: of the records that could be read, in their order. */
export function reportOn(sheet: ReadSheet, failures: readonly (Failure | undefined)[]) {
  const report = createReport(sheet);
  let next = 0;
  for (const record of sheet.records) report.add(record, record.errors.length > 0 ? undefined : failures[next++]);
  const { records: _records, detectedPreset: _preset, ...told } = report.finish();
  return told;
}

/** What became of a file, record by record: only those that failed are kept. */
export function createReport(sheet: Sheet) {
  const { kind, columns, sample } = sheet;
  const failed: SheetRecord[] = [];
  const counts = { records: 0, rows: 0 };
  const errorsOf = (record: SheetRecord, failure: Failure | undefined): CellError[] => {
    // Nothing of it was read: whatever else is wrong with it follows from that.
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
      const errors = failed.flatMap((record) => record.errors).toSorted((a, b) => a.row - b.row);
      return {
        records: counts.records,
        summary: { rows: counts.rows, created: counts.records - failed.length, failed: failed.length },
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

/** What a column can be. */
export function fieldsOf({ fields, required }: SheetKind): { field: string; isRequired: boolean }[] {
  return fields.map(([field]) => ({ field, isRequired: required?.includes(field) ?? false }));
}

/** To be put right and sent again: the rows as they came, each with what is wrong with it. */
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
