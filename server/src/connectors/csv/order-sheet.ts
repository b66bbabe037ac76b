import type { CellReader, CellValue } from "../../core/csv/csv-cells.ts";
import {
  clip,
  readAmount,
  readCode,
  readDate,
  readForeignCode,
  readIdentifier,
  readNumber,
  readUnit,
} from "../../core/csv/csv-cells.ts";
import type { SheetField } from "../../core/csv/csv-columns.ts";
import { addressFields } from "../../core/csv/csv-columns.ts";
import type { Cell, Sheet, SheetKind, SheetRecord } from "../../core/csv/sheet.ts";
import { settleWeight } from "../../core/csv/sheet.ts";
import { put } from "../../core/csv/sheet-records.ts";
import { assume, finishOrder, settleLine, spareKey, unclear } from "./finish-order.ts";
import { orderPresets } from "./order-presets.ts";
import { textProblem } from "../../core/strict-json.ts";
import { namesWithUnits } from "../../core/weight.ts";

const shippingPrefixes = ["shippingaddress", "shipping", "shipto", "ship", "delivery", "recipient", ""];
const billingPrefixes = ["billingaddress", "billing", "billto", "bill"];

const readFlag: CellReader = (text) =>
  /^(true|yes|1)$/i.test(text)
    ? { value: true }
    : /^(false|no|0)$/i.test(text)
      ? { value: false }
      : { problem: { code: "not_a_boolean", message: `${clip(text)} is neither true nor false.` } };

const readWord: CellReader = (text) => ({ value: text.toLowerCase().replaceAll(/[\s-]+/g, "_") });

/** The fields of an order file. */
const fields: SheetField[] = [
  ["number", "ordernumber orderno ordernum number order orderid", readIdentifier],
  // Identifies an order without a number.
  ["fallbackNumber", "salesrecordnumber", readIdentifier],
  ["externalId", "externalid externalorderid sourceid", readIdentifier],
  ["status", "status orderstatus", readWord],
  ["paymentStatus", "paymentstatus financialstatus", readWord],
  ["priority", "priority", readWord],
  ["tags", "tags tag", (text) => ({ value: readTags(text) })],
  ["channel", "channel saleschannel marketplace source store"],
  ["currency", "currency currencycode", readCode],
  ["total", "total ordertotal grandtotal amount", readAmount],
  ["refundedAmount", "refundedamount", readAmount],
  ["orderedAt", "orderedat orderdate dateordered purchasedate date", readDate],
  ["shipBy", "shipby shipbydate", readDate],
  ["deliverBy", "deliverby deliverbydate duedate", readDate],
  ["dispatchOn", "dispatchon dispatchdate", readDate],
  ["customer.name", "customername customer buyername buyer"],
  ["customer.email", "customeremail email emailaddress buyeremail"],
  ["customer.phone", "customerphone buyerphone", readForeignCode],
  ["line.id", "lineid lineitemid", readForeignCode],
  ["line.sku", "linesku sku itemsku lineitemsku productsku itemcode productcode", readForeignCode],
  ["line.name", "linename itemname lineitemname productname product item title"],
  ["line.properties", "variations variationdetails personalization personalisation"],
  ["line.requiresShipping", "lineitemrequiresshipping", readFlag],
  [
    "line.quantity",
    "linequantity quantity qty itemquantity lineitemquantity itemqty quantitypurchased quantityordered",
    readNumber,
  ],
  ["line.price", "lineprice price unitprice itemprice lineitemprice itemunitprice", readAmount],
  ["line.total", "linetotal itemtotal lineitemtotal", readAmount],
  ["line.shippedQuantity", "lineshippedquantity", readNumber],
  ["line.fulfillmentStatus", "lineitemfulfillmentstatus", readWord],
  ["line.weight", namesWithUnits("lineweight weight itemweight lineitemweight unitweight"), readNumber],
  ["line.weightUnit", "lineweightunit weightunit weightunits weightuom", readUnit],
  ["shipping.carrier", "shippingcarrier carrier"],
  ["shipping.service", "shippingservice service shippingmethod shipmethod"],
  ["shipping.packageType", "shippingpackagetype packagetype"],
  ["shipping.carrierAccountId", "shippingcarrieraccountid carrieraccountid"],
  ["shipping.thirdPartyBilling", "shippingthirdpartybilling", readObject],
  ["note", "note notes ordernote ordernotes customernote buyernote", readNotes],
  ["giftMessage", "giftmessage giftmessagetext", (text) => ({ value: [{ text, visibility: "gift" }] })],
  ["bridgeId", "bridgeid"],
  ["locationId", "locationid"],
  ["assigneeId", "assigneeid"],
  ["archived", "archived", readFlag],
  ["packages", "packages", readList],
  ["customFields", "customfields", readObject],
  // The status is derived from these if there is no status column.
  ["paidAt", "paidat datepaid paiddate", readDate],
  ["paymentMethod", "paymentmethodofshop"],
  ["cancelledAt", "cancelledat canceledat datecancelled", readDate],
  ["shippedAt", "shippedat dateshipped shippeddate", readDate],
  ["fulfillmentStatus", "fulfillmentstatus fulfilmentstatus", readWord],
  ...addressFields("shippingAddress", shippingPrefixes),
  ...addressFields("billingAddress", billingPrefixes),
  ...nameParts("shippingAddress", shippingPrefixes),
  ...nameParts("billingAddress", billingPrefixes),
];

/** Address parts that are joined: first and last name, and a third line. */
function nameParts(field: string, prefixes: string[]): SheetField[] {
  const named = (names: string): string =>
    prefixes.flatMap((prefix) => names.split(" ").map((name) => prefix + name)).join(" ");
  return [
    [`${field}.firstName`, named("firstname")],
    [`${field}.lastName`, named("lastname surname")],
    [`${field}.address3`, named("address3 street3 addressline3")],
  ];
}

const customField = /^customFields\.[A-Za-z][\w.-]{0,63}$/;

/** One row per line item; rows with the same number form one order. */
export const orderSheet: SheetKind = {
  noun: "Orders",
  fields,
  isFurtherField: (field) => customField.test(field),
  recordKey: "number",
  spareKey,
  weight: { value: "line.weight", unit: "line.weightUnit" },
  presets: orderPresets,
  vague: "name order orderid date amount item product title source store buyer customer address state".split(" "),
  assume,
  unclear,
  addRow,
  finish: (record, sheet) => finishOrder(record.request, sheet),
  fieldAt: (pointer) =>
    pointer
      .slice(1)
      .replace(/^lines\/\d+/, "line")
      .replaceAll("/", "."),
};

function addRow(record: SheetRecord, cells: Cell[], sheet: Sheet): void {
  const { request } = record;
  const lines = request.lines as Record<string, unknown>[] | undefined;
  const line = { target: {} as Record<string, unknown>, pointer: `/lines/${lines?.length ?? 0}` };
  for (const cell of cells) {
    const [outer, ...rest] = cell.field.split(".") as [string, ...string[]];
    const inner = rest.join(".");
    if (cell.field === "note" || cell.field === "giftMessage") addNotes(record, cell);
    else if (cell.field === "fallbackNumber") continue;
    else if (cell.field === "line.weight") put(record, ["weight", "value"], cell, line);
    else if (cell.field === "line.weightUnit") put(record, ["weight", "unit"], cell, line);
    else if (outer === "line") put(record, [inner], cell, line);
    else put(record, inner === "" ? [outer] : [outer, inner], cell);
  }
  settleWeight(line.target, sheet);
  const { isLine, isShipped, note } = settleLine(line.target, sheet);
  const place = { row: record.rows.at(-1)!.number, column: null };
  if (note !== undefined) addNotes(record, { field: "note", value: [{ text: note }], place });
  if (!isLine) return;
  if (!isShipped) {
    request.notShipped = [...((request.notShipped as unknown[] | undefined) ?? []), line.target];
    return;
  }
  record.places.set(line.pointer, place);
  if (lines) lines.push(line.target);
  else request.lines = [line.target];
}

type Note = { text: string; visibility?: string };

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

/** Plain text for a single plain note, else a JSON list. */
export function writeNotes(notes: readonly Note[]): string {
  const [only] = notes;
  if (!only) return "";
  const isText = only.text === only.text.trim() && !only.text.startsWith("[");
  const isPlain = notes.length === 1 && (only.visibility ?? "internal") === "internal" && isText;
  return isPlain ? only.text : JSON.stringify(notes.map(({ text, visibility }) => ({ text, visibility })));
}

function readNotes(text: string): CellValue {
  const list = text.startsWith("[") ? parseJson(text) : undefined;
  const isNotes = Array.isArray(list) && list.every((note) => isKept(note) && typeof note.text === "string");
  return { value: isNotes ? list : [{ text }] };
}

const separator = /[,;|]/;

/** Tags in one cell; a JSON list if a tag contains the separator. */
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((member) => typeof member !== "string" || !textProblem(member))
  );
}

function readObject(text: string): CellValue {
  const value = parseJson(text);
  if (isKept(value) && !Array.isArray(value)) return { value };
  return { problem: { code: "not_json", message: `${clip(text)} is not a valid JSON object.` } };
}

function readList(text: string): CellValue {
  const value = parseJson(text);
  if (Array.isArray(value) && value.every(isKept)) return { value };
  return { problem: { code: "not_json", message: `${clip(text)} is not a valid JSON list.` } };
}
