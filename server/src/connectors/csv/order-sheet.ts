import type { CellReader, CellValue } from "../../core/csv/csv-cells.ts";
import { clip, readCode, readDate, readNumber, readUnit, repairAddress } from "../../core/csv/csv-cells.ts";
import type { SheetField } from "../../core/csv/csv-columns.ts";
import { addressFields } from "../../core/csv/csv-columns.ts";
import type { Cell, Sheet, SheetKind, SheetRecord } from "../../core/csv/sheet.ts";
import { put, settleWeight } from "../../core/csv/sheet.ts";
import { textProblem } from "../../core/strict-json.ts";
import { namesWithUnits } from "../../core/weight.ts";

const shippingPrefixes = ["shippingaddress", "shipping", "shipto", "ship", "delivery", "recipient", ""];
const billingPrefixes = ["billingaddress", "billing", "billto", "bill"];

const readWord: CellReader = (text) => ({ value: text.toLowerCase().replaceAll(/[\s-]+/g, "_") });

/** What a file can say about an order. */
const fields: SheetField[] = [
  ["number", "ordernumber orderno ordernum number order orderid"],
  ["externalId", "externalid externalorderid sourceid"],
  ["status", "status orderstatus", readWord],
  ["paymentStatus", "paymentstatus financialstatus", readWord],
  ["priority", "priority", readWord],
  ["tags", "tags tag", (text) => ({ value: readTags(text) })],
  ["channel", "channel saleschannel marketplace source store"],
  ["currency", "currency currencycode", readCode],
  ["total", "total ordertotal grandtotal amount", readNumber],
  ["orderedAt", "orderedat orderdate dateordered purchasedate date", readDate],
  ["shipBy", "shipby shipbydate", readDate],
  ["deliverBy", "deliverby deliverbydate duedate", readDate],
  ["dispatchOn", "dispatchon dispatchdate", readDate],
  ["customer.name", "customername customer buyername buyer"],
  ["customer.email", "customeremail email emailaddress buyeremail"],
  ["customer.phone", "customerphone buyerphone"],
  ["line.id", "lineid lineitemid"],
  ["line.sku", "linesku sku itemsku lineitemsku productsku itemcode productcode"],
  ["line.name", "linename itemname lineitemname productname product item title"],
  [
    "line.quantity",
    "linequantity quantity qty itemquantity lineitemquantity itemqty quantitypurchased quantityordered",
    readNumber,
  ],
  ["line.price", "lineprice price unitprice itemprice lineitemprice", readNumber],
  ["line.weight", namesWithUnits("lineweight weight itemweight lineitemweight unitweight"), readNumber],
  ["line.weightUnit", "lineweightunit weightunit weightunits weightuom", readUnit],
  ["shipping.carrier", "shippingcarrier carrier"],
  ["shipping.service", "shippingservice service shippingmethod shipmethod"],
  ["note", "note notes ordernote customernote"],
  ["locationId", "locationid"],
  ["assigneeId", "assigneeid"],
  ["customFields", "customfields", readObject],
  ...addressFields("shippingAddress", shippingPrefixes),
  ...addressFields("billingAddress", billingPrefixes),
];

const customField = /^customFields\.[A-Za-z][\w.-]{0,63}$/;

/** One row per line; rows with the same number are one order, and a row without a number is an order of its own. */
export const orderSheet: SheetKind = {
  noun: "Orders",
  fields,
  isFurtherField: (field) => customField.test(field),
  recordKey: "number",
  weight: { value: "line.weight", unit: "line.weightUnit" },
  addRow,
  finish({ request }) {
    for (const field of ["shippingAddress", "billingAddress"]) {
      if (request[field]) request[field] = repairAddress(request[field]);
    }
  },
  fieldAt: (pointer) =>
    pointer
      .slice(1)
      .replace(/^lines\/\d+/, "line")
      .replaceAll("/", "."),
};

function addRow(record: SheetRecord, cells: Cell[], sheet: Sheet): void {
  const lines = record.request.lines as Record<string, unknown>[] | undefined;
  const line = { target: {} as Record<string, unknown>, pointer: `/lines/${lines?.length ?? 0}` };
  for (const cell of cells) {
    const [outer, ...rest] = cell.field.split(".") as [string, ...string[]];
    const inner = rest.join(".");
    if (cell.field === "note") addNote(record, cell);
    else if (cell.field === "line.weight") put(record, ["weight", "value"], cell, line);
    else if (cell.field === "line.weightUnit") put(record, ["weight", "unit"], cell, line);
    else if (outer === "line") put(record, [inner], cell, line);
    else put(record, inner === "" ? [outer] : [outer, inner], cell);
  }
  settleWeight(line.target, sheet);
  if (Object.keys(line.target).length === 0) return;
  line.target.quantity ??= 1;
  record.places.set(line.pointer, { row: record.rows.at(-1)!.number, column: null });
  if (lines) lines.push(line.target);
  else record.request.lines = [line.target];
}

function addNote({ request, places }: SheetRecord, { value, place }: Cell): void {
  const notes = (request.notes ??= []) as { text: unknown }[];
  if (notes.some(({ text }) => text === value)) return;
  places.set(`/notes/${notes.length}`, place);
  notes.push({ text: value });
}

const separator = /[,;|]/;

/** Tags in one cell; as a JSON list when one of them has what separates them. */
export function writeTags(tags: readonly string[]): string {
  return tags.some((tag) => separator.test(tag) || tag.startsWith("[")) ? JSON.stringify(tags) : tags.join("|");
}

export function readTags(text: string): string[] {
  const tags = readTexts(text) ?? text.split(separator).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

function readTexts(text: string): string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const list = JSON.parse(text) as unknown;
    const isKept = Array.isArray(list) && list.every((member) => typeof member === "string" && !textProblem(member));
    return isKept ? (list as string[]) : undefined;
  } catch {
    return undefined;
  }
}

function readObject(text: string): CellValue {
  try {
    const value = JSON.parse(text) as unknown;
    const isKept =
      typeof value === "object" &&
      value !== null &&
      Object.values(value).every((member) => typeof member !== "string" || !textProblem(member));
    if (isKept) return { value };
  } catch {
    // Said below.
  }
  return { problem: { code: "not_json", message: `${clip(text)} is not a JSON object that can be kept.` } };
}
