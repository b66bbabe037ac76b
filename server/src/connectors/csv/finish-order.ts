import { isAnyInvoiceHeader } from "../../core/csv/invoice-headers.ts";
import type { Address } from "../../core/address.ts";
import { cleanAddress } from "../../core/clean-address.ts";
import type { Column, Warning } from "../../core/csv/csv-columns.ts";
import type { Row } from "../../core/csv/csv.ts";
import type { Cell, CellError, Sheet, SheetRecord } from "../../core/csv/sheet.ts";
import { reportGuess } from "../../core/csv/sheet-warnings.ts";
import { shortHash } from "../short-hash.ts";
import { settleAmounts } from "./settle-amounts.ts";

type Given = Record<string, unknown>;
type WrittenAddress = Address & { firstName?: string; lastName?: string; address3?: string; houseNumber?: string };

function columnOf({ columns }: Pick<Sheet, "columns">, ...fields: string[]): string | undefined {
  return columns.find(({ field }) => field !== null && fields.includes(field))?.column;
}

/** Warnings about defaults for missing columns. */
export function assume({ columns, currency }: Pick<Sheet, "columns" | "currency">): Warning[] {
  const sheet = { columns };
  const warnings: Warning[] = [];
  const [line] = columns.filter(({ field }) => field?.startsWith("line."));
  if (line && columnOf(sheet, "line.quantity", "line.orderedQuantity") === undefined) {
    const message = "There is no quantity column: the quantity is 1 in every row.";
    warnings.push({ column: line.column, code: "assumed_quantity", message });
  }
  const amount = columnOf(sheet, "total", "row.total", "amounts.subtotal", "line.price", "line.total", "lines");
  if (amount !== undefined && currency === undefined && columnOf(sheet, "currency") === undefined) {
    const message =
      "There is no currency column: amounts without a currency are in USD. Set `currency` if they are not.";
    warnings.push({ column: amount, code: "assumed_currency", message });
  }
  if (columnOf(sheet, "number", "fallbackNumber") === undefined && columns[0]) {
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
  if (isAnyInvoiceHeader(columns.map(({ column }) => column))) {
    const message = "This is the invoice of a carrier, not a file of orders. Import it as an invoice.";
    return { code: "is_invoice", message };
  }
  const unknown = warnings.filter(({ code }) => code === "unknown_column").map(({ column }) => column);
  if (unknown.length === 0 || columnOf({ columns }, "number", "fallbackNumber") !== undefined) return undefined;
  const names = unknown.slice(0, 10).join(", ");
  const message = `There is no order number column, and these columns are unknown: ${names}. Assign the order number in \`mapping\`, and null to columns to ignore.`;
  return { code: "number_column_unknown", message };
}

const fallbackNumbers = new WeakMap<Sheet["sample"], Map<string, number>>();

/**
 * The number for a row without one: another identifying column, or else a hash of the row, so that importing a file twice
 * creates no duplicates. A row without an address, in a file with addresses, probably belongs to the order above: it is rejected.
 */
export function spareKey(row: Row, cells: Cell[], sheet: Sheet, errors: CellError[]): Cell | CellError | undefined {
  const column = columnOf(sheet, "number");
  const spare = cells.find(({ field }) => field === "fallbackNumber");
  if (spare) {
    const message = `Rows without an order number use ${spare.place.column} as their number.`;
    const place = { row: row.number, column: column ?? spare.place.column };
    reportGuess(sheet, errors, place, { code: "assumed_number", message });
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
  reportGuess(sheet, errors, place, { code: "assumed_number", message });
  return { field: "number", value, place };
}

/** Completes an order after its last row. */
export function finishOrder(record: SheetRecord, sheet: Sheet): void {
  const { request } = record;
  const isOwn = sheet.preset?.name === "hub";
  for (const field of ["shippingAddress", "billingAddress"]) {
    const given = request[field] as WrittenAddress | undefined;
    if (!given) continue;
    const address = joinParts(given);
    if (Object.keys(address).length === 0) delete request[field];
    // Exports of the hub need no cleaning.
    else request[field] = isOwn ? address : cleanAddress(address, sheet.country);
    if (!isOwn) reportLostZero(record, field, sheet);
  }
  if (sheet.currency !== undefined) request.currency ??= sheet.currency;
  if (isOwn) return;
  settleAmounts(record, sheet);
  settlePayment(request);
  settleStatus(request);
  settleNotShipped(request);
  if (request.businessOrder === true) request.tags = [...new Set([...((request.tags ?? []) as string[]), "business"])];
  delete request.businessOrder;
  if (sheet.preset) settleProgram(request, sheet.preset.name);
}

/** Warns about a short ZIP without a country: a leading zero may be lost. With a country, the ZIP was completed before. */
function reportLostZero({ request, rows, errors, places }: SheetRecord, field: string, sheet: Sheet): void {
  const { zip = "", countryCode } = request[field] as Address;
  if (countryCode !== undefined || !/^\d{3,4}$/.test(zip)) return;
  const place = places.get(`/${field}/zip`) ?? { row: rows[0]!.number, column: null };
  const message = `${zip} may have lost a zero in front, and the address has no country. Add the country, or set \`country\`.`;
  reportGuess(sheet, errors, place, { code: "leading_zero_lost", message });
}

const onDelivery = /^(cod|cash on delivery|cashondelivery|nachnahme|per nachnahme|contre remboursement)$/i;

/** Refunds change the payment status; cash on delivery is not paid yet. */
function settlePayment(request: Given): void {
  const { amounts, payment, paidAt, total } = request;
  const { refunded = 0 } = (amounts ?? {}) as { refunded?: number };
  if (refunded > 0 && (request.paymentStatus === undefined || request.paymentStatus === "paid")) {
    request.paymentStatus = typeof total === "number" && refunded >= total ? "refunded" : "partially_refunded";
  }
  const { method } = (payment ?? {}) as { method?: string };
  const isOpen = request.paymentStatus === "paid" && request.status !== "shipped" && paidAt === undefined;
  if (method !== undefined && onDelivery.test(method.trim()) && isOpen) request.paymentStatus = "pending";
}

/** An order of downloads and gift cards alone has nothing to ship: a person decides. */
function settleNotShipped(request: Given): void {
  const lines = (request.lines ?? []) as { requiresShipping?: boolean }[];
  const isNothing = lines.length > 0 && lines.every(({ requiresShipping }) => requiresShipping === false);
  if (isNothing) request.status ??= "review_required";
}

/** What known programs have in common or write in a form of their own. */
function settleProgram(request: Given, preset: string): void {
  const customer = request.customer as { id?: string; name?: string } | undefined;
  const name =
    (request.billingAddress as Address | undefined)?.name ?? (request.shippingAddress as Address | undefined)?.name;
  if (name !== undefined && customer?.name === undefined) request.customer = { ...customer, name };
  // Guests have the number 0.
  if (customer?.id === "0") delete (request.customer as { id?: string }).id;
  // Etsy writes numbers with and without the sign.
  if (preset === "etsy" && typeof request.number === "string") request.number = request.number.replace(/^#(?=.)/, "");
}

function joinParts({ firstName, lastName, address3, houseNumber, ...address }: WrittenAddress): Address {
  const name = [firstName, lastName].filter((part) => part !== undefined).join(" ");
  if (name !== "") address.name ??= name;
  if (houseNumber !== undefined) address.address1 = [address.address1, houseNumber].filter(Boolean).join(" ");
  if (address3 !== undefined) address.address2 = [address.address2, address3].filter(Boolean).join(", ");
  return address;
}

/** Derives the status from the dates and fulfillment status that programs write instead. */
function settleStatus(request: Given): void {
  const { paidAt, cancelledAt, shippedAt, fulfillmentStatus } = request;
  for (const name of ["paidAt", "cancelledAt", "shippedAt", "fulfillmentStatus"]) delete request[name];
  if (paidAt !== undefined) request.paymentStatus ??= "paid";
  const lines = (request.lines ?? []) as { quantity: number; shippedQuantity?: number }[];
  const hasLeft = lines.some(({ shippedQuantity = 0 }) => shippedQuantity > 0);
  if (request.status === undefined) {
    if (cancelledAt !== undefined || fulfillmentStatus === "cancelled") request.status = "cancelled";
    else if (fulfillmentStatus === "fulfilled" || shippedAt !== undefined) request.status = "shipped";
    else if (fulfillmentStatus === "partial" && hasLeft) request.status = "partially_shipped";
    // Refunded but not cancelled: a person has to decide whether it still ships.
    else if (request.paymentStatus === "refunded" || request.paymentStatus === "voided")
      request.status = "review_required";
    else if (fulfillmentStatus !== undefined && request.paymentStatus === "pending")
      request.status = "awaiting_payment";
  }
  if (request.status === "shipped") for (const line of lines) line.shippedQuantity ??= line.quantity;
}
