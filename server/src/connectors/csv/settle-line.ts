import type { Place, Sheet, SheetRecord } from "../../core/csv/sheet.ts";
import { reportGuess, warnOnce } from "../../core/csv/sheet-warnings.ts";
import { cutText } from "../../core/cut-text.ts";
import { decodeEntities } from "../../core/html-text.ts";
import { roundToCents } from "../../core/money.ts";
import type { NamedValue } from "./order-cells.ts";

const maxSku = 100;
const maxName = 200;

type Line = Record<string, unknown>;
/** Parts of a line that only files have. */
type Written = {
  quantity?: number;
  orderedQuantity?: number;
  refundedQuantity?: number;
  price?: number;
  total?: number;
  fulfillmentStatus?: string;
};

/**
 * Completes a line and decides whether it is one: the total becomes a unit price, refunded units are no longer to be delivered, and
 * a fulfilled line is shipped completely. Rows that reduce an order change the order or its earlier lines instead.
 */
export function settleLine(line: Line, earlier: Line[], record: SheetRecord, place: Place, sheet: Sheet): boolean {
  const { orderedQuantity, total, fulfillmentStatus, ...rest } = line as Written;
  for (const name of ["orderedQuantity", "total", "fulfillmentStatus"]) delete line[name];
  const isOfProgram = sheet.preset !== undefined && sheet.preset.name !== "hub";
  if (isOfProgram) settleName(line, sheet);
  // A row about the order as a whole.
  if (isOfProgram ? line.sku === undefined : Object.keys(line).length === 0) return false;
  const refunded = rest.refundedQuantity ?? 0;
  if (orderedQuantity !== undefined && rest.quantity !== undefined && orderedQuantity > rest.quantity)
    line.refundedQuantity = orderedQuantity - rest.quantity;
  const quantity = rest.quantity ?? (orderedQuantity === undefined ? undefined : orderedQuantity - refunded);
  line.quantity = quantity ?? assumeOne(record, place, sheet);
  if (quantity === 0) {
    const message = "Rows with quantity 0 are ignored.";
    warnOnce(sheet, { column: columnOf(sheet, "line.quantity"), code: "no_quantity", message });
    return false;
  }
  if (quantity !== undefined && quantity < 0) return !takeBack(line, -quantity, earlier, place, sheet);
  const units = orderedQuantity ?? (line.quantity as number);
  if (total !== undefined && units > 0) line.price ??= Math.round((total / units) * 10_000) / 10_000;
  if (typeof line.price === "number" && line.price < 0) {
    addDiscount(line, record, place, sheet);
    return false;
  }
  if (fulfillmentStatus === "fulfilled") line.shippedQuantity ??= line.quantity;
  return true;
}

function columnOf({ columns }: Sheet, ...fields: string[]): string {
  return columns.find(({ field }) => field !== null && fields.includes(field))?.column ?? "";
}

/** A missing column is reported once for the file. */
function assumeOne({ errors }: SheetRecord, { row }: Place, sheet: Sheet): number {
  const column = columnOf(sheet, "line.quantity", "line.orderedQuantity");
  const message = "Rows without a quantity have the quantity 1.";
  // An unreadable quantity is an error already.
  const isUnreadable = errors.some((error) => error.row === row && error.column === column);
  if (column !== "" && !isUnreadable)
    reportGuess(sheet, errors, { row, column }, { code: "assumed_quantity", message });
  return 1;
}

function settleName(line: Line, sheet: Sheet): void {
  // Titles of marketplaces can be very long, and web shops write HTML entities.
  if (typeof line.name === "string") line.name = cutText(decodeEntities(line.name), maxName);
  if (line.sku !== undefined || typeof line.name !== "string") return;
  // The hub requires a SKU, shops do not. Variants of a product must not become one SKU.
  const chosen = ((line.options ?? []) as NamedValue[]).map(({ value }) => value);
  line.sku = cutText([line.name, ...chosen].join(" / "), maxSku).trim();
  const message = "Items without a SKU use their name as SKU.";
  warnOnce(sheet, { column: columnOf(sheet, "line.name", "lines"), code: "sku_from_name", message });
}

/** A row with a negative quantity takes units of an earlier row back; without one, the order is rejected by its quantity. */
function takeBack({ sku, id }: Line, units: number, earlier: Line[], { row }: Place, sheet: Sheet): boolean {
  const line = earlier.find(
    (known) => known.sku === sku && (id === undefined || known.id !== id) && (known.quantity as number) >= units,
  );
  if (!line) return false;
  line.quantity = (line.quantity as number) - units;
  line.refundedQuantity = ((line.refundedQuantity as number | undefined) ?? 0) + units;
  const column = columnOf(sheet, "line.quantity", "line.orderedQuantity");
  const message = `Rows with a negative quantity, such as row ${row}, take units of an earlier row back.`;
  warnOnce(sheet, { column, code: "negative_line", message });
  return true;
}

/** A row with a negative price is a discount: "10 % off, 1, -5.00". */
function addDiscount(
  { name, sku, price, quantity }: Line,
  { request }: SheetRecord,
  { row }: Place,
  sheet: Sheet,
): void {
  const amount = roundToCents(Math.abs((price as number) * (quantity as number)));
  const lines = (request.negativeLines ??= []) as { title: string; amount: number }[];
  const title = typeof name === "string" ? name : typeof sku === "string" ? sku : "Discount";
  lines.push({ title: cutText(title, maxName), amount });
  const message = `Rows with a negative price, such as row ${row}, are discounts of the order.`;
  warnOnce(sheet, { column: columnOf(sheet, "line.price", "line.total"), code: "negative_line", message });
}
