import type { Conventions } from "../../core/csv/csv-cells.ts";
import { readNumber } from "../../core/csv/csv-cells.ts";

/** Amounts are counted in millionths, so that sums are exact and amounts below a cent stay as the carrier writes them. */
const perUnit = 1_000_000;
const maxAmount = 100_000_000;

const plain = /^-?\d+(?:\.\d{1,6})?$/;

/** Undefined if the text is not an amount. `12.50-` and `(12.50)` are credits. */
export function readMicros(text: string, conventions: Conventions): number | undefined {
  if (plain.test(text)) return toMicros(Number(text));
  const credit = /^(.*\d)\s*-$/.exec(text)?.[1] ?? /^\((.*)\)$/.exec(text)?.[1];
  const read = readNumber(credit === undefined ? text : `-${credit}`, conventions);
  return "problem" in read || typeof read.value !== "number" ? undefined : toMicros(read.value);
}

/** Undefined beyond what can be counted exactly. */
function toMicros(amount: number): number | undefined {
  const micros = Math.round(amount * perUnit);
  const isExact = Math.abs(amount * perUnit - micros) < 0.001;
  return Math.abs(amount) > maxAmount || !isExact ? undefined : micros;
}

export function fromMicros(micros: number): number {
  return micros / perUnit;
}

/** At least two decimals: 12.50, 0.125. */
export function formatMicros(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0{1,4}$/, "");
  return `${micros < 0 ? "-" : ""}${digits.slice(0, -6)}.${decimals}`;
}
