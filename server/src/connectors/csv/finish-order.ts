import type { Address } from "../../core/address.ts";
import { cleanAddress } from "../../core/clean-address.ts";
import type { Column, Warning } from "../../core/csv/csv-columns.ts";
import type { Row } from "../../core/csv/csv.ts";
import type { Cell, CellError, Sheet } from "../../core/csv/sheet.ts";
import { warnOnce } from "../../core/csv/sheet.ts";
import { cutText } from "../../core/cut-text.ts";
import { roundToCents } from "../../core/money.ts";
import { nameWith, notShippedText } from "../shape.ts";
import { shortHash } from "../short-hash.ts";

type Given = Record<string, unknown>;
type WrittenAddress = Address & { firstName?: string; lastName?: string; address3?: string };

function columnOf({ columns }: Pick<Sheet, "columns">, ...fields: string[]): string | undefined {
  return columns.find(({ field }) => field !== null && fields.includes(field))?.column;
}

/** Warnings about defaults for missing columns. */
export function assume({ columns, currency }: Pick<Sheet, "columns" | "currency">): Warning[] {
  const sheet = { columns };
  const warnings: Warning[] = [];
  const [line] = columns.filter(({ field }) => field?.startsWith("line."));
  if (line && columnOf(sheet, "line.quantity") === undefined) {
    const message = "There is no quantity column: the quantity is 1 in every row.";
    warnings.push({ column: line.column, code: "assumed_quantity", message });
  }
  const amount = columnOf(sheet, "total", "line.price", "line.total");
  if (amount !== undefined && currency === undefined && columnOf(sheet, "currency") === undefined) {
    const message =
      "There is no currency column: amounts without a currency are in USD. Set `currency` if they are not.";
    warnings.push({ column: amount, code: "assumed_currency", message });
  }
  if (columnOf(sheet, "number") === undefined && columns[0]) {
    const message = "There is no order number column: every row becomes an order with a new number.";
    warnings.push({ column: columns[0].column, code: "assumed_number", message });
  }
  return warnings;
}

/**
 * A file with unknown column names, such as those of another language, would become orders without number, address and quantity:
 * the sender must first assign the order number, or ignore the unknown columns.
 */
export function unclear(columns: Column[], warnings: Warning[]): { code: string; message: string } | undefined {
  const unknown = warnings.filter(({ code }) => code === "unknown_column").map(({ column }) => column);
  if (unknown.length === 0 || columnOf({ columns }, "number", "fallbackNumber") !== undefined) return undefined;
  const names = unknown.slice(0, 10).join(", ");
  const message = `There is no order number column, and these columns are unknown: ${names}. Assign the order number in \`mapping\`, and null to columns to ignore.`;
  return { code: "number_column_unknown", message };
}

const maxSku = 100;
const maxName = 200;

/** `note`: text that is too long for the name of the line. */
type SettledLine = { isLine: boolean; isShipped: boolean; note?: string };

/** Converts a line: the total becomes a unit price, and a fulfilled line is shipped completely. */
export function settleLine(line: Given, sheet: Sheet): SettledLine {
  const { total, fulfillmentStatus, properties, requiresShipping = true } = line as WrittenLine;
  for (const name of ["total", "fulfillmentStatus", "properties", "requiresShipping"]) delete line[name];
  if (Object.keys(line).length === 0) return { isLine: false, isShipped: true };
  const quantity = (line.quantity ??= 1) as number;
  if (quantity === 0) {
    const message = "Rows with quantity 0 are ignored.";
    warnOnce(sheet, { column: columnOf(sheet, "line.quantity") ?? "", code: "no_quantity", message });
    return { isLine: false, isShipped: true };
  }
  if (total !== undefined && quantity > 0) line.price ??= Math.round((total / quantity) * 10_000) / 10_000;
  if (fulfillmentStatus === "fulfilled") line.shippedQuantity ??= quantity;
  if (sheet.preset) settleName(line, sheet);
  const note = properties === undefined ? undefined : addProperties(line, properties, sheet);
  return { isLine: true, isShipped: requiresShipping, ...(note === undefined ? {} : { note }) };
}

type WrittenLine = { total?: number; fulfillmentStatus?: string; properties?: string; requiresShipping?: boolean };

function settleName(line: Given, sheet: Sheet): void {
  // Titles of marketplaces can be very long.
  if (typeof line.name === "string") line.name = cutText(line.name, maxName);
  // The hub requires a SKU, shops do not.
  if (line.sku === undefined && typeof line.name === "string") {
    line.sku = cutText(line.name, maxSku).trim();
    const column = columnOf(sheet, "line.name") ?? "";
    const message = "Items without a SKU use their name as SKU.";
    warnOnce(sheet, { column, code: "sku_from_name", message });
  }
}

/** Appends options and engravings to the name, or adds a note if they are too long. */
function addProperties(line: Given, properties: string, sheet: Sheet): string | undefined {
  const { name, note } = nameWith(typeof line.name === "string" ? line.name : undefined, [properties]);
  line.name = name;
  const message = "Added to the item name, or as a note if it is long.";
  warnOnce(sheet, { column: columnOf(sheet, "line.properties") ?? "", code: "kept_in_name", message });
  return note;
}

const fallbackNumbers = new WeakMap<Sheet["sample"], Map<string, number>>();

/**
 * The number for a row without one: another identifying column, or else a hash of the row, so that importing a file twice
 * creates no duplicates. A row without an address, in a file with addresses, probably belongs to the order above: it is rejected.
 */
export function spareKey(row: Row, cells: Cell[], sheet: Sheet): Cell | CellError | undefined {
  const column = columnOf(sheet, "number");
  const spare = cells.find(({ field }) => field === "fallbackNumber");
  if (spare) {
    const message = `Rows without an order number use ${spare.place.column} as their number.`;
    warnOnce(sheet, { column: column ?? spare.place.column ?? "", code: "assumed_number", message });
    return { ...spare, field: "number" };
  }
  if (column === undefined) return undefined;
  const place = { row: row.number, column };
  const isAddress = ({ field }: { field: string | null }): boolean => field?.startsWith("shippingAddress.") ?? false;
  if (sheet.columns.some(isAddress) && !cells.some(isAddress)) {
    const message = "An order number is required: the row cannot be assigned to an order.";
    return { ...place, code: "required", message };
  }
  const text = JSON.stringify(row.cells.map((cell) => cell.trim()));
  const seen = fallbackNumbers.get(sheet.sample) ?? new Map<string, number>();
  fallbackNumbers.set(sheet.sample, seen.set(text, (seen.get(text) ?? 0) + 1));
  const nth = seen.get(text)!;
  const value = `ROW-${shortHash(text).toUpperCase()}${nth === 1 ? "" : `-${nth}`}`;
  const message =
    "Rows without an order number get one derived from their cells: the same row again is the same order.";
  warnOnce(sheet, { column, code: "assumed_number", message });
  return { field: "number", value, place };
}

/** Completes an order after its last row. */
export function finishOrder(request: Given, sheet: Sheet): void {
  const isOwn = sheet.preset?.name === "hub";
  for (const field of ["shippingAddress", "billingAddress"]) {
    const given = request[field] as WrittenAddress | undefined;
    if (!given) continue;
    const address = joinParts(given);
    if (Object.keys(address).length === 0) delete request[field];
    // Exports of the hub need no cleaning.
    else request[field] = isOwn ? address : cleanAddress(address, sheet.country);
  }
  if (sheet.currency !== undefined) request.currency ??= sheet.currency;
  settleMoney(request);
  settleStatus(request);
  settleNotShipped(request);
}

const onDelivery = /^(cod|cash on delivery|nachnahme|per nachnahme)$/i;

/** Subtracts refunds from the total; cash on delivery is not paid yet. */
function settleMoney(request: Given): void {
  const { refundedAmount, paymentMethod, paidAt, total } = request;
  delete request.refundedAmount;
  delete request.paymentMethod;
  if (typeof refundedAmount === "number" && refundedAmount !== 0 && typeof total === "number") {
    // Some programs write refunds as negative amounts.
    request.total = Math.max(0, roundToCents(total - Math.abs(refundedAmount)));
    const isPaid = request.paymentStatus === undefined || request.paymentStatus === "paid";
    if (isPaid) request.paymentStatus = request.total === 0 ? "refunded" : "partially_refunded";
  }
  const isOnDelivery = typeof paymentMethod === "string" && onDelivery.test(paymentMethod.trim());
  const isOpen = request.paymentStatus === "paid" && request.status !== "shipped" && paidAt === undefined;
  if (isOnDelivery && isOpen) request.paymentStatus = "pending";
}

/** Items that need no shipping, such as gift cards, go to a custom field: they are not packed. */
function settleNotShipped(request: Given): void {
  const items = request.notShipped as { name?: string; sku: string; quantity: number }[] | undefined;
  delete request.notShipped;
  if (!items) return;
  if (request.lines === undefined) {
    request.lines = items;
    request.status ??= "review_required";
    return;
  }
  request.customFields = { ...(request.customFields as Given | undefined), not_shipped: notShippedText(items) };
}

function joinParts({ firstName, lastName, address3, ...address }: WrittenAddress): Address {
  const name = [firstName, lastName].filter((part) => part !== undefined).join(" ");
  if (name !== "") address.name ??= name;
  if (address3 !== undefined) address.address2 = [address.address2, address3].filter(Boolean).join(", ");
  return address;
}

/** Derives the status from the dates and fulfillment status that programs write instead. */
function settleStatus(request: Given): void {
  const { paidAt, cancelledAt, shippedAt, fulfillmentStatus } = request;
  for (const name of ["paidAt", "cancelledAt", "shippedAt", "fulfillmentStatus"]) delete request[name];
  if (paidAt !== undefined) request.paymentStatus ??= "paid";
  if (request.status !== undefined) return;
  const lines = (request.lines ?? []) as { quantity: number; shippedQuantity?: number }[];
  const hasLeft = lines.some(({ shippedQuantity = 0 }) => shippedQuantity > 0);
  if (cancelledAt !== undefined) request.status = "cancelled";
  else if (fulfillmentStatus === "fulfilled" || shippedAt !== undefined) {
    request.status = "shipped";
    for (const line of lines) line.shippedQuantity ??= line.quantity;
  } else if (fulfillmentStatus === "partial" && hasLeft) request.status = "partially_shipped";
  // Refunded but not cancelled: a person has to decide whether it still ships.
  else if (request.paymentStatus === "refunded" || request.paymentStatus === "voided")
    request.status = "review_required";
  else if (fulfillmentStatus !== undefined && request.paymentStatus === "pending") request.status = "awaiting_payment";
}
