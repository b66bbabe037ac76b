import type { Row } from "./csv.ts";

/** As spreadsheets write it in front of a file, to say what separates its columns. */
const separatorLine = /^\uFEFF?"?sep=(?<separator>[,;\t])"?(?:\r\n|[\r\n])/i;

/** The file without the line that says its delimiter, which no spreadsheet counts as a row. */
export function withoutSeparatorLine(csv: string): { text: string; separator?: string } {
  const found = separatorLine.exec(csv);
  return found ? { text: csv.slice(found[0].length), separator: found.groups!.separator! } : { text: csv };
}

/** Titles, dates of the report and empty lines stand in so many rows at most. */
const maxAbove = 10;

/**
 * The row that names the columns: the first one, unless it is a title, or has no name that is known, and one of the next rows
 * has two or more. Undefined: there is no row.
 */
export async function findHeader(
  rows: AsyncGenerator<Row>,
  isKnown: (name: string) => boolean,
): Promise<(Row & { isFirst: boolean }) | undefined> {
  const countKnown = ({ cells }: Row): number => cells.filter((name) => name.trim() !== "" && isKnown(name)).length;
  let first: Row | undefined;
  let header: Row | undefined;
  let read = 0;
  for await (const row of rows) {
    first ??= row;
    const known = countKnown(row);
    const isTitle = row.cells.filter((cell) => cell.trim() !== "").length < 2;
    if (row === first ? known > 0 && !isTitle : known > 1) header = row;
    if (header || ++read > maxAbove) break;
  }
  header ??= first;
  return header && { ...header, isFirst: header === first };
}

/** Those below the header. */
export async function* rowsBelow(header: Row, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  for await (const row of rows) if (row.number > header.number) yield row;
}
