import type { Static } from "typebox";
import type { Row } from "../../core/csv/csv.ts";
import { parseMapping } from "../../core/csv/csv-columns.ts";
import type { CellError, Sheet, SheetOptions } from "../../core/csv/sheet.ts";
import { fieldsOf, missingColumns, openSheet } from "../../core/csv/sheet.ts";
import { writeRejected } from "../../core/csv/sheet-report.ts";
import { placedError } from "../../core/csv/csv-table.ts";
import { badField, validationFailed } from "../../core/errors.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import { createFinder } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { getCarrierAccount } from "../carrier-accounts/carrier-accounts.ts";
import { findPresetSettings } from "../import-presets/import-presets.ts";
import { itemSheet, readItem } from "./comparison-csv.ts";
import { presentComparison } from "./present-comparison.ts";
import type { ComparisonHeader, ImportAnswer, ImportQuery, ImportRequest } from "./rate-comparisons.schemas.ts";
import type { ItemRequest } from "./rate-items.schemas.ts";
import { TargetRequests } from "./rate-targets.schemas.ts";
import { maxItems } from "./rate-comparisons.schemas.ts";
import { checkContracts } from "./choose-contracts.ts";
import { insert, insertSize } from "./rate-comparisons.ts";

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
  const { skipInvalid = query.skipInvalid ?? false, preset = query.preset, ...given } = rest;
  const targets = given.targets ?? parseTargets(query.targets);
  const saved = preset === undefined ? {} : await findPresetSettings(ctx, "comparisons", preset);
  const options = { ...saved, mapping: { ...saved.mapping, ...mapping } };
  const named = { ...query, ...given, targets };
  if (dryRun) return await readFile(ctx, named, csv, options);
  const header = headerOf(named);
  const contracts = await checkContracts(ctx, header);
  const sheet = await openSheet(csv, itemSheet, options);
  const reading = startReading(sheet);
  const batches = readBatches(sheet, reading);
  return await change(ctx, async (tx) => {
    const row = await insert(tx, ctx, header, contracts, batches);
    if (reading.errors.length > 0 && !skipInvalid) throw invalidFile(reading);
    if (reading.items === 0) throw badField("/csv", "no_items", "The file has no rows below the header.");
    return answerOf(sheet, reading, presentComparison(row, false));
  });
}

/** Dry run: how the file was read, even if required columns are not mapped yet. */
async function readFile(ctx: Ctx, header: Named, csv: string, options: SheetOptions) {
  if (header.sourceCarrierAccountId !== undefined) await getCarrierAccount(ctx, header.sourceCarrierAccountId);
  const { carrierAccountId, targets } = header;
  if (carrierAccountId !== undefined || targets)
    await checkContracts(ctx, { name: "", ...(carrierAccountId && { carrierAccountId }), ...(targets && { targets }) });
  const sheet = await openSheet(csv, itemSheet, { ...options, mayLackColumns: true });
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

/** Body and query together. */
type Named = { [Name in keyof ComparisonHeader]?: ComparisonHeader[Name] | undefined };

const findTargetErrors = createFinder(TargetRequests, "body");

/** In the query, `targets` is JSON text. */
function parseTargets(text: string | undefined): Static<typeof TargetRequests> | undefined {
  if (text === undefined) return undefined;
  let read: unknown;
  try {
    read = parseStrictJson(Buffer.from(text));
  } catch {
    throw badField(
      "query/targets",
      "format",
      'This is not a JSON list of contracts, such as [{"carrierAccountId": "..."}].',
    );
  }
  const errors = findTargetErrors(read);
  if (errors.length > 0)
    throw validationFailed(errors.map((error) => ({ ...error, pointer: `query/targets${error.pointer}` })));
  return read as Static<typeof TargetRequests>;
}

function headerOf(named: Named): ComparisonHeader {
  const { name, carrierAccountId, targets, sourceCarrier, sourceCarrierAccountId, options } = named;
  const contract = carrierAccountId ?? targets?.[0]?.carrierAccountId;
  const missing = Object.entries({ name, carrierAccountId: contract }).filter(([, value]) => value === undefined);
  if (name === undefined || contract === undefined) {
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
    ...(carrierAccountId === undefined ? {} : { carrierAccountId }),
    ...(targets === undefined ? {} : { targets }),
    ...(sourceCarrier === undefined ? {} : { sourceCarrier }),
    ...(sourceCarrierAccountId === undefined ? {} : { sourceCarrierAccountId }),
    ...(options === undefined ? {} : { options }),
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
