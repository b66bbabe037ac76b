import { sentence, words } from "../../ui/format.ts";
import type { ImportWarning } from "./order-import.queries.ts";

const groups: Record<string, string> = {
  customer: "Customer",
  line: "Line",
  shipping: "Delivery",
  shippingAddress: "Ship to",
  billingAddress: "Bill to",
  customFields: "Custom field",
};
const names: Record<string, string> = {
  number: "Order number",
  externalId: "ID in the shop",
  orderedAt: "Ordered on",
  bridgeId: "Connection (ID)",
  locationId: "Location (ID)",
  assigneeId: "Assignee (ID)",
  "line.id": "Line: ID",
  "line.sku": "Line: SKU",
  "line.price": "Line: unit price",
  "line.total": "Line: total price",
  customFields: "Custom fields (JSON)",
};
const parts: Record<string, string> = {
  email: "e-mail",
  zip: "ZIP",
  address1: "address line 1",
  address2: "address line 2",
  address3: "address line 3",
  province: "state or province",
  provinceCode: "state code",
  countryCode: "country code",
  carrierAccountId: "carrier account (ID)",
};

/** Readable name of a field such as "shippingAddress.zip". */
export function fieldName(field: string): string {
  const [group = "", ...rest] = field.split(".");
  const part = rest.join(".");
  const own = group === "customFields" ? part : (parts[part] ?? words(part));
  return names[field] ?? (part === "" ? sentence(field) : `${groups[group] ?? sentence(group)}: ${own}`);
}

/** Option for a custom field that is not an order field. */
export function ownField(typed: string): { value: string; label: string } | undefined {
  const name = typed.replace(/^customFields\./, "");
  return /^[A-Za-z][\w.-]{0,63}$/.test(name)
    ? { value: `customFields.${name}`, label: `Custom field: ${name}` }
    : undefined;
}

const warnings: Record<string, string> = {
  column_guessed: "Matched by a similar name. Choose another field if this is wrong.",
  unknown_column: "Unknown column, not imported. Choose a field for it.",
  duplicate_field: "Not imported: another column fills this field.",
  assumed_unit: "No unit found, so pounds are assumed. Name the column Weight (oz), or add a column with the unit.",
  assumed_quantity: "No quantity column found, so the quantity is 1.",
  assumed_currency: "No currency column found, so USD is assumed. Set the default currency on the left.",
};
/** Warnings that quote a cell and its interpretation, with the setting that changes it. */
const quoting: Record<string, string> = {
  assumed_decimal_separator: "Set the decimal separator on the left if this is wrong.",
  assumed_date_order: "Set the date order on the left if this is wrong.",
};

/** Warning text that refers to the controls on this page. */
export function warningText({ code, message }: ImportWarning): string {
  return quoting[code] ? `${message.split(" Set ", 1)[0]} ${quoting[code]}` : (warnings[code] ?? message);
}

export const existingTexts = {
  reject: "Reject the row",
  skip: "Skip the order",
  update: "Update the order",
} as const;

export const readingTexts = {
  encoding: {
    "utf-8": "UTF-8",
    "windows-1252": "Windows-1252",
    "utf-16le": "UTF-16 (little endian)",
    "utf-16be": "UTF-16 (big endian)",
  },
  delimiter: { comma: "Comma", semicolon: "Semicolon", tab: "Tab" },
  decimalSeparator: { ".": "Point, as in 12.50", ",": "Comma, as in 12,50" },
  dateOrder: { mdy: "Month first: 12/31/2026", dmy: "Day first: 31/12/2026" },
} as const;

export const sampleCsv = `Order Number,SKU,Quantity,Price,Customer Name,Customer Email,Ship Name,Ship Address 1,Ship City,Ship State,Ship Zip,Ship Country
SHOP-1001,MUG-01,2,9.50,Ines Pereira,ines@example.com,Ines Pereira,1 Main Street,Albany,NY,12207,US
SHOP-1001,TEE-02,1,19.00,Ines Pereira,ines@example.com,Ines Pereira,1 Main Street,Albany,NY,12207,US
SHOP-1002,MUG-01,1,9.50,J. O'Brien,job@example.com,J. O'Brien,22 Elm Road,Boston,MA,02134,US
`;
