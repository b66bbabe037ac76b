import type { Row } from "./csv.ts";
import { textOfCell } from "./csv.ts";
import type { DateOrder } from "./csv-cells.ts";

const numeric = /^(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d\d)(?!\d)/;
/** A number that can only be a day, next to another one. */
const decisive = /(?<!\d)(?:1[3-9]|2\d|3[01])[/-]\d{1,2}[/-]\d\d|(?<!\d)\d{1,2}[/-](?:1[3-9]|2\d|3[01])[/-]\d\d/;

/** Most files have no such date and are not read twice. */
export function hasDecisiveDate(text: string): boolean {
  return decisive.test(text);
}

/**
 * The date order of a file, proven by an unambiguous date such as 25/12/2026. Undefined if there is none, or if two of them
 * contradict each other.
 */
export async function provenDateOrder(
  rows: () => AsyncIterable<Row>,
  columns: readonly number[],
): Promise<DateOrder | undefined> {
  const proven = new Set<DateOrder>();
  for await (const { cells } of rows()) {
    for (const index of columns) {
      const [, first, second] = numeric.exec(textOfCell(cells[index] ?? "")) ?? [];
      if (first === undefined || second === undefined) continue;
      if (Number(first) > 12 && Number(second) <= 12) proven.add("dmy");
      else if (Number(second) > 12 && Number(first) <= 12) proven.add("mdy");
    }
    if (proven.size > 1) return undefined;
  }
  return [...proven][0];
}
