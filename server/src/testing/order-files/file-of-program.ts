/** Files as known programs write them. The headers are those of the programs, the orders are made up. */
export type Cells = Readonly<Record<string, string>>;

/** An order of a file: its rows, and what must become of it, field by field. */
type FileOrder = { rows: Cells[]; order: Record<string, unknown> };

export type FileOfProgram = { preset: string; header: readonly string[]; delimiter: "," | "\t"; orders: FileOrder[] };

export function writeFile({ header, delimiter, orders }: FileOfProgram): string {
  const quote = (cell: string): string =>
    delimiter === "," && /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const line = (cells: readonly string[]): string => cells.map(quote).join(delimiter);
  const rows = orders.flatMap(({ rows: own }) => own);
  for (const name of rows.flatMap((row) => Object.keys(row))) {
    if (!header.includes(name)) throw new Error(`the file has no column ${name}`);
  }
  return `${[header, ...rows.map((row) => header.map((name) => row[name] ?? ""))].map(line).join("\r\n")}\r\n`;
}
