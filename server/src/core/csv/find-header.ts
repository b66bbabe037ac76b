import type { Row } from "./csv.ts";

/** The line `sep=;` that spreadsheets write before the header. */
const separatorLine = /^\uFEFF?"?sep=(?<separator>[,;\t])"?(?:\r\n|[\r\n])/i;

/** The file without the `sep=` line, which spreadsheets do not count as a row. */
export function withoutSeparatorLine(csv: string): { text: string; separator?: string } {
  const found = separatorLine.exec(csv);
  return found ? { text: csv.slice(found[0].length), separator: found.groups!.separator! } : { text: csv };
}

/** Maximum number of rows above the header: titles, report dates and empty lines. */
const maxAbove = 10;

/**
 * The header: the first row, unless it is a title or has no known column name and one of the next rows has at least two.
 * Undefined if the file is empty.
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

/** The rows below the header. */
export async function* rowsBelow(header: Row, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  for await (const row of rows) if (row.number > header.number) yield row;
}
