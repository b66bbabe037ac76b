import { extraCells } from "../../core/csv/csv-cells.ts";
import { detectDelimiter, MalformedCsv, parseCsv } from "../../core/csv/csv.ts";
import { escapePointer } from "../../core/strict-json.ts";
import type { CellError } from "../rate-card/card-csv.ts";
import type { ChartRow } from "./zone-chart.ts";
import { createZoneMemory, rangeOf } from "./zone-chart.ts";

const maxRows = 300_000;
const maxErrors = 200;

/**
 * A zone chart as carriers publish it: a column for the destinations, then either `zone` or one column per service. The
 * origin is a column too, or the same for the whole file.
 */
export async function chartFromCsv(
  csv: string,
  origin?: string,
): Promise<{ rows: ChartRow[] } | { errors: CellError[] }> {
  let lines: string[][];
  try {
    lines = await parseCsv(csv, detectDelimiter(csv), maxRows);
  } catch (error) {
    if (!(error instanceof MalformedCsv)) throw error;
    return { errors: [chartError(1, null, "malformed_csv", error.message)] };
  }
  const first = lines.findIndex((line) => line.some((cell) => /dest|^to$/i.test(cell)));
  if (first === -1) return { errors: [chartError(1, null, "columns", "No column is called `destination`.")] };
  const names = lines[first]!.map((name) => name.trim());
  const destinationAt = names.findIndex((name) => /dest|^to$/i.test(name));
  const originAt = names.findIndex((name) => /orig|^from$/i.test(name));
  const zoneColumns = names.flatMap((name, index) =>
    index === destinationAt || index === originAt || name === "" ? [] : [{ index, name }],
  );
  if (originAt === -1 && origin === undefined)
    return { errors: [chartError(first + 1, null, "columns", "Name the origin: as a column, or as `origin`.")] };
  if (zoneColumns.length === 0) return { errors: [chartError(first + 1, null, "columns", "No column holds zones.")] };
  const rows: ChartRow[] = [];
  const said = createZoneMemory();
  const errors: CellError[] = [];
  for (const [index, line] of lines.entries()) {
    if (index <= first || line.every((cell) => cell.trim() === "")) continue;
    const from = originAt === -1 ? origin! : clean(line[originAt]);
    const to = clean(line[destinationAt]);
    const extra = extraCells(line, names.length);
    if (extra) errors.push(chartError(index + 1, null, extra.code, extra.message));
    if (!rangeOf(to))
      errors.push(chartError(index + 1, names[destinationAt]!, "zip_range", `${to} is no ZIP or range.`));
    if (!rangeOf(from)) errors.push(chartError(index + 1, names[originAt] ?? null, "zip_range", `${from} is no ZIP.`));
    for (const { index: at, name } of zoneColumns) {
      const zone = (line[at] ?? "").trim().replace(/[*+]$/, "");
      if (zone === "") continue;
      if (zone !== "-" && !/^\w{1,10}$/.test(zone)) {
        errors.push(chartError(index + 1, name, "zone", `${zone} is no zone.`));
        continue;
      }
      const value = zone === "-" ? null : zone.replace(/^0+(?=\d)/, "");
      const former = said(from, to, name, value);
      if (former !== undefined) errors.push(chartError(index + 1, name, "contradiction", former));
      rows.push({ origin: from, destination: to, zone: value, ...(/^zone$/i.test(name) ? {} : { service: name }) });
    }
  }
  return errors.length > 0 ? { errors: errors.slice(0, maxErrors) } : { rows };
}

function clean(cell: string | undefined): string {
  return (cell ?? "").replaceAll(/\s/g, "").replace(/-+/, "-");
}

function chartError(row: number, column: string | null, code: string, message: string): CellError {
  const pointer = column === null ? `/csv/${row}` : `/csv/${row}/${escapePointer(column)}`;
  return { pointer, row, column, code, message: `Row ${row}${column === null ? "" : `, ${column}`}: ${message}` };
}
