import type { World } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { systemContext } from "../context.ts";
import type { ForeignEvent } from "../events/record-event.ts";
import { recordEventsAcrossOrgs } from "../events/record-event.ts";
import { noteRemoved, takeRemovedAcrossOrgs } from "../events/removals.ts";
import type { RetainedKind } from "../context.ts";
import { deleteOldInvocationsAcrossOrgs } from "../features/automations/automations.ts";
import { deleteOldExceptionsAcrossOrgs } from "../features/exceptions/exceptions.ts";
import { deleteOldLabelFilesAcrossOrgs } from "../features/labels/labels.ts";
import { deleteOldManifestFilesAcrossOrgs } from "../features/manifests/manifests.ts";
import { deleteOldRunsAcrossOrgs } from "../features/operations/operations.ts";
import { deleteOldPickupsAcrossOrgs } from "../features/pickups/pickups.ts";
import { deleteOldComparisonsAcrossOrgs } from "../features/rate-comparisons/rate-comparisons.ts";
import { deleteOldRequestsAcrossOrgs } from "../features/requests/requests.ts";
import { deleteOldExecutionsAcrossOrgs } from "../features/tasks/tasks.ts";
import { deleteOldResponsesAcrossOrgs, deleteOldDeliveriesAcrossOrgs } from "../features/webhooks/webhooks.ts";

/** Deletes one batch, small enough that requests do not wait for its locks. Returns the organization of each deleted record. */
type PurgeBatch = (tx: Tx, before: Date) => Promise<string[]>;

export const removals: Record<RetainedKind, PurgeBatch> = {
  runs: deleteOldRunsAcrossOrgs,
  executions: deleteOldExecutionsAcrossOrgs,
  exceptions: deleteOldExceptionsAcrossOrgs,
  comparisons: deleteOldComparisonsAcrossOrgs,
  pickups: deleteOldPickupsAcrossOrgs,
  labelFiles: async (tx, before) => {
    const ofLabels = await deleteOldLabelFilesAcrossOrgs(tx, before);
    return ofLabels.length > 0 ? ofLabels : await deleteOldManifestFilesAcrossOrgs(tx, before);
  },
  deliveries: deleteOldDeliveriesAcrossOrgs,
  deliveryResponses: deleteOldResponsesAcrossOrgs,
  invocations: deleteOldInvocationsAcrossOrgs,
  requests: deleteOldRequestsAcrossOrgs,
};

/** The request log is only a trace of use. An audit entry for each day of it would fill a log that is never shortened. */
const unrecorded: ReadonlySet<RetainedKind> = new Set(["requests"]);

const dayMs = 86_400_000;
/** Pause between two batches, so that requests on the same database go first. */
const pauseMs = 50;

/**
 * Deletes records that are older than their retention, and records an event for each organization. Ages count in whole days, so the
 * audit log, which is never shortened, has one entry for each kind and day.
 */
export async function purgeExpired(world: World, stopping: AbortSignal): Promise<void> {
  const now = world.clock.now().getTime();
  for (const [kind, days] of Object.entries(world.settings.retentionDays ?? {}) as [
    RetainedKind,
    number | undefined,
  ][]) {
    if (days === undefined) continue;
    const before = new Date((Math.floor(now / dayMs) - days) * dayMs);
    while (!stopping.aborted && (await purgeBatch(world, kind, before))) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  await world.db.transaction(async (tx) => {
    const events = (await takeRemovedAcrossOrgs(tx)).map(({ orgId, endedBefore, ...removed }): ForeignEvent => {
      const { actor, requestId } = systemContext(world, orgId, "retention");
      const data = { ...removed, endedBefore: endedBefore.toISOString() };
      return { type: "retention.removed", objectId: orgId, orgId, actor, requestId, cause: undefined, data };
    });
    recordEventsAcrossOrgs(tx, world, events);
  });
}

async function purgeBatch(world: World, kind: RetainedKind, before: Date): Promise<boolean> {
  return await world.db.transaction(async (tx) => {
    const owners = await removals[kind](tx, before);
    if (owners.length > 0 && !unrecorded.has(kind)) await noteRemoved(tx, { kind, endedBefore: before }, owners);
    return owners.length > 0;
  });
}
