import type { Row } from "../../core/csv/csv.ts";
import type { ColumnMapping } from "../../core/csv/csv-columns.ts";
import { parseMapping } from "../../core/csv/csv-columns.ts";
import type { CellError, Sheet } from "../../core/csv/sheet.ts";
import { fieldsOf, missingColumns, openSheet } from "../../core/csv/sheet.ts";
import { writeRejected } from "../../core/csv/sheet-report.ts";
import { placedError } from "../../core/csv/csv-table.ts";
import { badField, validationFailed } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { getCarrierAccount } from "../carrier-accounts/carrier-accounts.ts";
import { itemSheet, readItem } from "./comparison-csv.ts";
import { presentComparison } from "./present-comparison.ts";
import type { ComparisonHeader, ImportAnswer, ImportQuery, ImportRequest } from "./rate-comparisons.schemas.ts";
import type { ItemRequest } from "./rate-items.schemas.ts";
import { maxItems } from "./rate-comparisons.schemas.ts";
import { checkAccounts, insert, insertSize } from "./rate-comparisons.ts";

const maxReported = 200;
const maxRejected = 10_000;

type Rejected = { rows: [Row]; errors: CellError[] };
type Reading = {
  rows: number;
  items: number;
  skipped: number;
  errors: CellError[];
  sample: ImportAnswer["sample"];
  rejected: Rejected[];
};

/** Imports a file while reading it, in one transaction: an error rolls everything back, unless `skipInvalid` is set. */
export async function importComparison(ctx: Ctx, query: ImportQuery, request: ImportRequest): Promise<ImportAnswer> {
  const { csv, mapping = parseMapping(query.mapping), dryRun = query.dryRun ?? false, ...rest } = request;
  const { skipInvalid = query.skipInvalid ?? false, ...given } = rest;
  if (dryRun) return await readFile(ctx, { ...query, ...given }, csv, mapping);
  const header = headerOf(query, given);
  const account = await checkAccounts(ctx, header);
  const sheet = await openSheet(csv, itemSheet, { mapping });
  const reading = startReading(sheet);
  const batches = readBatches(sheet, reading);
  return await change(ctx, async (tx) => {
    const row = await insert(tx, ctx, header, account, batches);
    if (reading.errors.length > 0 && !skipInvalid) throw invalidFile(reading);
    if (reading.items === 0) throw badField("/csv", "no_items", "The file has no rows below the header.");
    return answerOf(sheet, reading, presentComparison(row, false));
  });
}

/** Dry run: how the file was read, even if required columns are not mapped yet. */
async function readFile(ctx: Ctx, header: Partial<ComparisonHeader>, csv: string, mapping: ColumnMapping) {
  if (header.sourceCarrierAccountId !== undefined) await getCarrierAccount(ctx, header.sourceCarrierAccountId);
  if (header.carrierAccountId !== undefined) await getCarrierAccount(ctx, header.carrierAccountId);
  const sheet = await openSheet(csv, itemSheet, { mapping, mayLackColumns: true });
  const reading = startReading(sheet);
  for await (const _batch of readBatches(sheet, reading));
  return answerOf(sheet, reading, null);
}

function startReading(sheet: Sheet): Reading {
  const errors = missingColumns(sheet.kind, sheet.columns).map((error) => ({ row: 1, column: null, ...error }));
  return { rows: 0, items: 0, skipped: 0, errors, sample: [], rejected: [] };
}

function answerOf(
  { kind, columns, delimiter, isLiteral, warnings, sample: { nonEmptyRows } }: Sheet,
  { rows, items, skipped, errors, sample, rejected: failed }: Reading,
  comparison: ImportAnswer["comparison"],
): ImportAnswer {
  return {
    comparison,
    dryRun: comparison === null,
    summary: { rows, items, skipped },
    columns: columns.map((column, index) => ({ ...column, nonEmptyRows: nonEmptyRows[index]! })),
    fields: fieldsOf(kind),
    sample,
    errors,
    ...(failed.length === 0 ? {} : { rejectedCsv: writeRejected({ columns, delimiter, isLiteral }, failed) }),
    warnings,
  };
}

function headerOf(query: ImportQuery, given: Omit<ImportRequest, "csv" | "mapping">): ComparisonHeader {
  const name = given.name ?? query.name;
  const carrierAccountId = given.carrierAccountId ?? query.carrierAccountId;
  const sourceCarrier = given.sourceCarrier ?? query.sourceCarrier;
  const missing = Object.entries({ name, carrierAccountId }).filter(([, value]) => value === undefined);
  if (name === undefined || carrierAccountId === undefined) {
    throw validationFailed(
      missing.map(([field]) => ({
        pointer: `/${field}`,
        code: "required",
        message: `${field} is required, in the body or in the query.`,
      })),
    );
  }
  return {
    name,
    carrierAccountId,
    ...(sourceCarrier === undefined ? {} : { sourceCarrier }),
    ...(given.sourceCarrierAccountId === undefined ? {} : { sourceCarrierAccountId: given.sourceCarrierAccountId }),
    ...(given.options === undefined ? {} : { options: given.options }),
  };
}

async function* readBatches(sheet: Sheet, reading: Reading): AsyncGenerator<ItemRequest[]> {
  const isReadable = reading.errors.length === 0;
  let batch: ItemRequest[] = [];
  for await (const row of sheet.rows) {
    reading.rows++;
    const found: CellError[] = [];
    const item = readItem(sheet, row, found);
    note(sheet, reading, row, isReadable ? item : undefined, found);
    if (!item || !isReadable) {
      reading.skipped++;
      continue;
    }
    if (++reading.items > maxItems) {
      throw badField("/csv", "too_many_items", `The file has more than ${maxItems} rows; split it.`);
    }
    batch.push(item);
    if (batch.length < insertSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Collects the sample rows, errors and rejected rows for the answer. */
function note(sheet: Sheet, reading: Reading, row: Row, item: ItemRequest | undefined, errors: CellError[]): void {
  const sampled = sheet.sample.add(row);
  if (sampled) reading.sample.push({ ...sampled, item: item ?? null });
  if (reading.errors.length < maxReported) reading.errors.push(...errors);
  if (errors.length > 0 && reading.rejected.length < maxRejected) reading.rejected.push({ rows: [row], errors });
}

function invalidFile({ errors }: Reading) {
  return validationFailed(
    errors.map(({ row, column, code, message }) => {
      const { pointer, message: placed } = placedError(row, column, code, message);
      return { pointer, code, message: placed };
    }),
  );
}
