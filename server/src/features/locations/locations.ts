import type { Address } from "../../core/address.ts";
import { badField, HubError } from "../../core/errors.ts";
import { isUuid } from "../../core/ids.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import type { Page } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import { isTimeZone } from "../../core/time-zones.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseDuplicate, sqlState } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Location, LocationPatch, LocationQuery, LocationRequest } from "./locations.schemas.ts";
import { maxMetadataBytes } from "./locations.schemas.ts";
import { syncedFields } from "./plan-location-sync.ts";
import * as store from "./locations.store.ts";

export { applyPulledLocations, syncLocations } from "./sync-locations.ts";

export async function listLocations(ctx: Ctx, query: LocationQuery): Promise<Page<Location>> {
  return await store.listLocations(ctx.db, ctx.orgId, query);
}

export async function getLocation(ctx: Ctx, id: string): Promise<Location> {
  return orNotFound("location", await store.findLocation(ctx.db, ctx.orgId, id));
}

export async function findLocation(ctx: Ctx, id: string): Promise<Location | undefined> {
  return await store.findLocation(ctx.db, ctx.orgId, id);
}

export async function createLocation(ctx: Ctx, request: LocationRequest): Promise<Location> {
  const metadata = request.metadata ?? {};
  refuseLargeMetadata(metadata);
  refuseUnknownTimeZone(request.timezone);
  return await change(ctx, async (tx) => {
    await store.lockLocations(tx, ctx.orgId);
    const isNeeded = !(await store.hasDefault(tx, ctx.orgId));
    if (request.is_default) await moveDefaultAway(tx, ctx);
    const location = await refuseTakenName(
      store.insertLocation(tx, ctx.orgId, {
        id: ctx.newId(),
        name: request.name,
        type: request.type ?? "warehouse",
        address: request.address ?? {},
        is_default: isNeeded || request.is_default === true,
        is_active: true,
        cutoff_time: request.cutoff_time ?? null,
        timezone: request.timezone ?? null,
        metadata,
        locked_fields: [],
        at: ctx.clock.now(),
      }),
    );
    const { name, type, version } = location;
    recordEvent(tx, ctx, { type: "location.created", objectId: location.id, data: { name, type, version } });
    return location;
  });
}

export async function updateLocation(ctx: Ctx, id: string, patch: LocationPatch, ifMatch: IfMatch): Promise<Location> {
  requirePatch(patch);
  refuseUnknownTimeZone(patch.timezone);
  return await change(ctx, async (tx) => {
    await store.lockLocations(tx, ctx.orgId);
    const location = orNotFound("location", await store.findLocation(tx, ctx.orgId, id));
    checkVersion(location, ifMatch);
    const merged = mergePatch(location, patch) as Partial<Location>;
    const wanted: Location = {
      ...location,
      ...merged,
      address: merged.address ?? {},
      cutoff_time: merged.cutoff_time ?? null,
      timezone: merged.timezone ?? null,
      metadata: merged.metadata ?? {},
      locked_fields: patch.locked_fields ?? lockedBy(location, patch),
    };
    refuseLargeMetadata(wanted.metadata);
    if (wanted.is_default && !wanted.is_active) {
      if (patch.is_default) throw badField("/is_default", "inactive", "An inactive location cannot be the default.");
      throw defaultRequired("deactivating this one");
    }
    // There is no default if a sync has created only inactive locations.
    if (wanted.is_active && !(await store.hasDefault(tx, ctx.orgId))) wanted.is_default = true;
    if (location.is_default && !wanted.is_default) throw defaultRequired("unsetting this one");
    if (wanted.is_default && !location.is_default) await moveDefaultAway(tx, ctx);
    const updated = await refuseTakenName(store.updateLocation(tx, ctx.orgId, { ...wanted, at: ctx.clock.now() }));
    const data = { ...patch, version: updated.version };
    recordEvent(tx, ctx, { type: "location.updated", objectId: id, data });
    return updated;
  });
}

export async function deleteLocation(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    await store.lockLocations(tx, ctx.orgId);
    const location = orNotFound("location", await store.findLocation(tx, ctx.orgId, id));
    checkVersion(location, ifMatch);
    if (location.is_default && (await store.countLocations(tx, ctx.orgId)) > 1) {
      throw defaultRequired("deleting this one");
    }
    await store.deleteLocation(tx, ctx.orgId, id).catch(refuseInUse);
    const { name, version } = location;
    recordEvent(tx, ctx, { type: "location.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

/** Locally edited fields are locked, so that the next sync does not revert them. */
function lockedBy(location: Location, patch: LocationPatch): string[] {
  if (location.bridge_id === null) return location.locked_fields;
  return [...new Set([...location.locked_fields, ...syncedFields.filter((field) => patch[field] !== undefined)])];
}

/** Filters the IDs to active locations of the organization. */
export async function findLocationIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.findActiveIds(db, orgId, ids));
}

/** The IDs of active locations by their IDs at the bridge that they were imported from. */
export async function findLocationsByExternalIds(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  externalIds: string[],
): Promise<Map<string, string>> {
  return externalIds.length === 0 ? new Map() : await store.findByExternalIds(db, orgId, bridgeId, externalIds);
}

/** Filters the IDs to locations of the organization, active or not. */
export async function findKnownLocationIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.findIds(db, orgId, ids));
}

/** Resolves IDs of locations, either of the hub or of the bridge. `only`: the location of a bridge that has just one. */
export async function findLocationsOfBridge(db: Queryable, orgId: string, bridgeId: string, names: string[]) {
  const rows = await store.listOfBridge(db, orgId, bridgeId, names.filter(isUuid));
  const own = rows.filter(({ is_own }) => is_own);
  return {
    byId: new Map(rows.map(({ id }) => [id, id])),
    byExternalId: new Map(own.map(({ id, external_id }) => [external_id, id])),
    only: own.length === 1 ? own[0]!.id : undefined,
  };
}

/** The active locations, the default one first, then the oldest. */
export async function listActiveLocations(
  db: Queryable,
  orgId: string,
): Promise<{ id: string; name: string; address: Address }[]> {
  return await store.listActive(db, orgId);
}

/** The bridge of each synced location. */
export async function listLocationBridges(db: Queryable, orgId: string): Promise<Map<string, string>> {
  const rows = await store.listLocationBridges(db, orgId);
  return new Map(rows.map(({ id, bridge_id }) => [id, bridge_id]));
}

/** The address of each location that has one. */
export async function listLocationAddresses(db: Queryable, orgId: string): Promise<Map<string, Address>> {
  const rows = await store.listLocationAddresses(db, orgId);
  return new Map(rows.map(({ id, address }) => [id, address]));
}

async function moveDefaultAway(tx: Tx, ctx: Ctx): Promise<void> {
  const former = await store.clearDefault(tx, ctx.orgId, ctx.clock.now());
  if (!former) return;
  const data = { is_default: false, version: former.version };
  recordEvent(tx, ctx, { type: "location.updated", objectId: former.id, data });
}

function defaultRequired(before: string): HubError {
  return new HubError("default_location_required", `Make another location the default before ${before}.`);
}

function refuseLargeMetadata(metadata: Record<string, unknown>): void {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= maxMetadataBytes) return;
  throw badField("/metadata", "too_large", `The metadata has ${bytes} bytes; ${maxMetadataBytes} are allowed.`);
}

function refuseUnknownTimeZone(timezone: string | null | undefined): void {
  if (timezone == null || isTimeZone(timezone)) return;
  throw badField("/timezone", "unknown_timezone", `${timezone} is not an IANA time zone such as America/New_York.`);
}

function refuseTakenName(saved: Promise<Location>): Promise<Location> {
  return refuseDuplicate(
    saved,
    "locations_name_key",
    () => new HubError("name_taken", "Another location has this name."),
  );
}

function refuseInUse(error: unknown): never {
  if (sqlState(error) !== "23503") throw error;
  throw new HubError("location_in_use", "Orders refer to this location. Deactivate it instead.");
}
