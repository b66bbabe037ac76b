import { foldColumnName } from "../../../core/csv/invoice-headers.ts";
import type { ReadRow } from "../invoice-line.ts";
import type { InvoiceCells } from "./invoice-cells.ts";

/** Options of a request that matter to readers. */
export type ReaderOptions = { currency: string };

/**
 * The files of one carrier. A reader is a pure function from a row to its charges; rows are independent of each other, so that lines
 * may come in any order.
 */
export type InvoiceFormat = {
  /** As in `format` of an invoice. */
  name: string;
  carrier: string;
  /** Whether this is the header of such a file. */
  isHeader(folded: ReadonlySet<string>): boolean;
  /** The names of the columns of a file without a header, and whether its first row looks like one. */
  bare?: { columns: readonly string[]; isRow(cells: readonly string[]): boolean };
  /** `columns`: the header, or `bare.columns`. Returns undefined for a row that is not a charge. */
  open(columns: readonly string[], options: ReaderOptions): OpenFormat;
};

export type OpenFormat = {
  /** For the detection of the date order. */
  dateColumns: readonly number[];
  /** Why a row has no charge is counted by its code, such as information_row. */
  read(cells: InvoiceCells): ReadRow | { skipped: keyof typeof skippedTexts };
};

export const skippedTexts = {
  information_rows: "rows are for information only and are not charged",
  header_rows: "rows repeat the header",
  empty_rows: "rows have no charge",
} as const;

/** Finds columns by their names; the first of several with the same name. */
export function columnFinder(columns: readonly string[]): (name: string) => number | undefined {
  const places = new Map<string, number>();
  for (const [index, name] of columns.entries()) {
    const folded = foldColumnName(name);
    if (!places.has(folded)) places.set(folded, index);
  }
  // Names are folded once, since readers ask for the same ones in every row.
  const asked = new Map<string, number | undefined>();
  return (name) => {
    if (!asked.has(name)) asked.set(name, places.get(foldColumnName(name)));
    return asked.get(name);
  };
}
