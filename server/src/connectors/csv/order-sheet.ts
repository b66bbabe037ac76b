import type { Cell, Place, Sheet, SheetKind, SheetRecord } from "../../core/csv/sheet.ts";
import { settleWeight } from "../../core/csv/sheet.ts";
import { put } from "../../core/csv/sheet-records.ts";
import { assume, finishOrder, spareKey, unclear } from "./finish-order.ts";
import type { NamedValue } from "./order-cells.ts";
import { vagueNames } from "./order-column-names.ts";
import { orderPresets } from "./order-presets.ts";
import { isFurtherField, orderFields, repeatableFields, spareFields } from "./order-sheet-fields.ts";
import { isRowTotal } from "./settle-amounts.ts";
import { settleLine } from "./settle-line.ts";

/** One row per line item; rows with the same number form one order. */
export const orderSheet: SheetKind = {
  noun: "Orders",
  fields: orderFields,
  isFurtherField,
  recordKey: "number",
  spareKey,
  weight: { value: "line.weight", unit: "line.weightUnit" },
  presets: orderPresets,
  vague:
    `name order orderid date amount item product title source store buyer customer address state ${vagueNames}`.split(
      " ",
    ),
  repeatable: repeatableFields,
  assume,
  unclear,
  addRow,
  finish: finishOrder,
  fieldAt: (pointer) =>
    pointer
      .slice(1)
      .replace(/^lines\/\d+/, "line")
      .replaceAll("/", "."),
};

type Line = Record<string, unknown>;
type Part = { target: Line; pointer: string };

function addRow(record: SheetRecord, cells: Cell[], sheet: Sheet): void {
  const line: Part = { target: {}, pointer: `/lines/${(record.request.lines as Line[] | undefined)?.length ?? 0}` };
  const rowAmounts: Record<string, number> = {};
  for (const cell of cells) {
    const [outer, ...rest] = cell.field.split(".") as [string, ...string[]];
    const inner = rest.join(".");
    if (outer === "line") addLineCell(record, line, rest, cell);
    else if (outer === "row") rowAmounts[inner] = (rowAmounts[inner] ?? 0) + (cell.value as number);
    else if (outer === "note") addNotes(record, inner === "" ? cell : namedNote(inner, cell));
    else if (inner === "text")
      for (const [part, value] of Object.entries(cell.value as Line)) put(record, [outer, part], { ...cell, value });
    else if (cell.field === "giftMessage") addGiftMessage(record, cell);
    else if (cell.field === "discountCode" || cell.field === "discountTitle") addDiscounts(record, cell);
    else if (cell.field === "lines")
      for (const item of cell.value as Line[]) addLine(record, { ...item }, cell.place, sheet);
    else if (spareFields.includes(cell.field) && isKnown(record, cell.field)) continue;
    else if (cell.field !== "fallbackNumber") put(record, inner === "" ? [outer] : [outer, inner], cell);
  }
  const row = record.rows.at(-1)!.number;
  addRowAmounts(record, rowAmounts, sheet);
  settleWeight(line.target, sheet);
  if (Object.keys(line.target).length > 0) addLine(record, line.target, { row, column: null }, sheet);
}

function isKnown({ places }: SheetRecord, field: string): boolean {
  return places.has(`/${field.replace(".", "/")}`);
}

function addLineCell(record: SheetRecord, line: Part, [part = "", ...name]: string[], cell: Cell): void {
  if (part === "weight") put(record, ["weight", "value"], cell, line);
  else if (part === "weightUnit") put(record, ["weight", "unit"], cell, line);
  else if (name.length > 0) addNamed(line, part, [{ name: name.join("."), value: String(cell.value) }]);
  else if (part === "variations") {
    for (const [list, values] of Object.entries(cell.value as Record<string, NamedValue[]>))
      addNamed(line, list, values);
  } else put(record, [part], cell, line);
}

function addNamed({ target }: Part, list: string, values: NamedValue[]): void {
  if (values.length > 0) target[list] = [...((target[list] as NamedValue[] | undefined) ?? []), ...values];
}

function addLine(record: SheetRecord, line: Line, place: Place, sheet: Sheet): void {
  const lines = (record.request.lines ?? []) as Line[];
  if (!settleLine(line, lines, record, place, sheet)) return;
  record.places.set(`/lines/${lines.length}`, place);
  lines.push(line);
  record.request.lines = lines;
}

/** Added over the rows of an order; where each row shows an amount of the whole order, the largest is that of the order. */
function addRowAmounts({ request }: SheetRecord, ofRow: Record<string, number>, sheet: Sheet): void {
  for (const [part, amount] of Object.entries(ofRow)) {
    const known = (request.rowAmounts ??= {}) as Record<string, number>;
    const before = known[part];
    known[part] = before === undefined ? amount : isRowTotal(sheet) ? Math.max(before, amount) : before + amount;
  }
}

type Note = { text: string; visibility?: string };

function namedNote(name: string, cell: Cell): Cell {
  return { ...cell, value: [{ text: `${name}: ${String(cell.value)}` }] };
}

function addNotes({ request, places }: SheetRecord, { value, place }: Cell): void {
  const notes = (request.notes ??= []) as Note[];
  // Repeated in every row of an order by some programs.
  const known = [...notes];
  for (const note of value as Note[]) {
    if (known.some(({ text, visibility }) => text === note.text && visibility === note.visibility)) continue;
    places.set(`/notes/${notes.length}`, place);
    notes.push(note);
  }
}

/** Marketplaces have a message for each item. */
function addGiftMessage({ request, places }: SheetRecord, { value, place }: Cell): void {
  const known = request.giftMessage as string | undefined;
  if (known !== undefined && `\n${known}\n`.includes(`\n${String(value)}\n`)) return;
  places.set("/giftMessage", place);
  request.giftMessage = known === undefined ? value : `${known}\n${String(value)}`;
}

type Discount = { code?: string; title?: string; amount?: number };

function addDiscounts({ request }: SheetRecord, { value }: Cell): void {
  const found = (request.foundDiscounts ??= []) as Discount[];
  for (const discount of value as Discount[]) {
    if (!found.some(({ code, title }) => code === discount.code && title === discount.title)) found.push(discount);
  }
}
