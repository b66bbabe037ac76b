import { cutText } from "../core/cut-text.ts";
import { orderLimits } from "../core/order-limits.ts";
import type { CanonicalOrder, NamedValue } from "./canonical.ts";
import { filled, line, text } from "./shape.ts";
import { shortHash } from "./short-hash.ts";

/** Names of attributes that shops and their extensions use for fields of an order, as custom field names. */
const poNumbers: readonly string[] = ["po_number", "billing_po_number", "purchase_order_number", "purchase_order"];
const giftMessages: readonly string[] = ["gift_message", "gift_note"];
const deliveryDates: readonly string[] = [
  "delivery_date",
  "requested_delivery_date",
  "preferred_delivery_date",
  "jckwds_date_ymd",
];

const maxValue = 1_000;
const maxAttributes = 2 * orderLimits.customFields;

type AttributeFields = Pick<
  CanonicalOrder,
  "poNumber" | "giftMessage" | "requestedDeliveryDate" | "customFields" | "notes"
>;

/**
 * Reads attributes of an order that the buyer or an extension has set. PO number, gift message and delivery date become fields of the
 * order; the others become custom fields. A value that is too long for a custom field is also kept as a note.
 */
export function fieldsOfAttributes(attributes: readonly NamedValue[]): AttributeFields {
  const customFields = new Map<string, string>();
  const notes: NonNullable<CanonicalOrder["notes"]> = [];
  let poNumber: string | undefined;
  let giftMessage: string | undefined;
  let requestedDeliveryDate: string | undefined;
  for (const { name, value } of attributes.slice(0, maxAttributes)) {
    const field = customFieldName(name);
    const date = deliveryDates.includes(field) ? dayOf(value) : undefined;
    if (poNumbers.includes(field)) poNumber ??= line(value, 100);
    else if (giftMessages.includes(field)) giftMessage ??= text(value, orderLimits.noteLength);
    else if (date !== undefined) requestedDeliveryDate ??= date;
    else {
      // Names in other scripts give no field name, so the value has to name itself.
      const whole = plainName(name) === "" ? `${name}: ${value}` : value;
      customFields.set(freeName(customFields, field), cutText(whole, maxValue).toWellFormed());
      if (whole.length > maxValue) notes.push({ text: cutText(`${name}: ${value}`, orderLimits.noteLength) });
    }
  }
  const kept = Object.fromEntries([...customFields].slice(0, orderLimits.customFields));
  return filled({
    poNumber,
    giftMessage,
    requestedDeliveryDate,
    customFields: customFields.size === 0 ? undefined : kept,
    notes: notes.length === 0 ? undefined : notes,
  });
}

/** `Delivery Date` becomes `delivery_date`, `2nd name` becomes `attribute_2nd_name`. The same name gives the same field each time. */
export function customFieldName(name: string): string {
  const plain = plainName(name);
  if (plain === "") return `attribute_${shortHash(name)}`;
  return (/^[a-z]/.test(plain) ? plain : `attribute_${plain}`).slice(0, 60);
}

function plainName(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}

/** Two attributes may have the same field name: the later ones are numbered. */
function freeName(taken: ReadonlyMap<string, string>, field: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? field : `${field}_${count}`;
    if (!taken.has(name)) return name;
  }
}

/** A date with the year first. Others, such as 03/02/2026, may have the day or the month first. */
function dayOf(value: string): string | undefined {
  const [, year, month, day] = /^(\d{4})([-/]?)(\d\d)\2(\d\d)$/.exec(value.trim())?.toSpliced(2, 1) ?? [];
  if (year === undefined) return undefined;
  const date = `${year}-${month}-${day}`;
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) ? date : undefined;
}
