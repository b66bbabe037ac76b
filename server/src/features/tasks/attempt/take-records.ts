import { HubError } from "../../../core/errors.ts";
import type { Ctx, World } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { findKnownBridge, findTask } from "../../bridges/bridge-tasks.ts";
import type { KeptRecord } from "../../exceptions/exceptions.ts";
import { openExceptions } from "../../exceptions/exceptions.ts";
import type { RecordMapping, Rejected } from "./pulled-records.ts";
import { mapRecord } from "./pulled-records.ts";
import { toPulled, troubleOfRecord } from "./rejected-records.ts";
import type { Sink } from "./record-sinks.ts";
import { sinks } from "./record-sinks.ts";
import { loadMappings } from "./task-mappings.ts";

/** Maps and stores the records of one task of a bridge. */
export type RecordTaker = RecordMapping & { sink: Extract<Sink, { kind: "pages" }> };

/** For records that were read before; the source is not called. */
export async function openTaker(world: World, orgId: string, bridgeId: string, taskName: string): Promise<RecordTaker> {
  const bridge = await findKnownBridge(world, bridgeId);
  if (bridge?.row.org_id !== orgId) throw new HubError("bridge_not_found", "The bridge was deleted.");
  const task = findTask(bridge, taskName);
  const sink = task?.mode === "pull" ? sinks[task.recordType] : undefined;
  if (task?.mode !== "pull" || sink?.kind !== "pages") {
    throw new HubError(
      "invalid_state",
      `The bridge ${bridge.row.name} has no task ${taskName} that stores records one by one.`,
    );
  }
  return { bridge, task, sink, mappings: await loadMappings(world, { orgId, bridgeId, taskName }) };
}

/** A record that an execution rejected. */
type Retaken = { record: KeptRecord; executionId: string | null };

/** Maps and stores rejected records again, as an import does. Returns those that are rejected again; their exceptions are updated. */
export async function takeRecords(tx: Tx, ctx: Ctx, taker: RecordTaker, given: Retaken[]): Promise<Rejected[]> {
  const { bridge, task, sink } = taker;
  const items = given.map(({ record }) => mapRecord(taker, toPulled(record)).item);
  const usable = items.filter(({ failure }) => failure === undefined);
  const { failures } = await sink.store(tx, ctx, bridge.row.id, usable, null);
  const unmapped = items.flatMap(({ externalId, failure }) => (failure ? { externalId, ...failure } : []));
  const rejected = [...unmapped, ...failures];
  const byId = new Map(given.map((one) => [one.record.externalId, one]));
  const from = { bridgeId: bridge.row.id, bridgeName: bridge.row.name, taskName: task.name };
  await openExceptions(
    tx,
    ctx,
    rejected.map((one) => {
      const { record, executionId } = byId.get(one.externalId)!;
      return troubleOfRecord({ ...from, executionId }, one, record);
    }),
  );
  return rejected;
}
