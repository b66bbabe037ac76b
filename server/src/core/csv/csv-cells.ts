import { cutText } from "../cut-text.ts";
import type { Address } from "../address.ts";
import { countryCodeOf } from "../country-codes.ts";
import { readWeightUnit } from "../weight.ts";
import { prefixesOfState } from "../zip-states.ts";
import { isBlank } from "./csv.ts";

type Problem = { code: string; message: string };
/** A cell as a value, or what is wrong with it. */
export type CellValue = { value: unknown } | { problem: Problem };
/** What a cell alone does not say, and its sheet does. */
export type Conventions = { decimalSign: "." | "," };
export type CellReader = (text: string, conventions: Conventions) => CellValue;

/** Where the list is separated by semicolons, the comma is needed for decimals. */
export function conventionsOf(delimiter: string): Conventions {
  return { decimalSign: delimiter === ";" ? "," : "." };
}

/** "1,234.50", "1234.5", "$12" and "12,50" are numbers; what could be read in two ways is not. */
export function readNumber(text: string, { decimalSign }: Conventions = { decimalSign: "." }): CellValue {
  const bare = text.replaceAll(/[\s$€£]/g, "");
  const isGrouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare);
  const isDecimal = decimalSign === "," ? /^-?\d+,\d+$/.test(bare) : /^-?\d+,\d{1,2}$/.test(bare);
  const plain = isDecimal ? bare.replace(",", ".") : isGrouped ? bare.replaceAll(",", "") : bare;
  if (/^-?\d+(\.\d+)?$/.test(plain)) return { value: Number(plain) };
  return { problem: { code: "not_a_number", message: `${clip(text)} is not a number.` } };
}

/** More cells than the header has: an unquoted comma in a number or a text has moved the ones after it. */
export function extraCells(row: readonly string[], width: number): Problem | undefined {
  if (row.length <= width || isBlank(row.slice(width))) return undefined;
  return { code: "too_many_cells", message: `The row has ${row.length} cells, the header ${width}.` };
}

/** ISO 8601; also 12/31/2026 (the month first) and 31.12.2026, each with a time or without. */
const dates = [
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?<time>[T ].*)?$/i,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?<time> .*)?$/,
  /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?<time> .*)?$/,
];
const clockTime = /^[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?$/i;

function dayOf(text: string): { day: string; time: string } | undefined {
  const found = dates.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!found) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(found.year), Number(found.month) - 1, Number(found.day));
  // A day that the month does not have would silently become one of the next month.
  if (date.getUTCMonth() !== Number(found.month) - 1 || date.getUTCDate() !== Number(found.day)) return undefined;
  return {
    day: `${found.year}-${found.month!.padStart(2, "0")}-${found.day!.padStart(2, "0")}`,
    time: found.time ?? " 00:00",
  };
}

/** Without a zone: UTC. */
export function readDate(text: string): CellValue {
  const found = dayOf(text);
  const [, time, zone = "Z"] = clockTime.exec(found?.time ?? "") ?? [];
  const date = new Date(time === undefined ? Number.NaN : `${found!.day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(date.getTime()) ? notADate(text) : { value: date.toISOString() };
}

/** A day is meant, wherever it is: the one that is written, whatever day it is in UTC then. */
export function readDay(text: string): CellValue {
  const day = dayOf(text)?.day;
  return day === undefined || !/^[12]/.test(day) ? notADate(text) : { value: day };
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
export function readTrackingNumber(text: string): CellValue {
  if (!/^\d([.,]\d+)?E\+?\d+$/i.test(text)) return { value: text };
  const message = `${clip(text)} is what a spreadsheet has made of a long number. Format the column as text, and export it again.`;
  return { problem: { code: "digits_lost", message } };
}

export function clip(text: string): string {
  return text.length > 40 ? `${cutText(text, 40)}...` : text;
}

/** What spreadsheets do to addresses, undone: codes in the wrong column, and zips that lost their leading zeros. */
export function repairAddress(given: Address): Address {
  const address = { ...given };
  if (address.country !== undefined && address.countryCode === undefined) {
    const code = countryCodeOf(address.country);
    if (code !== undefined) address.countryCode = code;
    // The code itself, in the wrong column. Other scripts have names of countries that are as short.
    if (code !== undefined && /^[A-Za-z]{2}$/.test(address.country)) delete address.country;
  }
  if (address.countryCode !== undefined) address.countryCode = address.countryCode.toUpperCase();
  if (address.province !== undefined && address.provinceCode === undefined && /^[A-Za-z]{2}$/.test(address.province)) {
    address.provinceCode = address.province.toUpperCase();
    delete address.province;
  }
  // Some programs write a quote before what must stay a text.
  if (address.zip !== undefined) address.zip = address.zip.replace(/^'(?=\d)/, "");
  const isAmerican =
    address.countryCode === "US" ||
    (address.countryCode === undefined && prefixesOfState(address.provinceCode?.toUpperCase() ?? "").length > 0);
  const cut = isAmerican ? /^(\d{3,4})(-\d{4})?$/.exec(address.zip ?? "") : null;
  if (cut) address.zip = cut[1]!.padStart(5, "0") + (cut[2] ?? "");
  return address;
}
