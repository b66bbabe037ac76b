import { cutText } from "../../../core/cut-text.ts";
import { isPlain } from "../../../core/strict-json.ts";
import { parseIso, toIsoDate } from "./date-format.ts";
import { MappingFault } from "./mapping-run.ts";

export const valueTypes = [
  "string",
  "number",
  "integer",
  "boolean",
  "date",
  "datetime",
  "array",
  "object",
  "any",
] as const;
export type ValueType = (typeof valueTypes)[number];

export function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

export function isEmpty(value: unknown): boolean {
  return isMissing(value) || value === "";
}

/** A short form of any value for messages. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > 60 ? `${cutText(value, 60)}…` : value);
}

export function fault(value: unknown, wanted: string, suggestion?: string): MappingFault {
  return new MappingFault("type_mismatch", `${quote(value)} is not ${wanted}.`, suggestion ? { suggestion } : {});
}

export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw fault(
    value,
    "a text",
    Array.isArray(value)
      ? 'add the transform {"join": ", "} or "first"'
      : 'name one member of it, or use "json_stringify"',
  );
}

export const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const decimalComma = /^\s*[^\d\s]{0,3}\s*-?\d{1,3}(?:[.\s]\d{3})*,\d+\s*[^\d\s]{0,3}\s*$|^-?\d+,\d{1,2}$/;

/**
 * The usual case, without a regular expression: up to 15 digits with at most one point inside; otherwise -1. Both operands
 * of the division are exact, so the result is correctly rounded.
 */
function readSimpleDecimal(text: string): number {
  const { length } = text;
  if (length === 0 || length > 15) return -1;
  let digits = 0;
  let scale = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) {
      digits = digits * 10 + (code - 0x30);
      scale *= 10;
    } else if (code === 0x2e && scale === 0 && i > 0 && i < length - 1) scale = 1;
    else return -1;
  }
  return scale === 0 ? digits : digits / scale;
}

export function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string" && value.length <= 64) {
    const simple = readSimpleDecimal(value);
    if (simple !== -1) return simple;
    const text = value.trim();
    if (plainNumber.test(text)) return finite(Number(text));
    const suggestion = decimalComma.test(text)
      ? 'add the transform {"number": {"decimal": ","}}'
      : 'add the transform "number", which also reads grouped digits and currency signs';
    throw fault(value, "a number", suggestion);
  }
  throw fault(value, "a number");
}

function toInteger(value: unknown): number {
  const number = toNumber(value);
  if (Number.isSafeInteger(number)) return number;
  throw fault(value, "a whole number", 'add the transform "round"');
}

const truths = new Map<unknown, boolean>([
  ...[true, 1, "true", "yes", "y", "1", "on", "t"].map((value) => [value, true] as const),
  ...[false, 0, "false", "no", "n", "0", "off", "f"].map((value) => [value, false] as const),
]);

export function toBoolean(value: unknown): boolean {
  const known = truths.get(typeof value === "string" && value.length <= 10 ? value.trim().toLowerCase() : value);
  if (known === undefined) throw fault(value, "true or false", 'use the transform "equals" or "lookup"');
  return known;
}

function toDate(value: unknown): string {
  const moment = typeof value === "string" ? parseIso(value) : undefined;
  if (moment) return toIsoDate(moment);
  throw fault(value, "an ISO date", 'add a transform such as {"date": {"from": "MM/dd/yyyy", "to": "iso_date"}}');
}

function toDateTime(value: unknown): string {
  const moment = typeof value === "string" ? parseIso(value) : undefined;
  if (moment) return new Date(moment.wallMs - (moment.offsetMinutes ?? 0) * 60_000).toISOString();
  throw fault(value, "an ISO time", 'add a transform such as {"date": {"from": "MM/dd/yyyy HH:mm", "to": "iso"}}');
}

function toObject(value: unknown): object {
  if (isPlain(value)) return value;
  throw fault(value, "an object");
}

/** Undefined for `any`, which needs no conversion. */
export const converters: Record<ValueType, ((value: unknown) => unknown) | undefined> = {
  string: toText,
  number: toNumber,
  integer: toInteger,
  boolean: toBoolean,
  date: toDate,
  datetime: toDateTime,
  array: (value) => (Array.isArray(value) ? value : [value]),
  object: toObject,
  any: undefined,
};

export function finite(number: number): number {
  if (Number.isFinite(number)) return number;
  throw new MappingFault("number_out_of_range", "The number is too large, or was divided by zero.");
}

/** Removes floating point noise from sums: 0.1 + 0.2 is 0.3. */
export function tidy(number: number): number {
  if (Number.isInteger(number)) return number;
  const short = Math.round(number * 1e6) / 1e6;
  return Math.abs(short - number) <= Math.abs(number) * 1e-15 ? short : Number(finite(number).toPrecision(15));
}

/** Half away from zero on the decimal digits as written: 1.005 to two places is 1.01. */
export function roundTo(number: number, digits: number): number {
  const factor = 10 ** digits;
  const scaled = Math.abs(number) * factor;
  if (!(scaled < 1e15)) return number;
  const rounded = Math.floor(scaled + 0.5 + scaled * 4 * Number.EPSILON);
  return (number < 0 ? -rounded : rounded) / factor || 0;
}
