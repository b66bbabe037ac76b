import { extraCells, readNumber, withoutFootnotes } from "../../core/csv/csv-cells.ts";
import type { Warning } from "../../core/csv/csv-columns.ts";
import type { PlacedError } from "../../core/csv/csv-table.ts";
import { placedError, readTable } from "../../core/csv/csv-table.ts";
import type { CardHeader } from "./card.schemas.ts";
import { namesWithUnits, readWeightUnit, weightUnitInName } from "../../core/weight.ts";
import { levelOfService, serviceLevels } from "./service-level.ts";

type CsvServices = { services: Record<string, unknown>[]; warnings: Warning[] } | { errors: PlacedError[] };

type Unit = "lb" | "oz" | "kg" | "g";
type Cell = { row: number; column: string; zone: string; price: number | null };
type Line = { row: number; service: string; upTo: number | null; unit: Unit; cells: Cell[] };

const maxRows = 50_000;
const maxErrors = 200;
const aliases: Record<string, string[]> = {
  service: ["service", "servicecode", "code"],
  name: ["servicename", "name"],
  level: ["level", "servicelevel"],
  weight: [
    ...namesWithUnits("weight upto maxweight weightupto notover weightnotover").split(" "),
    "lb",
    "lbs",
    "pounds",
    "oz",
  ],
  unit: ["unit", "weightunit"],
  zone: ["zone"],
  rate: ["rate", "price", "amount"],
};

/** What a column can be mapped to, besides `zone:` with the name of a zone. */
export const cardColumnFields = Object.keys(aliases);
/** Column to field; null: the column is ignored. Other columns are recognized by their names. */
export type CardMapping = Readonly<Record<string, string | null>>;

/**
 * Reads prices from CSV: one row per weight with a column per zone, or one row per price with the columns zone and rate.
 * Everything else comes from the header.
 */
export async function servicesFromCsv(
  csv: string,
  header: Partial<CardHeader> = {},
  mapping: CardMapping = {},
): Promise<CsvServices> {
  const table = await readTable(csv, maxRows);
  if ("errors" in table) return table;
  const [first, ...rows] = table.rows;
  if (!first) return { errors: [placedError(1, null, "empty", "The header row is missing.")] };
  const columns = readColumns(
    first.cells.map((name) => name.trim()),
    mapping,
  );
  const errors: PlacedError[] = columns.errors.map((message) => placedError(first.number, null, "columns", message));
  if (errors.length > 0) return { errors };
  const lines: Line[] = [];
  const warnings: Warning[] = [];
  const about = new Map<string, { name?: string; level?: string }>();
  for (const { cells, number } of rows) {
    if (isNote(cells, columns)) continue;
    const weight = (cells[columns.at.weight!] ?? "").trim();
    if (packaging.test(weight)) {
      warnings.push(packagingWarning(columns.names[columns.at.weight!]!, number, weight));
      continue;
    }
    const line = readLine(cells, number, columns, errors, about);
    if (line) lines.push(line);
  }
  const services = buildServices(lines, about, header, errors);
  return errors.length > 0 ? { errors: errors.slice(0, maxErrors) } : { services, warnings };
}

/** Rows with prices of the carrier's own envelopes. Skipped: parcels do not say whether they use the carrier's packaging. */
const packaging = /^(ltr|letters?|env|envelopes?|paks?)\.?$/i;

function packagingWarning(column: string, row: number, cell: string): Warning {
  const message = `Row ${row} was skipped: ${cell} is the carrier's own packaging; only prices by weight are imported.`;
  return { column, code: "packaging_row", message };
}

/** A note below the table: neither a weight nor a price. */
function isNote(cells: string[], { at, zones, names }: Columns): boolean {
  const prices = zones.length > 0 ? zones.map(([index]) => index) : [at.rate!, at.zone!];
  const isEmpty = prices.every((index) => (cells[index] ?? "").trim() === "");
  return isEmpty && !readWeight((cells[at.weight!] ?? "").trim(), "", names[at.weight!]!);
}

type Columns = {
  at: Record<string, number>;
  names: string[];
  zones: [index: number, zone: string][];
  errors: string[];
};

const mappedZone = /^zone:\s*(\w{1,10})$/;

function readColumns(names: string[], mapping: CardMapping): Columns {
  const at: Record<string, number> = {};
  const zones: [number, string][] = [];
  const errors: string[] = Object.keys(mapping)
    .filter((name) => !names.includes(name))
    .map((name) => `The file has no column ${name}, which the mapping names.`);
  for (const [index, name] of names.entries()) {
    const mapped = Object.hasOwn(mapping, name) ? mapping[name]! : undefined;
    if (mapped === null) continue;
    const folded = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    const field = mapped ?? Object.keys(aliases).find((key) => aliases[key]!.includes(folded));
    const zoneOf = field === undefined ? undefined : mappedZone.exec(field)?.[1];
    if (zoneOf !== undefined) zones.push([index, normaliseZone(zoneOf)]);
    else if (field !== undefined) {
      if (at[field] === undefined) at[field] = index;
      else errors.push(`${names[at[field]]} and ${name} both mean ${field}; remove one of them.`);
    } else {
      const zone = /^(?:zone|zn|z)?\s*(?:[-_]\s*)?(\w{1,10})$/i.exec(name)?.[1];
      if (zone !== undefined) zones.push([index, normaliseZone(zone)]);
    }
  }
  const isLong = at.zone !== undefined && at.rate !== undefined;
  if (at.weight === undefined) {
    errors.push("A weight column is required, such as `Weight (lb)`. Name yours so, or send `mapping`.");
  }
  if (!isLong && zones.length === 0) errors.push("Zone columns are required, or the columns `zone` and `rate`.");
  return { at, names, zones: isLong ? [] : zones, errors };
}

function normaliseZone(zone: string): string {
  return zone.replace(/^0+(?=\d)/, "");
}

function readLine(
  row: string[],
  number: number,
  columns: Columns,
  errors: PlacedError[],
  about: Map<string, { name?: string; level?: string }>,
): Line | undefined {
  const { at, names } = columns;
  const cell = (field: string): string => (at[field] === undefined ? "" : (row[at[field]] ?? "").trim());
  const fail = (field: string, code: string, message: string): undefined => {
    errors.push(placedError(number, at[field] === undefined ? null : names[at[field]]!, code, message));
    return undefined;
  };
  const extra = extraCells(row, names.length);
  if (extra) errors.push(placedError(number, null, extra.code, extra.message));
  const service = cell("service") || "GROUND";
  const known = about.get(service) ?? {};
  const level = cell("level").toLowerCase();
  if (level !== "" && !(serviceLevels as readonly string[]).includes(level))
    fail("level", "enum", `${level} is not one of ${serviceLevels.join(", ")}.`);
  about.set(service, {
    ...known,
    ...(cell("name") === "" ? {} : { name: cell("name") }),
    ...(level === "" ? {} : { level }),
  });
  const weight = readWeight(cell("weight"), cell("unit"), names[at.weight!]!);
  if (!weight)
    return fail("weight", "weight", `${cell("weight") || "An empty cell"} is not a weight, such as 5, 5 lb or 12 oz.`);
  const zones: [string, string, string][] =
    columns.zones.length > 0
      ? columns.zones.map(([index, zone]) => [zone, (row[index] ?? "").trim(), names[index]!])
      : [[normaliseZone(cell("zone")), cell("rate"), names[at.rate!]!]];
  if (columns.zones.length === 0 && cell("zone") === "") return fail("zone", "required", "The zone is missing.");
  const cells: Cell[] = [];
  for (const [zone, text, column] of zones) {
    const price = readPrice(text);
    if (price === undefined)
      errors.push(placedError(number, column, "price", `${text} is not a price, such as 12.34.`));
    else cells.push({ row: number, column, zone, price });
  }
  return { row: number, service, ...weight, cells };
}

function readWeight(text: string, unitText: string, column: string): { upTo: number | null; unit: Unit } | undefined {
  if (/^(any|flat|\*)$/i.test(text)) return { upTo: null, unit: "lb" };
  const found = /^(\d+(?:\.\d+)?)\s*([a-z]*)\.?$/i.exec(withoutFootnotes(text));
  const unit = readWeightUnit(
    found?.[2] || unitText || (weightUnitInName(column) ?? (/^oz|ounce/i.test(column) ? "oz" : "lb")),
  );
  const upTo = Number(found?.[1] ?? Number.NaN);
  return found && unit && upTo > 0 ? { upTo, unit } : undefined;
}

/** Null: an empty cell or a dash, which means no service. */
function readPrice(given: string): number | null | undefined {
  const text = withoutFootnotes(given);
  if (text === "" || text === "-" || /^n\/?a$/i.test(text)) return null;
  const read = readNumber(text);
  return "value" in read && (read.value as number) >= 0 ? (read.value as number) : undefined;
}

function buildServices(
  lines: Line[],
  about: Map<string, { name?: string; level?: string }>,
  header: Partial<CardHeader>,
  errors: PlacedError[],
): Record<string, unknown>[] {
  const grouped = Map.groupBy(lines, (line) => line.service);
  return [...grouped].map(([code, own]) => {
    const breaks = new Map<string, { upTo: number | null; unit: Unit; prices: Map<string, number | null> }>();
    const zones = new Set<string>();
    for (const { upTo, unit, cells } of own) {
      const key = `${upTo} ${unit}`;
      const row = breaks.get(key) ?? { upTo, unit, prices: new Map() };
      breaks.set(key, row);
      for (const { zone, price, row: number, column } of cells) {
        if (row.prices.has(zone))
          errors.push(
            placedError(number, column, "duplicate", `${code}, zone ${zone}, ${key} has more than one price.`),
          );
        row.prices.set(zone, price);
        zones.add(zone);
      }
    }
    const fromHeader = header.services?.find((service) => service.code === code);
    const { name, level } = about.get(code) ?? {};
    return {
      code,
      ...(name === undefined ? {} : { name }),
      level: level ?? levelOfService(name ?? code) ?? levelOfService(code) ?? "ground",
      ...fromHeader,
      weightBreaks: [...breaks.values()].map(({ upTo, unit }) => ({ upTo, unit })),
      rates: Object.fromEntries(
        [...zones].map((zone) => [zone, [...breaks.values()].map(({ prices }) => prices.get(zone) ?? null)]),
      ),
    };
  });
}
