import { extraCells, withoutFootnotes } from "../../core/csv/csv-cells.ts";
import type { PlacedError } from "../../core/csv/csv-table.ts";
import { placedError, readTable } from "../../core/csv/csv-table.ts";
import type { ChartRow } from "./zone-chart.ts";
import { createConflictCheck, rangeOf } from "./zone-chart.ts";

const maxRows = 300_000;
const maxErrors = 200;

/**
 * Reads a zone chart as carriers publish it: a column for the destinations, then `zone` or one column per service. The
 * origin is another column, or one value for the whole file.
 */
export async function chartFromCsv(
  csv: string,
  origin?: string,
): Promise<{ rows: ChartRow[] } | { errors: PlacedError[] }> {
  const table = await readTable(csv, maxRows);
  if ("errors" in table) return table;
  const first = table.rows.findIndex(({ cells }) => cells.some((cell) => /dest|^to$/i.test(cell)));
  if (first === -1) return { errors: [placedError(1, null, "columns", "A `destination` column is required.")] };
  const header = table.rows[first]!;
  const names = header.cells.map((name) => name.trim());
  const destinationAt = names.findIndex((name) => /dest|^to$/i.test(name));
  const originAt = names.findIndex((name) => /orig|^from$/i.test(name));
  const zoneColumns = names.flatMap((name, index) =>
    index === destinationAt || index === originAt || name === "" ? [] : [{ index, name }],
  );
  if (originAt === -1 && origin === undefined)
    return {
      errors: [placedError(header.number, null, "columns", "An origin is required, as a column or as `origin`.")],
    };
  if (zoneColumns.length === 0)
    return { errors: [placedError(header.number, null, "columns", "A column with zones is required.")] };
  const rows: ChartRow[] = [];
  const findConflict = createConflictCheck();
  const errors: PlacedError[] = [];
  for (const { number, cells: line } of table.rows.slice(first + 1)) {
    const from = originAt === -1 ? origin! : clean(line[originAt]);
    const to = clean(line[destinationAt]);
    const zones = zoneColumns.map(({ index: at, name }) => ({ name, zone: withoutFootnotes(line[at] ?? "") }));
    // Notes below the table.
    if (!rangeOf(to) && zones.every(({ zone }) => zone === "")) continue;
    const extra = extraCells(line, names.length);
    if (extra) errors.push(placedError(number, null, extra.code, extra.message));
    if (!rangeOf(to))
      errors.push(placedError(number, names[destinationAt]!, "zip_range", `${to} is not a ZIP or range.`));
    if (!rangeOf(from))
      errors.push(placedError(number, names[originAt] ?? null, "zip_range", `${from} is not a ZIP or range.`));
    for (const { name, zone } of zones) {
      if (zone === "") continue;
      if (zone !== "-" && !/^\w{1,10}$/.test(zone)) {
        errors.push(placedError(number, name, "zone", `${zone} is not a valid zone.`));
        continue;
      }
      const value = zone === "-" ? null : zone.replace(/^0+(?=\d)/, "");
      const conflict = findConflict(from, to, name, value);
      if (conflict !== undefined) errors.push(placedError(number, name, "conflicting_rows", conflict));
      rows.push({ origin: from, destination: to, zone: value, ...(/^zone$/i.test(name) ? {} : { service: name }) });
    }
  }
  return errors.length > 0 ? { errors: errors.slice(0, maxErrors) } : { rows };
}

function clean(cell: string | undefined): string {
  return (cell ?? "").replaceAll(/\s/g, "").replace(/-+/, "-");
}
