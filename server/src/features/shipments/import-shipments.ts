import type { FieldError } from "../../core/errors.ts";
import { badField, validationFailed } from "../../core/errors.ts";
import type { CellValue } from "../../core/csv/csv-cells.ts";
import { extraCells, lostDigits, readDate, readNumber, repairAddress, tellAllowed } from "../../core/csv/csv-cells.ts";
import type { Column, CsvVocabulary } from "../../core/csv/csv-columns.ts";
import { addressFields, isErrors, matchColumns } from "../../core/csv/csv-columns.ts";
import {
  delimiters,
  detectDelimiter,
  guardCell,
  guardFormula,
  MalformedCsv,
  parseCsv,
  toCsv,
  unguardFormula,
} from "../../core/csv/csv.ts";
import { readWeightUnit, weightUnitInName } from "../../core/weight.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Failure } from "./create-shipments.ts";
import { createdOf, findStoredTwins, insertPrepared, prepareShipments, recordBatch } from "./create-shipments.ts";
import type { ImportAnswer } from "./shipment-answers.schemas.ts";
import type { ImportRequest } from "./shipments.schemas.ts";
import { maxBulkShipments } from "./shipments.schemas.ts";

const maxReported = 1_000;

const vocabulary: CsvVocabulary = {
  noun: "Shipments",
  names: [
    ["trackingNumber", ["trackingnumber", "tracking", "trackingno", "trackingid", "airwaybill", "awb"]],
    ["orderNumber", ["ordernumber", "orderno", "order", "orderid", "reference"]],
    ["carrier", ["carrier", "carriername", "shippingcarrier"]],
    ["service", ["service", "servicetype", "servicelevel", "shippingservice", "shippingmethod"]],
    ["shippedAt", ["shippedat", "shipdate", "shippeddate", "dateshipped", "date"]],
    ["promisedDate", ["promiseddate", "promisedat", "promisedate", "deliverby", "expecteddelivery", "duedate"]],
    ["acceptedAt", ["acceptedat", "pickedupat", "firstscan", "pickupdate"]],
    ["deliveredAt", ["deliveredat", "deliverydate", "datedelivered", "delivered"]],
    [
      "weight.value",
      ["weight", "weightvalue", "packageweight", "weightlb", "weightlbs", "weightoz", "weightkg", "weightg"],
    ],
    ["weight.unit", ["weightunit"]],
    ["cost", ["cost", "netcost", "shippingcost", "netcharge", "amount"]],
    ["currency", ["currency", "currencycode"]],
    ...addressFields("destination", ["destination", "shipto", "recipient", "receiver", "to", "delivery", ""]),
    ...addressFields("origin", ["origin", "shipfrom", "sender", "from"]),
  ],
};

const numbers = new Set(["weight.value", "cost"]);
const times = new Set(["shippedAt", "acceptedAt", "deliveredAt"]);

function readCell(field: string, text: string): CellValue {
  if (numbers.has(field)) return readNumber(text);
  if (times.has(field)) return readDate(text);
  if (field === "promisedDate") {
    const read = readDate(text);
    if ("problem" in read) return read;
    // A day is meant, wherever the parcel goes: the one that is written, whatever day it is in UTC then.
    return { value: /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? (read.value as string).slice(0, 10) };
  }
  const lost = field === "trackingNumber" ? lostDigits(text) : undefined;
  if (lost) return { problem: lost };
  if (field === "currency") return { value: text.toUpperCase() };
  return { value: field === "weight.unit" ? (readWeightUnit(text) ?? text.toLowerCase()) : text };
}

type Problem = ImportAnswer["errors"][number];
type Row = { index: number; request: Record<string, unknown>; errors: Problem[] };
type Sheet = { columns: Column[]; all: string[][]; delimiter: string; rows: Row[] };

/** A spreadsheet of shipments, one per row. What is right is created, what is not comes back with the reason beside it. */
export async function importShipments(ctx: Ctx, request: ImportRequest): Promise<ImportAnswer> {
  const sheet = await readSheet(request);
  const sound = sheet.rows.filter(({ errors }) => errors.length === 0);
  const prepared = await prepareShipments(
    ctx,
    sound.map((row) => row.request),
    "import",
  );
  const answer = (failureOf: (index: number) => Failure | undefined): ImportAnswer => {
    for (const [i, row] of sound.entries()) {
      const failure = failureOf(i);
      if (failure) row.errors = failure.errors.map((error) => toProblem(error, row, sheet));
    }
    return report(sheet, request.dryRun ?? false);
  };
  if (request.dryRun) {
    const stored = await findStoredTwins(ctx.db, ctx.orgId, prepared.drafts);
    return answer((index) => prepared.failures.get(index) ?? stored.get(index));
  }
  return await change(ctx, async (tx) => {
    const outcomes = await insertPrepared(tx, ctx, prepared);
    await recordBatch(tx, ctx, outcomes.flatMap(createdOf), "csv");
    return answer((index) => {
      const outcome = outcomes[index]!;
      return "failure" in outcome ? outcome.failure : undefined;
    });
  });
}

async function readSheet(request: ImportRequest): Promise<Sheet> {
  const { csv, delimiter: wanted = "auto", mapping = {} } = request;
  const delimiter = wanted === "auto" ? detectDelimiter(csv) : delimiters[wanted];
  // One more for the header, and some blank ones.
  const all = await parseCsv(csv, delimiter, 2 * maxBulkShipments).catch((error: unknown) => {
    throw error instanceof MalformedCsv ? badField("/csv", "malformed_csv", error.message) : error;
  });
  const first = all.findIndex((row) => !isBlank(row));
  if (first === -1) throw badField("/csv", "empty", "There is no header row.");
  const columns = matchColumns(
    all[first]!.map((name) => name.trim()),
    mapping,
    vocabulary,
  );
  if (isErrors(columns)) throw validationFailed(columns);
  if (!columns.some(({ field }) => field !== null)) {
    const message = "No column has a name that is known. Name them in `mapping`, or check the delimiter.";
    throw badField("/csv", "no_known_columns", message);
  }
  const rows = all.flatMap((cells, index) =>
    index > first && !isBlank(cells) ? [readRow(columns, cells, index)] : [],
  );
  if (rows.length > maxBulkShipments) {
    const message = `There are ${rows.length} shipments; at most ${maxBulkShipments} are taken at once. Split the file.`;
    throw badField("/csv", "too_many_shipments", message);
  }
  return { columns, all, delimiter, rows };
}

function isBlank(row: string[]): boolean {
  return row.every((cell) => cell.trim() === "");
}

function readRow(columns: Column[], cells: string[], index: number): Row {
  const row: Row = { index, request: {}, errors: [] };
  const extra = extraCells(cells, columns.length);
  if (extra) row.errors.push({ row: index + 1, column: null, ...extra });
  for (const [i, { column, field }] of columns.entries()) {
    const text = unguardFormula((cells[i] ?? "").trim());
    if (field === null || text === "") continue;
    const read = readCell(field, text);
    if ("problem" in read) row.errors.push({ row: index + 1, column, ...read.problem });
    else setMember(row.request, field, read.value);
  }
  const { request } = row;
  // A unit alone says nothing, and a number alone is in pounds, as most carriers' files have it.
  const weight = request.weight as { value?: number; unit?: string } | undefined;
  if (weight && weight.value === undefined) delete request.weight;
  else if (weight) {
    const named = columns.find(({ field }) => field === "weight.value");
    weight.unit ??= weightUnitInName(named?.column ?? "") ?? "lb";
  }
  for (const side of ["origin", "destination"]) {
    if (request[side]) request[side] = repairAddress(request[side]);
  }
  return row;
}

function setMember(request: Record<string, unknown>, field: string, value: unknown): void {
  const [outer, inner] = field.split(".") as [string, string | undefined];
  if (inner === undefined) request[outer] = value;
  else ((request[outer] ??= {}) as Record<string, unknown>)[inner] = value;
}

function toProblem(error: FieldError, row: Row, { columns }: Sheet): Problem {
  const { pointer, code } = error;
  const path = pointer.slice(1).replaceAll("/", ".");
  const column =
    columns.find(({ field }) => field === path) ?? columns.find(({ field }) => field?.split(".")[0] === path);
  return { row: row.index + 1, column: column?.column ?? null, code, message: tellAllowed(error) };
}

function report(sheet: Sheet, dryRun: boolean): ImportAnswer {
  const failed = sheet.rows.filter(({ errors }) => errors.length > 0);
  return {
    dryRun,
    summary: { rows: sheet.rows.length, created: sheet.rows.length - failed.length, failed: failed.length },
    columns: sheet.columns,
    errors: failed.flatMap(({ errors }) => errors).slice(0, maxReported),
    ...(failed.length === 0 ? {} : { rejectedCsv: rejected(sheet, failed) }),
  };
}

/** To be put right and sent again: the rows as they came, each with what is wrong with it. */
function rejected({ columns, all, delimiter }: Sheet, failed: Row[]): string {
  const width = Math.max(columns.length, ...failed.map(({ index }) => all[index]!.length));
  const wide = (cells: (string | undefined)[]): string[] => Array.from({ length: width }, (_, i) => cells[i] ?? "");
  const lines = failed.map(({ index, errors }) => {
    const reasons = errors.map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
    return [...wide(all[index]!).map(guardCell), guardFormula(reasons.join("; "))];
  });
  const header = [...wide(columns.map(({ column }) => column)), "error"].map(guardFormula);
  return toCsv([header, ...lines], delimiter);
}
