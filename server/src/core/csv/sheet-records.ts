import { badField } from "../errors.ts";
import { foldName } from "../nearest.ts";
import type { Row } from "./csv.ts";
import { textOfCell } from "./csv.ts";
import { extraCells, verbatim } from "./csv-cells.ts";
import type { Column, Warning } from "./csv-columns.ts";
import type { Cell, CellError, Sheet, SheetKind, SheetOptions, SheetRecord } from "./sheet.ts";
import { columnOf, openSheet, warnOnce } from "./sheet.ts";

/** The cells of a row that have a field; unreadable ones are added to `errors`. */
export function readCells(sheet: Sheet, row: Row, errors: CellError[]): Cell[] {
  const { number, cells, problem } = row;
  const { kind, columns, readers, conventions, preset } = sheet;
  if (problem !== undefined) {
    errors.push({ row: number, column: null, code: "malformed_row", message: problem });
    // The cells before the error may still have the key of the record.
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
      if (kind.required?.includes(field)) errors.push({ ...place, code: "required", message: "A value is required." });
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
  const message = `Row ${number} has several lines, each with as many cells as a row. If they should be separate rows, remove the extra quotation mark.`;
  return { column: first?.column ?? "", code: "joined_rows", message };
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
    const spare = row.problem !== undefined || cells.some(isKey) ? undefined : spareKey?.(row, cells, sheet);
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

function isNotData({ preset }: Sheet, { cells }: Row): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  return preset?.notData !== undefined && filled.length <= maxNotData && preset.notData.test(filled.join(" "));
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
