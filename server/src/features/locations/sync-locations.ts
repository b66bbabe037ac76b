import type { PulledRecord } from "../../connectors/connector.ts";
import { HubError } from "../../core/errors.ts";
import { createFinder } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { createCall, describeFailure, findTask, openBridge, refuseUnusable } from "../bridges/bridge-tasks.ts";
import { loadBridge, noteOutcomes } from "../bridges/bridges.ts";
import { loadActiveTransformation } from "../transformations/transformations.ts";
import type { LocationSync } from "./locations.schemas.ts";
import { SyncedLocation } from "./locations.schemas.ts";
import * as store from "./locations.store.ts";
import type { LocationWrite, PulledLocation } from "./plan-location-sync.ts";
import { planLocationSync, suggestDuplicates } from "./plan-location-sync.ts";

const taskName = "locations.pull";
const pullTimeoutMs = 30_000;
const maxPulled = 10_000;
const findErrors = createFinder(SyncedLocation, "body");

/** A record of the bridge, as a transformation or the connector itself brought it into the hub's form. */
export type PulledItem = { externalId: string; body: Record<string, unknown> };

/** Pulls now and answers what changed, or with `dry_run` what would. A bridge that fails changes nothing. */
export async function syncLocations(ctx: Ctx, bridgeId: string, isDryRun: boolean): Promise<LocationSync> {
  const items = await pullItems(ctx, bridgeId);
  return await applyPulledLocations(ctx, bridgeId, items, isDryRun);
}

async function pullItems(ctx: Ctx, bridgeId: string): Promise<PulledItem[]> {
  const bridge = openBridge(await loadBridge(ctx.db, ctx, bridgeId));
  refuseUnusable(ctx, bridge);
  const task = findTask(bridge, taskName);
  if (task?.mode !== "pull") {
    throw new HubError("invalid_state", `The bridge ${bridge.row.name} has no task ${taskName}.`);
  }
  const signal = AbortSignal.timeout(pullTimeoutMs);
  const call = createCall(ctx, bridge, { input: {}, signal, effectKey: ctx.newId(), progress() {}, log() {} });
  const records: PulledRecord[] = [];
  try {
    for await (const page of task.pull(call, undefined)) {
      records.push(...page.records);
      if (records.length > maxPulled) throw new HubError("bridge_failed", `More than ${maxPulled} locations came.`);
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    const { code, message, retryable } = describeFailure(error, signal);
    await noteOutcomes(ctx.db, [{ bridgeId, error: { code, message } }], ctx.clock.now());
    throw new HubError(code === "timed_out" ? "bridge_timed_out" : "bridge_failed", message, {
      extra: { cause: code, retryable },
    });
  }
  await noteOutcomes(ctx.db, [{ bridgeId, error: null }], ctx.clock.now());
  const key = { orgId: ctx.orgId, bridgeId, taskName, direction: "inbound" } as const;
  const mapping = await loadActiveTransformation(ctx, key);
  return records.map(({ externalId, raw, canonical }) => {
    if (!mapping) return { externalId, body: canonical };
    const mapped = mapping.run(raw);
    // What could not be mapped is reported by what is missing in it.
    return { externalId, body: mapped.ok ? mapped.output : {} };
  });
}

type Errors = LocationSync["errors"];

/** One transaction for all of it: a half-done sync is never seen. Also for the task that pulls on a schedule. */
export async function applyPulledLocations(
  ctx: Ctx,
  bridgeId: string,
  items: PulledItem[],
  isDryRun = false,
): Promise<LocationSync> {
  const started = ctx.clock.now();
  const errors: Errors = [];
  const pulled = items.flatMap((item) => toPulled(item, errors));
  return await change(ctx, async (tx) => {
    await store.lockLocations(tx, ctx.orgId);
    const all = await store.listAllLocations(tx, ctx.orgId);
    const own = all.filter((location) => location.bridge_id === bridgeId);
    const failed = new Set(errors.map(({ external_id }) => external_id));
    // What came but could not be read has not vanished.
    const known = own.filter(({ external_id }) => !failed.has(external_id ?? ""));
    const writes = planLocationSync(known, pulled, new Set(all.map(({ name }) => name)));
    if (!isDryRun) await write(tx, ctx, bridgeId, writes, all.length === 0);
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
      await recordEvent(tx, ctx, {
        type: "locations.synced",
        objectType: "bridge",
        objectId: bridgeId,
        data: summary,
      });
    }
    return {
      bridge_id: bridgeId,
      dry_run: isDryRun,
      started_at: started.toISOString(),
      finished_at: ctx.clock.now().toISOString(),
      summary,
      changes: writes.map(({ change: shown }) => shown).filter(({ action }) => action !== "unchanged"),
      suggestions: suggestDuplicates(isDryRun ? all : await store.listAllLocations(tx, ctx.orgId)),
      errors,
    };
  });
}

function toPulled({ externalId, body }: PulledItem, errors: Errors): PulledLocation[] {
  const found = findErrors(body);
  if (found.length > 0) {
    const message = `${found[0]!.pointer || "/"}: ${found[0]!.message}`;
    errors.push({ external_id: externalId, code: "validation_failed", message });
    return [];
  }
  const { name, type, address, is_active } = body as SyncedLocation;
  return [{ externalId, name, type: type ?? "warehouse", address: address ?? {}, isActive: is_active ?? true }];
}

async function write(tx: Tx, ctx: Ctx, bridgeId: string, writes: LocationWrite[], isFirst: boolean): Promise<void> {
  const at = ctx.clock.now();
  const created = writes.filter(({ change: { action } }) => action === "created");
  for (const { change: made } of created) made.location_id = ctx.newId();
  // The first locations an organization gets: one of them has to be the default.
  const defaultId = isFirst ? created.find(({ location }) => location.is_active)?.change.location_id : undefined;
  await store.insertSynced(tx, ctx.orgId, bridgeId, created, defaultId ?? null, at);
  const touched = writes.filter(({ change: { action } }) => action !== "created");
  await store.updateSynced(tx, ctx.orgId, touched, at);
}
