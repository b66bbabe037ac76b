import type { FieldError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest.ts";

export type Report = (pointer: string, code: string, message: string, more?: Partial<FieldError>) => void;

export function checkMoney(amount: number, at: string, report: Report): void {
  if (Math.abs(amount * 100 - Math.round(amount * 100)) > 1e-6)
    report(at, "more_than_cents", `${amount} has more than two decimals.`);
}

export function checkUnique(values: string[], at: (index: number) => string, report: Report): void {
  for (const [index, value] of values.entries())
    if (values.indexOf(value) !== index) report(at(index), "duplicate", `${value} is listed more than once.`);
}

export function checkZoneNames(zones: string[], rates: Record<string, unknown>, at: string, report: Report): void {
  checkNames(zones, Object.keys(rates), at, "unknown_zone", report);
}

export function checkNames(names: string[], known: string[], at: string, code: string, report: Report): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const more = { allowed: known.slice(0, 50), suggestion: nearestName(name, known) };
    report(at, code, `The card has no ${name}.`, more);
  }
}

/** Prices and amounts of surcharges. */
export function checkPrice(amount: number, at: string, report: Report): void {
  if (Math.abs(amount * 10_000 - Math.round(amount * 10_000)) > 1e-4)
    report(at, "more_than_four_decimals", `${amount} has more than four decimals.`);
}

/** Rows with the same value, or a lower one than the row before, are reported at this field. */
export function checkAscending<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => number | string,
  at: string,
  field: string,
  report: Report,
): void {
  for (const [index, row] of rows.entries()) {
    if (index === 0 || valueOf(row) > valueOf(rows[index - 1]!)) continue;
    const place = field === "" ? `${at}/${index}` : `${at}/${index}/${field}`;
    report(place, "not_ascending", `Rows must be in ascending order${field === "" ? "" : ` of \`${field}\``}.`);
  }
}
