import type { FieldError } from "../../core/errors.ts";
import { badField, validationFailed } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { textProblem } from "../../core/strict-json.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { findKnownLocationIds } from "../locations/locations.ts";
import * as reservations from "./reservations.store.ts";
import type { StockLevel, StockOfSku, StockQuery, StockReplaced, StockRequest } from "./stock.schemas.ts";
import type { Level } from "./stock.store.ts";
import * as store from "./stock.store.ts";

export { finishPulledLevels, storePulledLevels } from "./pulled-levels.ts";
export { lockStock, readReserved, saveReservations } from "./reservations.store.ts";
export type { Reservation } from "./reservations.store.ts";
export { readLevels } from "./stock.store.ts";
export type { Level } from "./stock.store.ts";

export async function listStock(ctx: Ctx, query: StockQuery): Promise<Page<StockLevel>> {
  const page = await store.listLevels(ctx.db, ctx.orgId, query);
  const present = await withReserved(ctx.db, ctx.orgId, page.data);
  return mapPage(page, present);
}

export async function getStockOfSku(ctx: Ctx, sku: string): Promise<StockOfSku> {
  // Such a text cannot be stored, so no level has it.
  const levels = textProblem(sku) === undefined ? await store.readLevels(ctx.db, ctx.orgId, [sku]) : [];
  const present = await withReserved(ctx.db, ctx.orgId, levels);
  const presented = levels.map(present);
  const sum = (field: "available" | "reserved" | "allocatable"): number =>
    presented.reduce((total, level) => total + level[field], 0);
  return {
    sku,
    available: sum("available"),
    reserved: sum("reserved"),
    allocatable: sum("allocatable"),
    levels: presented,
  };
}

/** Clocks of other systems may be a little ahead. */
const maxAheadMs = 5 * 60_000;

/** Stores these levels and leaves all others as they are. */
export async function replaceStock(ctx: Ctx, { levels, countedAt }: StockRequest): Promise<StockReplaced> {
  const now = ctx.clock.now();
  if (countedAt !== undefined && Date.parse(countedAt) > now.getTime() + maxAheadMs) {
    throw badField("/countedAt", "in_future", "The time of the count must not be in the future.");
  }
  const given = levels.map(({ locationId, sku, available, committed = null }) => {
    return { locationId: locationId.toLowerCase(), sku, available, committed };
  });
  const repeated = repeatedErrors(given);
  if (repeated.length > 0) throw validationFailed(repeated);
  return await change(ctx, async (tx) => {
    const ids = [...new Set(given.map(({ locationId }) => locationId))];
    const known = await findKnownLocationIds(tx, ctx.orgId, ids);
    const unknown = unknownErrors(given, known);
    if (unknown.length > 0) throw validationFailed(unknown);
    const report = { bridgeId: null, countedAt: countedAt === undefined ? now : new Date(countedAt), now };
    const written = await store.writeLevels(tx, ctx.orgId, given, report);
    const data = { bridgeId: null, ...written, deleted: 0 };
    recordEvent(tx, ctx, { type: "stock.updated", objectId: ctx.orgId, data });
    return written;
  });
}

const maxErrors = 100;

function repeatedErrors(levels: { locationId: string; sku: string }[]): FieldError[] {
  const seen = new Set<string>();
  return levels
    .flatMap(({ locationId, sku }, index): FieldError[] => {
      const key = `${locationId} ${sku}`;
      const isRepeated = seen.has(key);
      seen.add(key);
      const message = `${sku} is listed more than once for this location.`;
      return isRepeated ? [{ pointer: `/levels/${index}/sku`, code: "repeated", message }] : [];
    })
    .slice(0, maxErrors);
}

/** One error for each unknown location, not for each of its levels. */
function unknownErrors(levels: { locationId: string }[], known: ReadonlySet<string>): FieldError[] {
  const firsts = new Map<string, number>();
  for (const [index, { locationId }] of levels.entries()) {
    if (!known.has(locationId) && !firsts.has(locationId)) firsts.set(locationId, index);
  }
  return [...firsts].slice(0, maxErrors).map(([locationId, index]) => ({
    pointer: `/levels/${index}/locationId`,
    code: "location_not_found",
    message: `There is no location ${locationId} in this organization.`,
  }));
}

/** Reads what is reserved of these levels, for the presentation of each. */
async function withReserved(db: Queryable, orgId: string, levels: Level[]): Promise<(level: Level) => StockLevel> {
  const rows = await reservations.readReserved(db, orgId, [...new Set(levels.map(({ sku }) => sku))]);
  const units = new Map(rows.map((row) => [`${row.locationId} ${row.sku}`, row.units]));
  return (level) => {
    const reserved = units.get(`${level.locationId} ${level.sku}`) ?? 0;
    return { ...level, reserved, allocatable: level.available + (level.committed ?? 0) - reserved };
  };
}

const keptMs = 24 * 3_600_000;
const deletedAtOnce = 5_000;

/** Deletes the reservations of orders that ended a day ago. */
export async function removeEndedReservations({ db, clock }: World): Promise<void> {
  const before = new Date(clock.now().getTime() - keptMs);
  while ((await reservations.deleteEndedReservationsAcrossOrgs(db, before, deletedAtOnce)) === deletedAtOnce);
}
