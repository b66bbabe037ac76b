import type { BareRow } from "./csv.ts";
import { delimiters, detectDelimiter, streamRows } from "./csv.ts";
import { hasDecisiveDate } from "./date-order.ts";
import { withoutSeparatorLine } from "./find-header.ts";
import type { Quoting } from "./split-rows.ts";

/** A file that is read row by row, and can be read again from the start. */
export type CsvSource = {
  delimiter: string;
  /** Whether a date in it is unambiguous. */
  hasDecisiveDate(): boolean;
  /** Includes blank rows. One iteration at a time. */
  rows(quoting?: Quoting): AsyncIterable<BareRow>;
};

export type SourceOptions = {
  delimiter?: keyof typeof delimiters | "auto" | undefined;
  maxRows?: number | undefined;
};

/** How the file of an invoice is opened, after its import preset was found. */
export type InvoiceSourceOptions = { delimiter: keyof typeof delimiters | "auto"; maxRows: number };

export function openText(csv: string, { delimiter: wanted = "auto", maxRows }: SourceOptions = {}): CsvSource {
  const { text, separator } = withoutSeparatorLine(csv);
  const delimiter = wanted === "auto" ? (separator ?? detectDelimiter(text)) : delimiters[wanted];
  return {
    delimiter,
    hasDecisiveDate: () => hasDecisiveDate(text),
    rows: (quoting) => streamRows(text, delimiter, { maxRows, ...(quoting && { quoting }) }),
  };
}
