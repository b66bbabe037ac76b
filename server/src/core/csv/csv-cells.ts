import { cutText } from "../cut-text.ts";
import { toMoment } from "../time-zones.ts";
import { readWeightUnit } from "../weight.ts";
import { isBlank } from "./csv.ts";

type Problem = { code: string; message: string };
/**
 * A cell as a value, or what is wrong with it. `guess`: it could have been meant otherwise; `implied`: what it says of other
 * fields, unless a column does.
 */
export type CellValue = { value: unknown; guess?: Problem; implied?: Record<string, unknown> } | { problem: Problem };
/** What a cell alone does not say, and its sheet does, or whoever sends it. */
export type Conventions = {
  decimalSeparator: "." | ",";
  /** Of 03/02/2026; `mdy` unless said. */
  dateOrder?: DateOrder | undefined;
  /** Of times that say none; UTC unless said. */
  timeZone?: string | undefined;
  /** These were said: what else a cell could mean is not worth a word. */
  isSaid?: { decimalSeparator?: boolean; dateOrder?: boolean };
};
export type CellReader = (text: string, conventions: Conventions) => CellValue;

export const dateOrders = ["mdy", "dmy"] as const;
export type DateOrder = (typeof dateOrders)[number];

/** Where the list is separated by semicolons, the comma is needed for decimals. */
export function conventionsOf(
  delimiter: string,
  said: Partial<Pick<Conventions, "decimalSeparator" | "dateOrder" | "timeZone">> = {},
): Conventions {
  return {
    decimalSeparator: said.decimalSeparator ?? (delimiter === ";" ? "," : "."),
    dateOrder: said.dateOrder,
    timeZone: said.timeZone,
    isSaid: { decimalSeparator: said.decimalSeparator !== undefined, dateOrder: said.dateOrder !== undefined },
  };
}

/** "1,234.50", "1234.5", "$12", "12,50" and "1.234,50" are numbers; of what has two readings the sheet's one is taken. */
export function readNumber(
  text: string,
  { decimalSeparator, isSaid }: Conventions = { decimalSeparator: "." },
): CellValue {
  const bare = text.replaceAll(/[\s$€£¥']/g, "").replace(/^(-?)[A-Z]{1,3}(?=\d)/, "$1");
  const isGrouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare);
  const isDecimal = decimalSeparator === "," ? /^-?\d+,\d+$/.test(bare) : /^-?\d+,\d{1,2}$/.test(bare);
  const isDotted = decimalSeparator === "," && /^-?\d{1,3}(\.\d{3})+(,\d+)?$/.test(bare);
  // 1.250 is a thousand and more only where somebody has said so, or where it could be nothing else.
  if (isDotted && (/,|\..*\./.test(bare) || isSaid?.decimalSeparator))
    return { value: Number(bare.replaceAll(".", "").replace(",", ".")) };
  const plain = isDecimal ? bare.replace(",", ".") : isGrouped ? bare.replaceAll(",", "") : bare;
  if (/^-?\d+(\.\d+)?$/.test(plain)) {
    const value = Number(plain);
    const isOpen = !isSaid?.decimalSeparator && decimalSeparator === "," && /^-?\d{1,3}[.,]\d{3}$/.test(bare);
    const message = `${clip(text)} was read as ${value}. Say \`decimalSeparator\` if it is meant otherwise.`;
    return isOpen ? { value, guess: { code: "assumed_decimal_separator", message } } : { value };
  }
  return { problem: { code: "not_a_number", message: `${clip(text)} is not a number.` } };
}

/** More cells than the header has: an unquoted comma in a number or a text has moved the ones after it. */
export function extraCells(row: readonly string[], width: number): Problem | undefined {
  if (row.length <= width || isBlank(row.slice(width))) return undefined;
  return { code: "too_many_cells", message: `The row has ${row.length} cells, the header ${width}.` };
}

/** Without marks of footnotes: `224*` is 224, and `[1]` alone says nothing. */
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

/** `isOpen`: day and month could have been exchanged. */
function dayOf(text: string, { dateOrder = "mdy", isSaid }: Partial<Conventions>): WrittenDay | undefined {
  const found = dates.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!found) return undefined;
  const { first, second, name, time = " 00:00" } = found;
  const isMonthFirst = dateOrder === "mdy";
  const named = name === undefined ? found.month : String(monthNames.indexOf(name.slice(0, 3).toLowerCase()) + 1);
  const month = named ?? (isMonthFirst ? first! : second!);
  const day = found.day ?? (isMonthFirst ? second! : first!);
  // Where the order is known, 12/31/26 can be nothing else.
  const isShort = found.year!.length === 2;
  if (isShort && !isSaid?.dateOrder) return undefined;
  const year = isShort ? `20${found.year}` : found.year!;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have would silently become one of the next month.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const isOpen =
    !isSaid?.dateOrder && first !== undefined && first !== second && Number(first) <= 12 && Number(second) <= 12;
  return { day: `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`, time, isOpen };
}

/** Where no zone is written, the sheet's is meant. */
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

/** A day is meant, wherever it is: the one that is written, whatever day it is in UTC then. */
export function readDay(text: string, conventions: Partial<Conventions> = {}): CellValue {
  const found = dayOf(text, conventions);
  return found === undefined || !/^[12]/.test(found.day) ? notADate(text) : guessed(found.day, text, found);
}

function guessed(value: string, text: string, { day, isOpen }: WrittenDay): CellValue {
  if (!isOpen) return { value };
  const message = `${clip(text)} was read as ${day}. Say \`dateOrder\`, or write it so, if the other number is the month.`;
  return { value, guess: { code: "assumed_date_order", message } };
}

function notADate(text: string): CellValue {
  return { problem: { code: "not_a_date", message: `${clip(text)} is not a date; write it as 2026-12-31.` } };
}

export const readCode: CellReader = (text) => ({ value: text.toUpperCase() });
export const readUnit: CellReader = (text) => ({ value: readWeightUnit(text) ?? text.toLowerCase() });

/** "16", and "16 oz" as well: a weight that says itself in what it is. */
export const readWeightCell: CellReader = (text, conventions) => {
  const [, number = text, word = ""] = /^(.*[\d.,])\s*([a-z]+\.?|#)$/i.exec(text) ?? [];
  const read = readNumber(number, conventions);
  const unit = word === "" ? undefined : readWeightUnit(word);
  if ("problem" in read || (word !== "" && unit === undefined))
    return { problem: { code: "not_a_number", message: `${clip(text)} is no weight such as 5, 5 lb or 12 oz.` } };
  return { value: { value: read.value, ...(unit && { unit }) } };
};

/** A spreadsheet shows long numbers as 1.23E+11, and saves them so: the other digits are gone. */
const scientific = /^\d([.,]\d+)?E\+?\d+$/i;

function digitsLost(text: string): Problem {
  const message = `${clip(text)} is what a spreadsheet has made of a long number. Format the column as text, and export it again.`;
  return { code: "precision_lost", message };
}

export function readTrackingNumber(text: string): CellValue {
  return scientific.test(text) ? { problem: digitsLost(text) } : { value: text };
}

/** A code may well be 1E5; spreadsheets write 1E+05. */
const isDamaged = (text: string): boolean => scientific.test(text) && text.includes("+");

/** Identifies a record: two codes that lost their digits would be mistaken for one. */
export const readIdentifier: CellReader = (text) => (isDamaged(text) ? { problem: digitsLost(text) } : { value: text });

const dayOfMonth = /^(\d{1,2}[-. ]{1,2}(?<before>[a-zä]{3})|(?<after>[a-zä]{3})[-. ]{1,2}\d{1,2})$/i;
const shortMonths = new Set([...monthNames, "mrz", "mär", "mai", "okt", "dez"]);

/** A code of another system, kept as it is. Probable spreadsheet damage is reported as a warning. */
export const readForeignCode: CellReader = (text) => {
  if (isDamaged(text)) return { value: text, guess: digitsLost(text) };
  const { before, after } = dayOfMonth.exec(text)?.groups ?? {};
  if (!shortMonths.has((before ?? after ?? "").toLowerCase())) return { value: text };
  const message = `${clip(text)} looks like what a spreadsheet makes of a code such as 12-3. Format the column as text, and export it again.`;
  return { value: text, guess: { code: "looks_like_date", message } };
};

/** These keep the blanks that were guarded. */
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

/** A number that may name its currency: "£9.99", "12,50 €" and "EUR 12.50". A dollar sign alone could be that of many. */
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
