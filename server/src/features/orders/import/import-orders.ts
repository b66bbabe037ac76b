import { orderSheet } from "../../../connectors/csv/order-sheet.ts";
import { parseMapping } from "../../../core/csv/csv-columns.ts";
import { placedError } from "../../../core/csv/csv-table.ts";
import type { CellError, Sheet, SheetRecord } from "../../../core/csv/sheet.ts";
import { openSheet } from "../../../core/csv/sheet.ts";
import { readRecords } from "../../../core/csv/sheet-records.ts";
import { createReport, toCellError } from "../../../core/csv/sheet-report.ts";
import type { HubError } from "../../../core/errors.ts";
import { validationFailed } from "../../../core/errors.ts";
import type { RowFailure } from "../../../core/row-failure.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import { findSheetOptions } from "../../import-presets/import-presets.ts";
import { findTimeZone } from "../../organizations/organizations.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import {
  createImported,
  findImportedErrors,
  findStoredTwins,
  prepareOrders,
  recordCreation,
} from "../create-orders.ts";
import type { ImportAnswer } from "../order-answers.schemas.ts";
import type { ImportQuery, ImportRequest } from "../orders.schemas.ts";
import { reportProgress } from "./import-progress.ts";
import { settleBody } from "./inbound-body.ts";
import { findNumbered, updateNumbered } from "./update-numbered.ts";

const maxRows = 200_000;
/** Orders that may wait for further rows, so that a long file is never in memory as a whole. */
const maxOpen = 10_000;
/** Orders per statement. */
const batchSize = 1_000;

type Counts = { updated: number; unchanged: number; skipped: number };

/** Imports a file of orders: valid ones are created or updated, the others returned with their errors. */
export async function importOrders(ctx: Ctx, query: ImportQuery, body: ImportRequest): Promise<ImportAnswer> {
  const { mapping = parseMapping(query.mapping) } = body;
  const request = { ...query, ...body, mapping };
  const { dryRun = false } = request;
  const options = await sheetOptions(ctx, request);
  const progress = reportProgress(ctx, request.watchId);
  const read = async (db: Queryable, take: Take): Promise<ImportAnswer> => {
    const sheet = await openSheet(request.csv, orderSheet, { ...options, maxRows, mayLackColumns: dryRun });
    const report = createReport(sheet);
    const counts: Counts = { updated: 0, unchanged: 0, skipped: 0 };
    for await (const records of inBatches(readRecords(sheet, maxOpen))) {
      const failures = await importBatch(db, ctx, sheet, records, { ...request, take, counts });
      for (const record of records) report.add(record, failures.get(record));
      progress.report(report.rows());
    }
    const { records, summary, ...shown } = report.finish();
    // The error ends the transaction, so that nothing of the file is stored.
    if (sheet.isStrict && !dryRun && shown.errors.length > 0) throw refusal(shown.errors);
    const others = counts.updated + counts.unchanged + counts.skipped;
    const more = request.onExisting === undefined ? {} : counts;
    const created = Math.max(0, summary.created - others);
    return { dryRun, ...shown, summary: { ...summary, created, orders: records, ...more } };
  };
  try {
    if (dryRun) return await read(ctx.db, checkBatch);
    return await change(ctx, async (tx) => await read(tx, (_db, own, requests) => createBatch(tx, own, requests)));
  } finally {
    progress.end();
  }
}

/** The errors of a strict import, each with its row and column. */
function refusal(errors: readonly CellError[]): HubError {
  return validationFailed(errors.map(({ row, column, code, message }) => placedError(row, column, code, message)));
}

async function sheetOptions(ctx: Ctx, request: ImportRequest) {
  const {
    csv: _csv,
    dryRun: _dryRun,
    onExisting: _onExisting,
    watchId: _watchId,
    preset,
    mapping,
    ...options
  } = request;
  const saved = await findSheetOptions(ctx, preset);
  const timeZone = await findTimeZone(ctx, ctx.orgId);
  return { ...saved, ...options, timeZone, mapping: { ...saved.mapping, ...mapping } };
}

async function* inBatches(records: AsyncIterable<SheetRecord>): AsyncGenerator<SheetRecord[]> {
  let batch: SheetRecord[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Returns the failure of each request. */
type Take = (db: Queryable, ctx: Ctx, requests: unknown[]) => Promise<(RowFailure | undefined)[]>;

async function importBatch(
  db: Queryable,
  ctx: Ctx,
  sheet: Sheet,
  records: SheetRecord[],
  { onExisting = "reject", dryRun = false, take, counts }: ImportRequest & { take: Take; counts: Counts },
): Promise<Map<SheetRecord, RowFailure>> {
  for (const record of records) record.request = settleBody(record.request);
  for (const record of records) if (record.errors.length > 0) record.errors = allErrors(record, sheet);
  const sound = records.filter(({ errors }) => errors.length === 0);
  const failures = new Map<SheetRecord, RowFailure>();
  const known = onExisting === "reject" ? new Map<SheetRecord, string>() : await findNumbered(db, ctx, sound, failures);
  const fresh = sound.filter((record) => !known.has(record) && !failures.has(record));
  const taken = await take(
    db,
    ctx,
    fresh.map(({ request }) => request),
  );
  for (const [index, record] of fresh.entries()) if (taken[index]) failures.set(record, taken[index]);
  if (onExisting === "skip") counts.skipped += known.size;
  else if (known.size > 0) {
    const done = await updateNumbered(db, ctx, known, failures, dryRun);
    counts.updated += done.updated;
    counts.unchanged += done.unchanged;
  }
  return failures;
}

const checkBatch: Take = async (db, ctx, requests) => {
  const prepared = await prepareOrders(db, ctx.orgId, requests, findImportedErrors);
  const stored = await findStoredTwins(db, ctx.orgId, prepared);
  return requests.map((_, index) => prepared.failures.get(index) ?? stored.get(index));
};

async function createBatch(tx: Tx, ctx: Ctx, requests: unknown[]): Promise<(RowFailure | undefined)[]> {
  const outcomes = await createImported(tx, ctx, requests);
  recordCreation(tx, ctx, outcomes, "csv");
  return outcomes.map((outcome) => ("failure" in outcome ? outcome.failure : undefined));
}

/** Unreadable cells and errors in the rest of the order, so that all can be corrected at once. */
function allErrors(record: SheetRecord, sheet: Sheet): CellError[] {
  const isKnown = (at: CellError): boolean =>
    record.errors.some(({ row, column }) => row === at.row && column === at.column);
  // A missing value may be the unreadable one.
  const others = findImportedErrors(record.request).filter(({ code }) => code !== "required");
  return [...record.errors, ...others.map((error) => toCellError(sheet, record, error)).filter((at) => !isKnown(at))];
}
