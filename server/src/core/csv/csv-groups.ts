import { unguardFormula } from "./csv.ts";
import { extraCells, repairAddress } from "./csv-cells.ts";
import type { Column } from "./csv-columns.ts";
import { readValue } from "./csv-values.ts";
import { weightUnitInName } from "../weight.ts";

export type Place = { row: number; column: string | null };
export type CsvError = Place & { code: string; message: string };

type Draft = Record<string, unknown> & { lines?: Record<string, unknown>[] };

/** The rows of one order, and the request they make. Rows are indexes of the file; places count from one. */
export type Group = { rows: number[]; request: Draft; places: Map<string, Place>; errors: CsvError[] };

/** Rows with the same number are one order; a row without a number is an order of its own. */
export function groupRows(columns: readonly Column[], all: readonly string[][], from: number): Group[] {
  const byNumber = new Map<string, Group>();
  const groups: Group[] = [];
  const numberAt = columns.findIndex(({ field }) => field === "number");
  for (let index = from; index < all.length; index++) {
    const row = all[index]!;
    if (row.every((cell) => cell.trim() === "")) continue;
    const number = unguardFormula((row[numberAt] ?? "").trim());
    let group = number === "" ? undefined : byNumber.get(number);
    if (!group) {
      group = { rows: [], request: {}, places: new Map(), errors: [] };
      groups.push(group);
      if (number !== "") byNumber.set(number, group);
    }
    addRow(group, columns, row, index);
  }
  for (const { request } of groups) {
    for (const field of ["shippingAddress", "billingAddress"]) {
      if (request[field]) request[field] = repairAddress(request[field]);
    }
  }
  return groups;
}

function addRow(group: Group, columns: readonly Column[], row: string[], index: number): void {
  group.rows.push(index);
  const line: Record<string, unknown> = {};
  const lineAt = group.request.lines?.length ?? 0;
  const extra = extraCells(row, columns.length);
  if (extra) group.errors.push({ row: index + 1, column: null, ...extra });
  for (const [i, { column, field }] of columns.entries()) {
    const text = unguardFormula((row[i] ?? "").trim());
    if (field === null || text === "") continue;
    const place = { row: index + 1, column };
    const read = readValue(field, text);
    if ("problem" in read) group.errors.push({ ...place, ...read.problem });
    else if (field.startsWith("line.")) addToLine(line, field.slice(5), read.value, group, lineAt, place);
    else setField(group, field, read.value, place);
  }
  settleWeight(line, columns);
  if (Object.keys(line).length === 0) return;
  if (line.quantity === undefined) line.quantity = 1;
  group.places.set(`/lines/${lineAt}`, { row: index + 1, column: null });
  (group.request.lines ??= []).push(line);
}

function addToLine(
  line: Record<string, unknown>,
  name: string,
  value: unknown,
  group: Group,
  at: number,
  place: Place,
): void {
  if (name === "weight" || name === "weightUnit") {
    line.weight = { ...(line.weight as object | undefined), [name === "weight" ? "value" : "unit"]: value };
    group.places.set(`/lines/${at}/weight/${name === "weight" ? "value" : "unit"}`, place);
    return;
  }
  line[name] = value;
  group.places.set(`/lines/${at}/${name}`, place);
}

/** A unit alone says nothing; a number alone has the unit that its column names, or else is in pounds. */
function settleWeight(line: Record<string, unknown>, columns: readonly Column[]): void {
  const weight = line.weight as { value?: unknown; unit?: unknown } | undefined;
  if (weight && weight.value === undefined) delete line.weight;
  else if (weight) {
    const named = columns.find(({ field }) => field === "line.weight");
    weight.unit ??= weightUnitInName(named?.column ?? "") ?? "lb";
  }
}

/** What concerns the whole order may stand in any of its rows, but must not differ between them. */
function setField(group: Group, field: string, value: unknown, place: Place): void {
  if (field === "note") {
    const notes = (group.request.notes ??= []) as { text: unknown }[];
    if (notes.some(({ text }) => text === value)) return;
    group.places.set(`/notes/${notes.length}`, place);
    notes.push({ text: value });
    return;
  }
  const [outer, ...rest] = field.split(".");
  const inner = rest.join(".");
  const target = inner === "" ? group.request : ((group.request[outer!] ??= {}) as Record<string, unknown>);
  const name = inner === "" ? outer! : inner;
  const pointer = inner === "" ? `/${name}` : `/${outer}/${name}`;
  if (!Object.hasOwn(target, name)) {
    target[name] = value;
    group.places.set(pointer, place);
  } else if (JSON.stringify(target[name]) !== JSON.stringify(value)) {
    const message = `Row ${group.places.get(pointer)?.row} of the same order says something else.`;
    group.errors.push({ ...place, code: "conflicting_value", message });
  }
}

/** Where a part of the request came from: the cell, or else the row. */
export function placeOf(pointer: string, group: Group): Place {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const place = group.places.get(at);
    if (place) return place;
  }
  return { row: group.rows[0]! + 1, column: null };
}
