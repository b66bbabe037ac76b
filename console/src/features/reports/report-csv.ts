type Cell = string | number | null;

/** CSV with CRLF line ends, as spreadsheets expect. Texts that a spreadsheet would run as a formula get an apostrophe. */
export function toCsv(rows: ReadonlyArray<readonly Cell[]>): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
