import type { Address } from "../../core/address.ts";
import { cleanAddress } from "../../core/clean-address.ts";
import type { Warning } from "../../core/csv/csv-columns.ts";
import type { Sheet } from "../../core/csv/sheet.ts";
import { warnOnce } from "../../core/csv/sheet.ts";
import { cutText } from "../../core/cut-text.ts";

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
    const message = "No column is the currency: amounts are in USD. Say `currency` if they are not.";
    warnings.push({ column: amount, code: "assumed_currency", message });
  }
  if (columnOf(sheet, "number") === undefined && columns[0]) {
    const message = "No column is the number of the order: every row becomes an order of its own, with a new number.";
    warnings.push({ column: columns[0].column, code: "assumed_number", message });
  }
  return warnings;
}

const maxSku = 100;
const maxName = 200;

/** A line as the hub has it: an amount for all of it becomes one for each, and what left as a whole has left. */
export function settleLine(line: Given, sheet: Sheet): void {
  const { total, fulfillmentStatus } = line as { total?: number; fulfillmentStatus?: string };
  delete line.total;
  delete line.fulfillmentStatus;
  if (Object.keys(line).length === 0) return;
  const quantity = (line.quantity ??= 1) as number;
  if (total !== undefined && quantity > 0) line.price ??= Math.round((total / quantity) * 10_000) / 10_000;
  if (fulfillmentStatus === "fulfilled") line.shippedQuantity ??= quantity;
  if (!sheet.preset) return;
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
  settleStatus(request);
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
  else if (fulfillmentStatus !== undefined && request.paymentStatus === "pending") request.status = "awaiting_payment";
}
