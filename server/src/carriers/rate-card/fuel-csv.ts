import { readDay, readNumber } from "../../core/csv/csv-cells.ts";
import { readTable } from "../../core/csv/csv-table.ts";
import type { FieldError } from "../../core/errors.ts";
import { escapePointer } from "../../core/strict-json.ts";
import type { CardHeader } from "./card.schemas.ts";

type Fuels = Pick<CardHeader, "fuel" | "fuelByService">;
type Term = NonNullable<CardHeader["fuel"]>;
type Row = NonNullable<Term["table"]>[number];

const maxRows = 500;

/**
 * Reads percentages by day, as carriers publish them: a column with the days and one for each mode, service code or, named `fuel`, the fuel of the
 * card. The other terms of each must be in the card. Newest first is fine.
 */
export async function fuelFromCsv(csv: string, card: Fuels): Promise<Fuels | { errors: FieldError[] }> {
  const errors: FieldError[] = [];
  const fail = (row: number, column: string, code: string, message: string): void => {
    const pointer = `/fuelCsv/${row}${column === "" ? "" : `/${escapePointer(column)}`}`;
    errors.push({ pointer, code, message: `Row ${row}${column === "" ? "" : `, ${column}`}: ${message}` });
  };
  const table = await readTable(csv, maxRows);
  if ("errors" in table) return { errors: table.errors.map((error) => ({ ...error, pointer: "/fuelCsv" })) };
  const [header, ...rows] = table.rows;
  const names = (header?.cells ?? []).map((name) => name.trim());
  const dayAt = names.findIndex((name) => /date|^from$|^day$|effective/i.test(name));
  if (!header || dayAt === -1) {
    fail(header?.number ?? 1, "", "columns", "A column with days is required, such as `from`.");
    return { errors };
  }
  const fuelByService = card.fuelByService?.map((term) => ({ ...term }));
  const fuel = card.fuel && { ...card.fuel };
  for (const [index, name] of names.entries()) {
    if (index === dayAt || name === "") continue;
    const term = findTerm(name, fuel, fuelByService);
    if (!term) {
      fail(
        header.number,
        name,
        "no_fuel_terms",
        "The card has no fuel for it; add an entry with `appliesTo` to `fuelByService`.",
      );
      continue;
    }
    delete term.percent;
    term.table = readPercents(rows, dayAt, index, (row, isDay, code, message) =>
      fail(row, names[isDay ? dayAt : index]!, code, message),
    );
  }
  if (errors.length > 0) return { errors: errors.slice(0, 200) };
  return { ...(fuel && { fuel }), ...(fuelByService && { fuelByService }) };
}

function findTerm(name: string, fuel: Term | undefined, others: Fuels["fuelByService"] = []): Term | undefined {
  const word = name.toLowerCase();
  if (/^(?:fuel|percent|%)$/.test(word)) return fuel;
  return others.find(({ mode, services }) => (services ? services.includes(name) : mode === word));
}

type Fail = (row: number, isDay: boolean, code: string, message: string) => void;

/** Ascending by day. Empty cells have no percentage of their own. */
function readPercents(
  rows: readonly { number: number; cells: string[] }[],
  dayAt: number,
  at: number,
  fail: Fail,
): Row[] {
  const found = new Map<string, number>();
  for (const { number, cells } of rows) {
    const [given, day] = [(cells[at] ?? "").trim(), (cells[dayAt] ?? "").trim()];
    if (given === "") continue;
    const from = readDay(day);
    const percent = readNumber(given.replace(/\s*%$/, ""));
    if ("problem" in from) fail(number, true, "date", `${day || "An empty cell"} is not a date.`);
    else if ("problem" in percent || (percent.value as number) < 0 || (percent.value as number) > 100)
      fail(number, false, "percent", `${given} is not a percentage from 0 to 100.`);
    else if (found.has(from.value as string)) fail(number, true, "duplicate", `${day} is listed more than once.`);
    else found.set(from.value as string, percent.value as number);
  }
  return [...found].map(([from, percent]) => ({ from, percent })).toSorted((a, b) => (a.from < b.from ? -1 : 1));
}
