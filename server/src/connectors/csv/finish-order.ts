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

/** What an order has although no column says it. */
export function assume({ columns, currency }: Pick<Sheet, "columns" | "currency">): Warning[] {
  const sheet = { columns };
  const warnings: Warning[] = [];
  const [line] = columns.filter(({ field }) => field?.startsWith("line."));
  if (line && columnOf(sheet, "line.quantity") === undefined) {
    const message = "No column is the quantity: it is 1 in every row.";
    warnings.push({ column: line.column, code: "assumed_quantity", message });
  }
  const amount = columnOf(sheet, "total", "line.price", "line.total");
  if (amount !== undefined && currency === undefined && columnOf(sheet, "currency") === undefined) {
    const message = "No column is the currency: amounts that name none are in USD. Say `currency` if they are not.";
    warnings.push({ column: amount, code: "assumed_currency", message });
  }
  if (columnOf(sheet, "number") === undefined && columns[0]) {
    const message = "No column is the number of the order: every row becomes an order of its own, with a new number.";
    warnings.push({ column: columns[0].column, code: "assumed_number", message });
  }
  return warnings;
}

/**
 * A file in words that are not known, such as those of another language, would become orders without a number, an address
 * and a quantity: it is only taken once somebody has said which column is the number, or that the others do not matter.
 */
export function unclear(columns: Column[], warnings: Warning[]): { code: string; message: string } | undefined {
  const unknown = warnings.filter(({ code }) => code === "unknown_column").map(({ column }) => column);
  if (unknown.length === 0 || columnOf({ columns }, "number", "fallbackNumber") !== undefined) return undefined;
  const names = unknown.slice(0, 10).join(", ");
  const message = `No column is the number of the order, and these are not known: ${names}. Say in \`mapping\` which one is the number, and null for those that are to be left out.`;
  return { code: "number_column_unknown", message };
}

const maxSku = 100;
const maxName = 200;

/** What became of the cells of a line. `note`: what has no room in its name. */
type SettledLine = { isLine: boolean; isShipped: boolean; note?: string };

/** A line as the hub has it: an amount for all of it becomes one for each, and what left as a whole has left. */
export function settleLine(line: Given, sheet: Sheet): SettledLine {
  const { total, fulfillmentStatus, properties, requiresShipping = true } = line as WrittenLine;
  for (const name of ["total", "fulfillmentStatus", "properties", "requiresShipping"]) delete line[name];
  if (Object.keys(line).length === 0) return { isLine: false, isShipped: true };
  const quantity = (line.quantity ??= 1) as number;
  if (quantity === 0) {
    const message = "Rows with the quantity 0 are not lines of their order.";
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
  // Marketplaces have titles that are longer than anybody reads.
  if (typeof line.name === "string") line.name = cutText(line.name, maxName);
  // Shops do not ask for one, and the hub does.
  if (line.sku === undefined && typeof line.name === "string") {
    line.sku = cutText(line.name, maxSku).trim();
    const column = columnOf(sheet, "line.name") ?? "";
    const message = "Items without a SKU have their name as one.";
    warnOnce(sheet, { column, code: "sku_from_name", message });
  }
}

/** What was chosen or engraved stands behind the name, or in a note where it is too long for that. */
function addProperties(line: Given, properties: string, sheet: Sheet): string | undefined {
  const { name, note } = nameWith(typeof line.name === "string" ? line.name : undefined, [properties]);
  line.name = name;
  const message = "It is kept behind the name of the item, or as a note where it is long.";
  warnOnce(sheet, { column: columnOf(sheet, "line.properties") ?? "", code: "kept_in_name", message });
  return note;
}

const fallbackNumbers = new WeakMap<Sheet["sample"], Map<string, number>>();

/**
 * The number of an order whose row has none: another column that tells its orders apart, or else one made from what the row
 * says, so that the same file sent twice makes no order twice. A row without an address, in a file that has them, is probably
 * a further row of the order above, which cannot be known: it is refused.
 */
export function spareKey(row: Row, cells: Cell[], sheet: Sheet): Cell | CellError | undefined {
  const column = columnOf(sheet, "number");
  const spare = cells.find(({ field }) => field === "fallbackNumber");
  if (spare) {
    const message = `Rows without an order number have their ${spare.place.column} as one.`;
    warnOnce(sheet, { column: column ?? spare.place.column ?? "", code: "assumed_number", message });
    return { ...spare, field: "number" };
  }
  if (column === undefined) return undefined;
  const place = { row: row.number, column };
  const isAddress = ({ field }: { field: string | null }): boolean => field?.startsWith("shippingAddress.") ?? false;
  if (sheet.columns.some(isAddress) && !cells.some(isAddress)) {
    const message = "It is missing: nothing says to which order the row belongs.";
    return { ...place, code: "required", message };
  }
  const text = JSON.stringify(row.cells.map((cell) => cell.trim()));
  const seen = fallbackNumbers.get(sheet.sample) ?? new Map<string, number>();
  fallbackNumbers.set(sheet.sample, seen.set(text, (seen.get(text) ?? 0) + 1));
  const nth = seen.get(text)!;
  const value = `ROW-${shortHash(text).toUpperCase()}${nth === 1 ? "" : `-${nth}`}`;
  const message =
    "Rows without an order number have one that is made from their cells: the same row again is the same order.";
  warnOnce(sheet, { column, code: "assumed_number", message });
  return { field: "number", value, place };
}

/** What is put right when all rows of an order are known. */
export function finishOrder(request: Given, sheet: Sheet): void {
  const isOwn = sheet.preset?.name === "hub";
  for (const field of ["shippingAddress", "billingAddress"]) {
    const given = request[field] as WrittenAddress | undefined;
    if (!given) continue;
    const address = joinParts(given);
    if (Object.keys(address).length === 0) delete request[field];
    // What the hub has written itself is as it was meant.
    else request[field] = isOwn ? address : cleanAddress(address, sheet.country);
  }
  if (sheet.currency !== undefined) request.currency ??= sheet.currency;
  settleMoney(request);
  settleStatus(request);
  settleNotShipped(request);
}

const onDelivery = /^(cod|cash on delivery|nachnahme|per nachnahme)$/i;

/** What was paid back is not in the total, and what is paid on delivery is not paid yet. */
function settleMoney(request: Given): void {
  const { refundedAmount, paymentMethod, paidAt, total } = request;
  delete request.refundedAmount;
  delete request.paymentMethod;
  if (typeof refundedAmount === "number" && refundedAmount !== 0 && typeof total === "number") {
    // Some write it as what it is, some as what it takes away.
    request.total = Math.max(0, roundToCents(total - Math.abs(refundedAmount)));
    const isPaid = request.paymentStatus === undefined || request.paymentStatus === "paid";
    if (isPaid) request.paymentStatus = request.total === 0 ? "refunded" : "partially_refunded";
  }
  const isOnDelivery = typeof paymentMethod === "string" && onDelivery.test(paymentMethod.trim());
  const isOpen = request.paymentStatus === "paid" && request.status !== "shipped" && paidAt === undefined;
  if (isOnDelivery && isOpen) request.paymentStatus = "pending";
}

/** Items that need no shipping, such as gift cards, are kept in a custom field: they are not part of a parcel. */
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

/** How far the order is, from what programs say instead of it. */
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
