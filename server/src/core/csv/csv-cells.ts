import { cutText } from "../cut-text.ts";
import { toMoment } from "../time-zones.ts";
import { readWeightUnit } from "../weight.ts";
import { isBlank } from "./csv.ts";

type Problem = { code: string; message: string };
/**
 * The value of a cell, or why it cannot be read. `guess`: a warning that the cell is ambiguous; `implied`: values for other
 * fields that have no column.
 */
export type CellValue = { value: unknown; guess?: Problem; implied?: Record<string, unknown> } | { problem: Problem };
/** How ambiguous cells are read; from the file, or from the options of the request. */
export type Conventions = {
  decimalSeparator: "." | ",";
  /** For dates such as 03/02/2026; default: `mdy`. */
  dateOrder?: DateOrder | undefined;
  /** For times without an offset; default: UTC. */
  timeZone?: string | undefined;
  /** Set explicitly: ambiguous cells cause no warning. */
  isExplicit?: { decimalSeparator?: boolean; dateOrder?: boolean };
};
export type CellReader = (text: string, conventions: Conventions) => CellValue;

export const dateOrders = ["mdy", "dmy"] as const;
export type DateOrder = (typeof dateOrders)[number];

/** Files separated by semicolons usually have decimal commas. */
export function conventionsOf(
  delimiter: string,
  options: Partial<Pick<Conventions, "decimalSeparator" | "dateOrder" | "timeZone">> = {},
): Conventions {
  return {
    decimalSeparator: options.decimalSeparator ?? (delimiter === ";" ? "," : "."),
    dateOrder: options.dateOrder,
    timeZone: options.timeZone,
    isExplicit: {
      decimalSeparator: options.decimalSeparator !== undefined,
      dateOrder: options.dateOrder !== undefined,
    },
  };
}

/** Reads "1,234.50", "1234.5", "$12", "12,50" and "1.234,50"; ambiguous numbers by the conventions of the file. */
export function readNumber(
  text: string,
  { decimalSeparator, isExplicit }: Conventions = { decimalSeparator: "." },
): CellValue {
  const bare = text.replaceAll(/[\s$€£¥']/g, "").replace(/^(-?)[A-Z]{1,3}(?=\d)/, "$1");
  const isGrouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare);
  const isDecimal = decimalSeparator === "," ? /^-?\d+,\d+$/.test(bare) : /^-?\d+,\d{1,2}$/.test(bare);
  const isDotted = decimalSeparator === "," && /^-?\d{1,3}(\.\d{3})+(,\d+)?$/.test(bare);
  // 1.250 is more than a thousand only if the separator was set explicitly, or if no other reading is possible.
  if (isDotted && (/,|\..*\./.test(bare) || isExplicit?.decimalSeparator))
    return { value: Number(bare.replaceAll(".", "").replace(",", ".")) };
  const plain = isDecimal ? bare.replace(",", ".") : isGrouped ? bare.replaceAll(",", "") : bare;
  if (/^-?\d+(\.\d+)?$/.test(plain)) {
    const value = Number(plain);
    const isOpen = !isExplicit?.decimalSeparator && decimalSeparator === "," && /^-?\d{1,3}[.,]\d{3}$/.test(bare);
    const message = `${clip(text)} was read as ${value}. Set \`decimalSeparator\` if that is wrong.`;
    return isOpen ? { value, guess: { code: "assumed_decimal_separator", message } } : { value };
  }
  return { problem: { code: "not_a_number", message: `${clip(text)} is not a number.` } };
}

/** More cells than the header: an unquoted comma in a value has shifted the cells after it. */
export function extraCells(row: readonly string[], width: number): Problem | undefined {
  if (row.length <= width || isBlank(row.slice(width))) return undefined;
  return { code: "too_many_cells", message: `The row has ${row.length} cells, the header ${width}.` };
}

/** Removes footnote markers: `224*` is 224, and `[1]` alone is empty. */
export function withoutFootnotes(cell: string): string {
  return cell.replaceAll(/\[\d+\]|[*+\u2020\u2021]/g, "").trim();
}

/** ISO 8601, also as 20261231; 12/31/2026, 12-31-26 and 31.12.2026, Jul-21-25 and 21 Jul 2025, each with a time or without. */
const dates = [
  /^(?<year>(?:19|20)\d\d)(?<month>\d\d)(?<day>\d\d)(?<time>[T ].*)?$/i,
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?<time>[T ].*)?$/i,
  /^(?<first>\d{1,2})[/-](?<second>\d{1,2})[/-](?<year>\d{4}|\d\d)(?<time>[T ].*)?$/,
  /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4}|\d\d)(?<time> .*)?$/,
  /^(?<name>[a-z]{3,9})\.?[- ](?<day>\d{1,2}),?[- ](?<year>\d{4}|\d\d)(?<time> .*)?$/i,
  /^(?<day>\d{1,2})\.?[- ](?<name>[a-z]{3,9})\.?[- ](?<year>\d{4}|\d\d)(?<time> .*)?$/i,
];
const clockTime = /^[T ](\d\d?)(:\d\d(?::\d\d(?:\.\d+)?)?)\s*([ap]m)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i;
const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

type WrittenDay = { day: string; time: string; isOpen: boolean };

/** `isOpen`: day and month could be swapped. */
function dayOf(text: string, { dateOrder = "mdy", isExplicit }: Partial<Conventions>): WrittenDay | undefined {
  const found = dates.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!found) return undefined;
  const { first, second, name, time = " 00:00" } = found;
  const isMonthFirst = dateOrder === "mdy";
  const named = name === undefined ? found.month : String(monthNames.indexOf(name.slice(0, 3).toLowerCase()) + 1);
  const month = named ?? (isMonthFirst ? first! : second!);
  const day = found.day ?? (isMonthFirst ? second! : first!);
  // 12/31/26 is unambiguous only if the date order is known.
  const isShort = found.year!.length === 2;
  if (isShort && !isExplicit?.dateOrder) return undefined;
  const year = isShort ? `20${found.year}` : found.year!;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // An invalid day would silently overflow into the next month.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const isOpen =
    !isExplicit?.dateOrder && first !== undefined && first !== second && Number(first) <= 12 && Number(second) <= 12;
  return { day: `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`, time, isOpen };
}

/** A time without an offset is in the time zone of the conventions. */
export function readDate(text: string, conventions: Partial<Conventions> = {}): CellValue {
  const found = dayOf(text, conventions);
  const [, hour = "", rest, half, zone] = clockTime.exec(found?.time ?? "") ?? [];
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const offset = zone === undefined || /^(UTC|GMT)$/i.test(zone) ? "Z" : zone.toUpperCase();
  const at = `${found?.day}T${String(hours).padStart(2, "0")}${rest}`;
  const date = new Date(rest === undefined ? Number.NaN : at + offset);
  if (Number.isNaN(date.getTime())) return notADate(text);
  const moment = zone === undefined ? toMoment(at, conventions.timeZone ?? "UTC") : date.toISOString();
  return guessed(moment, text, found!);
}

/** A calendar day as written, not converted to UTC. */
export function readDay(text: string, conventions: Partial<Conventions> = {}): CellValue {
  const found = dayOf(text, conventions);
  return found === undefined || !/^[12]/.test(found.day) ? notADate(text) : guessed(found.day, text, found);
}

function guessed(value: string, text: string, { day, isOpen }: WrittenDay): CellValue {
  if (!isOpen) return { value };
  const message = `${clip(text)} was read as ${day}. Set \`dateOrder\` if the other number is the month.`;
  return { value, guess: { code: "assumed_date_order", message } };
}

function notADate(text: string): CellValue {
  return { problem: { code: "not_a_date", message: `${clip(text)} is not a date; write it as 2026-12-31.` } };
}

export const readCode: CellReader = (text) => ({ value: text.toUpperCase() });
export const readUnit: CellReader = (text) => ({ value: readWeightUnit(text) ?? text.toLowerCase() });

/** A weight with an optional unit: "16" or "16 oz". */
export const readWeightCell: CellReader = (text, conventions) => {
  const [, number = text, word = ""] = /^(.*[\d.,])\s*([a-z]+\.?|#)$/i.exec(text) ?? [];
  const read = readNumber(number, conventions);
  const unit = word === "" ? undefined : readWeightUnit(word);
  if ("problem" in read || (word !== "" && unit === undefined))
    return { problem: { code: "not_a_number", message: `${clip(text)} is not a weight such as 5, 5 lb or 12 oz.` } };
  return { value: { value: read.value, ...(unit && { unit }) } };
};

/** Spreadsheets save long numbers as 1.23E+11; the other digits are lost. */
const scientific = /^\d([.,]\d+)?E\+?\d+$/i;

function digitsLost(text: string): Problem {
  const message = `${clip(text)} is a long number that a spreadsheet has shortened. Format the column as text and export it again.`;
  return { code: "precision_lost", message };
}

export function readTrackingNumber(text: string): CellValue {
  return scientific.test(text) ? { problem: digitsLost(text) } : { value: text };
}

/** 1E5 can be a valid code; spreadsheets write 1E+05. */
const isDamaged = (text: string): boolean => scientific.test(text) && text.includes("+");

/** Identifies a record: two codes that lost digits could become equal. */
export const readIdentifier: CellReader = (text) => (isDamaged(text) ? { problem: digitsLost(text) } : { value: text });

const dayOfMonth = /^(\d{1,2}[-. ]{1,2}(?<before>[a-zä]{3})|(?<after>[a-zä]{3})[-. ]{1,2}\d{1,2})$/i;
const shortMonths = new Set([...monthNames, "mrz", "mär", "mai", "okt", "dez"]);

/** A code of another system, kept as it is. Probable spreadsheet damage is reported as a warning. */
export const readForeignCode: CellReader = (text) => {
  if (isDamaged(text)) return { value: text, guess: digitsLost(text) };
  const { before, after } = dayOfMonth.exec(text)?.groups ?? {};
  if (!shortMonths.has((before ?? after ?? "").toLowerCase())) return { value: text };
  const message = `${clip(text)} looks like a code such as 12-3 that a spreadsheet has turned into a date. Format the column as text and export it again.`;
  return { value: text, guess: { code: "looks_like_date", message } };
};

/** Readers that keep guarded whitespace. */
export const verbatim: ReadonlySet<CellReader | undefined> = new Set([readIdentifier, readForeignCode]);

const currencySigns: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  US$: "USD",
  C$: "CAD",
  CA$: "CAD",
  A$: "AUD",
  AU$: "AUD",
  NZ$: "NZD",
  zł: "PLN",
  Kč: "CZK",
  "₹": "INR",
};
const currencyCodes = new Set(Intl.supportedValuesOf("currency"));

/** A number with an optional currency: "£9.99", "12,50 €" or "EUR 12.50". A dollar sign alone is ambiguous. */
export const readAmount: CellReader = (text, conventions) => {
  const [, before = "", number = "", after = ""] = /^(-?\s*[^\d\s.,-]*)\s*(.*?\d)\s*([^\d\s.,-]*)$/.exec(text) ?? [];
  const sign = before.replace(/^-\s*/, "") || after;
  const currency = currencySigns[sign] ?? (currencyCodes.has(sign) ? sign : undefined);
  if (currency === undefined) return readNumber(text, conventions);
  const read = readNumber((before.startsWith("-") ? "-" : "") + number, conventions);
  return "problem" in read ? read : { ...read, implied: { currency } };
};

export function clip(text: string): string {
  return text.length > 40 ? `${cutText(text, 40)}...` : text;
}
