import type { Address } from "../address.ts";
import { countryCodeOf } from "../country-codes.ts";

/** A cell as a value, or what is wrong with it. */
export type CellValue = { value: unknown } | { problem: { code: string; message: string } };

/** "1,234.50", "1234.5", "$12" and "12,50" are numbers; what could be read in two ways is not. */
export function readNumber(text: string): CellValue {
  const bare = text.replaceAll(/[\s$€£]/g, "");
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare)
    ? bare.replaceAll(",", "")
    : bare.replace(/^(-?\d+),(\d{1,2})$/, "$1.$2");
  if (/^-?\d+(\.\d+)?$/.test(plain)) return { value: Number(plain) };
  return { problem: { code: "not_a_number", message: `${clip(text)} is not a number.` } };
}

/** More cells than the header has: an unquoted comma in a number or a text has moved the ones after it. */
export function extraCells(row: readonly string[], width: number): { code: string; message: string } | undefined {
  if (row.length <= width || row.slice(width).every((cell) => cell.trim() === "")) return undefined;
  return { code: "too_many_cells", message: `The row has ${row.length} cells, the header ${width}.` };
}

/** A spreadsheet shows long numbers as 1.23E+11, and saves them so: the other digits are gone. */
export function lostDigits(text: string): { code: string; message: string } | undefined {
  if (!/^\d([.,]\d+)?E\+?\d+$/i.test(text)) return undefined;
  const message = `${clip(text)} is what a spreadsheet has made of a long number. Format the column as text, and export it again.`;
  return { code: "digits_lost", message };
}

const isoDate = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i;
const usDate = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const dottedDate = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;

/** ISO 8601; also 12/31/2026 (the month first) and 31.12.2026. Without a zone: UTC. */
export function readDate(text: string): CellValue {
  const [iso, us, dotted] = [isoDate.exec(text), usDate.exec(text), dottedDate.exec(text)];
  let date: Date | undefined;
  let day: string | undefined;
  if (iso) {
    day = iso[3];
    const zone = iso[5] ?? "Z";
    date = new Date(`${iso[1]}-${iso[2]}-${iso[3]}T${iso[4] ?? "00:00"}${zone.toUpperCase()}`);
    // A day that the month does not have would silently become one of the next month.
    if (new Date(`${iso[1]}-${iso[2]}-${iso[3]}T00:00Z`).getUTCDate() !== Number(day)) date = undefined;
  } else if (us ?? dotted) {
    const [year, month, inMonth] = us ? [us[3], us[1], us[2]] : [dotted![3], dotted![2], dotted![1]];
    date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(inMonth)));
    if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(inMonth)) date = undefined;
  }
  if (date && !Number.isNaN(date.getTime())) return { value: date.toISOString() };
  return { problem: { code: "not_a_date", message: `${clip(text)} is not a date; write it as 2026-12-31.` } };
}

export function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40).toWellFormed()}...` : text;
}

/** What spreadsheets do to addresses, undone: codes in the wrong column, and zips that lost their leading zeros. */
export function repairAddress(given: Address): Address {
  const address = { ...given };
  if (address.country !== undefined && address.countryCode === undefined) {
    const code = countryCodeOf(address.country);
    if (code !== undefined) address.countryCode = code;
    if (address.country.length === 2) delete address.country;
  }
  if (address.countryCode !== undefined) address.countryCode = address.countryCode.toUpperCase();
  if (address.province !== undefined && address.provinceCode === undefined && /^[A-Za-z]{2}$/.test(address.province)) {
    address.provinceCode = address.province.toUpperCase();
    delete address.province;
  }
  const isAmerican =
    address.countryCode === "US" || (address.countryCode === undefined && address.provinceCode !== undefined);
  const cut = isAmerican ? /^(\d{3,4})(-\d{4})?$/.exec(address.zip ?? "") : null;
  if (cut) address.zip = cut[1]!.padStart(5, "0") + (cut[2] ?? "");
  return address;
}

/** A file has no room for a list of what is allowed beside the message: it is told in the message. */
export function tellAllowed({ message, allowed }: { message: string; allowed?: readonly unknown[] }): string {
  return allowed === undefined ? message : `${message} Allowed: ${allowed.join(", ")}.`;
}
