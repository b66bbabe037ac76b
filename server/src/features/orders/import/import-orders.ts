import type { FieldError } from "../../../core/errors.ts";
import { badField, validationFailed } from "../../../core/errors.ts";
import {
  delimiters,
  detectDelimiter,
  guardCell,
  guardFormula,
  MalformedCsv,
  parseCsv,
  toCsv,
} from "../../../core/csv/csv.ts";
import { tellAllowed } from "../../../core/csv/csv-cells.ts";
import type { Column } from "../../../core/csv/csv-columns.ts";
import { isErrors, matchColumns } from "../../../core/csv/csv-columns.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import type { Failure, Outcome, Prepared } from "../create-orders.ts";
import {
  findRequestErrors,
  findStoredTwins,
  insertPrepared,
  prepareOrders,
  recordCreation,
  reserveNumbers,
} from "../create-orders.ts";
import { orderVocabulary } from "../../../core/csv/csv-fields.ts";
import type { CsvError, Group } from "../../../core/csv/csv-groups.ts";
import { groupRows, placeOf } from "../../../core/csv/csv-groups.ts";
import type { ImportAnswer } from "../order-answers.schemas.ts";
import type { ImportRequest } from "../orders.schemas.ts";
import { maxBulkOrders } from "../orders.schemas.ts";

const maxRows = 100_000;
const maxReported = 1_000;

type Sheet = { columns: Column[]; rows: string[][]; delimiter: string; groups: Group[] };

/** A spreadsheet of orders. What is right is created, what is not comes back with the reason beside it. */
export async function importOrders(ctx: Ctx, request: ImportRequest): Promise<ImportAnswer> {
  const sheet = await readSheet(request);
  const broken = new Map(
    sheet.groups.flatMap((group, index) => (group.errors.length > 0 ? [[index, allErrors(group, sheet)]] : [])),
  );
  const sound = sheet.groups.flatMap((_, index) => (broken.has(index) ? [] : [index]));
  const prepared = await prepareOrders(
    ctx.db,
    ctx.orgId,
    sound.map((index) => sheet.groups[index]!.request),
  );
  const answer = (failures: (Failure | undefined)[]): ImportAnswer => {
    const errors = new Map(broken);
    for (const [i, failure] of failures.entries()) {
      const group = sheet.groups[sound[i]!]!;
      if (failure)
        errors.set(
          sound[i]!,
          failure.errors.map((error) => toCsvError(error, group, sheet)),
        );
    }
    return report(sheet, errors, request.dryRun ?? false);
  };
  if (request.dryRun) return answer(await dryFailures(ctx, prepared));
  const numbers = await reserveNumbers(ctx, prepared);
  return await change(ctx, async (tx) => {
    const outcomes = await insertPrepared(tx, ctx, prepared, numbers, "imported");
    await recordCreation(tx, ctx, outcomes, "csv");
    return answer(outcomes.map(failureOf));
  });
}

function failureOf(outcome: Outcome): Failure | undefined {
  return "failure" in outcome ? outcome.failure : undefined;
}

async function dryFailures(ctx: Ctx, prepared: Prepared): Promise<(Failure | undefined)[]> {
  const stored = await findStoredTwins(ctx.db, ctx.orgId, prepared);
  return Array.from({ length: prepared.count }, (_, i) => prepared.failures.get(i) ?? stored.get(i));
}

async function readSheet(request: ImportRequest): Promise<Sheet> {
  const { csv, delimiter: wanted = "auto", mapping = {} } = request;
  const delimiter = wanted === "auto" ? detectDelimiter(csv) : delimiters[wanted];
  const all = await parseCsv(csv, delimiter, maxRows).catch((error: unknown) => {
    throw error instanceof MalformedCsv ? badField("/csv", "malformed_csv", error.message) : error;
  });
  const first = all.findIndex((row) => !isBlank(row));
  if (first === -1) throw badField("/csv", "empty", "There is no header row.");
  const header = all[first]!.map((name) => name.trim());
  const columns = matchColumns(header, mapping, orderVocabulary);
  if (isErrors(columns)) throw validationFailed(columns);
  if (!columns.some(({ field }) => field !== null)) {
    const message = "No column has a name that is known. Name them in `mapping`, or check the delimiter.";
    throw badField("/csv", "no_known_columns", message);
  }
  const groups = groupRows(columns, all, first + 1);
  if (groups.length > maxBulkOrders) {
    const message = `There are ${groups.length} orders; at most ${maxBulkOrders} are taken at once. Split the file.`;
    throw badField("/csv", "too_many_orders", message);
  }
  return { columns, rows: all, delimiter, groups };
}

export function isBlank(row: string[]): boolean {
  return row.every((cell) => cell.trim() === "");
}

/** What could not be read, and what is wrong with the rest of the order, so that it has to be put right only once. */
function allErrors(group: Group, sheet: Sheet): CsvError[] {
  const isKnown = (at: CsvError): boolean =>
    group.errors.some(({ row, column }) => row === at.row && column === at.column);
  // What is missing may be what could not be read.
  const others = findRequestErrors(group.request).filter(({ code }) => code !== "required");
  return [...group.errors, ...others.map((error) => toCsvError(error, group, sheet)).filter((at) => !isKnown(at))];
}

/** A cell that is empty has no place in the order; it is the one in the column of its field. */
function toCsvError(error: FieldError, group: Group, { columns }: Sheet): CsvError {
  const { pointer, code } = error;
  const message = tellAllowed(error);
  const place = placeOf(pointer, group);
  if (place.column !== null) return { ...place, code, message };
  const field = pointer
    .slice(1)
    .replace(/^lines\/\d+/, "line")
    .replaceAll("/", ".");
  const column = columns.find((known) => known.field === field)?.column ?? null;
  return { row: place.row, column, code, message: column === null && field !== "" ? `${field}: ${message}` : message };
}

function report(sheet: Sheet, errors: Map<number, CsvError[]>, dryRun: boolean): ImportAnswer {
  const failed = [...errors.keys()].toSorted((a, b) => a - b);
  const all = failed.flatMap((index) => errors.get(index)!);
  return {
    dryRun,
    summary: {
      rows: sheet.groups.reduce((sum, group) => sum + group.rows.length, 0),
      orders: sheet.groups.length,
      created: sheet.groups.length - failed.length,
      failed: failed.length,
    },
    columns: sheet.columns,
    errors: all.toSorted((a, b) => a.row - b.row).slice(0, maxReported),
    ...(failed.length === 0 ? {} : { rejectedCsv: rejected(sheet, failed, errors) }),
  };
}

/** To be put right and sent again: the rows as they came, each with what is wrong with it. */
function rejected(sheet: Sheet, failed: number[], errors: Map<number, CsvError[]>): string {
  const rows = failed.flatMap((index) => sheet.groups[index]!.rows);
  const width = Math.max(sheet.columns.length, ...rows.map((row) => sheet.rows[row]!.length));
  const lines = failed.flatMap((index) => {
    const problems = errors.get(index)!;
    return sheet.groups[index]!.rows.map((row) => {
      const own = problems.filter((problem) => problem.row === row + 1);
      const reasons = own.map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
      const reason = reasons.length > 0 ? reasons.join("; ") : `See row ${problems[0]!.row} of the same order.`;
      const cells = Array.from({ length: width }, (_, i) => sheet.rows[row]![i] ?? "");
      return [...cells.map(guardCell), guardFormula(reason)];
    });
  });
  const names = Array.from({ length: width }, (_, i) => sheet.columns[i]?.column ?? "");
  const header = [...names, "error"].map(guardFormula);
  return toCsv([header, ...lines], sheet.delimiter);
}
