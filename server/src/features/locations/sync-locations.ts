import type { PulledRecord } from "../../connectors/connector.ts";
import { HubError } from "../../core/errors.ts";
import { createFinder } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import { change, releaseSlotWhile } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import {
  createCall,
  describeAndLog,
  findTask,
  openBridge,
  refuseCalls,
  refuseUnusable,
} from "../bridges/bridge-tasks.ts";
import { holdBridge, loadBridge, noteOutcomes } from "../bridges/bridges.ts";
import { loadActiveTransformations } from "../transformations/transformations.ts";
import type { LocationSync } from "./locations.schemas.ts";
import { SyncedLocation } from "./locations.schemas.ts";
import * as store from "./locations.store.ts";
import type { LocationWrite, PulledLocation } from "./plan-location-sync.ts";
import { planLocationSync, suggestDuplicates } from "./plan-location-sync.ts";

const taskName = "locations.pull";
const pullTimeoutMs = 30_000;
const maxPulled = 10_000;
const findErrors = createFinder(SyncedLocation, "body");

/** A record of the bridge in the hub's form, after its transformation. */
export type PulledItem = {
  externalId: string;
  body: Record<string, unknown>;
  /** Why it could not be transformed. The record exists, so its location has not vanished. */
  failure?: { code: string; message: string };
};

/** Pulls locations now and returns the changes, which a dry run does not make. A failing bridge changes nothing. */
export async function syncLocations(ctx: Ctx, bridgeId: string, isDryRun: boolean): Promise<LocationSync> {
  const items = await pullItems(ctx, bridgeId);
  return await applyPulledLocations(ctx, bridgeId, items, {
    isDryRun,
    guard: (tx) => holdBridge(tx, ctx, bridgeId),
  });
}

async function pullItems(ctx: Ctx, bridgeId: string): Promise<PulledItem[]> {
  const bridge = openBridge(await loadBridge(ctx.db, ctx, bridgeId));
  refuseUnusable(ctx, bridge);
  refuseCalls(ctx, bridge);
  const task = findTask(bridge, taskName);
  if (task?.mode !== "pull") {
    throw new HubError("invalid_state", `The bridge ${bridge.row.name} has no task ${taskName}.`);
  }
  const signal = AbortSignal.timeout(pullTimeoutMs);
  const records: PulledRecord[] = [];
  try {
    const call = createCall(ctx, bridge, { input: {}, signal, effectKey: ctx.newId(), progress() {}, log() {} });
    await releaseSlotWhile(ctx, async () => {
      for await (const page of task.pull(call, undefined)) {
        records.push(...page.records);
        if (records.length > maxPulled)
          throw new HubError("bridge_failed", `The bridge returned more than ${maxPulled} locations.`);
      }
    });
  } catch (error) {
    if (error instanceof HubError) throw error;
    const { code, message, retryable } = describeAndLog(ctx, bridgeId, error, signal);
    await noteOutcomes(ctx.db, [{ bridge: bridge.row, error: { code, message } }], ctx.clock.now());
    throw new HubError(code === "timed_out" ? "bridge_timed_out" : "bridge_failed", message, {
      extra: { cause: code, retryable },
    });
  }
  await noteOutcomes(ctx.db, [{ bridge: bridge.row, error: null }], ctx.clock.now());
  const { inbound: mapping } = await loadActiveTransformations(ctx, { orgId: ctx.orgId, bridgeId, taskName });
  return records.map(({ externalId, raw, canonical }) => {
    if (!mapping) return { externalId, body: canonical };
    const mapped = mapping.run(raw);
    if (mapped.ok) return { externalId, body: mapped.output };
    const { target, message } = mapped.errors[0]!;
    return { externalId, body: {}, failure: { code: "transformation_failed", message: `${target}: ${message}` } };
  });
}

type Errors = LocationSync["errors"];

/**
 * One transaction for the whole sync, so that a half-done one is never visible. The task that pulls on a schedule uses it too.
 * `guard` throws when the sync may no longer write. It runs last, so that its lock is held only briefly.
 */
export async function applyPulledLocations(
  ctx: Ctx,
  bridgeId: string,
  items: PulledItem[],
  { isDryRun = false, guard }: { isDryRun?: boolean; guard: (tx: Tx) => Promise<void> },
): Promise<LocationSync> {
  const started = ctx.clock.now();
  const errors: Errors = [];
  const pulled = items.flatMap((item) => toPulled(item, errors));
  return await change(ctx, async (tx) => {
    await store.lockLocations(tx, ctx.orgId);
    await guard(tx);
    const all = await store.listAllLocations(tx, ctx.orgId);
    const own = all.filter((location) => location.bridge_id === bridgeId);
    const failed = new Set(errors.map(({ external_id }) => external_id));
    // A location that could not be read has not vanished.
    const known = own.filter(({ external_id }) => !failed.has(external_id ?? ""));
    const writes = planLocationSync(known, pulled, new Set(all.map(({ name }) => name)));
    if (!isDryRun) await write(tx, ctx, bridgeId, writes);
    const count = (action: string): number => writes.filter(({ change: { action: a } }) => a === action).length;
    const summary = {
      fetched: items.length,
      created: count("created"),
      updated: count("updated"),
      unchanged: count("unchanged"),
      deactivated: count("deactivated"),
      failed: errors.length,
    };
    if (!isDryRun) {
      recordEvent(tx, ctx, { type: "locations.synced", objectId: bridgeId, data: summary });
    }
    return {
      bridge_id: bridgeId,
      dry_run: isDryRun,
      started_at: started.toISOString(),
      finished_at: ctx.clock.now().toISOString(),
      summary,
      changes: writes
        .map(({ change: shown }) => shown)
        .filter(({ action, kept_local: kept }) => action !== "unchanged" || kept.length > 0),
      suggestions: suggestDuplicates(isDryRun ? all : await store.listAllLocations(tx, ctx.orgId)),
      errors,
    };
  });
}

function toPulled({ externalId, body, failure }: PulledItem, errors: Errors): PulledLocation[] {
  if (failure) {
    errors.push({ external_id: externalId, ...failure });
    return [];
  }
  const found = findErrors(body);
  if (found.length > 0) {
    const message = `${found[0]!.pointer || "/"}: ${found[0]!.message}`;
    errors.push({ external_id: externalId, code: "validation_failed", message });
    return [];
  }
  const { name, type, address, is_active } = body as SyncedLocation;
  return [{ externalId, name, type: type ?? "warehouse", address: address ?? {}, isActive: is_active ?? true }];
}

async function write(tx: Tx, ctx: Ctx, bridgeId: string, writes: LocationWrite[]): Promise<void> {
  const at = ctx.clock.now();
  const created = writes.filter(({ change: { action } }) => action === "created");
  for (const { change: made } of created) made.location_id = ctx.newId();
  await store.insertSynced(tx, ctx.orgId, bridgeId, created, at);
  const touched = writes.filter(({ change: { action } }) => action !== "created");
  await store.updateSynced(tx, ctx.orgId, touched, at);
  // These may be the organization's first active locations: one of them has to be the default.
  const defaulted = await store.ensureDefault(tx, ctx.orgId, at);
  if (!defaulted) return;
  const data = { is_default: true, version: defaulted.version };
  recordEvent(tx, ctx, { type: "location.updated", objectId: defaulted.id, data });
}
