import type { SheetPreset } from "../../core/csv/csv-columns.ts";
import { isPlain } from "../../core/strict-json.ts";
import { isFurtherField, orderFields } from "./order-sheet-fields.ts";

const known = new Set(orderFields.map(([field]) => field));
const isField = (field: unknown): boolean => typeof field === "string" && (known.has(field) || isFurtherField(field));

/** Why a preset for files of orders cannot be used. */
export function presetProblems(preset: SheetPreset): string[] {
  const { signatures, columns, prefixes, values, otherwise, implied, dateOrder, notData } = preset;
  const problems: string[] = [];
  const isList = (list: unknown): boolean =>
    Array.isArray(list) && list.length > 0 && list.every((name) => typeof name === "string");
  if (!Array.isArray(signatures) || signatures.length === 0 || !signatures.every(isList))
    problems.push("signatures must be lists of column names; a file with all columns of one list is recognised");
  if (!isPlain(columns) || Object.keys(columns).length === 0)
    return [...problems, "columns must be an object from column names to fields"];
  for (const [column, field] of Object.entries(columns))
    if (field !== null && !isField(field)) problems.push(`columns/${column}: there is no field ${field}`);
  const byField = { values, otherwise, implied };
  for (const [member, entries] of Object.entries(byField))
    for (const field of Object.keys(entries ?? {}))
      if (!isField(field)) problems.push(`${member}/${field}: there is no field ${field}`);
  if (prefixes !== undefined && !isPlain(prefixes)) problems.push("prefixes must be an object");
  if (dateOrder !== undefined && !["dmy", "mdy"].includes(dateOrder)) problems.push("dateOrder must be dmy or mdy");
  if (notData !== undefined && !(notData instanceof RegExp)) problems.push("notData must be a regular expression");
  return problems;
}
