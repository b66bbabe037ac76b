import { createHash, randomUUID } from "node:crypto";
import { toMg, toSides } from "../../carriers/rate-card/measures.ts";
import { normaliseZip, stateOfPlace } from "../../carriers/zones/zip.ts";
import type { Ctx, World } from "../../context.ts";
import { perWorld, systemContext } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import type { Tx } from "../../db/database.ts";
import { isConnectionLoss, sqlState } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { WeighedParcel } from "../shipments/shipments.ts";
import type { ItemKinds } from "./item-kinds.ts";
import { createItemKinds, noteResult } from "./item-kinds.ts";
import { deleteKindsBefore } from "./item-kinds.store.ts";
import { readOwnParcels } from "./own-parcels.ts";
import { percentileShares, presentSummary } from "./present-summary.ts";
import type { RateItem, Rater, RateResult } from "./rate-item.ts";
import { prepareRater } from "./prepare-rater.ts";
import { rateItem } from "./rate-item.ts";
import type { ClaimedRow } from "./comparison-work.store.ts";
import * as work from "./comparison-work.store.ts";
import type { StoredInput } from "./rate-items.store.ts";
import * as items from "./rate-items.store.ts";
import {
  deleteResultsBefore,
  deleteResultsOf,
  findSavingsPercentiles,
  insertResults,
  packResult,
} from "./rate-results.store.ts";
import type { CountedItem, Totals } from "./tally.ts";
import { addItem, emptyTotals, topPositions } from "./tally.ts";
import { writeKinds } from "./write-kinds.ts";

export const chunkSize = 5_000;
/** Few enough that what they need is still young, and cheap, when it is thrown away. */
export const sliceSize = 250;

const workerName = perWorld(() => randomUUID());

/** Takes up comparisons that wait, and those whose worker died. Returns how many there were. */
export async function resumeComparisons(world: World, stopping?: AbortSignal): Promise<number> {
  const waiting = await work.listWaitingAcrossOrgs(world.db);
  for (const { id } of waiting) {
    if (stopping?.aborted) break;
    await executeComparison(world, id, stopping);
  }
  return waiting.length;
}

/** Only when no other process can be at work on this database: what a killed one held is free at once. */
export async function freeAllComparisons(world: World): Promise<void> {
  await work.releaseAllAcrossOrgs(world.db);
}

/** Works on a comparison until it is finished, if nobody else does. Any process may call it, any number of times. */
export async function executeComparison(world: World, id: string, stopping?: AbortSignal): Promise<void> {
  const row = await work.claimAcrossOrgs(world.db, id, workerName(world));
  if (!row) return;
  const system = systemContext(world, row.org_id, "rate comparison");
  const ctx: Ctx = { ...system, actor: row.created_by, requestId: row.request_id ?? system.requestId };
  try {
    const { rater, digest } = await prepareRater(ctx, row, row.options.scenario ?? {});
    await world.db.transaction((tx) => beginWith(tx, ctx, row, digest()));
    if (!(await rateAllChunks(ctx, row, rater, stopping))) {
      // This process is about to end: another one, or the next start, goes on at once instead of waiting for the lease.
      return await work.releaseAcrossOrgs(world.db, row.id, workerName(world));
    }
    await deleteResultsBefore(world.db, row.id, row.revision);
    await deleteKindsBefore(world.db, row.id, row.revision);
  } catch (error) {
    world.log.error({ err: error, comparisonId: row.id }, "a rate comparison could not be continued");
    // The database may be back in a moment; anything else would fail in the same way for ever.
    if (isConnectionLoss(error) || isConflict(error)) return;
    await world.db.transaction((tx) => fail(tx, ctx, row, error));
  }
}

/** Two transactions were in each other's way, five times in a row. */
function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error) ?? "");
}

/**
 * The cards are kept with the comparison; what they refer to is not. Who continues one after a kill and finds that a
 * chart, a set or an alias has changed meanwhile begins anew, so that all results come from the same.
 */
async function beginWith(tx: Tx, ctx: Ctx, row: ClaimedRow, inputs: string): Promise<void> {
  const locked = await work.lockForChunk(tx, row, workerName(ctx));
  const digest = createHash("sha256").update(inputs).digest("hex");
  if (!locked || locked.inputs_digest === digest) return;
  if (locked.processed > 0) {
    await deleteResultsOf(tx, row.id, row.revision);
    await recordEvent(tx, ctx, {
      type: "rate_comparison.started_over",
      objectId: row.id,
      data: { revision: row.revision, processed: locked.processed },
    });
  }
  await work.saveInputs(tx, ctx.orgId, row.id, digest);
}

type Reading = { from: number; lines: Promise<string[]> };
/** Items never change, so the next ones can be read while these are priced and written. */
type Reader = { ahead: Reading | undefined; kinds: ItemKinds | undefined };

async function readSlice(ctx: Ctx, row: ClaimedRow, reader: Reader, from: number): Promise<string[]> {
  const reading = reader.ahead?.from === from ? reader.ahead : startReading(ctx, row, from);
  const lines = await reading.lines;
  reader.ahead = lines.length < sliceSize ? undefined : startReading(ctx, row, from + lines.length);
  return lines;
}

function startReading(ctx: Ctx, row: ClaimedRow, from: number): Reading {
  const lines = items.readInputLines(ctx.db, row.id, from, sliceSize);
  // Whoever waits for it gets the failure; nobody may be waiting any more.
  lines.catch(() => {});
  return { from, lines };
}

/** False when it is to be left to another worker. */
async function rateAllChunks(ctx: Ctx, row: ClaimedRow, rater: Rater, stopping?: AbortSignal): Promise<boolean> {
  const reader: Reader = { ahead: undefined, kinds: undefined };
  while (await ctx.db.transaction((tx) => rateChunk(tx, ctx, row, rater, reader))) {
    if (stopping?.aborted) return false;
  }
  return true;
}

/**
 * One chunk, all of it or nothing: results, sums, progress. False when it was the last or is not ours any more. It goes
 * item by item and slice by slice, so that what each needs is garbage before it grows old.
 */
async function rateChunk(tx: Tx, ctx: Ctx, row: ClaimedRow, rater: Rater, reader: Reader): Promise<boolean> {
  const locked = await work.lockForChunk(tx, row, workerName(ctx));
  if (!locked) return false;
  const totals = locked.totals ?? emptyTotals();
  const end = Math.min(row.item_count, locked.processed + chunkSize);
  // Anew whenever something else was done in between: what is not in there is read again at the end.
  if (reader.kinds?.to !== locked.processed) reader.kinds = createItemKinds(row.item_count, locked.processed);
  const { kinds } = reader;
  const parcels = await readOwnParcels(tx, ctx, row.id, locked.processed, end - locked.processed);
  for (let from = locked.processed; from < end; from += sliceSize) {
    const lines = await readSlice(ctx, row, reader, from);
    const packed = lines.map((line, index) => {
      const input = JSON.parse(line) as StoredInput;
      const position = from + index;
      const result = rateInput(rater, input, parcels.get(position), position, totals);
      noteResult(kinds, position, input[0], input[1], result);
      return packResult(result, input[0]);
    });
    await insertResults(tx, row.id, row.revision, from, packed);
  }
  kinds.to = end;
  await work.saveProgress(tx, ctx.orgId, row.id, end, totals);
  if (end < row.item_count) return true;
  await finish(tx, ctx, row, totals, kinds);
  return false;
}

/** The price of one item, which is also added to the totals. */
export function rateInput(
  rater: Rater,
  input: StoredInput,
  parcel: WeighedParcel | undefined,
  position: number,
  totals: Totals,
): RateResult {
  const item = toRateItem(input, parcel);
  const result = rateItem(rater, item);
  const counted: CountedItem = {
    position,
    netCents: item.netCents,
    serviceType: item.serviceType,
    originState: stateAt(item.origin),
    destinationState: stateAt(item.destination),
  };
  addItem(totals, counted, result);
  return result;
}

function toRateItem(input: StoredInput, parcel: WeighedParcel | undefined): RateItem {
  const [netCents, serviceType, originZip, originState, destinationZip, destinationState] = input;
  const [, , , , , , value, unit, size, sizeUnit, residential, shipDate, currency, isDuplicate] = input;
  return {
    netCents,
    serviceType: serviceType.trim() === "" ? (parcel?.service ?? serviceType) : serviceType,
    origin: { zip: originZip, state: originState },
    destination: { zip: destinationZip, state: destinationState },
    weightMg: value === null || unit === null ? (parcel ? toMg(parcel.weight) : null) : toMg({ value, unit }),
    isWeightOfShipment: parcel !== undefined,
    sides:
      size === null || sizeUnit === null
        ? undefined
        : toSides({ length: size[0], width: size[1], height: size[2], unit: sizeUnit }),
    residential,
    shipDate,
    currency,
    isDuplicate,
  };
}

function stateAt({ zip, state }: RateItem["origin"]): string {
  return stateOfPlace(state, normaliseZip(zip)) ?? "";
}

/** The summary, the kinds of items and the new status appear together. */
async function finish(tx: Tx, ctx: Ctx, row: ClaimedRow, totals: Totals, kinds: ItemKinds): Promise<void> {
  const { unrateable = 0, invalid = 0 } = totals.byStatus;
  const status = unrateable + invalid > 0 ? "completed_with_errors" : "completed";
  const at = ctx.clock.now();
  const percentiles = await findSavingsPercentiles(tx, row.id, row.revision, percentileShares);
  const summary = presentSummary({ ...row, status }, totals, percentiles, {
    computedAt: at.toISOString(),
    scenario: row.options.scenario ?? {},
    stale: false,
    trackingNumbers: await items.findTrackingNumbers(tx, row.id, topPositions(totals)),
  });
  const version = await work.finishComparison(tx, ctx.orgId, row.id, {
    status,
    summary,
    isListed: await writeKinds(tx, row, kinds),
    error: null,
    at,
  });
  await recordEvent(tx, ctx, {
    type: `rate_comparison.${status}`,
    objectId: row.id,
    data: { revision: row.revision, counts: totals.byStatus, totals: summary.totals, version },
  });
}

async function fail(tx: Tx, ctx: Ctx, row: ClaimedRow, cause: unknown): Promise<void> {
  if (!(await work.lockForChunk(tx, row, workerName(ctx)))) return;
  const message =
    cause instanceof HubError ? cause.message : "Something went wrong on our side; the log has the reason.";
  const error = { code: cause instanceof HubError ? cause.code : "internal_error", message };
  const version = await work.finishComparison(tx, ctx.orgId, row.id, {
    status: "failed",
    summary: null,
    isListed: false,
    error,
    at: ctx.clock.now(),
  });
  await recordEvent(tx, ctx, {
    type: "rate_comparison.failed",
    objectId: row.id,
    data: { revision: row.revision, error, version },
  });
}
