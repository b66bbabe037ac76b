import { badField } from "../errors.ts";
import { foldName } from "../nearest.ts";
import type { Row } from "./csv.ts";
import { textOfCell } from "./csv.ts";
import { extraCells } from "./csv-cells.ts";
import type { Cell, CellError, Place, Sheet, SheetKind, SheetOptions, SheetRecord } from "./sheet.ts";
import { columnOf, openSheet } from "./sheet.ts";
import { reportGuess, warnOnce } from "./sheet-warnings.ts";

/** The cells of a row that have a field; unreadable ones are added to `errors`. */
export function readCells(sheet: Sheet, row: Row, errors: CellError[]): Cell[] {
  const { number, cells, problem } = row;
  const { kind, columns, readers, conventions } = sheet;
  if (problem !== undefined) {
    errors.push({ row: number, column: null, code: "malformed_row", message: problem });
    // The cells before the error may still have the key of the record.
    return readCells(sheet, { number, cells }, []).filter(({ field }) => field === kind.recordKey);
  }
  if (row.mayHoldRows) reportGuess(sheet, errors, { row: number, column: columns[0]?.column ?? null }, joinedRows(row));
  const extra = extraCells(cells, columns.length);
  if (extra) errors.push({ row: number, column: null, ...extra });
  const found: Cell[] = [];
  for (const [index, { field, read: reader, isVerbatim, isRequired, implied }] of readers.entries()) {
    if (field === null) continue;
    const text = textOfCell(cells[index] ?? "");
    if (text === "" && !isRequired) continue;
    const place = { row: number, column: columns[index]!.column };
    if (text === "") {
      errors.push({ ...place, code: "required", message: "A value is required." });
      continue;
    }
    const read = reader?.(isVerbatim ? text : text.trim(), conventions) ?? { value: text };
    if ("problem" in read) {
      errors.push({ ...place, ...read.problem });
      continue;
    }
    if (read.guess) reportGuess(sheet, errors, place, read.guess);
    if (read.value !== undefined) found.push({ field, value: read.value, place });
    if (read.implied) addImplied(sheet, found, read.implied, place);
    const others = implied?.[foldName(text)];
    if (others) addImplied(sheet, found, others, place);
  }
  return found;
}

/** Values of fields that have no column. */
function addImplied(sheet: Sheet, cells: Cell[], implied: Readonly<Record<string, unknown>>, place: Place): void {
  for (const [field, value] of Object.entries(implied)) {
    if (columnOf(sheet, field) === undefined) cells.push({ field, value, place });
  }
}

function joinedRows({ number }: Row): { code: string; message: string } {
  const message = `Row ${number} has several lines, each with as many cells as a row. If they should be separate rows, remove the extra quotation mark.`;
  return { code: "joined_rows", message };
}

export type ReadSheet = Sheet & { records: SheetRecord[] };

/** Reads all records of a file; they are not validated yet. */
export async function readSheet(csv: string, kind: SheetKind, options: SheetOptions): Promise<ReadSheet> {
  const { noun } = kind;
  const sheet = await openSheet(csv, kind, options);
  const records = await Array.fromAsync(readRecords(sheet));
  const { maxRecords = Infinity } = options;
  if (records.length > maxRecords) {
    const name = noun.toLowerCase();
    const message = `There are ${records.length} ${name}; at most ${maxRecords} can be imported at once. Split the file.`;
    throw badField("/csv", `too_many_${name}`, message);
  }
  return { ...sheet, records };
}

/**
 * Yields each record after its last row. At most `maxOpen` records wait for further rows, so that a long file is never in memory
 * as a whole: a row far behind the others of its record is an error.
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
    // Two spellings of "é" would make two records of one.
    for (const cell of cells)
      if (isKey(cell) && typeof cell.value === "string") cell.value = cell.value.normalize("NFC");
    const spare = row.problem !== undefined || cells.some(isKey) ? undefined : spareKey?.(row, cells, sheet, errors);
    if (spare && "code" in spare) errors.push(spare);
    else if (spare) cells.push(spare);
    // A row without a key is a record of its own.
    const key = cells.find(isKey)?.value ?? Symbol("row");
    let record = open.get(key);
    if (!record) {
      record = { rows: [], request: {}, places: new Map(), errors: [] };
      if (closed.has(key)) errors.push(notAdjacent(row.number, maxOpen));
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

function notAdjacent(row: number, maxOpen: number): CellError {
  const message = `Other rows of this order are more than ${maxOpen} orders above. Sort the file by order number.`;
  return { row, column: null, code: "order_rows_not_adjacent", message };
}

/** Maximum number of cells in rows that are not data, such as totals and titles. */
const maxNotData = 3;
const totals =
  /^(?:(?:grand |sub)?totals?|sum|summe|gesamt(?:summe|betrag)?|total g[ée]n[ée]ral|totale|totaal|suma|\d+ (?:records?|rows?|orders?))\s*:?$/i;
const figure = /^[\s\d.,'%$€£¥-]*$/;

/** Rows that a program or person writes below the records: totals and counts. */
function isNotData(sheet: Sheet, { number, cells }: Row): boolean {
  const { kind, preset, columns } = sheet;
  const first = cells.findIndex((cell) => cell.trim() !== "");
  const isTotal =
    kind.recordKey !== undefined &&
    totals.test(cells[first]!.trim()) &&
    cells.slice(first + 1).every((cell) => figure.test(cell));
  if (isTotal) {
    const message = `Rows with totals, such as row ${number}, were ignored.`;
    warnOnce(sheet, { column: columns[first]?.column ?? "", code: "total_row", message });
    return true;
  }
  if (preset?.notData === undefined) return false;
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  return filled.length <= maxNotData && preset.notData.test(filled.join(" "));
}

function putAll(record: SheetRecord, cells: Cell[]): void {
  for (const cell of cells) put(record, cell.field.split("."), cell);
}

/** A part of a record, such as a line of an order. */
type Part = { target: Record<string, unknown>; pointer: string };

/** Sets a value of the record; all rows that have it must agree. */
export function put(record: SheetRecord, path: readonly string[], { value, place }: Cell, into?: Part): void {
  const pointer = [into?.pointer ?? "", ...path].join("/");
  let target = into?.target ?? record.request;
  for (const step of path.slice(0, -1)) target = (target[step] ??= {}) as Record<string, unknown>;
  const name = path.at(-1)!;
  if (!Object.hasOwn(target, name)) {
    target[name] = value;
    record.places.set(pointer, place);
  } else if (JSON.stringify(target[name]) !== JSON.stringify(value)) {
    const message = `Row ${record.places.get(pointer)?.row} of the same order has another value.`;
    record.errors.push({ ...place, code: "conflicting_value", message });
  }
}
