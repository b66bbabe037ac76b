import type { FieldError } from "../../core/errors.ts";
import { clip, extraCells, lostDigits, readNumber } from "../../core/csv/csv-cells.ts";
import type { Column, CsvVocabulary } from "../../core/csv/csv-columns.ts";
import { isErrors, matchColumns } from "../../core/csv/csv-columns.ts";
import { unguardFormula } from "../../core/csv/csv.ts";
import { textProblem } from "../../core/strict-json.ts";
import { readWeightUnit, weightUnitInName } from "../../core/weight.ts";
import type { NewItem } from "./rate-items.store.ts";

/** What a row can say, and how its columns are usually called. First come, first served. */
const names: [field: string, aliases: string][] = [
  ["trackingNumber", "trackingnumber tracking trackingno trackingid trackingnum awb airwaybill"],
  ["netCost", "netcost cost netcharge netamount netchargeamount amount charge totalcharge totalcost total price paid"],
  ["serviceType", "servicetype service servicename servicelevel shipmethod shippingmethod"],
  ["originZip", "originzip fromzip shipfromzip senderzip shipperzip originpostalcode originpostal senderpostalcode"],
  ["originCity", "origincity fromcity sendercity shippercity"],
  ["originState", "originstate fromstate senderstate shipperstate"],
  [
    "destinationZip",
    "destinationzip destzip tozip shiptozip recipientzip receiverzip destinationpostalcode receiverpostalcode zip",
  ],
  ["destinationCity", "destinationcity destcity tocity recipientcity receivercity city"],
  ["destinationState", "destinationstate deststate tostate recipientstate receiverstate state"],
  ["weight", "weight actualweight packageweight weightlb weightlbs weightoz weightkg weightg"],
  ["weightUnit", "weightunit weightuom weightunits"],
  ["length", "length dimlength packagelength"],
  ["width", "width dimwidth packagewidth"],
  ["height", "height dimheight packageheight"],
  ["dimensionUnit", "dimensionunit dimunit dimensionuom"],
  ["residential", "residential isresidential residentialflag"],
  ["shipDate", "shipdate shipmentdate shippedon shippeddate pickupdate date"],
  ["currency", "currency currencycode"],
];

const vocabulary: CsvVocabulary = {
  noun: "Items",
  names: names.map(([field, aliases]) => [field, aliases.split(" ")]),
};

export type ItemColumn = Column;
export type RowError = { row: number; column: string | null; code: string; message: string };

/** Which field each column is; tracking number and cost have to be among them. */
export function matchItemColumns(
  header: readonly string[],
  mapping: Readonly<Record<string, string | null>>,
): { columns: ItemColumn[] } | { errors: FieldError[] } {
  const matched = matchColumns(header, mapping, vocabulary);
  if (isErrors(matched)) return { errors: matched };
  const missing = ["trackingNumber", "netCost"].filter((field) => !matched.some((column) => column.field === field));
  if (missing.length === 0) return { columns: matched };
  return {
    errors: missing.map((field) => {
      const message = `No column is the ${field}. Name it in \`mapping\`, or check the delimiter.`;
      return { pointer: "/csv/1", code: "missing_column", message, allowed: header };
    }),
  };
}

const maxLengths: Record<string, number> = { trackingNumber: 100, serviceType: 100, originZip: 20, destinationZip: 20 };

/** One row as an item; what is wrong with it goes to `errors`. */
export function readItemRow(
  columns: readonly ItemColumn[],
  row: readonly string[],
  number: number,
  errors: RowError[],
): NewItem | undefined {
  const before = errors.length;
  const extra = extraCells(row, columns.length);
  if (extra) errors.push({ row: number, column: null, ...extra });
  const cells: Record<string, string> = {};
  const columnOf: Record<string, string> = {};
  for (const [index, { column, field }] of columns.entries()) {
    if (field === null) continue;
    cells[field] = unguardFormula((row[index] ?? "").trim());
    columnOf[field] = column;
  }
  const fail = (field: string, code: string, message: string): null => {
    errors.push({ row: number, column: columnOf[field] ?? null, code, message });
    return null;
  };
  const text = (field: string): string | null => {
    const value = cells[field] ?? "";
    if (value.length > (maxLengths[field] ?? 100)) return fail(field, "too_long", `${clip(value)} is too long.`);
    const problem = textProblem(value);
    return problem ? fail(field, problem.code, problem.message) : value === "" ? null : value;
  };
  const decimal = (field: string, limit: number): number | null => {
    const value = cells[field] ?? "";
    if (value === "") return null;
    const read = readNumber(value);
    if ("problem" in read) return fail(field, read.problem.code, read.problem.message);
    const parsed = read.value as number;
    if (parsed < 0) return fail(field, "negative", `${clip(value)} is less than nothing.`);
    return parsed > limit ? fail(field, "too_large", `${clip(value)} is too large.`) : parsed;
  };
  const trackingNumber = text("trackingNumber");
  const lost = lostDigits(trackingNumber ?? "");
  if (lost) fail("trackingNumber", lost.code, lost.message);
  if (trackingNumber === null && errors.length === before) fail("trackingNumber", "required", "It is missing.");
  if ((cells.netCost ?? "") === "") fail("netCost", "required", "It is missing.");
  const netCost = decimal("netCost", 1_000_000);
  const item: NewItem = {
    trackingNumber: trackingNumber ?? "",
    netCents: Math.round((netCost ?? 0) * 100),
    serviceType: text("serviceType") ?? "",
    originZip: text("originZip"),
    originCity: text("originCity"),
    originState: text("originState"),
    destinationZip: text("destinationZip"),
    destinationCity: text("destinationCity"),
    destinationState: text("destinationState"),
    weight: weightOf(),
    dimensions: sizeOf(),
    residential: flagOf(),
    shipDate: dateOf(),
    currency: currencyOf(),
    isDuplicate: false,
  };
  return errors.length > before ? undefined : item;

  function weightOf(): NewItem["weight"] {
    const value = decimal("weight", 1_000_000);
    if (value === null) return null;
    const said = cells.weightUnit ?? "";
    const unit = said === "" ? (weightUnitInName(columnOf.weight!) ?? "lb") : readWeightUnit(said);
    return unit === undefined ? fail("weightUnit", "enum", `${clip(said)} is none of lb, oz, kg, g.`) : { value, unit };
  }
  function sizeOf(): NewItem["dimensions"] {
    const sides = ["length", "width", "height"].map((field) => decimal(field, 10_000));
    const known = sides.filter((side) => side !== null && side > 0);
    if (known.length === 0) return null;
    if (known.length < 3) return fail("length", "incomplete", "Length, width and height belong together.");
    const unit = (cells.dimensionUnit || "in").toLowerCase().replace(/^inch(es)?$/, "in");
    if (unit !== "in" && unit !== "cm") return fail("dimensionUnit", "enum", `${clip(unit)} is none of in, cm.`);
    return { sides: known as [number, number, number], unit };
  }
  function flagOf(): boolean | null {
    const value = (cells.residential ?? "").toLowerCase();
    if (value === "") return null;
    if (["y", "yes", "true", "1", "residential", "r"].includes(value)) return true;
    if (["n", "no", "false", "0", "commercial", "c"].includes(value)) return false;
    return fail("residential", "not_a_flag", `${clip(value)} is neither yes nor no.`);
  }
  function dateOf(): string | null {
    const value = cells.shipDate ?? "";
    if (value === "") return null;
    const day = parseDay(value);
    return day ?? fail("shipDate", "not_a_date", `${clip(value)} is not a date; write it as 2026-12-31.`);
  }
  function currencyOf(): string | null {
    const value = (cells.currency ?? "").toUpperCase();
    if (value === "") return null;
    return /^[A-Z]{3}$/.test(value) ? value : fail("currency", "format", `${clip(value)} is no currency such as USD.`);
  }
}

/** 2026-12-31, with or without a time, or 12/31/2026, the month first. */
function parseDay(text: string): string | undefined {
  const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?$/.exec(text);
  const us = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: .*)?$/.exec(text);
  const [year, month, day] = iso ? iso.slice(1) : us ? [us[3], us[1], us[2]] : [];
  if (year === undefined || !/^[12]/.test(year)) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  return date.toISOString().slice(0, 10);
}
