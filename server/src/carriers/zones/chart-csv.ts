import { extraCells, withoutFootnotes } from "../../core/csv/csv-cells.ts";
import type { PlacedError } from "../../core/csv/csv-table.ts";
import { placedError, readTable } from "../../core/csv/csv-table.ts";
import type { Row } from "../../core/csv/csv.ts";
import type { ChartRow } from "./zone-chart.ts";
import { createConflictCheck, rangeOf } from "./zone-chart.ts";

const maxRows = 300_000;
const maxErrors = 200;

type Column = { index: number; name: string };
/** A destination column with its zones; published charts have several beside each other. */
type Block = { destination: Column; zones: Column[] };
type Header = { number: number; names: string[]; origin: number; blocks: Block[]; at: number };

/**
 * Reads a zone chart as UPS, FedEx and USPS publish it: titles, then a column for the destinations and `zone` or one column per service, or several
 * such blocks beside each other. The origin is another column, one value for the whole file, or in a title.
 */
export async function chartFromCsv(
  csv: string,
  origin?: string,
): Promise<{ rows: ChartRow[] } | { errors: PlacedError[] }> {
  const table = await readTable(csv, maxRows);
  if ("errors" in table) return table;
  const header = findHeader(table.rows);
  if (!header) return { errors: [placedError(1, null, "columns", "A `destination` column is required.")] };
  const everyOrigin = origin ?? originInTitles(table.rows.slice(0, header.at));
  const fail = (message: string) => ({ errors: [placedError(header.number, null, "columns", message)] });
  if (header.origin === -1 && everyOrigin === undefined)
    return fail("An origin is required, as a column, as `origin` or in a title.");
  if (header.blocks.some(({ zones }) => zones.length === 0)) return fail("A column with zones is required.");
  const rows: ChartRow[] = [];
  const findConflict = createConflictCheck();
  const errors: PlacedError[] = [];
  for (const { number, cells } of table.rows.slice(header.at + 1)) {
    const extra = extraCells(cells, header.names.length);
    const before = rows.length;
    for (const block of header.blocks) {
      const from = header.origin === -1 ? everyOrigin! : clean(cells[header.origin]);
      readBlock({ number, cells }, block, from, { rows, errors, findConflict });
    }
    if (extra && rows.length > before) errors.push(placedError(number, null, extra.code, extra.message));
  }
  return errors.length > 0 ? { errors: errors.slice(0, maxErrors) } : { rows };
}

type Reading = {
  rows: ChartRow[];
  errors: PlacedError[];
  findConflict: ReturnType<typeof createConflictCheck>;
};

function readBlock({ number, cells }: Row, block: Block, from: string, { rows, errors, findConflict }: Reading): void {
  const { destination } = block;
  const to = clean(cells[destination.index]);
  const zones = block.zones.map(({ index, name }) => ({ name, zone: withoutFootnotes(cells[index] ?? "") }));
  // Notes below the table.
  if (!rangeOf(to) && zones.every(({ zone }) => zone === "")) return;
  if (!rangeOf(to)) errors.push(placedError(number, destination.name, "zip_range", `${to} is not a ZIP or range.`));
  if (!rangeOf(from)) errors.push(placedError(number, null, "zip_range", `${from} is not a ZIP or range.`));
  for (const { name, zone } of zones) {
    if (zone === "") continue;
    if (zone !== "-" && !/^\w{1,10}$/.test(zone)) {
      errors.push(placedError(number, name, "zone", `${zone} is not a valid zone.`));
      continue;
    }
    const value = zone === "-" ? null : zone.replace(/^0+(?=\d)/, "");
    const conflict = findConflict(from, to, name, value);
    if (conflict !== undefined) errors.push(placedError(number, name, "conflicting_rows", conflict));
    rows.push({ origin: from, destination: to, zone: value, ...servicesOf(name) });
  }
}

const isDestination = (name: string): boolean => /\bdest|^to$|^zip ?(?:codes?)?$/i.test(name);
const isOrigin = (name: string): boolean => /^(?:orig|from$|ship ?from)/i.test(name);

/** The first row with a destination column and another one. Titles are single cells. */
function findHeader(rows: Row[]): Header | undefined {
  for (const [at, { cells, number }] of rows.entries()) {
    const names = cells.map((name) => name.trim().replaceAll(/\s+/g, " "));
    const isTable = names.some(isDestination) && names.filter((name) => name !== "").length > 1;
    if (!isTable) continue;
    const columns = names.map((name, index) => ({ name, index }));
    const blocks = columns
      .filter(({ name }) => isDestination(name))
      .map((destination): Block => ({ destination, zones: [] }));
    for (const column of columns) {
      const { name, index } = column;
      // The postal service names exceptions in `MailService`, such as a kind of mail.
      if (name === "" || isDestination(name) || isOrigin(name) || /^mail ?service$/i.test(name)) continue;
      const block = blocks.findLast(({ destination }) => destination.index < index) ?? blocks[0]!;
      block.zones.push(column);
    }
    return { number, names, origin: names.findIndex(isOrigin), blocks, at };
  }
  return undefined;
}

/** As UPS writes it: `ZIP Codes 070-01 to 079-99`. */
function originInTitles(titles: Row[]): string | undefined {
  for (const { cells } of titles) {
    const text = cells.join(" ");
    if (!/orig|from/i.test(text)) continue;
    const [, from, to] = /(\d{3}(?:-?\d\d)?)\s*(?:to|through|thru|-)\s*(\d{3}(?:-?\d\d)?)(?!\d)/i.exec(text) ?? [];
    if (from !== undefined && to !== undefined) return `${from.replace("-", "")}-${to.replace("-", "")}`;
  }
  return undefined;
}

/** A column such as `Ground Zone` is for a service, `Express` of FedEx for all by air, `Zone` for every service. */
function servicesOf(column: string): Pick<ChartRow, "service" | "mode"> {
  const name = column.replace(/\s*\bzones?\b\s*/i, " ").trim();
  if (name === "") return {};
  return /^(?:fedex express|all express|air|all air)$/i.test(name) ? { mode: "air" } : { service: name };
}

/** Spreadsheets drop leading zeros. */
function clean(cell: string | undefined): string {
  const text = (cell ?? "").replaceAll(/\s/g, "").replace(/-+/, "-");
  return text
    .split("-")
    .map((zip) => (/^\d{1,2}$/.test(zip) ? zip.padStart(3, "0") : /^\d{4}$/.test(zip) ? zip.padStart(5, "0") : zip))
    .join("-");
}
