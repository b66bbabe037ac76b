import { createFinder } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../exceptions/exceptions.ts";
import { findLocationsOfBridge } from "../locations/locations.ts";
import { PulledLevel } from "./stock.schemas.ts";
import type { NewLevel } from "./stock.store.ts";
import { deleteUnlisted, writeLevels } from "./stock.store.ts";

const findErrors = createFinder(PulledLevel, "body");

type PulledItem = { externalId: string; body: Record<string, unknown> };
type Rejected = { externalId: string; code: string; message: string };
type Pull = { bridgeId: string; executionId: string | null };

/**
 * Stores one page of levels. A level without a location belongs to the only location of its bridge. Levels of unknown locations are
 * skipped, and each such location is one exception.
 */
export async function storePulledLevels(
  tx: Tx,
  ctx: Ctx,
  { bridgeId, executionId }: Pull,
  items: PulledItem[],
): Promise<{ counts: Record<string, number>; failures: Rejected[] }> {
  const failures: Rejected[] = [];
  const records: PulledLevel[] = [];
  for (const { externalId, body } of items) {
    const [error] = findErrors(body);
    if (!error) records.push(body as PulledLevel);
    else failures.push({ externalId, code: "validation_failed", message: `${error.pointer}: ${error.message}` });
  }
  const names = [...new Set(records.map(locationNameOf))];
  const locations = await findLocationsOfBridge(tx, ctx.orgId, bridgeId, names);
  const unknown = new Map<string, number>();
  // A SKU that is listed twice for a location has the level that came last.
  const levels = new Map<string, NewLevel>();
  for (const record of records) {
    const { sku, available, committed = null } = record;
    const name = locationNameOf(record);
    const found = name === "" ? locations.only : (locations.byId.get(name) ?? locations.byExternalId.get(name));
    if (found === undefined) unknown.set(name, (unknown.get(name) ?? 0) + 1);
    else levels.set(`${found} ${sku}`, { locationId: found, sku, available, committed });
  }
  const now = ctx.clock.now();
  const report = { bridgeId, countedAt: now, now };
  const written = await writeLevels(tx, ctx.orgId, [...levels.values()], report);
  const skipped = [...unknown.values()].reduce((sum, count) => sum + count, 0);
  const known = names.filter((name) => !unknown.has(name));
  await noteLocations(tx, ctx, { bridgeId, executionId }, [...unknown.keys()], known);
  return { counts: { ...written, skipped, failed: failures.length }, failures };
}

/** Empty: the record names no location. */
function locationNameOf({ locationId, locationExternalId }: PulledLevel): string {
  return locationId?.toLowerCase() ?? locationExternalId ?? "";
}

async function noteLocations(
  tx: Tx,
  ctx: Ctx,
  { bridgeId, executionId }: Pull,
  unknown: string[],
  known: string[],
): Promise<void> {
  await resolveExceptions(
    tx,
    ctx,
    known.map((name) => exceptionKeys.stockLocation(bridgeId, name)),
  );
  await openExceptions(
    tx,
    ctx,
    unknown.map((name) => ({
      key: exceptionKeys.stockLocation(bridgeId, name),
      kind: "stock",
      code: "unknown_location",
      message:
        name === ""
          ? "Stock without a location was skipped: the bridge does not have exactly one location."
          : "The stock of a location was skipped, since the hub has no such location. Import the locations of the bridge first.",
      subject: { type: "record", id: null, name },
      bridgeId,
      executionId,
    })),
  );
}

type PullEnd = { bridgeId: string; startedAt: Date; isComplete: boolean; counts: Record<string, number> };

/**
 * Runs after the last page. A pull that read all levels deletes those that it did not list; one that read only changes, or that could
 * not read each record, deletes none.
 */
export async function finishPulledLevels(tx: Tx, ctx: Ctx, end: PullEnd): Promise<Record<string, number>> {
  const { bridgeId, startedAt, isComplete, counts } = end;
  const isSure = isComplete && (counts.failed ?? 0) === 0;
  const deleted = isSure ? await deleteUnlisted(tx, ctx.orgId, bridgeId, startedAt) : 0;
  const { created = 0, updated = 0, unchanged = 0, outdated = 0 } = counts;
  const data = { bridgeId, created, updated, unchanged, outdated, deleted };
  recordEvent(tx, ctx, { type: "stock.updated", objectId: ctx.orgId, data });
  return { deleted };
}
