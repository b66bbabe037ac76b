import type { CellError, Sheet } from "../../core/csv/sheet.ts";
import { openSheet, placedError } from "../../core/csv/sheet.ts";
import { badField, validationFailed } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { itemSheet, readItem } from "./comparison-csv.ts";
import { presentComparison } from "./present-comparison.ts";
import type {
  ComparisonHeader,
  ImportAnswer,
  ImportQuery,
  ImportRequest,
  ItemRequest,
} from "./rate-comparisons.schemas.ts";
import { maxItems } from "./rate-comparisons.schemas.ts";
import { checkAccounts, insert, insertSize } from "./rate-comparisons.ts";

const maxReported = 200;

type Reading = { rows: number; items: number; skipped: number; errors: CellError[] };

/** A file of parcels. It is read while it is written to the database; any mistake in it, and nothing was written. */
export async function importComparison(ctx: Ctx, query: ImportQuery, request: ImportRequest): Promise<ImportAnswer> {
  const { csv, mapping = {}, dryRun = false, skipInvalid = query.skipInvalid ?? false, ...rest } = request;
  const header = headerOf(query, rest);
  const account = await checkAccounts(ctx, header);
  const sheet = await openSheet(csv, itemSheet, { mapping });
  const reading: Reading = { rows: 0, items: 0, skipped: 0, errors: [] };
  const batches = readBatches(sheet, reading);
  const answer = (comparison: ImportAnswer["comparison"]): ImportAnswer => {
    const { errors, ...summary } = reading;
    return { comparison, dryRun, summary, columns: sheet.columns, errors, warnings: sheet.warnings };
  };
  if (dryRun) {
    for await (const _batch of batches);
    return answer(null);
  }
  return await change(ctx, async (tx) => {
    const row = await insert(tx, ctx, header, account, batches);
    if (reading.errors.length > 0 && !skipInvalid) throw refused(reading);
    if (reading.items === 0) throw badField("/csv", "no_items", "There are no rows below the header.");
    return answer(presentComparison(row, false));
  });
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
        message: `${field} is needed, in the body or in the query.`,
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
  let batch: ItemRequest[] = [];
  for await (const row of sheet.rows) {
    reading.rows++;
    const found: CellError[] = [];
    const item = readItem(sheet, row, found);
    if (reading.errors.length < maxReported) reading.errors.push(...found);
    if (!item) {
      reading.skipped++;
      continue;
    }
    if (++reading.items > maxItems) {
      throw badField("/csv", "too_many_items", `There are more than ${maxItems} rows; split the file.`);
    }
    batch.push(item);
    if (batch.length < insertSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function refused({ errors }: Reading) {
  return validationFailed(
    errors.map(({ row, column, code, message }) => {
      const { pointer, message: placed } = placedError(row, column, code, message);
      return { pointer, code, message: placed };
    }),
  );
}
