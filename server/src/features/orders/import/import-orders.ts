import { orderSheet } from "../../../connectors/csv/order-sheet.ts";
import type { CellError, Sheet, SheetRecord } from "../../../core/csv/sheet.ts";
import { readSheet, reportOn, toCellError } from "../../../core/csv/sheet.ts";
import type { RowFailure } from "../../../core/row-failure.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import {
  findRequestErrors,
  findStoredTwins,
  insertPrepared,
  prepareOrders,
  recordCreation,
  reserveNumbers,
} from "../create-orders.ts";
import type { ImportAnswer } from "../order-answers.schemas.ts";
import type { ImportRequest } from "../orders.schemas.ts";
import { maxBulkOrders } from "../orders.schemas.ts";

const maxRows = 100_000;

/** A spreadsheet of orders. What is right is created, what is not comes back with the reason beside it. */
export async function importOrders(ctx: Ctx, request: ImportRequest): Promise<ImportAnswer> {
  const { csv, dryRun = false, ...options } = request;
  const sheet = await readSheet(csv, orderSheet, { ...options, maxRows, maxRecords: maxBulkOrders });
  for (const record of sheet.records) if (record.errors.length > 0) record.errors = allErrors(record, sheet);
  const sound = sheet.records.filter(({ errors }) => errors.length === 0);
  const requests = sound.map((record) => record.request);
  const prepared = await prepareOrders(ctx.db, ctx.orgId, requests);
  const answer = (failures: (RowFailure | undefined)[]): ImportAnswer => {
    const report = reportOn(sheet, failures);
    return { dryRun, ...report, summary: { ...report.summary, orders: sheet.records.length } };
  };
  if (dryRun) {
    const stored = await findStoredTwins(ctx.db, ctx.orgId, prepared);
    return answer(sound.map((_, index) => prepared.failures.get(index) ?? stored.get(index)));
  }
  const numbers = await reserveNumbers(ctx, prepared);
  return await change(ctx, async (tx) => {
    const outcomes = await insertPrepared(tx, ctx, prepared, numbers, "imported");
    await recordCreation(tx, ctx, outcomes, "csv");
    return answer(outcomes.map((outcome) => ("failure" in outcome ? outcome.failure : undefined)));
  });
}

/** What could not be read, and what is wrong with the rest of the order, so that it has to be put right only once. */
function allErrors(record: SheetRecord, sheet: Sheet): CellError[] {
  const isKnown = (at: CellError): boolean =>
    record.errors.some(({ row, column }) => row === at.row && column === at.column);
  // What is missing may be what could not be read.
  const others = findRequestErrors(record.request).filter(({ code }) => code !== "required");
  return [...record.errors, ...others.map((error) => toCellError(sheet, record, error)).filter((at) => !isKnown(at))];
}
